"""The verdict per model and runtime: by real runs, by findings, by the tables."""

from typing import Any

import msgspec
import pytest
from support.recorded_runs import NAMES, PYTHON, facts, model, onnxruntime, runs

from checks.analysis.models.runs import elsewhere, telling_line
from checks.facts import (
    ErrorText,
    ExportRun,
    Facts,
    InterpreterFacts,
    ModelFacts,
    ModelMeasured,
    ModelNeeds,
    ModelRun,
    ProviderShare,
    TorchFacts,
)
from checks.facts.case import Answers
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.models.verdicts import ModelVerdict, Outcome
from checks.judgement.judge import judged
from checks.judgement.models.outcomes import verdicts
from checks.sharing.case import decode, to_builtins

PATH = "/home/user/models/model"


def finding(cause: str, severity: Severity = Severity.BLOCKING, **values: str) -> Finding:
    about = {"model_path": PATH, "runtime": "", **values}
    return Finding(cause=cause, severity=severity, confidence=0.9, evidence=(Evidence("model", "m"),), values=about)


def verdict(case: Facts, *findings: Finding, runtime: str = "onnxruntime") -> ModelVerdict:
    return next(each for each in verdicts(case, findings) if each.runtime == runtime)


def bare(**more: Any) -> ModelFacts:
    return ModelFacts(**{"path": PATH, "name": "model", "format": "onnx", **more})


def share(provider: str, seconds: float | None, **operators: int) -> ProviderShare:
    return ProviderShare(provider=provider, operators=operators, seconds=seconds)


def on(setting: str, *shares: ProviderShare, **more: Any) -> ModelRun:
    return ModelRun(
        **{"runtime": "onnxruntime", "setting": setting, "loaded": True, "ran": True, "shares": shares, **more}
    )


CPU, CUDA, TENSORRT = "CPUExecutionProvider", "CUDAExecutionProvider", "TensorrtExecutionProvider"


@pytest.mark.parametrize(
    ("name", "outcome", "setting", "reason"),
    [
        ("onnxruntime-1.31.1-nudenet", Outcome.RUNS, CPU, ""),
        ("onnxruntime-1.10.0-ocr", Outcome.RUNS, CPU, ""),
        ("onnxruntime-1.10.0-ir-10", Outcome.DOES_NOT_RUN, CPU, ""),
        ("onnxruntime-1.10.0-opset-18", Outcome.DOES_NOT_RUN, CPU, ""),
        ("onnxruntime-openvino-1.24.1-fallback", Outcome.RUNS_WITH_FALLBACK, "OpenVINOExecutionProvider", ""),
        ("onnxruntime-openvino-1.24.1-crash", Outcome.RUNS_WITH_FALLBACK, "OpenVINOExecutionProvider", "crashed"),
        ("onnxruntime-openvino-1.24.1-refused", Outcome.RUNS_WITH_FALLBACK, "OpenVINOExecutionProvider", ""),
        ("onnxruntime-gpu-1.31.1-without-cuda", Outcome.RUNS_WITH_FALLBACK, CUDA, "provider-dropped"),
        ("onnxruntime-1.31.1-inputs-refused", Outcome.LOADS, CPU, "inputs-refused"),
        ("litert-2.3.0-pitch", Outcome.RUNS, "CPU", ""),
        ("litert-2.3.0-custom-op", Outcome.DOES_NOT_RUN, "CPU", ""),
        ("openvino-2026.4.1-nudenet", Outcome.RUNS, "CPU", ""),
        ("openvino-2026.4.1-conversion", Outcome.DOES_NOT_RUN, "CPU", ""),
        ("openvino-2022.3.0-classifier", Outcome.LOADS, "CPU", "inputs-refused"),
        ("torch-2.13.0-weights", Outcome.LOADS, "cpu", ""),
        ("torch-2.13.0-weights-only-refused", Outcome.DOES_NOT_RUN, "cpu", ""),
        ("torch-2.13.0-torchscript-setstate", Outcome.SHOULD_RUN, "", "loading-runs-code"),
        ("tensorflow-2.21.0-savedmodel", Outcome.RUNS, "CPU", ""),
        ("tensorflow-2.21.0-writes-while-loading", Outcome.LOADS, "CPU", "reaches-outside"),
        ("keras-3.15.1-lambda", Outcome.SHOULD_RUN, "", "loading-runs-code"),
        ("keras-3.15.1-weights-alone", Outcome.UNKNOWN, "", "weights-alone"),
        ("keras-2.13.1-newer-file", Outcome.DOES_NOT_RUN, "", ""),
        ("llama-cpp-python-0.3.36-vocabulary", Outcome.LOADS, "vocabulary", ""),
        ("llama-cpp-python-0.3.36-architecture", Outcome.DOES_NOT_RUN, "vocabulary", ""),
    ],
)
def test_verdict_of_a_real_trial(name: str, outcome: Outcome, setting: str, reason: str) -> None:
    case = facts(model(name))
    found = verdict(case, runtime=case.models[0].runs[0].runtime)
    assert (found.outcome, found.setting, found.reason) == (outcome, setting, reason)
    assert bool(found.error) is (
        outcome is Outcome.DOES_NOT_RUN or reason in {"crashed", "inputs-refused"} or "refused" in name
    )


