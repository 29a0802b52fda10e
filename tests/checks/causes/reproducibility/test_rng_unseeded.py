"""A model that draws random numbers when it computes, and models that vary or not for another reason."""

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.causes.reproducibility.rng_unseeded import rng_unseeded
from checks.facts import ArrayDifference, Measurements, ModelMeasured, Symptom
from checks.facts.finding import NotHere, Severity
from checks.knowledge.phrases import in_language

APART = ArrayDifference(elements=10, differing=10, max_abs=0.3, scale=1.0)


def repeated(distinct: int, operation: str = "", **more: str) -> ModelMeasured:
    fields = {"aspect": "repeat", "device": "CPUExecutionProvider", "first_op": operation, "first_node": "x3", **more}
    return ModelMeasured(
        path="/models/net.onnx", framework="onnxruntime", repetitions=30, distinct=distinct, difference=APART, **fields
    )


def test_a_recorded_model_with_noise_is_found_and_no_mode_is_said_to_mend_it() -> None:
    told = measurements("model-onnxruntime-1.31.1-random")
    (finding,) = rng_unseeded(Measurements(all=told), None)
    assert (finding.severity, finding.values["model"]) == (Severity.WARNING, "random.onnx")
    assert "RandomNormal" in finding.values["where"]
    assert finding.remedies == ("fix-random-numbers-in-a-model",)


def test_a_recorded_model_that_a_seed_mended() -> None:
    (finding,) = rng_unseeded(Measurements(all=measurements("model-onnxruntime-1.31.1-seeded-noise")), None)
    assert in_language(finding.values["seeded"], "en") == "With a seed before each run the answers were the same."
    assert [each.value for each in finding.evidence if each.name == "mended_by"] == ["seeded"]


@pytest.mark.parametrize(
    ("seeded", "said"),
    [
        pytest.param(repeated(1, aspect="mode", setting="seeded"), "the answers were the same", id="a-seed-mends-it"),
        pytest.param(repeated(9, "RandomNormalLike", aspect="mode", setting="seeded"), "did not", id="or-not"),
        pytest.param(None, "was not tried", id="untried"),
    ],
)
def test_what_a_seed_does_is_told(seeded: ModelMeasured | None, said: str) -> None:
    made = [repeated(30, "RandomNormalLike"), *([seeded] if seeded else [])]
    (finding,) = rng_unseeded(Measurements(all=tuple(made)), None)
    assert said in in_language(finding.values["seeded"], "en")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        pytest.param(("seeded", "seeded-once"), "a seed for each run where each answer must be the same", id="either"),
        pytest.param(("new-session", "seeded", "seeded-once"), "the seed stands in the file", id="in-the-file"),
    ],
)
def test_whether_it_needs_a_seed_for_each_run_or_session_or_none(settings: tuple[str, ...], said: str) -> None:
    again = [repeated(1, aspect="mode", setting=setting) for setting in settings]
    (finding,) = rng_unseeded(Measurements(all=(repeated(30, "RandomNormalLike"), *again)), None)
    assert said in in_language(finding.values["seeded"], "en")
    assert all(in_language(finding.values["seeded"], "ja"))


def test_what_the_optimiser_takes_out_is_told_all_the_same() -> None:
    plain = repeated(30, "RandomNormalLike", aspect="mode", setting="ORT_DISABLE_ALL")
    (finding,) = rng_unseeded(Measurements(all=(repeated(1), plain)), None)
    assert "takes that node out" in in_language(finding.values["seeded"], "en")
    assert (
        list(rng_unseeded(Measurements(all=(repeated(1), msgspec.structs.replace(plain, first_op="Add"))), None)) == []
    )


@pytest.mark.parametrize(
    ("inputs", "decisions", "severity"),
    [
        pytest.param("file", 1.0, Severity.NOTE, id="they-stay"),
        pytest.param("file", 0.9, Severity.WARNING, id="they-change"),
        pytest.param("drawn", 1.0, Severity.WARNING, id="made-up-inputs-decide-nothing"),
    ],
)
def test_who_needs_the_same_decisions_is_warned_where_these_change(
    inputs: str, decisions: float, severity: Severity
) -> None:
    made = msgspec.structs.replace(repeated(30, "RandomNormalLike"), inputs_from=inputs, decisions=decisions)
    (finding,) = rng_unseeded(Measurements(all=(made,)), Symptom(exactness="decisions"))
    assert finding.severity is severity


@pytest.mark.parametrize(
    "made",
    [
        pytest.param([repeated(1)], id="it-repeats"),
        pytest.param([repeated(3, "ScatterND")], id="another-node-varies"),
        pytest.param([repeated(30, "Dropout")], id="training-mode"),
        pytest.param(
            [repeated(30, "Add"), *(repeated(1, aspect="mode", setting=each) for each in ("seeded", "eval"))],
            id="training-mode-that-a-seed-hides",
        ),
    ],
)
def test_silent(made: list[ModelMeasured]) -> None:
    assert list(rng_unseeded(Measurements(all=tuple(made)), None)) == []


def test_nothing_to_say_where_no_model_was_run_again() -> None:
    with pytest.raises(NotHere):
        list(rng_unseeded(Measurements(all=()), None))
