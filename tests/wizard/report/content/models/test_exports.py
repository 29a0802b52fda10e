"""What came of exporting a model, in words: recorded exports, in both languages and every print."""

import re

import msgspec
import pytest
from support.recorded_exports import NAMES, export, facts, model

from checks.facts import ExportRun, ModelFacts, OutputDifference
from checks.facts.case import Answers
from checks.facts.question import MODELS
from checks.judgement.judge import judged
from wizard.report.content.fact_sheet import FactSection
from wizard.report.content.models.exports import export_sections
from wizard.report.content.report import build
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal

IDS = re.compile(r"\b(?:reason|search|fit|inputs-from|export)-[a-z]")


def sections(of: ModelFacts, language: str = "en") -> list[FactSection]:
    return list(export_sections(of, language))


def rows(of: ModelFacts, language: str = "en") -> dict[str, str]:
    (section,) = sections(of, language)
    return {row.label: row.value for row in section.rows}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_recorded_export_in_words(name: str, language: str) -> None:
    (section,) = sections(model(name), language)
    assert section.rows
    for row in section.rows:
        assert row.value
        assert not IDS.search(row.value)


@pytest.mark.parametrize("name", ["torch-2.13.0-dynamo", "planted-dynamo-pool", "coremltools-9.0-svd"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_print_has_it(name: str, language: str) -> None:
    report = build(judged(facts(model(name)), Answers(symptom=MODELS)), language)
    (title,) = (section.title for section in sections(model(name), language))
    assert title in to_terminal(report)
    assert title in to_markdown(report)


def test_a_right_export() -> None:
    told = rows(model("torch-2.13.0-dynamo"))
    assert told["Versions"] == "They fit."
    assert told["Result"] == "Exported. It gives the same as the original but for rounding."
    assert "opset 20" in told["What was written"]
    assert "rounding explains up to" in told["Compared: output 0"]
    assert "(made up)" in told["Inputs"]


def test_outputs_that_are_nan_on_both_sides_are_not_called_the_same() -> None:
    nan = OutputDifference(name="y", shape=(2, 3), max_abs=0.0, bound=0.0, nan=0, nan_in_both=6, equal=True)
    part = OutputDifference(name="z", shape=(4,), max_abs=0.0, bound=0.0, nan=0, nan_in_both=1, equal=True)
    run = ExportRun(exporter="torch-export", exported=True, ran=True, outputs=(nan,))
    told = rows(msgspec.structs.replace(model("torch-2.13.0-dynamo"), exports=(run,)))
    assert told["Result"].endswith("so nothing could be compared.")
    assert told["Compared: y"] == "NaN on both sides everywhere: that proves nothing"
    run = msgspec.structs.replace(run, outputs=(nan, part))
    told = rows(msgspec.structs.replace(model("torch-2.13.0-dynamo"), exports=(run,)))
    assert told["Result"].endswith("but for rounding.")
    assert told["Compared: z"] == "equal to the last bit, NaN on both sides, which proves nothing of these numbers: 1"


def test_a_planted_difference() -> None:
    told = rows(model("planted-program-pool"))
    assert told["Result"].endswith("by more than rounding.")
    assert told["First node that differs"].startswith("node_avg_pool2d (AveragePool) for aten.avg_pool2d.default")
    assert "(those that the file itself holds)" in told["Inputs"]


def test_an_export_that_failed_shows_the_line_that_tells() -> None:
    told = rows(model("torch-2.13.0-dynamo-svd"))
    assert told["Result"] == "The export failed."
    assert "linalg_svd" in told["The exporter's own error"]
    assert "Next steps" not in told["The exporter's own error"]


def test_versions_that_do_not_fit() -> None:
    assert rows(model("torch-2.13.0-dynamo-old-onnxscript"))["Versions"] == (
        "They do not fit. Wanted: onnxscript>=0.6.0; here: onnxscript 0.5.7."
    )
    assert "here: not installed" in rows(model("torch-2.13.0-torchscript-without-onnx"))["Versions"]


def test_what_was_not_run() -> None:
    assert "aten::save" in rows(model("torch-2.13.0-writes-a-file"))["Result"]
    assert "Mac" in rows(model("coremltools-9.0-without-mac"))["Result"]
    assert "each time" in rows(model("torch-2.13.0-dynamo-dropout"))["Result"]


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (OutputDifference(name="x", equal=True, max_abs=0.0, bound=0.0), "equal to the last bit"),
        (OutputDifference(name="x", shape=(1, 2), export_shape=(2,)), "the original gives 1×2, the export 2"),
        (OutputDifference(name="x", equal=False), "different"),
        (OutputDifference(name="x", max_abs=0.5, scale=1.0, bound=0.1, nan=3), "3 numbers are NaN"),
    ],
)
def test_outputs(output: OutputDifference, words: str) -> None:
    run = ExportRun(exporter="torch-export", exported=True, ran=True, outputs=(output,))
    assert words in rows(model(exports=(run,)))["Compared: x"]


def test_an_exporter_and_reasons_of_a_newer_version() -> None:
    told = rows(model(exports=(ExportRun(exporter="new-exporter", reason="new-reason", search="new-search"),)))
    assert told["Result"] == "Not exported. new-reason"


def test_a_format_that_nothing_starts_from() -> None:
    (section,) = sections(model(exports=(ExportRun(exporter="", reason="export-other-format"),)))
    assert section.title == "Exported here"


def test_a_failed_export_leaves_the_verdict_of_the_framework_alone() -> None:
    case = judged(facts(model("torch-2.13.0-dynamo-svd")), Answers(symptom=MODELS))
    assert all(verdict.cause != "onnx-export-op-unsupported" for verdict in case.verdicts)
    assert export("torch-2.13.0-dynamo-svd").error is not None
