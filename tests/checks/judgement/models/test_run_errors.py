"""What the trials of models find: the cause that the runtime's own words name, and what ran elsewhere."""

import pytest
from support.recorded_runs import NAMES, facts, model, onnxruntime, plain
from support.sayable import assert_sayable

from checks.facts import ErrorText, Facts, ModelFacts, ModelRun, ProviderShare
from checks.facts.case import Answers
from checks.facts.finding import Evidence, Finding, Outcome, Severity, Status
from checks.judgement.judge import judged
from checks.judgement.models.run_errors import with_runs

PATH = "/home/user/models/model"


def findings(case: Facts, *known: Finding) -> list[Finding]:
    before = [Outcome(cause=each.cause, status=Status.FOUND, findings=(each,)) for each in known]
    return [finding for outcome in with_runs(case, before) for finding in outcome.findings]


def failed(message: str, **more: object) -> ModelRun:
    error = ErrorText(type="RuntimeError", message=message)
    return ModelRun(
        **{"runtime": "onnxruntime", "setting": "CPUExecutionProvider", "loaded": False, "error": error, **more}
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "cause", "severity"),
    [
        ("onnxruntime-1.10.0-ir-10", "onnx-ir-version-unsupported", Severity.BLOCKING),
        ("onnxruntime-1.10.0-opset-18", "onnx-opset-unsupported", Severity.BLOCKING),
        ("onnxruntime-1.31.1-not-implemented", "onnx-runtime-op-unimplemented", Severity.BLOCKING),
        ("onnxruntime-openvino-1.24.1-refused", "onnx-runtime-op-unimplemented", Severity.WARNING),
        ("onnxruntime-openvino-1.24.1-crash", "unknown", Severity.WARNING),
        ("onnxruntime-1.31.1-locale", "unknown", Severity.BLOCKING),
        ("openvino-2026.4.1-conversion", "onnx-runtime-op-unimplemented", Severity.BLOCKING),
        ("openvino-2026.4.1-dynamic-rank", "onnx-runtime-op-unimplemented", Severity.BLOCKING),
        ("litert-2.3.0-custom-op", "custom-op-not-registered", Severity.BLOCKING),
        ("tflite-runtime-2.14.0-custom-op", "custom-op-not-registered", Severity.BLOCKING),
        ("torch-2.13.0-weights-only-refused", "checkpoint-weights-only-refused", Severity.BLOCKING),
        ("keras-2.13.1-newer-file", "keras-version-mismatch", Severity.BLOCKING),
        ("llama-cpp-python-0.3.36-architecture", "model-architecture-unknown", Severity.BLOCKING),
    ],
)
def test_the_cause_that_the_words_of_a_real_error_name(name: str, cause: str, severity: Severity) -> None:
    (found,) = findings(facts(model(name)))
    assert (found.cause, found.severity) == (cause, severity)
    assert found.values["model_path"] == PATH
    assert found.values["runtime"] == plain(name)["runtime"]
    assert found.subject.startswith(f"{PATH} / ")
    (words,) = [each.value for each in found.evidence if each.name in {"clue", "error_text"}]
    assert words
    assert ".cc:" not in words
    assert_sayable(found)


@pytest.mark.parametrize(
    "name",
    [
        "onnxruntime-1.31.1-nudenet",
        "onnxruntime-1.31.1-inputs-refused",
        "litert-2.3.0-pitch",  # XNNPACK and the interpreter are both the processor
        "torch-2.13.0-weights",
        "torch-2.13.0-torchscript-setstate",
        "tensorflow-2.21.0-writes-while-loading",
        "keras-3.15.1-weights-alone",
    ],
)
def test_silent(name: str) -> None:
    assert findings(facts(model(name))) == []


def test_what_is_wrong_with_the_runtime_is_not_laid_to_the_model() -> None:
    """CUDA's provider was dropped; that of TensorRT refused to start."""
    found = findings(facts(model("onnxruntime-gpu-1.31.1-without-cuda")))
    assert [each.values["setting"] for each in found] == ["TensorrtExecutionProvider"]
    assert {each.severity for each in found} == {Severity.WARNING}


def test_what_a_device_left_to_the_processor() -> None:
    (found,) = findings(facts(model("onnxruntime-openvino-1.24.1-fallback"), onnxruntime=onnxruntime()))
    assert (found.cause, found.severity) == ("onnx-runtime-op-unimplemented", Severity.NOTE)
    values = {each.name: each.value for each in found.evidence}
    assert values["framework"] == "onnxruntime 1.24.1"
    assert values["ort_provider"] == "OpenVINOExecutionProvider"
    assert values["ran_on"] == "CPUExecutionProvider"
    assert values["operators_elsewhere"] == "ConvInteger ×21, DynamicQuantizeLSTM ×1"
    assert values["time_elsewhere"].endswith("%")
    assert_sayable(found)


