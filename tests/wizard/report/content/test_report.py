"""The report says what is known, and never more: not run is not passed."""

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import checks
from checks.facts import (
    ErrorText,
    Facts,
    InterpreterFacts,
    MachineFacts,
    OsFacts,
    ProbeRun,
    ProbeRuns,
    SentFile,
    StageRun,
)
from checks.facts.case import Answers, Case
from checks.facts.finding import Evidence, Finding, Outcome, Severity, Status
from checks.judgement.judge import judged
from checks.readers.tickets.other_machine import machine_of
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from wizard.flow import SYMPTOMS
from wizard.report.content.report import Report, build, moment
from wizard.report.prints.json_report import to_json
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.reply import to_reply
from wizard.report.prints.terminal import to_terminal
from wizard.words import area, words


def outcome(status: Status, reason: str = "", **values: str) -> Outcome:
    return Outcome(cause="driver-too-old-for-cuda", status=status, reason=reason, values=values, detail="boom")


CLEAR = outcome(Status.CLEAR)


def found(severity: Severity, confidence: float = 0.9) -> Outcome:
    values = {"framework": "torch 2.6.0", "cuda_version": "12.4", "driver_min": "525", "driver_version": "470"}
    evidence = tuple(Evidence(name, value) for name, value in values.items())
    finding = Finding(cause="driver-too-old-for-cuda", severity=severity, confidence=confidence, evidence=evidence)
    return Outcome(cause=finding.cause, status=Status.FOUND, findings=(finding,))


def case_of(*outcomes: Outcome, symptom: str = "not-on-gpu", complete: bool = True) -> Case:
    findings = tuple(finding for ended in outcomes for finding in ended.findings)
    return Case(
        created="2026-11-21T09:30:00+00:00",
        answers=Answers(symptom=symptom),
        facts=Facts(machine=MachineFacts(os=OsFacts(system="Linux"))),
        outcomes=outcomes,
        findings=findings,
        complete=complete,
    )


@pytest.mark.parametrize(
    ("outcomes", "complete", "state"),
    [
        pytest.param((found(Severity.BLOCKING), outcome(Status.CLEAR)), True, "blocking", id="blocking"),
        pytest.param((found(Severity.BLOCKING),), False, "blocking", id="blocking-although-cancelled"),
        pytest.param((found(Severity.WARNING),), True, "warning", id="warning"),
        pytest.param((found(Severity.NOTE), outcome(Status.CLEAR)), True, "clear", id="a-note-is-clear"),
        pytest.param((outcome(Status.CLEAR),), True, "clear", id="clear"),
        pytest.param(
            (CLEAR, outcome(Status.INCONCLUSIVE, "unread", field="driver_version")), True, "clear", id="open-question"
        ),
        pytest.param(
            (CLEAR, outcome(Status.SKIPPED, "not-installed", fact="jax")), True, "clear", id="nothing-to-check"
        ),
        pytest.param(
            (CLEAR, outcome(Status.SKIPPED, "probe-failed", fact="torch")), True, "incomplete", id="a-probe-failed"
        ),
        pytest.param((outcome(Status.CLEAR), outcome(Status.CRASHED)), True, "incomplete", id="our-own-crash"),
        pytest.param((outcome(Status.CLEAR),), False, "incomplete", id="cancelled"),
        pytest.param((outcome(Status.SKIPPED, "not-collected", fact="torch"),), True, "nothing-run", id="nothing-ran"),
        pytest.param((), True, "nothing-run", id="nothing-at-all"),
    ],
)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_state(outcomes: tuple[Outcome, ...], complete: bool, state: str, language: str) -> None:
    verdict = build(case_of(*outcomes, complete=complete), language).verdict
    assert verdict.state == state
    assert verdict.sentence
    assert verdict.symbol in "×!✓?–"


