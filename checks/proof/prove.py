"""Try the remedies of a case one after the other, each in a throw-away copy, until one is seen to work.

What failed is what is run again, in the user's folder. The user's environment is read and never written. Where the
program leaves the copy, because it names its Python in another way, nothing is concluded.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from checks.engine.processes.surroundings import probe_environment
from checks.facts import Facts, InterpreterFacts, ProgramEnd, ProgramRun, Proof, ProofResult
from checks.facts.case import Case
from checks.facts.finding import Finding, Severity
from checks.facts.remedies.proofs import HELPED, MENDED, proof_of
from checks.interpreters import read_interpreter
from checks.interpreters.disk import absolute
from checks.judgement.judge import judged
from checks.proof.apply import Ground, NotApplied
from checks.proof.changes import SETTINGS, Change, Installed, NewEnvironment, NotTriable, changes_of
from checks.proof.environment_copy import (
    Cancelled,
    EnvironmentCopy,
    bytes_to_copy,
    copied,
    fresh,
    room_for,
    trial_variables,
)
from checks.proof.managed import check_tools
from checks.proof.place import trial_folder
from checks.proof.requirements import as_it_is, of_program
from checks.proof.witness import STATEMENT_SECONDS, Witness, witnesses_of
from checks.remedies.plan import RemedyPlan, plan_remedies

MOST_TRIED = 5  # remedies that are carried out for one case
MOST_BEHIND = 3  # failures that may come to light behind the first
LEAST_LIKELY = 0.5  # confidence below which a cause is only one of several, and its remedies are not tried unasked
PATIENCE = 120.0  # seconds for a program that failed sooner
_MOMENT = 30.0  # seconds
_SLOWER = 3  # times the seconds to its failure that it gets at least
_MADE_AGAIN = "recreate-environment"  # the remedy whose new environment has the same packages
_KEPT = 4000  # characters of its streams


@dataclass(frozen=True)
class Candidate:
    """A remedy of a finding."""

    finding: Finding
    plan: RemedyPlan


@dataclass(frozen=True)
class Trying:
    """What happens now. ``stage``: "copying" (so many bytes; 0: a new one), "control", "applying", "running"."""

    candidate: Candidate
    number: int
    stage: str
    size: int = 0


@dataclass(frozen=True)
class Tried:
    """A remedy was tried, or could not be."""

    candidate: Candidate
    proof: Proof


def candidates(case: Case, language: str = "en") -> Iterator[Candidate]:
    """The remedies that may mend what failed, the best first."""
    for finding in case.findings:
        if finding.severity is not Severity.NOTE and finding.confidence >= LEAST_LIKELY:
            for plan in plan_remedies(finding, case.facts, language):
                tried = proof_of(case.facts.proofs, finding.cause, finding.subject, plan.id)
                if tried is None or tried.result == ProofResult.NOT_TRIED:
                    yield Candidate(finding, plan)


def is_worth_trying(case: Case) -> bool:
    """Whether there is a remedy that can be carried out in a copy, and none that was seen to work."""
    if not witnesses_of(case.facts) or any(proof.mended for proof in case.facts.proofs):
        return False
    return any(_can_be_tried(candidate, case.facts) for candidate in candidates(case))


def _can_be_tried(candidate: Candidate, facts: Facts) -> bool:
    try:
        check_tools(changes_of(candidate.plan, facts.target or "python"))
    except NotTriable:
        return False
    return True


def prove(
    case: Case,
    variables: Mapping[str, str] = os.environ,
    seconds: float = 0.0,
    cancelled: Callable[[], bool] = lambda: False,
    language: str = "en",
) -> Generator[Trying | Tried, None, Case]:
    """Try the remedies until one mends it; returns the case with all proofs, judged again.

    ``variables``: of the user. ``seconds``: how long the program was watched, 0: to its end. ``language``: of the plans
    that are handed over.

    Raises:
        OSError: there is no place for temporary files.
    """
    proofs = list(case.facts.proofs)
    witnesses = witnesses_of(case.facts) if is_worth_trying(case) else ()
    users = probe_environment("", variables)
    for witness in witnesses:
        before = witness.run or seen_now(witness, users, cancelled)
        if before is not None and witness.is_wrong(before):
            trials = _Trials(case, witness, before, users, seconds, cancelled)
            yield from trials.all(language, -(-MOST_TRIED // len(witnesses)), proofs)
    facts = msgspec.structs.replace(case.facts, proofs=tuple(proofs))
    return judged(facts, case.answers, created=case.created, complete=case.complete)


def seen_now(witness: Witness, variables: Mapping[str, str], cancelled: Callable[[], bool]) -> ProgramRun | None:
    """How a statement fails, seen now, in the user's environment, into which nothing is compiled."""
    plain = trial_variables(None, variables)
    run = witness.started(witness.command, plain, STATEMENT_SECONDS, cancelled)
    return run if run.end == ProgramEnd.ENDED else None


