"""A measurement in a line."""

import pytest

from checks.facts import (
    ArrayDifference,
    ErrorText,
    Experiment,
    Flip,
    Health,
    Measurement,
    ModelMeasured,
    NumbersLost,
    Portrait,
    Precision,
    Repeat,
    WrongBits,
)
from wizard.report.content.measured.line import computing_name, line_of, place_of

SAME = ArrayDifference(elements=9, differing=0)
APART = ArrayDifference(elements=9, differing=3, max_abs=2e-6, scale=4.0)
NAN = ArrayDifference(elements=9, differing=3, nan=3)
WRONG = WrongBits(second=1.0, operation="matmul", index=(0,), expected="00", found="01")


@pytest.mark.parametrize(
    ("measurement", "state", "outcome"),
    [
        pytest.param(Repeat(repetitions=300, distinct=1), "clear", "The same bits 300 times", id="same"),
        pytest.param(Repeat(repetitions=9, distinct=4), "warning", "4 different results in 9 repetitions", id="varies"),
        pytest.param(
            Repeat(repetitions=9, distinct=1, warm_up="ab"),
            "warning",
            "2 different results in 10 repetitions",
            id="warm-up",
        ),
        pytest.param(Repeat(repetitions=3, distinct=1), "open", "The same bits 3 times", id="too-few-for-a-tick"),
        pytest.param(Repeat(), "open", "Nothing could be compared.", id="nothing-is-not-equal"),
        pytest.param(Repeat(distinct=1, reason="no-time"), "absent", "Left out: the time was up.", id="no-time"),
        pytest.param(
            Repeat(reason="failed", error=ErrorText(type="RuntimeError", message="x")),
            "open",
            "It ended with an error.",
            id="failed",
        ),
        pytest.param(Repeat(reason="of-tomorrow"), "open", "of-tomorrow", id="unknown-reason"),
        pytest.param(Experiment(exact=(("a",), ("a",))), "clear", "2 runs, all the same", id="runs-same"),
        pytest.param(Experiment(exact=(("a",), ("b",))), "warning", "2 different results in 2 runs", id="runs-vary"),
        pytest.param(Experiment(), "open", "Nothing could be compared.", id="no-runs"),
        pytest.param(Portrait(), "", "Recorded, to compare it with other devices", id="portrait"),
        pytest.param(Precision(against=APART), "", "Error 5e-07 of the largest value, against float64", id="precision"),
        pytest.param(Precision(against=SAME), "", "No error against float64", id="exact"),
        pytest.param(Precision(), "open", "Nothing could be compared.", id="no-precision"),
        pytest.param(Flip(), "clear", "No difference to explain", id="no-flip"),
        pytest.param(Flip(before=APART, after=SAME), "note", "Difference of 5e-07 gone: the same bits", id="mends"),
        pytest.param(Flip(before=APART, after=NAN), "note", "Difference before 5e-07, after NaN", id="stays"),
        pytest.param(ModelMeasured(repetitions=10, distinct=1), "clear", "The same bits 10 times", id="model-same"),
        pytest.param(
            ModelMeasured(repetitions=9, distinct=2),
            "warning",
            "2 different results in 9 repetitions",
            id="model-varies",
        ),
        pytest.param(ModelMeasured(difference=SAME), "", "The same bits", id="model-the-same"),
        pytest.param(ModelMeasured(difference=APART), "", "5e-07 of the largest value apart", id="model-differs"),
        pytest.param(ModelMeasured(), "open", "Nothing could be compared.", id="no-model"),
        pytest.param(ModelMeasured(aspect="lost"), "clear", "All numbers are finite.", id="finite"),
        pytest.param(
            ModelMeasured(aspect="lost", lost=NumbersLost(kind="nan", nan=2, infinite=1, elements=9)),
            "warning",
            "NaN or infinite: 3 of the 9 numbers.",
            id="lost",
        ),
        pytest.param(
            ModelMeasured(aspect="repeat", distinct=1, repetitions=99, reason="zero-everywhere"),
            "open",
            "All numbers of the outputs are 0 with this input, and would be alike whatever varied. "
            "Give an input of your own (--inputs FILE).",
            id="nothing-but-zeros",
        ),
        pytest.param(Health(checked=70), "clear", "70 results checked, 0 wrong", id="healthy"),
        pytest.param(Health(checked=70, wrong=(WRONG,)), "blocking", "70 results checked, 1 wrong", id="broken"),
    ],
)
def test_line(measurement: Measurement, state: str, outcome: str) -> None:
    line = line_of(measurement, "en")
    assert (line.state, line.cells[-1]) == (state, outcome)
    assert line_of(measurement, "ja").cells[-1]


def test_of_ones_own_model_its_name_and_what_was_compared_are_told() -> None:
    made = ModelMeasured(
        framework="onnxruntime", path="/m/net.onnx", device="cpu", setting="threads-1", other="default", operation="y"
    )
    assert line_of(made, "en").cells[:2] == ("net.onnx", "One thread against By default, on cpu")
    again = ModelMeasured(framework="onnxruntime", path="/m/net.onnx", device="cpu", aspect="repeat", operation="y")
    assert line_of(again, "en").cells[:2] == ("net.onnx", "Again and again on cpu")


@pytest.mark.parametrize(("language", "name"), [("en", "Load test"), ("ja", "負荷テスト")])
def test_the_load_has_a_name(language: str, name: str) -> None:
    assert line_of(Health(operation="load", device="cpu", checked=70), language).cells[0] == name


def test_place() -> None:
    measured = Repeat(framework="torch", operation="matmul", device="cuda:0", dtype="float32", setting="deterministic")
    assert line_of(measured, "en").cells[0] == "Matrix product"
    assert place_of(measured, "en") == "PyTorch, cuda:0, float32, Deterministic mode"
    assert place_of(Repeat(framework="numpy", device="cpu"), "ja") == "NumPy、cpu"


@pytest.mark.parametrize(
    ("probe", "expected"),
    [
        ("computations:torch:cuda:0", "PyTorch on cuda:0"),
        ("computations:torch:cpu", "PyTorch on cpu"),
        ("computations:tensorflow:GPU:0:deterministic", "TensorFlow on GPU:0, Deterministic mode"),
        ("computations:numpy:cpu:threads-1", "NumPy on cpu, One thread"),
        ("torch", ""),
        ("onnxruntime:yolo.onnx", ""),
    ],
)
def test_computing_name(probe: str, expected: str) -> None:
    assert computing_name(probe, "en") == expected


def test_the_run_of_a_model_is_named_by_the_model() -> None:
    assert computing_name("model:onnxruntime:net.onnx", "en") == "net.onnx, again and again in ONNX Runtime"
    assert computing_name("model:torch:a:b.pt", "en") == "a:b.pt, again and again in PyTorch"


def test_a_reason_names_what_belongs_to_it() -> None:
    made = ModelMeasured(framework="torch", reason="shapes-differ", detail="boxes")
    assert line_of(made, "en").cells[2] == "Outputs have other shapes in the two runs (boxes)."
    made = ModelMeasured(framework="torch", reason="input-type", detail="x: List[str]")
    assert "{" not in line_of(made, "ja").cells[2]
    assert line_of(made, "ja").cells[2] != "input-type"