@pytest.mark.parametrize(
    ("severity", "confidence", "state", "begins"),
    [
        pytest.param(Severity.BLOCKING, 0.9, "blocking", "The cause: ", id="sure"),
        pytest.param(Severity.WARNING, 0.7, "warning", "Probably the cause: ", id="likely"),
        pytest.param(Severity.NOTE, 0.9, "note", "The cause: ", id="nothing-to-mend"),
        pytest.param(Severity.BLOCKING, 0.7, "blocking", "Probably the cause: ", id="likely-and-blocking"),
        pytest.param(Severity.BLOCKING, 0.4, "incomplete", "A possible cause", id="a-hint"),
    ],
)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_verdict_on_a_ticket_is_its_likeliest_cause(
    severity: Severity, confidence: float, state: str, begins: str, language: str
) -> None:
    case = case_of(found(severity, confidence), found(Severity.BLOCKING, 0.05), symptom="ticket")
    first, second = (outcome.findings[0] for outcome in case.outcomes)
    case = msgspec.structs.replace(case, facts=Facts(reported=True), findings=(first, second))
    verdict = build(case, language).verdict
    assert verdict.state == state
    assert "torch 2.6.0" in verdict.sentence
    assert language == "ja" or verdict.sentence.startswith(begins)
    assert ("Cause found" in verdict.word) is (state == "blocking" and begins == "The cause: " and language == "en")


def test_a_text_that_tells_nothing_is_no_reason_why_something_fails_here() -> None:
    clue = Evidence("clue", "It does not work.", "error.log", lines=(1,))
    finding = Finding(cause="unknown", severity=Severity.BLOCKING, confidence=0.7, evidence=(clue,))
    verdict = build(case_of(Outcome(cause="unknown", status=Status.FOUND, findings=(finding,))), "en").verdict
    assert verdict.sentence == "Neither the text nor what was examined here shows the cause."


def test_a_ticket_that_tells_nothing_has_no_cause_found() -> None:
    verdict = build(judged(read_ticket(pasted("It does not work.")), Answers(symptom="ticket")), "en").verdict
    assert (verdict.state, verdict.word) == ("incomplete", "Not decided")
    assert "does not tell the cause" in verdict.sentence


TOLD = "The longer it runs the slower it gets. When the machine has rested over night it is quick again for a while."
SHOWN = "slow after some minutes\n        HW Thermal Slowdown               : Active\n"


@pytest.mark.parametrize(("text", "says"), [(TOLD, "No line of the text shows this"), (SHOWN, "The text describes")])
def test_what_only_the_words_of_a_ticket_suggest_is_not_said_to_stand_there(text: str, says: str) -> None:
    finding = build(judged(read_ticket(pasted(text)), Answers(symptom=TICKET)), "en").findings[0]
    assert finding.cause == "gpu-throttled"
    assert finding.why.startswith(says)
    assert bool(finding.evidence) is (text == SHOWN)


THREE = ("framework-cpu-only-build", "driver-not-loaded", "gpu-throttled")


def hinted(*confidences: float, causes: tuple[str, ...] = THREE) -> Report:
    """A ticket whose causes the text only hints at, with these confidences."""
    line = Evidence("clue", "torch.cuda.is_available() is False", "ticket.txt", lines=(2,))
    findings = tuple(
        Finding(cause=cause, severity=Severity.BLOCKING, confidence=confidence, evidence=(line,))
        for cause, confidence in zip(causes, confidences, strict=False)
    )
    facts = Facts(reported=True, logs=(pasted("torch.cuda.is_available() is False"),))
    outcome_of = (Outcome(cause=finding.cause, status=Status.FOUND, findings=(finding,)) for finding in findings)
    case = Case(
        created="2026-11-21T09:30:00+00:00",
        answers=Answers(symptom=TICKET),
        facts=facts,
        outcomes=tuple(outcome_of),
        findings=findings,
    )
    return build(case, "en")


def test_of_a_mere_hint_no_line_is_said_to_show_it() -> None:
    weak, sure = hinted(0.4).findings[0], hinted(0.7).findings[0]
    assert weak.why == "Lines of the text can come from this, but from other causes as well."
    assert sure.why != weak.why


def test_the_answer_does_not_say_that_lines_show_a_mere_hint() -> None:
    weak, sure = to_reply(hinted(0.4)), to_reply(hinted(0.7))
    shown, hint = words("report.reply-shown-by", "en"), words("report.reply-lines", "en")
    assert hint in weak
    assert shown not in weak
    assert shown in sure
    assert hint not in sure


def test_the_summary_has_the_number_of_a_step_beside_its_text() -> None:
    lines = [line.strip() for line in to_terminal(hinted(0.6)).splitlines()]
    assert "1." not in lines
    assert any(line.startswith("1. The present build must go first") for line in lines)


