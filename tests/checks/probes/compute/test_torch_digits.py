"""What PyTorch gets right, flips and portraits: real and tiny, with every setting as it was before."""

import importlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from checks.analysis.numbers.digits import shorter_format
from checks.analysis.numbers.portraits import portrait_difference
from checks.engine.catalogues.computations import COMPUTATION_PROBES, argument_of, measurements_of, read_measurement
from checks.engine.processes.runner import ProbeTask, run_probe
from checks.facts import Flip, Portrait, Precision

TINY = ("matmul", "softmax", "sum")


def module(name: str) -> ModuleType:
    return importlib.import_module(f"checks.probes.compute.{name}")


class Clock:
    """Time enough for so many measurements."""

    def __init__(self, count: int) -> None:
        self._left = count

    @property
    def left(self) -> int:
        self._left -= 1
        return self._left

    def part(self, waiting: int) -> "Clock":
        return self

    @property
    def whole(self) -> "Clock":
        return self


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few operations are enough to see that each is measured."""
    chosen = tuple(operation for operation in module("operations").OPERATIONS if operation.name in TINY)
    monkeypatch.setattr(module("backend").Backend, "operations", chosen)


@pytest.fixture
def settings_stay() -> Iterator[None]:
    before = everything()
    yield
    assert everything() == before


def everything() -> list[Any]:
    """What the measurements touch."""
    flags = module("torch.modes")
    return [
        torch.get_num_threads(),
        torch.are_deterministic_algorithms_enabled(),
        torch.get_float32_matmul_precision(),
        *(flags._read(torch, path, "fp32_precision") for path in flags._PRECISIONS),
        *(flags._read(torch, path, name) for path, name in flags._FLAGS),
        torch._C._get_mkldnn_enabled(),
        torch.is_autocast_enabled("cpu"),
    ]


def measured(name: str, kind: type[Any], count: int = 10_000) -> list[Any]:
    framework, kind_name = name.split(".")
    argument = {"device": "cpu", "effort": "quick"}
    made = []
    for facts in module("runner").measured(framework, kind_name, argument, lambda: Clock(count)):
        for raw in facts.get("measurements+", ()):
            read = read_measurement(raw, name)
            assert isinstance(read, kind)
            made.append(read)
    return made


@pytest.mark.usefixtures("few", "settings_stay")
def test_the_error_of_every_type_and_setting() -> None:
    made: list[Precision] = measured("torch.precision", Precision)
    assert [each.reason for each in made if each.reason] == []
    usual = {(each.operation, each.dtype): each for each in made if each.setting == "default"}
    assert {("matmul", "float32"), ("matmul", "bfloat16"), ("matmul", "float16")} <= usual.keys()
    for each in made:
        assert each.against is not None
        assert each.against.max_abs is not None
        assert (each.beside is None) == (each.setting == "default")
    assert all(shorter_format(each) is None for each in usual.values())
    (full, half) = (usual["matmul", dtype].against for dtype in ("float32", "bfloat16"))
    assert full is not None
    assert half is not None
    assert (half.max_abs or 0) > 1000 * (full.max_abs or 0)
    assert {each.setting for each in made} >= {"batch-1", "autocast-bfloat16"}


@pytest.mark.usefixtures("few")
def test_the_default_of_every_operation_comes_first() -> None:
    made: list[Precision] = measured("torch.precision", Precision, count=len(TINY) + 1)
    done = [each for each in made if not each.reason]
    assert {each.operation for each in done} == set(TINY)
    assert {each.setting for each in done} == {"default"}
    assert all(each.reason == "no-time" for each in made[len(done) :])


def test_a_planted_short_format_is_recognised_element_by_element(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that computes in TensorFloat-32 whatever its flags say, made of the processor."""
    backend, numeric = module("torch.backend").Backend, module("torch.numeric")
    monkeypatch.setattr(backend, "operations", module("operations").OPERATIONS[:1])
    monkeypatch.setattr(backend, "dtypes", ("float32",))
    roundings, rounded_by = module("tried").ROUNDINGS, backend("cpu").rounded
    run = numeric.run

    def as_a_tensor_core(torch_: Any, operation: Any, given: Any, operand: Any = None) -> Any:
        if given[0].dtype is not torch.float32:
            return run(torch_, operation, given, operand)
        rounded = [rounded_by(each, roundings["tf32"]).float() for each in given]
        return run(torch_, operation, rounded, operand)

    monkeypatch.setattr(numeric, "run", as_a_tensor_core)
    (usual, *_) = measured("torch.precision", Precision, count=2)
    assert usual.emulated["tf32"].likeness > 0.99
    assert shorter_format(usual) == "tf32"