def seconds_for(before: ProgramRun, chosen: float) -> float:
    """How long what failed is run again at most. ``chosen``: by the user; 0: to its end.

    Of a program that had not ended while it was watched, that is as long as it was watched.
    """
    watched = before.seconds or 0.0
    if before.end == ProgramEnd.WATCHED:
        return chosen or watched
    return max(chosen, PATIENCE, _SLOWER * watched)


@dataclass(frozen=True)
class _Trials:
    """All of one case. ``before``: how the witness failed."""

    case: Case
    witness: Witness
    before: ProgramRun
    variables: Mapping[str, str]
    seconds: float
    cancelled: Callable[[], bool]

    @property
    def limit(self) -> float:
        """Seconds for one run."""
        return seconds_for(self.before, self.seconds)

    def all(self, language: str, most: int, proofs: list[Proof]) -> Iterator[Trying | Tried]:
        """One after the other, until one mends it; first what mended another witness."""
        number = 0
        helped = {_key(proof) for proof in proofs if proof.helped}
        for candidate in sorted(candidates(self.case, language), key=lambda one: _about(one) not in helped):
            if number >= most or self.cancelled():
                return
            try:
                changes = changes_of(candidate.plan, self.case.facts.target or "python")
                self._check_kept(changes)
            except NotTriable as why:
                proof = _not_tried(candidate, why)
            else:
                number += 1
                try:
                    proof = yield from _Trial(self, candidate, changes).proof(number)
                except Cancelled:
                    return
                except OSError as error:
                    proof = _not_tried(candidate, NotTriable("copy-failed", detail=str(error)))
            if _key(proof) not in helped:
                proofs[:] = [*(other for other in proofs if _key(other) != _key(proof)), proof]
                yield Tried(candidate, proof)
            if proof.mended:
                return

    def _check_kept(self, changes: tuple[Change, ...]) -> None:
        """Refuse what the user's own command would undo.

        Raises:
            NotTriable: it restores the packages of a lock file.
        """
        check_tools(changes)
        tool = self.witness.restoring_tool
        if tool and any(self._is_undone(change) for change in changes):
            raise NotTriable("restored", tool=tool)

    def _is_undone(self, change: Change) -> bool:
        """Whether it is not what the lock file names; a release that is only put in place again is."""
        target = self.case.facts.target_interpreter
        there = {f"{package.name}=={package.version}" for package in (target.packages if target else None) or ()}
        if isinstance(change, Installed):
            return not there.issuperset(word for word in change.arguments if not word.startswith("-"))
        return isinstance(change, NewEnvironment)


def _key(proof: Proof) -> tuple[str, str, str]:
    return proof.cause, proof.subject, proof.remedy


def _about(candidate: Candidate) -> tuple[str, str, str]:
    return candidate.finding.cause, candidate.finding.subject, candidate.plan.id


def _not_tried(candidate: Candidate, why: NotTriable) -> Proof:
    return _proof(candidate, ProofResult.NOT_TRIED, reason=why.reason, values=why.values)


