"""The articles' experiments: real ones with a tiny budget, a planted difference, and numbers that are none."""

import importlib
import json
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from support import simulated_cuda

from checks.engine.catalogues.computations import COMPUTATION_PROBES, argument_of, measurements_of, read_measurement
from checks.engine.processes.runner import ProbeTask, run_probe
from checks.facts import Experiment

NAMED = {"kind": "experiment", "framework": "made up", "device": "cpu", "setting": "default"}


@pytest.fixture(scope="module")
def experiments() -> ModuleType:
    return importlib.import_module("checks.probes.compute.experiments")


@pytest.fixture(scope="module")
def fingerprint() -> Callable[..., str]:
    return importlib.import_module("checks.probes.compute.bits.fingerprint").numpy_fingerprint  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def numpy_network() -> Any:
    return importlib.import_module("checks.probes.compute.numpy.experiment").Network


@pytest.fixture(scope="module")
def torch_network() -> Any:
    return importlib.import_module("checks.probes.compute.torch.experiment").Network


@pytest.fixture
def few_steps(experiments: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three runs of five small steps, with a look after each."""
    monkeypatch.setattr(experiments, "_LADDER", ((5, 5, 1),))
    monkeypatch.setattr(experiments, "RUNS", 3)
    monkeypatch.setattr(experiments, "PICTURES", 12)
    monkeypatch.setattr(experiments, "BATCH", 2)
    monkeypatch.setattr(experiments, "VALIDATION", 10)


@pytest.fixture
def fewest_steps(few_steps: None, experiments: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """For networks that really compute: three runs of two steps."""
    monkeypatch.setattr(experiments, "_LADDER", ((2, 2, 1),))
    monkeypatch.setattr(experiments, "VALIDATION", 3)


class Ample:
    """A clock that has time for everything."""

    left = seconds = 1e9

    @property
    def whole(self) -> "Ample":
        return self

    def part(self, _: int) -> "Ample":
        return self


def trained(experiments: ModuleType, make: Callable[[], Any], clock: Any = None) -> Experiment:
    """What comes of training a network, as the fact that it becomes; through JSON, which has no NaN."""
    *_, last = experiments.network(NAMED, make, clock or Ample())
    (raw,) = last["measurements+"]
    read = read_measurement(json.loads(json.dumps(raw, allow_nan=False)), "test")
    assert isinstance(read, Experiment), raw
    assert not read.reason, read.error
    return read


# --- what they compute ------------------------------------------------------------------------------------------------


def test_the_digits_and_weights_are_the_same_in_numpy_and_torch_and_never_change(
    experiments: ModuleType, fingerprint: Callable[..., str]
) -> None:
    pictures, labels = experiments.numpy_digits(np, 64, 0)
    assert pictures.shape == (64, 28, 28, 1)
    assert pictures.dtype == np.float32
    assert (pictures.min(), pictures.max()) == (-0.5, 255 / 256 - 0.5)
    assert set(labels) == set(range(10))
    same, same_labels = experiments.torch_digits(torch, 64, 0, "cpu")
    assert np.array_equal(pictures, same.numpy())
    assert np.array_equal(labels, same_labels.numpy())
    weights = list(experiments.numpy_weights(np))
    assert all(map(np.array_equal, weights, experiments.torch_weights(torch, "cpu")))
    assert fingerprint(np, pictures) == "8f0d032961e16292"
    assert fingerprint(np, np.concatenate([weight.ravel() for weight in weights])) == "d42fadeef809bc43"


def test_the_true_sum_is_that_of_a_million_terms(experiments: ModuleType) -> None:
    assert Fraction(sum(i * i for i in range(10**6 + 1)), 10**12) == experiments.TRUE_SUM
    assert Fraction(repr(float(experiments.TRUE_SUM))) == experiments.TRUE_SUM
    terms = experiments.numpy_terms(np, "float64")
    assert (terms[0], terms[1], terms[-1]) == (0.0, 1e-6, 1.0)
    assert np.array_equal(terms, experiments.torch_terms(torch, "float64", "cpu").numpy())


def test_numpys_network_by_hand_learns_as_that_of_torch_where_nothing_is_dropped(
    experiments: ModuleType, numpy_network: Any, torch_network: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiments, "DROPOUT", 0.0)
    monkeypatch.setattr(experiments, "PICTURES", 16)
    monkeypatch.setattr(experiments, "BATCH", 4)
    monkeypatch.setattr(experiments, "VALIDATION", 20)
    losses = []
    for network in (numpy_network(np), torch_network(torch, "cpu")):
        network.begin()
        losses.append([network.step(step) for step in range(3)] + [network.judge()[1]])
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    assert losses[0][0] != pytest.approx(losses[0][3], rel=1e-2)  # it has learned something


# --- what they see ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("fewest_steps")
def test_the_same_seed_gives_the_same_bits(experiments: ModuleType, numpy_network: Any, torch_network: Any) -> None:
    for make in (lambda: numpy_network(np), lambda: torch_network(torch, "cpu")):
        made = trained(experiments, make)
        assert made.steps == (0, 1, 2)
        assert made.distinct == 1
        assert made.parted == (None, None, None)
        assert len(made.values) == len(made.exact) == len(made.fingerprints) == 3


@pytest.mark.usefixtures("fewest_steps")
def test_another_seed_in_one_run_is_seen_at_its_first_step(experiments: ModuleType, numpy_network: Any) -> None:
    class Planted(numpy_network):  # type: ignore[misc]
        begun = 0

        def begin(self) -> None:
            self.begun += 1
            self._seed = 2 if self.begun == 3 else 1  # the first time is no run: it only measures the time
            super().begin()

    made = trained(experiments, lambda: Planted(np))
    assert made.parted == (None, 1, None)
    assert made.distinct == 2
    assert made.exact[0] == made.exact[2] != made.exact[1]
    assert made.exact[0][0] == made.exact[1][0]  # before anything was learned


class Made:
    """A network that only counts. ``wrong``: (run, step) with another loss; ``last``: a run with other weights."""

    def __init__(self, wrong: tuple[int, int] = (0, 0), last: int = 0, loss: float = 0.5) -> None:
        self.run, self.wrong, self.last, self.loss = -1, wrong, last, loss

    def begin(self) -> None:
        self.run += 1

    def step(self, number: int) -> float:
        return 0.75 if (self.run, number + 1) == self.wrong else self.loss

    def judge(self) -> tuple[int, float]:
        return 9, self.loss

    def fingerprint(self) -> str:
        return "0" * 15 + str(int(self.run == self.last))


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize(
    ("network", "parted"),
    [
        pytest.param(Made(), (None, None, None), id="never"),
        pytest.param(Made(wrong=(3, 4)), (None, None, 4), id="at-a-step"),
        pytest.param(Made(last=2), (None, 5, None), id="only-the-last-weights"),
        pytest.param(Made(loss=float("nan")), (None, None, None), id="no-number"),
    ],
)
def test_where_runs_part(experiments: ModuleType, network: Made, parted: tuple[int | None, ...]) -> None:
    assert trained(experiments, lambda: network).parted == parted


@pytest.mark.usefixtures("fewest_steps")
def test_a_network_that_diverges_is_told_without_numbers(
    experiments: ModuleType, numpy_network: Any, torch_network: Any
) -> None:
    for make in (lambda: numpy_network(np, rate=1e9), lambda: torch_network(torch, "cpu", rate=1e9)):
        made = trained(experiments, make)
        assert made.values[0][0] is not None
        assert made.values[0][-1] is None
        assert {len(bits) for run in made.exact for bits in run} == {8}
        assert made.distinct == 1


class Short:
    """A clock on which so much is left at its looks, and nothing after them."""

    seconds = 1e9

    def __init__(self, *left: float) -> None:
        self._left = list(left)

    def part(self, _: int) -> "Short":
        return self

    @property
    def left(self) -> float:
        return self._left.pop(0) if self._left else 0.0


def test_time_that_runs_out_shortens_all_runs_alike(experiments: ModuleType) -> None:
    # Asked before each measurement, at the start, for the plan, and after the first of ten rows.
    made = trained(experiments, Made, Short(1e9, 1e9, 1e9, 1e9))
    assert made.steps == (0, 100, 200)
    assert len(made.values) == experiments.LEAST_RUNS
    assert {len(run) for run in made.values} == {3}


@pytest.mark.parametrize(("seconds", "steps"), [(16.0, 10), (8.0, 4), (6.0, 2), (5.0, None)])
def test_a_busy_machine_makes_shorter_runs_and_then_none(
    experiments: ModuleType, monkeypatch: pytest.MonkeyPatch, seconds: float, steps: int | None
) -> None:
    """Where each step and judgement takes a second, two runs of ten steps take 24; half as long again is allowed."""
    monkeypatch.setattr(experiments.timing, "seconds_of", lambda call: [call(), 1.0][1])
    clock = Short(1e9)
    monkeypatch.setattr(clock, "seconds", seconds)
    *_, last = experiments.network(NAMED, Made, clock)
    (raw,) = last["measurements+"]
    if steps is None:
        assert (raw.get("reason"), "values" in raw) == ("no-time", False)
    else:
        assert raw["steps"] == [0, steps]


def test_a_run_that_takes_far_longer_than_the_first_is_left_out(experiments: ModuleType) -> None:
    # As above, time enough for ten rows of two runs and for beginning a third one, which is over at its first row.
    made = trained(experiments, Made, Short(*[1e9] * 24))
    assert made.steps[-1] == experiments.STEPS
    assert len(made.values) == experiments.LEAST_RUNS


def test_a_second_run_that_takes_many_times_as_long_is_given_up(experiments: ModuleType) -> None:
    """One run alone shows nothing."""

    class Over(Short):
        @property
        def left(self) -> float:
            return self._left.pop(0) if self._left else -2e9

    *_, last = experiments.network(NAMED, Made, Over(*[1e9] * 13))
    (raw,) = last["measurements+"]
    assert (raw["reason"], "values" in raw) == ("too-slow", False)


def test_a_way_of_adding_that_is_too_slow_is_left_out(experiments: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    class Moved:
        now = 0.0

        def monotonic(self) -> float:
            return self.now

        perf_counter = monotonic

    def adding(seconds: float) -> Callable[[], float]:
        def add() -> float:
            moved.now += seconds
            return 1.0

        return add

    moved = Moved()
    monkeypatch.setattr(experiments, "time", moved)
    monkeypatch.setattr(experiments.timing, "time", moved)
    monkeypatch.setattr(experiments.compute, "time", moved)
    ways = [(name, "float64", "", adding(seconds)) for name, seconds in (("slow", 0.9), ("quick", 0.01))]
    facts = experiments.sums(NAMED, ways, experiments.compute.Clock(5.0))  # of which a fifth is for the sums
    made = {raw["operation"]: raw for part in facts for raw in part.get("measurements+", ())}
    assert made["slow"]["reason"] == "too-slow"
    assert len(made["quick"]["values"]) >= experiments.LEAST_RUNS
    assert moved.now <= 1.0 + 0.9


@pytest.mark.parametrize(
    ("network", "steps"),
    [
        pytest.param(Made(last=9), 1000, id="made-anew"),
        pytest.param(Made(wrong=(1, 4), last=9), 10, id="not-where-runs-parted"),  # that may never be seen again
    ],
)
def test_a_plan_that_leaves_most_of_the_time(
    experiments: ModuleType, network: Made, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = iter([(2, 10, 1), (2, 1000, 10)])  # the first one while something else kept the machine busy
    monkeypatch.setattr(experiments, "_plan", lambda *_: next(plans))
    assert trained(experiments, lambda: network).steps[-1] == steps


# --- the probes, for real ---------------------------------------------------------------------------------------------


# In the process of the probe: four steps instead of a thousand, so that no machine is too busy for them.
FEWER = f"""
import sys
sys.path.insert(0, {str(Path(simulated_cuda.__file__).parent)!r})
import simulated_cuda
constants = {{"SUMS": 3, "RUNS": 2, "STEPS": 4, "PICTURES": 64, "VALIDATION": 100, "BATCH": 4, "_LADDER": [[4, 2, 2]]}}
finder = simulated_cuda.Finder({{"naosu_probes.compute.experiments": simulated_cuda.assigned(constants)}})
sys.meta_path.insert(0, finder)
"""


@pytest.mark.usefixtures("warm_probes")
@pytest.mark.parametrize("framework", ["numpy", "torch"])
def test_the_probe_of_this_interpreter(framework: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(FEWER)
    spec = next(
        computation_probe for computation_probe in COMPUTATION_PROBES if computation_probe.framework == framework
    )
    task = ProbeTask(
        probe=framework,
        script=spec.script,
        interpreter=sys.executable,
        argument=argument_of("cpu", "quick", {"experiment": 120.0}),
        environment={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(tmp_path)},
    )
    answer = run_probe(task)
    assert answer.run.status == "ok", answer.run
    made = [each for each in measurements_of(answer, framework) if isinstance(each, Experiment)]
    assert all(not each.reason or each.is_left_out for each in made)
    sums = {(each.operation, each.dtype): each for each in made if each.values and each.operation != "digits-network"}
    whole = sums["sum-of-squares", "float64"]
    assert whole.expected is not None
    assert [value for (value,) in whole.values] == pytest.approx([whole.expected] * len(whole.values), rel=1e-12)
    assert {len(bits) for (bits,) in whole.exact} == {16}
    (network,) = (each for each in made if each.operation == "digits-network" and each.setting == "default")
    assert not network.reason
    assert len(network.values) >= 2
    assert network.values[0][0] == pytest.approx(0.88)  # as in every framework, before anything was learned
