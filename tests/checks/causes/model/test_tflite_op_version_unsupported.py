"""When an interpreter is older than a model's operators. The answers are those of the releases named."""

import msgspec
import pytest
from support.tflite_files import evidence, files, litert, loaded, plain, tensorflow

from checks.causes.model.tflite_op_version_unsupported import tflite_op_version_unsupported
from checks.facts import LiteRtFacts, ModelFacts, OperatorUse, TensorFlowFacts
from checks.facts.finding import Severity, Unread

DENSE = plain("dynamic_range")  # FULLY_CONNECTED 12


def using(name: str, version: int) -> ModelFacts:
    needs = msgspec.structs.replace(DENSE.needs, operators=(OperatorUse(name=name, version=version),))
    return msgspec.structs.replace(DENSE, needs=needs)


@pytest.mark.parametrize(
    ("model", "lite", "tf", "needed"),
    [
        pytest.param(DENSE, litert("2.14.0", "tflite-runtime"), None, "tensorflow>=2.17", id="the-last-tflite-runtime"),
        pytest.param(DENSE, None, tensorflow("2.16.2"), "tensorflow>=2.17", id="tensorflow"),
        pytest.param(
            using("QUANTIZE", 5), litert("2.1.2"), None, "ai-edge-litert>=2.1.3", id="between-patches-of-litert"
        ),
        pytest.param(
            using("CONV_2D", 7),
            litert("2.11.0", "tflite-runtime"),
            None,
            "tensorflow>=2.12",
            id="table-of-the-source-errs",
        ),
        pytest.param(
            using("Convolution2DTransposeBias", 1),
            None,
            tensorflow("2.16.2"),
            "tensorflow>=2.18",
            id="brought-along-later",
        ),
        pytest.param(using("ADD", 6), None, tensorflow("2.21.0"), None, id="in-no-tensorflow-so-far"),
        pytest.param(using("STABLEHLO_LOG", 1), litert("2.3.0"), None, None, id="in-none-at-all"),
        pytest.param(using("ADD", 99), litert("2.3.0"), None, None, id="newer-than-the-table"),
        pytest.param(using("BUILTIN_250", 1), litert("2.3.0"), None, None, id="operator-without-a-name"),
    ],
)
def test_too_old(model: ModelFacts, lite: LiteRtFacts | None, tf: TensorFlowFacts | None, needed: str | None) -> None:
    (found,) = tflite_op_version_unsupported(files(model), lite, tf)
    assert (found.severity, found.values["runtime"]) == (Severity.BLOCKING, "litert" if lite else "tensorflow")
    assert evidence(found).get("needed") == needed


def test_the_way_out() -> None:
    (found,) = tflite_op_version_unsupported(files(DENSE), litert("2.14.0", "tflite-runtime"), None)
    assert found.remedies == ()  # as the cause's file has them: update, or convert
    (found,) = tflite_op_version_unsupported(files(using("STABLEHLO_LOG", 1)), litert("2.3.0"), None)
    assert found.remedies == ("convert-tflite-for-older-runtime",)
    (found,) = tflite_op_version_unsupported(files(using("ADD", 6)), None, tensorflow("2.21.0"))
    assert found.remedies == ()  # LiteRT knows it already


@pytest.mark.parametrize(
    ("model", "lite", "tf"),
    [
        pytest.param(DENSE, litert("1.0.1"), None, id="litert-knew-it-from-the-first"),
        pytest.param(DENSE, None, tensorflow("2.17.0"), id="the-release-itself"),
        pytest.param(DENSE, None, tensorflow("2.17.0rc1"), id="its-candidate"),
        pytest.param(plain("int8"), litert("2.7.0", "tflite-runtime"), None, id="old-operators"),
        pytest.param(plain("flex"), litert("2.3.0"), None, id="flex-is-another-cause"),
        pytest.param(plain("custom"), litert("2.3.0"), None, id="custom-is-another-cause"),
        pytest.param(using("ADD", 99), litert("9.0.0"), None, id="interpreter-newer-than-the-table"),
        pytest.param(loaded(DENSE), litert("2.14.0", "tflite-runtime"), None, id="loaded-all-the-same"),
    ],
)
def test_silent(model: ModelFacts, lite: LiteRtFacts | None, tf: TensorFlowFacts | None) -> None:
    assert list(tflite_op_version_unsupported(files(model), lite, tf)) == []


def test_an_unread_version_is_not_called_fitting() -> None:
    with pytest.raises(Unread):
        list(tflite_op_version_unsupported(files(DENSE), litert(None), None))
