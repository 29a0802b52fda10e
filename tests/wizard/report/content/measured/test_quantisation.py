"""What quantisation loses, in words: the layer, what mended it, and how far that may be trusted."""

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.facts import Facts, LayerLoss, QuantisationLoss, WeightLoss
from checks.facts.case import Answers
from checks.judgement.judge import judged
from wizard.report.content.blocks import MeasuredSection
from wizard.report.content.measured.quantisation import quantisation_section

(RECORDED,) = measurements("model-onnxruntime-1.32.0-quantised-outlier")
POOR = WeightLoss(
    name="c1.weight", dtype="int8", shape=(16, 1, 3, 3), scales=1, sqnr=35.8, poorest=2.0, steps=2, ratio=158
)


def section(language: str = "en", **more: object) -> MeasuredSection:
    assert isinstance(RECORDED, QuantisationLoss)
    changed = msgspec.structs.replace(RECORDED, **{"weights": (POOR,), **more})
    found = quantisation_section(judged(Facts(measurements=(changed,)), Answers(symptom="models")), language)
    assert found is not None
    return found


def test_the_layer_its_figures_and_what_was_seen_to_mend_it() -> None:
    found = section()
    text = " ".join(found.sentences)
    assert (
        "/c1/Conv (Conv) loses most: computed in float, with all else quantised, it leaves the output at 36.5" in text
    )
    assert "changes in 21.88 % of the 64 rows" in text
    assert "What was seen to mend it: a scale for each channel of the weights" in text
    assert "c1.weight (down to 2 of 256 codes, the largest channel 158 times the usual one)" in text
    layers, tried = found.tables
    (worst,) = (row for row in layers.rows if row.state == "warning")
    assert worst.cells[:2] == ("/c1/Conv (Conv)", "2.0")
    assert worst.cells[-1] == "36.5"
    assert [row.state for row in tried.rows].count("clear") == 1
    assert [plot.series[0].name for plot in found.plots] == ["Own loss"]


def test_japanese() -> None:
    text = " ".join(section("ja").sentences)
    assert "損失が最も大きいのは/c1/Conv (Conv)です" in text
    assert "{" not in text


def test_made_up_inputs_are_said_to_be_no_proof() -> None:
    text = " ".join(section(inputs_from="drawn").sentences)
    assert "The inputs were made up" in text
    assert "rows of your inputs" not in text


def test_another_model_is_not_said_to_lose_anything() -> None:
    found = section(weights=(msgspec.structs.replace(POOR, sqnr=-1.0),))
    assert "was not made of o_float.onnx" in found.sentences[0]
    assert len(found.sentences) == 1


def test_what_was_not_run_and_one_alone() -> None:
    weights = section(reason="weights-only", layers=(), tried=())
    assert "only the weights were compared" in weights.sentences[0]
    assert weights.tables[0].rows[0].cells == ("c1.weight", "int8", "35.8", "2.0", "–", "1", "2")
    assert weights.sentences[1] == "int8: 1 weights, in the middle 35.8 dB, the least 35.8 dB at c1.weight."
    assert "the weights were compared" in section(reason="weights-only", layers=(), framework="").sentences[0]
    codes = LayerLoss(name="x", clipped=0.13, reaches=(0.0, 0.1), seen=(0.0, 1.0))
    alone = section(first="", layers=(codes,), tried=(), weights=())
    assert "was run by itself" in alone.sentences[0]
    assert "13.0 % of its numbers lie beyond what its codes can hold (0 … 0.1; seen were 0 … 1)" in alone.sentences[1]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_infinities_and_other_inputs(language: str) -> None:
    lost = LayerLoss(name="c4", op="Conv", lost=5, here=-300.0)
    text = " ".join(section(language, layers=(lost,), tried=(), weights=()).sentences)
    assert "c4 (Conv)" in text
    assert "-300" not in text
    assert "{" not in " ".join(section(language, reason="other-inputs").sentences)
