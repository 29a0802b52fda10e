"""When numpy-abi-mismatch speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.numpy_abi_mismatch import numpy_abi_mismatch
from checks.facts import (
    ErrorText,
    Frameworks,
    InterpreterFacts,
    KernelLaunch,
    OnnxRuntimeFacts,
    OsFacts,
    Package,
    ProbeRun,
    ProbeRuns,
    StageRun,
    TorchFacts,
)
from checks.facts.finding import Finding, Severity, Unread

LINUX = OsFacts(system="Linux", architecture="x86_64")
WINDOWS = OsFacts(system="Windows", architecture="AMD64")
NUMPY_1 = Package(name="numpy", version="1.26.4")
NUMPY_2 = Package(name="numpy", version="2.0.0")


def findings(*packages: Package, os: OsFacts = LINUX, frameworks: Frameworks | None = None) -> list[Finding]:
    interpreter = InterpreterFacts(path="/venv/bin/python", version="3.11.9", packages=packages)
    return list(numpy_abi_mismatch(interpreter, os, frameworks, None))


@pytest.mark.parametrize(
    ("package", "os", "clue"),
    [
        pytest.param(Package(name="torch", version="2.2.2+cu121"), LINUX, "torch >= 2.3.0", id="torch-2.2"),
        pytest.param(Package(name="torch", version="2.4.0"), WINDOWS, "torch >= 2.4.1", id="torch-2.4.0-on-windows"),
        pytest.param(Package(name="pandas", version="2.2.1"), LINUX, "pandas >= 2.2.2", id="pandas-just-below"),
        pytest.param(Package(name="tflite-runtime", version="2.14.0"), LINUX, "tflite-runtime: NumPy 1", id="never"),
        pytest.param(
            Package(name="lightly", version="1.5", requires=("numpy<2.0,>=1.18",)),
            LINUX,
            "numpy<2.0,>=1.18",
            id="own-wish",
        ),
    ],
)
def test_speaks_from_metadata(package: Package, os: OsFacts, clue: str) -> None:
    (finding,) = findings(package, NUMPY_2, os=os)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["package"] == f"{package.name} {package.version}"
    assert finding.placeholders()["numpy"] == "NumPy 2.0.0"
    assert finding.placeholders()["clue"] == clue


def test_speaks_from_a_failed_exchange_of_arrays() -> None:
    error = ErrorText(type="RuntimeError", message="Numpy is not available")
    torch = TorchFacts(version="2.2.2", imported=True, numpy_bridge=KernelLaunch(ran=False, error=error))
    (finding,) = findings(Package(name="torch", version="2.2.2"), NUMPY_2, frameworks=Frameworks(torch=torch))
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["clue"] == "RuntimeError: Numpy is not available"


def test_speaks_from_a_warning() -> None:
    # ai2cm/ace#378; torch warns and goes on
    warning = "Failed to initialize NumPy: _ARRAY_API not found (Triggered internally at tensor_numpy.cpp:84.)"
    torch = TorchFacts(version="2.2.2", imported=True, warnings=(warning,))
    (finding,) = findings(NUMPY_2, frameworks=Frameworks(torch=torch))
    assert finding.severity is Severity.WARNING


def test_speaks_from_standard_error_where_the_exception_is_empty() -> None:
    # recorded: onnxruntime 1.18.1 beside NumPy 2.1.3, Python 3.11, Debian 12
    said = (
        "\nA module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.1.3 as it may crash. To support "
        "both 1.x and 2.x\nversions of NumPy, modules must be compiled with NumPy 2.0.\n"
    )
    run = ProbeRun(
        probe="onnxruntime", status="failed", stages=(StageRun(name="imported", ended=True),), stderr_tail=said
    )
    empty = ErrorText(type="ImportError", message="", traceback="Traceback (most recent call last):\nImportError\n")
    (finding,) = numpy_abi_mismatch(
        InterpreterFacts(
            path="/p",
            version="3.11.2",
            packages=(Package(name="onnxruntime", version="1.18.1"), Package(name="numpy", version="2.1.3")),
        ),
        LINUX,
        Frameworks(onnxruntime=OnnxRuntimeFacts(imported=False, error=empty)),
        ProbeRuns(runs=(run,)),
    )
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["clue"] == "A module that was compiled using NumPy 1.x cannot be run in"


@pytest.mark.parametrize(
    ("packages", "os"),
    [
        pytest.param((Package(name="torch", version="2.2.2"), NUMPY_1), LINUX, id="numpy-1"),
        pytest.param((Package(name="torch", version="2.3.0"), NUMPY_2), LINUX, id="first-that-fits"),
        pytest.param((Package(name="torch", version="2.4.1"), NUMPY_2), WINDOWS, id="first-that-fits-on-windows"),
        pytest.param((Package(name="torch", version="2.2.2"),), LINUX, id="no-numpy-at-all"),
        pytest.param(
            (Package(name="h5py", version="3.10.0", installer="conda"), NUMPY_2), LINUX, id="rebuilt-by-conda"
        ),
        pytest.param((Package(name="torch", version="2.1.0a0+nv-build!"), NUMPY_2), LINUX, id="vendor-numbering"),
        pytest.param((Package(name="pandas", version="2.2.2"), NUMPY_2), LINUX, id="pandas-first-that-fits"),
    ],
)
def test_silent(packages: tuple[Package, ...], os: OsFacts) -> None:
    assert findings(*packages, os=os) == []


def test_numpy_that_is_not_installed_cannot_mismatch() -> None:
    # recorded: torch 2.13.0+cpu in an environment without NumPy
    error = ErrorText(type="RuntimeError", message="Numpy is not available")
    torch = TorchFacts(version="2.13.0", imported=True, numpy_bridge=KernelLaunch(ran=False, error=error))
    assert findings(Package(name="torch", version="2.13.0"), frameworks=Frameworks(torch=torch)) == []


def test_a_proven_exchange_of_arrays_outweighs_the_table() -> None:
    torch = TorchFacts(version="2.2.2", imported=True, numpy_bridge=KernelLaunch(ran=True, correct=True))
    assert findings(Package(name="torch", version="2.2.2"), NUMPY_2, frameworks=Frameworks(torch=torch)) == []


def test_unread_packages_are_not_called_healthy() -> None:
    with pytest.raises(Unread):
        list(numpy_abi_mismatch(InterpreterFacts(path="/p"), LINUX, None, None))


def test_a_release_that_works_with_numpy_2_and_wants_an_older_one_is_not_of_numpy_1() -> None:
    numba = Package(name="numba", version="0.61.2", requires=("numpy<2.3,>=1.24",))
    assert not findings(numba, Package(name="numpy", version="2.4.0"))
