"""The flow, without a window."""

from pathlib import Path

import pytest

from checks.engine.plans.compute import BUDGET, is_wanted
from checks.engine.request import Request
from checks.facts.case import Answers as CaseAnswers
from checks.facts.question import Effort, Exactness, SymptomName
from wizard.evidence_files import Given, Kind
from wizard.flow import (
    EFFORTS,
    EXACTNESS,
    MODELS,
    SERVED,
    STEPS,
    SYMPTOMS,
    TICKET,
    Answers,
    Progress,
    Step,
    computes,
    is_complete,
    next_step,
    previous_step,
    reachable,
    steps_of,
)

NOTHING = Answers()
ALL = Answers(symptom="everything", target="/usr/bin/python3")
DONE = Progress(reported=True)
RUNNING = Progress(running=True)


def test_the_walk_forward() -> None:
    walked = [Step.SYMPTOM]
    while (step := next_step(walked[-1], ALL, DONE)) is not None:
        walked.append(step)
    assert walked == list(STEPS)


@pytest.mark.parametrize("symptom", SYMPTOMS)
def test_every_symptom_leads_on(symptom: str) -> None:
    assert next_step(Step.SYMPTOM, Answers(symptom=symptom), Progress()) is Step.EVIDENCE


@pytest.mark.parametrize(
    ("step", "answers", "progress"),
    [
        pytest.param(Step.SYMPTOM, NOTHING, Progress(), id="no-symptom"),
        pytest.param(Step.SYMPTOM, Answers(symptom="sad"), Progress(), id="unknown-symptom"),
        pytest.param(Step.TARGET, Answers(symptom="everything"), Progress(), id="no-target"),
        pytest.param(Step.RUN, ALL, Progress(), id="nothing-run-yet"),
        pytest.param(Step.RUN, ALL, Progress(running=True, reported=True), id="runs-again"),
        pytest.param(Step.REPORT, ALL, DONE, id="the-end"),
    ],
)
def test_does_not_go_on(step: Step, answers: Answers, progress: Progress) -> None:
    assert next_step(step, answers, progress) is None


def test_evidence_is_optional() -> None:
    assert is_complete(Step.EVIDENCE, NOTHING, Progress())
    assert is_complete(Step.EVIDENCE, Answers(given=(Given(Path("a.onnx"), Kind.MODEL),)), Progress())


def test_a_look_into_models_needs_a_model() -> None:
    asked = Answers(symptom=MODELS)
    assert next_step(Step.SYMPTOM, asked, Progress()) is Step.EVIDENCE
    assert not is_complete(Step.EVIDENCE, asked, Progress())
    assert not is_complete(Step.EVIDENCE, Answers(symptom=MODELS, given=(Given(Path("a.log"), Kind.LOG),)), Progress())
    given = Answers(symptom=MODELS, given=(Given(Path("a.onnx"), Kind.MODEL),))
    assert next_step(Step.EVIDENCE, given, Progress()) is Step.TARGET
    assert steps_of(given) == STEPS


def test_models_can_be_only_read_without_an_interpreter() -> None:
    given = (Given(Path("a.onnx"), Kind.MODEL),)
    assert next_step(Step.TARGET, Answers(symptom=MODELS, given=given), Progress()) is None
    assert is_complete(Step.TARGET, Answers(symptom=MODELS, given=given, read_only=True), Progress())
    assert not is_complete(Step.TARGET, Answers(symptom="everything", given=given, read_only=True), Progress())


@pytest.mark.parametrize(
    ("answers", "repeats"),
    [
        pytest.param(Answers(symptom=MODELS), False, id="not-asked"),
        pytest.param(Answers(symptom=MODELS, repeat=True), True, id="asked"),
        pytest.param(Answers(symptom=MODELS, repeat=True, read_only=True), False, id="nothing-is-run"),
        pytest.param(Answers(symptom="does-not-start", repeat=True), False, id="asked-of-models-before"),
        pytest.param(
            Answers(symptom=MODELS, given=(Given(Path("n.onnx"), Kind.MODEL), Given(Path("x.npy"), Kind.INPUT))),
            True,
            id="with-an-input",
        ),
    ],
)
def test_models_are_run_again_where_that_is_asked_or_an_input_is_given(answers: Answers, repeats: bool) -> None:
    assert answers.repeats is repeats


