"""A program is run several times in a throw-away copy, and as often with the offered changes.

Only a program that its user named is started, by the Python that its user named or agreed to. Each run begins in a new
copy of the folder, as it is on the disk: what one run leaves, another one does not read.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from checks.analysis.scripts.diff import changed
from checks.engine.watch.connection import Listened
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import ProgramEnd, ProgramRun
from checks.facts.scripts import Edit
from checks.interpreters.disk import absolute
from checks.proof.changes import NotTriable
from checks.proof.copies.environment_copy import Cancelled
from checks.proof.copies.place import trial_folder
from checks.proof.copies.program_copy import MOST_BYTES, ProgramCopy, copied_folder
from checks.proof.scripts.results import Difference, Results, distinct, files_in, first_difference, results_of

RUNS = 3
SECONDS = 120.0  # for one run
_MOST_PRINTED = 8 << 20  # bytes of standard output that are compared


class Repeated(StrEnum):
    """What the runs before and after the changes show."""

    PROVEN = "proven"  # the results differed, and agree with the changes
    DIFFERS_STILL = "differs-still"
    AGREED_BEFORE = "agreed-before"
    FAILED_BEFORE = "failed-before"
    FAILED_AFTER = "failed-after"  # it ran, and fails with the changes
    TOO_LONG = "too-long"
    NOTHING_TO_COMPARE = "nothing-to-compare"
    NOT_TRIED = "not-tried"


@dataclass(frozen=True)
class ScriptProof:
    """What came of it.

    ``before``, ``after``: how many different results there were among ``runs`` runs each; 0: not run. ``difference``:
    the first one that was seen, where there is one left behind the changes that. ``failure``: the last line of a run
    that failed. ``reason``: why it was not tried, an id [reason-...] of resources/words/script_proofs.toml.
    """

    program: str
    outcome: Repeated
    runs: int = 0
    before: int = 0
    after: int = 0
    difference: Difference | None = None
    failure: str = ""
    reason: str = ""
    values: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True)
class ScriptTrial:
    """A program and how it is started.

    ``command``: with ``program`` among its words. ``edits``: the changes, by the file that they change. ``on_run``: is
    told the number of the run that begins, and how many there are at most.
    """

    program: Path
    command: tuple[str, ...]
    folder: Path
    edits: Mapping[str, Sequence[Edit]]
    variables: Mapping[str, str]
    runs: int = RUNS
    seconds: float = SECONDS
    cancelled: Callable[[], bool] = lambda: False
    on_run: Callable[[int, int], None] = lambda *_: None

    def proof(self) -> ScriptProof:
        """Run, change, run again.

        Raises:
            Cancelled: somebody asked to end.
            OSError: there is no place for temporary files.
        """
        started = time.monotonic()
        try:
            found = self._proof()
        except NotTriable as why:
            found = self._told(Repeated.NOT_TRIED, reason=why.reason, values=dict(why.values))
        except _Failed as failed:
            found = self._told(failed.outcome, failure=failed.said)
        return replace(found, seconds=time.monotonic() - started)

    def _told(self, outcome: Repeated, **more: Any) -> ScriptProof:
        return ScriptProof(str(self.program), outcome, self.runs, **more)

    def _proof(self) -> ScriptProof:
        if not any(self.edits.values()):
            raise NotTriable("no-change")
        with trial_folder(2 * MOST_BYTES, near=str(self.folder)) as place:
            pristine = self._copied(place)
            before = tuple(self._runs(pristine, place, 0, Repeated.FAILED_BEFORE))
            if all(run.is_empty for run in before):
                return self._told(Repeated.NOTHING_TO_COMPARE)
            for file, edits in self.edits.items():
                _apply(Path(file), edits, pristine)
            after = tuple(self._runs(pristine, place, self.runs, Repeated.FAILED_AFTER))
        counts = {"before": distinct(before), "after": distinct(after)}
        if counts["after"] > 1:
            return self._told(Repeated.DIFFERS_STILL, difference=first_difference(after), **counts)
        outcome = Repeated.PROVEN if counts["before"] > 1 else Repeated.AGREED_BEFORE
        return self._told(outcome, difference=first_difference(before), **counts)

    def _copied(self, place: Path) -> ProgramCopy:
        """The folder in which it is started, else that of the program, as it is now."""
        own = absolute(self.program).parent
        for root in dict.fromkeys((self.folder, own)):
            if absolute(self.program).is_relative_to(absolute(root)):
                copy = copied_folder(root, place / "as-it-was", self.cancelled)
                if copy is not None:
                    return copy
        raise NotTriable("program-large", folder=str(own))

    def _runs(self, pristine: ProgramCopy, place: Path, done: int, failure: Repeated) -> Iterator[Results]:
        for number in range(self.runs):
            self.on_run(done + number + 1, 2 * self.runs)
            folder = place / "program"  # the same path in each run, which the program may print
            shutil.copytree(pristine.folder, folder, symlinks=True)
            yield self._run(ProgramCopy(pristine.original, pristine.names, folder), failure)
            shutil.rmtree(folder)

    def _run(self, copy: ProgramCopy, failure: Repeated) -> Results:
        printed = bytearray()

        def listen(stream: str, data: bytes) -> None:
            if stream == "stdout" and len(printed) < _MOST_PRINTED:
                printed.extend(data)

        before = files_in(copy.folder)
        named = str(absolute(self.program))
        words = tuple(copy.moved(named) if word == str(self.program) else copy.moved(word) for word in self.command[1:])
        task = ProgramTask(
            command=(self.command[0], *words),
            folder=Path(copy.moved(str(absolute(self.folder)))),
            seconds=self.seconds,
            named=self.command,
            variables={**self.variables, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        run = watch_program(task, Listened(listen), cancelled=self.cancelled)
        if run.end == ProgramEnd.CANCELLED:
            raise Cancelled
        if run.end != ProgramEnd.ENDED:
            raise _Failed(Repeated.TOO_LONG if run.end == ProgramEnd.WATCHED else failure, run)
        if not run.worked:
            raise _Failed(failure, run)
        return results_of(bytes(printed), copy.folder, before)


class _Failed(Exception):  # noqa: N818 - the user's program did, not ours
    """A run that did not come to its end."""

    def __init__(self, outcome: Repeated, run: ProgramRun) -> None:
        super().__init__(outcome)
        self.outcome = outcome
        lines = [line.strip() for line in (run.errors or run.output or run.detail).splitlines() if line.strip()]
        self.said = lines[-1][:300] if lines else run.signal or ""


def _apply(path: Path, edits: Sequence[Edit], pristine: ProgramCopy) -> None:
    """Change a file of the copy.

    Raises:
        NotTriable: it lies outside of what was copied.
    """
    target = pristine.place_of(str(absolute(path)))
    encoding, _, after = changed(target, edits)
    target.write_bytes(after.encode(encoding, "surrogateescape"))
