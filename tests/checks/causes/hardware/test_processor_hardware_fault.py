"""When processor-hardware-fault speaks, and when it keeps silent."""

import pytest
from support.evidence import evidence_of
from support.recorded_repeats import LARGE, repeat

from checks.causes.hardware.processor_hardware_fault import processor_hardware_fault
from checks.facts import CpuFacts, ErrorText, Health, LogEntry, Measurement, Measurements, WrongBits
from checks.facts.finding import Finding, NotHere, Severity
from checks.knowledge.catalogue import cause_of, remedy_of

WRONG = WrongBits(second=12.4, operation="matmul-float32", index=(3, 7), expected="41200000", found="41200010")
MACHINE_CHECK = LogEntry(source="Microsoft-Windows-WHEA-Logger", text="ErrorSource=1\nApicId=0", event_id=19)
RESET = LogEntry(source="nvlddmkm", text="\\Device\\Video3\nResetting TDR occurred on GPUID:100", event_id=153)


def load(device: str = "cpu", **facts: object) -> Health:
    made = {"checked": 900, **facts}
    return Health(framework="torch", operation="load", device=device, **made)  # type: ignore[arg-type]


def ended(signal: str) -> Health:
    return load(reason="crashed", error=ErrorText(type=signal, message="the process ended by itself"))


def findings(*made: Measurement) -> list[Finding]:
    return list(processor_hardware_fault(Measurements(all=made), None, CpuFacts(name="Core i9")))


@pytest.mark.parametrize(
    ("again", "severity"),
    [
        pytest.param((load(setting="fresh-process", wrong=(WRONG,)),), Severity.BLOCKING, id="again"),
        pytest.param((load(setting="fresh-process"),), Severity.WARNING, id="not-again"),
        pytest.param((), Severity.WARNING, id="not-tried-again"),
    ],
)
def test_wrong_bits_are_a_fault_where_they_come_again(again: tuple[Health, ...], severity: Severity) -> None:
    (finding,) = findings(load(wrong=(WRONG,)), *again)
    assert finding.severity is severity
    assert evidence_of(finding)["processor"] == "Core i9"


def test_machine_checks_under_load() -> None:
    (finding,) = findings(load(log=(MACHINE_CHECK,)))
    assert finding.severity is Severity.WARNING
    assert "system log: machine-check" in evidence_of(finding)["signs"]


def test_whole_numbers_that_vary_in_two_processes_and_two_frameworks() -> None:
    made = [
        repeat("integer-sum", setting, distinct=2, device=device, framework=framework, spread=LARGE)
        for framework, device in (("torch", "cpu"), ("tensorflow", "CPU:0"))
        for setting in ("default", "fresh-process")
    ]
    (finding,) = findings(*made)
    assert (finding.severity, finding.subject) == (Severity.BLOCKING, "cpu")


@pytest.mark.parametrize(
    "made",
    [
        pytest.param([], id="sound"),
        pytest.param([load("cuda:0", wrong=(WRONG,))], id="a-gpu"),
        pytest.param([load(log=(RESET,))], id="the-cards-log"),
        pytest.param([ended("SIGKILL")], id="the-kernel-was-short-of-memory"),
        pytest.param([ended("SIGILL")], id="an-instruction-that-the-processor-has-not"),
        pytest.param([repeat("elementwise", device="cpu", n=48, warm_up="ff")], id="only-the-first-call"),
        pytest.param([repeat("elementwise", device="cpu", distinct=2)], id="not-tried-again"),
        pytest.param(
            [repeat("elementwise", device="cpu", distinct=2), repeat("elementwise", "fresh-process", device="cpu")],
            id="not-again",
        ),
    ],
)
def test_silent(made: list[Measurement]) -> None:
    assert findings(load(), *made) == []


def test_without_a_measurement_of_a_processor_nothing_is_clear() -> None:
    with pytest.raises(NotHere, match="not-measured"):
        findings(repeat("sum"))


def test_nothing_of_its_advice_is_for_a_gpu() -> None:
    for name in cause_of("processor-hardware-fault").remedies:
        assert not any("nvidia" in step.code for step in remedy_of(name).step)
