"""Which release of a runtime reads which version of a file."""

from enum import Enum

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from checks.facts import ModelFacts
from checks.facts.finding import Severity
from checks.facts.versions import release
from checks.knowledge import Row, Table


class Reads(Row):
    """What releases from ``since`` on read; None: nobody knows."""

    since: str
    least: str | None = None
    most: str | None = None


class Rule(Row):
    """How one runtime reads one format. See the comments of the table.

    ``runtime``: a field of Frameworks, or a distribution. ``producer``: only files that it wrote. ``from_installed``:
    only where at least this release of the runtime is installed. ``classes``: only files that name one of them.
    """

    format: str
    runtime: str
    fact: str
    parts: int
    severity: Severity
    source: str
    producer: str = ""
    from_installed: str = ""
    classes: tuple[str, ...] = ()
    reads: tuple[Reads, ...] = ()
    same_or_older: bool = False
    same: bool = False
    needs: bool = False


class FormatReadersTable(Table):
    rule: tuple[Rule, ...]


class Fit(Enum):
    """How a file fits a runtime."""

    READ = "read"
    TOO_NEW = "too new"
    TOO_OLD = "too old"
    UNKNOWN = "unknown"


def rules_of(model: ModelFacts) -> tuple[Rule, ...]:
    """The rules for a model."""
    rows = FormatReadersTable.read().rule
    named = {needed.name for needed in model.needs.classes or ()}
    ours = (row for row in rows if row.format == model.format and row.producer in ("", model.producer))
    return tuple(row for row in ours if not row.classes or not named.isdisjoint(row.classes))


def written(rule: Rule, model: ModelFacts) -> str:
    """The number or requirement that the file tells, as it stands there; "" where it tells none."""
    if rule.needs:
        return next((framework for framework in model.needs.frameworks if _is_for(framework, rule.runtime)), "")
    return str(getattr(model, rule.fact, None) or "")


def fit(rule: Rule, model: ModelFacts, installed: str) -> Fit:
    """How the file fits the installed release of the rule's runtime."""
    if rule.from_installed and release(installed) < release(rule.from_installed):
        return Fit.UNKNOWN
    if rule.needs:
        return _meets(written(rule, model), installed)
    number = _parts(rule, written(rule, model))
    if not number or not release(installed):
        return Fit.UNKNOWN
    if rule.same_or_older or rule.same:
        ours = _parts(rule, installed)
        if number > ours:
            return Fit.TOO_NEW
        return Fit.TOO_OLD if rule.same and number < ours else Fit.READ
    row = reads(rule, installed)
    if row is None or row.least is None or row.most is None:
        return Fit.UNKNOWN
    if number > _parts(rule, row.most):
        return Fit.TOO_NEW
    return Fit.TOO_OLD if number < _parts(rule, row.least) else Fit.READ


def readable_by(rule: Rule, installed: str) -> str:
    """The versions that a release of the runtime reads, in words: "8", "1 – 10"; "" where the rule names none."""
    row = reads(rule, installed)
    if row is None or row.least is None or row.most is None:
        return ""
    return row.most if row.least == row.most else f"{row.least} – {row.most}"


def reads(rule: Rule, installed: str) -> Reads | None:
    """What a release of the runtime reads."""
    rows = [row for row in rule.reads if release(row.since) <= release(installed)]
    return max(rows, key=lambda row: release(row.since), default=None)


def _is_for(requirement: str, runtime: str) -> bool:
    try:
        return Requirement(requirement).name == runtime
    except InvalidRequirement:  # a reader that names a program which is no distribution
        return False


def _meets(requirement: str, installed: str) -> Fit:
    try:
        is_met = not requirement or Requirement(requirement).specifier.contains(Version(installed), prereleases=True)
    except InvalidVersion:
        return Fit.UNKNOWN
    return Fit.READ if is_met else Fit.TOO_NEW


def _parts(rule: Rule, version: str) -> tuple[int, ...]:
    numbers = release(version)
    return (*numbers, 0, 0)[: rule.parts] if numbers else ()
