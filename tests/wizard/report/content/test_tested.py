"""What was tested, and the verdict on a question about results: untested is never called stable."""

import json
from collections.abc import Callable

import msgspec
import pytest

from checks.facts import (
    ArrayDifference,
    Experiment,
    Facts,
    Flip,
    Health,
    Measurement,
    ModelMeasured,
    Precision,
    Repeat,
    SentFile,
)
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Outcome, Severity, Status
from checks.facts.scripts import ScriptFacts, ScriptMark
from checks.judgement.coverage import is_too_short
from wizard.report.content.report import build
from wizard.report.content.tested import what_was_tested
from wizard.report.content.verdict import verdict_of
from wizard.report.prints.json_report import to_json
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal

FINE = Outcome(cause="gpu-hardware-fault", status=Status.CLEAR)
SAME = ArrayDifference(elements=3, differing=0)


def repeat(count: int = 300, distinct: int | None = 1, device: str = "cpu", **more: object) -> Repeat:
    named = Repeat(framework="torch", device=device, operation="matmul", repetitions=count, distinct=distinct)
    return msgspec.structs.replace(named, **more)


def found(cause: str, severity: Severity) -> Finding:
    return Finding(cause=cause, severity=severity, confidence=0.7)


def case_of(*measured: Measurement, findings: tuple[Finding, ...] = (), symptom: str = "results-change") -> Case:
    outcomes = (FINE, *(Outcome(cause=finding.cause, status=Status.FOUND, findings=(finding,)) for finding in findings))
    return Case(
        created="2026-11-21T09:30:00+00:00",
        answers=Answers(symptom=symptom),
        facts=Facts(measurements=measured),
        outcomes=outcomes,
        findings=findings,
    )


def test_how_sure_the_silence_is() -> None:
    (line, _seeds) = what_was_tested(case_of(repeat(), repeat(setting="deterministic", count=5)), "en")
    assert line == (
        "Operations repeated with the same input (PyTorch on cpu): 1, 300 times each. None changed; with 95 % "
        "confidence for all of them together, none does so in 1.0 % of the repetitions or more. Rarer changes are "
        "untested."
    )


@pytest.mark.parametrize(
    ("rule", "symptom", "is_said"),
    [
        pytest.param("seed-missing", "results-change", True, id="asked"),
        pytest.param("seed-missing", "does-not-start", False, id="asked-for-something-else"),
        pytest.param("tf32-setting", "results-change", False, id="a-note"),
    ],
)
def test_lines_of_the_script_stand_before_what_varied_beside_it(rule: str, symptom: str, *, is_said: bool) -> None:
    """Seen on 2026-11-24: an operation that the program has not was the only reason, above two missing seeds."""
    values = {"call": "numpy.random.normal", "seed": "numpy.random.seed"}
    mark = ScriptMark(rule=rule, file="train.py", line=13, column=17, subject="numpy", values=values)
    script = SentFile(name="train.py", kind="script", read=ScriptFacts(file="train.py", marks=(mark, mark)))
    case = case_of(repeat(10, 2), findings=(found("nondeterministic-op", Severity.WARNING),), symptom=symptom)
    case = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, scripts=(script,)))
    first, *_ = what_was_tested(case, "en")
    assert is_said is first.startswith(
        "Lines of the script that can keep its results from being repeated: 2. The first is in train.py. Line 13: "
        "numpy.random.normal draws random numbers, and nothing seeds that generator (numpy). Look there first;"
    )


def test_the_fewest_repetitions_count_and_what_changed_is_said() -> None:
    late = repeat(0, None, reason="no-time")
    first, second = what_was_tested(case_of(repeat(10, 2, device="cuda:0"), repeat(), late, late), "en")
    assert first == (
        "Operations repeated with the same input (PyTorch on cuda:0, PyTorch on cpu): 2, of which 1 gave different "
        "bits from run to run; of the others, repeated 300 times each, what changes in less than 1.3 % of the "
        "repetitions may have been missed."
    )
    assert second == "Measurements left out because the time was up: 2. A longer examination makes them."


def test_what_a_longer_examination_does_not_make_is_not_promised_of_it() -> None:
    lines = what_was_tested(case_of(repeat(), repeat(0, None, reason="process-ended")), "en")
    assert not any("longer examination" in line for line in lines)


def test_the_one_that_was_repeated_least_does_not_speak_for_all() -> None:
    often = [repeat(count) for count in (3, 90, 100, 100, 110, 300)]
    told, _seeds = what_was_tested(case_of(*often), "en")
    assert "6, 3–300 times each. None changed; with 95 % confidence for all of" in told
    assert "most do not in 5.2 % of the repetitions or more, and the one repeated least does not in 91 %" in told
    changed, *_ = what_was_tested(case_of(*often, repeat(20, 2)), "en")
    assert "7, of which 1 gave different bits from run to run; of the others, repeated 3–300 times" in changed
    assert "what changes in less than 5.4 %" in changed
    (all_changed,) = what_was_tested(case_of(repeat(20, 2)), "ja")
    assert all_changed.endswith("すべて、実行のたびにビットが変わりました。")


