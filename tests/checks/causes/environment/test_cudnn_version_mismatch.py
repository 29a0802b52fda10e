"""When cudnn-version-mismatch speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.cudnn_version_mismatch import cudnn_version_mismatch
from checks.facts import (
    ErrorText,
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    KernelLaunch,
    LibraryFile,
    OsFacts,
    Package,
    TensorFlowFacts,
    TorchFacts,
)
from checks.facts.finding import Finding, Severity

LINUX = OsFacts(system="Linux", architecture="x86_64")
SITE = "/venv/lib/python3.11/site-packages/nvidia/cudnn/lib"


def findings(frameworks: Frameworks, *packages: Package) -> list[Finding]:
    interpreter = InterpreterFacts(path="/p", version="3.11.9", architecture="x86_64", packages=packages)
    return list(cudnn_version_mismatch(frameworks, interpreter, LINUX, None))


def loaded(*paths: str) -> Frameworks:
    return Frameworks(
        torch=TorchFacts(version="2.8.0+cu128", loaded_libraries=tuple(LibraryFile(path=path) for path in paths))
    )


def test_tensorflow_says_it() -> None:
    # https://github.com/google-research/deeplab2/issues/66
    text = (
        "Loaded runtime CuDNN library: 8.0.4 but source was compiled with: 8.1.0.  CuDNN library needs to have matching"
    )
    (finding,) = findings(Frameworks(tensorflow=TensorFlowFacts(version="2.6.0", imported=True, warnings=(text,))))
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["cudnn_wanted"] == "8.1.0"
    assert finding.placeholders()["cudnn_found"] == "8.0.4"


def test_a_kernel_says_it() -> None:
    error = ErrorText(type="RuntimeError", message="cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH")
    device = FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=False, error=error))
    (finding,) = findings(Frameworks(torch=TorchFacts(version="2.8.0+cu128", devices=(device,))))
    assert finding.severity is Severity.BLOCKING


def test_parts_from_two_folders() -> None:
    frameworks = loaded(f"{SITE}/libcudnn.so.9", "/usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9.10.2")
    (finding,) = findings(frameworks)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["cudnn_found"] == "/usr/lib/x86_64-linux-gnu"


def test_two_packages_in_one_folder() -> None:
    (finding,) = findings(
        Frameworks(),
        Package(name="nvidia-cudnn-cu12", version="9.10.2.21"),
        Package(name="nvidia-cudnn-cu13", version="9.19.0.56"),
    )
    assert finding.values["cudnn_packages"] == "nvidia-cudnn-cu12 nvidia-cudnn-cu13"


@pytest.mark.parametrize(
    ("there", "severity"),
    [
        pytest.param("9.1.0.70", Severity.WARNING, id="older-than-the-pin"),
        pytest.param("9.12.0.46", Severity.NOTE, id="newer-than-the-pin"),
    ],
)
def test_not_what_torch_pins(there: str, severity: Severity) -> None:
    (finding,) = findings(
        Frameworks(),
        Package(name="torch", version="2.8.0", requires=('nvidia-cudnn-cu12==9.10.2.21; platform_system == "Linux"',)),
        Package(name="nvidia-cudnn-cu12", version=there),
    )
    assert finding.severity is severity
    assert finding.values["requirement"] == "nvidia-cudnn-cu12==9.10.2.21"


@pytest.mark.parametrize(
    ("frameworks", "packages"),
    [
        pytest.param(loaded(f"{SITE}/libcudnn.so.9", f"{SITE}/libcudnn_ops.so.9"), [], id="all-from-one-folder"),
        pytest.param(loaded("C:\\t\\lib\\cudnn64_9.dll", "C:\\t\\lib\\cudnn_ops64_9.dll"), [], id="windows"),
        pytest.param(loaded("/a/libcudart.so.12", "/b/libcublas.so.12"), [], id="other-libraries"),
        pytest.param(
            Frameworks(),
            [
                Package(name="nvidia-cudnn-cu11", version="8.9.6.50"),
                Package(name="nvidia-cudnn-cu12", version="9.10.2.21"),
            ],
            id="two-generations-have-other-file-names",
        ),
        pytest.param(
            Frameworks(),
            [
                Package(name="torch", version="2.8.0", requires=("nvidia-cudnn-cu12==9.10.2.21",)),
                Package(name="nvidia-cudnn-cu12", version="9.10.2.21"),
            ],
            id="as-pinned",
        ),
        pytest.param(
            Frameworks(),
            [Package(name="torch", version="2.8.0", requires=("nvidia-cudnn-cu12==9.10.2.21",))],
            id="a-missing-one-is-another-cause",
        ),
    ],
)
def test_silent(frameworks: Frameworks, packages: list[Package]) -> None:
    assert findings(frameworks, *packages) == []
