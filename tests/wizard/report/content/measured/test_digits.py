"""Digits, causes of differences, devices and machines side by side, in words of both languages."""

import re

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.analysis.numbers.digits import error_of
from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.side_by_side import other_machine
from checks.facts import ArrayDifference, Facts, Frameworks, Measurement, Precision, Symptom, TorchFacts
from checks.facts.case import Answers, Case
from checks.facts.question import COMPARISON
from checks.judgement.judge import judged
from wizard.report.content.blocks import MeasuredSection
from wizard.report.content.measured.attribution import attribution_section
from wizard.report.content.measured.devices import devices_section, machines_section
from wizard.report.content.measured.precision import precision_section
from wizard.report.content.report import build
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal

DIGITS, FORCED = "torch-2.13.0-cpu-digits", "torch-2.13.0-cpu-onednn-bf16"
HERE, ONE_THREAD = "torch-2.13.0-cpu-portraits", "torch-2.13.0-cpu-one-thread-portraits"
PLACEHOLDER = re.compile(r"\{\w+\}|measurements\.")
LANGUAGES = ("en", "ja")


def case(*measured: Measurement, threads: int = 2, **more: object) -> Case:
    facts = Facts(frameworks=Frameworks(torch=TorchFacts(version="2.13.0", threads=threads)), measurements=measured)
    return judged(msgspec.structs.replace(facts, **more), Answers(symptom="results-differ"))


def two_machines(symptom: str = COMPARISON) -> Case:
    other = other_machine(case(*measurements(ONE_THREAD), threads=1), "other.pdf")
    facts = case(*measurements(HERE)).facts
    facts = msgspec.structs.replace(facts, others=(other,), symptom=Symptom(name=symptom))
    return judged(facts, Answers(symptom=symptom))


def texts(section: MeasuredSection | None) -> str:
    assert section is not None
    rows = (cell for table in section.tables for row in table.rows for cell in row.cells)
    heads = (text for table in section.tables for text in (table.title, *table.columns, table.note))
    plots = (text for plot in section.plots for text in (plot.title, plot.x_label, plot.y_label, plot.summary))
    return "\n".join((section.title, *section.sentences, *heads, *rows, *plots))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_section_speaks_whole_sentences(language: str) -> None:
    others = ("tensorflow-2.21.0-cpu-digits", "tensorflow-2.12.0-cpu-digits", "jax-0.10.2-cpu-digits")
    whole = case(*measurements(DIGITS, FORCED, HERE, "numpy-2.4.6-portraits", *others))
    for section in (precision_section, attribution_section, devices_section):
        told = texts(section(whole, language))
        assert not PLACEHOLDER.search(told)
        assert bool(re.search(r"[\u3040-\u30ff]", told)) == (language == "ja")
    told = texts(machines_section(two_machines(), language))
    assert not PLACEHOLDER.search(told)


def test_errors_that_may_be_of_two_shorter_formats_are_not_called_rounding() -> None:
    """As in a report without the errors of these formats: by the size alone it is one or the other."""
    apart = ArrayDifference(elements=10, differing=10, max_abs=0.006, scale=4.0)
    unclear = Precision(
        framework="torch", operation="matmul", device="cuda:0", dtype="float32", setting="default", terms=128,
        condition=32.0, against=apart,
    )  # fmt: skip
    assert error_of(unclear).sizes == (Size.HALF, Size.BFLOAT16)
    assert "as accurate as float32 allows" not in texts(precision_section(case(unclear), "en"))


def test_digits_that_are_right() -> None:
    section = precision_section(case(*measurements(DIGITS)), "en")
    assert section is not None
    assert section.sentences[0].endswith("their errors are those of rounding.")
    errors, settings = section.tables
    assert {row.cells[3] for row in errors.rows} <= {"rounding order", "the nearest numbers of the type"}
    threads = next(row.cells for row in settings.rows if row.cells[0] == "One thread")
    assert "Sum" in threads[2].split(": ")[1].split(", ")
    asked = [row for row in settings.rows if row.cells[0] == "oneDNN: bfloat16 allowed"]
    assert (asked[0].cells[4], asked[0].state) == ("bfloat16", "note")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "place"), [("tensorflow-2.21.0", "TensorFlow"), ("jax-0.10.2", "JAX")])
def test_other_frameworks_are_told_by_their_own_names(name: str, place: str, language: str) -> None:
    told = case(*measurements(f"{name}-cpu-digits"))
    for section in (precision_section, attribution_section):
        said = texts(section(told, language))
        assert place in said
        assert "PyTorch" not in said
        assert not re.search(r"\b(?:op-by-op|mkldnn|jax-precision|threads-\d|older-instr|platform-math|excess-)", said)


def test_a_wrong_result_of_one_layout_is_told() -> None:
    section = precision_section(case(*measurements("tensorflow-2.12.0-cpu-digits")), "en")
    assert section is not None
    (changes,) = (table for table in section.tables if "what a setting changes" in table.title)
    (row,) = (row for row in changes.rows if row.cells[0].startswith("Memory with channels first"))
    assert row.state == "warning"
    assert row.cells[2] == "all 2 that were tried"


