"""How the collecting itself went."""

from enum import StrEnum

import msgspec

from checks.facts.base import Fact
from checks.facts.errors import ErrorText


class RunStatus(StrEnum):
    """How a probe ended; a case may hold others, of a newer version."""

    OK = "ok"
    FAILED = "failed"  # an exception in an essential stage
    CRASHED = "crashed"  # a signal, an exit code other than 0, or an end in the middle of a stage
    TIMED_OUT = "timed-out"
    TOO_MUCH_MEMORY = "too-much-memory"  # it took more than ``memory_limit`` bytes
    CANCELLED = "cancelled"
    NOT_PYTHON = "not-python"  # the file is no Python interpreter
    NOT_STARTED = "not-started"  # the system refused to start it
    NO_ANSWER = "no-answer"  # exit 0 without any stage, or an unreadable answer
    SKIPPED = "skipped"  # it was planned, and had a reason not to run when its turn came


class StageRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One stage of a probe. ``ended`` False: the process stopped inside it."""

    name: str
    ended: bool = False
    seconds: float | None = None
    error: ErrorText | None = None


class ProbeRun(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """How one probe ended, a :class:`RunStatus`. The crash of an interpreter is a fact like any other."""

    probe: str
    interpreter: str = ""
    status: str = RunStatus.OK.value
    stages: tuple[StageRun, ...] = ()
    exit_code: int | None = None
    signal: str | None = None  # "SIGSEGV"; on Windows the NTSTATUS name
    seconds: float | None = None
    memory_limit: int | None = None  # of one that was ended for taking more
    output_bytes: int | None = None  # what it wrote on stdout and stderr together
    stderr_tail: str | None = None
    detail: str | None = None

    @property
    def last_stage(self) -> str | None:
        """The stage that had begun when the process ended."""
        return self.stages[-1].name if self.stages else None


class ProbeRuns(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All probes that ran for this case."""

    runs: tuple[ProbeRun, ...] = ()

    def of(self, probe: str) -> ProbeRun | None:
        """The run of one probe, or None."""
        return next((run for run in self.runs if run.probe == probe), None)
