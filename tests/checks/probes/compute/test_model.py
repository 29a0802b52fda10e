"""The user's own model run twice: what varies, where two runs part, what is decided, and what nothing is said of."""

import importlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from checks.analysis.models.repeats import draws_numbers, size_of
from checks.analysis.numbers.magnitude import Size
from checks.engine.catalogues.computations import read_measurement
from checks.facts import ModelMeasured
from checks.knowledge.formats.model_safety import ModelSafety

models = importlib.import_module("checks.probes.compute.model.runs")
ways = importlib.import_module("checks.probes.compute.model.ways")
outputs_of = importlib.import_module("checks.probes.compute.model.outputs")
search = importlib.import_module("checks.probes.compute.model.search")
slices = importlib.import_module("checks.probes.compute.model.slices")
side = importlib.import_module("checks.probes.compute.model.torch")
ort = importlib.import_module("checks.probes.compute.model.onnxruntime")
graph = importlib.import_module("checks.probes.compute.model.onnx_graph")
compute = importlib.import_module("checks.probes.compute.kit")
WIDTH = 32
LAYERS = 40
Arrays = dict[str, Any]
ROWS = ways.Rows({"x": 0})


class Ample:
    """A clock that has time for everything."""

    left = 60.0

    def part(self, waiting: int) -> "Ample":
        return self


class Over(Ample):
    """A clock whose time is up."""

    left = 0.0


def weights() -> list[Any]:
    draw = np.random.default_rng(0)
    return [(draw.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5).astype("float32") for _ in range(LAYERS)]


def nodes() -> list[Any]:
    made = []
    for place in range(LAYERS):
        product, bent = graph.Node(), graph.Node()
        product.name, product.op = f"layer{place}", "MatMul"
        product.inputs, product.outputs = ["x" if not place else f"t{place - 1}", f"w{place}"], [f"m{place}"]
        bent.name, bent.op, bent.inputs, bent.outputs = f"tanh{place}", "Tanh", [f"m{place}"], [f"t{place}"]
        made += [product, bent]
    return made


class Network:
    """Layers in NumPy. ``product``: how a layer's product is computed; ``change``: what is done to a value by name."""

    def __init__(
        self, product: Callable[[Any, Any], Any] = np.matmul, change: dict[str, Callable[[Any], Any]] | None = None
    ) -> None:
        self.product, self.change, self.weights, self.given = product, change or {}, weights(), 0

    def values(self, arrays: Arrays) -> Arrays:
        found, value = {}, arrays["x"]
        for place, weight in enumerate(self.weights):
            for name, made in ((f"m{place}", lambda v: self.product(v, weight)), (f"t{place}", np.tanh)):  # noqa: B023
                value = self.change.get(name, lambda same: same)(made(value))
                found[name] = value
        return found

    def giving(self, names: Sequence[str]) -> Callable[[Arrays], Arrays]:
        self.given += 1
        return lambda arrays: {name: each for name, each in self.values(arrays).items() if name in names}

    def way(self, device: str = "cpu", setting: str = "default") -> Any:
        return ways.Way(lambda arrays: {"y": self.values(arrays)[f"t{LAYERS - 1}"]}, self.giving, device, setting)


def reordered(value: Any, weight: Any) -> Any:
    """The same sums in another order."""
    return (value[:, ::-1] @ weight[::-1]).astype("float32")


@pytest.fixture
def model() -> Any:
    x = np.linspace(-1, 1, 2 * WIDTH, dtype="float32").reshape(2, WIDTH)
    held = {f"w{place}": ("float32", [WIDTH, WIDTH]) for place in range(LAYERS)}
    return ways.Model(np, {"framework": "numpy", "path": "net.onnx"}, {"x": x}, nodes(), 2.0**-24, held)


def facts(told: Iterator[dict[str, Any]]) -> list[ModelMeasured]:
    """As the engine reads them, after their way through JSON."""
    found = []
    for each in told:
        for raw in json.loads(json.dumps(each)).get("measurements+", ()):
            read = read_measurement(raw, "probe")
            assert isinstance(read, ModelMeasured)
            found.append(read)
    return found


def beside(model: Any, other: Network, aspect: str = "device", clock: Any = None) -> ModelMeasured:
    first = Network().way()
    first.outputs = outputs_of.flattened(first.run(model.arrays))
    (made,) = facts(models.against(model, first, other.way("other"), aspect, clock or Ample()))
    return made


# --- two ways ---------------------------------------------------------------------------------------------------------


def test_the_same_network_is_the_same_and_not_searched_through(model: Any) -> None:
    other = Network()
    made = beside(model, other)
    assert size_of(made) is Size.IDENTICAL
    assert (made.searched, made.decisions, other.given) == (0, 1.0, 0)


def test_another_order_of_sums_is_rounding_and_its_first_node_is_found(model: Any) -> None:
    made = beside(model, Network(reordered))
    assert size_of(made) is Size.ROUNDING
    assert (made.first_node, made.first_op, made.beyond_node) == ("layer0", "MatMul", "")
    assert made.searched == len(made.nodes) == 2 * LAYERS
    assert all(node.apart <= node.bound for node in made.nodes if node.apart is not None and node.bound is not None)


