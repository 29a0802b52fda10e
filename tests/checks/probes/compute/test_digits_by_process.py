"""Digits and flips of a framework whose settings need a process of their own: NumPy, real and tiny."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from checks.analysis.numbers.digits import change_of, error_of, flip_sizes
from checks.analysis.numbers.magnitude import Size
from checks.engine.catalogues.computations import read_measurement
from checks.facts import Flip, Precision
from checks.probes import kit

ARGUMENT = {"device": "cpu", "effort": "quick"}


def module(name: str) -> ModuleType:
    return importlib.import_module(f"checks.probes.compute.{name}")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few operations and one setting are enough to see how it is measured."""
    chosen = tuple(operation for operation in module("operations").OPERATIONS if operation.name in ("linear", "sum"))
    backend = module("numpy.backend")
    monkeypatch.setattr(backend.Backend, "operations", chosen)
    monkeypatch.setattr(backend, "is_x86", lambda: False)
    for name in ("numpy.backend", "arrays"):
        monkeypatch.setattr(module(name), "thread_counts", lambda _present: [1])


def measured(name: str, kind: type[Any], seconds: float = 1000.0) -> list[Any]:
    made = []
    for facts in module("runner").measured("numpy", name, ARGUMENT, lambda: clock(seconds)):
        for raw in facts.get("measurements+", ()):
            read = read_measurement(raw, name)
            assert isinstance(read, kind)
            made.append(read)
    return made


def test_a_setting_of_another_process_stands_beside_the_default() -> None:
    made: list[Precision] = measured("precision", Precision)
    assert [(each.operation, each.setting, each.reason) for each in made] == [
        ("sum", "default", ""),
        ("linear", "default", ""),
        ("linear", "batch-1", ""),
        ("linear", "threads-1", ""),
    ]
    for each in made:
        assert error_of(each).size in (Size.ROUNDING, Size.IDENTICAL)
        assert each.timed
        assert (each.beside is None) == (each.setting == "default")
    assert change_of(made[-1]).size in (Size.ROUNDING, Size.IDENTICAL)


def test_two_runs_of_two_processes_are_compared() -> None:
    made: list[Flip] = measured("flip", Flip)
    assert [each.reason for each in made if each.reason] == []
    assert {each.pair[1] for each in made} == {"batch-1", "threads-1"}
    for each in made:
        before, after = flip_sizes(each)
        assert before.size in (Size.ROUNDING, Size.IDENTICAL)
        if each.setting in each.pair or each.setting == "float64":
            assert after.size is Size.IDENTICAL


@pytest.fixture
def backend() -> Iterator[Any]:
    with module("numpy.backend").Backend("cpu") as made:
        yield made


def clock(seconds: float = 1000.0) -> Any:
    return module("kit").Clock(seconds)


def run_of(setting: str, **fields: Any) -> Any:
    return module("runs").Run("cpu", **fields).with_setting(setting)


def operation_named(name: str) -> Any:
    return next(operation for operation in module("operations").OPERATIONS if operation.name == name)


def test_another_process_gives_the_bits_of_this_one(backend: Any) -> None:
    """With the same number of threads, in each type, of the whole batch and of one row."""
    linear = operation_named("linear")
    given = backend.inputs(linear, "float32")
    here = module("runs").Run("cpu")
    there = run_of(f"threads-{backend.threads}")
    for changes in ({}, {"rows": 1}, {"dtype": "float64"}):
        first, _ = backend.result(linear, given, here.changed(**changes), clock())
        second, told = backend.result(linear, given, there.changed(**changes), clock(), timed=True)
        assert first.dtype == second.dtype
        assert np.array_equal(first, second)
        seconds, calls = told
        assert seconds > 0
        assert calls > 0
    assert len(backend._workers._alive) == 1


