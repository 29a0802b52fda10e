"""What the verdict may say of a cause: stated only where the user's own, or a whole training, was seen to change."""

import msgspec
import pytest
from support.recorded_computations import measurements
from support.recorded_repeats import NO_FORM, left_out, repeat
from support.recorded_repeats import measurements as measured

from checks.analysis.numbers.side_by_side import other_machine
from checks.causes.reproducibility.nondeterministic_op import nondeterministic_op
from checks.facts import (
    ArrayDifference,
    Experiment,
    Facts,
    Frameworks,
    Measurement,
    ModelMeasured,
    Symptom,
    TorchFacts,
)
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Severity, Status
from checks.judgement.headline import Stance, headline, is_trouble
from checks.judgement.judge import judged
from checks.judgement.ranking import is_found
from wizard.report.content.report import build

# PyTorch 2.13 on two threads: index_put and its kin vary, as its documentation says.
VARYING = measurements("torch-2.13.0-cpu-repeat")
SOUND = measurements("model-torch-2.13.0-sound")
PORTRAITS, ONE_THREAD = "torch-2.13.0-cpu-portraits", "torch-2.13.0-cpu-one-thread-portraits"


def trained(*last: str, device: str = "cpu") -> Experiment:
    return Experiment(
        framework="torch",
        operation="digits-network",
        device=device,
        dtype="float32",
        setting="default",
        steps=(0, 100),
        values=tuple((0.9, 0.4) for _ in last),
        exact=tuple(("40135d8e", each) for each in last),
        fingerprints=last,
    )


def case_of(*made: Measurement, symptom: str = "results-change", exactness: str = "") -> Case:
    facts = Facts(
        frameworks=Frameworks(torch=TorchFacts(version="2.13.0", build="cpu", threads=2)),
        measurements=made,
        symptom=Symptom(name=symptom, exactness=exactness),
    )
    return judged(facts, Answers(symptom=symptom, exactness=exactness))


def stance(case: Case) -> Stance:
    return headline(case.facts, case.findings, case.answers.symptom, case.answers.exactness).stance


def test_operations_that_vary_are_offered_and_not_stated() -> None:
    case = case_of(*VARYING)
    assert stance(case) is Stance.OPERATIONS
    assert build(case, "en").verdict.sentence == (
        "What may make the result change, if your program uses it: Operations on cpu do not repeat exactly."
    )


def test_a_model_that_repeats_comes_first() -> None:
    case = case_of(*VARYING, *SOUND)
    said = headline(case.facts, case.findings, "results-change", "")
    assert (said.stance, said.model, said.count) == (Stance.MODEL_REPEATS, "eval.pt", 100)
    sentence = build(case, "en").verdict.sentence
    assert sentence.startswith("Your model (eval.pt) gave the same bits 100 times. Operations on cpu do not repeat")
    assert "exactly; that is the reason only if the rest of your program does the same." in sentence
    assert "eval.pt" in build(case, "ja").verdict.sentence


@pytest.mark.parametrize("others", [(), (repeat("sum", n=3),), measurements("torch-2.13.0-cpu-digits")])
def test_a_model_that_repeats_is_the_answer_where_nothing_else_is(others: tuple[Measurement, ...]) -> None:
    """Also where few operations were repeated, or something is between settings alone."""
    case = case_of(*others, *SOUND)
    assert stance(case) is Stance.MODEL_STEADY
    looked_at = tuple(outcome for outcome in case.outcomes if outcome.status is not Status.SKIPPED)
    verdict = build(msgspec.structs.replace(case, outcomes=looked_at), "en").verdict
    assert verdict.sentence.startswith("Your model (eval.pt) gave the same bits 100 times, and nothing was found here")
    assert verdict.state == "clear"
    assert not any("Too little" in line for line in verdict.scope)
    assert stance(case_of(*others, *SOUND, symptom="results-differ")) is not Stance.MODEL_STEADY


def test_a_model_that_gave_only_zeros_shows_nothing() -> None:
    zeros = ArrayDifference(elements=64, differing=0, max_abs=0.0, scale=0.0)
    own = (msgspec.structs.replace(each, difference=zeros) for each in SOUND if isinstance(each, ModelMeasured))
    assert stance(case_of(*VARYING, *own)) is Stance.OPERATIONS


@pytest.mark.parametrize("symptom", ["results-change", "results-differ", "everything"])
def test_that_an_input_could_not_be_used_comes_before_what_else_varies(symptom: str) -> None:
    refused = ModelMeasured(path="net.onnx", framework="torch", reason="inputs-do-not-fit", inputs_from="file")
    case = case_of(*VARYING, refused, symptom=symptom)
    assert stance(case) is Stance.INPUTS_REFUSED
    verdict = build(case, "en").verdict
    assert verdict.state == "warning"
    assert verdict.sentence.startswith("The input that was given cannot be used for net.onnx, so that")