@pytest.mark.parametrize("place", [0, 17, LAYERS - 1])
def test_a_changed_weight_is_found_at_its_node(model: Any, place: int) -> None:
    other = Network()
    other.weights[place][3, 5] += 0.05
    made = beside(model, other)
    assert size_of(made) is Size.BEYOND
    assert (made.first_node, made.beyond_node) == (f"layer{place}", f"layer{place}")
    assert made.beyond_difference is not None
    assert made.beyond_difference.worst is not None
    assert made.beyond_difference.worst[-1] == 5  # the column of the weight


def test_a_changed_weight_behind_rounding_is_told_beside_it(model: Any) -> None:
    other = Network(reordered)
    other.weights[20][3, 5] += 0.05
    made = beside(model, other)
    assert (made.first_node, made.beyond_node) == ("layer0", "layer20")


def test_shorter_factors_are_beyond_the_digits_of_float32(model: Any) -> None:
    def short(value: Any, weight: Any) -> Any:
        cut = [(each.view("uint32") & np.uint32(0xFFFFE000)).view("float32") for each in (value.copy(), weight.copy())]
        return cut[0] @ cut[1]

    assert size_of(beside(model, Network(short))) is Size.HALF
    assert size_of(beside(model, Network(short), "threads")) is Size.BEYOND  # the processor has no such mode


def test_a_choice_that_rounding_turned_ends_the_search_for_more_than_rounding(model: Any) -> None:
    model.nodes[41].op = "ArgMax"

    def chosen(turn: int) -> dict[str, Callable[[Any], Any]]:
        return {
            "t20": lambda value: np.full(value.shape, 3 + turn, dtype="int64"),
            "m21": lambda value: value.astype("float32"),
        }

    first = Network(change=chosen(0)).way()
    first.outputs = outputs_of.flattened(first.run(model.arrays))
    other = Network(reordered, change=chosen(1)).way("other")
    (made,) = facts(models.against(model, first, other, "device", Ample()))
    assert (made.choice_node, made.choice_op, made.beyond_node) == ("tanh20", "ArgMax", "")
    assert size_of(made) is Size.ROUNDING


def test_nan_on_one_side_is_told_and_everywhere_is_never_equal(model: Any) -> None:
    nan = {"t30": lambda value: value * np.float32("nan")}
    made = beside(model, Network(change=nan))
    assert made.difference is not None
    assert (size_of(made), made.difference.nan, made.beyond_node) == (Size.BEYOND, 2 * WIDTH, "tanh30")
    assert (made.decisions, made.nodes[-1].odd) == (0.0, 2 * WIDTH)
    way = Network(change=nan).way()
    (both,) = facts(models.varies(model, way, Ample(), 5))
    assert (both.reason, both.difference) == ("nan-everywhere", None)


def test_a_difference_that_vanishes_where_values_are_given_out_is_not_blamed_on_a_node(model: Any) -> None:
    class Fused(Network):
        def giving(self, names: Sequence[str]) -> Callable[[Arrays], Arrays]:
            return Network().giving(names)

    made = beside(model, Fused(reordered))
    assert (size_of(made), made.first_node, made.searched) == (Size.ROUNDING, "", 2 * LAYERS)


def test_a_fused_node_is_found_from_behind(model: Any) -> None:
    """Layer 40 of 80 is computed otherwise, unless its own value or its neighbours' are given out."""

    class Fused(Network):
        def giving(self, names: Sequence[str]) -> Callable[[Arrays], Arrays]:
            is_fused = not {"m20", "t19"} & set(names)
            other = Network()
            other.weights[20] = self.weights[20] if is_fused else other.weights[20]
            return other.giving(names)

    fused = Fused()
    fused.weights[20][3, 5] += 1e-4
    made = beside(model, fused)
    assert (made.first_node, made.first_op) == ("tanh20", "Tanh")


def test_a_value_that_cannot_be_given_out_does_not_end_the_search(model: Any) -> None:
    class Refusing(Network):
        def giving(self, names: Sequence[str]) -> Callable[[Arrays], Arrays]:
            if "m5" in names:
                raise RuntimeError("m5 has no type")
            return super().giving(names)

    other = Refusing()
    other.weights[17][3, 5] += 0.05
    made = beside(model, other)
    assert (made.first_node, made.searched) == ("layer17", 2 * LAYERS - 1)


def test_where_the_time_is_up_the_outputs_are_told_all_the_same(model: Any) -> None:
    made = beside(model, Network(reordered), clock=Over())
    assert (size_of(made), made.searched, made.first_node) == (Size.ROUNDING, 0, "")


def test_an_error_of_one_way_is_a_fact(model: Any) -> None:
    def fails(value: Any, weight: Any) -> Any:
        raise RuntimeError("CUDA error: device-side assert triggered")

    made = beside(model, Network(fails))
    assert made.reason == "failed"
    assert made.error is not None
    assert "device-side assert" in made.error.message