@pytest.mark.usefixtures("few", "settings_stay")
def test_suspects_are_flipped_where_two_runs_differ() -> None:
    made: list[Flip] = measured("torch.flip", Flip)
    assert [each.reason for each in made if each.reason] == []
    for each in made:
        assert each.before is not None
        assert (each.after is None) == (each.before.differing == 0)
    alone = [each for each in made if each.pair == ("batch-64", "batch-1") and each.setting == "batch-1"]
    assert all(each.after is not None and each.after.differing == 0 for each in alone)


def test_what_does_not_repeat_is_not_attributed(monkeypatch: pytest.MonkeyPatch) -> None:
    numeric = module("torch.numeric")
    monkeypatch.setattr(module("torch.backend").Backend, "operations", module("operations").OPERATIONS[:1])
    monkeypatch.setattr(numeric, "run", lambda torch_, operation, given: torch.rand(64, 128))
    made: list[Flip] = measured("torch.flip", Flip)
    assert {each.reason for each in made} == {"not-repeatable"}


@pytest.mark.usefixtures("few", "settings_stay")
def test_portraits_of_torch_and_numpy_are_of_the_same_inputs() -> None:
    of_torch: list[Portrait] = measured("torch.portrait", Portrait)
    of_numpy: list[Portrait] = measured("numpy.portrait", Portrait)
    usual = {each.operation: each for each in of_torch if each.setting == "default"}
    drawn = {stream.name for stream in module("operations").STREAMS}
    assert {each.operation for each in of_numpy} == drawn.union(TINY)
    for each in (each for each in of_numpy if each.operation not in drawn):
        difference = portrait_difference(usual[each.operation], each)
        assert difference is not None
        assert difference.max_abs is not None
        assert difference.max_abs <= 1e-5 * (difference.scale or 1)


def test_numpy_computes_what_torch_computes() -> None:
    """Every operation, in two ways of writing it down."""
    numeric, by_hand = module("torch.numeric"), module("numpy.operations")
    for operation in module("operations").OPERATIONS:
        if operation.name not in by_hand.KNOWN:
            continue
        given = by_hand.inputs(np, operation)
        expected = numeric.run(torch, operation, [torch.from_numpy(each).double() for each in given]).numpy()
        found = by_hand.run(np, operation, given)
        assert found.dtype == np.float32
        assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max(), operation.name


def test_rounding_stays_within_its_condition_for_every_operation() -> None:
    """The bound that every judgement leans on: terms x unit roundoff x condition, element by element."""
    numeric = module("torch.numeric")
    for operation in module("operations").OPERATIONS:
        given = numeric.inputs(torch, operation, torch.float32, "cpu")
        exact = [each.double() for each in given]
        error = (numeric.run(torch, operation, given).double() - numeric.run(torch, operation, exact)).abs()
        bound = numeric.condition(torch, operation, exact) * operation.terms * 2.0**-24
        assert bool((error <= bound).all()), operation.name


