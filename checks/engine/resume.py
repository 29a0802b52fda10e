"""What is left of a computation whose process ended in the middle: another process goes on behind what it did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from checks.engine.computation_catalogue import RESUMED, measurements_of, planned_of, stages_ended
from checks.engine.compute_plan import Computation
from checks.engine.processes.runner import Answer
from checks.facts import Experiment, Measurement, ProbeRun, Repeat
from checks.knowledge.errors.cuda_errors import cuda_error_in

MOST = 3  # processes that go on with the same kinds; after that a kind in which one ends is over
_LEAST = 1.0  # seconds of a kind below which it is not begun again
_START = "imported"  # the stage before all kinds
_CUT = ("crashed", "timed-out", "too-much-memory")
_BUSY = "gpu-busy-or-exclusive"


class Remaining:
    """What one computation has measured until now, and what the next process is to do. ``used``: seconds of kinds."""

    def __init__(self, computation: Computation) -> None:
        self._computation = computation
        self.seconds = dict(computation.seconds)
        self.used = 0.0
        self._made: dict[str, Measurement] = {}  # by key; of what was repeated on, the last
        self._planned: dict[str, Measurement] = {}
        self._resumed, self._kind = 0, ""  # how often a kind was, and which one is
        self._is_cut = False

    def argument(self) -> dict[str, Any]:
        """What the next process is told beside its time."""
        if not self._kind:
            return {}
        repeats = [each for each in self._made.values() if isinstance(each, Repeat) and each.setting == "default"]
        varied = {repeat.operation for repeat in repeats if (repeat.distinct or 0) > 1}
        # Of this kind alone: a command line of Windows has room for 32 kB.
        mine, lost = f"{self._kind}/", self._lost()
        done = [key for key in self._made if key.startswith(mine) and key not in lost]
        # What ended a process is not tried in another mode: that would most likely end the next one.
        ended = [each for each in self._made.values() if isinstance(each, Repeat) and each.reason in _CUT]
        done += [key_of(msgspec.structs.replace(each, setting="deterministic")) for each in ended]
        return {"done": list(dict.fromkeys(done)), "varied": sorted(varied)}

    def ended(self, answer: Answer) -> None:
        """A process has ended; ``seconds`` is then what another one is to do, and empty where none is."""
        for each in measurements_of(answer, self._computation.origin):
            self._add(each)
        for each in planned_of(answer, self._computation.origin):
            self._planned.setdefault(key_of(each), each)
        spent = _spent(answer.run)
        self.used += sum(spent.values())
        self._is_cut = self._is_cut or answer.run.status in _CUT
        begun = [kind for kind in stages_ended(answer) if kind in self.seconds]
        if answer.run.status == "failed":
            self._not_started(answer.run)
        if answer.run.status not in _CUT or not begun:
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
        yield from self._made.values()
        for key, each in self._planned.items():
            if self._is_cut and key not in self._made:
                yield msgspec.structs.replace(each, reason="process-ended")

    def _add(self, made: Measurement) -> None:
        key = key_of(made) if _kind(made) in RESUMED else str(len(self._made))
        before = self._made.get(key)
        if before is not None and made.reason and not before.reason:
            key += "/again"  # it was measured, and something happened when it was repeated on
        self._made[key] = made

    def _lost(self) -> set[str]:
        """Those that a device which is lost to its process refused: of its errors, only the first has a cause there."""
        lost = {key for key, each in self._made.items() if each.reason == "device-lost"}
        failed = [(key, each) for key, each in self._made.items() if each.reason == "failed"] if lost else []
        text = failed[-1][1].error.message if failed and failed[-1][1].error else None
        same = [key for key, each in failed if each.error is not None and each.error.message == text]
        return lost.union(same[1:])

    def _not_started(self, run: ProbeRun) -> None:
        """Where what was to be trained under a setting of its own could not even begin, that is told."""
        error = next((stage.error for stage in run.stages if stage.error), None)
        if error is None or "experiment" not in self.seconds:
            return
        named = cuda_error_in(error.message or "")
        made = Experiment(
            origin=self._computation.origin,
            framework=self._computation.spec.framework,
            operation="digits-network",
            device=self._computation.device,
            setting=self._computation.setting.id,
            reason="device-busy" if named is not None and named.cause == _BUSY else "failed",
            error=error,
        )
        self._add(made)


def key_of(measured: Measurement) -> str:
    """As ``identity`` of checks/probes/compute/kit.py."""
    return "/".join((_kind(measured), measured.operation, measured.dtype, measured.setting))


def _kind(measured: Measurement) -> str:
    return str(type(measured).__struct_config__.tag)


def _spent(run: ProbeRun) -> dict[str, float]:
    """Seconds of each stage that computed. What the last one took that did not end is what is left of the process."""
    took = {stage.name: stage.seconds or 0.0 for stage in run.stages if stage.ended}
    rest = max(0.0, (run.seconds or 0.0) - sum(took.values()))
    for stage in run.stages:
        took.setdefault(stage.name, rest)
    return {name: seconds for name, seconds in took.items() if name != _START}
