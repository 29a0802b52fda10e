"""What every test stands on."""

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.extent import load_profile
from support.shared_answers import SharedAnswers, compared_once, use_warm_python
from support.warm_python import WarmPython

ROOT = Path(__file__).resolve().parents[1]

load_profile()
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # windows are built and driven, but not shown
os.environ.pop("NAOSU_LANG", None)
os.environ["NAOSU_OFFLINE"] = "1"  # what asks a package index has tests of its own, with an index of its own
os.environ["NAOSU_HISTORY"] = "off"  # what tests examine is remembered only where a test asks for it


# Some 11,000 tests and what they import stay to the end: to look through them for garbage takes a tenth of the time.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _little_computing() -> Iterator[None]:
    """An examination in a test computes for a moment, and compares the files of this Python once for all.

    Measurements and installed files have tests of their own.
    """
    from checks.engine import examination
    from checks.engine.plans import compute as computations

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(computations, "BUDGET", dict.fromkeys(computations.BUDGET, 1.0))
        patch.setattr(examination, "installed_of", compared_once(examination.installed_of))
        yield


@pytest.fixture(scope="session")
def shared_answers(torch_python: str) -> SharedAnswers:
    """Answers of real probes, each of one run."""
    return SharedAnswers(torch_python)


@pytest.fixture
def shared_probes(shared_answers: SharedAnswers) -> Iterator[None]:
    """An examination in this process asks this computer once for all tests, and computes nothing.

    Its probes and what it computes have tests of their own.
    """
    with shared_answers.in_use():
        yield


def _warm(factory: pytest.TempPathFactory, modules: Sequence[str]) -> Iterator[str]:
    if sys.platform != "linux":  # where a process may be forked that has imported libraries
        yield sys.executable
        return
    python = WarmPython(factory.mktemp("warm"), modules, {**os.environ, "PYTHONPATH": str(ROOT)})
    yield str(python.path)
    python.close()


@pytest.fixture(scope="session")
def naosu_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Python that has imported Naosu and read its knowledge; its processes start at once (support/warm_python.py)."""
    yield from _warm(tmp_path_factory, ["tests.support.warm_naosu"])


@pytest.fixture(scope="session")
def torch_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Python that has imported torch; its processes start at once (support/warm_python.py)."""
    # The last is imported by PyTorch itself at the first operation of a class of tensors that is not its own.
    yield from _warm(tmp_path_factory, ["torch", "torch._inductor.config", "torch.distributed.tensor"])


@pytest.fixture
def warm_probes(torch_python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe of this Python starts in a process that has imported torch already."""
    use_warm_python(monkeypatch, torch_python)
