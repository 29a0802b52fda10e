"""When a model has operators that ONNX Runtime does not bring."""

import msgspec
import pytest
from support.onnx_files import CPU, evidence, loaded, model, ort
from support.tflite_files import compiled, files, litert, plain, tensorflow
from support.tflite_files import loaded as tflite_loaded

from checks.causes.model.custom_op_not_registered import custom_op_not_registered
from checks.facts import InterpreterFacts, LiteRtFacts, ModelFacts, ModelFiles, OperatorUse, Package, TensorFlowFacts
from checks.facts.finding import Finding, NotCollected, Severity, Unread


def target(*packages: str) -> InterpreterFacts:
    return InterpreterFacts(path="python", packages=tuple(Package(name=package, version="1.0") for package in packages))


def with_operator(name: str, domain: str) -> ModelFacts:
    facts = model("made/custom_op.onnx")
    needs = msgspec.structs.replace(facts.needs, operators=(OperatorUse(name=name, domain=domain, is_custom=True),))
    return msgspec.structs.replace(facts, needs=needs)


def findings(
    facts: ModelFacts,
    *packages: str,
    version: str = "1.31.1",
    providers: tuple[str, ...] = CPU,
) -> list[Finding]:
    found = custom_op_not_registered(ModelFiles(files=(facts,)), ort(version, providers), target(*packages))
    return list(found)


@pytest.mark.parametrize(
    ("facts", "confidence", "remedy"),
    [
        pytest.param(model("made/custom_op.onnx"), 0.75, "load-custom-op-library", id="nobody-knows-it"),
        pytest.param(model("made/extensions_op.onnx"), 0.85, "load-custom-op-library", id="extensions"),
        pytest.param(with_operator("grid_sampler", "mmdeploy"), 0.85, "load-custom-op-library", id="mmdeploy"),
        pytest.param(with_operator("EfficientNMS_TRT", "TRT"), 0.85, "export-without-custom-op", id="a-plugin"),
        pytest.param(with_operator("upsample_linear1d", "aten"), 0.9, "export-without-custom-op", id="left-over"),
        pytest.param(with_operator("ATen", "org.pytorch.aten"), 0.85, "export-without-custom-op", id="training"),
        pytest.param(with_operator("Quant", "qonnx.custom_op.general"), 0.85, "export-without-custom-op", id="qonnx"),
        pytest.param(with_operator("FusedGelu", ""), 0.9, "export-without-custom-op", id="no-operator-of-onnx"),
        pytest.param(with_operator("NoSuch", "com.microsoft"), 0.95, "update-onnxruntime", id="not-microsofts"),
    ],
)
def test_not_there(facts: ModelFacts, confidence: float, remedy: str) -> None:
    (found,) = findings(facts)
    assert (found.severity, found.confidence) == (Severity.BLOCKING, confidence)
    assert found.remedies[0] == remedy
    assert found.values["runtime"] == "onnxruntime"


def test_several_are_one_finding() -> None:
    (found,) = findings(model("made/custom_domains.onnx"))
    assert evidence(found)["operators"] == (
        "FusedGelu, TRT:EfficientNMS_TRT, ai.onnx.contrib:BertTokenizer, com.example:MyOp"
    )
    assert evidence(found)["library_wanted"] == "onnxruntime-extensions"


def test_microsofts_operators_came_with_releases() -> None:
    assert findings(model("made/four_bits.onnx"), version="1.16.3") == []  # MatMulNBits is there
    newer = with_operator("GatherBlockQuantized", "com.microsoft")
    (found,) = findings(newer, version="1.19.2")
    assert evidence(found)["operators"] == "com.microsoft:GatherBlockQuantized"
    assert findings(newer, version="1.20.1") == []


@pytest.mark.parametrize(
    ("facts", "packages", "version", "providers"),
    [
        pytest.param(model("abs.onnx"), (), "1.31.1", CPU, id="onnx-only"),
        pytest.param(model("made/function.onnx"), (), "1.31.1", CPU, id="its-own-function"),
        pytest.param(model("made/extensions_op.onnx"), ("onnxruntime-extensions",), "1.31.1", CPU, id="installed"),
        pytest.param(
            with_operator("EfficientNMS_TRT", "TRT"), (), "1.31.1", ("TensorrtExecutionProvider",), id="a-plugin-there"
        ),
        pytest.param(with_operator("Conv", "com.microsoft.nchwc"), (), "1.31.1", CPU, id="optimised"),
        pytest.param(with_operator("NoSuch", "com.microsoft"), (), "1.99.0", CPU, id="newer-than-the-table"),
        pytest.param(with_operator("NoSuch", "com.microsoft"), (), "1.10.0", CPU, id="older-than-the-table"),
        pytest.param(model("made/custom_op.onnx", loaded()), (), "1.31.1", CPU, id="loaded-in-fact"),
    ],
)
def test_silent(facts: ModelFacts, packages: tuple[str, ...], version: str, providers: tuple[str, ...]) -> None:
    assert findings(facts, *packages, version=version, providers=providers) == []


def test_unread_packages_are_not_called_missing() -> None:
    with pytest.raises(Unread):
        list(custom_op_not_registered(ModelFiles(files=(model("made/extensions_op.onnx"),)), ort(), None))


@pytest.mark.parametrize(
    ("lite", "tf", "runtimes"),
    [
        pytest.param(litert("2.3.0"), None, ["litert"], id="litert"),
        pytest.param(litert("2.14.0", "tflite-runtime"), tensorflow("2.21.0"), ["litert", "tensorflow"], id="both"),
    ],
)
def test_a_custom_operator_of_tflite(lite: LiteRtFacts | None, tf: TensorFlowFacts | None, runtimes: list[str]) -> None:
    found = list(custom_op_not_registered(files(plain("custom")), None, None, lite, tf))
    assert [each.values["runtime"] for each in found] == runtimes
    assert all(evidence(each)["operators"] == "Erf ×1" for each in found)


@pytest.mark.parametrize(
    ("model", "fact"),
    [
        pytest.param(plain("custom"), "litert", id="tflite"),
        pytest.param(model("made/custom_op.onnx"), "onnxruntime", id="onnx"),
        pytest.param(ModelFacts(path="/m", format="savedmodel"), "tensorflow", id="savedmodel"),
    ],
)
def test_nothing_is_fine_where_nothing_could_read_it(model: ModelFacts, fact: str) -> None:
    with pytest.raises(NotCollected) as raised:
        list(custom_op_not_registered(files(model), None, None))
    assert raised.value.fact == fact


def test_a_tflite_model_without_onnxruntime() -> None:
    assert list(custom_op_not_registered(files(plain("int8")), None, None, None, tensorflow("2.21.0"))) == []


def test_operators_of_tensorflow_and_the_edge_tpu_are_other_causes() -> None:
    models = files(plain("flex"), plain("int8"), compiled("leaky_edgetpu"), tflite_loaded(plain("custom")))
    assert list(custom_op_not_registered(models, None, None, litert("2.3.0"))) == []


def test_a_part_for_a_phones_npu_runs_nowhere_else() -> None:
    (found,) = custom_op_not_registered(files(plain("npu")), None, None, litert("2.3.0"))
    assert evidence(found)["operators"] == "DISPATCH_OP ×1"
