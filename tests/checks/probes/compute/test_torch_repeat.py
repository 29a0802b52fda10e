"""Repeated operations: what varies is told with its figures, what does not is not, and nothing ends the suite."""

import importlib
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from checks.causes.reproducibility.nondeterministic_op import nondeterministic_op
from checks.causes.reproducibility.uninitialized_memory_or_race import uninitialized_memory_or_race
from checks.engine.catalogues.computations import read_measurement
from checks.facts import Measurements, Repeat
from checks.knowledge.frameworks.computations import known_operations, known_settings
from checks.probes import host

HERE = Path(host.HERE)
MOST = 24
compute = importlib.import_module("checks.probes.compute.kit")
timers = importlib.import_module("checks.probes.compute.torch.timers")


@pytest.fixture(scope="module")
def suite() -> ModuleType:
    return importlib.import_module("checks.probes.compute.torch.operations")


@pytest.fixture
def repeat(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = importlib.import_module("checks.probes.compute.torch.repeat")
    monkeypatch.setattr(module, "MOST", {"quick": MOST})
    return module


@pytest.fixture
def repeats(repeat: ModuleType) -> Any:
    return repeat.Repeats(torch, {"device": "cpu", "effort": "quick"})


def operation(suite: ModuleType, make: Callable[[Any], Callable[[], Any]], **more: Any) -> Any:
    fields = {"needs": "", "exact": False, "terms": None, "settings": (), **more}
    return suite.Operation(
        "planted", "float32", make, *(fields[name] for name in ("needs", "exact", "terms", "settings"))
    )


def fact(figures: dict[str, Any]) -> Repeat:
    """As the engine reads it, after its way through JSON."""
    read = read_measurement(json.loads(json.dumps({"kind": "repeat", **figures})), "probe")
    assert isinstance(read, Repeat)
    return read


def every(turns: int, size: float) -> Callable[[Any], Callable[[], Any]]:
    """An operation whose result is off by this size in every so many calls."""

    def make(on: Any) -> Callable[[], Any]:
        base, calls = on.reals(1000), iter(range(1 << 30))

        def call() -> Any:
            result = base.clone()
            if next(calls) % turns == 0:
                result[17] += size
            return (result,)

        return call

    return make


def test_silent_on_what_repeats(suite: ModuleType, repeats: Any) -> None:
    made = fact(repeats.run((operation(suite, lambda on: lambda: (on.torch.ones(9),)), "default"), compute.Clock(60.0)))
    assert (made.repetitions, made.distinct, made.counts, made.varies) == (MOST, 1, (MOST,), False)
    assert (made.spread, made.order, made.warm_up) == (None, (), "")
    assert made.seconds is not None
    assert made.share is not None
    assert 0 < made.share <= 1
    assert list(repeats.questions()) == []


def test_a_planted_variation_is_told_with_its_figures(suite: ModuleType, repeats: Any) -> None:
    planted = operation(suite, every(3, 0.25), exact=True, terms=8)
    made = fact(repeats.run((planted, "default"), compute.Clock(60.0)))
    assert (made.distinct, made.varies, made.terms) == (2, True, 8)
    assert sorted(made.counts) == [MOST // 3, MOST - MOST // 3]
    assert made.order[:4] in ((0, 0, 1, 0), (0, 1, 0, 0), (0, 1, 1, 0))
    assert made.spread is not None
    assert made.spread.differing == 1
    assert made.spread.max_abs == pytest.approx(0.25, rel=1e-3)
    assert made.spread.first == (17,)
    assert list(repeats.questions()) == [(planted, "exact-inputs"), (planted, "threads-1")]
    again = fact(repeats.run((planted, "exact-inputs"), compute.Clock(60.0)))
    assert again.varies  # no order of adding does that


def test_a_bit_that_flips_once_in_many_is_seen(suite: ModuleType, repeats: Any) -> None:
    made = fact(repeats.run((operation(suite, every(20, 1e-6)), "default"), compute.Clock(60.0)))
    assert made.distinct == 2


def test_the_first_call_is_told_apart(suite: ModuleType, repeats: Any) -> None:
    made = fact(repeats.run((operation(suite, every(1 << 29, 1.0)), "default"), compute.Clock(60.0)))
    assert (made.distinct, made.repetitions) == (1, MOST)
    assert made.warm_up
    assert made.warm_up not in made.fingerprints
    assert (made.varies, made.first_differs) == (False, True)


def test_nan_everywhere_is_no_variation(suite: ModuleType, repeats: Any) -> None:
    made = fact(
        repeats.run(
            (operation(suite, lambda on: lambda: (on.torch.full((9,), float("nan")),)), "default"), compute.Clock(60.0)
        )
    )
    assert not made.varies


def test_what_is_too_large_is_made_smaller(suite: ModuleType, repeats: Any) -> None:
    def make(on: Any) -> Callable[[], Any]:
        if on.scale > 0.1:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB")
        return lambda: (on.torch.ones(on.many(64)),)

    made = fact(repeats.run((operation(suite, make), "default"), compute.Clock(60.0)))
    assert (made.shrunk, made.scale, made.distinct) == (2, 1 / 16, 1)


@pytest.mark.parametrize(("seconds", "scale"), [(1e-6, 1024.0), (1e-3, 64.0), (1e3, 1 / 64)])
def test_on_an_accelerator_it_gets_a_size_that_can_be_timed(
    suite: ModuleType, repeats: Any, monkeypatch: pytest.MonkeyPatch, seconds: float, scale: float
) -> None:
    repeats._kind = "accelerator"
    monkeypatch.setattr(repeats._timer, "once", lambda _: seconds * repeats._prepared.scale)
    planted = operation(suite, lambda on: lambda: (on.torch.ones(on.many(1)),))
    assert fact(repeats.run((planted, "default"), compute.Clock(1e9).part(10**8))).scale == scale
    repeats.run((operation(suite, lambda on: lambda: (on.torch.ones(3),)), "default"), compute.Clock(1e9).part(10**8))
    monkeypatch.setattr(repeats._timer, "once", lambda _: 1e3)
    assert (
        fact(repeats.run((planted, "deterministic"), compute.Clock(1e9).part(10**8))).scale == scale
    )  # so that the times can be compared


def test_what_takes_as_long_with_fewer_numbers_is_not_tried_with_ever_fewer(
    suite: ModuleType, repeats: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine takes seconds for each of many small steps."""
    repeats._kind = "accelerator"
    monkeypatch.setattr(repeats._timer, "once", lambda _: 1e3)
    planted = operation(suite, lambda on: lambda: (on.torch.ones(on.many(1)),))
    assert fact(repeats.run((planted, "default"), compute.Clock(1e9).part(10**8))).scale == 16.0


def test_what_varies_is_asked_first(suite: ModuleType, repeats: Any) -> None:
    planted = operation(suite, every(2, 1.0))
    repeats.run((planted, "default"), compute.Clock(60.0))
    assert repeats.of_what_varies() == [(planted, "deterministic"), (planted, "threads-1")]
    rest = repeats.in_deterministic_mode()
    assert len(rest) == len(repeats.by_default())
    assert planted not in [operation for operation, _ in rest]


class Marks:
    """CUDA's events, a second after each other."""

    made = 0

    def __init__(self, **_: object) -> None:
        Marks.made += 1
        self.second = float(Marks.made)

    def record(self, stream: object) -> None:
        """On a stream."""

    def elapsed_time(self, other: "Marks") -> float:
        return 1000 * (other.second - self.second)


class MarkedCuda:
    Event = Marks

    @staticmethod
    def current_stream(device: str) -> None:
        """There is none."""

    synchronize = current_stream


class MarkedTorch:
    cuda = MarkedCuda


def test_events_of_the_device_time_the_operation_and_the_rest(repeat: ModuleType) -> None:
    timer = timers.Events(MarkedTorch, "cuda:0")
    with pytest.raises(ZeroDivisionError), timer:
        raise ZeroDivisionError
    timer.reset()
    for _ in range(3):
        with timer:
            pass
        timer.marked()
    assert timer.read() == ([1.0, 1.0, 1.0], 8.0)  # nine marks; between two calls is a second, too
    assert timer.once(lambda: None) == 1.0


def test_memory_that_never_suffices_is_an_error(suite: ModuleType, repeats: Any) -> None:
    def make(on: Any) -> Callable[[], Any]:
        raise MemoryError("not enough memory: you tried to allocate 8 bytes")

    with pytest.raises(MemoryError):
        repeats.run((operation(suite, make), "default"), compute.Clock(60.0))


def raising(error: Exception) -> Callable[[Any], Callable[[], Any]]:
    def make(on: Any) -> Callable[[], Any]:
        def call() -> Any:
            raise error

        return call

    return make


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("histc_cuda does not have a deterministic implementation, but you set"), "no-deterministic-form"),
        (RuntimeError("... set an environment variable: CUBLAS_WORKSPACE_CONFIG=:4096:8"), "workspace-not-set"),
        (
            NotImplementedError("The operator 'aten::x' is not currently implemented for the MPS device"),
            "not-on-device",
        ),
        (RuntimeError("\"addmm_impl_cpu_\" not implemented for 'Half'"), "not-on-device"),
        (RuntimeError("No available kernel. Aborting execution."), "not-on-device"),
    ],
)
def test_why_it_was_not_measured(suite: ModuleType, repeats: Any, error: Exception, reason: str) -> None:
    made = fact(repeats.run((operation(suite, raising(error)), "deterministic"), compute.Clock(60.0)))
    assert made.reason == reason
    assert made.error is not None
    assert made.error.message == str(error)


