"""Inputs of the user's that a model cannot be given, and those with which it was run."""

from typing import Any

import pytest

from checks.causes.model.model_input_mismatch import model_input_mismatch
from checks.facts import (
    ExportRun,
    Measurements,
    MinimalGraph,
    ModelFacts,
    ModelFiles,
    ModelMeasured,
    QuantisationLoss,
    TensorSpec,
)
from checks.facts.finding import NotHere, Severity
from checks.knowledge.phrases import in_language

WANTED = (TensorSpec(name="image", dtype="float32", shape=(1, 3, "?", "?")),)
GIVEN = (TensorSpec(name="foo", dtype="float64", shape=(4, 1, 28)),)


def refused(reason: str, **more: Any) -> ModelMeasured:
    fields: dict[str, Any] = {"inputs_from": "file", "inputs_wanted": WANTED, **more}
    return ModelMeasured(path="/models/net.onnx", framework="onnxruntime", reason=reason, **fields)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        pytest.param(
            refused("inputs-do-not-fit", inputs=GIVEN),
            "It takes image: float32 [1, 3, ?, ?]; the file holds foo: float64 [4, 1, 28].",
            id="another-shape",
        ),
        pytest.param(
            refused("inputs-do-not-fit", inputs=GIVEN, detail="RuntimeError: expected Long"),
            "The model's own words: RuntimeError: expected Long",
            id="only-the-model-knows",
        ),
        pytest.param(
            refused("input-unreadable", inputs_from="image", detail="OSError: image file is truncated"),
            "The picture cannot be read: it is damaged",
            id="a-damaged-picture",
        ),
        pytest.param(refused("input-unreadable", detail="BadZipFile"), "The file cannot be read", id="a-damaged-file"),
        pytest.param(refused("no-input-file", detail="x.txt"), "x.txt is no .npz", id="no-such-file"),
        pytest.param(refused("no-image-input", inputs_from="image"), "not take exactly one picture", id="no-picture"),
    ],
)
def test_what_is_wrong_with_it_is_said(made: ModelMeasured, said: str) -> None:
    (finding,) = model_input_mismatch(Measurements(all=(made,)), None)
    assert (finding.severity, finding.values["measured_model"]) == (Severity.WARNING, "/models/net.onnx")
    assert said in in_language(finding.values["why"], "en")


@pytest.mark.parametrize(
    ("made", "remedies"),
    [
        pytest.param(refused("no-image-library", inputs_from="image"), ("install-image-library",), id="no-library"),
        pytest.param(refused("input-unreadable", inputs_from="image"), ("save-picture-again",), id="damaged-picture"),
        pytest.param(refused("input-unreadable"), (), id="damaged-file"),
        pytest.param(refused("inputs-do-not-fit", inputs_from="image"), (), id="another-shape"),
    ],
)
def test_a_picture_that_cannot_be_read_has_remedies_of_its_own(made: ModelMeasured, remedies: tuple[str, ...]) -> None:
    (finding,) = model_input_mismatch(Measurements(all=(made,)), None)
    assert finding.remedies == remedies


def test_one_finding_where_exports_refuse_it_as_well() -> None:
    run = ExportRun(exporter="torch-export", reason="inputs-do-not-fit", inputs_from="file", inputs_wanted=WANTED)
    models = ModelFiles(files=(ModelFacts(path="/models/net.onnx", exports=(run, run)),))
    assert len(list(model_input_mismatch(Measurements(all=(refused("inputs-do-not-fit"),)), models))) == 1
    assert len(list(model_input_mismatch(None, models))) == 1


def test_an_input_with_which_it_ran_is_fine() -> None:
    made = ModelMeasured(path="/models/net.onnx", aspect="repeat", inputs_from="file", inputs=GIVEN)
    assert list(model_input_mismatch(Measurements(all=(made,)), None)) == []


def test_a_made_up_input_that_is_too_large_is_no_fault_of_the_user() -> None:
    with pytest.raises(NotHere):
        list(model_input_mismatch(Measurements(all=(refused("input-too-large", inputs_from=""),)), None))


@pytest.mark.parametrize("kind", [MinimalGraph, QuantisationLoss])
def test_what_looks_within_a_model_tells_the_wanted_shape_too(kind: type[MinimalGraph | QuantisationLoss]) -> None:
    """A pair of models that could not be compared is otherwise one that loads, with a tick."""
    run = kind(
        path="/models/net.onnx", reason="inputs-do-not-fit", inputs_from="file", inputs=GIVEN, inputs_wanted=WANTED
    )
    (finding,) = model_input_mismatch(Measurements(all=(run,)), None)
    why = in_language(finding.values["why"], "en")
    assert "image: float32 [1, 3, ?, ?]; the file holds foo: float64 [4, 1, 28]" in why
    assert finding.values["measured_model"] == "/models/net.onnx"


def test_of_two_models_the_float_one_was_given_the_inputs() -> None:
    run = QuantisationLoss(path="/q.onnx", first="/f.onnx", reason="inputs-do-not-fit", inputs_from="file")
    (finding,) = model_input_mismatch(Measurements(all=(run,)), None)
    assert finding.values["measured_model"] == "/f.onnx"