def test_what_is_as_it_has_to_be_has_one_sign() -> None:
    section = precision_section(case(*measurements(DIGITS)), "en")
    assert section is not None
    rows = [row for table in section.tables for row in table.rows]
    fine = ("rounding order", "the nearest numbers of the type")
    assert {row.state for row in rows if row.cells[-1] in fine} == {"clear"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_settings_that_change_nothing_are_named_once(language: str) -> None:
    section = precision_section(case(*measurements(DIGITS)), language)
    assert section is not None
    demanded = {"en": "oneDNN: full float32 demanded", "ja": "oneDNN: 完全なfloat32を指定"}[language]
    assert demanded in section.sentences[-1]
    assert all(row.cells[0] != demanded for row in section.tables[1].rows)


def changed(*differing: int) -> Case:
    """One setting, tried with an operation each: whether it changed that one."""
    operations = ("matmul", "conv2d", "linear", "attention")
    made = [
        Precision(
            framework="torch",
            device="cpu",
            dtype="float32",
            setting="threads-1",
            operation=operation,
            terms=64,
            condition=1.0,
            against=ArrayDifference(elements=9, differing=1, max_abs=1e-8, scale=1.0),
            beside=ArrayDifference(elements=9, differing=count, max_abs=1e-8 * count, scale=1.0),
        )
        for operation, count in zip(operations, differing, strict=False)
    ]
    return case(*made)


@pytest.mark.parametrize(
    ("differing", "told"),
    [
        ((1,), "Matrix product"),
        ((1, 1, 1, 1), "all 4 that were tried"),
        ((1, 0, 0, 0), "1 of 4: Matrix product"),
        ((1, 1, 0, 1), "3 of 4, all but: Linear layer"),
    ],
)
def test_the_shorter_list_of_operations_is_told(differing: tuple[int, ...], told: str) -> None:
    section = precision_section(changed(*differing), "en")
    assert section is not None
    (table,) = section.tables
    assert [row.cells[2] for row in table.rows] == [told]


def test_digits_that_a_variable_takes() -> None:
    section = precision_section(case(*measurements(FORCED)), "en")
    assert section is not None
    assert "with 8 binary digits (bfloat16) by default in 2D convolution" in section.sentences[0]
    row = next(row for row in section.tables[0].rows if row.cells[:2] == ("2D convolution", "float32"))
    assert (row.cells[3], row.state) == ("bfloat16", "note")


def test_the_plot_has_a_bar_per_operation_and_type() -> None:
    section = precision_section(case(*measurements(DIGITS)), "en")
    assert section is not None
    (plot,) = section.plots
    assert plot.log_y
    assert {line.name for line in plot.series} >= {"float32", "bfloat16"}
    for line in plot.series:
        assert len(line.y) == len(plot.categories)
        assert all(y is None or y > 0 for y in line.y)


def test_what_makes_two_runs_differ() -> None:
    section = attribution_section(case(*measurements(DIGITS)), "en")
    assert section is not None
    (table,) = section.tables
    rows = {(row.cells[0].split(",")[0], row.cells[1]): row for row in table.rows}
    conv = rows["2D convolution", "By default / Without oneDNN + One thread + One alone, not in a batch"]
    assert (conv.cells[4], conv.cells[6], conv.state) == ("Without oneDNN", "the same", "clear")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [DIGITS, "jax-0.10.2-cpu-digits"])
def test_where_every_change_brought_the_bits_back_nothing_is_told_of_others(name: str, language: str) -> None:
    section = attribution_section(case(*measurements(name)), language)
    assert section is not None
    briefs = [row.brief for table in section.tables for row in table.rows if row.brief]
    assert briefs
    assert not any("–" in brief for brief in briefs)


def test_devices_side_by_side() -> None:
    section = devices_section(case(*measurements(HERE, "numpy-2.4.6-portraits")), "en")
    assert section is not None
    assert "the same bits in 0 of 11 operations" in section.sentences[0]
    assert len(section.tables[0].rows) == 11


def test_a_comparison_names_the_proven_cause() -> None:
    section = machines_section(two_machines(), "en")
    assert section is not None
    assert any(
        sentence.startswith("Proven: number of CPU threads") and "One thread" in sentence and "Sum" in sentence
        for sentence in section.sentences
    )
    environment, numbers = section.tables
    assert [row.cells for row in environment.rows] == [("number of CPU threads", "2", "1", "yes")]
    assert all("proven" in row.cells[-1] for row in numbers.rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_machines_have_a_report_of_their_own(language: str) -> None:
    report = build(two_machines(), language)
    title = {"en": "Comparison of two machines", "ja": "2台のマシンの比較レポート"}[language]
    assert title in to_markdown(report)
    assert report.verdict.state == "clear"
    assert report.verdict.sentence in to_terminal(report)
    assert report.asked[0].id == "machines"


def test_a_machine_that_computed_nothing_is_not_called_the_same() -> None:
    facts = msgspec.structs.replace(two_machines().facts, measurements=())
    report = build(judged(facts, Answers(symptom=COMPARISON)), "en")
    assert report.verdict.state == "nothing-run"
    assert report.asked[0].sentences[0].startswith("Compared with other.pdf: nothing was computed on both machines")


def test_nothing_measured_has_no_section() -> None:
    late = case(Precision(operation="matmul", reason="no-time"))
    for section in (precision_section, attribution_section, devices_section, machines_section):
        assert section(late, "en") is None