def test_another_error_is_left_to_the_kit(suite: ModuleType, repeats: Any) -> None:
    with pytest.raises(RuntimeError, match="illegal memory access"):
        repeats.run(
            (operation(suite, raising(RuntimeError("CUDA error: an illegal memory access"))), "default"),
            compute.Clock(60.0),
        )


def test_what_this_version_lacks(suite: ModuleType, repeats: Any) -> None:
    planted = operation(suite, raising(RuntimeError()), needs="nn.functional.not_yet_invented")
    made = fact(repeats.run((planted, "default"), compute.Clock(60.0)))
    assert (made.reason, made.detail) == ("not-in-version", "torch.nn.functional.not_yet_invented")


def test_deterministic_mode_is_on_for_the_operation_and_off_after_it(suite: ModuleType, repeats: Any) -> None:
    seen: list[bool] = []

    def make(on: Any) -> Callable[[], Any]:
        def call() -> Any:
            seen.append(torch.are_deterministic_algorithms_enabled())
            return (on.torch.ones(2),)

        return call

    planted = operation(suite, make)
    repeats.run((planted, "default"), compute.Clock(60.0))
    assert set(seen) == {False}
    seen.clear()
    repeats.run((planted, "deterministic"), compute.Clock(60.0))
    assert set(seen) == {True}
    refused = next(each for each in suite.OPERATIONS if each.name == "max-unpool2d")
    assert repeats.run((refused, "deterministic"), compute.Clock(60.0))["reason"] == "no-deterministic-form"
    assert not torch.are_deterministic_algorithms_enabled()


