"""A played engine, led by the test: it tells what it is told to, and stops when it is cancelled. And its case."""

import queue
from collections.abc import Callable, Iterator

import msgspec

from checks.engine.events import CheckEnded, Event, Finished, Planned, ProbeEnded, ProbeStarted, Progress
from checks.engine.request import Request
from checks.facts import (
    Facts,
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    NvidiaFacts,
    OsFacts,
    Package,
    ProbeRun,
    ProbeRuns,
    TorchFacts,
)
from checks.facts.case import Answers, Case
from checks.facts.finding import Evidence, Finding, Outcome, Severity, Status

VENV = InterpreterFacts(
    path="/home/ai/project/.venv/bin/python",
    kind="venv",
    version="3.11.7",
    implementation="cpython",
    found_by=("folder",),
    packages=(Package(name="torch", version="2.6.0+cu124"), Package(name="numpy", version="2.1.0")),
)
SYSTEM = InterpreterFacts(path="/usr/bin/python3", kind="system", version="3.12.3", found_by=("PATH",), packages=())
INTERPRETERS = (VENV, SYSTEM)

TOO_OLD = Finding(
    cause="driver-too-old-for-cuda",
    severity=Severity.BLOCKING,
    confidence=0.95,
    subject="torch",
    evidence=(
        Evidence("driver_version", "470.256.02", "NVML"),
        Evidence("framework", "torch 2.6.0+cu124", "the target's torch"),
        Evidence("cuda_version", "12.4", "the target's torch"),
        Evidence("driver_min", "525.60.13", "CUDA and drivers", "https://docs.nvidia.com/deploy/cuda-compatibility/"),
    ),
)


def outcomes(*findings: Finding) -> tuple[Outcome, ...]:
    """One check in each of the five ways; the driver's check says what the findings say."""
    status = Status.FOUND if findings else Status.CLEAR
    return (
        Outcome(cause="driver-too-old-for-cuda", status=status, findings=findings, seconds=0.001),
        Outcome(
            cause="unknown", status=Status.SKIPPED, reason="not-collected", values={"fact": "probes"}, seconds=0.001
        ),
    )


def case(*findings: Finding, complete: bool = True, **answers: str) -> Case:
    """A case with these findings. It is put together, not judged: these tests are about the window."""
    found = outcomes(*findings)
    return Case(
        created="2026-11-20T10:00:00+00:00",
        answers=Answers(**answers),
        facts=Facts(
            machine=MachineFacts(
                os=OsFacts(system="Linux", name="Ubuntu 24.04.1 LTS", package_managers=("apt",)),
                nvidia=NvidiaFacts(origin="NVML", driver_version="470.256.02"),
            ),
            interpreters=INTERPRETERS,
            target=VENV.path,
            frameworks=Frameworks(torch=TorchFacts(version="2.6.0+cu124", cuda_version="12.4")),
            probes=ProbeRuns(runs=(ProbeRun(probe="torch", seconds=3.0),)),
        ),
        outcomes=found,
        findings=tuple(finding for outcome in found for finding in outcome.findings),
        complete=complete,
    )


class Engine:
    """An engine that tells the events which the test puts, and ends with a case or with the cancel."""

    def __init__(self) -> None:
        self.told: queue.SimpleQueue[Event | Exception] = queue.SimpleQueue()
        self.requests: list[Request] = []

    def tell(self, *events: Event | Exception) -> None:
        for event in events:
            self.told.put(event)

    def tell_all(self, *findings: Finding) -> None:
        """A whole examination."""
        whole = case(*findings)
        checks = tuple(outcome.cause for outcome in whole.outcomes)
        self.tell(
            Planned(probes={"torch": 3.0}, checks=checks),
            ProbeStarted("torch"),
            ProbeEnded("torch", ProbeRun(probe="torch", seconds=3.0)),
            *map(CheckEnded, whole.outcomes),
            Progress(1.0, 0.0),
            Finished(whole),
        )

    def __call__(self, request: Request, cancelled: Callable[[], bool]) -> Iterator[Event]:
        self.requests.append(request)
        while True:
            try:
                event = self.told.get(timeout=0.005)
            except queue.Empty:
                if not cancelled():
                    continue
                event = Finished(msgspec.structs.replace(case(), complete=False))
            if isinstance(event, Exception):
                raise event
            yield event
            if isinstance(event, Finished):
                return
