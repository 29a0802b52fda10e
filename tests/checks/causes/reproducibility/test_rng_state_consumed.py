"""A model that keeps something from run to run, and one that only learns statistics."""

import pytest

from checks.causes.reproducibility.rng_state_consumed import rng_state_consumed
from checks.causes.reproducibility.train_mode_at_inference import train_mode_at_inference
from checks.facts import Measurements, ModelMeasured, Symptom
from checks.facts.finding import NotHere, Severity

NET = {"path": "/models/net.pt", "framework": "torch", "device": "cpu"}
REPEATED = ModelMeasured(aspect="repeat", repetitions=100, distinct=1, **NET)


def told(detail: str) -> Measurements:
    return Measurements(all=(ModelMeasured(aspect="state", reason="keeps-state", detail=detail, **NET), REPEATED))


@pytest.mark.parametrize(
    ("symptom", "severity"),
    [
        pytest.param("results-change", Severity.WARNING, id="asked-for"),
        pytest.param("models", Severity.WARNING, id="model-files-that-are-repeated"),
        pytest.param("everything", Severity.WARNING, id="everything"),
        pytest.param("results-differ", Severity.WARNING, id="asked-of-places"),
    ],
)
def test_what_is_kept_is_named(symptom: str, severity: Severity) -> None:
    (finding,) = rng_state_consumed(told("calls, seen"), Symptom(name=symptom))
    assert (finding.severity, finding.values["kept"]) == (severity, "calls, seen")
    assert finding.remedies == ("set-model-state-back",)


def test_statistics_that_are_learnt_are_training_mode() -> None:
    learning = told("1.running_mean, 1.running_var, 1.num_batches_tracked")
    assert list(rng_state_consumed(learning, None)) == []
    (finding,) = train_mode_at_inference(learning)
    assert finding.severity is Severity.WARNING


def test_a_model_that_keeps_nothing_is_fine() -> None:
    assert list(rng_state_consumed(Measurements(all=(REPEATED,)), None)) == []


def test_nothing_to_say_where_no_model_was_run_again() -> None:
    with pytest.raises(NotHere):
        list(rng_state_consumed(Measurements(all=()), None))
