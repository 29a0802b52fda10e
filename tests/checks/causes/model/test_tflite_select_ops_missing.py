"""When an interpreter lacks the operators of TensorFlow itself. The answers are those of the releases named."""

import msgspec
import pytest
from support.tflite_files import evidence, files, litert, loaded, plain, tensorflow

from checks.causes.model.tflite_select_ops_missing import tflite_select_ops_missing
from checks.facts import LiteRtFacts, ModelFacts, TensorFlowFacts
from checks.facts.finding import NotHere, Severity

FLEX = plain("flex")


@pytest.mark.parametrize(
    ("lite", "tf", "runtime"),
    [
        pytest.param(litert("2.3.0"), None, "litert", id="litert"),
        pytest.param(litert("2.14.0", "tflite-runtime"), None, "litert", id="tflite-runtime"),
        pytest.param(None, tensorflow("2.19.1"), "tensorflow", id="tensorflow-without-flex"),
        pytest.param(litert("2.3.0"), tensorflow("2.18.1"), "litert", id="tensorflow-beside-it-has-flex"),
    ],
)
def test_refused(lite: LiteRtFacts | None, tf: TensorFlowFacts | None, runtime: str) -> None:
    (found,) = tflite_select_ops_missing(files(FLEX), lite, tf)
    assert (found.severity, found.values) == (Severity.BLOCKING, {"model_path": FLEX.path, "runtime": runtime})
    assert evidence(found)["operators"] == "FlexErf ×1"


def test_two_interpreters_are_two_findings() -> None:
    found = list(tflite_select_ops_missing(files(FLEX), litert("2.3.0"), tensorflow("2.21.0")))
    assert [each.values["runtime"] for each in found] == ["litert", "tensorflow"]
    assert len({each.subject for each in found}) == 2


@pytest.mark.parametrize(
    ("model", "lite", "tf"),
    [
        pytest.param(FLEX, None, tensorflow("2.18.1"), id="the-last-tensorflow-with-flex"),
        pytest.param(plain("int8"), litert("2.3.0"), None, id="built-in-operators-only"),
        pytest.param(plain("custom"), litert("2.3.0"), None, id="custom-is-not-flex"),
        pytest.param(loaded(FLEX), litert("2.3.0"), None, id="loaded-all-the-same"),
        pytest.param(msgspec.structs.replace(FLEX, problem="truncated"), litert("2.3.0"), None, id="not-whole"),
    ],
)
def test_silent(model: ModelFacts, lite: LiteRtFacts | None, tf: TensorFlowFacts | None) -> None:
    assert list(tflite_select_ops_missing(files(model), lite, tf)) == []


def test_nothing_is_fine_where_nothing_could_read_it() -> None:
    with pytest.raises(NotHere) as raised:
        list(tflite_select_ops_missing(files(FLEX), None, None))
    assert (raised.value.fact, raised.value.reason) == ("litert", "not-collected")
