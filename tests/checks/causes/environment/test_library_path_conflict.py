"""When library-path-conflict speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.library_path_conflict import library_path_conflict
from checks.facts import (
    EnvironmentVariables,
    ErrorText,
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    KernelLaunch,
    LibraryFile,
    Package,
    TorchFacts,
)
from checks.facts.finding import Finding, Inconclusive, Severity, Unread

SITE = "/home/user/venv/lib/python3.11/site-packages"
INTERPRETER = InterpreterFacts(
    path="/home/user/venv/bin/python",
    prefix="/home/user/venv",
    packages=(
        Package(name="torch", version="2.5.1", location=SITE),
        Package(name="nvidia-cudnn-cu12", version="9.1.0.70", location=SITE),
        Package(name="nvidia-nvjitlink-cu12", version="12.4.127", location=SITE),
    ),
)
OWN = f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9"
FOREIGN = "/usr/local/cuda-12.1/lib64/libcudnn.so.9"
RAN = (FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=True, correct=True)),)


def findings(torch: TorchFacts, *, path: str | None = None) -> list[Finding]:
    environment = EnvironmentVariables(values={"LD_LIBRARY_PATH": path} if path else {})
    return list(library_path_conflict(INTERPRETER, Frameworks(torch=torch), environment, None))


def loaded(*paths: str, devices: tuple[FrameworkDevice, ...] = ()) -> TorchFacts:
    libraries = tuple(LibraryFile(path=path) for path in paths)
    return TorchFacts(version="2.5.1", imported=True, loaded_libraries=libraries, devices=devices)


def test_speaks_of_a_library_from_outside() -> None:
    (finding,) = findings(loaded(FOREIGN), path="/usr/local/cuda-12.1/lib64:/opt/other")
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["clue"] == FOREIGN
    assert finding.placeholders()["variable"] == "LD_LIBRARY_PATH"


def test_a_framework_that_computes_nevertheless_makes_a_note() -> None:
    (finding,) = findings(loaded(FOREIGN, devices=RAN))
    assert finding.severity is Severity.NOTE


def test_speaks_of_two_copies() -> None:
    (finding,) = findings(loaded(OWN, f"{SITE}/other_package/lib/libcudnn.so.9"))
    assert finding.placeholders()["clue"] == f"{OWN} + {SITE}/other_package/lib/libcudnn.so.9"


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(
            # infiniflow/ragflow#4466
            f"{SITE}/torch/lib/../../nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: "
            "__nvJitLinkAddData_12_1, version libnvJitLink.so.12",
            id="nvjitlink",
        ),
        pytest.param(f"{SITE}/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister", id="nccl"),
        pytest.param(
            "/home/user/anaconda3/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by x.so)",
            id="another-libstdcxx",
        ),
    ],
)
def test_speaks_from_an_import(message: str) -> None:
    torch = TorchFacts(version="2.5.1", imported=False, error=ErrorText(type="ImportError", message=message))
    (finding,) = findings(torch, path="/usr/local/cuda-12.1/lib64")
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["variable"] == "LD_LIBRARY_PATH"


@pytest.mark.parametrize(
    "torch",
    [
        pytest.param(loaded(OWN), id="its-own"),
        pytest.param(loaded("/usr/lib/x86_64-linux-gnu/libcuda.so.1"), id="the-driver"),
        pytest.param(loaded("/usr/local/cuda/lib64/libcufft.so.11"), id="no-package-brings-a-copy"),
        pytest.param(loaded(OWN, "/usr/local/cuda/lib64/libcudart.so.12"), id="another-library-of-a-toolkit"),
        pytest.param(loaded("/opt/cuda/libcudart.so.11.0", "/opt/cuda/libcudart.so.12"), id="two-major-versions"),
        pytest.param(loaded(), id="a-cpu-build"),
    ],
)
def test_silent(torch: TorchFacts) -> None:
    assert findings(torch, path="/usr/local/cuda/lib64") == []


def test_the_same_file_by_two_names_is_one_copy() -> None:
    first = LibraryFile(path=OWN, real_path=f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9.1.0")
    second = LibraryFile(path=f"{SITE}/torch/lib/libcudnn.so.9", real_path=f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9.1.0")
    assert findings(TorchFacts(imported=True, loaded_libraries=(first, second))) == []


def test_open() -> None:
    with pytest.raises(Unread):
        findings(TorchFacts(version="2.5.1", imported=True))
    with pytest.raises(Inconclusive):
        list(library_path_conflict(INTERPRETER, Frameworks(), None, None))


def test_the_prefix_of_the_systems_python_owns_nothing() -> None:
    site = "/usr/local/lib/python3.11/dist-packages"
    system = InterpreterFacts(
        path="/usr/bin/python3",
        prefix="/usr",
        packages=(Package(name="nvidia-cudnn-cu12", version="9.1.0.70", location=site),),
    )
    torch = loaded("/usr/local/cuda/lib64/libcudnn.so.9", f"{site}/nvidia/cudnn/lib/libcudnn_ops.so.9")
    (finding,) = library_path_conflict(system, Frameworks(torch=torch), None, None)
    assert finding.placeholders()["clue"] == "/usr/local/cuda/lib64/libcudnn.so.9"
