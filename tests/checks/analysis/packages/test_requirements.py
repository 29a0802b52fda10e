"""Requirements of packages, evaluated for the target interpreter."""

import pytest

from checks.analysis.packages.requirements import broken_requirements
from checks.facts import InterpreterFacts, OsFacts, Package
from checks.facts.finding import Unread

LINUX = OsFacts(system="Linux", architecture="x86_64", kernel="6.1.0")
WINDOWS = OsFacts(system="Windows", architecture="AMD64")


def interpreter(*packages: Package, version: str | None = "3.9.18") -> InterpreterFacts:
    return InterpreterFacts(path="/venv/bin/python", version=version, implementation="cpython", packages=packages)


def broken(line: str, *installed: Package, os: OsFacts = LINUX) -> list[str]:
    asks = Package(name="asks", version="1.0", requires=(line,))
    return [broken_requirement.needed for broken_requirement in broken_requirements(interpreter(asks, *installed), os)]


@pytest.mark.parametrize(
    ("line", "installed"),
    [
        pytest.param("huggingface-hub<1.0,>=0.30", Package(name="huggingface-hub", version="0.26.0"), id="too-old"),
        pytest.param("huggingface_hub (<0.26)", Package(name="huggingface-hub", version="0.26.0"), id="too-new"),
        pytest.param("importlib-metadata; python_version < '3.10'", None, id="absent-for-this-python"),
        pytest.param("triton==3.2.0; platform_system == 'Linux' and platform_machine == 'x86_64'", None, id="absent"),
    ],
)
def test_broken(line: str, installed: Package | None) -> None:
    assert len(broken(line, *([installed] if installed else []))) == 1


@pytest.mark.parametrize(
    ("line", "installed"),
    [
        pytest.param("torch==2.6.0", Package(name="torch", version="2.6.0+cu124"), id="local-version"),
        pytest.param("torch>=2.6.0", Package(name="torch", version="2.7.0.dev20250301+cu128"), id="nightly"),
        pytest.param("tomli; python_version >= '3.11'", None, id="for-another-python"),
        pytest.param("pywin32; sys_platform == 'win32'", None, id="for-another-system"),
        pytest.param("pytest; extra == 'test'", None, id="an-extra"),
        pytest.param("pytest (>=3.0.*) ; broken", None, id="a-line-that-is-none"),
        pytest.param("numpy>=1.20", Package(name="numpy", version="vendor build"), id="a-version-that-is-none"),
    ],
)
def test_met(line: str, installed: Package | None) -> None:
    assert broken(line, *([installed] if installed else [])) == []


def test_the_system_of_the_target_decides() -> None:
    assert broken("pywin32; sys_platform == 'win32'", os=WINDOWS) == ["pywin32"]


@pytest.mark.parametrize(
    ("facts", "os"),
    [
        pytest.param(InterpreterFacts(path="/p", version="3.11.2"), LINUX, id="packages-unread"),
        pytest.param(interpreter(version=None), LINUX, id="python-unread"),
        pytest.param(interpreter(), OsFacts(), id="system-unread"),
    ],
)
def test_open(facts: InterpreterFacts, os: OsFacts) -> None:
    with pytest.raises(Unread):
        list(broken_requirements(facts, os))
