"""When ort-package-conflict speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.ort_package_conflict import ort_package_conflict
from checks.facts import Gpus, InterpreterFacts, MachineFacts, NvidiaFacts, NvidiaGpu, OnnxRuntimeFacts, Package
from checks.facts.finding import Finding, Severity, Unread
from checks.knowledge.phrases import phrase

T4 = MachineFacts(nvidia=NvidiaFacts(nvml="ok", devices=(NvidiaGpu(index=0, name="Tesla T4"),)))
CPU = OnnxRuntimeFacts(version="1.23.2", providers_listed=("AzureExecutionProvider", "CPUExecutionProvider"))
GPU = OnnxRuntimeFacts(version="1.23.2", providers_listed=("CUDAExecutionProvider", "CPUExecutionProvider"))


def findings(
    *names: str, runtime: OnnxRuntimeFacts | None = CPU, where: MachineFacts | None = T4, same_place: bool = True
) -> list[Finding]:
    packages = tuple(
        Package(name=name, version="1.23.2", location="/venv/site-packages" if same_place else f"/{name}")
        for name in names
    )
    return list(ort_package_conflict(InterpreterFacts(path="/p", packages=packages), runtime, where))


def test_the_gpu_version_was_overwritten() -> None:
    (finding,) = findings("onnxruntime", "onnxruntime-gpu")  # microsoft/onnxruntime#26996
    assert finding.severity is Severity.BLOCKING
    assert finding.values == {
        "ort_installed": "onnxruntime onnxruntime-gpu",
        "ort_package": "onnxruntime-gpu==1.23.2",
        "ort_state": phrase(
            "ort-together",
            ort_packages="onnxruntime 1.23.2, onnxruntime-gpu 1.23.2",
            ort_wanted="CUDAExecutionProvider, TensorrtExecutionProvider",
        ),
    }


def test_it_still_works_but_will_not_last() -> None:
    (finding,) = findings("onnxruntime", "onnxruntime-gpu", runtime=GPU)
    assert finding.severity is Severity.WARNING


def test_not_imported() -> None:
    (finding,) = findings("onnxruntime", "onnxruntime-openvino", runtime=None, where=None)
    assert finding.severity is Severity.WARNING
    assert finding.values["ort_package"] == "onnxruntime-openvino==1.23.2"


def test_without_a_gpu_the_plain_package_stays() -> None:
    """The one for NVIDIA's GPUs would bring the next warning."""
    (finding,) = findings("onnxruntime", "onnxruntime-gpu", where=MachineFacts(gpus=Gpus()))
    assert finding.values["ort_package"] == "onnxruntime==1.23.2"
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("names", "same_place"),
    [
        pytest.param(["onnxruntime-gpu"], True, id="one"),
        pytest.param(["onnxruntime", "onnxruntime-extensions", "onnxruntime-genai"], True, id="own-folders"),
        pytest.param(["onnxruntime", "onnxruntime-gpu"], False, id="in-different-places"),
        pytest.param([], True, id="none"),
    ],
)
def test_silent(names: list[str], same_place: bool) -> None:
    assert findings(*names, same_place=same_place) == []


def test_unread_packages_are_open() -> None:
    with pytest.raises(Unread, match="packages"):
        list(ort_package_conflict(InterpreterFacts(path="/p"), CPU, T4))
