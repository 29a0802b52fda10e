"""The experiments in words: the same bits, runs that part, numbers that are none, in both languages."""

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.facts import Experiment, Facts, Measurement
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from wizard.report.content.measured.experiments import network_section, sum_section

NETWORK = Experiment(
    framework="torch",
    operation="digits-network",
    device="cuda:0",
    dtype="float32",
    seconds=2.0,
    steps=(0, 100, 200),
    values=((0.89, 0.5, 0.1), (0.89, 0.5, 0.1), (0.89, 0.5, 0.1)),
    exact=(("401594b3", "3f800000", "3f000000"),) * 3,
    fingerprints=("00000000aaaaaaaa",) * 3,
    parted=(None, None, None),
)
PARTED = msgspec.structs.replace(
    NETWORK,
    values=((0.89, 0.5, 0.1), (0.89, 0.5, 0.12), (0.89, 0.5, 0.1)),
    exact=(("401594b3", "3f800000", "3f000000"), ("401594b3", "3f800001", "3f000900"), NETWORK.exact[0]),
    fingerprints=("00000000aaaaaaaa", "11111111bbbbbbbb", "00000000aaaaaaaa"),
    parted=(None, 37, None),
)
MODE = msgspec.structs.replace(NETWORK, setting="deterministic-workspace", seconds=3.0)
SUM = Experiment(
    framework="numpy",
    operation="sum-of-squares",
    device="cpu",
    dtype="float64",
    values=((333333.83333349996,),) * 3,
    exact=(("4114585755556084",),) * 3,
    expected=333333.8333335,
)


def case(*measured: Measurement) -> Case:
    return judged(Facts(measurements=measured), Answers(symptom="results-change"))


def test_errors_are_compared_at_the_same_step() -> None:
    shorter = msgspec.structs.replace(
        MODE, steps=(0, 100), values=((0.89, 0.52),) * 3, exact=(("401594b3", "3f800000"),) * 3
    )
    section = network_section(case(NETWORK, shorter), "en")
    assert section is not None
    assert section.plots[0].summary == "After 100 steps the validation errors lie between 50.0 and 52.0 %."
    other = msgspec.structs.replace(shorter, steps=(0, 20))
    apart = network_section(case(NETWORK, other), "en")
    assert apart is not None
    assert "not comparable" in apart.plots[0].summary


def test_runs_that_ended_in_the_same_bits() -> None:
    section = network_section(case(NETWORK), "en")
    assert section is not None
    assert section.sentences[0] == "PyTorch, cuda:0, float32: 3 runs of 200 steps, and all ended in the same bits."
    assert "in 78 % of the runs or more" in section.sentences[1]
    (table,) = section.tables
    assert table.columns == ("Step", "PyTorch, cuda:0, float32 (3 runs)")
    assert [row.cells for row in table.rows] == [
        ("100", "50.0 %"),
        ("200", "10.0 %"),
        ("Bits of the weights", "00000000"),
    ]
    assert [row.state for row in table.rows] == ["", "", "clear"]
    (line,) = section.plots[0].series
    assert line.y == (89.0, 50.0, 10.0)
    assert section.plots[0].summary == "After 200 steps the validation error is 10.0 %."
    assert any("did not suffice for 5 runs of 1000 steps" in sentence for sentence in section.sentences)


def test_runs_that_part_are_told_with_the_step_and_drawn_apart() -> None:
    section = network_section(case(PARTED, MODE), "en")
    assert section is not None
    assert section.sentences[0] == (
        "PyTorch, cuda:0, float32: 3 runs of 200 steps came to 2 different ends; the first difference is at step 37. "
        "The validation errors at the end lie between 10.0 % and 12.0 %."
    )
    assert "took 1.50 times as long as by default" in section.sentences[3]
    parted, alike = section.tables
    assert parted.columns == ("Step", "Run 1", "Run 2", "Run 3")
    assert [row.state for row in parted.rows] == ["", "warning", "warning"]
    assert alike.columns == (
        "Step",
        "PyTorch, cuda:0, float32, Deterministic mode with CUBLAS_WORKSPACE_CONFIG (3 runs)",
    )
    assert [line.name for line in section.plots[0].series][:2] == [
        "PyTorch, cuda:0, float32, run 1",
        "PyTorch, cuda:0, float32, run 2",
    ]