def test_an_error_of_ours_is_not_called_the_models(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: Any) -> Any:
        raise ValueError("-inf + inf in fsum")

    monkeypatch.setattr(models, "compared", wrong)
    (made,) = facts(models.varies(model, Network().way(), Ample(), 5))
    assert made.reason == "own-error"
    assert made.error is not None
    assert "fsum" in made.error.message
    assert beside(model, Network()).reason == "own-error"


def test_a_file_that_is_not_known_to_be_harmless_is_called_that() -> None:
    unsafe = importlib.import_module("checks.probes.export.program").NotPlain("aten.some_op")
    assert models.failure(unsafe) == {"reason": "not-run-unsafe", "detail": "aten.some_op"}


# --- again and again --------------------------------------------------------------------------------------------------


def test_a_sound_network_repeats(model: Any) -> None:
    (made,) = facts(models.varies(model, Network().way(), Ample(), 20))
    assert (made.repetitions, made.distinct, made.counts, made.first_node) == (20, 1, (20,), "")


def test_a_network_that_varies_now_and_then_is_found_at_its_node(model: Any) -> None:
    calls = iter(range(10_000))

    def seldom(value: Any) -> Any:
        return value + np.float32(1e-3) if next(calls) % 5 == 4 else value

    (made,) = facts(models.varies(model, Network(change={"m9": seldom}).way(), Ample(), 50))
    assert (made.distinct, made.first_node) == (2, "layer9")
    assert sum(made.counts) == made.repetitions


# --- batches and memory -----------------------------------------------------------------------------------------------


def test_rows_alone_and_in_a_batch(model: Any) -> None:
    (made,) = facts(models.in_batch(model, Network().way(), Ample(), ROWS))
    assert (made.setting, made.other) == ("batch-1", "batch-2")
    assert size_of(made) in (Size.IDENTICAL, Size.ROUNDING)

    def by_rows(value: Any, weight: Any) -> Any:
        return reordered(value, weight) if len(value) > 1 else value @ weight

    (made,) = facts(models.in_batch(model, Network(by_rows).way(), Ample(), ROWS))
    assert (size_of(made), made.first_node) == (Size.ROUNDING, "layer0")


def test_rows_that_influence_each_other_are_beyond_rounding(model: Any) -> None:
    normed = {"t7": lambda value: value - value.mean(axis=0, keepdims=True)}
    (made,) = facts(models.in_batch(model, Network(change=normed).way(), Ample(), ROWS))
    assert (size_of(made), made.first_node) == (Size.BEYOND, "tanh7")


def test_a_fixed_batch_is_told(model: Any) -> None:
    (made,) = facts(models.in_batch(model, Network().way(), Ample(), ways.Rows({})))
    assert made.reason == "batch-fixed"


def test_too_little_memory_halves_the_batch_and_goes_on(model: Any) -> None:
    model.arrays = {"x": np.ones((8, WIDTH), dtype="float32")}

    def small(value: Any, weight: Any) -> Any:
        if len(value) > 2:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return value @ weight

    way = Network(small).way()
    told = facts(models.plan(model, [lambda clock: models.varies(model, way, clock, 5)], Ample(), ROWS))
    assert [(each.reason, each.shrunk, each.distinct) for each in told] == [("", 2, 1)]


def test_too_little_memory_for_one_row_is_told_and_the_others_go_on(model: Any) -> None:
    def never(value: Any, weight: Any) -> Any:
        raise MemoryError

    steps = [
        lambda clock: models.varies(model, Network(never).way("cuda:0"), clock, 5),
        lambda clock: models.varies(model, Network().way(), clock, 5),
    ]
    told = facts(models.plan(model, steps, Ample(), ways.Rows({})))
    assert [(each.device, each.reason) for each in told] == [("cuda:0", "no-memory"), ("cpu", "")]


def test_what_no_time_is_left_for_is_told(model: Any) -> None:
    steps = [lambda clock: models.varies(model, Network().way(), clock, 5)] * 2
    told = facts(models.plan(model, steps, Over(), ways.Rows({})))
    assert [(each.aspect, each.reason) for each in told] == [("repeat", ""), ("rest", "no-time")]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param(lambda value: value.mean(axis=0), "no-rows", id="all-rows-become-one"),
        pytest.param(lambda value: value[:0], "outputs-empty", id="empty"),
        pytest.param(lambda value: value[:1].repeat(3, axis=0), "no-rows", id="always-as-many"),
        pytest.param(lambda value: value[:-1] if len(value) > 1 else value, "no-rows", id="as-many-as-are-found"),
    ],
)
def test_an_output_without_rows_is_not_asked_whether_they_depend_on_each_other(
    model: Any, change: Callable[[Any], Any], reason: str
) -> None:
    way = Network(change={f"t{LAYERS - 1}": change}).way()
    (made,) = facts(models.in_batch(model, way, Ample(), ROWS))
    assert (made.reason, made.difference) == (reason, None)