def test_a_mere_hint_behind_the_first_is_named_without_what_to_do() -> None:
    report = hinted(0.25, 0.2, 0.31)
    assert [bool(finding.remedies) for finding in report.shown] == [True, False, True]
    assert all(finding.remedies for finding in report.findings)
    assert [finding.is_hint for finding in report.shown] == [False, True, False]
    assert words("report.no-remedy", "en") not in to_markdown(report)


def test_behind_a_cause_it_is_not_said_that_no_cause_is_known() -> None:
    """What the one that is named wants to know is asked all the same."""
    report = hinted(0.6, 0.3, causes=("driver-regression", "unknown"))
    assert [finding.cause for finding in report.shown] == ["driver-regression"]
    assert {*report.findings[0].questions} & {*report.questions}
    open_ended = hinted(0.6, 0.3, causes=("unknown", "gpu-throttled"))
    assert [finding.cause for finding in open_ended.shown] == ["unknown", "gpu-throttled"]


def test_the_summary_of_a_ticket_quotes_its_lines_and_says_what_to_ask() -> None:
    report = hinted(0.6)
    summary = to_terminal(report)
    assert "  > torch.cuda.is_available() is False" in summary
    assert all(f"  - {question}" in summary for question in report.questions)
    assert report.questions


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("symptom", SYMPTOMS)
@pytest.mark.parametrize("confidence", [0.95, 0.5])
def test_every_symptom_has_its_sentences(symptom: str, language: str, confidence: float) -> None:
    serious = build(case_of(found(Severity.BLOCKING, confidence), symptom=symptom), language).verdict
    clear = build(case_of(outcome(Status.CLEAR), symptom=symptom), language).verdict
    assert "torch 2.6.0" in serious.sentence
    assert "torch" not in clear.sentence


def test_a_cause_of_another_kind_is_not_sold_as_the_explanation() -> None:
    verdict = build(case_of(found(Severity.BLOCKING), symptom="results-change"), "en").verdict
    assert verdict.sentence.startswith("Nothing was found that explains the symptom itself")


def test_the_five_endings_are_five_lists() -> None:
    report = build(
        case_of(
            found(Severity.WARNING),
            outcome(Status.CLEAR),
            outcome(Status.INCONCLUSIVE, "unread", field="driver_version", why="timeout"),
            outcome(Status.SKIPPED, "not-collected", fact="nvidia"),
            outcome(Status.SKIPPED, "not-on-this-system", fact="apple"),
            outcome(Status.CRASHED),
        ),
        "en",
    )
    assert [len(part) for part in (report.findings, report.fine, report.undecided, report.crashed)] == [1, 1, 1, 1]
    assert report.undecided[0].detail == "Driver version could not be read (timeout)"
    assert [group.applies for group in report.not_run] == [True, False]
    assert all(
        statement.startswith("Not confirmed: ") for statement in report.not_run[0].statements
    )  # for who only skims
    assert not any(statement.startswith("Not confirmed: ") for statement in report.not_run[1].statements)
    assert report.crashed[0].detail == "boom"
    assert report.verdict.scope[-1] == (
        "Checks: 2 decided, 1 left open, 1 not run, 1 not applicable here, 1 failed by our own error."
    )


@pytest.mark.parametrize(
    ("found_by", "says"),
    [
        pytest.param(("PATH",), "Examined: /venv/bin/python", id="the-user-s"),
        pytest.param(("naosu",), "No Python environment of yours was checked", id="our-own"),
        pytest.param(("naosu", "chosen"), "Examined: /venv/bin/python", id="our-own-when-chosen"),
    ],
)
def test_the_verdict_names_what_was_examined(found_by: tuple[str, ...], says: str) -> None:
    target = InterpreterFacts(path="/venv/bin/python", found_by=found_by)
    case = judged(Facts(interpreters=(target,), target=target.path), Answers())
    assert build(case, "en").verdict.scope[0].startswith(says)


def test_what_was_given_but_not_judged_is_said_beside_the_verdict() -> None:
    facts = Facts(logs=(SentFile(name="error.log", kind="log", text="RuntimeError"),))
    assert "did not judge" in build(judged(facts, Answers()), "en").verdict.scope[-1]


