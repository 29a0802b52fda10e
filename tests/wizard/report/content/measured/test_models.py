"""The user's own models in words: what was compared, where runs part, what nothing is said of."""

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.facts import ArrayDifference, ErrorText, Facts, Measurement, ModelMeasured, NodeApart, TensorSpec
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from wizard.report.content.blocks import MeasuredSection
from wizard.report.content.measured.models import models_section
from wizard.report.content.report import build
from wizard.report.prints.terminal import to_terminal

OPENVINO = "model-onnxruntime-1.24.1-openvino-cnn"
RANDOM = "model-onnxruntime-1.31.1-random"
DROPOUT = "model-torch-2.13.0-dropout"
APART = ArrayDifference(elements=10, differing=9, max_abs=0.9, scale=1.0)


def case(*made: Measurement) -> Case:
    return judged(Facts(measurements=made), Answers(symptom="results-differ"))


def section(*made: Measurement, language: str = "en") -> MeasuredSection:
    found = models_section(case(*made), language)
    assert found is not None
    return found


def beyond(**more: object) -> ModelMeasured:
    made = ModelMeasured(
        framework="onnxruntime", path="/m/net.onnx", device="CUDAExecutionProvider", other="CPUExecutionProvider",
        aspect="device", operation="y", difference=APART, bound=1e-5, outputs=2, outputs_apart=1, decisions=0.5,
        first_node="conv", first_op="Conv", beyond_node="resize", beyond_op="Resize", searched=9, inputs_from="file",
        inputs=(TensorSpec(name="x", dtype="float32", shape=(1, 3)),),
    )  # fmt: skip
    return msgspec.structs.replace(made, **more)


def test_a_provider_beside_the_processor() -> None:
    found = section(*measurements(OPENVINO))
    (table,) = found.tables
    assert table.title == "cnn.onnx in ONNX Runtime"
    rows = {row.cells[0]: row for row in table.rows}
    row = rows["OpenVINOExecutionProvider against CPUExecutionProvider, By default"]
    assert row.cells[1] == "1 of 1 outputs differ"
    assert row.cells[3:] == ("rounding order", "/block0/Conv (Conv)", "100 %")
    assert rows["Again and again on CPUExecutionProvider"].state == "clear"
    assert "made up" in found.sentences[0]
    assert "with 95 % certainty" in found.sentences[1]


def test_the_difference_per_node_is_drawn_beside_what_rounding_makes() -> None:
    plots = section(*measurements(OPENVINO)).plots
    assert [plot.title.split(":")[0] for plot in plots] == ["Difference per node"] * len(plots)
    apart, bound = plots[0].series
    assert len(apart.x) == len(bound.x) == 22
    assert all(one is None or most is None or one <= most for one, most in zip(apart.y, bound.y, strict=True))
    assert "/block0/Conv (Conv)" in plots[0].summary
    assert (plots[0].kind, len(plots[0].categories)) == ("bars", 22)
    assert "/block0/Conv (Conv)" in plots[0].categories


def test_what_rounding_makes_is_never_more_than_a_whole_and_is_left_out_where_numbers_are_random() -> None:
    wide = (NodeApart(name="exp", op="Exp", apart=1e-3, bound=40.0),)
    (plot,) = section(beyond(nodes=wide)).plots
    assert plot.series[1].y == (1.0,)
    noise = (NodeApart(name="noise", op="RandomNormalLike", apart=1.2, bound=40.0), *wide)
    (plot,) = section(beyond(nodes=noise)).plots
    assert len(plot.series) == 1
    half = (NodeApart(name="mean", op="ReduceMean", apart=0.4, bound=1e-6), NodeApart(name="sub", op="Sub", apart=0.1))
    (plot,) = section(beyond(nodes=half)).plots
    assert len(plot.series) == 1