def test_rows_stand_on_the_axis_that_the_file_names() -> None:
    arrays = {"x": np.zeros((5, 1, 8)), "h": np.zeros((1, 1, 4)), "k": np.zeros(3)}
    rows = ways.Rows({"x": 1, "h": 1}, {"y": 2})
    assert rows.count(arrays) == 1
    batch = rows.times(np, arrays, 4)
    assert {name: each.shape for name, each in batch.items()} == {"x": (5, 4, 8), "h": (1, 4, 4), "k": (3,)}
    assert rows.first(batch, 2)["x"].shape == (5, 2, 8)
    value = np.zeros((5, 1, 1, 4))
    assert outputs_of.aligned(value, np.zeros((5, 1, 4, 4)), 4, 2).shape == value.shape
    assert outputs_of.aligned(value, np.zeros((5, 4, 1, 4)), 4, 2) is None  # another axis grew
    assert outputs_of.aligned(value, np.zeros((20, 1, 4, 4)), 4) is None  # two did


def test_after_the_batch_was_halved_the_usual_way_is_run_with_the_same_inputs(model: Any) -> None:
    model.arrays = {"x": np.linspace(-1, 1, 8 * WIDTH, dtype="float32").reshape(8, WIDTH)}

    def small(value: Any, weight: Any) -> Any:
        if len(value) > 2:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return reordered(value, weight)

    usual, other = Network().way(), Network(small).way("cuda:0")
    steps = [
        lambda clock: models.varies(model, usual, clock, 5),
        lambda clock: models.against(model, usual, other, "device", clock),
    ]
    told = facts(models.plan(model, steps, Ample(), ROWS))
    assert [(each.reason, each.shrunk, size_of(each)) for each in told[1:]] == [("", 2, Size.ROUNDING)]


def test_no_bound_is_taken_from_a_way_that_does_not_repeat(model: Any) -> None:
    draw = np.random.default_rng(0)
    plain = Network(change={"m9": lambda value: value + draw.random(1, dtype="float32")}).way()
    assert models.is_varying(model, plain, Over())  # one more run shows it already
    (made,) = facts(models.against(model, plain, Network().way("other"), "level", Ample()))
    assert (made.reason, made.difference) == ("not-repeatable", None)


def test_a_way_that_cannot_be_made_is_told_and_the_others_go_on(model: Any) -> None:
    def refused() -> Any:
        raise RuntimeError("Could not find an implementation for LayerNormalization")

    usual = Network().way()
    steps = [
        lambda clock: models.against(model, usual, ways.Later(refused, "cpu", "level"), "level", clock),
        lambda clock: models.against(model, usual, Network().way("other"), "device", clock),
    ]
    told = facts(models.plan(model, steps, Ample(), ROWS))
    assert [(each.aspect, each.reason) for each in told] == [("level", "failed"), ("device", "")]


def test_libraries_choose_their_algorithms_before_anything_is_compared(model: Any) -> None:
    calls = iter(range(1000))

    def chosen(value: Any, weight: Any) -> Any:
        is_first = next(calls) < LAYERS * 2
        return reordered(value, weight) if is_first else value @ weight

    usual = Network().way()
    other = ways.Later(lambda: Network(chosen).way("other"), "other", calls_before=3)
    (made,) = facts(models.against(model, usual, other, "threads", Ample()))
    assert size_of(made) is Size.IDENTICAL


@pytest.mark.parametrize(
    ("done", "begun"),
    [
        pytest.param([], ["repeat", "level", "batch", "threads-1", "deterministic"], id="at-first"),
        pytest.param(["level"], ["batch", "threads-1", "deterministic"], id="levels-took-all-memory"),
        pytest.param(["level", "threads-1"], ["deterministic"], id="and-one-thread"),
        pytest.param(["threads-2"], ["deterministic"], id="a-step-that-is-not-there-any-more"),
        pytest.param(["level", "CUDAExecutionProvider"], [], id="a-device-which-comes-behind-them"),
    ],
)
def test_a_step_that_ended_the_process_is_left_out_and_those_behind_it_are_not(
    done: list[str], begun: list[str]
) -> None:
    steps = ("repeat", "level", "batch", "threads-1", "deterministic")
    assert list(models.left(((step, step) for step in steps), done)) == begun


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_new_process_goes_on_behind_the_step_that_ended_the_one_before(tmp_path: Path) -> None:
    argument = dict(archive(tmp_path / "net.pt", train=False), done=["batch"])
    told = facts(side.measured(argument, compute.Clock(30.0)))
    assert {each.aspect for each in told} == {"threads", "deterministic"}
    assert all(size_of(each) is Size.IDENTICAL for each in told)


