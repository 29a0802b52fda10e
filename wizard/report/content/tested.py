"""What was repeated, and how sure its silence is: a clean result is worth as much as its repetitions. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checks.analysis.gpu.load import device_name, loads
from checks.analysis.numbers.power import excluded_rate, reach, rounded_up
from checks.analysis.scripts.words import text_of
from checks.facts import Experiment, Measurements, ModelMeasured, Repeat
from checks.facts.case import Case
from checks.facts.question import SymptomName
from checks.judgement.coverage import is_conclusive, is_too_short, marked_lines, repeats_by_default, varies
from wizard.report.content.fact_sheet import place_of
from wizard.report.content.measured.health import outcome_of_load
from wizard.report.content.measured.line import framework_name
from wizard.report.content.measured.words import from_to
from wizard.words import words

_OF_REPEATING = (Repeat, Experiment, ModelMeasured)  # measurements that show whether results change
_NO_TIME = "no-time"  # what a longer examination makes good, unlike a process that ended
_ADVICE = {"standard": "longest", "thorough": "again-alone"}  # a shorter examination than this one helps nobody


def what_was_tested(case: Case, language: str) -> tuple[str, ...]:
    """What was repeated and how rare a change could have stayed unseen; what was left out; each load.

    First, what was read in a script of results that change. Where nothing changed: that it was too short to tell, if
    it was, and where else a change comes from.
    """
    return (
        *_if_marked(case, language),
        *_lines(case, language),
        *_if_all_repeated(case, language),
        *_loads(case, language),
    )


def _if_marked(case: Case, language: str) -> Iterator[str]:
    """For somebody whose results change: what was read in his script, before what was measured beside it."""
    marks = marked_lines(case) if case.answers.symptom == SymptomName.RESULTS_CHANGE else []
    if marks:
        first = marks[0]
        values = {"file": first.file, "place": place_of(first, language), "title": text_of(first, language).title}
        yield words("report.tested-script-marked", language, count=len(marks), **values)


def _lines(case: Case, language: str) -> Iterator[str]:
    measurements = case.facts.measurements
    is_everything = case.answers.symptom == SymptomName.EVERYTHING
    if is_everything and not measurements and case.facts.missing.get("measurements") == "not-asked":
        yield words("report.tested-not-asked", language)
    repeats = [repeat for repeat in repeats_by_default(measurements) if is_conclusive(repeat)]
    if repeats:
        yield _repeated(repeats, language)
    left_out = [measurement for measurement in measurements if measurement.reason == _NO_TIME]
    asked = [measurement for measurement in left_out if isinstance(measurement, _OF_REPEATING)]
    if left_out:
        is_beside = case.answers.symptom == SymptomName.RESULTS_CHANGE and len(asked) < len(left_out)
        key = "report.tested-left-out-beside" if is_beside else "report.tested-left-out"
        yield words(key, language, count=len(left_out), asked=len(asked))


def _if_all_repeated(case: Case, language: str) -> Iterator[str]:
    """For somebody who sees a trouble that did not show itself here."""
    if is_too_short(case):
        about = "-compared" if case.answers.symptom == "results-differ" else ""
        advice = _ADVICE.get(case.answers.effort, "longer")
        sentences = (words(f"report.tested-{key}", language) for key in (f"too-short{about}", advice))
        yield words("report.sentence-separator", language).join(sentences)
    is_asked = case.answers.symptom == "results-change" and any(
        map(is_conclusive, repeats_by_default(case.facts.measurements))
    )
    if is_asked and not any(map(varies, case.facts.measurements)):
        yield words("report.tested-look-at-seeds", language)


def _loads(case: Case, language: str) -> Iterator[str]:
    cpu = case.facts.machine.cpu if case.facts.machine else None
    for load in loads(Measurements(all=case.facts.measurements)):
        if not load.is_left_out:
            yield outcome_of_load(load, device_name(load, case.facts.frameworks, cpu), language)


def _repeated(repeats: Sequence[Repeat], language: str) -> str:
    """How many operations changed; of the others, how rare a change could have stayed unseen."""
    places = dict.fromkeys((repeat.framework, repeat.device) for repeat in repeats)
    named = (
        words("measurements.computing", language, framework=framework_name(f, language), device=d) for f, d in places
    )
    varying = sum(not repeat.is_alike for repeat in repeats)
    values: dict[str, object] = {
        "count": len(repeats),
        "places": words("report.list-separator", language).join(named),
        "varying": varying,
    }
    same = reach(repeat.repetitions for repeat in repeats if repeat.is_alike)
    if same is None:
        return words("report.tested-varying-all", language, **values)
    among = len(repeats)
    median_rate, worst = (rounded_up(excluded_rate(count, among=among) or 1.0) for count in (same.usual, same.fewest))
    return words(
        f"report.tested-{'varying' if varying else 'same'}{'' if median_rate == worst else '-most'}",
        language,
        times=from_to(same.fewest, same.most, language),
        percent=median_rate,
        worst=worst,
        **values,
    )
