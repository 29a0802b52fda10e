"""Quantized checkpoints: what transformers asks for to load each kind."""

from checks.facts.versions import release
from checks.knowledge import Row, Table


class QuantizationRule(Row):
    """What some releases of transformers want for one method; see the head of the table."""

    method: str
    since: str
    before: str | None = None
    packages: tuple[tuple[str, ...], ...] = ()  # requirements: of each group one
    gpu: bool = False
    capability: str | None = None
    otherwise: str = "refuses"


class QuantizationMethodsTable(Table):
    """``oldest``: the first transformers that the rows are true of."""

    oldest: str
    carriers: tuple[str, ...]
    rule: tuple[QuantizationRule, ...]


def rule_for(method: str, transformers: str) -> QuantizationRule | None:
    """What a release of transformers wants for a method; None where it does not know the method."""
    version = release(transformers)
    rows = (row for row in QuantizationMethodsTable.read().rule if row.method == method)
    fitting = (row for row in rows if release(row.since) <= version)
    return next((row for row in fitting if row.before is None or version < release(row.before)), None)


def first_release(method: str) -> str | None:
    """The transformers that first knows a method; None where the table has no such."""
    return next((row.since for row in QuantizationMethodsTable.read().rule if row.method == method), None)
