"""Where NaN and infinities of a model come from: the node that makes them, the weight or the input that has them."""

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from checks.engine.catalogues.computations import read_measurement
from checks.facts import ModelMeasured, NumbersLost
from checks.knowledge.formats.model_safety import ModelSafety

drawing: Any = importlib.import_module("checks.probes.compute.model.drawing")
lost: Any = importlib.import_module("checks.probes.compute.model.lost")
side: Any = importlib.import_module("checks.probes.compute.model.torch")
ways: Any = importlib.import_module("checks.probes.compute.model.ways")
compute: Any = importlib.import_module("checks.probes.compute.kit")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
Change = Callable[[torch.Tensor], torch.Tensor]


class Net(torch.nn.Module):
    """A layer, and what is done with its scores."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(8, 4)


class Logarithm(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """NaN everywhere, whatever goes in."""
        below = -self.layer(x).abs() - 1.0
        return torch.softmax(torch.log(below), -1)


class Root(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """NaN in the last of four scores, which are put together from a list."""
        scores = self.layer(x)
        return torch.cat([scores[:, :3], torch.sqrt(-scores[:, 3:].abs() - 1.0)], 1)


class Quotient(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Infinite everywhere."""
        return self.layer(x) / torch.relu(-x.abs().sum(1, keepdim=True))


