"""When the Edge TPU's runtime is too old for a compiled model, or is not there."""

import msgspec
import pytest
from support.tflite_files import LITERT, compiled, evidence, files, loaded

from checks.causes.model.edgetpu_runtime_mismatch import edgetpu_runtime_mismatch
from checks.facts import LiteRtFacts, ModelFacts
from checks.facts.finding import Severity

FOR_14, FOR_13 = compiled("leaky_edgetpu"), compiled("whole_edgetpu")


def runtime(number: int, *, starts: bool = True) -> LiteRtFacts:
    said = f"BuildLabel(COMPILER=6.3.0 20170516,DATE=redacted), RuntimeVersion({number})"
    return msgspec.structs.replace(LITERT, edgetpu_delegate=starts, edgetpu_version=said)


def refused(error: str) -> LiteRtFacts:
    return msgspec.structs.replace(LITERT, edgetpu_delegate=False, edgetpu_error=error)


NO_LIBRARY = refused("libedgetpu.so.1: cannot open shared object file: No such file or directory")


@pytest.mark.parametrize("starts", [True, False])
def test_compiled_for_a_newer_runtime(starts: bool) -> None:
    (found,) = edgetpu_runtime_mismatch(files(FOR_14), runtime(13, starts=starts))
    assert (found.severity, found.confidence) == (Severity.BLOCKING, 0.97)
    assert found.values == {"model_path": FOR_14.path, "runtime": "litert", "source_file": "/m/leaky.tflite"}
    assert (evidence(found)["edgetpu_needed"], evidence(found)["edgetpu_runtime"]) == ("14", "13")
    assert evidence(found)["edgetpu_compilers"] == "16.0"
    assert found.remedies[0] == "compile-for-older-edgetpu-runtime"


def test_no_library_of_the_edge_tpu() -> None:
    (found,) = edgetpu_runtime_mismatch(files(FOR_13), NO_LIBRARY)
    assert (found.severity, found.remedies) == (Severity.BLOCKING, ("install-edgetpu-runtime",))
    assert evidence(found)["delegate_error"].startswith("libedgetpu.so.1: cannot open")


def test_a_library_that_does_not_start() -> None:
    (found,) = edgetpu_runtime_mismatch(files(FOR_13), refused("Failed to load delegate from libedgetpu.so.1"))
    assert (found.confidence, found.remedies[-1]) == (0.7, "match-edgetpu-versions")


@pytest.mark.parametrize(
    ("model", "litert"),
    [
        pytest.param(FOR_14, runtime(14), id="the-same-runtime"),
        pytest.param(FOR_13, runtime(14), id="a-newer-runtime"),
        pytest.param(FOR_14, msgspec.structs.replace(LITERT, edgetpu_delegate=True), id="a-build-without-a-number"),
        pytest.param(FOR_14, LITERT, id="delegate-not-tried"),
        pytest.param(loaded(FOR_14), NO_LIBRARY, id="loaded-all-the-same"),
    ],
)
def test_silent(model: ModelFacts, litert: LiteRtFacts) -> None:
    assert list(edgetpu_runtime_mismatch(files(model), litert)) == []
