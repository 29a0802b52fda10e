"""When ONNX Runtime has no code for an operator."""

import msgspec
import pytest
from support.onnx_files import CPU, evidence, loaded, model, ort

from checks.causes.model.onnx_runtime_op_unimplemented import onnx_runtime_op_unimplemented
from checks.facts import Gpus, MachineFacts, ModelFacts, ModelFiles, OperatorUse, OsFacts
from checks.facts.finding import Finding, Severity, Unread

WITH_CUDA = ("CUDAExecutionProvider", "CPUExecutionProvider")


def with_operator(name: str, opset: int, domain: str = "") -> ModelFacts:
    facts = model("abs.onnx")
    use = OperatorUse(name=name, domain=domain, is_custom=bool(domain))
    needs = msgspec.structs.replace(facts.needs, opsets={"": 17, domain: opset}, operators=(use,))
    return msgspec.structs.replace(facts, needs=needs)


def findings(facts: ModelFacts, version: str = "1.31.1", providers: tuple[str, ...] = CPU) -> list[Finding]:
    return list(onnx_runtime_op_unimplemented(ModelFiles(files=(facts,)), ort(version, providers)))


@pytest.mark.parametrize(
    ("facts", "version", "named", "remedy"),
    [
        pytest.param(model("made/max_roi_pool.onnx"), "1.31.1", "MaxRoiPool(22)", "run-operator-elsewhere", id="none"),
        pytest.param(with_operator("RoiAlign", 23), "1.31.1", "RoiAlign(22)", "run-operator-elsewhere", id="changed"),
        pytest.param(with_operator("Relu", 5), "1.31.1", "Relu(1)", "export-with-another-opset", id="long-ago"),
        pytest.param(with_operator("DeformConv", 19), "1.24.4", "DeformConv(19)", "update-onnxruntime", id="later"),
        pytest.param(
            with_operator("NhwcConv", 1, "com.microsoft"),
            "1.31.1",
            "com.microsoft:NhwcConv(1)",
            "run-operator-elsewhere",
            id="for-cuda-only",
        ),
    ],
)
def test_missing(facts: ModelFacts, version: str, named: str, remedy: str) -> None:
    (found,) = findings(facts, version)
    assert (found.severity, found.confidence) == (Severity.BLOCKING, 0.9)
    assert evidence(found)["operators"] == named
    assert found.remedies[0] == remedy


@pytest.mark.parametrize(
    ("facts", "remedy"),
    [
        (with_operator("RoiAlign", 23), "export-with-another-opset"),
        (with_operator("NhwcConv", 1, "com.microsoft"), "export-without-custom-op"),
    ],
)
def test_no_gpu_that_could_compute_it(facts: ModelFacts, remedy: str) -> None:
    bare = MachineFacts(os=OsFacts(system="Linux"), gpus=Gpus())
    (found,) = onnx_runtime_op_unimplemented(ModelFiles(files=(facts,)), ort("1.31.1", CPU), bare)
    assert found.remedies[0] == remedy
    assert "run-operator-elsewhere" not in found.remedies


def test_a_type_without_code() -> None:
    (found,) = findings(model("made/conv_float64.onnx"))
    assert (evidence(found)["operators"], evidence(found)["weights_dtype"]) == ("Conv(11)", "float64")
    assert found.remedies == ("change-type-of-operator",)


@pytest.mark.parametrize(
    ("facts", "version", "providers"),
    [
        pytest.param(with_operator("RoiAlign", 21), "1.31.1", CPU, id="before-it-changed"),
        pytest.param(with_operator("Relu", 6), "1.31.1", CPU, id="the-oldest"),
        pytest.param(with_operator("GroupNormalization", 21), "1.31.1", CPU, id="by-way-of-others"),
        pytest.param(with_operator("DeformConv", 19), "1.25.0", CPU, id="since-then"),
        pytest.param(with_operator("Cos", 22), "1.20.1", CPU, id="the-opset-is-refused-anyway"),
        pytest.param(with_operator("MaxRoiPool", 22), "1.99.0", CPU, id="newer-than-the-table"),
        pytest.param(with_operator("NhwcConv", 1, "com.microsoft"), "1.31.1", WITH_CUDA, id="cuda-has-it"),
        pytest.param(
            model("made/max_roi_pool.onnx"), "1.31.1", ("OpenVINOExecutionProvider",), id="a-provider-without-list"
        ),
        pytest.param(with_operator("EPContext", 1, "com.microsoft"), "1.31.1", CPU, id="compiled"),
        pytest.param(model("made/custom_op.onnx"), "1.31.1", CPU, id="another-cause"),
        pytest.param(model("light_bvlc_alexnet.onnx"), "1.31.1", CPU, id="all-there"),
        pytest.param(model("made/conv_float64.onnx"), "1.31.1", WITH_CUDA, id="float64-on-cuda"),
        pytest.param(model("made/max_roi_pool.onnx", loaded()), "1.31.1", CPU, id="loaded-in-fact"),
    ],
)
def test_silent(facts: ModelFacts, version: str, providers: tuple[str, ...]) -> None:
    assert findings(facts, version, providers) == []


def test_cuda_lacks_it_too() -> None:
    (found,) = findings(with_operator("Multinomial", 22), providers=WITH_CUDA)
    assert found.confidence == 0.75


def test_what_is_not_known_is_not_called_fitting() -> None:
    with pytest.raises(Unread):
        list(onnx_runtime_op_unimplemented(ModelFiles(files=(model("abs.onnx"),)), ort(None)))
    with pytest.raises(Unread):
        list(onnx_runtime_op_unimplemented(ModelFiles(files=(model("abs.onnx"),)), ort(providers=None)))