def test_a_search_for_algorithms_runs_in_a_thread_of_its_own(repeat: ModuleType) -> None:
    import threading

    names: list[str] = []
    call = repeat._in_threads(lambda: names.append(threading.current_thread().name))
    call()
    call()
    assert len(set(names)) == 2
    with pytest.raises(ZeroDivisionError):
        repeat._in_threads(lambda: 1 // 0)()


def test_a_process_with_other_variables_tells_what_it_measured(repeat: ModuleType) -> None:
    argument = {"device": "cpu", "effort": "quick", "seconds": {"repeat": 5.0}, "operations": ["sum"]}
    argument["settings"] = ["deterministic-workspace"]
    named = {"kind": "repeat", "operation": "sum", "dtype": "float32", "setting": "deterministic-workspace"}
    told = repeat.child.measured(
        str(HERE / "compute/torch/probe.py"), argument, {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}, 120, [named]
    )
    (made,) = (fact(raw) for part in told for raw in part.get("measurements+", ()))
    assert (made.operation, made.setting, made.reason) == ("sum", "deterministic-workspace", "")
    assert made.distinct == 1


def test_every_operation_and_setting_has_its_words(suite: ModuleType) -> None:
    names = [each.name for each in suite.OPERATIONS]
    assert len(names) == len(set(names)) >= 40
    assert set(names) <= known_operations().keys()
    settings = importlib.import_module("checks.probes.compute.torch.settings")
    assert {setting for each in suite.OPERATIONS for setting in each.settings} <= set(settings._SETTINGS)
    assert set(settings._SETTINGS) <= known_settings().keys()


def runnable(suite: ModuleType) -> Iterator[Any]:
    gpu_only = ("matmul-tf32", "attention-efficient-backward", "attention-cudnn-backward")
    yield from (each for each in suite.OPERATIONS if each.name not in gpu_only)


def test_every_operation_computes_on_the_processor(suite: ModuleType, repeat: ModuleType) -> None:
    pool = suite.Pool(torch, "cpu")
    codes = repeat.fingerprint.torch_codes
    for each in runnable(suite):
        for exact in {False, each.exact}:
            torch.manual_seed(repeat.SEED)
            result = each.make(suite.Drawn(pool, 1 / 64, exact, each.dtype))()
            assert isinstance(result, tuple), each.name
            assert codes(torch, result).dtype is torch.int64, each.name
            assert all(part.numel() for part in result), each.name


def test_inputs_are_the_same_each_time_and_differ_from_each_other(suite: ModuleType) -> None:
    def drawn() -> tuple[Any, ...]:
        on = suite.Drawn(suite.Pool(torch, "cpu"))
        return on.reals(70000), on.reals(70000), on.whole(500, below=64)

    first, second = drawn(), drawn()
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))
    assert not torch.equal(first[0], first[1])
    assert 0 <= int(first[2].min()) < int(first[2].max()) < 64
    exact = suite.Drawn(suite.Pool(torch, "cpu"), exact=True).reals(5000)
    assert torch.equal(exact, exact.round())
    assert exact.abs().max() == 4