def test_untested_is_not_called_stable() -> None:
    untested = verdict_of(case_of(), [], "en")
    assert untested.state == "incomplete"
    assert "untested" in untested.sentence
    tested = verdict_of(case_of(repeat()), [], "en")
    assert tested.state == "clear"
    assert "300 times" in " ".join(tested.scope)
    other = verdict_of(case_of(symptom="not-on-gpu"), [], "en")
    assert other.state == "clear"  # nobody asked whether results repeat


@pytest.mark.parametrize(
    ("severities", "sentence"),
    [
        pytest.param((Severity.NOTE,), "What was seen to change here is no fault", id="a-note-explains"),
        pytest.param((Severity.WARNING,), "The result may change for this reason: T0.", id="a-warning-is-the-reason"),
    ],
)
def test_a_note_is_normal_and_a_warning_is_not(severities: tuple[Severity, ...], sentence: str) -> None:
    notes = tuple(found("batch-size-rounding", severity) for severity in severities)
    case = case_of(repeat(), findings=notes)
    assert verdict_of(case, ["T0"], "en").sentence.startswith(sentence)


def test_a_tick_is_not_given_where_only_experiments_were_repeated() -> None:
    """With only NumPy and ONNX Runtime a note on batches stood as the answer, with a tick, and nothing was repeated."""
    total = Experiment(framework="numpy", device="cpu", operation="sum-of-squares", exact=(("41",),) * 10)
    note = (found("batch-size-rounding", Severity.NOTE),)
    verdict = verdict_of(case_of(total, findings=note), ["T0"], "en")
    assert verdict.state == "incomplete"
    assert verdict.sentence.startswith("Whether results change here is not known: repeated was only a sum in NumPy")
    assert "--model" in verdict_of(case_of(total), [], "ja").sentence
    trained = msgspec.structs.replace(total, operation="small-network", steps=(0, 50))
    assert "training of a small network" in verdict_of(case_of(total, trained), [], "en").sentence
    assert verdict_of(case_of(total, repeat()), [], "en").state == "clear"


def test_a_serious_finding_about_something_else_is_not_hidden_by_a_note() -> None:
    both = (
        found("driver-too-old-for-cuda", Severity.WARNING),
        found("batch-size-rounding", Severity.NOTE),
    )
    sentence = verdict_of(case_of(repeat(), findings=both), ["Old driver", "Rounding"], "en").sentence
    assert "Old driver" in sentence


@pytest.mark.parametrize(
    ("severities", "state", "word"),
    [
        pytest.param((Severity.WARNING, Severity.BLOCKING), "warning", "Attention", id="of-the-finding-that-is-named"),
        pytest.param((None, Severity.BLOCKING), "blocking", "Something else must be fixed first", id="of-another-kind"),
        pytest.param((Severity.BLOCKING, Severity.WARNING), "blocking", "Possible cause found", id="not-sure"),
    ],
)
def test_the_badge_says_what_the_sentence_says(
    severities: tuple[Severity | None, Severity], state: str, word: str
) -> None:
    """That the cause was found stood over a sentence that names none, or another one."""
    causes = ("nondeterministic-op", "driver-too-old-for-cuda")
    pairs = zip(causes, severities, strict=True)
    findings = tuple(found(cause, severity) for cause, severity in pairs if severity is not None)
    verdict = verdict_of(case_of(repeat(), findings=findings), ["T0", "T1"][-len(findings) :], "en")
    assert (verdict.state, verdict.word) == (state, word)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_plain_question_is_asked_where_the_user_has_not_said(make_case: Callable[..., Case], language: str) -> None:
    asked = build(make_case(symptom="results-differ", exactness=""), language)
    assert asked.exactness
    assert asked.exactness != build(make_case(symptom="results-differ", exactness="bits"), language).exactness
    assert build(make_case(symptom="not-on-gpu", exactness=""), language).exactness == ""


def test_the_outcome_of_a_load_is_told_with_the_verdict() -> None:
    health = Health(framework="torch", operation="load", device="cpu", length=46.0, checked=881, bytes_checked=3 << 30)
    late = msgspec.structs.replace(health, checked=0, reason="no-time")
    (told,) = what_was_tested(case_of(health), "en")
    assert "881 results" in told
    assert "46 s of load" in told
    assert "not one bit was wrong" in told
    (counted,) = what_was_tested(case_of(late), "en")  # it is among what there was no time for
    assert "load" not in counted


def told(*measured: Measurement, symptom: str = "results-change", effort: str = "quick") -> str:
    case = msgspec.structs.replace(case_of(*measured, symptom=symptom), answers=Answers(symptom=symptom, effort=effort))
    return " ".join(what_was_tested(case, "en"))