def test_values_that_are_likely_to_be_large_are_given_out_one_by_one_at_first(model: Any) -> None:
    way = (Network().way(), model.arrays)
    assert search.Search(model, way, way, Ample())._slices.first_count() == slices.AT_ONCE
    large = (way[0], {"x": np.zeros(slices.MOST_BYTES // 16, dtype="uint8")})
    assert search.Search(model, large, large, Ample())._slices.first_count() == 1


# --- what proves nothing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outputs", "reason"),
    [
        pytest.param({}, "no-outputs", id="no-arrays"),
        pytest.param({"boxes": np.zeros((0, 6), "float32")}, "outputs-empty", id="nothing-found"),
        pytest.param({"y": np.full(4, np.nan, "float32")}, "nan-everywhere", id="nan"),
        pytest.param({"y": np.zeros(4, "float32"), "n": np.zeros(1, "int64")}, "zero-everywhere", id="zeros"),
    ],
)
def test_what_cannot_differ_is_not_called_the_same(model: Any, outputs: Arrays, reason: str) -> None:
    way = ways.Way(lambda arrays: outputs, None, "cpu")
    (made,) = facts(models.varies(model, way, Ample(), 5))
    assert (made.reason, made.difference, made.decisions) == (reason, None, None)
    (made,) = facts(models.against(model, way, ways.Way(way.run, None, "other"), "device", Ample()))
    assert (made.reason, size_of(made)) == (reason, Size.NOTHING)


def test_nan_beside_nan_is_counted_and_decides_nothing(model: Any) -> None:
    outputs = {"a": np.ones(4, "float32"), "b": np.full((2, 3), np.nan, "float32")}
    figures = outputs_of.compared(model, outputs, dict(outputs))
    assert (figures["nan_in_both"], figures["nan_output"], figures["decisions"]) == (6, "b", 1.0)
    with_complex = {"b": outputs["b"], "c": np.zeros(1, complex)}
    assert "decisions" not in outputs_of.compared(model, with_complex, dict(with_complex))
    rows = np.array([[1, 2], [np.nan, 1], [3, 4]], "float32")
    assert outputs_of.decided_alike(np, rows, rows[:, ::-1]) == 0.0
    assert outputs_of.decided_alike(np, rows, rows + np.float32(1e-3)) == 1.0


def test_another_number_of_results_is_a_difference_and_searched_for(model: Any) -> None:
    fewer = {"t30": lambda value: value[:1]}
    made = beside(model, Network(change=fewer))
    assert (made.reason, made.outputs_apart, size_of(made)) == ("shapes-differ", 1, Size.ROUNDING)
    assert (made.first_node, made.choice_node, made.beyond_node) == ("tanh30", "tanh30", "")
    changed = Network(change=fewer)
    changed.weights[20][3, 5] += 0.05
    made = beside(model, changed)
    assert (made.beyond_node, size_of(made)) == ("layer20", Size.BEYOND)


def test_labels_do_not_hide_scores_that_are_beyond_rounding(model: Any) -> None:
    reference = {"label": np.array([3, 900]), "scores": np.ones((2, 4), "float32")}
    wrong = {"label": np.array([3, 1]), "scores": reference["scores"] * np.float32(1.5)}
    near = {"label": np.array([3, 1]), "scores": reference["scores"] * np.float32(1 + 2e-7)}
    assert outputs_of.compared(model, reference, wrong)["operation"] == "scores"
    assert outputs_of.compared(model, reference, near)["operation"] == "label"


@pytest.mark.parametrize(
    ("step", "field"), [pytest.param(1, "choice_node", id="one"), pytest.param(9, "beyond_node", id="nine")]
)
def test_quantised_numbers_may_be_a_step_apart_at_first(model: Any, step: int, field: str) -> None:
    def quantised(more: int) -> dict[str, Callable[[Any], Any]]:
        return {
            "t20": lambda value: np.full(value.shape, 100 + more, dtype="uint8"),
            "m21": lambda value: value.astype("float32"),
        }

    first = Network(change=quantised(0)).way()
    (made,) = facts(models.against(model, first, Network(change=quantised(step)).way("other"), "threads", Ample()))
    assert (made.first_node, getattr(made, field)) == ("tanh20", "tanh20")
    assert size_of(made) is (Size.ROUNDING if step == 1 else Size.BEYOND)


def test_a_single_number_is_an_input_like_any_other() -> None:
    made = ways.Model(np, {}, {"factor": np.array(0.5, "float32")}).nudged({"factor": np.array(0.5, "float32")})
    assert isinstance(made["factor"], np.ndarray)
    assert made["factor"].shape == ()


@pytest.mark.parametrize(
    ("said", "is_it"),
    [
        ("CUDA out of memory.", True),
        ("std::bad_alloc", True),
        ("OOM when allocating", True),
        ("no zoom, no room", False),
    ],
)
def test_what_says_that_the_memory_does_not_suffice(said: str, is_it: bool) -> None:
    assert importlib.import_module("checks.probes.model.kit").is_no_memory(RuntimeError(said)) is is_it


# --- decisions --------------------------------------------------------------------------------------------------------


def test_decisions_of_each_kind_of_output() -> None:
    alike = outputs_of.decided_alike
    scores = np.array([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]], dtype="float32")
    assert alike(np, scores, scores + np.float32(1e-4)) == 1.0
    assert alike(np, scores, np.array([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]], dtype="float32")) == 0.5
    assert alike(np, scores[..., None, None], scores[:, ::-1][..., None, None]) == 0.5
    pictures = np.zeros((1, 2, 4, 4), dtype="float32")
    pictures[0, 1, :2] = 1.0
    assert alike(np, pictures, pictures[:, ::-1]) == 0.5  # half of the pixels are of the other class
    assert alike(np, np.array([0.4], "float32"), np.array([0.6], "float32")) == 0.0
    assert alike(np, np.array([3.0], "float32"), np.array([4.0], "float32")) is None  # a number, and no decision
    assert alike(np, np.array([1, 2, 3, 4]), np.array([1, 2, 3, 5])) == 0.75
    assert alike(np, scores, scores * np.float32("nan")) == 0.0


