"""Whether each runtime of the target can run each model file: from what was tried, what was found, and the tables."""

from collections.abc import Iterator, Sequence

import msgspec
from packaging.utils import canonicalize_name
from packaging.version import Version

from checks.analysis.models.runs import FALLBACK, PROCESSOR, elsewhere, telling_line
from checks.analysis.models.runtimes import is_broken, is_installed, runtimes_of
from checks.analysis.packages.requirements import parsed
from checks.facts import Facts, FrameworkFacts, ModelFacts, ModelMeasured, ModelRun
from checks.facts.finding import Finding, Severity
from checks.facts.models.verdicts import ModelVerdict, Outcome
from checks.judgement.models.standing import by_model, is_harmful
from checks.knowledge.formats.model_formats import distributions_of

PROVIDER_UNAVAILABLE = "ort-provider-unavailable"
ENDED = ("timed-out", "too-much-memory")  # reasons of a run that we ended
_NOT_RUN = (Outcome.LOADS, Outcome.SHOULD_RUN, Outcome.UNKNOWN)
LEFT_OUT = "onnx-runtime-op-unimplemented"
# Of two programs that are one, the one to name where both are installed.
INSTEAD = {"tensorflow": ("keras", "keras-")}


def verdicts(facts: Facts, findings: Sequence[Finding]) -> tuple[ModelVerdict, ...]:
    """One verdict per model file and runtime that reads its format; none where there is no target to judge."""
    if facts.target_interpreter is None:
        return ()
    found = by_model(findings)
    general = found.get("", ())
    return tuple(
        outcome for model in facts.models for outcome in _of_model(model, facts, (*found.get(model.path, ()), *general))
    )


def _of_model(model: ModelFacts, facts: Facts, findings: Sequence[Finding]) -> Iterator[ModelVerdict]:
    target = facts.target_interpreter
    if target is None:
        return
    for runtime in _runtimes(model, facts):
        if not distributions_of(runtime):
            yield ModelVerdict(model=model.path, runtime=runtime, outcome=Outcome.UNKNOWN, reason="not-in-python")
        elif not is_installed(runtime, target):
            reason = "packages-unread" if target.packages is None else ""
            outcome = Outcome.UNKNOWN if reason else Outcome.NOT_INSTALLED
            yield ModelVerdict(model=model.path, runtime=runtime, outcome=outcome, reason=reason)
        else:
            mine = [finding for finding in findings if _is_about(finding, runtime)]
            verdict = _by_runs(model, runtime, mine) or _by_tables(model, runtime, facts, mine)
            if verdict.outcome in _NOT_RUN and _was_run(model, runtime, facts):
                verdict = msgspec.structs.replace(verdict, outcome=Outcome.RUNS, reason="")
            yield msgspec.structs.replace(verdict, version=_version(runtime, facts))


def _was_run(model: ModelFacts, runtime: str, facts: Facts) -> bool:
    """Whether a model that a trial only loads was run after all: repeated, or beside an export."""
    repeated = any(
        isinstance(run, ModelMeasured) and (run.path, run.framework) == (model.path, runtime) and run.distinct
        for run in facts.measurements
    )
    return repeated or (runtime == "torch" and any(export.repeats is not None for export in model.exports))


def _runtimes(model: ModelFacts, facts: Facts) -> Iterator[str]:
    """What reads the format, what was tried all the same, and of two that are one only the one that is installed."""
    target = facts.target_interpreter
    named = dict.fromkeys((*runtimes_of(model), *(run.runtime for run in model.runs)))
    for runtime in named:
        other, formats = INSTEAD.get(runtime, ("", "-"))
        if other in named and (model.format or "").startswith(formats) and target and is_installed(other, target):
            continue
        yield runtime


def _is_about(finding: Finding, runtime: str) -> bool:
    """Whether a finding about a model, or about none, concerns it in this runtime."""
    if not finding.values.get("model_path"):
        return finding.cause == PROVIDER_UNAVAILABLE and runtime == "onnxruntime"
    return finding.values.get("runtime") in (runtime, "", None)


def _version(runtime: str, facts: Facts) -> str:
    known = dict(facts.frameworks.each()).get(runtime) if facts.frameworks else None
    if isinstance(known, FrameworkFacts) and known.version:
        return known.version
    target = facts.target_interpreter
    package = target.package(*distributions_of(runtime)) if target else None
    return package.version if package else ""


def _by_runs(model: ModelFacts, runtime: str, findings: Sequence[Finding]) -> ModelVerdict | None:
    """The verdict of the runs; None where nothing was tried, or nothing came of it."""
    runs = [run for run in model.runs if run.runtime == runtime]
    ran = [run for run in runs if run.ran]
    if ran:
        return _of_ran(model, runs, ran, findings)
    failed = next((run for run in runs if run.ran is False or run.loaded is False), None)
    if failed is not None:
        return _verdict(model, failed, Outcome.DOES_NOT_RUN, findings)
    loaded = next((run for run in runs if run.loaded), None)
    if loaded is not None:
        return _verdict(model, loaded, Outcome.LOADS, ())
    ended = next((run for run in runs if run.reason in ENDED), None)
    return _verdict(model, ended, Outcome.UNKNOWN, ()) if ended is not None else None