def test_a_real_case(case: Case) -> None:
    report = build(case, "en")
    assert report.verdict.state == "blocking"
    (finding,) = (view for view in report.findings if view.cause == "driver-too-old-for-cuda")
    assert finding.title == "The NVIDIA driver is too old for torch 2.6.0+cu124"
    assert finding.severity_word == "Blocking"
    assert finding.confidence_words == "almost certain (95 %)"
    assert (finding.evidence[0].label, finding.evidence[0].value) == ("Driver version", "470.256.02")
    assert finding.remedies
    assert report.exactness.startswith("You asked for the same bits")
    assert [(row.name, row.is_trouble, row.is_slow) for row in report.probes] == [
        ("PyTorch", False, False),
        ("JAX", True, True),
    ]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_facts_have_units_and_say_what_was_not_read(case: Case, language: str) -> None:
    rows = {row.label: row for section in build(case, language).facts for row in section.rows}
    names = area("facts")
    assert rows[names["memory_total_main"].of(language)].value == "62.1 GiB"
    assert rows[names["temperature"].of(language)].value == "41 °C"
    assert rows[names["power"].of(language)].value == "24 W"
    ecc = rows[names["ecc_enabled"].of(language)]
    assert ecc.is_unread
    assert "NVML_ERROR_NOT_SUPPORTED" in ecc.value


def test_notes_tell_how_the_case_came_about(make_case: Callable[..., Case]) -> None:
    case = msgspec.structs.replace(make_case(complete=False), newer=True, naosu="9.9")
    notes = " ".join(build(case, "en").notes)
    assert "newer format" in notes
    assert "judged again" in notes
    assert "cancelled" in notes
    assert not build(make_case(), "en").notes


def test_without_a_machine_it_says_so(make_case: Callable[..., Case]) -> None:
    report: Report = build(make_case(only=Facts()), "en")
    assert "No machine was examined" in report.notes[0]
    assert report.verdict.state in ("nothing-run", "incomplete")


def test_a_moment_that_is_none_is_shown_as_it_came() -> None:
    for odd in ("yesterday", "", "9999-12-31T23:59:59-10:00", "0001-01-01T00:00:00+10:00"):
        assert moment(odd, "en") == odd
    assert moment("2026-11-21T18:30:00+09:00", "ja") == "2026年11月21日 09:30 (UTC)"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not take another zone from the environment")
def test_the_time_is_the_readers_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert moment("2026-11-21T00:30:00+00:00", "en") == "2026-11-21 09:30 UTC+09:00"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_answers_that_this_version_does_not_know(make_case: Callable[..., Case], language: str) -> None:
    known = make_case()
    strange = Answers(symptom="smells-burnt", exactness="perfect", effort="heroic")
    assert known.facts.probes is not None
    run = msgspec.structs.replace(known.facts.probes.runs[0], status="evaporated")
    facts = msgspec.structs.replace(known.facts, probes=ProbeRuns(runs=(run,)))
    report = build(msgspec.structs.replace(known, answers=strange, facts=facts), language)
    assert {"smells-burnt", "perfect", "heroic"} <= {value for _, value in report.meta}
    assert report.probes[0].status == "evaporated"
    assert report.verdict.sentence


def test_a_measurement_that_failed_as_a_whole_is_told_with_the_probe() -> None:
    failed = StageRun(name="precision", ended=True, error=ErrorText(type="ImportError", message="no such name"))
    made = StageRun(name="repeat", ended=True)
    runs = (
        ProbeRun(probe="computations:torch:cpu", status="ok", stages=(made, failed)),
        ProbeRun(probe="torch", status="ok", stages=(msgspec.structs.replace(failed, name="xformers"),)),
    )
    computing, other = build(judged(Facts(probes=ProbeRuns(runs=runs)), Answers()), "en").probes
    assert computing.is_trouble
    assert computing.detail == 'at step "measuring the precision", ImportError: no such name'
    assert (other.is_trouble, other.detail) == (False, "")


def test_no_label_is_unused() -> None:
    """A label names an evidence of a check, a fact, or a probe: whatever stands as a word in their source."""
    sources = [path.read_text(encoding="utf-8") for path in Path(checks.__file__).parent.rglob("*.py")]
    said = set(re.findall(r"\w+", "\n".join(sources)))
    assert not {key for key in area("fields") if key not in said}


