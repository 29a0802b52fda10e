"""What a case comes to as a whole, before anything words it."""

import pytest
from msgspec.structs import replace

from checks.facts import Facts, InterpreterFacts, Portrait, ProgramRun, SentFile, Symptom
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Outcome, Severity, Status
from checks.facts.scripts import ScriptFacts, ScriptMark
from checks.judgement.headline import headline
from checks.judgement.models.standing import Standing
from checks.judgement.verdict import decide, decide_models, decide_ticket

FINE = Outcome(cause="gpu-hardware-fault", status=Status.CLEAR)


def found(cause: str = "driver-too-old-for-cuda", severity: str = "blocking", confidence: float = 0.95) -> Finding:
    return Finding(cause=cause, severity=Severity(severity), confidence=confidence)


def case_of(
    *findings: Finding, facts: Facts | None = None, outcomes: tuple[Outcome, ...] = (FINE,), **more: bool
) -> Case:
    seen = tuple(Outcome(cause=finding.cause, status=Status.FOUND, findings=(finding,)) for finding in findings)
    answers = Answers(symptom="not-on-gpu")
    return Case(
        created="", answers=answers, facts=facts or Facts(), outcomes=(*outcomes, *seen), findings=findings, **more
    )


IDLE = ProgramRun(end="running", seconds=15.0, processor=0.001, waits_for=("lock",))


@pytest.mark.parametrize(
    ("case", "state", "sentence"),
    [
        pytest.param(case_of(found()), "blocking", "found-not-on-gpu", id="blocking"),
        pytest.param(case_of(), "clear", "clear-not-on-gpu", id="nothing-found"),
        pytest.param(case_of(outcomes=()), "nothing-run", "nothing-run", id="nothing-decided"),
        pytest.param(case_of(complete=False), "incomplete", "incomplete-cancelled", id="cancelled"),
        pytest.param(
            case_of(outcomes=(FINE, Outcome(cause="c", status=Status.SKIPPED, reason="probe-failed"))),
            "incomplete",
            "incomplete",
            id="could-not-run",
        ),
        pytest.param(
            case_of(outcomes=(FINE, Outcome(cause="c", status=Status.SKIPPED, reason="not-installed"))),
            "clear",
            "clear-not-on-gpu",
            id="nothing-to-check",
        ),
    ],
)
def test_an_examination(case: Case, state: str, sentence: str) -> None:
    decision = decide(case, headline(case.facts, case.findings, "not-on-gpu", ""), "not-on-gpu")
    assert (decision.state, decision.word, decision.sentence) == (state, state, sentence)


@pytest.mark.parametrize(("finders", "is_ours"), [(("naosu",), True), (("naosu", "chosen"), False), (("PATH",), False)])
def test_nothing_is_in_order_where_only_our_own_python_was_looked_at(finders: tuple[str, ...], is_ours: bool) -> None:
    target = InterpreterFacts(path="/naosu/bin/python", found_by=finders)
    case = case_of(facts=Facts(interpreters=(target,), target=target.path))
    decision = decide(case, headline(case.facts, (), "not-on-gpu", ""), "not-on-gpu")
    expected = ("incomplete", "own-python-only") if is_ours else ("clear", "clear-not-on-gpu")
    assert (decision.state, decision.sentence) == expected


@pytest.mark.parametrize("symptom", ["does-not-start", "not-on-gpu", "everything"])
def test_nothing_is_in_order_where_no_framework_is_there_to_be_seen(symptom: str) -> None:
    case = case_of(found("framework-not-installed", "note", 0.5))
    decision = decide(case, headline(case.facts, case.findings, symptom, ""), symptom)
    assert (decision.state, decision.word, decision.sentence) == ("incomplete", "undecided", "no-framework-seen")


@pytest.mark.parametrize("notes", [(), (found("batch-size-rounding", "note"),)], ids=["nothing", "a-note"])
@pytest.mark.parametrize(("devices", "is_open"), [(("cpu",), True), (("cpu", "cuda:0"), False)])
def test_results_that_differ_from_another_place_need_both(
    devices: tuple[str, ...], is_open: bool, notes: tuple[Finding, ...]
) -> None:
    seen = tuple(Portrait(framework="torch", operation="matmul", device=device) for device in devices)
    case = case_of(*notes, facts=Facts(measurements=seen))
    decision = decide(case, headline(case.facts, case.findings, "results-differ", ""), "results-differ")
    assert (decision.sentence == "one-place-only") is is_open
    assert (decision.state == "incomplete") is is_open


