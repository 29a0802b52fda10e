"""When python-part-missing speaks, and when it keeps silent; and what Python itself no longer has."""

import pytest
from support.runs import SITE, failed, frames_of

from checks.causes.environment.python_part_missing import python_part_missing
from checks.causes.environment.python_version_unsupported import python_version_unsupported
from checks.facts import Facts, Package, Raised
from checks.facts.finding import FAILED_RUN, Finding

TORCH = Package(name="torch", version="2.4.0")


def facts_without(module: str, **interpreter: str) -> Facts:
    raised = Raised(
        type="ModuleNotFoundError",
        message=f"No module named {module!r}",
        name=module,
        frames=frames_of(f"{SITE}/torch/__init__.py", "/usr/local/lib/python3.11/lzma.py"),
    )
    return failed(raised, TORCH, **interpreter)


def findings(facts: Facts) -> list[Finding]:
    return list(python_part_missing(facts.target_interpreter, None, None, facts.program_runs))


@pytest.mark.parametrize(
    ("module", "package"), [("_ctypes", "libffi-dev"), ("_lzma", "liblzma-dev"), ("_sqlite3", "libsqlite3-dev")]
)
def test_speaks_of_a_part_that_was_not_built(module: str, package: str) -> None:
    (finding,) = findings(facts_without(module, base_prefix="/home/user/.pyenv/versions/3.11.7"))
    assert finding.placeholders()["package"] == "torch 2.4.0"
    assert finding.named("apt_package") == package
    assert finding.remedies[0] == "rebuild-python-with-part"
    assert FAILED_RUN in finding.values


def test_the_systems_own_python_gets_its_own_package() -> None:
    (finding,) = findings(facts_without("_tkinter", base_prefix="/usr"))
    assert finding.named("apt_package") == "python3-tk"
    assert finding.remedies[0] == "install-part-of-system-python"


@pytest.mark.parametrize("module", ["cv2", "distutils", "torch._C"])
def test_silent(module: str) -> None:
    version = {"version": "3.12.1"} if module == "distutils" else {}
    assert findings(facts_without(module, **version)) == []


@pytest.mark.parametrize(
    ("version", "type_", "message", "fit", "backport"),
    [
        ("3.12.1", "ModuleNotFoundError", "No module named 'distutils'", "3.11", "setuptools"),
        ("3.13.0", "ModuleNotFoundError", "No module named 'cgi'", "3.12", "legacy-cgi"),
        ("3.12.1", "ModuleNotFoundError", "No module named 'imp'", "3.11", ""),
        (
            "3.10.13",
            "ImportError",
            "cannot import name 'Mapping' from 'collections' (/x/collections/__init__.py)",
            "3.9",
            "",
        ),
        ("3.12.1", "AttributeError", "module 'pkgutil' has no attribute 'ImpImporter'", "3.11", ""),
        ("3.10.13", "ImportError", "cannot import name 'Self' from 'typing' (/x/typing.py)", "3.11", ""),
    ],
)
def test_what_this_release_of_python_has_not(version: str, type_: str, message: str, fit: str, backport: str) -> None:
    name = message.split("'")[1] if type_ == "ModuleNotFoundError" else None
    raised = Raised(type=type_, message=message, name=name, frames=frames_of(f"{SITE}/torch/__init__.py"))
    facts = failed(raised, TORCH, version=version)
    assert facts.target_interpreter is not None
    assert facts.machine is not None
    (finding,) = (
        finding
        for finding in python_version_unsupported(facts.target_interpreter, facts.machine, None, facts.program_runs)
        if FAILED_RUN in finding.values
    )
    assert finding.named("python_fit") == fit
    assert finding.named("requirement") == backport
