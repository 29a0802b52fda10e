"""Which package a model file's program comes in, and how it is installed: whatever a stranger's case says."""

import pytest

from checks.facts import Facts, InterpreterFacts, MachineFacts, ModelFacts, ModelNeeds, OsFacts
from checks.remedies.plan import installing
from checks.remedies.runtime_package import package_for


def needing(*lines: str) -> ModelFacts:
    return ModelFacts(path="/m", name="m", needs=ModelNeeds(frameworks=lines))


@pytest.mark.parametrize(
    ("lines", "package"),
    [
        pytest.param(("torch>=1.6",), "torch>=1.6", id="asked"),
        pytest.param(("onnxruntime>=1.17", "Torch >= 2.1, < 3"), "torch<3,>=2.1", id="the-one-that-is-meant"),
        pytest.param((), "torch", id="nothing-asked"),
        pytest.param(("onnxruntime",), "torch", id="another-asked"),
        pytest.param(("torch @ https://evil.example/torch.whl",), "torch", id="address"),
        pytest.param(("torch===https://evil.example/torch.whl",), "torch", id="any-words-as-release"),
        pytest.param(("torch[evil]>=2; python_version < '3'",), "torch>=2", id="extra-and-marker"),
        pytest.param(
            ("evil-torch", "--index-url=https://evil.example", "git+https://evil.example"), "torch", id="other"
        ),
        pytest.param((f"torch=={'1' * 5000}",), "torch", id="number-without-end"),
        pytest.param(("", "\x00\x1b[31m", "²", ".."), "torch", id="no-requirements"),
    ],
)
def test_the_package(lines: tuple[str, ...], package: str) -> None:
    assert package_for(needing(*lines), ("torch",)) == package


def test_no_package() -> None:
    assert package_for(needing("torch"), ("tfjs",)) == ""


def target(path: str, system: str = "Linux", *, manager: str | None = "pip", managed: bool = False) -> Facts:
    interpreter = InterpreterFacts(path=path, package_manager=manager, externally_managed=managed)
    return Facts(machine=MachineFacts(os=OsFacts(system=system)), interpreters=(interpreter,), target=path)


@pytest.mark.parametrize(
    ("facts", "lines"),
    [
        pytest.param(target("/v/bin/python"), ["/v/bin/python -m pip install 'torch>=2'"], id="venv"),
        pytest.param(
            target("/v/bin/python", manager="uv"), ["uv pip install --python /v/bin/python 'torch>=2'"], id="uv"
        ),
        pytest.param(
            target(r"C:\My AI\python.exe", "Windows"),
            [r'& "C:\My AI\python.exe" -m pip install "torch>=2"'],
            id="windows",
        ),
        pytest.param(
            target("/usr/bin/python3", managed=True),
            ["/usr/bin/python3 -m venv .venv", ".venv/bin/python -m pip install 'torch>=2'"],
            id="of-the-system",
        ),
        pytest.param(
            target("/usr/bin/python3", managed=True, manager=None),
            ["/usr/bin/python3 -m venv .venv", ".venv/bin/python -m pip install 'torch>=2'"],
            id="of-the-system-manager-unknown",
        ),
        pytest.param(target("/v/$(reboot)/python"), ["'/v/$(reboot)/python' -m pip install 'torch>=2'"], id="odd-path"),
        pytest.param(target("/v/\u202epython"), [], id="path-that-deceives"),
        pytest.param(Facts(), [], id="no-target"),
    ],
)
def test_the_command(facts: Facts, lines: list[str]) -> None:
    assert list(installing("torch>=2", facts)) == lines