def test_codes_tell_apart_what_differs(repeat: ModuleType) -> None:
    def code(*tensors: Any) -> int:
        codes = repeat.fingerprint.TorchCodes(torch)
        codes.add(tensors)
        (found,) = codes.read()
        return int(found)

    ones = torch.ones(2048)
    moved = torch.cat([torch.zeros(1), torch.ones(2047)])
    assert code(ones) == code(torch.ones(2048))
    assert (
        len({code(ones), code(ones, ones), code(ones.view(2, -1)), code(moved), code(moved.flip(0)), code(-ones)}) == 6
    )
    assert code(ones, moved) != code(moved, ones)


class Seconds:
    """A clock that only the operations of a test move on."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = monotonic


class Ticking(Seconds):
    """A clock on which a little time passes between two looks, however busy the machine is."""

    def monotonic(self) -> float:
        self.now += 1e-4
        return self.now

    perf_counter = monotonic


def test_a_short_stage_tells_what_it_left_out(
    repeat: ModuleType, suite: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (compute, repeat, timers):
        monkeypatch.setattr(module, "time", Ticking())
    told = repeat.stage({"device": "cpu", "effort": "quick"}, compute.Clock(0.02))
    made = [fact(raw) for part in told for raw in part.get("measurements+", ())]
    assert {each.operation for each in made} == {each.name for each in suite.OPERATIONS}
    assert {each.setting for each in made} >= {"default", "deterministic"}
    assert any(each.reason == "no-time" for each in made)
    assert any(each.repetitions for each in made)
    assert not any(each.reason == "failed" for each in made)


@pytest.mark.parametrize(("device", "told"), [("xpu:1", ["xpu:1"]), ("cuda:0", ["cuda:0"]), ("cpu", []), ("mps", [])])
def test_the_device_that_is_repeated_on_is_the_current_one(
    repeat: ModuleType, monkeypatch: pytest.MonkeyPatch, device: str, told: list[str]
) -> None:
    """Its generator is seeded where PyTorch seeds that of the current device."""
    chosen: list[str] = []
    for kind in (torch.cuda, torch.xpu):
        monkeypatch.setattr(kind, "set_device", chosen.append)
    assert (
        list(repeat.stage({"device": device, "effort": "quick", "operations": [], "settings": []}, compute.Clock(60)))
        == []
    )
    assert chosen == told


@pytest.mark.parametrize(
    "error",
    [
        TypeError("MPS BFloat16 is only supported on MacOS 14 or newer"),
        RuntimeError("Required aspect fp64 is not supported on the device"),
        NotImplementedError("\"addmm_impl\" not implemented for 'Half'"),
        RuntimeError("CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasGemmEx(handle, opa, opb)`"),
    ],
)
def test_what_a_device_does_not_compute_is_no_loss(error: Exception) -> None:
    def fail(*_: Any) -> None:
        raise error

    entries = [({"kind": "precision", "device": "mps"}, None)] * 5
    told = list(compute.measure(entries, compute.Clock(60), fail))
    assert [made["reason"] for part in told for made in part.get("measurements+", ())] == ["not-on-device"] * 5


@pytest.mark.parametrize(
    ("device", "reasons"),
    [
        ("cuda:0", ["failed"] * 3 + ["device-lost"] * 2),
        ("cpu", ["failed"] * 5),
        ("CPU:0", ["failed"] * 5),  # of TensorFlow
        ("cpu:0", ["failed"] * 5),  # of JAX
    ],
)
def test_only_an_accelerator_is_given_up(device: str, reasons: list[str]) -> None:

    def fail(*_: Any) -> None:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    entries = [({"kind": "repeat", "device": device}, None)] * 5
    told = list(compute.measure(entries, compute.Clock(60), fail))
    assert [raw["reason"] for part in told for raw in part.get("measurements+", ())] == reasons


@pytest.mark.parametrize(
    ("size", "cause"),
    [
        pytest.param(1.2e-7, "nondeterministic-op", id="last-digit"),
        pytest.param(0.25, "uninitialized-memory-or-race", id="too-far-for-rounding"),
        pytest.param(0.0, None, id="same-bits"),
    ],
)
def test_from_a_planted_operation_to_the_finding(
    suite: ModuleType, repeat: ModuleType, repeats: Any, size: float, cause: str | None
) -> None:
    planted = operation(suite, every(3, size), terms=8)
    planted.name = "norm"  # which no document names
    entries = repeats.entries((planted, setting) for setting in ("default", "deterministic"))
    told = list(compute.measure(entries, compute.Clock(60), repeats.run))
    made = Measurements(all=tuple(fact(raw) for part in told for raw in part.get("measurements+", ())))
    checks = (nondeterministic_op(made, None, None), uninitialized_memory_or_race(made, None))
    found = [finding for findings in checks for finding in findings]
    assert [each.cause for each in found] == ([cause] if cause else [])


def test_a_product_that_is_refused_is_asked_again_in_a_new_process(
    suite: ModuleType, repeat: ModuleType, repeats: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    refused = operation(suite, raising(RuntimeError("you must set CUBLAS_WORKSPACE_CONFIG=:4096:8")))
    repeats.run((refused, "deterministic"), compute.Clock(60.0))
    assert not repeats.wants_workspace  # which is a matter of CUDA
    repeats._kind = "cuda"
    assert repeats.wants_workspace
    asked: list[Any] = []
    monkeypatch.setattr(repeat.child, "measured", lambda *given: asked.append(given) or [])
    list(repeats.with_workspace(compute.Clock(5)))
    ((_, argument, environment, _, names),) = asked
    assert [name["operation"] for name in names] == ["planted"]
    assert argument["operations"] == ["planted"]
    assert argument["settings"] == ["deterministic-workspace"]
    assert environment == {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    assert not repeats.wants_workspace


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch, repeat: ModuleType) -> Seconds:
    moved = Seconds()
    monkeypatch.setattr(compute, "time", moved)
    monkeypatch.setattr(repeat, "time", moved)
    monkeypatch.setattr(timers, "time", moved)
    return moved


def slow(suite: ModuleType, name: str, seconds: Seconds, *calls: float) -> Any:
    """An operation whose calls take so many seconds; those after the last as many as it."""

    def make(on: Any) -> Callable[[], Any]:
        def call() -> Any:
            seconds.now += left.pop(0) if len(left) > 1 else left[0]
            return (on.torch.ones(3),)

        return call

    left = list(calls)
    planted = operation(suite, make)
    planted.name = name
    return planted


def repeated(repeats: Any, operations: list[Any], clock: Any) -> dict[str, Repeat]:
    told = compute.measure(repeats.entries((each, "default") for each in operations), clock, repeats.run)
    return {made.operation: made for part in told for raw in part.get("measurements+", ()) for made in [fact(raw)]}


def test_one_slow_operation_waits_for_the_quick_and_is_left_out(
    suite: ModuleType, repeats: Any, seconds: Seconds
) -> None:
    """As an LSTM on a busy machine: 0.7 s a call, in a stage of 1.6 s."""
    quick = [slow(suite, f"quick-{number}", seconds, 0.002) for number in range(20)]
    made = repeated(repeats, [*quick[:5], slow(suite, "lstm", seconds, 0.7), *quick[5:]], compute.Clock(1.6))
    assert list(made)[-1] == "lstm"
    assert (made["lstm"].reason, made["lstm"].repetitions, made["lstm"].seconds) == ("too-slow", 0, 0.7)
    assert made["lstm"].is_left_out
    assert all(made[each.name].repetitions >= 3 for each in quick)
    assert seconds.now <= 1.6 + 0.7


def test_a_slow_operation_is_repeated_where_the_others_leave_the_time(
    suite: ModuleType, repeats: Any, seconds: Seconds
) -> None:
    quick = [slow(suite, f"quick-{number}", seconds, 0.001) for number in range(20)]
    made = repeated(repeats, [slow(suite, "lstm", seconds, 0.2), *quick], compute.Clock(3.0))
    assert made["lstm"].repetitions >= 3
    assert seconds.now <= 3.0 + 0.2


def test_each_is_repeated_often_enough_before_any_is_repeated_more(
    suite: ModuleType, repeats: Any, seconds: Seconds
) -> None:
    """As on two busy cores: as much time as all of them need, whose calls take more and less."""
    lengths = [(0.001, 0.01, 0.03)[number % 3] for number in range(30)]
    planted = [slow(suite, f"operation-{number}", seconds, length) for number, length in enumerate(lengths)]
    made = repeated(repeats, planted, compute.Clock(1.25 * sum(12 * length for length in lengths)))
    assert min(each.repetitions for each in made.values()) >= 10
    assert {each.reason for each in made.values()} == {""}


def test_where_all_are_slow_the_first_are_repeated_and_not_each_only_tried(
    suite: ModuleType, repeats: Any, seconds: Seconds
) -> None:
    many = [slow(suite, f"slow-{number}", seconds, 0.04) for number in range(50)]
    made = repeated(repeats, many, compute.Clock(2.0))
    measured = [each for each in made.values() if each.repetitions]
    assert [each.operation for each in measured] == [f"slow-{number}" for number in range(len(measured))]
    assert len(measured) >= 8
    assert sum(each.reason == "too-slow" for each in made.values()) <= 2  # in the last moments
    assert seconds.now <= 2.0 + 0.04


def test_what_becomes_slow_in_the_middle_is_cut(suite: ModuleType, repeats: Any, seconds: Seconds) -> None:
    quick = [slow(suite, f"quick-{number}", seconds, 0.001) for number in range(20)]
    made = repeated(repeats, [*quick, slow(suite, "lstm", seconds, 0.001, 0.001, 0.9)], compute.Clock(1.0))
    assert (made["lstm"].reason, made["lstm"].repetitions) == ("too-slow", 0)
    assert seconds.now <= 1.0 + 0.9


def test_a_variation_is_told_however_slow_it_is(suite: ModuleType, repeats: Any, seconds: Seconds) -> None:
    """Two different results are two different results."""

    def make(on: Any) -> Callable[[], Any]:
        calls = iter(range(1 << 30))

        def call() -> Any:
            number = next(calls)
            seconds.now += 0.01 if number < 2 else 0.9
            return (on.torch.full((3,), float(number)),)

        return call

    made = repeated(repeats, [operation(suite, make)], compute.Clock(1.0))["planted"]
    assert made.varies
    assert made.reason == ""
    assert made.spread is not None
    assert seconds.now <= 1.0 + 0.9


def test_with_more_time_the_repetitions_go_on(
    suite: ModuleType, repeat: ModuleType, monkeypatch: pytest.MonkeyPatch, seconds: Seconds
) -> None:
    planted = [slow(suite, "first", seconds, 0.01), slow(suite, "second", seconds, 0.01)]
    monkeypatch.setattr(suite, "OPERATIONS", planted)
    argument = {"device": "cpu", "effort": "quick"}

    def told(facts: Iterator[dict[str, Any]]) -> list[tuple[str, str, int, str]]:
        made = [fact(raw) for part in facts for raw in part.get("measurements+", ())]
        return [(each.operation, each.setting, each.repetitions, each.reason) for each in made]

    short = told(repeat.stage(argument, compute.Clock(0.12)))
    assert ("second", "deterministic", 0, "too-slow") in short
    ((first, _, few, _), *_) = short
    assert (first, few < MOST) == ("first", True)
    assert told(repeat.more(argument, compute.Clock(9.0))) == [
        (name, "default", MOST, "") for name in ("second", "first")
    ]
    assert told(repeat.more(argument, compute.Clock(9.0))) == []  # more tell nothing new


def test_no_repetition_of_what_was_done_before_a_crash(
    suite: ModuleType, repeat: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = [operation(suite, lambda on: lambda: (on.torch.ones(3),)) for _ in range(3)]
    for each, name in zip(planted, ("first", "second", "third"), strict=True):
        each.name = name
    monkeypatch.setattr(suite, "OPERATIONS", planted)
    done = ["repeat/first/float32/default", "repeat/second/float32/default", "repeat/first/float32/deterministic"]
    argument = {"device": "cpu", "effort": "quick", "done": done, "varied": ["first"]}
    parts = list(repeat.stage(argument, compute.Clock(9.0)))
    made = [fact(raw) for part in parts for raw in part.get("measurements+", ())]
    assert [(each.operation, each.setting) for each in made] == [
        ("third", "default"),
        ("first", "threads-1"),  # which varied before the crash, and is asked further
        ("second", "deterministic"),
        ("third", "deterministic"),
    ]
    planned = [each for part in parts for each in part.get("planned+", ())]
    assert [(each["operation"], each["setting"]) for each in planned] == [
        (each.operation, each.setting) for each in made if each.setting != "threads-1"
    ]


def test_memory_holds_other_bytes_before_each_of_the_first_calls(
    suite: ModuleType, repeats: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zero, no number, a large number: what is never written shows as one of them."""
    left: list[int] = []
    dirt = repeats._leave_dirt
    monkeypatch.setattr(repeats, "_leave_dirt", lambda turn: (left.append(turn % 3), dirt(turn)))
    repeats.run((operation(suite, lambda on: lambda: (on.torch.ones(9),)), "default"), compute.Clock(60.0))
    assert set(left) == {0, 1, 2}
    assert repeats._prepared.sizes == {36}