@pytest.mark.parametrize(("name", "ulp"), [("exp", 19), ("tanh", 5), ("erf", 16)])
def test_a_function_may_be_as_rough_as_its_standard_allows(name: str, ulp: int) -> None:
    (operation,) = (each for each in module("operations").OPERATIONS if each.name == name)
    numeric = module("torch.numeric")
    given = [each.double() for each in numeric.inputs(torch, operation, torch.float32, "cpu")]
    truth = numeric.run(torch, operation, given).float()
    ulps = (truth - truth.nextafter(torch.zeros_like(truth))).abs().double()
    allowed = numeric.condition(torch, operation, given) * 2.0**-24
    assert bool((ulp * ulps <= allowed.max()).all())


def test_the_settings_of_a_gpu_are_put_back_by_both_interfaces() -> None:
    flags = module("torch.modes")
    before = everything()
    for mode in ("tf32-on", "tf32-off", "tf32-on-flags", "tf32-off-flags", "fp16-accumulation", "precision-high"):
        with flags.applied(torch, mode, "cuda:0"):
            pass
        assert everything() == before, mode
    with flags.applied(torch, "tf32-on", "cuda:0"):
        assert flags._read(torch, "backends.cuda.matmul", "fp32_precision") == "tf32"
    with flags.applied(torch, "tf32-off-flags", "cuda:0"):
        assert torch.backends.cuda.matmul.allow_tf32 is False
        assert torch.backends.cudnn.allow_tf32 is False


def test_the_modes_of_a_device_fit_its_type() -> None:
    flags = module("torch.modes")
    assert "fp16-accumulation" in flags._of_cuda(torch, "float16")
    assert "tf32-off" in flags._of_cuda(torch, "float32")
    assert "tf32-off" not in flags._of_cuda(torch, "bfloat16")
    assert flags.of_device(torch, "mps", "float32") == ["autocast-float16"]


@pytest.mark.usefixtures("warm_probes")
@pytest.mark.parametrize("framework", ["torch", "numpy"])
def test_the_probe_alone_in_a_process_of_its_own(framework: str) -> None:
    import sys

    spec = next(
        computation_probe for computation_probe in COMPUTATION_PROBES if computation_probe.framework == framework
    )
    argument = argument_of("cpu", "quick", {"portrait": 0.05})
    answer = run_probe(ProbeTask("made up", spec.script, sys.executable, argument, time_limit=120))
    made = list(measurements_of(answer, "probe"))
    assert answer.run.status == "ok"
    assert {type(each) for each in made} == {Portrait}
    assert made[0].reason == ""
    assert made[-1].reason in ("", "no-time")


@pytest.mark.usefixtures("settings_stay")
@pytest.mark.parametrize(
    ("seconds", "reasons"),
    [
        pytest.param(90.0, {"softmax": "", "matmul": ""}, id="both"),
        pytest.param(10.0, {"softmax": "no-time", "matmul": ""}, id="what-fits"),
        pytest.param(-3.0, {"softmax": "no-time", "matmul": "no-time"}, id="none"),
    ],
)
def test_what_is_compiled_in_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch, seconds: float, reasons: dict[str, str]
) -> None:
    """A compiler cannot be interrupted: it is started where there is time for it, and told as left out elsewhere."""
    stage = module("torch.compiled")
    monkeypatch.setattr(stage.precision.Precision, "measured", lambda *_: {"rms": 1e-7})
    clock = module("kit").Clock(seconds)
    told = list(stage.compiled({"device": "cpu", "effort": "standard"}, clock))
    made = [read_measurement(raw, "test") for part in told for raw in part.get("measurements+", ())]
    assert {each.operation: each.reason for each in made if each} == reasons
    assert {each.setting for each in made if each} == {"compiled"}
    assert list(reasons) == [each.operation for each in made if each]
    again = stage.compiled({"device": "cpu", "done": ["precision/softmax/float32/compiled"]}, clock)
    assert [raw["operation"] for part in again for raw in part.get("measurements+", ())] == ["matmul"]