class Gap(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Infinity minus infinity."""
        large = torch.exp(self.layer(x).abs() + 100.0)
        return large - large


class Masked(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Infinities that a mask puts in, of which the softmax makes zeros."""
        outside = torch.full((x.shape[0], 1), float("-inf"))
        return torch.softmax(torch.cat([self.layer(x), outside], 1), -1)


class Chosen(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The place of the largest of four NaN."""
        return torch.log(-self.layer(x).abs() - 1.0).argmax(-1)


class Within(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """NaN only within, replaced on purpose."""
        return torch.nan_to_num(torch.log(-self.layer(x).abs() - 1.0))


class OfZero(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Infinite where an input is 0, as the first number that is drawn."""
        return self.layer(torch.log(x))


class Spoilt(Net):
    """A weight is NaN."""

    def __init__(self) -> None:
        super().__init__()
        with torch.no_grad():
            self.layer.weight[1, 3] = float("nan")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """NaN in the second score."""
        scores: torch.Tensor = self.layer(x)
        return torch.relu(scores)


class Noisy(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Other numbers get lost each time."""
        return torch.log(torch.rand_like(self.layer(x)) - 0.5)


def measured(folder: Path, net: torch.nn.Module, form: str = "torchscript", inputs: Any = None) -> list[ModelMeasured]:
    path = folder / f"net.{form}"
    if form == "pt2":
        torch.export.save(torch.export.export(net.eval(), (torch.rand(2, 8),)), path)
    else:
        torch.jit.script(net.eval()).save(str(path))
    argument = {"path": str(path), "format": form, "effort": "quick", "devices": ["cpu"]}
    argument["safety"] = ModelSafety.read().for_export()
    if inputs is not None:
        np.save(folder / "x.npy", inputs)
        argument["inputs"] = str(folder / "x.npy")
    return list(read(side.measured(argument, compute.Clock(30.0))))


def read(told: Iterator[dict[str, Any]]) -> Iterator[ModelMeasured]:
    for part in told:
        for raw in json.loads(json.dumps(part, allow_nan=False)).get("measurements+", ()):
            fact = read_measurement(raw, "probe")
            assert isinstance(fact, ModelMeasured)
            yield fact


def lost_of(found: list[ModelMeasured]) -> NumbersLost | None:
    (fact,) = (run for run in found if run.aspect == "lost")
    return fact.lost


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("form", ["torchscript", "pt2"])
@pytest.mark.parametrize(
    ("net", "kind", "operation", "whole"),
    [
        pytest.param(Logarithm, "nan", "log", 1, id="a-logarithm-of-what-is-negative"),
        pytest.param(Root, "nan", "sqrt", 0, id="behind-a-list"),
        pytest.param(Quotient, "infinite", "div", 1, id="a-division-by-zero"),
        pytest.param(Gap, "nan", "sub", 1, id="infinity-minus-infinity"),
    ],
)
def test_the_node_that_makes_them_is_named_with_what_went_in(
    net: type[Net], kind: str, operation: str, whole: int, form: str, tmp_path: Path
) -> None:
    told = lost_of(measured(tmp_path, net(), form))
    assert told is not None
    assert (told.kind, told.source, told.outputs_whole) == (kind, "node", whole)
    assert operation in told.op
    operand = told.operands[-1]
    assert operand.value == "0" if operation == "div" else operand.value == "inf" or float(operand.value) <= -1.0
    assert ("exp" in told.infinite_op) is (net is Gap)


@pytest.mark.parametrize("form", ["torchscript", "pt2"])
def test_a_weight_is_called_as_in_the_file(form: str, tmp_path: Path) -> None:
    told = lost_of(measured(tmp_path, Spoilt(), form))
    assert told is not None
    assert (told.source, told.node, told.kind) == ("weight", "layer.weight", "nan")


def test_what_the_user_gave_is_named(tmp_path: Path) -> None:
    given = np.ones((2, 8), "float32")
    given[1, 2] = np.nan
    told = lost_of(measured(tmp_path, OfZero(), inputs=given))
    assert told is not None
    assert (told.source, told.node, told.nan) == ("input", "x", 4)


@pytest.mark.parametrize("form", ["torchscript", "pt2"])
@pytest.mark.parametrize("net", [Masked, Within], ids=["a-mask", "replaced-on-purpose"])
def test_what_is_finite_in_the_end_is_no_loss(net: type[Net], form: str, tmp_path: Path) -> None:
    found = measured(tmp_path, net(), form)
    assert lost_of(found) is None
    assert not any(run.reason in ("failed", "own-error") for run in found)


def test_a_choice_among_nan_is_one(tmp_path: Path) -> None:
    told = lost_of(measured(tmp_path, Chosen()))
    assert told is not None
    assert (told.choice_op, told.nan, told.elements, told.op) == ("aten::argmax", 4, 4, "aten::log")


def test_other_inputs_are_drawn_where_the_first_lose_numbers(tmp_path: Path) -> None:
    found = measured(tmp_path, OfZero())
    told = lost_of(found)
    assert told is not None
    assert (told.op, told.finite_with, told.operands[0].value) == ("aten::log", "above-zero", "0")
    assert (found[0].aspect, found[0].distinct, found[0].nan_in_both, found[0].reason) == ("repeat", 1, 0, "")


def test_a_node_that_loses_numbers_at_random_is_seen_to_do_so_in_one_run(tmp_path: Path) -> None:
    told = lost_of(measured(tmp_path, Noisy()))
    assert told is not None
    assert told.op == "aten::log"
    assert float(told.operands[0].value) < 0


class Shifted(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Divided by a number that stands in the program."""
        return self.layer(x) / 0.0


@pytest.mark.parametrize("form", ["torchscript", "pt2"])
def test_a_number_of_the_program_is_an_operand_too(form: str, tmp_path: Path) -> None:
    told = lost_of(measured(tmp_path, Shifted(), form))
    assert told is not None
    assert (told.kind, told.numbers) == ("infinite", ("0.0",))


def test_a_cause_that_nobody_saw_is_not_named() -> None:
    """The value is lost only where nothing within is looked at."""
    node = side.Node("log", "aten::log", ["x"], ["y"])
    model = ways.Model(np, {}, {"x": np.ones(2, "float32")}, [node])
    way = ways.Way(lambda arrays: {"y": np.full(2, np.nan)}, lambda names: lambda arrays: {"y": np.zeros(2)}, "cpu")
    way.results(model.arrays)
    (fact,) = read(lost.facts(model, way, compute.Clock(5.0)))
    assert fact.lost is not None
    assert (fact.lost.nan, fact.lost.source, fact.lost.node) == (2, "", "")


# --- drawn inputs -----------------------------------------------------------------------------------------------------


def test_ids_differ_where_the_model_takes_such() -> None:
    given = {name: np.zeros((1, 6), "int64") for name in ("input_ids", "attention_mask", "lengths")}
    model = ways.Model(np, {}, dict(given))
    drawing.more_telling(model, lambda arrays: {"y": np.ones(2)}, compute.Clock(5.0))
    assert set(model.arrays["input_ids"].ravel()) == {0, 1}
    assert all((model.arrays[name] == given[name]).all() for name in ("attention_mask", "lengths"))

    def refusing(arrays: dict[str, Any]) -> dict[str, Any]:
        if arrays["input_ids"].any():
            raise IndexError("index out of range in self")
        return {"y": np.ones(2)}

    model = ways.Model(np, {}, dict(given))
    drawing.more_telling(model, refusing, compute.Clock(5.0))
    assert not model.arrays["input_ids"].any()


def test_others_are_drawn_where_nothing_but_zeros_comes_out() -> None:
    model = ways.Model(np, {}, {"x": np.ones(3, "float32")})
    drawing.more_telling(model, lambda arrays: {"y": np.maximum(-arrays["x"], 0)}, compute.Clock(5.0))
    assert (model.spoiling, model.drawn_as) == (None, "both-signs")
    model = ways.Model(np, {}, {"x": np.ones(3, "float32")})
    drawing.more_telling(model, lambda arrays: {"class": np.zeros(1, "int64")}, compute.Clock(5.0))
    assert model.drawn_as == ""


def test_no_others_are_tried_where_the_time_is_up() -> None:
    model = ways.Model(np, {}, {"x": np.ones(3, "float32")})
    drawing.more_telling(model, lambda arrays: {"y": 1 / 0}, compute.Clock(0.0))
    assert model.arrays["x"].tolist() == [1.0] * 3


def test_inputs_stay_where_no_others_are_better() -> None:
    model = ways.Model(np, {}, {"x": np.ones(3, "float32")})
    drawing.more_telling(model, lambda arrays: {"y": np.full(2, np.nan)}, compute.Clock(5.0))
    assert (model.spoiling, model.drawn_as, model.arrays["x"].tolist()) == (None, "", [1.0] * 3)


# --- what keeps something, and what holds a mask ----------------------------------------------------------------------


class Keeping(Net):
    """It counts its runs in a buffer, so that its graph cannot be frozen."""

    seen: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Larger each time."""
        self.seen.add_(1.0)
        scores: torch.Tensor = self.layer(x)
        return scores * self.seen


def test_a_model_that_keeps_something_is_given_inputs_too(tmp_path: Path) -> None:
    found = measured(tmp_path, Keeping())
    assert [(run.aspect, run.detail) for run in found[:1]] == [("state", "seen")]
    assert (found[1].aspect, found[1].distinct, found[1].inputs[0].shape) == ("repeat", 1, (1, 8))


def test_a_recurrent_network_is_given_inputs_whose_number_of_axes_it_checks_first(tmp_path: Path) -> None:
    class Recurrent(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.LSTM(8, 4, batch_first=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            """What each step gives."""
            scores: torch.Tensor = self.layer(x)[0]
            return scores

    repeat = measured(tmp_path, Recurrent())[0]
    assert (repeat.aspect, repeat.distinct, repeat.inputs[0].shape[-1]) == ("repeat", 1, 8)


def test_a_branch_is_named_as_a_whole(tmp_path: Path) -> None:
    class Branch(Net):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            """NaN within a branch."""
            y = self.layer(x)
            if float(x.sum()) > -1e9:
                y = torch.sqrt(-y.abs() - 1.0)
            return y * 2.0

    told = lost_of(measured(tmp_path, Branch()))
    assert told is not None
    assert told.op == "prim::If"
    assert any((operand.lowest or 0) < 0 for operand in told.operands)


def test_a_sparse_output_is_compared_like_any_other(tmp_path: Path) -> None:
    class Sparse(Net):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            """Without its zeros."""
            return torch.relu(self.layer(x)).to_sparse()

    assert measured(tmp_path, Sparse())[0].distinct == 1


def test_a_weight_that_cannot_be_given_out_hides_no_other() -> None:
    node = side.Node("sum", "aten::add", ["x", "odd", "nan"], ["y"])
    model = ways.Model(np, {}, {"x": np.ones(2, "float32")}, [node])

    def held(names: list[str]) -> dict[str, Any]:
        with ways.of_model():
            if "odd" in names:
                raise RuntimeError("a sequence")
        return {name: np.full(2, np.nan) for name in names}

    model.held, model.ends = held, ["y"]
    way = ways.Way(lambda arrays: {"y": np.full(2, np.nan)}, lambda names: lambda _: {"y": np.full(2, np.nan)}, "cpu")
    way.results(model.arrays)
    (fact,) = read(lost.facts(model, way, compute.Clock(5.0)))
    assert fact.lost is not None
    assert (fact.lost.source, fact.lost.node) == ("weight", "nan")