@pytest.mark.parametrize(
    ("cuda", "severity"), [(0.51, Severity.NOTE), (0.49, Severity.WARNING), (0.995, None)], ids=["half", "most", "none"]
)
def test_a_gpu_that_hardly_works(cuda: float, severity: Severity | None) -> None:
    shares = (
        ProviderShare(provider="CUDAExecutionProvider", operators={"Conv": 3}, seconds=cuda),
        ProviderShare(
            provider="CPUExecutionProvider",
            operators={"NonMaxSuppression": 1},
            seconds=1 - cuda,
            reasons={"NonMaxSuppression": "CUDA kernel not found in registries for Op type: NonMaxSuppression"},
        ),
    )
    run = ModelRun(runtime="onnxruntime", setting="CUDAExecutionProvider", loaded=True, ran=True, shares=shares)
    found = findings(facts(model("onnxruntime-1.31.1-nudenet", runs=(run,))))
    assert [each.severity for each in found] == ([severity] if severity else [])
    if found:
        assert ("clue", "CUDA kernel not found in registries for Op type: NonMaxSuppression") in [
            (each.name, each.value) for each in found[0].evidence
        ]


def test_what_the_edge_tpu_left_to_the_processor() -> None:
    shares = (
        ProviderShare(provider="Edge TPU", operators={"edgetpu-custom-op": 1}),
        ProviderShare(provider="CPU", operators={"TRANSPOSE_CONV": 12, "SOFTMAX": 1}),
    )
    run = ModelRun(runtime="litert", setting="Edge TPU", loaded=True, ran=True, shares=shares)
    (found,) = findings(facts(model("litert-2.3.0-pitch", format="tflite-edgetpu", runs=(run,))))
    assert (found.cause, found.severity) == ("edgetpu-model-not-mapped", Severity.WARNING)
    assert_sayable(found)


# --- together with the checks -----------------------------------------------------------------------------------------


def known(cause: str, severity: Severity = Severity.BLOCKING, **values: str) -> Finding:
    about = {"model_path": PATH, "runtime": "onnxruntime", **values}
    return Finding(
        cause=cause, severity=severity, confidence=0.95, evidence=(Evidence("model", "model"),), values=about
    )


def test_a_check_that_found_the_same_is_confirmed() -> None:
    check = known("onnx-ir-version-unsupported")
    (found,) = findings(facts(model("onnxruntime-1.10.0-ir-10")), check)
    assert found.values == check.values
    assert [each.name for each in found.evidence] == ["model", "clue"]
    assert "Unsupported model IR version" in found.evidence[1].value


def test_a_check_about_another_model_is_left_alone() -> None:
    other = known("onnx-ir-version-unsupported", model_path="/other")
    found = findings(facts(model("onnxruntime-1.10.0-ir-10")), other)
    assert found[0] == other
    assert len(found) == 2


def test_an_error_that_no_signature_knows_is_explained_by_a_check() -> None:
    missing = known("onnx-external-data-missing", runtime="")
    case = facts(model("onnxruntime-1.31.1-nudenet", runs=(failed("something new"),)))
    assert findings(case, missing) == [missing]
    assert [finding.cause for finding in findings(case)] == ["unknown"]


def test_a_table_that_a_real_run_refutes_is_only_a_note() -> None:
    (found,) = findings(facts(model("onnxruntime-1.10.0-ocr")), known("onnx-opset-unsupported"))
    assert found.severity is Severity.NOTE
    (other,) = findings(facts(model("onnxruntime-1.10.0-ocr")), known("onnx-opset-unsupported", runtime="openvino"))
    assert other.severity is Severity.BLOCKING


def test_causes_for_which_a_model_runs_are_no_reason_that_it_does_not() -> None:
    """The words of an unsupported opset also stand in tickets about results that change."""
    (found,) = findings(facts(model("onnxruntime-1.10.0-opset-18")))
    assert found.cause == "onnx-opset-unsupported"


def test_a_full_memory_of_the_gpu_is_named_though_the_processor_ran_it() -> None:
    text = "CUDA failure 2: out of memory ; GPU=0 ; expr=cudaMalloc(&p, size); RuntimeError: CUDA out of memory."
    gpu = failed(text, setting="CUDAExecutionProvider", loaded=True, ran=False)
    cpu = ModelRun(runtime="onnxruntime", setting="CPUExecutionProvider", loaded=True, ran=True)
    (found,) = findings(facts(model("onnxruntime-1.31.1-nudenet", runs=(cpu, gpu))))
    assert (found.cause, found.severity) == ("gpu-out-of-memory", Severity.WARNING)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_with_a_trial_crashes_no_check_and_can_be_said(name: str) -> None:
    case = judged(facts(model(name)), Answers())
    assert [outcome.cause for outcome in case.outcomes if outcome.status is Status.CRASHED] == []
    for finding in case.findings:
        assert_sayable(finding)


def test_a_model_from_before_the_oldest_opset_is_to_be_converted() -> None:
    """The words of ONNX Runtime 1.31.1 about a Relu of opset 5."""
    log = (
        "[W:onnxruntime:, model.cc:290 Model] ONNX Runtime only *guarantees* support for models stamped with opset "
        "version 7 or above for opset domain 'ai.onnx'. Please upgrade your model to opset 7 or higher.\n"
        "[W:onnxruntime:, transpose_optimizer.cc:37 ApplyImpl] Transpose optimizer failed: Unsupported ONNX opset: 5"
    )
    said = "[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation for Relu(1) node with name ''"
    old = ModelFacts(path=PATH, name="model", format="onnx", runs=(failed(said, log=log),))
    (found,) = findings(facts(old))
    assert (found.cause, found.remedies) == ("onnx-opset-unsupported", ("export-with-another-opset",))