def test_outputs_of_lists_and_dicts_are_taken_apart() -> None:
    found = outputs_of.flattened({
        "label": np.array(["a", "b"], dtype=object),
        "scores": [{0: 0.25, 1: 0.75}, {0: 0.5, 1: 0.5}],
        "states": [np.zeros(2), np.ones(3)],
        "none": None,
    })  # fmt: skip
    assert {name: each.shape for name, each in found.items()} == {
        "label": (2,),
        "scores": (2, 2),
        "states[0]": (2,),
        "states[1]": (3,),
    }
    assert outputs_of.code_of(np, found) == outputs_of.code_of(np, dict(found))
    other = {**found, "label": np.array(["a", "c"], dtype=object)}
    assert outputs_of.code_of(np, found) != outputs_of.code_of(np, other)
    assert outputs_of.apart(np, found["label"], other["label"]) == {"elements": 2, "differing": 1}


# --- PyTorch ----------------------------------------------------------------------------------------------------------


class Net(torch.nn.Module):
    """A small network with a dropout between two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(8, 16)
        self.drop = torch.nn.Dropout(0.5)
        self.last = torch.nn.Linear(16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The scores."""
        scores: torch.Tensor = self.last(self.drop(torch.relu(self.first(x))))
        return scores


def archive(path: Path, *, train: bool, change: float = 0.0) -> dict[str, Any]:
    torch.manual_seed(0)
    net = Net().train(train)
    with torch.no_grad():
        net.last.weight[2] += change
    torch.jit.script(net).save(str(path))
    return {
        "path": str(path),
        "format": "torchscript",
        "runtime": "torch",
        "effort": "quick",
        "devices": ["cpu"],
        "safety": ModelSafety.read().for_export(),
    }


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning", "ignore::DeprecationWarning")
def test_a_dropout_that_was_left_on_is_found_at_its_node(tmp_path: Path) -> None:
    told = facts(side.measured(archive(tmp_path / "net.pt", train=True), compute.Clock(30.0)))
    assert [(each.aspect, each.setting, (each.distinct or 0) > 1) for each in told] == [
        ("repeat", "default", True),
        ("lost", "default", False),
        ("mode", "eval", False),
        ("mode", "seeded", False),
        ("mode", "seeded-once", False),
    ]
    assert told[0].first_op == "aten::dropout"
    assert told[0].inputs[0].shape == (1, 8)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_sound_archive_repeats(tmp_path: Path) -> None:
    told = facts(side.measured(archive(tmp_path / "net.pt", train=False), compute.Clock(30.0)))
    assert list(dict.fromkeys(each.aspect for each in told)) == ["repeat", "lost", "batch", "threads", "deterministic"]
    assert (told[0].distinct, told[0].reason) == (1, "")
    assert all(size_of(each) in (Size.IDENTICAL, Size.ROUNDING) for each in told if each.aspect != "lost")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_two_archives_part_at_the_changed_weight(tmp_path: Path) -> None:
    pair = []
    for name, change in (("a.pt", 0.0), ("b.pt", 0.05)):
        argument = archive(tmp_path / name, train=False, change=change)
        form = side._Archive(argument, importlib.import_module("checks.probes.export.torch").load(argument))
        pair.append(form.way("cpu", "default"))
    found, held = form.nodes()
    shapes = {name: ("", list(tensor.shape)) for name, tensor in held.items()}
    model = ways.Model(np, {}, {"x": np.ones((1, 8), "float32")}, found, 2.0**-24, shapes)
    figures = search.Search(model, *((way, model.arrays) for way in pair), Ample()).walk()
    assert figures["first_op"] == figures["beyond_op"] == "aten::linear"
    assert figures["beyond_difference"]["first"] == [0, 2]
    assert figures["beyond_difference"]["differing"] == 1


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of PyTorch's own code
def test_a_program_that_is_moved_to_a_device_stays_on_the_processor_for_the_comparison() -> None:
    program = torch.export.export(Net().eval(), (torch.ones(1, 8),))
    moved = side._moved(program, "meta")
    assert {each.device.type for each in moved.state_dict.values()} == {"meta"}
    assert {each.device.type for each in program.state_dict.values()} == {"cpu"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_input_that_cannot_be_drawn_is_named(tmp_path: Path) -> None:
    class Wants(torch.nn.Module):
        def forward(self, texts: list[str]) -> int:
            """How many."""
            return len(texts)

    path = tmp_path / "net.pt"
    torch.jit.script(Wants()).save(str(path))
    argument = dict(archive(tmp_path / "other.pt", train=False), path=str(path))
    (made,) = facts(side.measured(argument, compute.Clock(30.0)))
    assert made.reason == "input-type"
    assert "texts: List[str]" in made.detail


def scripted(path: Path, net: torch.nn.Module) -> dict[str, Any]:
    torch.jit.script(net.eval()).save(str(path))
    return dict(archive(path.with_name("other.pt"), train=False), path=str(path))


class Counting(torch.nn.Module):
    """It counts how often it was called, and so gives another answer each time."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.seen = torch.zeros(1, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Larger each time."""
        self.calls += 1
        self.seen = self.seen + x
        return self.seen * float(self.calls)


class Holding(torch.nn.Module):
    """Its state lies in a part of it."""

    def __init__(self) -> None:
        super().__init__()
        self.part = Counting()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """What the part gives."""
        scores: torch.Tensor = self.part(x)
        return scores


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_an_archive_takes_over_from_run_to_run_is_told_and_no_fault(tmp_path: Path) -> None:
    np.savez(tmp_path / "inputs.npz", x=np.ones((2, 4), "float32"))
    argument = dict(scripted(tmp_path / "net.pt", Holding()), inputs=str(tmp_path / "inputs.npz"))
    told = facts(side.measured(argument, compute.Clock(30.0)))
    assert [(each.aspect, each.reason, each.detail) for each in told[:1]] == [("state", "keeps-state", "calls, seen")]
    assert (told[1].aspect, told[1].distinct, told[1].inputs_from) == ("repeat", 1, "file")
    assert all(size_of(each) is Size.IDENTICAL for each in told[1:] if each.aspect != "lost")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_values_within_are_given_out_as_in_the_first_run(tmp_path: Path) -> None:
    argument = scripted(tmp_path / "net.pt", Holding())
    form = side._Archive(argument, importlib.import_module("checks.probes.export.torch").load(argument))
    way, arrays = form.way("cpu", "default"), {"x": np.ones((1, 4), "float32")}
    names = [each.outputs[0] for each in form.nodes()[0]]
    seen = [way.giving(names)(arrays), way.run(arrays), way.giving(names)(arrays)]
    assert all((seen[0][name] == seen[2][name]).all() for name in names)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_batch_normalisation_in_training_is_given_two_rows_and_said_to_learn(tmp_path: Path) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.BatchNorm1d(4))
    torch.jit.script(net.train()).save(str(tmp_path / "net.pt"))
    argument = dict(archive(tmp_path / "other.pt", train=False), path=str(tmp_path / "net.pt"))
    told = facts(side.measured(argument, compute.Clock(30.0)))
    assert told[0].detail == "1.running_mean, 1.running_var, 1.num_batches_tracked"
    assert (told[1].reason, told[1].inputs[0].shape) == ("", (2, 8))