def test_a_seed_leaves_no_calls_for_devices_that_are_not_there() -> None:
    settings = importlib.import_module("checks.probes.compute.torch.settings")
    waiting = len(torch.cuda._queued_calls)
    seed = settings.seeding(torch, "cpu", 20)
    seed()
    first = torch.rand(5)
    seed()
    assert torch.equal(first, torch.rand(5))
    torch.manual_seed(20)
    assert torch.equal(first, torch.rand(5))
    assert len(torch.cuda._queued_calls) <= waiting + 1  # of the usual way, just now


def test_that_torch_explains_why_it_has_no_such_attention_stays_out_of_our_words(suite: ModuleType) -> None:
    class Refusing:  # as PyTorch 2.11 on an H100 did: the reasons as warnings, then the error
        def scaled_dot_product_attention(self, *_heads: Any) -> None:
            warnings.warn("Flash attention kernel not used because:", UserWarning, stacklevel=2)
            raise RuntimeError("No available kernel. Aborting execution.")

    (flash,) = (one for one in suite.OPERATIONS if one.name == "attention-flash-backward")
    drawn = type("Drawn", (suite.Drawn,), {"nn": Refusing()})(suite.Pool(torch, "cpu"))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError, match="No available kernel"):
            flash.make(drawn)()
        assert told == []
        warnings.warn("of somebody else", UserWarning, stacklevel=1)
        assert len(told) == 1