def _proof(candidate: Candidate, result: ProofResult, **more: object) -> Proof:
    finding = candidate.finding
    about = {"cause": finding.cause, "subject": finding.subject, "remedy": candidate.plan.id}
    return Proof(origin="a throw-away copy", **about, result=result.value, **more)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Trial:
    """One remedy in one copy."""

    trials: _Trials
    candidate: Candidate
    changes: tuple[Change, ...]

    def proof(self, number: int) -> Generator[Trying, None, Proof]:
        """Copy, apply, run; and go on where another failure comes to light behind the first.

        Raises:
            Cancelled: somebody asked to end.
            OSError: there is no place for temporary files.
        """
        started = time.monotonic()
        made: EnvironmentCopy | None = None
        then: list[str] = []
        new = next((change for change in self.changes if isinstance(change, NewEnvironment)), None)
        needs_copy = not all(isinstance(change, SETTINGS) for change in self.changes)
        before, witness, cancelled = self.trials.before, self.trials.witness, self.trials.cancelled
        target = self.trials.case.facts.target_interpreter
        size = bytes_to_copy(target) if needs_copy and target and new is None else None
        with trial_folder(room_for(size), near=target.prefix if target else None) as place:
            try:
                wanted = self._requirements(target) if new and target else ()
                if needs_copy:
                    yield Trying(self.candidate, number, "copying", size or 0)
                    if target is None:
                        raise NotTriable("no-copy")
                    made = fresh(target, place, new.folder) if new else copied(target, place, size, cancelled)
                users = self.trials.variables
                ground = Ground.of(None if new else made, users, cancelled)
                witness = self.trials.witness
                ground.lead(witness.command[0], witness.folder, self.changes)
                yield Trying(self.candidate, number, "control")
                self._check_failure(ground)
                yield Trying(self.candidate, number, "applying")
                if new and made and target:
                    ground = Ground.new(made, users, cancelled, target)
                    ground.commands.append(new.line)
                    ground.install(wanted, new)
                    ground.apply(tuple(change for change in self.changes if isinstance(change, Installed)))
                else:
                    ground.apply(self.changes)
                yield Trying(self.candidate, number, "running")
                after = self._run_again(ground)
                result = self._result(after, made)
                failures = [failure_of(before, made)]
                while result is ProofResult.OTHER_FAILURE and made and len(then) < MOST_BEHIND:
                    known = {self.candidate.plan.id, *then}
                    following = next((one for one in self._behind(after, made) if one.plan.id not in known), None)
                    failures.append(failure_of(after, made))
                    if following is None:
                        break
                    yield Trying(following, number, "applying")
                    try:
                        ground.apply(changes_of(following.plan, str(made.python)))
                    except (NotApplied, NotTriable):
                        break
                    then.append(following.plan.id)
                    yield Trying(following, number, "running")
                    after = self._run_again(ground)
                    result = self._result(after, made)
                    if failure_of(after, made) in failures:
                        break
                if result is ProofResult.PROVEN:
                    self._check_steady(ground, after)
                conflicts = ground.new_conflicts(target) if result in MENDED else ()
                changes = ground.changes()
                releases = ground.releases() if new and result in HELPED else ()
            except NotTriable as why:
                return _not_tried(self.candidate, why)
            except NotApplied as why:
                more: dict[str, object] = {"said": why.said, "commands": (why.line,)}
                result = ProofResult.NOT_APPLIED
            else:
                result = ProofResult.CONFLICTS if conflicts else result
                more = {
                    "run": kept_run(after, made),
                    "commands": tuple(ground.commands),
                    "changes": changes,
                    "conflicts": conflicts,
                    "releases": releases,
                    "then": tuple(then),
                }
        return _proof(
            self.candidate,
            result,
            way="" if made is None else "new" if new else "overlay" if made.is_overlay else "copy",
            copied_bytes=made.copied_bytes if made else None,
            seconds=time.monotonic() - started,
            of_gpu=witness.of_gpu,
            **more,
        )

    def _check_failure(self, ground: Ground) -> None:
        """See that it fails as before where nothing was changed yet.

        Raises:
            NotTriable: it does not: what it reads is not there, or it fails only sometimes.
            Cancelled: somebody asked to end.
        """
        control = self._run_again(ground)
        trials, made = self.trials, ground.made
        if not trials.witness.is_wrong(control) or failure_of(control, made) != failure_of(trials.before, made):
            raise NotTriable("control")

    def _result(self, after: ProgramRun, made: EnvironmentCopy | None) -> ProofResult:
        """What a run behind the remedy shows.

        Raises:
            NotTriable: it did not fail, and where it computed could not be seen.
        """
        witness = self.trials.witness
        if witness.works(after):
            return ProofResult.PROVEN
        if witness.runs_longer(after):
            return ProofResult.RUNS_LONGER
        if not witness.is_wrong(after):
            raise NotTriable("gpu-unseen")
        is_same = failure_of(self.trials.before, made) == failure_of(after, made)
        return ProofResult.DID_NOT_HELP if is_same else ProofResult.OTHER_FAILURE

    def _check_steady(self, ground: Ground, after: ProgramRun) -> None:
        """See once more that it works, where that takes but a moment.

        Raises:
            NotTriable: it does not: it works only sometimes.
            Cancelled: somebody asked to end.
        """
        if (after.seconds or 0.0) <= _MOMENT and not self.trials.witness.works(self._run_again(ground)):
            raise NotTriable("control")

    def _requirements(self, target: InterpreterFacts) -> tuple[str, ...]:
        """What the new environment needs: what is in one that is only made again, else what the program asks for.

        Raises:
            NotTriable: nobody knows.
        """
        if self.candidate.plan.id == _MADE_AGAIN:
            return as_it_is(target)
        witness = self.trials.witness
        return of_program(witness.command, Path(witness.folder))

    def _behind(self, run: ProgramRun, made: EnvironmentCopy) -> Iterator[Candidate]:
        """The remedies that can be tried for a failure that came to light in the copy, the likeliest first."""
        target = read_interpreter(str(made.python))
        case = self.trials.case
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
            if not any(isinstance(change, NewEnvironment) for change in changes):
                yield candidate

    def _run_again(self, ground: Ground) -> ProgramRun:
        """The program again, in the copy.

        Raises:
            NotTriable: it ran another Python.
            Cancelled: somebody asked to end.
        """
        trials, made = self.trials, ground.made
        command = trials.witness.command
        if made is not None:
            command = (_absolute(command[0], trials.witness.folder), *command[1:])
            moved = [made.moved(word) for word in command]
            # An overlay has only those commands that were installed into it.
            command = tuple(
                new if new == old or Path(new).exists() else old for new, old in zip(moved, command, strict=True)
            )
        after = trials.witness.started(command, ground.variables, trials.limit, trials.cancelled)
        if after.end == ProgramEnd.CANCELLED:
            raise Cancelled
        if made is not None and not _ran_in(made, after):
            raise NotTriable("other-python", path=after.interpreter or "?")
        return after


