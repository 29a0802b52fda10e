"""One remedy is tried: in a copy of the environment or of the program, in a new one, or with other variables."""

from __future__ import annotations

import dataclasses
import os
import shutil
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from checks.facts import InterpreterFacts, ProgramEnd, ProgramRun, Proof, ProofResult
from checks.facts.case import Case
from checks.facts.remedies.proofs import HELPED, MENDED
from checks.interpreters import read_interpreter
from checks.interpreters.disk import absolute
from checks.judgement.judge import judged
from checks.proof.apply import Ground, NotApplied
from checks.proof.candidates import Candidate, candidates, needs_index, not_tried, proof_about
from checks.proof.changes import SETTINGS, Change, Installed, NewEnvironment, NotTriable, changes_of
from checks.proof.copies.environment_copy import Cancelled, EnvironmentCopy, fresh, room_for
from checks.proof.copies.place import trial_folder
from checks.proof.copies.program_copy import ProgramCopy, copied_program, is_of_program
from checks.proof.copies.reused_copy import ReusedCopy
from checks.proof.failures import failure_of, kept_run
from checks.proof.requirements import made_as, wanted_by
from checks.proof.witness import STATEMENT_SECONDS, Witness

MOST_BEHIND = 3  # failures that may come to light behind the first
_MOMENT = 30.0  # seconds


@dataclass(frozen=True)
class Trying:
    """What happens now. ``stage``: "copying" (so many bytes; 0: a new one), "control", "applying", "running"."""

    candidate: Candidate
    number: int
    stage: str
    size: int = 0


@dataclass
class Surroundings:
    """What all trials with one witness share. ``before``: how it failed; ``seconds``: for one run, at most.

    ``is_seen_to_fail``: it was seen to fail in the same way once more, where there was no copy. ``others``: statements
    that fail as well, which one trial may serve.
    """

    case: Case
    witness: Witness
    before: ProgramRun
    variables: Mapping[str, str]
    seconds: float
    cancelled: Callable[[], bool]
    offline: bool = False
    others: tuple[Witness, ...] = ()
    copy: ReusedCopy | None = None
    is_seen_to_fail: bool = False

    @property
    def target(self) -> InterpreterFacts | None:
        """The examined Python."""
        return self.case.facts.target_interpreter