def test_runs_of_another_length_leave_gaps_in_the_table() -> None:
    short = msgspec.structs.replace(
        NETWORK, device="cpu", steps=(0, 50), values=((0.89, 0.7),) * 3, exact=(("401594b3", "3f800000"),) * 3
    )
    section = network_section(case(NETWORK, short), "en")
    assert section is not None
    (table,) = section.tables
    assert [row.cells for row in table.rows][:3] == [("50", "", "70.0 %"), ("100", "50.0 %", ""), ("200", "10.0 %", "")]


def test_two_errors_make_no_line() -> None:
    short = msgspec.structs.replace(
        NETWORK, steps=(0, 50), values=((0.89, 0.7),) * 3, exact=(("401594b3", "3f800000"),) * 3
    )
    section = network_section(case(short), "en")
    assert section is not None
    assert section.plots == ()


def test_a_run_that_diverged_has_no_number() -> None:
    broken = msgspec.structs.replace(
        NETWORK, values=((0.89, None, None),) * 3, exact=(("401594b3", "7fc00000", "7fc00000"),) * 3
    )
    section = network_section(case(broken), "en")
    assert section is not None
    assert any("from step 100 on" in sentence for sentence in section.sentences)
    assert section.tables[0].rows[0].cells == ("100", "NaN")
    assert section.plots[0].series[0].y == (89.0, None, None)


def test_what_was_not_asked_has_no_section() -> None:
    assert network_section(case(SUM), "en") is None
    assert sum_section(case(NETWORK), "en") is None


def test_what_was_left_out_is_told() -> None:
    left = Experiment(framework="torch", device="cpu", operation="digits-network", reason="no-time")
    section = network_section(case(left, SUM), "en")
    assert section is not None
    assert section.sentences == ("PyTorch on cpu: not measured: 1. Left out: the time was up.",)
    section = sum_section(case(SUM, *(msgspec.structs.replace(left, operation="sum-of-squares-dot"),) * 3), "en")
    assert section is not None
    assert section.sentences[-1] == "PyTorch on cpu: not measured: 3. Left out: the time was up."


@pytest.mark.parametrize(
    ("value", "told"),
    [
        pytest.param(333333.8125, "None of them is wrong", id="rounded"),
        pytest.param(333310.0, "None of them is wrong", id="one-by-one"),
        pytest.param(332952.13, "None of them is wrong", id="largest-first"),
        pytest.param(313333.0, "by 0.06 of it", id="wrong"),
        pytest.param(None, "by NaN of it", id="no-number"),
    ],
)
def test_a_sum_that_no_order_explains_is_not_called_right(value: float | None, told: str) -> None:
    single = msgspec.structs.replace(SUM, dtype="float32", values=((333333.84375,),), exact=(("48a2c2bb",),))
    other = msgspec.structs.replace(
        single, operation="sum-of-squares-dot", values=((value,),), exact=(("48a2c2b0",),), device="cuda:0"
    )
    section = sum_section(case(single, other), "en")
    assert section is not None
    assert [told in sentence for sentence in section.sentences].count(True) == 1
    assert ("None of them is wrong" in " ".join(section.sentences)) == told.startswith("None")


def test_losses_that_rounding_does_not_explain_are_not_called_the_same() -> None:
    other = msgspec.structs.replace(NETWORK, device="cpu", exact=(("40159000", "3f800000", "3f000000"),) * 3)
    section = network_section(case(NETWORK, other), "en")
    assert section is not None
    assert any("more than rounding in float32" in sentence for sentence in section.sentences)
    assert not any("the same but for rounding" in sentence for sentence in section.sentences)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"values": ((0.89, 0.5),) * 3}, id="too-few-values"),
        pytest.param({"exact": NETWORK.exact[:1]}, id="too-few-runs"),
        pytest.param({"exact": (("4015", "", "no bits"),) * 3}, id="no-bits"),
        pytest.param({"steps": ()}, id="no-steps"),
        pytest.param({"fingerprints": ()}, id="no-fingerprints"),
        pytest.param({"values": ((0.89, float("inf"), 0.1),) * 3}, id="infinite"),
    ],
)
def test_parts_that_do_not_fit_each_other_are_not_told(changed: dict[str, object]) -> None:
    assert network_section(case(msgspec.structs.replace(NETWORK, **changed)), "en") is None


def test_sums_that_no_table_can_hold_are_not_told() -> None:
    for changed in (
        {"expected": None},
        {"expected": float("inf")},
        {"exact": ((),) * 3},
        {"values": ((1.0, 2.0),) * 3},
    ):
        assert sum_section(case(msgspec.structs.replace(SUM, **changed)), "en") is None


