"""A quantised model beside its float model: the headline names the loss and the layers, and who has to decide."""

from typing import Any

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.facts import Facts, LayerLoss, ModelFacts, QuantisationLoss
from checks.facts.case import Answers
from checks.facts.question import MODELS
from checks.judgement.judge import judged
from wizard.report.content.blocks import Verdict
from wizard.report.content.verdict import verdict_of

(RECORDED,) = measurements("model-onnxruntime-1.32.0-quantised-outlier")
SOUND = LayerLoss(name="/c9/Conv", op="Conv", own=33.0)


def verdict(language: str = "en", **more: Any) -> Verdict:
    assert isinstance(RECORDED, QuantisationLoss)
    loss = msgspec.structs.replace(RECORDED, **more)
    files = tuple(ModelFacts(path=path, name=path, format="onnx") for path in (loss.first, loss.path))
    case = judged(Facts(models=files, measurements=(loss,)), Answers(symptom=MODELS))
    return verdict_of(case, ["title" for _ in case.findings], language)


def test_the_loss_and_the_layer_are_the_headline() -> None:
    found = verdict()
    assert found.sentence == (
        "o.onnx loses much beside o_float.onnx: the output has a signal-to-noise ratio of 11.1 dB. Most is lost at "
        "/c1/Conv (36.5 dB with it in float). 21.88 % of the decisions on your inputs change."
    )
    assert found.state == "warning"
    assert "/c1/Conv" in verdict("ja").sentence


def test_made_up_inputs_decide_nothing() -> None:
    found = verdict(inputs_from="drawn")
    assert found.sentence.endswith("The inputs were made up; real ones (--inputs) decide.")
    assert (found.state, found.symbol) == ("incomplete", "?")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"sqnr": 38.0, "decisions": 1.0, "layers": (SOUND,)}, "Most of that is lost at /c9/Conv (33.0 dB of its own)"),
        ({"sqnr": None, "decisions": 1.0}, "o.onnx loses nothing beside o_float.onnx with these inputs."),
        ({"layers": (LayerLoss(name="/c4", op="Conv", lost=9),)}, "at /c4 (Conv) they become infinite or NaN."),
    ],
    ids=["sound", "nothing", "overflow"],
)
def test_other_ends(more: dict[str, Any], sentence: str) -> None:
    assert sentence in verdict(**more).sentence
    assert verdict("ja", **more).sentence


def test_a_pair_that_was_not_run_is_judged_by_its_files() -> None:
    assert "signal" not in verdict(reason="failed", difference=None).sentence
