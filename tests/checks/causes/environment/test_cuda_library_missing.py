"""When cuda-library-missing speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.cuda_library_missing import cuda_library_missing
from checks.facts import (
    ErrorText,
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OnnxRuntimeFacts,
    OsFacts,
    Package,
    ProviderStart,
    TensorFlowFacts,
    TorchFacts,
)
from checks.facts.finding import Finding, Severity

GPU = MachineFacts(
    os=OsFacts(system="Linux", architecture="x86_64", libc="glibc"),
    nvidia=NvidiaFacts(
        nvml="ok",
        driver_version="570.86.10",
        devices=(NvidiaGpu(index=0, name="RTX 3090", compute_capability="8.6"),),
    ),
)
NO_GPU = MachineFacts(os=OsFacts(system="Linux", architecture="x86_64", libc="glibc"))
# The wording of ONNX Runtime on Linux, microsoft/onnxruntime, core/session/provider_bridge_ort.cc
CUBLAS = (
    "[E:onnxruntime:Default, provider_bridge_ort.cc:2195 TryGetProviderInfo_CUDA] [ONNXRuntimeError] : 1 : FAIL : "
    "Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.12: cannot open shared object "
    "file: No such file or directory"
)


def runtime(error: str = CUBLAS, provider: str = "CUDAExecutionProvider") -> OnnxRuntimeFacts:
    start = ProviderStart(name=provider, started=False, fell_back=True, error=error)
    return OnnxRuntimeFacts(version="1.23.2", providers_listed=(provider,), providers=(start,))


def findings(frameworks: Frameworks, where: MachineFacts = GPU, *packages: Package) -> list[Finding]:
    interpreter = InterpreterFacts(path="/p", version="3.11.9", architecture="x86_64", packages=packages)
    return list(cuda_library_missing(frameworks, where, interpreter, None))


def test_onnxruntime_without_cuda() -> None:
    (finding,) = findings(Frameworks(onnxruntime=runtime()))
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["cuda_library"] == "libcublasLt.so.12"
    assert finding.values["library_package"] == "nvidia-cublas-cu12"
    assert finding.remedies[0] == "install-cuda-library"


def test_the_library_is_there_but_not_looked_for() -> None:
    (finding,) = findings(
        Frameworks(onnxruntime=runtime()), GPU, Package(name="nvidia-cublas-cu12", version="12.8.4.1")
    )
    assert finding.remedies == ("preload-onnxruntime-libraries",)


def test_torch_has_it_with_it() -> None:
    beside = Frameworks(onnxruntime=runtime(), torch=TorchFacts(version="2.8.0+cu128", cuda_version="12.8"))
    (finding,) = findings(beside)
    assert finding.remedies == ("preload-onnxruntime-libraries",)


def test_windows_names_who_asked() -> None:
    # https://github.com/microsoft/onnxruntime/issues/20049
    error = (
        'LoadLibrary failed with error 126 "" when trying to load '
        '"C:\\ComfyUI\\python_embeded\\Lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"'
    )
    (finding,) = findings(Frameworks(onnxruntime=runtime(error)))
    assert finding.placeholders()["cuda_library"] == "libcublasLt.so.12"


def test_torch_fails_at_import() -> None:
    error = ErrorText(
        type="ImportError", message="libcudnn.so.9: cannot open shared object file: No such file or directory"
    )
    frameworks = Frameworks(torch=TorchFacts(version="2.6.0+cu124", imported=False, error=error))
    (finding,) = findings(frameworks, NO_GPU)
    assert finding.severity is Severity.BLOCKING
    assert finding.remedies == ("install-fitting-torch-build", "reinstall-framework")


@pytest.mark.parametrize(
    ("frameworks", "where"),
    [
        pytest.param(Frameworks(onnxruntime=runtime()), NO_GPU, id="nobody-misses-it-without-a-gpu"),
        pytest.param(
            Frameworks(
                onnxruntime=runtime(
                    "libnvinfer.so.10: cannot open shared object file: No such file or directory",
                    "TensorrtExecutionProvider",
                )
            ),
            GPU,
            id="tensorrt-that-nobody-installed",
        ),
        pytest.param(
            Frameworks(
                tensorflow=TensorFlowFacts(
                    version="2.10.0",
                    imported=True,
                    warnings=(
                        (
                            "Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open "
                            "shared object file: No such file or directory"
                        ),
                    ),
                )
            ),
            GPU,
            id="tensorflow-has-its-own-cause",
        ),
        pytest.param(Frameworks(torch=TorchFacts(version="2.6.0+cu124", imported=True)), GPU, id="all-is-well"),
        pytest.param(
            Frameworks(
                torch=TorchFacts(
                    version="2.6.0",
                    imported=False,
                    error=ErrorText(type="ImportError", message="libcuda.so.1: cannot open shared object file"),
                )
            ),
            GPU,
            id="the-driver's-library",
        ),
    ],
)
def test_silent(frameworks: Frameworks, where: MachineFacts) -> None:
    assert findings(frameworks, where) == []