def test_sums_stand_once_with_the_ways_that_gave_them() -> None:
    other = msgspec.structs.replace(SUM, operation="sum-of-squares-running", exact=(("411458575555608a",),) * 3)
    other = msgspec.structs.replace(other, values=((333333.8333335003,),) * 3)
    alone = msgspec.structs.replace(other, operation="sum-of-squares", setting="threads-1")
    mode = msgspec.structs.replace(SUM, setting="deterministic")  # changes nothing
    section = sum_section(case(other, SUM, alone, mode), "en")
    assert section is not None
    assert section.sentences[0].endswith("add up to exactly 333333.8333335.")
    assert [row.cells for row in section.tables[0].rows] == [
        (
            "333333.83333349996",
            "4114585755556084",
            "-3.75e-11",
            "NumPy on cpu: Sum of the squares",
        ),
        (
            "333333.8333335003",
            "411458575555608a",
            "+3.12e-10",
            "NumPy on cpu: End of the running sum (cumsum), Sum of the squares (One thread)",
        ),
    ]


@pytest.mark.parametrize(("value", "expected"), [(1e308, -1e308), (1e308, 5e-324)])
def test_figures_that_no_float_holds_do_not_end_the_report(value: float, expected: float) -> None:
    odd = msgspec.structs.replace(SUM, values=((value,),), exact=(("7fe1ccf385ebc8a0",),), expected=expected)
    section = sum_section(case(odd), "en")
    assert section is not None
    assert section.tables[0].rows[0].cells[0] == "1e+308"


@pytest.mark.parametrize(("language", "between"), [("en", "; PyTorch on cpu: "), ("ja", "／PyTorch(cpu): ")])
def test_the_ways_of_several_frameworks_are_told_apart(language: str, between: str) -> None:
    torch = msgspec.structs.replace(SUM, framework="torch")
    section = sum_section(case(SUM, torch), language)
    assert section is not None
    assert between in section.tables[0].rows[0].cells[3]


def test_a_way_whose_sums_vary_is_told() -> None:
    values = (*SUM.values[:2], (333333.8333335,))
    varying = msgspec.structs.replace(SUM, values=values, exact=(*SUM.exact[:2], ("4114585755556085",)))
    section = sum_section(case(varying), "en")
    assert section is not None
    assert "gave 2 different sums in 3 repetitions" in section.sentences[1]
    assert [row.state for row in section.tables[0].rows] == ["warning", "warning"]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_recorded_ones_are_told_in_both_languages(language: str) -> None:
    told = case(*measurements("tensorflow-2.21.0-cpu", "jax-0.10.2-cpu"))
    for section in (sum_section(told, language), network_section(told, language)):
        assert section is not None
        assert section.title
        assert all(section.sentences)
        assert all(len(row.cells) == len(table.columns) for table in section.tables for row in table.rows)


def test_frameworks_are_compared_before_they_learn_anything() -> None:
    section = network_section(case(*measurements("tensorflow-2.21.0-cpu", "jax-0.10.2-cpu")), "en")
    assert section is not None
    assert any(
        sentence.startswith("Before the first step the losses of all have the same bits")
        for sentence in section.sentences
    )


def test_all_frameworks_start_alike_but_for_rounding_and_end_apart() -> None:
    every = ("tensorflow-2.21.0-cpu", "jax-0.10.2-cpu", "torch-2.13.0-cpu-one-thread", "numpy-2.4.6-cpu-one-thread")
    section = network_section(case(*measurements(*every)), "en")
    assert section is not None
    assert any("the losses of all lie within 1e-07 of each other" in sentence for sentence in section.sentences)
    assert not any("did not suffice" in sentence for sentence in section.sentences)
    (table,) = section.tables
    assert len(table.columns) - 1 == len(section.plots[0].series) == 5  # PyTorch's deterministic mode, too
    assert {row.state for row in table.rows} == {"", "clear"}  # that frameworks differ is no trouble
    assert len({line.y[-1] for line in section.plots[0].series}) == 4


def test_deterministic_mode_that_computes_other_bits_than_the_default_is_told() -> None:
    both = measurements("tensorflow-2.21.0-cpu", "tensorflow-2.21.0-cpu-deterministic")
    section = network_section(case(*both), "en")
    assert section is not None
    assert any("other bits than by default, the same every time" in sentence for sentence in section.sentences)
    alike = network_section(case(NETWORK, MODE), "en")
    assert alike is not None
    assert not any("other bits" in sentence for sentence in alike.sentences)
