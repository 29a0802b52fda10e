"""How the time of a process is shared among the kinds of measurement, and what is told of entries."""

import importlib
from typing import Any

import pytest

kit = importlib.import_module("checks.probes.compute.kit")
SECONDS = {"experiment": 6.0, "repeat": 4.0, "portrait": 2.0}


class Moved:
    """A clock that only the test moves on."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Moved:
    moved = Moved()
    monkeypatch.setattr(kit, "time", moved)
    return moved


@pytest.mark.parametrize(
    ("took", "given"),
    [
        pytest.param((6.0, 4.0), [6.0, 4.0, 2.0], id="as-planned"),
        pytest.param((3.0, 6.0), [6.0, 6.0, 3.0], id="what-one-leaves-the-next-ones-have"),
        pytest.param((9.0, 2.0), [6.0, 2.0, 1.0], id="what-one-takes-too-much-they-lack"),
        pytest.param((6.0, 1.0), [6.0, 4.0, 5.0], id="the-last-has-all-that-is-left"),
        pytest.param((60.0, 1.0), [6.0, 1.0, 0.5], id="each-keeps-a-part"),
    ],
)
def test_the_kinds_share_their_time(time: Moved, took: tuple[float, float], given: list[float]) -> None:
    shares = kit.Shares()
    clocks = []
    for kind, spent in zip(SECONDS, (*took, 0.0), strict=True):
        clocks.append(shares.clock(kind, SECONDS))
        time.now += spent
    assert [clock.seconds for clock in clocks] == pytest.approx(given)


def test_a_kind_without_time_takes_none_from_the_others(time: Moved) -> None:
    shares, seconds = kit.Shares(), {"repeat": 4.0, "portrait": 2.0}
    assert shares.clock("repeat", seconds).seconds == 4.0
    time.now += 4.0
    assert shares.clock("portrait", seconds).seconds == pytest.approx(2.0)


def test_a_part_of_the_time_knows_the_whole(time: Moved) -> None:
    clock = kit.Clock(8.0)
    part = clock.part(4)
    assert (part.seconds, part.whole, clock.whole) == (2.0, clock, clock)
    assert (part.less(4).seconds, part.less(4).whole) == (0.5, clock)
    time.now += 3.0
    assert (part.left, clock.left) == (-1.0, 5.0)


def test_what_a_stage_tells_is_no_longer_being_measured() -> None:
    """Else a process that ends later would be said to have ended in it."""
    entries = [({"kind": "repeat", "operation": name}, name) for name in ("first", "second")]
    told = list(kit.measure(entries, kit.Clock(9.0), lambda what, _: {"detail": what}))
    current: list[Any] = [each["measuring"] and each["measuring"]["operation"] for each in told if "measuring" in each]
    assert current == ["first", None, "second", None]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 4.00 GiB", "no-memory"),
        ("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes.", "no-memory"),
        ("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "no-memory"),
        ("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 16 bytes.", "no-memory"),
        ("CUDA error: an illegal memory access was encountered", "failed"),
    ],
)
def test_too_little_memory_is_told_as_that_and_never_as_a_lost_device(message: str, reason: str) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError(message)

    entries = [({"kind": "repeat", "device": "cuda:0", "operation": str(number)}, None) for number in range(5)]
    told = list(kit.measure(entries, kit.Clock(9.0), fail))
    reasons = [raw["reason"] for part in told for raw in part.get("measurements+", ())]
    assert reasons == ([reason] * 5 if reason == "no-memory" else ["failed"] * 3 + ["device-lost"] * 2)
    assert any(kit.has_reason(part, "device-lost") for part in told) == (reason == "failed")


@pytest.mark.parametrize(
    ("message", "is_busy"),
    [
        ("CUDA error: CUDA-capable device(s) is/are busy or unavailable", True),
        ("CUDA error: all CUDA-capable devices are busy or unavailable", True),
        ("INTERNAL: failed call to cuDevicePrimaryCtxRetain: CUDA_ERROR_DEVICE_UNAVAILABLE", True),
        ("CUDA error: no CUDA-capable device is detected", False),
        ("CUDA out of memory", False),
    ],
)
def test_a_gpu_that_lets_in_no_other_process(message: str, is_busy: bool) -> None:
    assert kit.is_busy(message) is is_busy


@pytest.mark.parametrize(
    ("counts", "is_settled"),
    [
        pytest.param([], False, id="nothing"),
        pytest.param([29, 1], False, id="whoever-stops-at-the-first-other-takes-seldom-for-frequent"),
        pytest.param([15, 14], False, id="too-few-calls"),
        pytest.param([20, 10], True, id="frequent"),
        pytest.param([991, 9], False, id="seldom"),
        pytest.param([990, 5, 5], True, id="two-others"),
        pytest.param([1] * 30, True, id="another-each-time"),
    ],
)
def test_when_what_varies_was_repeated_often_enough(counts: list[int], is_settled: bool) -> None:
    assert kit.is_settled(counts) is is_settled
