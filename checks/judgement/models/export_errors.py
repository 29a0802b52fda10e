"""What the exports of models tell besides the causes that have a check: misfits, other errors, the runtime's part.

The exporter's own words decide between the causes, by the same signatures as for a pasted text.
"""

from collections.abc import Iterable, Iterator, Sequence

from checks.analysis.models.error_cause import cause_in_error
from checks.analysis.models.exports import about, has_failed, severity_of, subject, unmet, values_of
from checks.analysis.models.runs import LEAST_SURE, telling_line
from checks.facts import ExportRun, Facts, ModelFacts
from checks.facts.finding import Evidence, Finding, Outcome, Severity
from checks.facts.phrase import Value
from checks.judgement.merging import with_finding
from checks.knowledge.catalogue import UNKNOWN, cause_of
from checks.knowledge.frameworks.exporters import exporter_of
from checks.knowledge.phrases import phrase

CONFLICT = "dependency-version-conflict"
COMPANIONS = "framework-companion-mismatch"
RUNTIME_BUG = "framework-numeric-bug"
PLAIN = "GraphOptimizationLevel.ORT_DISABLE_ALL"
FRAMEWORKS = ("torch", "tensorflow")
ABSENT = "–"


def with_exports(facts: Facts, outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes with what the exports of the models tell."""
    known = tuple(outcomes)
    for model in facts.models:
        for run in model.exports:
            for finding in _findings(model, run, facts, known):
                known = with_finding(known, finding)
    return known


def _findings(model: ModelFacts, run: ExportRun, facts: Facts, known: Sequence[Outcome]) -> Iterator[Finding]:
    if run.fit == "misfit":
        yield _misfit(model, run, is_cause=has_failed(run) and not _is_told(model, run, known))
    if _is_refused(run) or (has_failed(run) and run.fit != "misfit" and not _is_told(model, run, known)):
        yield _failed(model, run, facts)
    if run.differs_unoptimized is False:
        yield _by_the_runtime(model, run)


def _is_refused(run: ExportRun) -> bool:
    """Whether the runtime does not take what the exporter wrote."""
    return run.ran is False and run.error is not None


def _is_told(model: ModelFacts, run: ExportRun, known: Sequence[Outcome]) -> bool:
    """Whether a check has found why this export failed."""
    wanted = values_of(model, run)
    return any(
        finding.values.get("model_path") == wanted["model_path"]
        and finding.values.get("exporter_id") == wanted["exporter_id"]
        for outcome in known
        for finding in outcome.findings
    )


def _failed(model: ModelFacts, run: ExportRun, facts: Facts) -> Finding:
    """An export that failed, or whose file does not run, by the words of the error."""
    hit = cause_in_error(run, facts)
    clue = Evidence("clue" if hit else "error_text", telling_line(run), run.origin)
    return Finding(
        cause=hit.cause if hit else UNKNOWN,
        severity=min(severity_of(model, run), Severity(cause_of(hit.cause).severity), key=_mildest)
        if hit
        else severity_of(model, run),
        confidence=max(hit.signature.certainty, LEAST_SURE) if hit else 0.3,
        subject=subject(model, run),
        evidence=(*about(model, run), clue),
        remedies=hit.signature.remedies if hit else (),
        values={**(hit.groups if hit else {}), **values_of(model, run)},
    )


def _mildest(severity: Severity) -> int:
    return -list(Severity).index(severity)


def _misfit(model: ModelFacts, run: ExportRun, *, is_cause: bool) -> Finding:
    """Versions that an exporter does not work with; a note where it works all the same, or was not asked for."""
    row = exporter_of(run.exporter)
    about_framework = any(need.needed.startswith(FRAMEWORKS) and need.found for need in run.unmet)
    cause = row.misfit if row else CONFLICT
    if cause == COMPANIONS and not about_framework:
        cause = CONFLICT
    package = next((f"{name} {version}" for name, version in run.versions.items()), run.exporter)
    needed = ", ".join(need.needed for need in run.unmet)
    found = ", ".join(need.found or ABSENT for need in run.unmet)
    clue = (Evidence("clue", telling_line(run), run.origin),) if is_cause else ()
    return Finding(
        cause=cause,
        severity=severity_of(model, run) if is_cause else Severity.NOTE,
        confidence=0.9 if is_cause else 0.7,
        subject=subject(model, run),
        evidence=(
            *about(model, run),
            Evidence("companion" if cause == COMPANIONS else "package", package, run.origin),
            *(
                unmet(run)
                if cause not in (CONFLICT, COMPANIONS)
                else (Evidence("needed", needed, run.origin), Evidence("found", found, run.origin))
            ),
            *clue,
        ),
        remedies=("install-required-version", "make-fresh-environment") if cause in (CONFLICT, COMPANIONS) else (),
        values={
            **values_of(model, run),
            "requirement": " ".join(need.needed for need in run.unmet),
            "package_name": package.split(" ")[0],
            **_shown(run),
        },
    )


def _shown(run: ExportRun) -> dict[str, Value]:
    """What is there, in words: what is not there is named."""
    return {"found": tuple(need.found or phrase("not-there", module=need.needed) for need in run.unmet)}


def _by_the_runtime(model: ModelFacts, run: ExportRun) -> Finding:
    """The export is right, and only what the runtime makes of it is not."""
    apart = [output for output in run.outputs or () if not output.is_rounding]
    worst = max((difference.max_abs or 0.0 for difference in apart), default=0.0)
    return Finding(
        cause=RUNTIME_BUG,
        severity=Severity.WARNING,
        confidence=0.8,
        subject=subject(model, run),
        evidence=(
            *about(model, run),
            Evidence("framework", run.runner, run.origin),
            Evidence("largest_difference", f"{worst:.3g}", run.origin),
            *((Evidence("right_with", PLAIN, run.origin),) if run.search == "optimizer" else ()),
        ),
        values=values_of(model, run),
    )