def test_who_sees_nothing_change_is_sent_to_the_seeds() -> None:
    assert "random seeds" in told(repeat(300))
    assert "random seeds" not in told(repeat(300), symptom="results-differ")


@pytest.mark.parametrize(
    "varying",
    [repeat(300, 7), Experiment(exact=(("a",), ("b",))), ModelMeasured(distinct=2)],
    ids=["operation", "experiment", "model"],
)
def test_who_saw_something_change_is_not_sent_to_the_seeds(varying: Measurement) -> None:
    assert "random seeds" not in told(repeat(300), varying)


LATE = repeat(0, None, reason="no-time")
ERROR = Precision(against=SAME)
LATE_ERROR = Precision(reason="no-time")


@pytest.mark.parametrize(
    ("symptom", "measured", "is_short"),
    [
        pytest.param("results-change", (repeat(3), repeat(4)), True, id="few-repetitions"),
        pytest.param("results-change", (repeat(300), LATE), True, id="few-operations"),
        pytest.param("results-change", (LATE,), True, id="no-operation"),
        pytest.param("results-change", (repeat(300), repeat(300), LATE), False, id="enough"),
        pytest.param("results-change", (repeat(3, 2), repeat(3)), False, id="it-was-seen-to-change"),
        pytest.param("results-change", (), False, id="nothing-computes"),
        pytest.param("everything", (repeat(3),), True, id="everything"),
        pytest.param("everything", (), False, id="nothing-was-to-be-computed"),
        pytest.param("not-on-gpu", (repeat(3),), False, id="not-the-question"),
        pytest.param("results-differ", (ERROR, LATE_ERROR), True, id="few-comparisons"),
        pytest.param("results-differ", (ERROR, ERROR, LATE_ERROR, repeat(3)), False, id="enough-comparisons"),
    ],
)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_too_short_is_the_verdict_itself(
    symptom: str, measured: tuple[Measurement, ...], is_short: bool, language: str
) -> None:
    """What is untested is never called stable: neither the state, nor the word, nor the sentence."""
    case = case_of(*measured, symptom=symptom)
    assert is_too_short(case) is is_short
    verdict = verdict_of(case, [], language)
    short = {"en": "too short to tell", "ja": "短すぎて判断できません"}[language]
    assert (short in verdict.word.lower()) is is_short
    assert (short in verdict.sentence.lower()) is is_short
    if is_short:
        assert (verdict.state, verdict.symbol) == ("incomplete", "?")
        assert {"en": "the thorough examination", "ja": "詳細な診断"}[language] in " ".join(verdict.scope)


def test_a_note_does_not_hide_that_it_was_too_short() -> None:
    case = case_of(repeat(3), findings=(found("batch-size-rounding", Severity.NOTE),))
    assert verdict_of(case, ["T0"], "en").state == "incomplete"


def test_what_was_left_out_is_told_by_whether_it_bears_on_the_question() -> None:
    late = (repeat(0, None, reason="no-time"), *(Flip(reason="no-time") for _ in range(3)))
    assert "left out because the time was up: 4, of which 1 bear on whether" in told(repeat(300), *late)
    assert "left out because the time was up: 4. A longer" in told(repeat(300), *late, symptom="everything")


def test_nobody_is_advised_to_take_the_examination_that_this_one_is() -> None:
    assert "(standard or thorough)" in told(repeat(3), effort="quick")
    assert "standard" not in told(repeat(3), effort="standard")
    assert "thorough" in told(repeat(3), effort="standard")


def test_where_there_is_no_longer_examination_it_is_to_be_made_alone() -> None:
    assert "while nothing else computes" in told(repeat(3), effort="thorough")
    assert "longer examination" not in told(repeat(3), effort="thorough")


def test_every_print_says_that_it_was_too_short() -> None:
    case = case_of(repeat(3))
    report = build(case, "en")
    assert "too short to tell" in to_terminal(report)
    assert to_markdown(report).splitlines()[2].startswith("**? Too short to tell**")
    assert json.loads(to_json(case, "en"))["verdict"]["state"] == "incomplete"
    assert "too short to tell" in json.loads(to_json(case, "en"))["verdict"]["sentence"]


def test_a_check_that_had_nothing_to_look_at_does_not_make_a_whole_examination_incomplete() -> None:
    """As a machine with one device, of which no two were compared."""
    case = case_of(repeat(300))
    skipped = Outcome(cause="cpu-gpu-rounding", status=Status.SKIPPED, reason="not-measured")
    whole = msgspec.structs.replace(case, outcomes=(*case.outcomes, skipped))
    assert verdict_of(whole, [], "en").state == "clear"
    assert any("1 not run" in line for line in verdict_of(whole, [], "en").scope)
    broken = msgspec.structs.replace(skipped, reason="probe-failed")
    assert verdict_of(msgspec.structs.replace(case, outcomes=(FINE, broken)), [], "en").state == "incomplete"
