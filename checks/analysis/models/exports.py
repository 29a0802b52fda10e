"""The exports of a case, as the checks that judge them want them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from checks.analysis.models.runs import LEAST_SURE, telling_line
from checks.facts import ExportRun, Facts, ModelFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, NotHere, Severity
from checks.knowledge.frameworks.exporters import ExportersTable, exporter_of

if TYPE_CHECKING:
    from checks.readers.tickets.wording.signatures import Hit


def exports(models: ModelFiles) -> Iterator[tuple[ModelFacts, ExportRun]]:
    """Every export that was asked for.

    Raises:
        NotHere: none was.
    """
    found = [(model, run) for model in models.files for run in model.exports]
    if not found:
        raise NotHere("exports", "not-asked")
    return iter(found)


def has_failed(run: ExportRun) -> bool:
    """Whether the exporter gave up."""
    return run.exported is False and run.error is not None


def unsupported(cause: str, models: ModelFiles, facts: Facts) -> Iterator[Finding]:
    """One finding per export that failed for a cause, by the exporter's own words."""
    for model, run in exports(models):
        if not has_failed(run):
            continue
        hit = hit_in_error(run, facts)
        # Beside versions that do not fit, only an error that names the operation speaks of one.
        if hit is not None and hit.cause == cause and (run.fit != "misfit" or "op" in hit.groups):
            yield Finding(
                severity=severity_of(model, run),
                confidence=max(hit.signature.certainty, LEAST_SURE),
                subject=subject(model, run),
                evidence=(*about(model, run), *unmet(run), Evidence("clue", telling_line(run) or hit.clue, run.origin)),
                remedies=hit.signature.remedies,
                values={**hit.groups, **values_of(model, run)},
            )


def hit_in_error(run: ExportRun, facts: Facts) -> Hit | None:
    """The signature of a cause that stands in an exporter's error."""
    # Late, for start-up time: it loads all that reads tickets, and most examinations export nothing.
    from checks.analysis.models.error_cause import cause_in_error

    return cause_in_error(run, facts)


def severity_of(model: ModelFacts, run: ExportRun) -> Severity:
    """Blocking where nothing else has written this format from this model."""
    row = exporter_of(run.exporter)
    others = (exporter_of(export.exporter) for export in model.exports if export.exported and export.ran is not False)
    is_served = any(other and row and other.writes == row.writes for other in others)
    return Severity.WARNING if is_served else Severity.BLOCKING


def subject(model: ModelFacts, run: ExportRun) -> str:
    """What tells this finding from another of its cause."""
    return f"{model.path} / {run.exporter}"


def values_of(model: ModelFacts, run: ExportRun) -> dict[str, str]:
    """What a finding is about: this model, and no runtime of it."""
    return {"model_path": model.path, "runtime": run.exporter, "exporter_id": run.exporter}


def about(model: ModelFacts, run: ExportRun) -> tuple[Evidence, ...]:
    """The first lines of what proves a finding: the model, the exporter, and with which versions."""
    row = exporter_of(run.exporter)
    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    known = (Evidence("exporter_versions", versions, run.origin),) if versions else ()
    return (
        Evidence("model", model.name, model.path),
        Evidence("exporter", row.name if row else run.exporter, run.origin),
        *known,
    )


def unmet(run: ExportRun) -> tuple[Evidence, ...]:
    """What the exporter works with, and what is there instead."""
    table = ExportersTable.read()
    return tuple(
        shown
        for need in run.unmet
        for shown in (
            Evidence("needed", need.needed, table.title, table.source),
            *((Evidence("found", need.found, run.origin),) if need.found else ()),
        )
    )