def test_the_walk_back() -> None:
    walked = [Step.REPORT]
    while (step := previous_step(walked[-1], Answers(), DONE)) is not None:
        walked.append(step)
    assert walked == list(reversed(STEPS))


def test_no_way_back_from_a_running_examination() -> None:
    assert previous_step(Step.RUN, Answers(), RUNNING) is None


def test_back_from_an_opened_report_is_the_start() -> None:
    assert previous_step(Step.REPORT, Answers(), Progress(reported=True, opened=True)) is Step.SYMPTOM


def test_what_can_be_jumped_to() -> None:
    def open_steps(answers: Answers, progress: Progress) -> list[Step]:
        return [step for step in STEPS if reachable(step, answers, progress)]

    assert open_steps(NOTHING, Progress()) == [Step.SYMPTOM]
    assert open_steps(ALL, Progress()) == [Step.SYMPTOM, Step.EVIDENCE, Step.TARGET]
    assert open_steps(ALL, RUNNING) == [Step.RUN]
    assert open_steps(ALL, DONE) == list(STEPS)
    assert open_steps(NOTHING, Progress(reported=True, opened=True)) == [Step.SYMPTOM, Step.REPORT]


# --- a ticket: no interpreter, no run --------------------------------------------------------------------------------

TICKET_GIVEN = Answers(symptom=TICKET, text="RuntimeError: CUDA error")


def test_a_ticket_goes_from_the_text_to_the_report() -> None:
    assert next_step(Step.SYMPTOM, TICKET_GIVEN, Progress()) is Step.EVIDENCE
    assert next_step(Step.EVIDENCE, TICKET_GIVEN, Progress()) is Step.REPORT
    assert previous_step(Step.REPORT, TICKET_GIVEN, DONE) is Step.EVIDENCE
    assert steps_of(TICKET_GIVEN) == (Step.SYMPTOM, Step.EVIDENCE, Step.REPORT)


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param(Answers(symptom=TICKET), id="nothing"),
        pytest.param(Answers(symptom=TICKET, text=" \n"), id="spaces"),
        pytest.param(Answers(symptom=TICKET, given=(Given(Path("a.onnx"), Kind.MODEL),)), id="only-a-model"),
    ],
)
def test_a_ticket_needs_a_text(answers: Answers) -> None:
    assert next_step(Step.EVIDENCE, answers, Progress()) is None


def test_a_ticket_may_be_a_log() -> None:
    answers = Answers(symptom=TICKET, given=(Given(Path("a.log"), Kind.LOG),))
    assert next_step(Step.EVIDENCE, answers, Progress()) is Step.REPORT


@pytest.mark.parametrize("step", [Step.TARGET, Step.RUN])
def test_the_steps_of_a_machine_are_not_reached_from_a_ticket(step: Step) -> None:
    assert not reachable(step, TICKET_GIVEN, Progress())


@pytest.mark.parametrize("symptom", [*SYMPTOMS, TICKET, MODELS])
def test_what_is_computed_is_what_the_engine_computes(symptom: str) -> None:
    assert computes(symptom) is is_wanted(Request(answers=CaseAnswers(symptom=symptom)))


def test_an_effort_counts_only_where_it_was_asked() -> None:
    assert Answers(symptom="results-change", effort="quick").effort_taken == "quick"
    assert Answers(symptom="not-on-gpu", effort="quick").effort_taken == "standard"
    assert tuple(BUDGET) == EFFORTS


def test_a_load_counts_only_where_it_was_asked() -> None:
    assert Answers(symptom="results-change").load_taken is None  # as the effort gives
    assert Answers(symptom="results-change", load=600).load_taken == 600
    assert Answers(symptom="not-on-gpu", load=600).load_taken is None


def test_the_words_are_those_of_the_facts() -> None:
    """The start does without the facts, so the flow has the words for itself."""
    assert {*SYMPTOMS, TICKET, MODELS, SERVED} == {*SymptomName} - {SymptomName.COMPARISON}
    assert set(EXACTNESS) == {"", *Exactness}
    assert tuple(Effort) == EFFORTS
