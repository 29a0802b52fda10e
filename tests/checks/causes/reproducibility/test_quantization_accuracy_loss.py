"""A quantised model that loses more than it should: at which layer, why, what was seen to mend it; and a good one."""

from typing import Any

import pytest

from checks.causes.reproducibility.quantization_accuracy_loss import CALIBRATE, EXCLUDE, quantization_accuracy_loss
from checks.facts import ArrayDifference, LayerLoss, Measurements, QuantisationLoss, TensorSpec, TriedRemedy, WeightLoss
from checks.facts.finding import Finding, NotHere, Severity
from checks.knowledge.phrases import in_language

APART = ArrayDifference(elements=640, differing=640, max_abs=2.0, scale=8.0)
FIRST = LayerLoss(name="/c1/Conv", op="Conv", own=40.0, here=40.0, without=11.3, is_tried=True, clipped=0.0)
WORST = LayerLoss(name="/c2/Conv", op="Conv", own=7.4, here=7.4, without=36.5, is_tried=True, held=("c2.weight",))
LAST = LayerLoss(name="/f/Gemm", op="Gemm", own=45.0, here=11.1)
LEFT = TriedRemedy(what="exclude", nodes=("/c2/Conv", "/Relu"), before=11.1, after=36.6)
PER_CHANNEL = TriedRemedy(what="per-channel", before=11.1, after=37.4)
NOTHING = TriedRemedy(what="entropy", before=11.1, after=11.2)
FAILED = TriedRemedy(what="percentile", before=11.1, error="ValueError: no")


def loss(**more: Any) -> QuantisationLoss:
    fields = {
        "path": "/m/int8.onnx", "first": "/m/net.onnx", "framework": "onnxruntime", "form": "QDQ",
        "inputs": (TensorSpec(name="x"),), "inputs_from": "file", "rows": 64, "sqnr": 11.1, "difference": APART,
        "decisions": 0.78,
        "layers": (FIRST, WORST, LAST), "tried": (LEFT, NOTHING, FAILED),
    }  # fmt: skip
    return QuantisationLoss(**{**fields, **more})


def found(**more: Any) -> list[Finding]:
    return list(quantization_accuracy_loss(Measurements(all=(loss(**more),))))


def where(finding: Finding, language: str = "en") -> str:
    return in_language(finding.values["where"], language)


def shown(finding: Finding) -> dict[str, Any]:
    return {evidence.name: evidence.value for evidence in finding.evidence}


def test_the_layer_without_whose_loss_the_output_is_better_is_named_with_what_mended_it() -> None:
    (finding,) = found()
    assert (finding.severity, finding.subject) == (Severity.WARNING, "/m/int8.onnx")
    assert "Most of that is lost at /c2/Conv (Conv): with this layer alone in float it is 36.5 dB." in where(finding)
    assert "/c2/Conv" in where(finding, "ja")
    assert finding.remedies[0] == EXCLUDE
    assert finding.values["quantised_nodes"] == "/c2/Conv, /Relu"
    assert shown(finding)["decisions_same"] == "78 %"


def test_a_scale_for_each_channel_is_named_where_it_mended_as_much_as_leaving_nodes_out() -> None:
    poor = WeightLoss(name="c2.weight", dtype="int8", scales=1, sqnr=35.8, steps=2, ratio=158.0)
    (finding,) = found(tried=(LEFT, PER_CHANNEL), weights=(poor,))
    assert finding.remedies[0] == "quantise-weights-per-channel"
    assert shown(finding)["codes_of_channel"] == "c2.weight: 2 / 256"
    assert "quantised_nodes" not in finding.values


def test_other_inputs_for_calibration_are_named_only_where_quantising_anew_mended_it() -> None:
    again = (TriedRemedy(what="per-channel", before=37.7, after=40.0),)
    (finding,) = found(tried=again)
    assert finding.remedies[0] == CALIBRATE
    assert finding.values["model_input"] == "x"
    assert "calibrated with other inputs" in where(finding)


def test_saturation_is_named_where_wider_sums_mended_it() -> None:
    (finding,) = found(saturates=35.0)
    assert finding.remedies[0] == "avoid-int8-saturation"
    assert "saturate on this processor" in where(finding)
    (other,) = found(saturates=11.9)
    assert "avoid-int8-saturation" not in other.remedies


def test_no_layer_is_accused_where_none_makes_it_better() -> None:
    (finding,) = found(layers=(FIRST, LAST), tried=(NOTHING, FAILED))
    assert where(finding).endswith("No single layer is at fault.")
    assert "losing_layer" not in shown(finding)
    assert EXCLUDE not in finding.remedies


def test_what_the_table_shows_to_bring_nothing_is_no_remedy() -> None:
    """Seen on 2026-11-23: calibration stood first beside a table in which all its methods brought 0.1 dB."""
    little = TriedRemedy(what="per-channel", before=11.1, after=13.4)
    (finding,) = found(layers=(FIRST, LAST), tried=(NOTHING, little, FAILED))
    assert finding.remedies == ("quantise-weights-per-channel", "train-with-quantisation")
    (made_up,) = found(layers=(FIRST, LAST), tried=(NOTHING, little), inputs_from="drawn")
    assert made_up.remedies[1] == CALIBRATE  # real inputs were not tried
    (dynamic,) = found(form="dynamic", tried=(), inputs_from="drawn")
    assert CALIBRATE not in dynamic.remedies


def test_numbers_that_are_cut_off_are_told() -> None:
    clipped = LayerLoss(name="x", own=1.2, clipped=0.13, reaches=(0.0, 0.1), seen=(0.0, 1.0))
    (finding,) = found(layers=(clipped, FIRST))
    assert shown(finding)["numbers_cut_off"] == "x: 13.0 %"


def test_made_up_inputs_are_a_note_and_say_nothing_of_decisions() -> None:
    (finding,) = found(inputs_from="drawn")
    assert finding.severity is Severity.NOTE
    assert "decisions_same" not in shown(finding)
    assert found(inputs_from="drawn", sqnr=36.0) == []


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"sqnr": 36.3, "decisions": 1.0}, id="as-good-as-8-bits-are"),
        pytest.param({"sqnr": None, "decisions": 1.0}, id="nothing-lost"),
    ],
)
def test_silent(more: dict[str, Any]) -> None:
    assert found(**more) == []


@pytest.mark.parametrize(
    "more", [{"first": ""}, {"difference": None}, {"reason": "failed"}], ids=["alone", "not-run", "failed"]
)
def test_what_was_not_compared_is_not_called_fine(more: dict[str, Any]) -> None:
    with pytest.raises(NotHere):
        found(**more)
