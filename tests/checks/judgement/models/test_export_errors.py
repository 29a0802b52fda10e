"""What the exports tell besides the causes that have a check."""

import msgspec
import pytest
from support.recorded_exports import NAMES, export, facts, model

from checks.facts import ErrorText, ExportRun, ModelFacts, UnmetNeed
from checks.facts.finding import Finding, Severity, Status
from checks.facts.question import MODELS
from checks.judgement.judge import checks_for, conclude, judge_each
from checks.knowledge.phrases import in_language


def judged(*models: ModelFacts) -> tuple[Finding, ...]:
    case = facts(*models)
    return conclude(case, judge_each(case, checks_for(MODELS)))[1]


def causes(*models: ModelFacts) -> list[tuple[str, Severity]]:
    return [(each.cause, each.severity) for each in judged(*models)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("coremltools-9.0-bfloat16", [("coreml-op-unsupported", Severity.BLOCKING)]),
        ("coremltools-9.0-svd", [("coreml-op-unsupported", Severity.BLOCKING)]),
        ("tensorflow-2.13.1-tflite-kernels", [("framework-numeric-bug", Severity.WARNING)]),
        ("tensorflow-2.21.0-tflite-loop", [("tflite-select-ops-missing", Severity.BLOCKING)]),
        ("tensorflowjs-4.22.0-protobuf", [("protobuf-conflict", Severity.BLOCKING)]),
        ("tensorflowjs-4.22.0-without-forests", [("dependency-version-conflict", Severity.BLOCKING)]),
        ("tf2onnx-1.17.0-refused", [("unknown", Severity.BLOCKING)]),
        ("torch-2.13.0-dynamo-old-onnxscript", [("dependency-version-conflict", Severity.BLOCKING)]),
        ("torch-2.13.0-dynamo-svd", [("onnx-export-op-unsupported", Severity.BLOCKING)]),
        ("torch-2.13.0-torchscript-svd", [("onnx-export-op-unsupported", Severity.BLOCKING)]),
        ("torch-2.13.0-torchscript-without-onnx", [("dependency-version-conflict", Severity.BLOCKING)]),
    ],
)
def test_what_failed_has_one_cause(name: str, expected: list[tuple[str, Severity]]) -> None:
    assert causes(model(name)) == expected


@pytest.mark.parametrize(
    "name",
    [
        each
        for each in NAMES
        if not each.startswith("planted")
        and not (export(each).error or export(each).fit == "misfit" or export(each).differs_unoptimized is False)
    ],
)
def test_silent_for_what_went_well(name: str) -> None:
    assert causes(model(name)) == []


def test_versions_that_do_not_fit_are_told_in_words() -> None:
    (finding,) = judged(model("torch-2.13.0-dynamo-old-onnxscript"))
    told = {each.name: each.value for each in finding.evidence}
    assert (told["needed"], told["found"]) == ("onnxscript>=0.6.0", "onnxscript 0.5.7")
    assert "torch_2_11" in told["clue"]
    assert finding.values["requirement"] == "onnxscript>=0.6.0"
    (finding,) = judged(model("torch-2.13.0-torchscript-without-onnx"))
    assert (in_language(finding.values["found"], "en"), in_language(finding.values["found"], "ja")) == (
        "no onnx",
        "onnxなし",
    )


def test_an_exporter_that_nobody_named_is_only_noted() -> None:
    run = ExportRun(
        exporter="litert-torch",
        fit="misfit",
        reason="exporter-misfit",
        versions={"litert-torch": "0.8.0", "torch": "2.13.0"},
        unmet=(UnmetNeed(needed="torch>=2.4.0,<2.10.0", found="torch 2.13.0"),),
    )
    (finding,) = judged(model(exports=(run,)))
    assert (finding.cause, finding.severity) == ("framework-companion-mismatch", Severity.NOTE)
    assert {each.name: each.value for each in finding.evidence}["companion"] == "litert-torch 0.8.0"
    lacking = msgspec.structs.replace(run, unmet=(UnmetNeed(needed="jax"),))
    assert causes(model(exports=(lacking,))) == [("dependency-version-conflict", Severity.NOTE)]


def test_an_error_that_the_catalogue_knows() -> None:
    error = ErrorText(type="RuntimeError", message="CUDA out of memory. Tried to allocate 2.00 GiB")
    run = ExportRun(exporter="torch-onnx-dynamo", fit="fits", exported=False, error=error)
    assert [each.cause for each in judged(model(exports=(run,)))] == ["gpu-out-of-memory"]


# What coremltools 9.0 prints on the way, whatever stops it then.
COREMLTOOLS = """\
Torch version 2.13.0+cpu has not been tested with coremltools. You may run into unexpected errors. Torch 2.7.0 is the \
most recent version that has been tested.
Failed to load _MLModelProxy: No module named 'coremltools.libcoremlpython'
Failed to load _MLGPUComputeDeviceProxy: No module named 'coremltools.libcoremlpython'
"""


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (ErrorText(type="ValueError", message="Rank-0 (input None) is unsupported"), "coreml-op-unsupported"),
        (
            ErrorText(type="TypeError", message="Got unsupported ScalarType BFloat16"),
            "coreml-op-unsupported",
        ),
        (
            ErrorText(
                type="ValueError",
                message="MIL doesn't support complex data as model's output, please extract real and imaginary parts "
                "explicitly.",
            ),
            "coreml-op-unsupported",
        ),
        (
            ErrorText(type="AssertionError", message="Torch not compiled with CUDA enabled. torch==2.13.0+cpu"),
            "framework-cpu-only-build",
        ),
    ],
)
def test_what_an_exporter_prints_on_the_way_is_not_why_it_stops(error: ErrorText, cause: str) -> None:
    run = ExportRun(exporter="coremltools", fit="fits", exported=False, error=error, log=COREMLTOOLS)
    assert [each.cause for each in judged(model(exports=(run,)))] == [cause]


def test_only_the_optimizer_of_the_runtime() -> None:
    run = msgspec.structs.replace(export("planted-dynamo-pool"), differs_unoptimized=False, first_difference=None)
    (finding,) = judged(model(exports=(run,)))
    assert (finding.cause, finding.severity) == ("framework-numeric-bug", Severity.WARNING)


def test_a_failed_export_does_not_stand_against_the_model_in_its_own_framework() -> None:
    (finding,) = judged(model("torch-2.13.0-dynamo-svd"))
    assert finding.values["runtime"] == "torch-onnx-dynamo"


def test_without_exports_the_checks_have_nothing_to_say() -> None:
    outcomes = {each.cause: each for each in judge_each(facts(model()), checks_for(MODELS))}
    for cause in ("exporter-numeric-difference", "onnx-export-op-unsupported", "coreml-op-unsupported"):
        assert (outcomes[cause].status, outcomes[cause].reason) == (Status.SKIPPED, "not-asked")
