"""The user's own model run twice: what varies, where two runs part, what is decided, and what nothing is said of."""

import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from checks.facts import ModelMeasured
from checks.knowledge.model_safety import model_safety
from checks.magnitude import Size
from checks.model_repeats import size_of
from checks.probes import host  # noqa: F401 - lets the probe's parts be imported by their names
from checks.probes.computation_catalogue import read_measurement

models = importlib.import_module("naosu_compute_model")
side = importlib.import_module("naosu_compute_model_torch")
graph = importlib.import_module("naosu_compute_onnx_graph")
compute = importlib.import_module("naosu_compute_kit")
WIDTH = 32
LAYERS = 40
Arrays = dict[str, Any]


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
        return models.Way(lambda arrays: {"y": self.values(arrays)[f"t{LAYERS - 1}"]}, self.giving, device, setting)


def reordered(value: Any, weight: Any) -> Any:
    """The same sums in another order."""
    return (value[:, ::-1] @ weight[::-1]).astype("float32")


@pytest.fixture
def model() -> Any:
    x = np.linspace(-1, 1, 2 * WIDTH, dtype="float32").reshape(2, WIDTH)
    held = {f"w{place}": ("float32", [WIDTH, WIDTH]) for place in range(LAYERS)}
    return models.Model(np, {"framework": "numpy", "path": "net.onnx"}, {"x": x}, nodes(), 2.0**-24, held)


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
    first.outputs = models.flattened(first.run(model.arrays))
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
    assert all(each.apart <= each.bound for each in made.nodes if each.apart is not None and each.bound is not None)


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
    first.outputs = models.flattened(first.run(model.arrays))
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
    (made,) = facts(models.in_batch(model, Network().way(), Ample(), ["x"]))
    assert (made.setting, made.other) == ("batch-1", "batch-2")
    assert size_of(made) in (Size.IDENTICAL, Size.ROUNDING)

    def by_rows(value: Any, weight: Any) -> Any:
        return reordered(value, weight) if len(value) > 1 else value @ weight

    (made,) = facts(models.in_batch(model, Network(by_rows).way(), Ample(), ["x"]))
    assert (size_of(made), made.first_node) == (Size.ROUNDING, "layer0")


def test_rows_that_influence_each_other_are_beyond_rounding(model: Any) -> None:
    normed = {"t7": lambda value: value - value.mean(axis=0, keepdims=True)}
    (made,) = facts(models.in_batch(model, Network(change=normed).way(), Ample(), ["x"]))
    assert (size_of(made), made.first_node) == (Size.BEYOND, "tanh7")


def test_a_fixed_batch_is_told(model: Any) -> None:
    (made,) = facts(models.in_batch(model, Network().way(), Ample(), []))
    assert made.reason == "batch-fixed"


def test_too_little_memory_halves_the_batch_and_goes_on(model: Any) -> None:
    model.arrays = {"x": np.zeros((8, WIDTH), dtype="float32")}

    def small(value: Any, weight: Any) -> Any:
        if len(value) > 2:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return value @ weight

    way = Network(small).way()
    told = facts(models.plan(model, [lambda clock: models.varies(model, way, clock, 5)], Ample(), ["x"]))
    assert [(each.reason, each.shrunk, each.distinct) for each in told] == [("", 2, 1)]


def test_too_little_memory_for_one_row_is_told_and_the_others_go_on(model: Any) -> None:
    def never(value: Any, weight: Any) -> Any:
        raise MemoryError

    steps = [
        lambda clock: models.varies(model, Network(never).way("cuda:0"), clock, 5),
        lambda clock: models.varies(model, Network().way(), clock, 5),
    ]
    told = facts(models.plan(model, steps, Ample(), []))
    assert [(each.device, each.reason) for each in told] == [("cuda:0", "no-memory"), ("cpu", "")]


def test_what_no_time_is_left_for_is_told(model: Any) -> None:
    steps = [lambda clock: models.varies(model, Network().way(), clock, 5)] * 2
    told = facts(models.plan(model, steps, Over(), []))
    assert [(each.aspect, each.reason) for each in told] == [("repeat", ""), ("rest", "no-time")]


# --- decisions --------------------------------------------------------------------------------------------------------


def test_decisions_of_each_kind_of_output() -> None:
    alike = models.decided_alike
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
    found = models.flattened({
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
    assert models.code_of(np, found) == models.code_of(np, dict(found))
    other = {**found, "label": np.array(["a", "c"], dtype=object)}
    assert models.code_of(np, found) != models.code_of(np, other)
    assert models.apart(np, found["label"], other["label"]) == {"elements": 2, "differing": 1}


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
        "safety": model_safety().for_export(),
    }


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning", "ignore::DeprecationWarning")
def test_a_dropout_that_was_left_on_is_found_at_its_node(tmp_path: Path) -> None:
    told = facts(side.measured(archive(tmp_path / "net.pt", train=True), compute.Clock(3.0)))
    assert [(each.aspect, each.setting, (each.distinct or 0) > 1) for each in told] == [
        ("repeat", "default", True),
        ("mode", "eval", False),
        ("mode", "seeded", False),
    ]
    assert told[0].first_op == "aten::dropout"
    assert told[0].inputs[0].shape == (1, 8)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_sound_archive_repeats(tmp_path: Path) -> None:
    told = facts(side.measured(archive(tmp_path / "net.pt", train=False), compute.Clock(3.0)))
    assert [each.aspect for each in told] == ["repeat", "batch", "threads", "deterministic"]
    assert (told[0].distinct, told[0].reason) == (1, "")
    assert all(size_of(each) in (Size.IDENTICAL, Size.ROUNDING) for each in told)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_two_archives_part_at_the_changed_weight(tmp_path: Path) -> None:
    ways = []
    for name, change in (("a.pt", 0.0), ("b.pt", 0.05)):
        argument = archive(tmp_path / name, train=False, change=change)
        form = side._Archive(argument, importlib.import_module("naosu_export_torch").load(argument))
        ways.append(form.way("cpu", "default"))
    found, held = form.nodes()
    model = models.Model(np, {}, {"x": np.ones((1, 8), "float32")}, found, 2.0**-24, held)
    figures = models.Search(model, *((way, model.arrays) for way in ways), Ample()).walk()
    assert figures["first_op"] == figures["beyond_op"] == "aten::linear"
    assert figures["beyond_difference"]["first"] == [0, 2]
    assert figures["beyond_difference"]["differing"] == 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_input_that_cannot_be_drawn_is_named(tmp_path: Path) -> None:
    class Wants(torch.nn.Module):
        def forward(self, texts: list[str]) -> int:
            """How many."""
            return len(texts)

    path = tmp_path / "net.pt"
    torch.jit.script(Wants()).save(str(path))
    argument = dict(archive(tmp_path / "other.pt", train=False), path=str(path))
    (made,) = facts(side.measured(argument, compute.Clock(3.0)))
    assert made.reason == "input-type"
    assert "texts: List[str]" in made.detail
