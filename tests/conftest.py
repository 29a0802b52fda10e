"""What every test stands on."""

import os
from collections.abc import Iterator

import pytest
from support.extent import load_profile
from support.shared_answers import SharedAnswers

load_profile()
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # windows are built and driven, but not shown
os.environ.pop("NAOSU_LANG", None)


@pytest.fixture(scope="session", autouse=True)
def _little_computing() -> Iterator[None]:
    """An examination in a test computes for a moment: its measurements have tests of their own."""
    from checks.engine.plans import compute as computations

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(computations, "BUDGET", dict.fromkeys(computations.BUDGET, 1.0))
        yield


@pytest.fixture(scope="session")
def _answers() -> SharedAnswers:
    return SharedAnswers()


@pytest.fixture
def shared_probes(_answers: SharedAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    """An examination in this process asks this computer once for all tests, and computes nothing.

    Its probes and what it computes have tests of their own.
    """
    monkeypatch.setattr("checks.engine.job_runner.run_probe", _answers.run)
    monkeypatch.setattr("checks.engine.plans.compute.COMPUTATION_PROBES", ())