class Noisy(torch.nn.Module):
    """Random numbers are drawn in a branch, in place: no node that is seen draws any."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """With noise."""
        if x.dim() > 0:
            x = x + torch.empty_like(x).exponential_()
        return x


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_random_numbers_that_no_node_names_are_known_by_the_seed_that_ends_them(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 4), "float32"))
    argument = dict(scripted(tmp_path / "net.pt", Noisy()), inputs=str(tmp_path / "x.npy"))
    told = facts(side.measured(argument, compute.Clock(30.0)))
    assert (told[0].distinct or 0) > 1
    assert draws_numbers(told[0], told)
    assert not draws_numbers(told[0], told[:1])


class Plain(torch.nn.Module):
    """It gives no array back."""

    def forward(self, x: torch.Tensor) -> float:
        """A number of Python."""
        return float(x.sum())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_archive_that_gives_no_arrays_is_not_called_the_same(tmp_path: Path) -> None:
    told = facts(side.measured(scripted(tmp_path / "net.pt", Plain()), compute.Clock(30.0)))
    assert [(each.aspect, each.reason) for each in told] == [("repeat", "no-outputs")]  # nothing more is compared


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_a_recurrent_archive_is_given_steps_of_the_width_that_it_takes(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    torch.jit.trace(torch.nn.LSTM(8, 16), torch.rand(5, 1, 8)).save(str(path))  # type: ignore[no-untyped-call]
    argument = dict(archive(tmp_path / "other.pt", train=False), path=str(path))
    (spec,) = importlib.import_module("checks.probes.export.torch").load(argument).specs
    assert spec["shape"] == [-1, 1, 8]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_does_not_run_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = iter(range(1000))
    made = side._Archive._runs

    def failing(*given: Any, **more: Any) -> Any:
        run = made(*given, **more)

        def later(arrays: Arrays) -> Arrays:
            if next(calls) > 0:  # the inputs were tried once
                raise RuntimeError("\"addmm_impl_cpu_\" not implemented for 'Half'")
            found: Arrays = run(arrays)
            return found

        return later

    monkeypatch.setattr(side._Archive, "_runs", failing)
    told = facts(side.measured(archive(tmp_path / "net.pt", train=False), compute.Clock(30.0)))
    assert [(each.aspect, each.reason) for each in told] == [("repeat", "failed")]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("form", ["torchscript", "pt2"])
def test_half_precision_is_given_inputs_of_its_own_type(
    dtype: torch.dtype, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)).to(dtype).eval()
    path = tmp_path / f"net.{form}"
    if form == "pt2":
        torch.export.save(torch.export.export(net, (torch.rand(2, 8).to(dtype),)), path)
    else:
        torch.jit.script(net).save(str(path))
    argument = dict(archive(tmp_path / "other.pt", train=False), path=str(path), format=form)
    told = facts(side.measured(argument, compute.Clock(30.0)))
    assert (told[0].aspect, told[0].reason, told[0].distinct) == ("repeat", "", 1)


class Twice(torch.nn.Module):
    """It changes its own buffer."""

    calls: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Larger each time."""
        self.calls.add_(1)
        return torch.nn.functional.dropout(x, 0.5, True) * self.calls


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_program_is_given_no_mode_that_it_lacks_and_keeps_only_the_values_that_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    torch.export.save(torch.export.export(Twice(), (torch.rand(2, 8),)), "net.pt2")
    argument = dict(archive(tmp_path / "other.pt", train=False), path=str(tmp_path / "net.pt2"), format="pt2")
    told = facts(side.measured(argument, compute.Clock(30.0)))
    assert [(each.aspect, each.setting) for each in told] == [
        ("state", "default"),
        ("repeat", "default"),
        ("lost", "default"),
        ("mode", "seeded"),
        ("mode", "seeded-once"),
    ]
    form = side._Program(importlib.import_module("checks.probes.export.torch").load(argument))
    names = [each.outputs[0] for each in form.nodes()[0]]
    values = form.way("cpu", "default").giving(names[-1:])({"x": np.ones((2, 8), "float32")})
    assert list(values) == names[-1:]