def test_a_training_that_repeats_comes_first() -> None:
    case = case_of(*VARYING, trained("a", "a", "a"))
    said = headline(case.facts, case.findings, "results-change", "")
    assert (said.stance, said.count) == (Stance.TRAINING_REPEATS, 3)
    assert build(case, "en").verdict.sentence.startswith(
        "In 3 short trainings of a small network here (100 steps each), the results had the same bits. "
        f"Operations on cpu do not repeat exactly ({said.varied} of {said.tried}); "
    )
    assert 0 < said.varied < said.tried


def test_the_training_of_another_device_says_nothing_of_this_one() -> None:
    assert stance(case_of(*VARYING, trained("a", "a", device="cuda:0"))) is Stance.OPERATIONS


def test_a_training_that_ends_apart_is_the_cause() -> None:
    case = case_of(*VARYING, trained("a", "b", "c"))
    assert stance(case) is Stance.FOUND
    assert case.findings[0].confidence >= 0.8
    assert build(case, "en").verdict.sentence == "Why the result changes: Operations on cpu do not repeat exactly."


def test_a_model_that_varies_is_the_cause() -> None:
    """Recorded as repeating; its counts are those of a model that does not."""
    model = next(each for each in SOUND if each.setting == "default")
    varies = msgspec.structs.replace(model, distinct=4, counts=(90, 5, 3, 2), first_node="put", first_op="aten::put")
    case = case_of(*VARYING, varies)
    assert stance(case) is Stance.FOUND
    assert case.findings[0].subject == "torch cpu /home/user/models/eval.pt"


def test_a_setting_of_threads_is_no_reason_why_one_machine_changes() -> None:
    case = case_of(*VARYING, *measurements("torch-2.13.0-cpu-digits"), exactness="bits")
    assert {"thread-count-rounding", "nondeterministic-op"} <= {each.cause for each in case.findings}
    said = headline(case.facts, case.findings, "results-change", "bits")
    assert case.findings[said.spoken].cause == "nondeterministic-op"
    everything = headline(case.facts, case.findings, "everything", "bits")
    assert case.findings[everything.spoken].cause == "nondeterministic-op"
    between = headline(case.facts, case.findings, "results-differ", "bits")
    assert case.findings[between.spoken].cause != "nondeterministic-op"


@pytest.mark.parametrize("symptom", ["results-change", "results-differ"])
def test_what_a_mode_refuses_is_no_reason(symptom: str) -> None:
    refusing = (repeat("sum", device="cpu"), left_out("histc", "deterministic", "no-deterministic-form", NO_FORM))
    case = case_of(*refusing, symptom=symptom)
    assert [each.cause for each in case.findings] == ["deterministic-mode-op-unsupported"]
    assert stance(case) is Stance.CLEAR
    both = case_of(*refusing, *measurements("torch-2.13.0-cpu-digits"), symptom=symptom)
    said = headline(both.facts, both.findings, symptom, "")
    assert both.findings[said.spoken].cause != "deterministic-mode-op-unsupported"


@pytest.mark.parametrize("symptom", ["results-change", "results-differ"])
def test_bits_are_no_trouble_of_whoever_needs_decisions(symptom: str) -> None:
    case = case_of(*VARYING, symptom=symptom, exactness="decisions")
    assert stance(case) is Stance.DECISIONS_OPEN
    assert not is_found(case.findings, reported=False)
    verdict = build(case, "en").verdict
    assert verdict.state == "incomplete"
    assert "was not measured" in verdict.sentence


def test_a_model_that_gives_nan_is_told_before_operations_that_vary() -> None:
    """Seen on 2026-11-23: the headline was about index_put, and the model of the user was NaN."""
    lost = measurements("model-onnxruntime-1.32.0-logarithm-of-negative")
    case = case_of(*VARYING, *lost)
    said = headline(case.facts, case.findings, "results-change", "")
    assert case.findings[said.spoken].cause == "non-finite-output"
    assert "NaN" in build(case, "en").verdict.sentence


def test_decisions_that_stay_are_the_answer() -> None:
    assert stance(case_of(*VARYING, *SOUND, exactness="decisions")) is Stance.MODEL_REPEATS  # of made-up inputs
    own = (msgspec.structs.replace(each, inputs_from="file") for each in SOUND if isinstance(each, ModelMeasured))
    case = case_of(*VARYING, *own, exactness="decisions")
    assert stance(case) is Stance.DECISIONS_SAME
    looked_at = tuple(outcome for outcome in case.outcomes if outcome.status is not Status.SKIPPED)
    verdict = build(msgspec.structs.replace(case, outcomes=looked_at), "en").verdict
    assert verdict.state == "clear"
    assert verdict.sentence.startswith("You need the same decisions, and those of your model were the same")