def test_all_that_a_provider_took_and_left_is_told() -> None:
    found = verdict(facts(model("onnxruntime-openvino-1.24.1-fallback")))
    nodes = {each.provider: sum(each.operators.values()) for each in found.shares}
    assert nodes == {"OpenVINOExecutionProvider": 247, CPU: 22}


# --- which run decides ------------------------------------------------------------------------------------------------


def test_the_fastest_device_decides() -> None:
    tried = (
        on(CPU, share(CPU, 0.5, Conv=9), seconds=0.5),
        on(CUDA, share(CUDA, 0.02, Conv=9), seconds=0.02),
        on(TENSORRT, share(TENSORRT, 0.01, Conv=9), seconds=0.01),
    )
    found = verdict(facts(bare(runs=tried)))
    assert (found.outcome, found.setting) == (Outcome.RUNS, TENSORRT)


@pytest.mark.parametrize(
    ("seconds", "outcome"),
    [(0.995, Outcome.RUNS), (0.98, Outcome.RUNS_WITH_FALLBACK), (0.0, Outcome.RUNS_WITH_FALLBACK)],
)
def test_what_takes_no_time_is_no_fallback(seconds: float, outcome: Outcome) -> None:
    run = on(CUDA, share(CUDA, seconds, Conv=60), share(CPU, 1 - seconds, NonMaxSuppression=1))
    assert verdict(facts(bare(runs=(run,)))).outcome is outcome


def test_what_the_runtime_puts_on_the_processor_on_purpose_is_no_fallback() -> None:
    cpu = ProviderShare(
        provider=CPU,
        operators={"Gather": 20, "NonMaxSuppression": 1},
        seconds=0.3,
        operator_seconds={"Gather": 0.295, "NonMaxSuppression": 0.005},
        reasons={
            "Gather": "Force fallback to CPU execution for node: g because the CPU execution path is deemed faster"
        },
    )
    run = on(CUDA, share(CUDA, 0.7, Conv=60), cpu)
    assert elsewhere(run) == pytest.approx(0.005)
    assert verdict(facts(bare(runs=(run,)))).outcome is Outcome.RUNS


@pytest.mark.parametrize(
    ("shares", "part"),
    [
        ((share("GPU:0", 0.75, MatMul=1), share("CPU:0", 0.25, Cast=9)), 0.25),
        ((share("GPU:0", None, MatMul=6), share("CPU:0", 0.25, Cast=2)), 0.25),
        ((share("GPU:0", 0.0, MatMul=6),), 0.0),
        ((), 0.0),
    ],
)
def test_the_part_that_is_elsewhere(shares: tuple[ProviderShare, ...], part: float) -> None:
    assert elsewhere(on("GPU", *shares)) == pytest.approx(part)


