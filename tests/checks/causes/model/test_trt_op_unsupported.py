"""When TensorRT's parser does not know an operator."""

import msgspec
import pytest
from support.onnx_files import evidence, loaded, model

from checks.causes.model.trt_op_unsupported import trt_op_unsupported
from checks.facts import (
    Gpu,
    Gpus,
    InterpreterFacts,
    MachineFacts,
    ModelFacts,
    ModelFiles,
    OperatorUse,
    Package,
    TensorRtFacts,
)
from checks.facts.finding import Finding, NotCollected, NotHere, Severity


def with_operator(name: str, domain: str = "", *, is_custom: bool = False) -> ModelFacts:
    facts = model("abs.onnx")
    use = OperatorUse(name=name, domain=domain, is_custom=is_custom or bool(domain))
    return msgspec.structs.replace(facts, needs=msgspec.structs.replace(facts.needs, operators=(use,)))


def findings(facts: ModelFacts, version: str | None) -> list[Finding]:
    tensorrt = TensorRtFacts(version=version) if version else None
    return list(trt_op_unsupported(ModelFiles(files=(facts,)), tensorrt, None, None))


@pytest.mark.parametrize(
    ("facts", "version", "named"),
    [
        (with_operator("Unique"), "10.15.1.29", "Unique"),
        (with_operator("RMSNormalization"), "10.9.0.34", "RMSNormalization"),
        (with_operator("Attention"), "10.13.3.9", "Attention"),
        (with_operator("STFT"), "10.4.0.26", "STFT"),
        (with_operator("Unique"), "8.6.1", "Unique"),
        (with_operator("LayerNormalization"), "8.5.3", "LayerNormalization"),  # came with 8.6
        (with_operator("RMSNormalization"), "10.1.0", "RMSNormalization"),
        (with_operator("FusedMatMul", "com.microsoft"), "10.9.0.34", "com.microsoft:FusedMatMul"),
        (model("qlinearconv.onnx"), "10.9.0.34", "QLinearConv"),
        (
            model("logreg_iris.onnx"),
            "10.9.0.34",
            "ai.onnx.ml:LinearClassifier, ai.onnx.ml:Normalizer, ai.onnx.ml:ZipMap",
        ),
    ],
)
def test_not_in_the_list(facts: ModelFacts, version: str, named: str) -> None:
    (found,) = findings(facts, version)
    assert (found.severity, found.confidence) == (Severity.BLOCKING, 0.85)
    assert evidence(found)["operators"] == named
    assert found.values["runtime"] == "tensorrt"


def test_newer_than_any_list() -> None:
    (found,) = findings(with_operator("Unique"), "11.4.0.106")
    assert (found.severity, found.confidence) == (Severity.WARNING, 0.6)


@pytest.mark.parametrize(
    ("facts", "version"),
    [
        pytest.param(with_operator("LayerNormalization"), "8.6.1", id="since-then"),
        pytest.param(with_operator("RMSNormalization"), "10.15.1.29", id="since-10.15"),
        pytest.param(with_operator("Attention"), "10.14.1.48", id="since-10.14"),
        pytest.param(with_operator("Conv"), "11.4.0.106", id="newest"),
        pytest.param(with_operator("DequantizeLinear", "com.microsoft"), "10.9.0.34", id="the-same-name"),
        pytest.param(with_operator("EfficientNMS_TRT", "TRT"), "10.9.0.34", id="a-plugin"),
        pytest.param(with_operator("BatchedNMS_TRT", is_custom=True), "10.9.0.34", id="a-plugin-without-a-domain"),
        pytest.param(model("light_bvlc_alexnet.onnx"), "8.6.1", id="a-network"),
    ],
)
def test_silent(facts: ModelFacts, version: str | None) -> None:
    assert findings(facts, version) == []


def test_nothing_is_fine_where_nothing_could_read_it() -> None:
    with pytest.raises(NotHere) as raised:
        findings(with_operator("Unique"), None)
    assert (raised.value.fact, raised.value.reason) == ("tensorrt", "not-collected")


def test_what_was_loaded_is_known() -> None:
    facts = msgspec.structs.replace(with_operator("Unique"), runs=(loaded("tensorrt"),))
    assert findings(facts, "10.9.0.34") == []


def test_installed_but_not_imported() -> None:
    files = ModelFiles(files=(with_operator("Unique"),))
    target = InterpreterFacts(path="python", packages=(Package(name="tensorrt-cu12", version="10.9.0.34"),))
    gpu = MachineFacts(gpus=Gpus(devices=(Gpu(vendor_id="10de", product="GeForce RTX 3060"),)))
    assert len(list(trt_op_unsupported(files, None, gpu, target))) == 1
    for machine, interpreter in ((MachineFacts(), target), (gpu, None)):
        with pytest.raises(NotCollected, match="tensorrt"):
            list(trt_op_unsupported(files, None, machine, interpreter))
