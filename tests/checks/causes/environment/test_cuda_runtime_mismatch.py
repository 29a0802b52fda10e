"""When cuda-runtime-mismatch speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.cuda_runtime_mismatch import cuda_runtime_mismatch
from checks.facts import (
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OnnxRuntimeFacts,
    OsFacts,
    Package,
    ProviderStart,
    TorchFacts,
)
from checks.facts.finding import Finding, Severity

GPU = MachineFacts(
    os=OsFacts(system="Linux", architecture="x86_64", libc="glibc"),
    nvidia=NvidiaFacts(
        nvml="ok", driver_version="580.95.05", devices=(NvidiaGpu(index=0, name="L4", compute_capability="8.9"),)
    ),
)
TORCH_12 = TorchFacts(version="2.8.0+cu128", cuda_version="12.8")
CUBLAS_12 = Package(name="nvidia-cublas-cu12", version="12.8.4.1")


def runtime(version: str = "1.30.0", cuda: str = "13.0", *, started: bool = False) -> OnnxRuntimeFacts:
    start = ProviderStart(name="CUDAExecutionProvider", started=started, fell_back=not started)
    return OnnxRuntimeFacts(version=version, cuda_version=cuda, providers=(start,))


def findings(frameworks: Frameworks, *packages: Package, where: MachineFacts = GPU) -> list[Finding]:
    interpreter = InterpreterFacts(path="/p", version="3.12.3", architecture="x86_64", packages=packages)
    return list(cuda_runtime_mismatch(frameworks, interpreter, where))


def test_onnxruntime_of_cuda_13_beside_torch_of_cuda_12() -> None:
    (finding,) = findings(Frameworks(onnxruntime=runtime(), torch=TORCH_12), CUBLAS_12)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["cuda_found"] == "12"
    assert finding.values["ort_package"] == "onnxruntime-gpu==1.26.0"


def test_cupy() -> None:
    (finding,) = findings(Frameworks(torch=TORCH_12), Package(name="cupy-cuda11x", version="13.3.0"))
    assert finding.severity is Severity.NOTE
    assert finding.values == {"wrong_package": "cupy-cuda11x", "right_package": "cupy-cuda12x"}


def test_two_nccl_in_one_folder() -> None:
    (finding,) = findings(
        Frameworks(),
        Package(name="nvidia-nccl-cu12", version="2.27.3"),
        Package(name="nvidia-nccl-cu13", version="2.28.9"),
    )
    assert finding.placeholders()["cuda_packages"] == "nvidia-nccl-cu13 2.28.9"


@pytest.mark.parametrize(
    ("frameworks", "packages", "where"),
    [
        pytest.param(Frameworks(onnxruntime=runtime(started=True), torch=TORCH_12), [CUBLAS_12], GPU, id="it-started"),
        pytest.param(
            Frameworks(onnxruntime=runtime("1.23.2", "12.2"), torch=TORCH_12), [CUBLAS_12], GPU, id="same-major"
        ),
        pytest.param(Frameworks(onnxruntime=runtime()), [], GPU, id="nothing-beside-it"),
        pytest.param(
            Frameworks(onnxruntime=runtime(), torch=TORCH_12), [CUBLAS_12], MachineFacts(), id="no-gpu-to-start-on"
        ),
        pytest.param(
            Frameworks(torch=TORCH_12), [Package(name="cupy-cuda12x", version="13.3.0")], GPU, id="the-right-cupy"
        ),
        pytest.param(
            Frameworks(),
            [Package(name="nvidia-cublas-cu11", version="11.11.3.6"), CUBLAS_12],
            GPU,
            id="other-file-names-in-one-folder",
        ),
    ],
)
def test_silent(frameworks: Frameworks, packages: list[Package], where: MachineFacts) -> None:
    assert findings(frameworks, *packages, where=where) == []
