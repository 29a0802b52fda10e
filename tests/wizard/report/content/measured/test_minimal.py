"""The smallest part of a model in words: what it is, how sure that is, and what the folder holds."""

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.facts import CutNode, ErrorText, Facts, MinimalGraph
from checks.facts.case import Answers
from checks.judgement.judge import judged
from wizard.report.content.blocks import MeasuredSection
from wizard.report.content.measured.minimal import minimal_section

(RECORDED,) = measurements("model-onnxruntime-1.32.0-minimal-layer-norm")


def section(language: str = "en", **more: object) -> MeasuredSection:
    assert isinstance(RECORDED, MinimalGraph)
    changed = msgspec.structs.replace(RECORDED, **more)
    found = minimal_section(judged(Facts(measurements=(changed,)), Answers(symptom="models")), language)
    assert found is not None
    return found


def test_the_nodes_the_settings_and_how_often_it_was_seen_again() -> None:
    found = section(folder="/home/user/out")
    text = " ".join(found.sentences)
    assert "2 of 159 nodes are enough (Add, LayerNormalization)" in text
    assert "Without optimisation" in text
    assert "All optimisations" in text
    assert "3 of 3 times" in text
    assert "Without any one of these nodes it shows no more." in text
    assert "holds 2 weight tensors of your model" in text
    assert "made-up inputs" in text
    nodes, printed = found.tables
    assert nodes.rows[1].cells == ("/n2/LayerNormalization", "LayerNormalization", "axis=-1, epsilon=1e-05")
    assert printed.rows[0].cells == ("1", "onnxruntime 1.32.0")


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "shows", ["beyond", "rounding", "not-finite", "decision", "lost", "error", "crash", "timed-out"]
)
def test_every_kind_has_words(shows: str, language: str) -> None:
    error = ErrorText(type="Fail", message="no kernel for Bad(1)")
    text = " ".join(section(language, shows=shows, error=error, is_least=False, inputs_from="file").sentences)
    assert "no kernel for Bad(1)" in text
    assert "{" not in text


def test_a_whole_model_is_not_called_a_part() -> None:
    found = section(nodes_after=159, nodes=(CutNode(name="a", op="Add"),))
    assert "no smaller part shows" in found.sentences[0]
    assert "13 parts" in found.sentences[0]


def test_numbers_that_get_lost_and_two_versions() -> None:
    assert "under CPUExecutionProvider" in section(shows="lost", other="", other_device="").sentences[0]
    versions = section(other="ORT_DISABLE_ALL", other_version="1.16.3")
    assert "between ONNX Runtime 1.32.0 and 1.16.3" in versions.sentences[0]


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("no-difference", "the whole model shows no difference"),
        ("model-too-large", "two gigabytes"),
        ("no-time", "the time was up"),
        ("own-error", "an error in Naosu itself"),
    ],
)
def test_why_there_is_none(reason: str, words: str) -> None:
    found = section(reason=reason)
    assert words in found.sentences[0]
    assert found.tables == ()