@dataclass
class Trial:
    """One remedy. ``number``: of those that are carried out."""

    around: Surroundings
    candidate: Candidate
    changes: tuple[Change, ...]
    number: int
    then: list[str] = field(default_factory=list)  # remedies of what came to light behind the first
    way: str = ""
    copied_bytes: int | None = None
    new_made: EnvironmentCopy | None = None  # the new environment

    def proof(self) -> Generator[Trying, None, Proof]:
        """Copy, apply, run; and go on where another failure comes to light behind the first.

        Raises:
            Cancelled: somebody asked to end.
            OSError: there is no place for temporary files.
        """
        started = time.monotonic()
        with ExitStack() as places:
            try:
                result, more = yield from self._tried(places)
            except NotTriable as why:
                return not_tried(self.candidate, why)
            except NotApplied as why:
                result, more = ProofResult.NOT_APPLIED, {"said": why.said, "commands": (why.line,)}
        return proof_about(
            self.candidate,
            result,
            way=self.way,
            copied_bytes=self.copied_bytes,
            seconds=time.monotonic() - started,
            of_gpu=self.around.witness.of_gpu,
            then=tuple(self.then),
            **more,
        )

    def _tried(self, places: ExitStack) -> Generator[Trying, None, tuple[ProofResult, dict[str, object]]]:
        around, witness = self.around, self.around.witness
        found = next((change for change in self.changes if isinstance(change, NewEnvironment)), None)
        new = made_as(found, self.candidate.plan.id, around.target) if found else None
        wanted = self._requirements() if new else ()
        ground = yield from self._ground(new, places)
        ground.lead(witness.command[0], witness.folder, self.changes)
        if not self._is_seen_to_fail(ground):
            yield self._now("control")
            self._check_failure(ground)
        yield self._now("applying")
        if new and self.new_made and around.target:
            ground = Ground.new(self.new_made, around.variables, around.cancelled, around.target)
            ground.commands.append(new.line)
            ground.install(wanted, new)
            ground.apply(tuple(change for change in self.changes if isinstance(change, Installed)))
        else:
            ground.apply(self.changes)
        yield self._now("running")
        after, result = yield from self._run_to_its_end(ground)
        conflicts = ground.new_conflicts(around.target) if result in MENDED else ()
        more: dict[str, object] = {
            "run": kept_run(after, *ground.copies),
            "others": tuple(self._others(ground)) if result in MENDED and not conflicts else (),
            "commands": tuple(ground.commands),
            "changes": ground.changes(),
            "conflicts": conflicts,
            "releases": ground.releases() if new and result in HELPED else (),
        }
        return (ProofResult.CONFLICTS if conflicts else result), more

    def _now(self, stage: str, size: int = 0) -> Trying:
        return Trying(self.candidate, self.number, stage, size)

    # --- where it is tried

    def _ground(self, new: NewEnvironment | None, places: ExitStack) -> Generator[Trying, None, Ground]:
        around, target = self.around, self.around.target
        if all(isinstance(change, SETTINGS) for change in self.changes):
            return Ground.of(None, around.variables, around.cancelled)
        if is_of_program(self.changes, target.prefix if target else None):
            self.way = "program"
            yield self._now("copying-program")
            place = places.enter_context(trial_folder(room_for(None), near=around.witness.folder or None))
            program = copied_program(around.witness, self.changes, place, around.cancelled)
            return _of_program(program, Ground.of(None, around.variables, around.cancelled))
        if target is None or around.copy is None:
            raise NotTriable("no-copy")
        if new:
            self.way = "new"
            around.copy.drop()  # which is wanted no more, and takes room
            yield self._now("copying")
            place = places.enter_context(trial_folder(room_for(None), near=target.prefix))
            self.new_made = fresh(target, place, new.folder, sees_system=new.sees_system)
            return Ground.of(None, around.variables, around.cancelled)  # that it fails is seen in the user's own
        made_before = around.copy.again()
        if made_before is None:
            size = around.copy.size()
            yield self._now("copying", size or 0)
        made = made_before or around.copy.make(size)
        self.way = "overlay" if made.is_overlay else "copy"
        self.copied_bytes = made.copied_bytes
        return Ground.of(made, around.variables, around.cancelled)

    def _requirements(self) -> tuple[str, ...]:
        """What the new environment needs.

        Raises:
            NotTriable: nobody knows.
        """
        witness = self.around.witness
        return wanted_by(self.candidate.plan.id, self.around.target, witness.command, Path(witness.folder))

    # --- how it fails before

    def _is_seen_to_fail(self, ground: Ground) -> bool:
        """Whether that was seen in the same place, with nothing changed, in a trial before."""
        if ground.program is not None:
            return False
        place = self.around if ground.made is None else self.around.copy
        return place is not None and place.is_seen_to_fail

    def _check_failure(self, ground: Ground) -> None:
        """See that it fails as before where nothing was changed yet.

        Raises:
            NotTriable: it does not: what it reads is not there, or it fails only sometimes.
            Cancelled: somebody asked to end.
        """
        around = self.around
        control = self._run_again(ground)
        is_wrong = around.witness.is_wrong(control)
        if not is_wrong or failure_of(control, *ground.copies) != failure_of(around.before, *ground.copies):
            raise NotTriable("control")
        if ground.program is not None:
            ground.program.check_runs_through(control, self.changes)
        elif ground.made is None:
            around.is_seen_to_fail = True
        elif around.copy is not None and not ground.made.is_overlay:
            around.copy.is_seen_to_fail = True

    # --- how it runs then

    def _run_to_its_end(self, ground: Ground) -> Generator[Trying, None, tuple[ProgramRun, ProofResult]]:
        """The last run and what it shows, with the remedies of the failures that came to light behind the first."""
        made, copies = ground.made, ground.copies
        after = self._run_again(ground)
        result = self._result(after, ground)
        failures = [failure_of(self.around.before, *copies)]
        while result is ProofResult.OTHER_FAILURE and made and len(self.then) < MOST_BEHIND:
            known = {self.candidate.plan.id, *self.then}
            following = next((one for one in self._behind(after, made) if one.plan.id not in known), None)
            failures.append(failure_of(after, *copies))
            if following is None:
                break
            yield Trying(following, self.number, "applying")
            try:
                ground.apply(changes_of(following.plan, str(made.python)))
            except (NotApplied, NotTriable):
                break
            self.then.append(following.plan.id)
            yield Trying(following, self.number, "running")
            after = self._run_again(ground)
            result = self._result(after, ground)
            if failure_of(after, *copies) in failures:
                break
        if result is ProofResult.PROVEN:
            self._check_steady(ground, after)
        return after, result

    def _others(self, ground: Ground) -> Iterator[ProgramRun]:
        """What else failed before, and works in the same place.

        Raises:
            Cancelled: somebody asked to end.
        """
        around, made = self.around, ground.made
        for other in around.others if ground.program is None else ():
            command = command_in(made, other, around.variables) if made is not None else other.command
            run = other.started(command, ground.variables, STATEMENT_SECONDS, around.cancelled)
            if run.end == ProgramEnd.CANCELLED:
                raise Cancelled
            if other.works(run) and (made is None or ran_in(made, run)):
                yield kept_run(run, *ground.copies)

    def _result(self, after: ProgramRun, ground: Ground) -> ProofResult:
        """What a run behind the remedy shows.

        Raises:
            NotTriable: it did not fail, and where it computed could not be seen; or it fails as before, and a step of
                the remedy is one that only its user can do.
        """
        witness = self.around.witness
        if witness.works(after):
            return ProofResult.PROVEN
        if witness.runs_longer(after):
            return ProofResult.RUNS_LONGER
        if not witness.is_wrong(after):
            raise NotTriable("gpu-unseen")
        if failure_of(self.around.before, *ground.copies) != failure_of(after, *ground.copies):
            return ProofResult.OTHER_FAILURE
        if any(step.kind == "manual" for step in self.candidate.plan.steps):
            raise NotTriable("partly-by-hand")
        return ProofResult.DID_NOT_HELP

    def _check_steady(self, ground: Ground, after: ProgramRun) -> None:
        """See once more that it works, where that takes but a moment.

        Raises:
            NotTriable: it does not: it works only sometimes.
            Cancelled: somebody asked to end.
        """
        if (after.seconds or 0.0) <= _MOMENT and not self.around.witness.works(self._run_again(ground)):
            raise NotTriable("control")

    def _behind(self, run: ProgramRun, made: EnvironmentCopy) -> Iterator[Candidate]:
        """The remedies that can be tried for a failure that came to light in the copy, the likeliest first."""
        target = read_interpreter(str(made.python))
        case = self.around.case
        facts = msgspec.structs.replace(
            case.facts,
            interpreters=(target,),
            target=target.path,
            runs=(run,),
            proofs=(),
            installed=None,
            searched=None,
        )
        for candidate in candidates(judged(facts, case.answers)):
            try:
                changes = changes_of(candidate.plan, target.path)
            except NotTriable:
                continue
            is_new = any(isinstance(change, NewEnvironment) for change in changes)
            if not is_new and not (self.around.offline and needs_index(changes)):
                yield candidate

    def _run_again(self, ground: Ground) -> ProgramRun:
        """The program again, in the copies.

        Raises:
            NotTriable: it ran another Python.
            Cancelled: somebody asked to end.
        """
        around, made = self.around, ground.made
        witness, command = around.witness, around.witness.command
        if ground.program is not None:
            witness, command = _in_copy(witness, ground.program)
        if made is not None:
            command = command_in(made, witness, around.variables)
        after = witness.started(command, ground.variables, around.seconds, around.cancelled)
        if after.end == ProgramEnd.CANCELLED:
            raise Cancelled
        if made is not None and not ran_in(made, after):
            raise NotTriable("other-python", path=after.interpreter or "?")
        return after


