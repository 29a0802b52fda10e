"""A check that is about models of which none was given finds nothing fine: it has nothing to check."""

import pytest

from checks.analysis.models.selected import some, values_of
from checks.causes.registry import KINDS, Check, all_checks
from checks.facts import (
    EnvironmentVariables,
    Facts,
    Frameworks,
    InterpreterFacts,
    LiteRtFacts,
    MachineFacts,
    ModelFacts,
    ModelFiles,
    OnnxRuntimeFacts,
    OsFacts,
    TensorFlowFacts,
    TensorRtFacts,
    TorchFacts,
)
from checks.facts.finding import NotHere, Status
from checks.judgement.one_check import judge_one
from checks.knowledge.formats.model_formats import ModelFormatsTable
from wizard.words import area

CHECKS = tuple(check for check in all_checks().values() if any(kind is ModelFiles for kind, _ in check.wanted.values()))
# They judge whatever file is given, or ONNX Runtime itself. The check of pickles should not be clear without a file of
# PyTorch's, and still is.
OF_ANY_FORMAT = {
    "ort-provider-unavailable",
    "checkpoint-corrupt",
    "checkpoint-format-too-old",
    "model-file-misnamed",
    "pickle-runs-code",
}
OF_PYTORCH = {
    "checkpoint-weights-only-refused",
    "checkpoint-class-missing",
    "checkpoint-device-unavailable",
    "checkpoint-format-too-new",
}


def facts(model_format: str) -> Facts:
    """A machine on which everything is known and everything is installed."""
    return Facts(
        machine=MachineFacts(os=OsFacts(system="Linux", version="12")),
        target="/v/bin/python",
        interpreters=(InterpreterFacts(path="/v/bin/python", packages=()),),
        frameworks=Frameworks(
            torch=TorchFacts(version="2.13.0", cuda_available=False),
            onnxruntime=OnnxRuntimeFacts(version="1.31.1", providers_listed=("CPUExecutionProvider",), providers=()),
            tensorflow=TensorFlowFacts(version="2.21.0"),
            tensorrt=TensorRtFacts(version="10.16.1"),
            litert=LiteRtFacts(version="2.1.3"),
        ),
        environment=EnvironmentVariables(),
        models=(ModelFacts(path="/m/model", name="model", format=model_format),),
    )


@pytest.mark.parametrize(
    ("model_format", "judged"), [("darknet", OF_ANY_FORMAT), ("torch-zip", OF_ANY_FORMAT | OF_PYTORCH)]
)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.cause)
def test_no_check_is_clear_about_models_that_were_not_given(check: Check, model_format: str, judged: set[str]) -> None:
    outcome = judge_one(check, facts(model_format))
    if outcome.status is Status.SKIPPED:
        assert outcome.reason in ("none-given", "not-asked", "not-collected"), outcome
        assert outcome.reason in area("reasons")
        assert outcome.values["fact"] in area("fields") or outcome.values["fact"] in area("facts")
    else:
        assert outcome.status is Status.CLEAR, outcome
        assert check.cause in judged, f"{check.cause}: see checks/analysis/models/selected.py"


# What they say is in the file itself, or beside it.
FROM_THE_FILE_ALONE = OF_ANY_FORMAT | {
    "onnx-external-data-missing",
    "edgetpu-model-not-mapped",
    "tfjs-format-mismatch",
    "tfjs-op-unsupported",
    "imx500-conversion-failed",
}


@pytest.mark.parametrize("model_format", [row.id for row in ModelFormatsTable.read().format])
def test_no_check_is_clear_without_the_runtime_that_it_is_about(model_format: str) -> None:
    missing = dict.fromkeys((name for name, _ in KINDS.values()), "no-target")
    alone = Facts(models=facts(model_format).models, missing=missing)
    for check in CHECKS:
        outcome = judge_one(check, alone)
        assert outcome.status is not Status.CLEAR or check.cause in FROM_THE_FILE_ALONE, check.cause
        if outcome.status is Status.SKIPPED:
            assert outcome.reason in ("none-given", "not-asked", "no-target"), outcome


@pytest.mark.parametrize(
    ("model_format", "name"),
    [("onnx", "onnx_file"), ("tflite", "tflite_file"), ("tensorrt", "engine_file"), ("torch-zip", None), (None, None)],
)
def test_a_remedy_for_one_kind_of_file_is_told_only_such_a_file(model_format: str | None, name: str | None) -> None:
    told = values_of(ModelFacts(path="/m/a", format=model_format), "torch")
    assert told == {"model_path": "/m/a", "runtime": "torch", **({name: "/m/a"} if name else {})}


@pytest.mark.parametrize(("path", "renamed"), [("/m/net.keras", "/m/net.h5"), ("/m/net.h5", None)])
def test_the_name_to_give_to_hdf5_that_is_named_as_the_newer_format(path: str, renamed: str | None) -> None:
    assert values_of(ModelFacts(path=path, format="keras-h5"), "keras").get("h5_file") == renamed


def test_some_are_given() -> None:
    model = ModelFacts(path="a", format="onnx")
    assert some(iter([model]), "onnx_models") == (model,)


def test_none_is_given() -> None:
    with pytest.raises(NotHere) as raised:
        some((), "onnx_models")
    assert (raised.value.fact, raised.value.reason) == ("onnx_models", "none-given")


def test_no_command_asks_for_a_file_in_an_archive() -> None:
    told = values_of(ModelFacts(path="/m/models.zip/en/model.onnx", format="onnx"), "onnxruntime")
    assert told == {"model_path": "/m/models.zip/en/model.onnx", "runtime": "onnxruntime"}
