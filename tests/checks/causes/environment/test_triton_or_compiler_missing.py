"""When triton-or-compiler-missing speaks, and when it keeps silent."""

import pytest
from support.evidence import evidence_of

from checks.causes.environment.triton_or_compiler_missing import triton_or_compiler_missing
from checks.facts import EnvironmentVariables, ErrorText, ImportTry, InterpreterFacts, OsFacts, Package, TorchFacts
from checks.facts.finding import Finding, Severity, Unread

LINUX = OsFacts(system="Linux")
WINDOWS = OsFacts(system="Windows")
CUDA = TorchFacts(version="2.6.0+cu124", build="cuda", imported=True)
CPU = TorchFacts(version="2.6.0+cpu", build="cpu", imported=True)
BEFORE_COMPILE = TorchFacts(version="1.13.0+cu117", build="cuda", imported=True)
TRITON = Package(name="triton", version="3.2.0")
GCC = {"cc": "/usr/bin/cc", "gcc": "/usr/bin/gcc", "clang": ""}
NONE = {"cc": "", "gcc": "", "clang": "", "cl": ""}


def findings(
    torch: TorchFacts, *packages: Package, os: OsFacts = LINUX, compilers: dict[str, str] | None = None
) -> list[Finding]:
    interpreter = InterpreterFacts(path="/venv/bin/python", packages=packages)
    return list(triton_or_compiler_missing(torch, interpreter, os, EnvironmentVariables(compilers=compilers), None))


@pytest.mark.parametrize(
    ("torch", "packages", "os", "compilers", "missing"),
    [
        pytest.param(CUDA, (), LINUX, GCC, "Triton", id="linux-without-triton"),
        pytest.param(CUDA, (), WINDOWS, NONE, "Triton", id="windows"),
        pytest.param(CUDA, (TRITON,), LINUX, NONE, "C compiler", id="no-compiler"),
        pytest.param(CPU, (), LINUX, NONE, "C compiler", id="no-compiler-on-the-cpu"),
    ],
)
def test_speaks(
    torch: TorchFacts, packages: tuple[Package, ...], os: OsFacts, compilers: dict[str, str], missing: str
) -> None:
    (finding,) = findings(torch, *packages, os=os, compilers=compilers)
    assert finding.severity is Severity.NOTE
    assert evidence_of(finding)["missing"] == missing


def test_a_triton_that_does_not_import_is_a_warning() -> None:
    error = ErrorText(type="ModuleNotFoundError", message="No module named 'triton.language'")
    torch = TorchFacts(
        version="2.6.0",
        build="cuda",
        imported=True,
        companions=(ImportTry(name="triton", imported=False, error=error),),
    )
    (finding,) = findings(torch, TRITON, compilers=GCC)
    assert finding.severity is Severity.WARNING


def test_a_triton_that_imports_needs_no_package() -> None:
    works = TorchFacts(version="2.6.0", build="cuda", companions=(ImportTry(name="triton", imported=True),))
    assert findings(works, compilers=GCC) == []


@pytest.mark.parametrize(
    ("torch", "packages", "os", "compilers"),
    [
        pytest.param(CUDA, (TRITON,), LINUX, GCC, id="complete"),
        pytest.param(CUDA, (Package(name="pytorch-triton-rocm", version="3.2.0"),), LINUX, GCC, id="triton-of-rocm"),
        pytest.param(CUDA, (Package(name="triton-windows", version="3.2.0"),), WINDOWS, NONE, id="windows-with-triton"),
        pytest.param(CPU, (), LINUX, GCC, id="cpu-build"),
        pytest.param(CPU, (), LINUX, None, id="compilers-unread"),
        pytest.param(BEFORE_COMPILE, (), LINUX, NONE, id="torch-1.13-has-no-compile"),
    ],
)
def test_silent(
    torch: TorchFacts, packages: tuple[Package, ...], os: OsFacts, compilers: dict[str, str] | None
) -> None:
    assert findings(torch, *packages, os=os, compilers=compilers) == []


def test_unread_packages_are_not_called_healthy() -> None:
    with pytest.raises(Unread):
        list(triton_or_compiler_missing(CUDA, InterpreterFacts(path="/p"), LINUX, None, None))