def test_a_device_that_failed_with_the_inputs_that_the_processor_took() -> None:
    error = ErrorText(type="Fail", message="[ONNXRuntimeError] : 1 : FAIL : CUDA failure 2: out of memory")
    tried = (on(CPU, share(CPU, 0.5, Conv=9)), on(CUDA, ran=False, error=error))
    out_of_memory = finding("gpu-out-of-memory", Severity.WARNING, runtime="onnxruntime", setting=CUDA)
    found = verdict(facts(bare(runs=tried)), out_of_memory)
    assert (found.outcome, found.setting, found.cause) == (Outcome.RUNS_WITH_FALLBACK, CUDA, "gpu-out-of-memory")
    assert found.error == "Fail: CUDA failure 2: out of memory"
    assert [each.provider for each in found.shares] == [CPU]


def test_a_finding_about_something_else_is_no_reason_for_a_fallback() -> None:
    run = on(CUDA, share(CUDA, 0.5, Conv=60), share(CPU, 0.5, NonMaxSuppression=1))
    case = facts(bare(runs=(run,)))
    other = finding("quantization-unsupported", Severity.WARNING)
    assert verdict(case, other).cause == ""
    left_out = finding("onnx-runtime-op-unimplemented", Severity.NOTE, runtime="onnxruntime", setting=CUDA)
    assert verdict(case, other, left_out).cause == "onnx-runtime-op-unimplemented"


def test_a_provider_that_does_not_start_at_all_is_a_fallback() -> None:
    """It is not tried with the model; the finding about the runtime has no model."""
    case = facts(bare(runs=(on(CPU, share(CPU, 0.5, Conv=9)),)))
    unavailable = Finding(cause="ort-provider-unavailable", severity=Severity.WARNING, confidence=0.9)
    found = verdict(case, unavailable)
    assert (found.outcome, found.cause) == (Outcome.RUNS_WITH_FALLBACK, "ort-provider-unavailable")
    assert verdict(case).outcome is Outcome.RUNS


@pytest.mark.parametrize(("reason", "limit"), [("timed-out", None), ("too-much-memory", 8 << 30)])
def test_a_trial_that_took_too_much_proves_nothing(reason: str, limit: int | None) -> None:
    run = ModelRun(runtime="onnxruntime", setting=CPU, reason=reason, memory_limit=limit)
    found = verdict(facts(bare(runs=(run,))))
    assert (found.outcome, found.reason, found.memory_limit) == (Outcome.UNKNOWN, reason, limit)


# --- without a trial --------------------------------------------------------------------------------------------------


def test_what_no_one_tried_should_run() -> None:
    found = verdict(facts(bare(), installed={"onnxruntime": "1.24.1"}))
    assert found == ModelVerdict(model=PATH, runtime="onnxruntime", version="1.24.1", outcome=Outcome.SHOULD_RUN)


def test_a_blocking_finding_of_the_model_in_this_runtime_or_in_any() -> None:
    case = facts(bare(), installed={"onnxruntime": "1.24.1", "openvino": "2026.4"})
    too_new = finding("onnx-opset-unsupported", runtime="onnxruntime")
    assert verdict(case, too_new).outcome is Outcome.DOES_NOT_RUN
    assert verdict(case, too_new).cause == "onnx-opset-unsupported"
    assert verdict(case, too_new, runtime="openvino").outcome is Outcome.SHOULD_RUN
    missing = finding("onnx-external-data-missing")
    assert verdict(case, missing, runtime="openvino").cause == "onnx-external-data-missing"


def test_findings_of_another_model_and_those_that_do_not_block() -> None:
    case = facts(bare(), installed={"onnxruntime": "1.24.1"})
    other = finding("onnx-opset-unsupported", model_path="/other")
    note = finding("onnx-opset-unsupported", Severity.WARNING)
    assert verdict(case, other, note).outcome is Outcome.SHOULD_RUN


