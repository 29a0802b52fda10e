"""Repeated operations in words: promise beside observation, what was left out, and what equal results prove."""

import msgspec
import pytest
from support.recorded_repeats import LARGE, LAST_DIGIT, NO_FORM, frameworks, left_out, recorded, repeat

from checks.facts import Facts, Measurement
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from wizard.report.content.blocks import MeasuredSection
from wizard.report.content.measured.repeat import repeat_section
from wizard.report.content.report import build
from wizard.report.prints.terminal import to_terminal

DIGITS = msgspec.structs.replace(LAST_DIGIT, ulp_histogram=(4, 20, 40), max_ulp=3)


def case(*made: Measurement, version: str = "2.13.0") -> Case:
    facts = Facts(frameworks=frameworks(version=version), measurements=made)
    return judged(facts, Answers(symptom="results-change"))


def section(*made: Measurement, language: str = "en") -> MeasuredSection:
    found = repeat_section(case(*made), language)
    assert found is not None
    return found


def test_promise_and_observation_stand_beside_each_other() -> None:
    found = section(
        repeat("sum"),
        repeat("index-add", distinct=9),
        repeat("index-add", "deterministic", seconds=3e-3),
        repeat("histc"),
        left_out("histc", "deterministic", "no-deterministic-form", NO_FORM),
    )
    (table,) = found.tables
    rows = {row.cells[0]: row for row in table.rows}
    adding = rows["Adding rows at indices (index_add)"]
    assert adding.state == "note"
    assert adding.cells[1:3] == ("may vary; repeats in deterministic mode", "9 different in 300")
    assert adding.cells[3].startswith("5.0e-07")
    assert adding.cells[4:] == ("same bits, 300 times", "Deterministic mode", "× 3", "–")
    histogram = rows["Histogram (histc)"]
    assert histogram.state == "clear"
    assert histogram.cells[1] == "may vary; refused in deterministic mode"
    assert histogram.cells[4].startswith("Refused")
    assert rows["Sum"].cells[1] == "nothing"
    assert rows["Sum"].cells[-1] == "1.0 %"
    assert table.rows[0] is adding  # what varies comes first


def test_what_equal_results_prove() -> None:
    counts = {"sum": 3, "fft": 900, "index-add": 1000, "softmax": 1200, "matmul": 3000}
    told = section(*(repeat(name, n=n) for name, n in counts.items())).sentences
    assert "repeated 3–3000 times: with 95 % certainty" in told[1]
    assert "in 0.52 % of the repetitions or more of most operations, in 90 % or more of the one" in told[1]
    assert told[2] == "Repeated fewer than 10 times, so that equal bits prove next to nothing: 1 of them."


def test_few_equal_results_are_no_result() -> None:
    """Three equal ones of an operation that its documentation says may vary get no tick."""
    found = section(repeat("index-put-accumulate", n=3), repeat("sum", n=9), repeat("matmul", n=10))
    states = {row.cells[0]: row.state for row in found.tables[0].rows}
    assert list(states.values()).count("open") == 2
    assert states["Matrix product"] == "clear"


def test_the_share_of_the_time() -> None:
    told = section(repeat("sum", share=0.9), repeat("matmul", share=0.6, seconds=2e-3)).sentences
    assert any(sentence.startswith("68 % of the time") for sentence in told)


def test_untested_is_never_called_stable() -> None:
    found = section(left_out("sum", "default", "no-time"), left_out("sum", "deterministic", "no-time"))
    (row,) = found.tables[0].rows
    assert row.state == "absent"
    assert row.cells[2] == "Left out: the time was up"
    assert row.cells[-1] == "–"
    assert "no operation was repeated" in found.sentences[0]
    assert "none is called stable" in found.sentences[-1]


def test_what_computes_wrongly_is_a_warning() -> None:
    found = section(repeat("fft", distinct=2, spread=LARGE))
    (row,) = found.tables[0].rows
    assert row.state == "warning"
    assert row.cells[5] == "not tried"
    (row,) = section(repeat("fft", distinct=2), repeat("fft", "deterministic", distinct=2)).tables[0].rows
    assert row.cells[5] == "none of those tried"
    (row,) = section(repeat("fft", distinct=2), repeat("fft", "deterministic", n=3)).tables[0].rows
    assert row.cells[5] == "too few repetitions for how seldom it changes"