def test_of_very_many_nodes_a_line_is_drawn_whose_points_have_their_names() -> None:
    nodes = tuple(NodeApart(name=f"n{place}", op="Conv", apart=1e-7, bound=1e-6) for place in range(60))
    (plot,) = section(beyond(nodes=nodes)).plots
    assert (plot.kind, plot.categories[59]) == ("lines", "n59 (Conv)")


def test_random_numbers_are_told_as_such() -> None:
    found = section(*measurements(RANDOM))
    assert any("draws random numbers: noise (RandomNormalLike)" in sentence for sentence in found.sentences)
    assert found.tables[0].rows[0].cells[3] == "random numbers"
    assert found.tables[0].rows[0].state == "warning"


def test_dropout_varies_and_evaluation_mode_does_not() -> None:
    (table,) = section(*measurements(DROPOUT)).tables
    assert table.title == "train.pt in PyTorch"
    rows = table.rows
    assert [row.state for row in rows] == ["warning", "clear", "clear"]
    assert rows[1].cells[0].endswith("Evaluation mode")


def test_more_than_rounding_names_its_node_and_where_bits_differ_first() -> None:
    found = section(beyond())
    assert any(sentence.endswith("from this node on: resize (Resize).") for sentence in found.sentences)
    (row,) = found.tables[0].rows
    assert row.state == "warning"
    assert row.cells[4] == "conv (Conv), beyond rounding from resize (Resize) on"
    assert row.cells[5] == "50 %"


def test_decisions_that_change_are_said() -> None:
    found = section(beyond(bound=1.0, beyond_node=""))
    assert any("50 % of the rows are decided otherwise" in sentence for sentence in found.sentences)


@pytest.mark.parametrize(
    ("operation", "state"),
    [pytest.param("ReduceMean", "warning", id="mean"), pytest.param("DynamicQuantizeLinear", "note", id="one-scale")],
)
def test_rows_that_influence_each_other_are_told(operation: str, state: str) -> None:
    found = section(beyond(aspect="batch", setting="batch-1", other="batch-4", beyond_op=operation, decisions=1.0))
    assert found.tables[0].rows[0].state == state
    assert any("depends on the other rows" in sentence for sentence in found.sentences)


def test_a_long_error_stands_above_the_table_and_not_within() -> None:
    error = ErrorText(type="RuntimeError", message="the sizes of the two tensors must match " * 5)
    found = section(beyond(aspect="batch", difference=None, reason="batch-fixed", error=error))
    assert found.tables[0].rows[0].cells[1] == "not compared (see above)"
    assert any("not compared. " in sentence and "must match" in sentence for sentence in found.sentences)


def test_the_time_ended_the_search() -> None:
    (row,) = section(beyond(searched_until="pool")).tables[0].rows
    assert "searched up to pool" in row.cells[4]


SAME = ArrayDifference(elements=10, differing=0, max_abs=0.0, scale=1.0)


@pytest.mark.parametrize(("repetitions", "state"), [(3, "open"), (10, "clear")])
def test_few_equal_repetitions_get_no_tick(repetitions: int, state: str) -> None:
    made = beyond(aspect="repeat", difference=SAME, distinct=1, repetitions=repetitions, outputs_apart=0, decisions=1.0)
    assert section(made).tables[0].rows[0].state == state


def test_of_a_model_without_inputs_none_are_said() -> None:
    assert not any("these inputs" in sentence for sentence in section(beyond(inputs=())).sentences)
    assert any("these inputs" in sentence for sentence in section(beyond()).sentences)


def test_that_nan_is_like_nan_is_said_to_prove_nothing() -> None:
    found = section(beyond(difference=SAME, decisions=1.0, nan_in_both=7, nan_output="mask", outputs_apart=0))
    assert any("NaN in both runs: 7, the first of them in mask" in sentence for sentence in found.sentences)
    assert not any("NaN" in sentence for sentence in section(beyond()).sentences)


