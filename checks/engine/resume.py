"""What another process does behind a crash: a job whose process ended in the middle is resumed by the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from checks.engine.answers import CUT
from checks.engine.catalogues.computations import RESUMED, ComputationJob, measurements_of, planned_of, with_seconds
from checks.engine.job import Job
from checks.engine.processes.runner import Answer
from checks.facts import Experiment, Measurement, ModelMeasured, ProbeRun, Repeat
from checks.knowledge.errors.cuda_errors import cuda_error_in

MOST = 3  # processes that go on with the same kinds; after that a kind in which one ends is over
PROCESSORS = ("cpu", "CPUExecutionProvider")
_LEAST = 1.0  # seconds of a kind below which it is not begun again
_START = "imported"  # the stage before all kinds
_BUSY = "gpu-busy-or-exclusive"


def resume_computation(job: ComputationJob, answers: Sequence[Answer]) -> ComputationJob | None:
    """A framework on a device: measure what is left of each kind, behind the operation that ended the process."""
    rest = Remaining.after(job, answers)
    return with_seconds(job, rest.seconds, **rest.argument()) if rest.seconds else None


def read_computation(job: ComputationJob, answers: Sequence[Answer]) -> tuple[Measurement, ...]:
    """What all its processes measured, and what was planned and never had its turn."""
    return tuple(Remaining.after(job, answers).measurements())


def resume_rerun(job: Job[Any, Any], answers: Sequence[Answer]) -> Job[Any, Any] | None:
    """A model in a runtime: measure on the devices that are left, without those that ended a process."""
    lost = [lost_device(tuple(measurements_of(answer, job.origin))) for answer in answers]
    if not lost[-1] or lost[-1] in lost[:-1]:
        return None
    return replace(job, argument={**job.argument, "done": lost})


def lost_device(measurements: Sequence[Measurement]) -> str:
    """The device or provider that ended the process, or the step on the processor; "" where nothing did.

    Also "" where the model cannot even be repeated on the processor, which all need, or takes too long there.
    """
    last = measurements[-1] if measurements else None
    if not isinstance(last, ModelMeasured) or last.reason not in CUT:
        return ""
    if not last.device.startswith(PROCESSORS):
        return last.device
    if last.reason == "timed-out" or last.aspect in ("", "repeat"):
        return ""
    return last.setting if last.aspect == "threads" else last.aspect


class Remaining:
    """What one computation has measured until now, and what the next process is to do.

    ``seconds``: of each kind that is left; {}: none is. ``used``: seconds that kinds took.
    """

    def __init__(self, job: ComputationJob) -> None:
        self._job = job
        self.seconds = dict(job.seconds)
        self.used = 0.0
        self._measured: dict[str, Measurement] = {}  # by key; of what was repeated on, the last
        self._planned: dict[str, Measurement] = {}
        self._resumed, self._kind = 0, ""  # how often a kind was, and which one is
        self._is_cut = False

    @classmethod
    def after(cls, job: ComputationJob, answers: Sequence[Answer]) -> Remaining:
        """What is left behind the processes that gave these answers."""
        rest = cls(job)
        for answer in answers:
            rest.ended(answer)
        return rest

    def argument(self) -> dict[str, Any]:
        """What the argument of the next process holds beside its time."""
        if not self._kind:
            return {}
        repeats = [measured for measured in self._measured.values() if isinstance(measured, Repeat)]
        varied = {repeat.operation for repeat in repeats if repeat.setting == "default" and (repeat.distinct or 0) > 1}
        # Of this kind alone: a command line of Windows has room for 32 kB.
        prefix, lost = f"{self._kind}/", self._lost()
        done = [key for key in self._measured if key.startswith(prefix) and key not in lost]
        # What ended a process is not tried in another mode: that would most likely end the next one.
        deadly = [repeat for repeat in repeats if repeat.reason in CUT]
        done += [key_of(msgspec.structs.replace(repeat, setting="deterministic")) for repeat in deadly]
        return {"done": list(dict.fromkeys(done)), "varied": sorted(varied)}

    def ended(self, answer: Answer) -> None:
        """Take the answer of a process that has ended; ``seconds`` is then what another one is to do."""
        for measurement in measurements_of(answer, self._job.origin):
            self._add(measurement)
        for measurement in planned_of(answer, self._job.origin):
            self._planned.setdefault(key_of(measurement), measurement)
        spent = _spent(answer.run)
        self.used += sum(spent.values())
        self._is_cut = self._is_cut or answer.run.status in CUT
        begun = [stage.name for stage in answer.run.stages if stage.name in self.seconds]
        if answer.run.status == "failed":
            self._not_started(answer.run)
        if answer.run.status not in CUT or not begun:
            self.seconds = {}
            return
        last, self._kind = begun[-1], ""
        left = self.seconds[last] - spent.get(last, 0.0)
        self.seconds = {kind: seconds for kind, seconds in self.seconds.items() if kind not in begun}
        if last == answer.run.last_stage and last in RESUMED and left >= _LEAST and self._resumed < MOST:
            self._resumed, self._kind = self._resumed + 1, last
            self.seconds = {last: left, **self.seconds}

    def measurements(self) -> Iterator[Measurement]:
        """What was measured, and what was planned and never had its turn."""
        yield from self._measured.values()
        for key, planned in self._planned.items():
            if self._is_cut and key not in self._measured:
                yield msgspec.structs.replace(planned, reason="process-ended")

    def _add(self, measurement: Measurement) -> None:
        key = key_of(measurement) if _kind(measurement) in RESUMED else str(len(self._measured))
        before = self._measured.get(key)
        if before is not None and measurement.reason and not before.reason:
            key += "/again"  # it was measured, and something happened when it was repeated on
        self._measured[key] = measurement

    def _lost(self) -> set[str]:
        """Those that a lost device refused to its process: of its errors, only the first has a cause there."""
        lost = {key for key, measured in self._measured.items() if measured.reason == "device-lost"}
        failed = [(key, measured) for key, measured in self._measured.items() if measured.reason == "failed"]
        last = failed[-1][1].error if lost and failed else None
        text = last.message if last else None
        same = [key for key, measured in failed if lost and measured.error and measured.error.message == text]
        return lost.union(same[1:])

    def _not_started(self, run: ProbeRun) -> None:
        """Note the error where what was to be trained under a setting of its own could not even begin."""
        error = next((stage.error for stage in run.stages if stage.error), None)
        if error is None or "experiment" not in self.seconds:
            return
        known = cuda_error_in(error.message or "")
        experiment = Experiment(
            origin=self._job.origin,
            framework=self._job.spec.framework,
            operation="digits-network",
            device=self._job.argument["device"],
            setting=self._job.argument["setting"],
            reason="device-busy" if known is not None and known.cause == _BUSY else "failed",
            error=error,
        )
        self._add(experiment)


def key_of(measurement: Measurement) -> str:
    """As ``identity`` of checks/probes/compute/kit.py."""
    return "/".join((_kind(measurement), measurement.operation, measurement.dtype, measurement.setting))


def _kind(measurement: Measurement) -> str:
    return str(type(measurement).__struct_config__.tag)


def _spent(run: ProbeRun) -> dict[str, float]:
    """Seconds of each stage that computed. What the last one took that did not end is what is left of the process."""
    took = {stage.name: stage.seconds or 0.0 for stage in run.stages if stage.ended}
    rest = max(0.0, (run.seconds or 0.0) - sum(took.values()))
    for stage in run.stages:
        took.setdefault(stage.name, rest)
    return {name: seconds for name, seconds in took.items() if name != _START}