def _absolute(program: str, folder: str) -> str:
    """A program that is named by a path, from the root; any other is looked for on PATH."""
    return str(absolute(Path(folder, program))) if os.sep in program else program


def _ran_in(made: EnvironmentCopy, run: ProgramRun) -> bool:
    """Whether every Python of the program was the copy's, as far as they were seen."""
    seen = [python.prefix or python.executable for python in run.pythons if not python.is_launcher]
    return all(map(made.holds, seen)) if seen else bool(run.interpreter) and made.holds(run.interpreter or "")


def failure_of(run: ProgramRun, made: EnvironmentCopy | None) -> tuple[object, ...]:
    """By what two failures are told apart: the exception with its message, else the code and the last words.

    Of one that did not fail, that is nothing: it stayed on the processor.
    """
    if not run.failed:
        return ()
    raised = run.raised
    if raised is not None:
        return (raised.type, _masked(raised.message, made))
    lines = [line for line in (run.errors or run.output).splitlines() if line.strip()]
    return (run.end, run.exit_code, run.signal, _masked(lines[-1], made) if lines else "")


def _masked(text: str, made: EnvironmentCopy | None) -> str:
    """A text without what differs from run to run: where the environment lies, all numbers, and blanks before them."""
    for path in (str(made.folder), *made.prefixes, str(made.folder.parent)) if made else ():
        text = text.replace(path, "<environment>")
    return re.sub(r"\s*(?:0x[0-9a-fA-F]+|\d+)", " 0", text).strip()


def kept_run(run: ProgramRun, made: EnvironmentCopy | None) -> ProgramRun:
    """What of a run belongs into a case; the copy, which is gone, has the name of the user's environment there."""
    pythons = tuple(
        msgspec.structs.replace(python, modules=(), libraries=None, search_path=(), warnings=())
        for python in run.pythons
        if not python.is_launcher
    )
    kept = msgspec.structs.replace(run, pythons=pythons[:2], output=run.output[-_KEPT:], errors=run.errors[-_KEPT:])
    return _renamed(kept, made) if made else kept


def _renamed(value: Any, made: EnvironmentCopy) -> Any:
    """The same with every text in it as :meth:`EnvironmentCopy.named_by_user` has it."""
    if isinstance(value, str):
        return made.named_by_user(value)
    if isinstance(value, tuple):
        return tuple(_renamed(item, made) for item in value)
    if isinstance(value, msgspec.Struct):
        fields = {name: _renamed(getattr(value, name), made) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    return value