@pytest.mark.parametrize(
    ("finding", "decision"),
    [
        pytest.param(found(confidence=0.95), ("blocking", "blocking", "found-ticket"), id="sure"),
        pytest.param(found(confidence=0.55), ("blocking", "possible", "maybe-ticket"), id="likely"),
        pytest.param(found(confidence=0.2), ("incomplete", "undecided", "hint-ticket"), id="a-hint-decides-nothing"),
        pytest.param(found(severity="note"), ("note", "normal", "found-ticket"), id="normal"),
        pytest.param(found("unknown"), ("incomplete", "undecided", "unknown-ticket"), id="unknown"),
    ],
)
def test_a_ticket(finding: Finding, decision: tuple[str, str, str]) -> None:
    log = SentFile(name="", kind="log", text="Error")
    result = decide_ticket(case_of(finding, facts=Facts(logs=(log,), reported=True)))
    assert (result.state, result.word, result.sentence) == decision


def test_an_empty_ticket_is_called_empty() -> None:
    assert decide_ticket(case_of(found("unknown"))).sentence == "empty-ticket"


@pytest.mark.parametrize(
    ("standings", "state"),
    [
        ({Standing.RUNS}, "clear"),
        ({Standing.RUNS, Standing.UNKNOWN}, "incomplete"),
        ({Standing.RUNS, Standing.DOES_NOT_RUN}, "blocking"),
        ({Standing.READ, Standing.ATTENTION}, "warning"),
    ],
)
def test_model_files_are_as_good_as_the_worst(standings: set[Standing], state: str) -> None:
    assert decide_models(case_of(), standings).state == state
    warned = decide_models(case_of(found(severity="warning")), standings)
    assert warned.state == ("warning" if state == "clear" else state)
    assert decide_models(case_of(complete=False), standings).state == ("incomplete" if state == "clear" else state)


@pytest.mark.parametrize(
    ("run", "symptom", "decision"),
    [
        pytest.param(ProgramRun(exit_code=0), "does-not-start", ("clear", "worked"), id="came-to-its-end"),
        pytest.param(ProgramRun(end="watched"), "does-not-start", ("clear", "running"), id="still-ran"),
        pytest.param(IDLE, "does-not-start", ("incomplete", "waiting"), id="did-nothing"),
        pytest.param(replace(IDLE, processor=0.4), "does-not-start", ("clear", "running"), id="computed"),
        pytest.param(replace(IDLE, gpu_processes=(7,)), "does-not-start", ("clear", "running"), id="has-the-gpu"),
        pytest.param(replace(IDLE, seconds=1.0), "does-not-start", ("clear", "running"), id="looked-too-briefly"),
        pytest.param(
            replace(IDLE, seconds=5.0, waits_for=("events",)),
            "does-not-start",
            ("clear", "running"),
            id="idle-for-a-moment",
        ),
        pytest.param(
            ProgramRun(end="watched", processor=0.0, measured_for=3.0, waits_for=("lock",)),
            "does-not-start",
            ("incomplete", "waiting"),
            id="stands-at-a-lock-at-last",
        ),
        pytest.param(
            ProgramRun(end="watched", processor=0.0, measured_for=30.0, waits_for=("lock", "network")),
            "does-not-start",
            ("clear", "running"),
            id="a-server",
        ),
        pytest.param(replace(IDLE, processor=None), "does-not-start", ("clear", "running"), id="nobody-knows"),
        pytest.param(ProgramRun(exit_code=0), "not-on-gpu", ("clear", "clear-not-on-gpu"), id="another-question"),
        pytest.param(
            ProgramRun(exit_code=0, statement="import torch"),
            "does-not-start",
            ("clear", "clear-does-not-start"),
            id="one-statement-is-no-program",
        ),
    ],
)
def test_what_was_seen_to_run_is_said(run: ProgramRun, symptom: str, decision: tuple[str, str]) -> None:
    facts = Facts(runs=(run,), symptom=Symptom(name=symptom))
    case = case_of(facts=facts)
    found_out = decide(case, headline(facts, case.findings, symptom, ""), symptom)
    assert (found_out.state, found_out.sentence) == decision
    blocked = case_of(found(), facts=facts)
    assert decide(blocked, headline(facts, blocked.findings, symptom, ""), symptom).state == "blocking"


@pytest.mark.parametrize(
    ("rule", "symptom", "sentence"),
    [
        pytest.param("seed-missing", "everything", "script-marked", id="read-and-not-seen-to-repeat"),
        pytest.param("tf32-setting", "everything", "clear-everything", id="a-note"),
        pytest.param("seed-missing", "not-on-gpu", "clear-not-on-gpu", id="asked-for-something-else"),
    ],
)
def test_a_script_with_marked_lines_has_no_tick(rule: str, symptom: str, sentence: str) -> None:
    """Seen on 2026-11-24: "everything is fine", above six lines that keep the result from being repeated."""
    read = ScriptFacts(file="train.py", marks=(ScriptMark(rule=rule, file="train.py", line=1, column=1),))
    case = case_of(facts=Facts(scripts=(SentFile(name="train.py", kind="script", read=read),)))
    decision = decide(case, headline(case.facts, case.findings, symptom, ""), symptom)
    assert decision.sentence == sentence
    assert (decision.state == "clear") is (sentence != "script-marked")
