"""What a comparison comes to, in the verdict of either question, and where a report tells of it."""

import functools
from collections.abc import Callable

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.analysis.numbers.side_by_side import other_machine
from checks.facts import (
    CpuFacts,
    EnvironmentVariables,
    Experiment,
    Facts,
    Frameworks,
    MachineFacts,
    Symptom,
    TorchFacts,
)
from checks.facts.case import Answers, Case
from checks.facts.question import COMPARISON
from checks.judgement.headline import is_trouble
from checks.judgement.judge import judged
from wizard.report.content.compared_machines import compared_with
from wizard.report.content.measured.devices import machines_section
from wizard.report.content.report import Report, build
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal

HERE, ONE_THREAD = "torch-2.13.0-cpu-portraits", "torch-2.13.0-cpu-one-thread-portraits"
NUMPY, OLD_NUMPY = "numpy-2.4.6-portraits", "numpy-1.26.4-portraits"
JAX, OTHER_KEYS = "jax-0.10.2-cpu-random", "jax-0.10.2-cpu-random-not-partitionable"
TRAINED = "jax-0.10.2-cpu"  # with times, which no two runs share
DIGITS = "torch-2.13.0-cpu-digits"  # threads are tried in it
ROUNDING = {
    "en": " All that differs is apart by no more than rounding makes.",
    "ja": "違いはいずれも、丸めで生じる範囲内です。",
}
SAID = {
    "en": "Compared with there.json: 10 of 12 results that could be compared are the same, bit for bit; the rest is "
    "explained by what differs between the machines: number of CPU threads (2 against 1)." + ROUNDING["en"],
    "ja": "there.jsonとの比較: 比較できた12件の結果のうち10件は同じビットで、残りの差は次の環境の違いによるものです: "
    "CPUのスレッド数(2と1)。" + ROUNDING["ja"],
}


def machine(*names: str, threads: int | None = 2, cpu: str = "") -> Facts:
    return Facts(
        machine=MachineFacts(cpu=CpuFacts(name=cpu)) if cpu else None,
        frameworks=Frameworks(torch=TorchFacts(version="2.13.0", threads=threads)),
        environment=EnvironmentVariables(values={"OMP_NUM_THREADS": "1"} if threads == 1 else {}),
        measurements=measurements(*names),
    )


def beside(first: Facts, *others: Facts, symptom: str = "results-differ") -> Case:
    sides = tuple(other_machine(judged(other, Answers()), "there.json") for other in others)
    facts = msgspec.structs.replace(first, others=sides, symptom=Symptom(name=symptom))
    return judged(facts, Answers(symptom=symptom))


@functools.cache
def two(symptom: str = "results-differ") -> Case:
    return beside(machine(HERE), machine(ONE_THREAD, threads=1), symptom=symptom)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_verdict_says_what_the_comparison_comes_to(language: str) -> None:
    assert build(two("results-change"), language).verdict.scope[0] == SAID[language]
    for asked in ("results-differ", COMPARISON):
        verdict = build(two(asked), language).verdict
        assert verdict.sentence == SAID[language]
        assert SAID[language] not in verdict.scope
        assert "Nothing wrong" not in verdict.word  # some results do differ


def test_that_nothing_is_left_open_is_said_with_the_comparison() -> None:
    assert build(two(COMPARISON), "en").verdict.word == "All differences can be explained"
    same = build(beside(machine(HERE), machine(HERE), symptom=COMPARISON), "en").verdict
    assert "explained" not in same.word
    both = beside(machine(HERE, NUMPY), machine(ONE_THREAD, OLD_NUMPY, threads=1), symptom=COMPARISON)
    verdict = build(both, "en").verdict
    assert (verdict.state, verdict.word) == ("warning", "Possible cause found"), "of NumPy nothing was proven"
    assert is_trouble(both.facts, both.findings, COMPARISON)


def test_what_is_likely_is_not_called_proven() -> None:
    numpy = beside(machine(NUMPY), machine(OLD_NUMPY, threads=1))
    (said,) = compared_with(numpy, "en")
    assert "candidates for what makes the rest differ, not proven for all of it: " in said
    assert "environment variables that set the number of CPU threads (- against OMP_NUM_THREADS=1)." in said
    assert said.endswith(ROUNDING["en"])


def test_of_a_training_nobody_says_that_it_is_rounding_alone() -> None:
    """It grows with every step, and no bound tells how far."""
    mine, theirs = (
        Experiment(framework="torch", operation="mnist-training", device="cpu", dtype="float32", steps=(0, 10))
        for _ in range(2)
    )
    mine = msgspec.structs.replace(mine, values=((0.9, 0.5),), exact=(("a", "b"),))
    theirs = msgspec.structs.replace(theirs, values=((0.9, 0.1),), exact=(("a", "c"),))
    first, second = machine(HERE), machine(ONE_THREAD, threads=1)
    first = msgspec.structs.replace(first, measurements=(*first.measurements, mine))
    second = msgspec.structs.replace(second, measurements=(*second.measurements, theirs))
    (said,) = compared_with(beside(first, second), "en")
    assert "candidates" in said
    assert not said.endswith(ROUNDING["en"])