def _of_ran(
    model: ModelFacts, runs: Sequence[ModelRun], ran: Sequence[ModelRun], findings: Sequence[Finding]
) -> ModelVerdict:
    """On which device it ran, and whether all of it did."""
    wanted = [run for run in runs if run.setting not in PROCESSOR]
    on_devices = [run for run in ran if run in wanted and run.reason != "provider-dropped"]
    if not wanted:
        outcome = Outcome.RUNS
        if ran[0].runtime == "onnxruntime" and any(finding.cause == PROVIDER_UNAVAILABLE for finding in findings):
            outcome = Outcome.RUNS_WITH_FALLBACK  # the machine has a device, and its provider does not start
        return _verdict(model, ran[0], outcome, findings)
    if not on_devices:  # each device refused it, and the processor ran it
        refused = next((run for run in wanted if run.error is not None or run.reason), wanted[0])
        verdict = _verdict(model, refused, Outcome.RUNS_WITH_FALLBACK, findings)
        return msgspec.structs.replace(verdict, shares=ran[0].shares or ())
    best = min(on_devices, key=lambda run: run.seconds if run.seconds is not None else float("inf"))
    is_whole = elsewhere(best) < FALLBACK
    return _verdict(model, best, Outcome.RUNS if is_whole else Outcome.RUNS_WITH_FALLBACK, findings)


def _verdict(model: ModelFacts, run: ModelRun, outcome: Outcome, findings: Sequence[Finding]) -> ModelVerdict:
    error = "" if run.error is None or run.ran else telling_line(run)
    return ModelVerdict(
        model=model.path,
        runtime=run.runtime,
        outcome=outcome,
        setting=run.setting,
        cause=_cause(run, outcome, findings),
        reason=run.reason,
        memory_limit=run.memory_limit,
        error=error,
        shares=run.shares or (),
    )


def _cause(run: ModelRun, outcome: Outcome, findings: Sequence[Finding]) -> str:
    """The finding that says why: the one that this very run gave, else one that can be the reason."""
    own = [finding for finding in findings if finding.values.get("setting") == run.setting]
    if outcome is Outcome.DOES_NOT_RUN:
        others = [finding for finding in findings if finding.severity is Severity.BLOCKING]
    elif outcome is Outcome.RUNS_WITH_FALLBACK:
        others = [finding for finding in findings if finding.cause in (PROVIDER_UNAVAILABLE, LEFT_OUT)]
    else:
        return ""
    found = [*sorted(own, key=_gravest), *sorted(others, key=_gravest)]
    return found[0].cause if found else ""


def _gravest(finding: Finding) -> tuple[int, float]:
    return list(Severity).index(finding.severity), -finding.confidence


def _by_tables(model: ModelFacts, runtime: str, facts: Facts, findings: Sequence[Finding]) -> ModelVerdict:
    """What is known of a runtime in which the model was not tried."""
    skipped = next((run.reason for run in model.runs if run.runtime == runtime and run.reason), "")
    verdict = ModelVerdict(model=model.path, runtime=runtime, outcome=Outcome.SHOULD_RUN, reason=skipped)
    if any(map(is_harmful, findings)):
        return msgspec.structs.replace(verdict, outcome=Outcome.UNKNOWN, reason="dangerous")
    against = sorted((finding for finding in findings if finding.severity is Severity.BLOCKING), key=_gravest)
    if against:
        return msgspec.structs.replace(verdict, outcome=Outcome.DOES_NOT_RUN, cause=against[0].cause)
    if skipped == "runtime-broken" or is_broken(runtime, facts):
        return msgspec.structs.replace(verdict, outcome=Outcome.DOES_NOT_RUN, reason="runtime-broken")
    unmet = next(_unmet(model, runtime, facts), "")
    if unmet:
        return msgspec.structs.replace(verdict, outcome=Outcome.DOES_NOT_RUN, reason="needs-version", error=unmet)
    if model.problem:
        return msgspec.structs.replace(verdict, outcome=Outcome.UNKNOWN, reason="not-read")
    if skipped in ("weights-alone", "dangerous"):
        return msgspec.structs.replace(verdict, outcome=Outcome.UNKNOWN)
    return verdict


def _unmet(model: ModelFacts, runtime: str, facts: Facts) -> Iterator[str]:
    """What the file asks of the runtime and its version does not meet ("torch>=2.8")."""
    names = {runtime, *distributions_of(runtime)}
    for line in model.needs.frameworks:
        wish = parsed(line)
        if wish is None or canonicalize_name(wish.name) not in names:
            continue
        try:
            is_met = wish.specifier.contains(Version(_version(runtime, facts)), prereleases=True)
        except ValueError:  # no version, or a number longer than Python converts
            continue
        if not is_met:
            yield line