def test_a_comparison_that_was_asked_for_is_the_answer() -> None:
    other = case_of(*measurements(ONE_THREAD))
    threads = Frameworks(torch=TorchFacts(version="2.13.0", build="cpu", threads=1))
    one = msgspec.structs.replace(other, facts=msgspec.structs.replace(other.facts, frameworks=threads))
    here = case_of(*VARYING, *measurements(PORTRAITS), symptom="results-differ", exactness="bits")
    facts = msgspec.structs.replace(here.facts, others=(other_machine(one, "there.json"),))
    case = judged(facts, here.answers)
    assert stance(case) is Stance.COMPARED
    report = build(case, "en")
    assert report.verdict.sentence.startswith("Compared with there.json: ")
    assert not any(each.startswith("Compared with") for each in report.verdict.scope)
    assert report.verdict.state == "warning"  # whoever needs the same bits has not got them


def test_a_comparison_of_nothing_is_no_answer() -> None:
    here = case_of(*VARYING, symptom="results-differ", exactness="bits")
    facts = msgspec.structs.replace(here.facts, others=(other_machine(here, "there.json"),))
    assert stance(judged(facts, here.answers)) is not Stance.COMPARED


def test_machines_that_differ_without_a_reason_are_a_trouble_whatever_was_asked_beside() -> None:
    there, here = case_of(*measurements(ONE_THREAD)), case_of(*measurements(PORTRAITS), symptom="results-differ")
    facts = msgspec.structs.replace(here.facts, others=(other_machine(there, "twin.json"),))  # the same environment
    case = judged(facts, here.answers)
    assert build(case, "en").verdict.state == "warning"
    assert is_trouble(facts, case.findings, "results-differ")
    assert is_trouble(facts, case.findings, "results-change"), "who gives a report asks"
    assert not is_trouble(here.facts, case.findings, "results-change")


def finding(*made: Measurement) -> Finding:
    (found,) = nondeterministic_op(measured(*made), None, Symptom(name="results-change"))
    return found


def test_confidence_grows_with_the_repetitions_and_never_states_what_only_operations_show() -> None:
    few, many = finding(repeat("index-put", distinct=2, n=3)), finding(repeat("index-put", distinct=30, n=300))
    assert few.confidence < many.confidence < 0.8
    assert few.severity is Severity.WARNING


def test_the_gravest_of_what_can_explain_the_symptom_is_named() -> None:
    warning = Finding(
        cause="framework-cpu-only-build", severity=Severity.WARNING, confidence=0.95, subject="onnxruntime"
    )
    blocking = Finding(cause="driver-not-loaded", severity=Severity.BLOCKING, confidence=0.9, subject="driver")
    for findings, named in (((warning, blocking), 1), ((blocking, warning), 0), ((warning,), 0)):
        assert headline(Facts(), findings, "not-on-gpu", "").spoken == named


@pytest.mark.parametrize(("confidence", "expected"), [(0.79, Stance.MAYBE), (0.8, Stance.FOUND)])
def test_a_doubtful_cause_is_offered_and_a_sure_one_stated(confidence: float, expected: Stance) -> None:
    driver = Finding(cause="driver-not-loaded", severity=Severity.BLOCKING, confidence=confidence, subject="driver")
    assert headline(Facts(), (driver,), "not-on-gpu", "").stance is expected


def test_nan_is_worth_attention_and_no_reason_why_results_change() -> None:
    odd = Finding(cause="non-finite-output", severity=Severity.WARNING, confidence=0.95, subject="torch /m/net.pt")
    assert headline(Facts(), (odd,), "results-change", "").stance is Stance.UNRELATED
    assert headline(Facts(), (odd,), "everything", "").stance is Stance.FOUND


def test_a_note_of_nan_does_not_come_before_what_varies() -> None:
    """It is one where only operations were seen to make it, or where the model was meant to."""
    note = Finding(cause="non-finite-output", severity=Severity.NOTE, confidence=0.9, subject="torch /m/net.pt")
    varies = Finding(cause="nondeterministic-op", severity=Severity.WARNING, confidence=0.7, subject="torch cpu")
    assert headline(Facts(), (varies, note), "results-change", "").stance is not Stance.UNRELATED
    warning = msgspec.structs.replace(note, severity=Severity.WARNING)
    assert headline(Facts(), (varies, warning), "results-change", "").stance is Stance.UNRELATED
