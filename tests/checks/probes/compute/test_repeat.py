"""Operations repeated in frameworks that NumPy can read: the same bits, others now and then, none at all."""

import importlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checks.engine.catalogues.computations import read_measurement
from checks.facts import Repeat

# https://github.com/tensorflow/tensorflow/issues/47174, in TensorFlow 2.7
REFUSED = "A deterministic GPU implementation of DepthwiseConvBackpropFilter is not currently available."


compute = importlib.import_module("checks.probes.compute.kit")


def told(make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> Repeat:
    """What comes of one operation, as the fact that it becomes."""
    repeat = importlib.import_module("checks.probes.compute.repeat")
    monkeypatch.setitem(repeat.MOST, "quick", 40)
    named = {"framework": "jax", "device": "gpu:0", "setting": "default"}
    *_, last = repeat.stage(named, [("segment-sum", "float32", 7, make)], {"effort": "quick"}, compute.Clock(60.0))
    made = read_measurement(last["measurements+"][0], "test")
    assert isinstance(made, Repeat)
    assert (made.framework, made.operation, made.device, made.dtype) == ("jax", "segment-sum", "gpu:0", "float32")
    return made


def test_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    made = told(lambda: lambda: [np.ones(3, "float32"), np.zeros(2)], monkeypatch)
    assert (made.repetitions, made.distinct, made.counts, made.terms) == (40, 1, (40,), 7)
    assert made.spread is None
    assert not made.varies


def test_another_result_in_every_third_call(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = itertools.count()

    def call() -> list[Any]:
        result = np.ones(3, "float32")
        result[1] += 1e-6 * (next(calls) % 3 == 0)
        return [result]

    made = told(lambda: call, monkeypatch)
    assert made.distinct == 2
    assert made.repetitions == 30  # enough to know; the first call is not counted
    assert made.counts == (20, 10)
    assert made.spread is not None
    assert (made.spread.differing, made.spread.first) == (1, (1,))


def test_the_first_call_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = itertools.count()
    made = told(lambda: lambda: [np.full(3, min(next(calls), 1), "float32")], monkeypatch)
    assert (made.distinct, made.varies, made.first_differs) == (1, False, True)
    assert made.warm_up not in ("", *made.fingerprints)


def test_only_what_is_named_is_repeated() -> None:
    repeat = importlib.import_module("checks.probes.compute.repeat")
    operations = [(name, "float32", 7, lambda: lambda: [np.ones(3)]) for name in ("sum", "sort")]
    named = {"framework": "jax", "device": "cpu:0", "setting": "fresh-process"}
    argument = {"effort": "quick", "operations": ["sort"]}
    _, *facts = repeat.stage(named, operations, argument, compute.Clock(0.05))
    made = [measured for told in facts for measured in told.get("measurements+", ())]
    assert [(one["operation"], one["setting"]) for one in made] == [("sort", "fresh-process")]


def test_the_sign_of_zero_and_nan_count(monkeypatch: pytest.MonkeyPatch) -> None:
    results = itertools.cycle([0.0, -0.0, float("nan")])
    made = told(lambda: lambda: [np.full(2, next(results), "float32")], monkeypatch)
    assert made.distinct == 3


def test_an_operation_that_the_mode_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Any:
        raise RuntimeError(REFUSED)

    made = told(lambda: refuse, monkeypatch)
    assert made.reason == "no-deterministic-form"
    assert made.error is not None
    assert made.error.message == REFUSED


def test_any_other_error_is_told_as_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    made = told(lambda: {}["absent"], monkeypatch)
    assert made.reason == "failed"
    assert made.error is not None
    assert made.error.type == "KeyError"


def test_what_is_slow_waits_for_the_others_and_is_left_out_where_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A clock that only the operations move on."""
    repeat = importlib.import_module("checks.probes.compute.repeat")

    class Moved:
        now = 0.0

        def monotonic(self) -> float:
            return self.now

        perf_counter = monotonic

    def taking(seconds: float) -> Callable[[], Any]:
        def call() -> list[Any]:
            moved.now += seconds
            return [np.ones(3)]

        return lambda: call

    moved = Moved()
    for module in (repeat, compute):
        monkeypatch.setattr(module, "time", moved)
    operations = [
        ("matmul", "float32", 7, taking(0.4)),
        *((f"quick-{n}", "float32", 7, taking(1e-3)) for n in range(9)),
    ]
    named = {"framework": "jax", "device": "gpu:0", "setting": "default"}
    lines = repeat.stage(
        named, operations, {"effort": "quick", "done": ["repeat/quick-8/float32/default"]}, compute.Clock(1.5)
    )
    made = [raw for line in lines for raw in line.get("measurements+", ())]
    assert [raw["operation"] for raw in made] == [*(f"quick-{n}" for n in range(8)), "matmul"]
    assert all(raw["repetitions"] >= repeat.LEAST for raw in made[:-1])
    assert made[-1]["reason"] == "too-slow"
    assert moved.now <= 1.5 + 0.4