def test_that_all_gave_the_same_bits_is_said_so() -> None:
    assert section(repeat("sum"), repeat("fft")).sentences[0].endswith(": 2. All gave the same bits each time.")
    told = section(repeat("sum"), repeat("fft", distinct=2), left_out("histc", "default", "no-time")).sentences
    assert told[0].endswith("Not the same bits each time: 1 of them.")
    assert told[-1] == "Operations that were not repeated, and so are not called stable: 1; the table says why."


def test_the_first_call_and_a_smaller_size_are_told() -> None:
    (row,) = section(repeat("conv2d", warm_up="ff", shrunk=2)).tables[0].rows
    first = "2 different in 301, the first call of all was another"  # as the evidence of its finding counts
    assert row.cells[2] == f"{first}, made smaller for lack of memory"


def test_a_plot_of_what_varies_alone() -> None:
    found = section(repeat("sum"), repeat("index-add", distinct=3))
    (plot,) = found.plots
    assert plot.kind == "points"
    assert plot.series[0].x[:3] == (1.0, 2.0, 3.0)
    assert set(plot.series[0].y) == {1.0, 2.0, 3.0}
    assert "3 different results in 300 repetitions" in plot.summary


def test_the_distance_to_another_value_is_not_told_in_last_digits() -> None:
    found = section(*(repeat(name, distinct=3, spread=DIGITS) for name in ("index-copy", "scatter-add", "index-add")))
    (told,) = (plot for plot in found.plots if plot.kind == "lines")
    assert [line.name for line in told.series] == [
        "Adding at indices (scatter_add)",
        "Adding rows at indices (index_add)",
    ]


def test_a_framework_without_a_list_of_promises() -> None:
    (row,) = section(repeat("sum", framework="numpy")).tables[0].rows
    assert row.cells[1] == "–"


def test_what_a_version_lacks_and_a_reason_that_this_version_does_not_know() -> None:
    lacking = left_out("rms-norm-backward", "default", "not-in-version", detail="torch.nn.functional.rms_norm")
    unknown = left_out("sum", "default", "{hostile}")
    cells = {row.cells[0]: row.cells[2] for row in section(lacking, unknown).tables[0].rows}
    assert cells["RMS norm (gradient)"] == "This version does not have it (torch.nn.functional.rms_norm)"
    assert cells["Sum"] == "{hostile}"


def test_what_stays_the_same_is_told_briefly_by_what_that_excludes() -> None:
    found = section(
        repeat("sum", n=3000),
        repeat("sum", "deterministic", n=40),
        repeat("fft", n=5),
        repeat("index-add", n=100),
        repeat("matmul", distinct=2),
        repeat("conv2d", warm_up="ff"),
        repeat("histc"),
        left_out("histc", "deterministic", "no-deterministic-form", NO_FORM),
    )
    rows = {row.cells[0]: row for row in found.tables[0].rows}
    assert rows["Sum"].brief == "Sum (3000 / 40, × 1)"
    assert rows["Sum"].group.endswith("another result in 1 % of the repetitions would have been seen")
    assert "repeated so few times" in rows["Fourier transform 2D"].group
    adding = rows["Adding rows at indices (index_add)"]
    assert "in 5 % of the repetitions" in adding.group
    assert adding.group.endswith("the documentation says: may vary; repeats in deterministic mode")
    for surprising in ("Matrix product", "2D convolution", "Histogram (histc)"):  # varies, warms up, is refused
        assert rows[surprising].brief == ""


def test_what_costs_much_is_no_brief_matter() -> None:
    made = section(repeat("sum"), repeat("sum", "deterministic", seconds=2e-3))
    assert made.tables[0].rows[0].brief == ""


def test_a_plot_in_which_every_repetition_is_another_result_is_not_drawn() -> None:
    assert section(repeat("index-add", distinct=30, n=30)).plots == ()


def test_nothing_was_repeated() -> None:
    assert repeat_section(case(), "en") is None


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_real_run_in_the_whole_report(language: str) -> None:
    made = recorded("torch-2.13.0-cpu-repeat")
    text = to_terminal(build(case(*made), language))
    assert "index_copy" in text
    assert "{" not in text
