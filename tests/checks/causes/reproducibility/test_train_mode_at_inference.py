"""A model that drops out numbers when it predicts, and models that vary or not for another reason."""

import pytest

from checks.causes.reproducibility.train_mode_at_inference import train_mode_at_inference
from checks.facts import ArrayDifference, Measurements, ModelFacts, ModelFiles, ModelMeasured
from checks.facts.finding import NotHere, Severity
from checks.knowledge.phrases import in_language

APART = ArrayDifference(elements=10, differing=10, max_abs=0.3, scale=1.0)


def repeated(distinct: int, operation: str = "", **more: str) -> ModelMeasured:
    fields = {"aspect": "repeat", "device": "cpu", "first_op": operation, "first_node": operation and "x3", **more}
    fields = {"framework": "torch", **fields}
    return ModelMeasured(path="/models/net.pt", repetitions=100, distinct=distinct, difference=APART, **fields)


def test_dropout_is_found_and_evaluation_mode_mends_it() -> None:
    evaluated = repeated(1, aspect="mode", setting="eval")
    (finding,) = train_mode_at_inference(Measurements(all=(repeated(100, "aten::dropout"), evaluated)))
    assert (finding.severity, finding.subject) == (Severity.WARNING, "torch /models/net.pt")
    said = "net.pt gave 100 different answers to the same input in 100 runs. They part at x3 (aten::dropout)"
    assert in_language(finding.values["seen"], "en").startswith(said)
    assert [each.value for each in finding.evidence if each.name == "mended_by"] == ["eval"]


def test_a_dropout_in_an_onnx_file_is_found_without_a_mode() -> None:
    made = repeated(100, "Dropout")
    (finding,) = train_mode_at_inference(Measurements(all=(made,)))
    assert finding.confidence > 0.9


def test_a_dropout_that_the_optimiser_takes_out_is_told_all_the_same() -> None:
    plain = repeated(30, "Dropout", aspect="mode", setting="ORT_DISABLE_ALL")
    (finding,) = train_mode_at_inference(Measurements(all=(repeated(1), plain)))
    assert "By default ONNX Runtime takes it out" in in_language(finding.values["seen"], "en")
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    "made",
    [
        pytest.param([repeated(1)], id="it-repeats"),
        pytest.param([repeated(3, "ScatterND")], id="another-node-varies"),
        pytest.param([repeated(3, "ScatterND"), repeated(3, aspect="mode", setting="eval")], id="also-when-evaluated"),
        pytest.param([repeated(3, "RandomNormalLike")], id="random-by-design"),
    ],
)
def test_silent(made: list[ModelMeasured]) -> None:
    assert list(train_mode_at_inference(Measurements(all=tuple(made)))) == []


SWITCH, EXPORT = "switch-to-evaluation-mode", "export-in-evaluation-mode"


@pytest.mark.parametrize(
    ("among", "format_id", "remedies"),
    [
        pytest.param([repeated(1, aspect="mode", setting="eval")], "torchscript", (SWITCH,), id="seen-to-help"),
        pytest.param([repeated(30, aspect="mode", setting="eval")], "torchscript", (EXPORT,), id="seen-not-to-help"),
        pytest.param([], "torchscript", (SWITCH, EXPORT), id="not-tried"),
        pytest.param([], "pt2", (EXPORT,), id="an-exported-program-has-no-mode"),
    ],
)
def test_evaluation_mode_is_a_remedy_only_where_it_can_work(
    among: list[ModelMeasured], format_id: str, remedies: tuple[str, ...]
) -> None:
    models = ModelFiles(origin="files", files=(ModelFacts(origin="net.pt", path="/models/net.pt", format=format_id),))
    varying = repeated(100, "aten::dropout")
    (finding,) = train_mode_at_inference(Measurements(all=(varying, *among)), models)
    assert finding.remedies == remedies


def test_an_onnx_file_is_exported_again() -> None:
    (finding,) = train_mode_at_inference(Measurements(all=(repeated(9, "Dropout", framework="onnxruntime"),)))
    assert finding.remedies == (EXPORT,)


def test_nothing_to_say_where_no_model_was_run_again() -> None:
    with pytest.raises(NotHere):
        list(train_mode_at_inference(Measurements(all=())))