# --- ONNX Runtime -----------------------------------------------------------------------------------------------------


def spec(name: str, *shape: Any) -> dict[str, Any]:
    return {"name": name, "dtype": "float32", "shape": list(shape)}


@pytest.mark.parametrize(
    ("specs", "outputs", "inputs", "reason"),
    [
        pytest.param([spec("x", "batch", 3)], {"y": ["batch", 4]}, {"x": 0}, "batch-fixed", id="named"),
        pytest.param([spec("x", None, 3)], {}, {"x": 0}, "batch-fixed", id="without-a-name"),
        pytest.param([spec("x", "N", 3), spec("k", 5)], {}, {"x": 0}, "batch-fixed", id="one-letter"),
        pytest.param(
            [spec("x", "seq", "batch", 8), spec("h", 1, "batch", 4)],
            {"y": ["seq", 1, "batch", 4], "z": [3]},
            {"x": 1, "h": 1},
            "batch-fixed",
            id="time-first-and-a-state",
        ),
        pytest.param([spec("x", "sequence_length", 1, 8)], {}, {}, "no-row-axis", id="time-alone"),
        pytest.param([spec("p", "num_points", 3), spec("x", "d0", 3)], {}, {"x": 0}, "batch-fixed", id="points-beside"),
        pytest.param([spec("x", 1, 3)], {}, {}, "batch-fixed", id="fixed"),
        pytest.param([], {}, {}, "batch-fixed", id="no-inputs"),
    ],
)
def test_the_axis_of_the_rows_is_found_by_the_names_in_the_file(
    specs: list[Any], outputs: dict[str, Any], inputs: dict[str, int], reason: str
) -> None:
    runtime = ort.Runtime.__new__(ort.Runtime)
    runtime.specs = specs
    runtime._outputs = [SimpleNamespace(name=name, shape=shape) for name, shape in outputs.items()]
    rows = runtime.rows({each["name"]: np.zeros([1] * len(each["shape"])) for each in specs})
    assert (rows.inputs, rows.reason) == (inputs, reason)
    assert rows.outputs == {name: shape.index("batch") for name, shape in outputs.items() if "batch" in shape}


@pytest.mark.parametrize(
    ("trace", "place"),
    [
        pytest.param('File "/home/user/net.py", line 9, in forward', "/home/user/net.py:9", id="the-users-line"),
        pytest.param('File "<eval_with_key>.17", line 9, in forward', "", id="what-no-file-holds"),
        pytest.param(
            'File "net.py", line 3, in forward\nFile "/v/site-packages/torch/nn/x.py", line 5',
            "net.py:3",
            id="of-a-library",
        ),
    ],
)
def test_the_line_of_a_node_is_one_that_the_user_can_open(trace: str, place: str) -> None:
    assert importlib.import_module("checks.probes.export.tensors").place_of(trace) == place


def test_with_a_seed_each_run_of_onnx_runtime_has_a_session_made_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setitem(sys.modules, "onnxruntime", SimpleNamespace(set_seed=lambda seed: done.append(f"seed {seed}")))
    runtime = ort.Runtime.__new__(ort.Runtime)

    def made(device: str) -> Any:
        done.append("session")
        return ways.Way(lambda arrays: {"y": arrays["x"]}, None, device)

    monkeypatch.setattr(runtime, "way", made)
    way = runtime.seeded()
    assert (way.setting, way.device) == ("seeded", "CPUExecutionProvider")
    assert way.run({"x": 1}) == way.run({"x": 1}) == {"y": 1}
    assert done == ["seed 1", "session"] * 2
