"""Which quantised models are compared with which float ones, and what the files alone tell."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from checks.engine.plans.quantisation import WEIGHTS_ONLY, pair_of, quantisation_jobs, with_weights
from checks.engine.request import Request
from checks.facts import Facts, InterpreterFacts, ModelFacts, Package, QuantisationLoss, WeightLoss
from checks.facts.case import Answers

LOSS = WeightLoss(name="w", sqnr=40.0)


def model(name: str, **more: Any) -> ModelFacts:
    return ModelFacts(**{"path": f"/m/{name}.onnx", "name": name, "format": "onnx", "size": 10, **more})


FLOAT = model("net", quantization="", dtypes={"float32": 10})
INT8 = model("int8", quantization="int8 QDQ", dtypes={"int8": 9, "float32": 1})
BRAIN = model("brain", format="gguf", quantization="", dtypes={"float32": 9})
BLOCKS = model("blocks", format="gguf", quantization="Q4_K", dtypes={"Q4_K": 9, "float32": 1})
HALF = model("half", quantization="", dtypes={"float16": 9, "float32": 1})


@pytest.mark.parametrize(
    ("models", "wanted"),
    [
        pytest.param((FLOAT, INT8), (FLOAT, INT8), id="in-this-order"),
        pytest.param((INT8, FLOAT), (FLOAT, INT8), id="in-the-other"),
        pytest.param((FLOAT, HALF), (FLOAT, HALF), id="float16"),
        pytest.param((INT8,), (None, INT8), id="alone"),
        pytest.param((HALF,), None, id="float16-alone-tells-nothing"),
        pytest.param((FLOAT, FLOAT), None, id="two-float-ones"),
        pytest.param((INT8, HALF), None, id="two-shorter-ones"),
        pytest.param((FLOAT, model("x", format="gguf", quantization="Q4_0")), None, id="another-format"),
        pytest.param((BRAIN, BLOCKS), (BRAIN, BLOCKS), id="gguf"),
        pytest.param((BLOCKS,), None, id="gguf-alone-tells-nothing"),
        pytest.param((FLOAT, model("x", format="tflite", quantization="int8")), None, id="not-compared"),
        pytest.param((FLOAT, model("x", quantization="int8", problem="cut-off")), None, id="damaged"),
    ],
)
def test_what_is_compared(models: tuple[ModelFacts, ...], wanted: tuple[ModelFacts | None, ModelFacts] | None) -> None:
    assert pair_of(models) == wanted


def facts(tmp_path: Path, *models: ModelFacts, packages: tuple[str, ...] = ("onnxruntime",)) -> Facts:
    target = InterpreterFacts(
        path="/venv/bin/python", packages=tuple(Package(name=name, version="1.0") for name in packages)
    )
    placed = []
    for one in models:
        path = tmp_path / f"{one.name}.onnx"
        path.write_bytes(b"x")
        placed.append(msgspec.structs.replace(one, path=str(path)))
    return Facts(interpreters=(target,), target=target.path, models=tuple(placed))


def jobs(known: Facts, **more: Any) -> list[tuple[str, bool, str]]:
    request = Request(answers=Answers(symptom="models"), **more)
    found = quantisation_jobs(known, request)
    return [(Path(job.argument["path"]).stem, job.argument["first"] is not None, job.reason) for job in found]


def test_a_pair_is_run_and_one_alone_only_where_it_is_run_again(tmp_path: Path) -> None:
    assert jobs(facts(tmp_path, FLOAT, INT8)) == [("int8", True, "")]
    assert jobs(facts(tmp_path, INT8), repeat=False) == []
    assert jobs(facts(tmp_path, INT8), repeat=True) == [("int8", False, "")]
    assert jobs(facts(tmp_path, FLOAT, INT8, packages=("torch",))) == []


def test_the_weights_of_what_was_not_run_are_told_as_such() -> None:
    known = Facts(models=(FLOAT, INT8))
    (alone,) = with_weights(known, (LOSS,)).measurements
    assert isinstance(alone, QuantisationLoss)
    assert (alone.reason, alone.first, alone.weights) == (WEIGHTS_ONLY, "/m/net.onnx", (LOSS,))
    run = msgspec.structs.replace(known, measurements=(QuantisationLoss(path="/m/int8.onnx", sqnr=30.0),))
    (measured,) = with_weights(run, (LOSS,)).measurements
    assert isinstance(measured, QuantisationLoss)
    assert (measured.reason, measured.sqnr, measured.weights) == ("", 30.0, (LOSS,))
    assert with_weights(known, ()) is known