def test_empty_outputs_are_not_called_the_same() -> None:
    made = beyond(aspect="repeat", reason="outputs-empty", difference=None, repetitions=100, distinct=1, decisions=None)
    found = section(made)
    assert not any("same bits" in sentence for sentence in found.sentences)
    assert "all outputs are empty" in found.tables[0].rows[0].cells[1]


def test_outputs_of_other_shapes_are_a_difference() -> None:
    found = section(
        beyond(
            reason="shapes-differ", detail="boxes", difference=None, decisions=None, choice_node="nms", beyond_node=""
        )
    )
    (row,) = found.tables[0].rows
    assert (row.state, row.cells[2], row.cells[3]) == ("warning", "other shapes", "rounding order")
    assert any("outputs have other shapes (boxes)" in sentence for sentence in found.sentences)


def test_outputs_that_were_not_compared_are_counted() -> None:
    assert any("not compared (2 of them)" in sentence for sentence in section(beyond(outputs_left_out=2)).sentences)


def test_what_a_model_keeps_is_said_before_all_that_was_compared() -> None:
    found = section(beyond(aspect="state", reason="keeps-state", detail="h", difference=None))
    assert any("from one run over to the next: h." in sentence for sentence in found.sentences)
    assert found.tables == ()


def test_a_model_that_a_seed_ends_varies_by_random_numbers() -> None:
    varies = beyond(aspect="repeat", setting="default", distinct=30, repetitions=30, counts=(1,) * 20)
    seeded = beyond(
        aspect="mode", setting="seeded", other="seeded", distinct=1, repetitions=100, difference=SAME, outputs_apart=0
    )
    found = section(varies, seeded)
    assert found.tables[0].rows[0].cells[3] == "random numbers"
    assert any("because a node draws random numbers" in sentence for sentence in found.sentences)
    assert not any("draws random numbers" in sentence for sentence in section(varies).sentences)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "reason",
    [
        "nan-everywhere",
        "no-outputs",
        "outputs-empty",
        "output-type",
        "no-rows",
        "no-row-axis",
        "keeps-state",
        "not-repeatable",
        "batch-fixed",
        "no-memory",
        "not-repeatable-format",
        "no-runtime",
        "runtime-broken",
        "model-not-run",
        "inputs-needed",
        "inputs-do-not-fit",
        "no-image-library",
        "no-image-input",
        "input-type",
        "input-too-large",
        "no-input-file",
        "provider-dropped",
        "not-in-version",
        "too-large",
        "crashed",
        "failed",
        "no-time",
    ],
)
def test_every_reason_has_words(reason: str, language: str) -> None:
    made = beyond(reason=reason, detail="x: float32 [1, ?]", difference=None, error=ErrorText(type="E", message="why"))
    (row,) = section(made, language=language).tables[0].rows
    assert row.state == ("absent" if reason == "no-time" else "open")
    assert reason not in row.cells[1]
    assert "{" not in row.cells[1]


def test_a_model_that_was_not_run_says_why_and_has_no_table() -> None:
    found = section(ModelMeasured(path="net.gguf", reason="not-repeatable-format"))
    assert found.tables == ()
    assert found.sentences[0].startswith("Not run again: net.gguf. Models of this format")
    many = [ModelMeasured(path=f"{place}.gguf", reason="not-repeatable-format") for place in range(9)]
    (told,) = section(*many).sentences
    assert told.startswith("Not run again: 0.gguf, 1.gguf, 2.gguf, 3.gguf, 4.gguf and 4 more.")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_report_shows_all_of_it(language: str) -> None:
    made = case(*measurements(OPENVINO), *measurements(DROPOUT), beyond(nodes=(NodeApart(name="a", apart=0.5),)))
    shown = to_terminal(build(made, language))
    assert "/block0/Conv (Conv)" in shown
    assert "{" not in shown


def test_nothing_where_no_model_was_run() -> None:
    assert models_section(case(), "en") is None
