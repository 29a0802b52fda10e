"""Domains of operators in ONNX models: whose they are, and what must be there to compute them."""

import functools

from checks.knowledge import Row, Table


class OnnxDomain(Row):
    """One domain. ``kind``: who computes its operators, see the table's head; ``packages`` bring the library."""

    domain: str
    kind: str
    runtime: str = ""
    packages: tuple[str, ...] = ()
    note: str = ""


class OnnxDomainsTable(Table):
    domain: tuple[OnnxDomain, ...]


@functools.cache
def onnx_domain(name: str) -> OnnxDomain | None:
    """The row of a domain, its own or that of its beginning; None where the table has neither."""
    rows = OnnxDomainsTable.read().domain
    exact = next((row for row in rows if row.domain == name), None)
    starts = (row for row in rows if row.domain.endswith("*") and name.startswith(row.domain[:-1]))
    return exact or next(starts, None)