def test_what_another_process_leaves_goes_with_the_answer(
    backend: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is killed clears nothing away; the folder of the answer is."""
    monkeypatch.setattr(kit.Captured, "path", str(tmp_path / "answer.stderr"))
    linear = operation_named("linear")
    backend.result(linear, backend.inputs(linear, "float32"), run_of("threads-1"), clock())
    (folder,) = tmp_path.iterdir()
    assert {"answer", "numbers", "stderr"} == {path.name for path in folder.iterdir()}


def test_what_an_environment_prints_is_no_answer(backend: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('Welcome', flush=True)\nprint({})")
    monkeypatch.setattr(backend, "variables", lambda _setting: {"PYTHONPATH": str(tmp_path)})
    linear = operation_named("linear")
    given = backend.inputs(linear, "float32")
    for rows in (1, 2):
        result, _ = backend.result(linear, given, run_of("threads-1", rows=rows), clock())
        assert len(result) == rows


def refused(backend: Any, setting: str = "threads-1", seconds: float = 1000.0) -> tuple[str, str]:
    linear = operation_named("linear")
    with pytest.raises(module("runs").NotTried) as answer:
        backend.result(linear, backend.inputs(linear, "float32"), run_of(setting), clock(seconds))
    return answer.value.reason, answer.value.detail


def test_without_time_no_process_is_started(backend: Any) -> None:
    assert refused(backend, seconds=0.1) == ("no-time", "")
    assert not backend._workers._alive


def test_a_process_that_ends_at_once_is_told(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "variables", lambda _setting: {"PYTHONHOME": "nowhere"})
    assert refused(backend) == ("no-process", "PYTHONHOME=nowhere")
    assert refused(backend) == ("no-process", "PYTHONHOME=nowhere")  # not started again


def test_a_process_that_does_not_answer_is_ended(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module("worker"), "PATIENCE", 0.0)
    reason, _ = refused(backend)
    assert reason == "no-process"
    (worker,) = backend._workers._alive.values()
    assert worker._process.poll() is not None


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        pytest.param(  # as jaxlib 0.4.13 ended the process
            "F0000 xla/parse_flags_from_env.cc:224] Unknown flag in XLA_FLAGS: --xla_cpu_max_isa=SSE4_2",
            ("not-in-version", "XLA_FLAGS=--xla_cpu_max_isa=SSE4_2"),
            id="unknown-flag",
        ),
        pytest.param(
            "InternalError: CUDA error: all CUDA-capable devices are busy or unavailable",
            ("device-busy", ""),
            id="exclusive-gpu",
        ),
    ],
)
def test_what_a_process_wrote_before_it_ended_tells_why(
    backend: Any, monkeypatch: pytest.MonkeyPatch, said: str, reason: tuple[str, str]
) -> None:
    worker = module("worker")
    popen = worker.subprocess.Popen

    def ending(command: list[str], **how: Any) -> Any:
        program = f"import sys; sys.stderr.write({said!r}); sys.exit(6)"
        return popen([command[0], "-c", program], **how)

    monkeypatch.setattr(worker.subprocess, "Popen", ending)
    monkeypatch.setattr(backend, "variables", lambda _setting: {"XLA_FLAGS": "--xla_cpu_max_isa=SSE4_2"})
    assert refused(backend) == reason


def test_an_error_of_the_other_process_is_an_error_here(backend: Any) -> None:
    linear = operation_named("linear")
    with pytest.raises(RuntimeError, match="float77"):
        backend.result(linear, backend.inputs(linear, "float32"), run_of("threads-1", dtype="float77"), clock())


def test_flags_of_xla_are_put_together(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(backend, "variables", lambda setting: {"XLA_FLAGS": "--" + setting})

    def of(variables: dict[str, str]) -> Answering:
        asked.append(variables)
        return Answering()

    monkeypatch.setattr(backend._workers, "of", of)
    linear = operation_named("linear")
    run = run_of("older-instructions").with_setting("platform-math-off")
    backend.result(linear, backend.inputs(linear, "float32"), run, clock())
    assert asked == [{"XLA_FLAGS": "--older-instructions --platform-math-off"}]


class Answering:
    def result(self, *_asked: object) -> tuple[Any, str, None]:
        return np.zeros(1, "u4"), "float32", None


def test_what_was_not_asked_for_longest_is_ended_first(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    class Made:
        def __init__(self, _framework: str, _device: str, variables: dict[str, str]) -> None:
            self.name = variables["A"]

        def close(self) -> None:
            ended.append(self.name)

    worker = module("worker")
    monkeypatch.setattr(worker, "_Worker", Made)
    monkeypatch.setattr(worker, "MOST", 2)
    workers = worker.Workers("numpy", "cpu")
    for name in ("1", "2", "1", "3"):
        workers.of({"A": name})
    assert ended == ["2"]
    workers.close()
    assert sorted(ended) == ["1", "2", "3"]


@pytest.mark.parametrize(("name", "errors"), [("tf32", 2.0**-11), ("tf32-cut", 2.0**-10), ("bfloat16", 2.0**-8)])
def test_rounding_to_a_shorter_format(backend: Any, name: str, errors: float) -> None:
    factor = np.random.default_rng(1).uniform(0.5, 2, 10_000)
    found = backend.rounded(factor.astype("float32"), module("tried").ROUNDINGS[name])
    relative = np.abs(found - factor.astype("float32")) / factor
    assert errors / 2 < relative.max() <= errors
    digits = 7 if name == "bfloat16" else 10
    assert np.array_equal(
        found.astype("float32").view("uint32") & ((1 << (23 - digits)) - 1), np.zeros(10_000, "uint32")
    )
