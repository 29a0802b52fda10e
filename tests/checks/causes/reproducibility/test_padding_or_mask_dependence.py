"""A row whose answer depends on its neighbours, and rows that differ by rounding or training mode."""

from typing import Any

import msgspec
import pytest

from checks.causes.reproducibility.padding_or_mask_dependence import padding_or_mask_dependence
from checks.causes.reproducibility.train_mode_at_inference import train_mode_at_inference
from checks.facts import ArrayDifference, Measurements, ModelMeasured
from checks.facts.finding import NotHere, Severity


def beside(apart: float, operation: str = "ReduceMean", bound: float = 1e-6, **more: Any) -> ModelMeasured:
    fields: dict[str, Any] = {"decisions": 1.0, **more}
    return ModelMeasured(
        path="/models/net.onnx",
        framework="onnxruntime",
        device="CPUExecutionProvider",
        aspect="batch",
        setting="batch-1",
        other="batch-4",
        difference=ArrayDifference(elements=4, differing=4, max_abs=apart, scale=1.0),
        bound=bound,
        first_node="mean",
        first_op=operation,
        beyond_node="mean" if apart > bound else "",
        beyond_op=operation if apart > bound else "",
        **fields,
    )


def test_a_mean_along_the_batch_is_found_with_its_node() -> None:
    (finding,) = padding_or_mask_dependence(Measurements(all=(beside(0.43, decisions=0.0),)))
    assert finding.severity is Severity.WARNING
    assert (finding.values["where"], finding.values["rows"]) == ("mean (ReduceMean)", "4")
    assert finding.values["apart"] == "0.43"


@pytest.mark.parametrize(
    ("decisions", "severity"),
    [pytest.param(1.0, Severity.NOTE, id="same-decisions"), pytest.param(0.5, Severity.WARNING, id="others")],
)
def test_one_scale_for_all_rows_is_a_known_price_while_decisions_stay(decisions: float, severity: Severity) -> None:
    (finding,) = padding_or_mask_dependence(
        Measurements(all=(beside(0.01, "DynamicQuantizeLinear", decisions=decisions),))
    )
    assert finding.severity is severity


def test_rounding_is_no_dependence() -> None:
    assert list(padding_or_mask_dependence(Measurements(all=(beside(1e-7),)))) == []


def test_batch_normalisation_that_mixes_rows_is_in_training_mode() -> None:
    made = beside(0.43, "aten::batch_norm")
    told = Measurements(all=(msgspec.structs.replace(made, aspect="repeat", repetitions=9, distinct=1), made))
    assert list(padding_or_mask_dependence(told)) == []
    (finding,) = train_mode_at_inference(told)
    assert (finding.severity, finding.values["where"]) == (Severity.WARNING, "mean (aten::batch_norm)")


def test_nothing_to_say_where_no_model_was_run_again() -> None:
    with pytest.raises(NotHere):
        list(padding_or_mask_dependence(Measurements(all=())))
