"""The load test in words: fine, wrong, ended; in both languages, with plots only of what was told."""

import msgspec
import pytest

from checks.facts import CpuFacts, ErrorText, Facts, Health, HealthSample, MachineFacts, WrongBits
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from wizard.report.content.measured.health import health_section
from wizard.report.content.report import build
from wizard.report.prints.terminal import to_terminal

SAMPLES = tuple(
    HealthSample(
        second=float(n), temperature=50 + n, clock_sm=1900, power=200.0 + n, throttle_mask=0x20 * (n > 6), checked=n
    )
    for n in range(10)
)
WRONG = WrongBits(second=3.2, operation="memory", index=(77,), expected="0000ffff", found="0000fffe")


def case(**facts: object) -> Case:
    health = Health(framework="torch", operation="load", device="cpu", length=9.6, checked=120, bytes_checked=3 << 30)
    told = msgspec.structs.replace(health, **facts)
    machine = MachineFacts(cpu=CpuFacts(name="Ryzen 9 9950X"))
    return judged(Facts(machine=machine, measurements=(told,)), Answers(symptom="results-change"))


def test_a_sound_device() -> None:
    section = health_section(case(samples=SAMPLES[:5], xid=()), "en")
    assert section is not None
    (sentence,) = section.sentences
    assert sentence.startswith("Ryzen 9 9950X: 120 results (3 GiB) were checked in 10 s of load, and not one bit was")
    (row,) = section.tables[0].rows
    assert row.state == "clear"
    assert row.cells == ("Ryzen 9 9950X", "50 – 54 °C", "1900 MHz", "200 – 204 W", "none", "none")
    assert [plot.title for plot in section.plots] == [
        "Temperature under load",
        "Clock under load",
        "Power under load",
    ]


def test_what_is_not_told_is_no_zero_and_no_plot() -> None:
    section = health_section(case(samples=(HealthSample(second=1.0, checked=3),)), "en")
    assert section is not None
    assert section.tables == ()
    assert section.sentences[1].startswith("Ryzen 9 9950X: neither the device nor this system tells its temperature")
    assert section.plots == ()


@pytest.mark.parametrize(("taken", "plots", "note"), [(2, 0, True), (4, 0, True), (5, 3, False)])
def test_a_short_load_is_told_in_a_line_and_not_in_empty_plots(taken: int, plots: int, note: bool) -> None:
    for language in ("en", "ja"):
        section = health_section(case(samples=SAMPLES[:taken], xid=()), language)
        assert section is not None
        assert len(section.plots) == plots
        assert (str(taken) in section.tables[0].note) == note
    assert section.tables[0].rows[0].cells[1].startswith("50 – 5")  # what was read is in the table all the same


def test_beside_a_device_with_a_curve_the_one_with_too_few_readings_is_named() -> None:
    known = case(samples=SAMPLES[:5], xid=())
    short = msgspec.structs.replace(known.facts.measurements[0], device="cuda:0", samples=SAMPLES[:2])
    facts = msgspec.structs.replace(known.facts, measurements=(*known.facts.measurements, short))
    section = health_section(judged(facts, Answers(symptom="results-change")), "en")
    assert section is not None
    assert {series.name for plot in section.plots for series in plot.series} == {"Ryzen 9 9950X"}
    assert "cuda" in section.tables[0].note


def test_where_nothing_else_is_told_the_checked_results_are_drawn() -> None:
    samples = tuple(HealthSample(second=float(n), checked=4 * n) for n in range(5))
    section = health_section(case(samples=samples), "en")
    assert section is not None
    assert [plot.title for plot in section.plots] == ["Results checked under load"]
    assert section.plots[0].summary == "16 results had been checked at the end."


def test_what_one_device_tells_and_another_does_not() -> None:
    known = case(samples=SAMPLES[:5], xid=())
    silent = msgspec.structs.replace(known.facts.measurements[0], device="cuda:0", samples=(), xid=None)
    facts = msgspec.structs.replace(known.facts, measurements=(*known.facts.measurements, silent))
    section = health_section(judged(facts, Answers(symptom="results-change")), "en")
    assert section is not None
    assert [row.cells[0] for row in section.tables[0].rows] == ["Ryzen 9 9950X"]
    assert [sentence.partition(":")[0] for sentence in section.sentences] == ["Ryzen 9 9950X", "cuda", "cuda"]


def test_a_cancelled_load_tells_what_was_checked_until_then() -> None:
    section = health_section(case(samples=SAMPLES, reason="cancelled"), "en")
    assert section is not None
    assert section.sentences[0] == (
        "Ryzen 9 9950X: 120 results (3 GiB) were checked in 10 s of load and not one bit was wrong, "
        "then the load did not go on. It was cancelled."
    )


def test_wrong_bits_are_told_with_when_and_where() -> None:
    section = health_section(case(samples=SAMPLES, wrong=(WRONG,), ecc_corrected=2), "en")
    assert section is not None
    assert "wrong bits, the first after 3 s" in section.sentences[0]
    assert section.tables[0].rows[0].state == "blocking"
    assert section.tables[0].rows[0].cells[4:] == ("SwThermalSlowdown", "2 memory errors corrected")
    assert section.tables[1].rows[0].cells == ("3.2", "memory", "77", "0000ffff", "0000fffe", "1")


def test_a_load_that_did_not_go_on_is_not_called_fine() -> None:
    lost = ErrorText(type="RuntimeError", message="CUDA error: unspecified launch failure\nmore")
    section = health_section(case(samples=SAMPLES, reason="failed", error=lost), "en")
    assert section is not None
    assert section.sentences[0].endswith("CUDA error: unspecified launch failure)")
    assert section.tables[0].rows[0].state == "open"


@pytest.mark.parametrize(("shrunk", "sentences"), [(0, 1), (2, 2)])
def test_a_load_that_had_little_memory_says_so(shrunk: int, sentences: int) -> None:
    section = health_section(case(samples=SAMPLES[:5], xid=(), shrunk=shrunk), "en")
    assert section is not None
    assert len(section.sentences) == sentences
    assert ("so little memory was free" in section.sentences[-1]) == bool(shrunk)


def test_nothing_where_no_load_was_asked_for() -> None:
    assert health_section(judged(Facts(), Answers()), "en") is None


@pytest.mark.parametrize("language", ["en", "ja"])
def test_it_stands_in_the_report(language: str) -> None:
    report = build(case(samples=SAMPLES, wrong=(WRONG,)), language)
    assert "Ryzen 9 9950X" in to_terminal(report)
    assert report.findings[0].cause == "processor-hardware-fault"
