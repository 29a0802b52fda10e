"""What any process of a case said when it failed: the user's program, the frameworks' imports, our own questions."""

from collections.abc import Iterator

from checks.analysis.failures.at_import import tried_frameworks, troubles
from checks.facts import Frameworks, ProbeRuns, ProgramRuns
from checks.facts.runs import RunStatus
from checks.knowledge.errors.import_errors import Recognised, recognise


def all_texts(
    frameworks: Frameworks | None, probes: ProbeRuns | None, runs: ProgramRuns | None
) -> Iterator[tuple[str, str, bool]]:
    """(text, origin, whether the program ended with it)."""
    for run in runs.runs if runs else ():
        ended = run.raised
        yield f"{run.errors}\n{f'{ended.type}: {ended.message}' if ended else ''}", run.origin, run.failed
    for trouble in troubles(frameworks, probes) if frameworks else ():
        yield trouble.text, trouble.origin, trouble.is_fatal
    for name, framework in tried_frameworks(frameworks, probes) if frameworks else ():
        for reason in framework.unread.values():
            yield reason, framework.origin or name, True
    for probe in probes.runs if probes else ():
        if probe.status in (RunStatus.CRASHED, RunStatus.FAILED, RunStatus.NO_ANSWER):
            yield probe.stderr_tail or "", probe.origin, True
        for stage in probe.stages:
            if stage.error is not None:
                yield f"{stage.error.type}: {stage.error.message}", probe.origin, True


def told(
    cause: str, frameworks: Frameworks | None, probes: ProbeRuns | None, runs: ProgramRuns | None
) -> tuple[Recognised, str, bool] | None:
    """The first words that show this cause: (what they say, origin, whether the program ended with it)."""
    for text, origin, is_fatal in all_texts(frameworks, probes, runs):
        words = recognise(text)
        if words is not None and words.row.cause == cause:
            return words, origin, is_fatal
    return None