def _of_program(program: ProgramCopy, ground: Ground) -> Ground:
    """The same with the program's folder copied; no Python is looked for in that copy, which has no environments."""
    variables = {name: program.moved(value) for name, value in ground.variables.items()}
    return dataclasses.replace(ground, program=program, variables=variables)


def _in_copy(witness: Witness, program: ProgramCopy) -> tuple[Witness, tuple[str, ...]]:
    """The witness in the copy of its folder, and its command there; its Python stays the user's."""
    folder = program.moved(witness.folder)
    words = []
    for word in witness.command[1:]:
        path = str(absolute(Path(witness.folder, word)))
        is_elsewhere = folder == witness.folder and not word.startswith("-")
        words.append(program.moved(path) if is_elsewhere and program.moved(path) != path else program.moved(word))
    return dataclasses.replace(witness, folder=folder), (_absolute(witness.command[0], witness.folder), *words)


def _program(program: str, folder: str, variables: Mapping[str, str], made: EnvironmentCopy) -> str:
    """The program of the user's environment to which a link leads from outside, where there is one."""
    path = _absolute(program, folder)
    found = shutil.which(path, path=variables.get("PATH"))
    return made.followed(found) or path if found else path


def _absolute(program: str, folder: str) -> str:
    """A program that is named by a path, from the root; any other is looked for on PATH."""
    return str(absolute(Path(folder, program))) if os.sep in program else program


def command_in(made: EnvironmentCopy, witness: Witness, variables: Mapping[str, str]) -> tuple[str, ...]:
    """What was seen to fail, as it is started in this environment instead of the user's."""
    command = (_program(witness.command[0], witness.folder, variables, made), *witness.command[1:])
    moved = [made.moved(word) for word in command]
    # An overlay has only those commands that were installed into it.
    return tuple(new if new == old or Path(new).exists() else old for new, old in zip(moved, command, strict=True))


def ran_in(made: EnvironmentCopy, run: ProgramRun) -> bool:
    """Whether every Python of the program was the copy's, as far as they were seen."""
    seen = [python.prefix or python.executable for python in run.pythons if not python.is_launcher]
    return all(map(made.holds, seen)) if seen else bool(run.interpreter) and made.holds(run.interpreter or "")