@pytest.mark.parametrize(
    ("needs", "outcome"),
    [
        (("onnxruntime>=1.24",), Outcome.SHOULD_RUN),
        (("onnxruntime>=1.25",), Outcome.DOES_NOT_RUN),
        (("torch>=9",), Outcome.SHOULD_RUN),
        (("not a requirement!",), Outcome.SHOULD_RUN),
        ((f"onnxruntime=={'1' * 5000}",), Outcome.SHOULD_RUN),
        ((), Outcome.SHOULD_RUN),
    ],
)
def test_the_version_that_the_file_asks_for(needs: tuple[str, ...], outcome: Outcome) -> None:
    case = facts(bare(needs=ModelNeeds(frameworks=needs)), installed={"onnxruntime": "1.24.1"})
    found = verdict(case)
    assert found.outcome is outcome
    assert found.error == (needs[0] if outcome is Outcome.DOES_NOT_RUN else "")


def test_a_file_that_could_not_be_read_is_not_said_to_run() -> None:
    found = verdict(facts(bare(problem="truncated"), installed={"onnxruntime": "1.24.1"}))
    assert (found.outcome, found.reason) == (Outcome.UNKNOWN, "not-read")


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [("dangerous", Outcome.UNKNOWN), ("too-large", Outcome.SHOULD_RUN), ("too-many", Outcome.SHOULD_RUN)],
)
def test_why_it_was_not_tried(reason: str, outcome: Outcome) -> None:
    found = verdict(facts(bare(runs=(ModelRun(runtime="onnxruntime", reason=reason),))))
    assert (found.outcome, found.reason) == (outcome, reason)


def test_a_runtime_that_does_not_import() -> None:
    error = ErrorText(type="ImportError", message="libcudnn.so.9: cannot open shared object file")
    torch = TorchFacts(version="2.6.0", imported=False, error=error)
    case = facts(bare(format="torch-zip"), installed={"torch": "2.6.0"}, torch=torch)
    found = verdict(case, runtime="torch")
    assert (found.outcome, found.reason, found.version) == (Outcome.DOES_NOT_RUN, "runtime-broken", "2.6.0")


def test_what_is_not_installed_and_what_is_no_python_package() -> None:
    case = facts(bare(), bare(format="tfjs"), installed={"onnxruntime": "1.24.1"})
    assert verdict(case, runtime="tensorrt").outcome is Outcome.NOT_INSTALLED
    found = verdict(case, runtime="tfjs")
    assert (found.outcome, found.reason) == (Outcome.UNKNOWN, "not-in-python")


def test_packages_that_could_not_be_listed() -> None:
    case = msgspec.structs.replace(facts(bare()), interpreters=(InterpreterFacts(path=PYTHON),))
    assert {each.outcome for each in verdicts(case, ())} == {Outcome.UNKNOWN}


def test_without_a_target_nothing_is_judged() -> None:
    assert verdicts(Facts(models=(bare(),)), ()) == ()


def test_of_two_programs_that_are_one_one_is_named() -> None:
    both = facts(bare(format="keras-zip"), installed={"keras": "3.15", "tensorflow": "2.21"})
    assert [each.runtime for each in verdicts(both, ())] == ["keras"]
    one = facts(bare(format="keras-zip"), installed={"tensorflow": "2.10"})
    assert {each.runtime for each in verdicts(one, ())} == {"keras", "tensorflow"}


def test_the_probe_knows_the_version_better_than_the_package() -> None:
    case = facts(bare(), installed={"onnxruntime": "1.24"}, onnxruntime=onnxruntime(CPUExecutionProvider=True))
    assert verdict(case).version == "1.24.1"