def test_only_as_many_causes_are_named_as_can_be_read() -> None:
    first, second = machine(HERE, cpu="Intel Xeon"), machine(ONE_THREAD, threads=1, cpu="AMD EPYC " * 9)
    usual = tuple(
        measurement for measurement in second.measurements if getattr(measurement, "setting", "default") == "default"
    )
    second = msgspec.structs.replace(
        second,
        measurements=usual,
        frameworks=Frameworks(torch=TorchFacts(version="2.12.0", threads=1)),
        environment=EnvironmentVariables(values={"MKL_CBWR": "COMPATIBLE"}),
    )
    (said,) = compared_with(beside(first, second), "en")
    assert "not proven for all of it: processor or number of CPU threads (2 against 1) or " in said
    assert "environment variables (- against MKL_CBWR=COMPATIBLE) and 1 more." in said


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (machine(HERE), machine(HERE), "are the same, bit for bit (12 of 12); not compared: 0."),
        (machine(TRAINED), machine(TRAINED), "both are one and the same examination"),
        (machine(HERE), machine(ONE_THREAD), "nothing that is known of the two environments explains 2 of"),
        (machine(HERE), machine(), "nothing was computed on both machines"),
    ],
)
def test_what_else_it_may_come_to(first: Facts, second: Facts, said: str) -> None:
    assert said in compared_with(beside(first, second), "en")[0]


def test_after_a_cancel_nothing_else_is_blamed_for_that_nothing_was_compared() -> None:
    case = msgspec.structs.replace(beside(machine(), machine(HERE)), complete=False)
    assert "the examination was cancelled before" in compared_with(case, "en")[0]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_was_compared_is_named_and_what_to_do(language: str) -> None:
    section = machines_section(two(), language)
    assert section is not None
    told = "\n".join(section.sentences)
    assert "OMP_NUM_THREADS=1" in told
    assert "torch.set_num_threads(1)" in told
    assert {"en": "The same bits in: ", "ja": "同じビットになった計算: "}[language] in told


def test_what_only_one_of_them_computed_is_named() -> None:
    first, second = machine(HERE), machine(HERE, NUMPY)
    less = msgspec.structs.replace(first, measurements=first.measurements[2:])
    section = machines_section(beside(less, second), "en")
    assert section is not None
    assert any(
        sentence.startswith("Not compared, as there was no time, only one of the two computed it, ")
        for sentence in section.sentences
    )


def test_several_machines_are_told_one_by_one() -> None:
    case = beside(machine(HERE), machine(HERE), machine(ONE_THREAD, threads=1), symptom=COMPARISON)
    verdict = build(case, "en").verdict
    assert "(12 of 12)" in verdict.sentence
    assert "number of CPU threads (2 against 1)" in verdict.scope[0]


def test_a_ticket_is_not_told_that_it_computed_nothing() -> None:
    case = beside(Facts(reported=True), machine(HERE), symptom="ticket")
    assert not any("there.json" in line for line in build(case, "en").verdict.scope)


@pytest.mark.parametrize("write", [to_terminal, to_markdown])
def test_who_asked_for_the_comparison_reads_it_before_what_is_normal(write: Callable[[Report], str]) -> None:
    first = machine(HERE, DIGITS)
    asked = beside(first, machine(ONE_THREAD, threads=1), symptom=COMPARISON)
    report = build(asked, "en")
    assert [section.id for section in report.asked] == ["machines"]
    assert "machines" not in [section.id for section in report.measured]
    told = write(report)
    assert told.index("Beside another machine") < told.index(report.findings[0].title)
    beside_it = build(beside(first, machine(ONE_THREAD, threads=1)), "en")
    assert beside_it.asked == ()
    assert beside_it.measured[0].id == "machines"


def test_what_may_explain_a_difference_gets_no_tick() -> None:
    section = machines_section(beside(machine(NUMPY), machine(OLD_NUMPY, threads=1)), "en")
    assert section is not None
    (row,) = section.tables[-1].rows
    assert (row.state, row.cells[-1]) == ("open", "perhaps: environment variables that set the number of CPU threads")
    proven = machines_section(two(), "en")
    assert proven is not None
    assert {row.state for row in proven.tables[-1].rows} == {"clear"}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_other_random_numbers_are_no_difference_that_nothing_explains(language: str) -> None:
    """JAX with and without partitionable keys, which these two environments do not tell."""
    (said,) = compared_with(beside(machine(JAX), machine(OTHER_KEYS)), language)
    streams = {"en": "the same seed gives other random numbers", "ja": "同じシードから異なる乱数"}
    assert streams[language] in said
    assert {"en": "nothing that is known", "ja": "説明できません"}[language] not in said
