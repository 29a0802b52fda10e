"""A job: work of an examination that runs as a process, or as several where another one resumes behind a crash.

Whatever is asked, tried, exported or computed is one of these: a plan builds it from facts, the runner runs it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from checks.engine.processes.runner import Answer, ProbeTask
from checks.engine.scripts import name_of, script_of
from checks.facts import Facts, MemoryFacts, ModelFacts

OF_FREE = 0.9  # part of the free memory that a process may take before it is ended


class Spec(Protocol):
    """What every process of one kind has in common: its script first of all."""

    @property
    def script(self) -> Path:
        """The file that runs in the interpreter."""


class Stem:
    """A spec whose script is named by ``stem``, its place in the folder of the probes."""

    stem: str

    @property
    def script(self) -> Path:
        """The file that runs in the interpreter."""
        return script_of(self.stem)


SpecT = TypeVar("SpecT", bound=Spec)
ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Limit:
    """Seconds until a process is ended, and bytes that this machine has for it.

    ``memory``: infinite where nobody knows how much there is; None: its memory is not limited.
    """

    seconds: float
    memory: float | None = None

    def bytes_now(self, free: int) -> int | None:
        """Bytes that it may take. ``free``: what the system has now; ``memory`` is from when nothing ran yet."""
        return None if self.memory is None else int(min(free, self.memory) * OF_FREE)


@dataclass(frozen=True)
class Job(Generic[SpecT, ResultT]):
    """One job. ``id`` names it in every event ("torch", "onnxruntime:net.onnx", "computations:torch:cuda:0").

    ``read`` makes its result of the answers of its processes; () for a job that is not run. ``resume`` gives the job of
    the next process behind those that have ended, None where nothing is left. ``reason``: an id [reason-...] of
    resources/words where it is planned and not run. ``seconds``: of computing, by kind of measurement; {}: it computes
    nothing. ``model``: what it is about. ``environment`` is laid over the variables of the user's own program.
    ``is_isolated``: what the user has set for Pythons is not for it.
    """

    id: str
    spec: SpecT
    interpreter: str
    argument: Mapping[str, Any]
    limit: Limit
    read: Callable[[Job[SpecT, ResultT], Sequence[Answer]], ResultT]
    expected_seconds: float
    model: ModelFacts | None = None
    reason: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    is_isolated: bool = False
    resume: Callable[[Job[SpecT, ResultT], Sequence[Answer]], Job[SpecT, ResultT] | None] = lambda _job, _answers: None

    @property
    def origin(self) -> str:
        """Where its facts come from ("ask/torch.py in /path/python")."""
        return f"{name_of(self.spec.script)} in {self.interpreter}"

    @property
    def runs_alone(self) -> bool:
        """Whether it runs after all probes, with nothing beside it: what needs the memory is also timed."""
        return self.limit.memory is not None

    def result(self, answers: Sequence[Answer] = ()) -> ResultT:
        """What its processes found out."""
        return self.read(self, answers)

    def task(self, free: int) -> ProbeTask:
        """Its process. ``free``: bytes of memory that nobody uses now."""
        return ProbeTask(
            probe=self.id,
            script=self.spec.script,
            interpreter=self.interpreter,
            argument=self.argument,
            time_limit=self.limit.seconds,
            memory_limit=self.limit.bytes_now(free),
            environment=self.environment,
            is_isolated=self.is_isolated,
        )


def memory_of(facts: Facts) -> MemoryFacts | None:
    """The memory of the machine, where it was asked."""
    return facts.machine.memory if facts.machine else None


def free_bytes(memory: MemoryFacts | None) -> float:
    """Bytes that were free when the machine was asked; infinite where nobody knows."""
    known = (memory.available, memory.limit) if memory else ()
    return min((size for size in known if size is not None), default=math.inf)