# --- the line of an error ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "onnxruntime-1.31.1-not-implemented",
            "Could not find an implementation for ImageDecoder(20) node with name ''",
        ),
        ("onnxruntime-1.10.0-ir-10", "Unsupported model IR version: 10, max supported IR version: 8"),
        (
            "onnxruntime-1.31.1-locale",
            "Exception during initialization: Failed to construct locale with name:en_US.UTF-8",
        ),
        ("onnxruntime-openvino-1.24.1-refused", "Unexpected: CPU plug-in doesn't support Parameter operation"),
        ("openvino-2026.4.1-conversion", "-- Conversion is failed for: Loop-15"),
        ("torch-2.13.0-weights-only-refused", "Weights only load failed."),
        ("onnxruntime-openvino-1.24.1-crash", "SIGSEGV"),
    ],
)
def test_the_line_that_tells(name: str, line: str) -> None:
    failed = next(run for run in runs(name) if run.error is not None)
    told = telling_line(failed)
    assert line in told
    assert ".cc:" not in told
    assert len(told) < 400


@pytest.mark.parametrize(
    "message", ["", "\n\n", "a.cc:1 " * 5000, "a.cc:1 f(" * 1000, "x" * 100_000, "[ONNXRuntimeError]"]
)
def test_any_error_has_a_line(message: str) -> None:
    assert len(telling_line(ModelRun(runtime="onnxruntime", error=ErrorText(type="E", message=message)))) < 400


# --- in the case ------------------------------------------------------------------------------------------------------


def test_the_json_has_the_verdicts_with_each_model_and_they_are_judged_anew() -> None:
    case = judged(
        facts(model("onnxruntime-openvino-1.24.1-fallback"), model("litert-2.3.0-pitch", path="/other")), Answers()
    )
    plain = to_builtins(case)
    assert "verdicts" not in plain
    first, second = plain["facts"]["models"]
    told = first["verdicts"][0]
    assert (told["runtime"], told["outcome"]) == ("onnxruntime", "runs-with-fallback")
    assert [each["provider"] for each in told["shares"]] == ["OpenVINOExecutionProvider", CPU]
    assert "model" not in told
    assert [each["runtime"] for each in second["verdicts"]] == ["litert", "tensorflow", "openvino"]
    told["outcome"] = "runs"  # whoever changes the file changes nothing
    assert decode(msgspec.json.encode(plain)).verdicts == case.verdicts


@pytest.mark.parametrize("name", NAMES)
def test_every_recording_gives_a_case(name: str) -> None:
    case = judged(facts(model(name)), Answers())
    assert case.verdicts
    assert decode(msgspec.json.encode(to_builtins(case))).facts.models == case.facts.models


LOADED = ModelRun(runtime="torch", setting="cpu", loaded=True)
ARCHIVE = ModelFacts(path=PATH, name="model", format="torchscript", runs=(LOADED,))


@pytest.mark.parametrize(
    ("made", "outcome"),
    [
        pytest.param({"aspect": "repeat", "distinct": 1, "repetitions": 18}, Outcome.RUNS, id="repeated"),
        pytest.param({"reason": "inputs-do-not-fit"}, Outcome.LOADS, id="not-run-with-the-inputs"),
        pytest.param({"aspect": "repeat", "distinct": 1, "path": "/m/other"}, Outcome.LOADS, id="another-file"),
        pytest.param({"aspect": "repeat", "distinct": 1, "framework": "numpy"}, Outcome.LOADS, id="elsewhere"),
    ],
)
def test_a_model_that_a_trial_only_loads_runs_where_it_was_run_again(made: dict[str, Any], outcome: Outcome) -> None:
    measured = ModelMeasured(**{"path": PATH, "framework": "torch", "device": "cpu", **made})
    case = msgspec.structs.replace(facts(ARCHIVE), measurements=(measured,))
    assert verdict(case, runtime="torch").outcome is outcome


def test_a_model_that_was_run_beside_its_export_runs() -> None:
    exported = ExportRun(exporter="torch-export", loaded=True, repeats=True)
    case = facts(msgspec.structs.replace(ARCHIVE, exports=(exported,)))
    assert verdict(case, runtime="torch").outcome is Outcome.RUNS
