"""When cudnn-autotune speaks, and when it keeps silent."""

import pytest
from support.recorded_repeats import measurements, repeat

from checks.causes.reproducibility.cudnn_autotune import cudnn_autotune
from checks.facts import Measurements, Repeat, TorchFacts
from checks.facts.finding import Finding, NotHere, Severity

ON = {"torch.backends.cudnn.benchmark": True}


def findings(*made: Repeat, settings: dict[str, object] | None = None, build: str = "cuda") -> list[Finding]:
    given: Measurements | None = measurements(*made) if made else None
    return list(cudnn_autotune(TorchFacts(version="2.13.0", build=build, settings=settings or {}), given))


def test_a_search_that_changes_from_time_to_time() -> None:
    (finding,) = findings(repeat("conv2d"), repeat("conv2d", "autotune", distinct=2, n=8), settings=ON)
    assert finding.severity is Severity.WARNING
    assert {each.name: each.value for each in finding.evidence}["autotuned"] == "conv2d: 2 / 8"


def test_a_search_that_finds_another_algorithm() -> None:
    (finding,) = findings(repeat("conv2d"), repeat("conv2d", "autotune", n=8, fingerprints=("ffff",)))
    assert finding.severity is Severity.NOTE  # it is off, as the target starts


def test_it_is_on_and_was_not_measured() -> None:
    (finding,) = findings(settings=ON, build="rocm")
    assert finding.severity is Severity.NOTE
    assert finding.values == {}


@pytest.mark.parametrize(
    "made",
    [
        pytest.param([], id="off-and-not-measured"),
        pytest.param([repeat("conv2d"), repeat("conv2d", "autotune")], id="same-bits"),
        pytest.param(
            [repeat("conv2d", distinct=2), repeat("conv2d", "autotune", fingerprints=("ffff",))], id="it-varies-anyway"
        ),
        pytest.param(
            [repeat("conv2d-backward", distinct=9), repeat("conv2d-backward", "autotune", distinct=9)],
            id="it-varies-without-a-search-too",
        ),
        pytest.param(
            [repeat("conv2d", n=3), repeat("conv2d", "autotune", distinct=2)], id="too-seldom-without-to-tell"
        ),
        pytest.param([repeat("conv2d", "autotune", distinct=2)], id="not-measured-without"),
        pytest.param(
            [repeat("conv2d"), repeat("conv2d", "autotune", scale=16.0, fingerprints=("ffff",))], id="of-another-size"
        ),
    ],
)
def test_silent(made: list[Repeat]) -> None:
    assert findings(*made) == []


def test_silent_where_it_is_on_and_changes_nothing() -> None:
    assert findings(repeat("conv2d"), repeat("conv2d", "autotune"), settings=ON) == []


@pytest.mark.parametrize("build", ["cpu", "xpu"])
def test_not_without_cudnn(build: str) -> None:
    with pytest.raises(NotHere):
        findings(settings=ON, build=build)