CPU_ONLY = "AssertionError: Torch not compiled with CUDA enabled\nOS: {system}\n"


@pytest.mark.parametrize(("system", "is_of_here"), [("Ubuntu 22.04", True), ("Windows 11", False)])
def test_what_another_machines_text_shows_is_not_mended_here(system: str, is_of_here: bool) -> None:
    here = InterpreterFacts(path="/home/user/naosu/bin/python", version="3.11.7")
    text = SentFile(name="error.txt", kind="log", text=CPU_ONLY.format(system=system))
    os = OsFacts(system="Linux", distribution="ubuntu")
    facts = Facts(machine=MachineFacts(os=os), interpreters=(here,), target=here.path, logs=(text,))
    report = build(judged(facts, Answers()), "en")
    best = next(finding for finding in report.findings if finding.cause == "framework-cpu-only-build")
    assert best.remedies
    assert any(here.path in step.code for plan in best.remedies for step in plan.steps) is is_of_here


def test_what_a_check_saw_is_mended_here_whatever_a_text_tells() -> None:
    both = Evidence("clue", "the driver is too old", "error.txt", "", (1,))
    (seen,) = found(Severity.BLOCKING).findings
    here = Facts(target="/here/python")
    there = {"error.txt": Facts(reported=True)}
    assert machine_of(seen, here, there) is here
    assert machine_of(msgspec.structs.replace(seen, evidence=(*seen.evidence, both)), here, there) is here
    assert machine_of(msgspec.structs.replace(seen, evidence=(both,)), here, there) is there["error.txt"]
    assert machine_of(msgspec.structs.replace(seen, evidence=(both,)), here, {}) is here


def test_nothing_is_told_of_a_ticket_that_it_does_not_tell() -> None:
    told = "OS: Windows 11\nGPU: RTX 3060\nPython version: 3.11.7\ntorch 2.7.1+cu128"
    report = build(judged(read_ticket(pasted(told)), Answers(symptom="ticket")), "en")
    shown = {f"{row.label}: {row.value}" for section in report.facts for row in section.rows}
    assert {finding for finding in shown if finding.endswith(": none")} == set()
    assert not any("AMD64" in finding for finding in shown)


def test_what_is_all_but_ruled_out_is_in_the_json_alone() -> None:
    text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    case = judged(read_ticket(pasted(text)), Answers(symptom=TICKET))
    weak = msgspec.structs.replace(case.findings[0], cause="driver-state-lost", confidence=0.03)
    case = msgspec.structs.replace(case, findings=(*case.findings[:1], weak))
    report = build(case, "en")
    assert [finding.cause for finding in report.shown] == ["gpu-out-of-memory"]
    title = report.findings[1].title
    assert title not in to_terminal(report) + to_markdown(report)
    assert title in to_json(case, "en").decode()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nobody_is_sure_of_an_unknown_cause(language: str) -> None:
    (finding, *_) = build(judged(read_ticket(pasted("it does not work")), Answers(symptom=TICKET)), language).findings
    assert finding.cause == "unknown"
    assert "%" not in finding.confidence_words


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_note_that_explains_a_ticket_is_not_nothing(language: str) -> None:
    text = "The same image scores 0.83412 alone and 0.83407 in a batch of 32. model.eval() is set. Is this a bug?"
    report = build(judged(read_ticket(pasted(text)), Answers(symptom=TICKET)), language)
    assert report.findings[0].cause == "batch-size-rounding"
    assert report.verdict.word == area("report")["verdict-word-normal"].of(language)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_two_findings_with_one_title_are_told_apart_by_their_framework(language: str) -> None:
    """PyTorch and NumPy both compute a row otherwise in a batch; of one alone the framework is no part of the title."""
    both = tuple(
        Finding(
            cause="batch-size-rounding",
            severity=Severity.NOTE,
            confidence=0.9,
            subject=framework,
            values={"framework": framework},
        )
        for framework in ("numpy", "torch")
    )
    first, second = build(case_of(Outcome(cause=both[0].cause, status=Status.FOUND, findings=both)), language).findings
    assert {first.title[:7], second.title[:9]} == {"NumPy: ", "PyTorch: "}
    (alone,) = build(case_of(Outcome(cause=both[0].cause, status=Status.FOUND, findings=both[:1])), language).findings
    assert "NumPy" not in alone.title
