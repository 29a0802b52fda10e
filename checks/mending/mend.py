"""Carry out a proven remedy in the user's own environment, and see whether what failed works now.

Whoever calls this has shown :class:`Proposal` to the user, whole, and got a yes. Every file is kept before; whatever
goes wrong on the way, and whoever stops it, everything is put back.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shlex
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from checks.engine.processes.surroundings import probe_environment
from checks.facts import Facts, InterpreterFacts, Mending, MendingResult, ProgramEnd, ProgramRun
from checks.facts.case import Case
from checks.history.remember import remember_mended
from checks.history.store import Store
from checks.interpreters import read_interpreter
from checks.interpreters.installed import read_installed
from checks.judgement.judge import judged
from checks.mending import journal as journals
from checks.mending import manifest
from checks.mending.freeze import explicit, freeze
from checks.mending.journal import Journal, Stage
from checks.mending.make import New, make, witness_in, write_lock
from checks.mending.manifest import renamed
from checks.mending.permission import NotMended, check_permission
from checks.mending.proposal import Proposal, own_moves
from checks.mending.snapshot import Stopped, aside_of, finish, save, size_of, touch
from checks.mending.undo import Impatient, put_back_surely
from checks.proof.apply import Ground, NotApplied
from checks.proof.changes import NotTriable
from checks.proof.copies.environment_copy import ROOM, Cancelled, EnvironmentCopy
from checks.proof.copies.place import trial_folder
from checks.proof.failures import failure_of, kept_run
from checks.proof.prove import PATIENCE, seconds_for, seen_now
from checks.proof.resolving.pip_settings import from_here
from checks.proof.trial import ran_in
from checks.proof.witness import Witness

log = logging.getLogger(__name__)

_MOMENT = 60.0  # seconds within which it failed: then it is seen to fail once more before anything is changed


@dataclass(frozen=True)
class Doing:
    """What happens now. ``stage``: "control", "saving", "applying" or "making", "checking", "undoing"."""

    stage: str
    title: str


def mend(
    case: Case,
    proposed: Proposal,
    variables: Mapping[str, str] = os.environ,
    seconds: float = 0.0,
    cancelled: Callable[[], bool] = lambda: False,
    history: Path | None = None,
) -> Generator[Doing, None, Case]:
    """Do it; returns the case with what came of it.

    ``seconds``: how long the program was watched, 0: to its end. ``history``: the folder in which is remembered that it
    works; None: nowhere.

    Raises:
        Impatient: somebody was, and everything is put back.
    """
    target = case.facts.target_interpreter
    assert target is not None  # noqa: S101 - nothing is proposed without
    doing = _Mending(
        proposed=proposed,
        witness=proposed.witness,
        facts=case.facts,
        target=target,
        variables=from_here(probe_environment("", variables), target.prefix),
        seconds=seconds,
        cancelled=cancelled,
        history=history,
    )
    mending = yield from doing.mending()
    facts = msgspec.structs.replace(case.facts, mendings=(*case.facts.mendings, mending))
    return judged(facts, case.answers, created=case.created, complete=case.complete)


@dataclass(frozen=True)
class _Mending:
    proposed: Proposal
    witness: Witness
    facts: Facts
    target: InterpreterFacts
    variables: Mapping[str, str]
    seconds: float
    cancelled: Callable[[], bool]
    history: Path | None

    def mending(self) -> Generator[Doing, None, Mending]:
        """See it fail, keep, apply, see it work."""
        try:
            if self.proposed.new is None:
                check_permission(self.target)
            self._check_alone()
            yield self._doing("control")
            before = self._before()
            if self.proposed.new is None:
                yield self._doing("saving")
            journal = self._begun()
        except NotTriable as why:
            return self._ended(MendingResult.NOT_DONE, reason=why.reason, values=why.values)
        except (Cancelled, Stopped):
            return self._ended(MendingResult.NOT_DONE, reason="stopped")
        except (OSError, RuntimeError) as error:
            return self._ended(MendingResult.NOT_DONE, reason="not-saved", values={"detail": str(error)})
        try:
            journal, ground = yield from self._changed(journal)
        except (NotApplied, NotTriable, Cancelled, Stopped, OSError) as error:
            try:
                yield self._doing("undoing")
            except BaseException:  # nobody listens any more
                put_back_surely(journal)
                raise
            return self._put_back(journal, before, error)
        except BaseException as error:  # somebody is impatient, or it is a fault of ours: even then
            put_back_surely(journal)
            if isinstance(error, KeyboardInterrupt):
                raise Impatient(journal) from None
            raise
        yield self._doing("checking")
        if self.proposed.new is not None:
            return self._checked_in(self.proposed.new, journal, before, ground)
        return self._checked(journal, before, ground.variables)

    def _begun(self) -> Journal:
        """It is noted that this process is about to change something.

        Raises:
            NotMended: another does.
            OSError: it cannot be noted, or there is something at the place of a new environment.
        """
        new = self.proposed.new
        if new is not None:
            new.folder.mkdir()
        try:
            journal = journals.write(
                journals.new_journal(
                    prefix=str(self.proposed.prefix),
                    python=str(new.folder / "bin" / "python") if new else self.target.path,
                    title=self.proposed.title,
                    cause=self.proposed.proof.cause,
                    remedy=self.proposed.proof.remedy,
                    commands=self.proposed.commands,
                )
            )
            try:
                self._check_alone(journal.id)  # another may have begun during the control; then both withdraw
            except NotMended:
                journals.remove(journal)
                raise
        except BaseException:
            if new is not None:
                with contextlib.suppress(OSError):
                    new.folder.rmdir()
            raise
        return journal

    def _checked_in(self, new: New, journal: Journal, before: ProgramRun, ground: Ground) -> Mending:
        """What came of a new environment: one in which it fails all the same does not stay."""
        witness = witness_in(ground, self.witness, self.variables)
        more: dict[str, object] = {
            "id": journal.id,
            "commands": self.proposed.commands,
            "before": kept_run(before),
            "values": {"path": str(new.folder), "lock": str(new.lock), "command": shlex.join(witness.command)},
        }
        try:
            after = self._run(witness, ground.variables)
        except Cancelled:
            return self._ended(MendingResult.NOT_CHECKED, reason="stopped", **more)
        works = witness.works(after) or witness.runs_longer(after)
        if works and ground.made is not None and ran_in(ground.made, after):
            return self._ended(MendingResult.MADE, after=kept_run(after), **more)
        return self._put_back(journal, before, NotMended("not-in-new", path=str(new.folder)))

    def _checked(self, journal: Journal, before: ProgramRun, variables: Mapping[str, str]) -> Mending:
        """What came of it: what failed is started twice, for it may work only sometimes."""
        more: dict[str, object] = {
            "id": journal.id,
            "commands": self.proposed.commands,
            "changes": journal.changes,
            "before": kept_run(before),
            "saved_files": journal.files,
            "saved_bytes": journal.bytes,
            **self._left(),
        }
        try:
            after = self._run(self.witness, variables)
            is_short = (after.seconds or 0.0) <= _MOMENT
            again = self._run(self.witness, variables) if self.witness.works(after) and is_short else after
        except Cancelled:
            return self._ended(MendingResult.NOT_CHECKED, reason="stopped", **more)
        more["after"] = kept_run(again)
        if self.witness.works(after) and not self.witness.works(again):
            return self._ended(MendingResult.NOT_CHECKED, reason="works-sometimes", **more)
        result = self._result(before, again)
        if self.proposed.settings and result in (MendingResult.FIXED, MendingResult.RUNS_LONGER):
            settings = "; ".join(change.line for change in self.proposed.settings)
            return self._ended(MendingResult.NEEDS_SETTING, values={"settings": settings}, **more)
        if result is MendingResult.FIXED:
            others = tuple(self._others(variables))
            more["others"] = tuple(map(kept_run, others))
            self._remember(journal, (again, *others))
        return self._ended(result, reason="gpu-unseen" if result is MendingResult.NOT_CHECKED else "", **more)

    def _left(self) -> dict[str, object]:
        """The environment as it is now."""
        left = read_interpreter(self.target.path)
        now = msgspec.structs.replace(self.target, packages=left.packages, unreadable_pth=left.unreadable_pth)
        return {"left": now, "left_files": read_installed(now) if self.facts.installed else None}

    def _result(self, before: ProgramRun, after: ProgramRun) -> MendingResult:
        """What the run behind the remedy shows."""
        if self.witness.works(after):
            return MendingResult.FIXED
        if self.witness.runs_longer(after):
            return MendingResult.RUNS_LONGER
        if not self.witness.is_wrong(after):
            return MendingResult.NOT_CHECKED
        is_same = failure_of(before) == failure_of(after)
        return MendingResult.DID_NOT_HELP if is_same else MendingResult.OTHER_FAILURE

    def _doing(self, stage: str) -> Doing:
        return Doing(stage, self.proposed.title)

    def _ended(self, result: MendingResult, **more: object) -> Mending:
        proof = self.proposed.proof
        about = {"cause": proof.cause, "subject": proof.subject, "remedy": proof.remedy}
        return Mending(origin="the environment", **about, of_gpu=self.witness.of_gpu, result=result.value, **more)  # type: ignore[arg-type]

    def _check_alone(self, own: str = "") -> None:
        """Refuse where something is under way or half done in the same environment. ``own``: the id of this one.

        Raises:
            NotMended: something is.
        """
        for journal in journals.journals():
            if journal.id != own and os.path.realpath(journal.prefix) == os.path.realpath(self.proposed.prefix):
                if journal.is_under_way:
                    raise NotMended("under-way", path=journal.prefix)
                if journal.is_half_done:
                    raise NotMended("half-done", path=journal.prefix, id=journal.id)

    def _before(self) -> ProgramRun:
        """How it fails: seen now where that takes but a moment.

        Raises:
            NotMended: it does not fail any more, or in another way.
            Cancelled: somebody asked to end.
        """
        run = self.witness.run
        if run is None:
            run = seen_now(self.witness, self.variables, self.cancelled)
        elif (run.seconds or 0.0) <= _MOMENT:
            now = self._run(self.witness, self.variables)
            if self.witness.is_wrong(now) and failure_of(now) != failure_of(run):
                raise NotMended("fails-otherwise")
            run = now
        if run is None or not self.witness.is_wrong(run):
            raise NotMended("fails-no-more")
        return run

    def _changed(self, journal: Journal) -> Generator[Doing, None, tuple[Journal, Ground]]:
        """Keep every file, then carry it out."""
        prefix, store = Path(journal.prefix), journal.store
        with trial_folder(ROOM) as room:
            kept = save(prefix, store, self.cancelled)
            manifest.save(self.proposed.manifests, store)
            (store / "freeze.txt").write_text("\n".join((*freeze(prefix), *explicit(prefix), "")), "utf-8")
            journal = journals.write(msgspec.structs.replace(journal, stage=Stage.CHANGING))
            yield self._doing("making" if self.proposed.new else "applying")

            def cancelled() -> bool:  # it is asked all the time
                touch(store)
                return self.cancelled()

            if self.proposed.new is not None:
                ground = make(self.proposed.new, self.target, self.variables, cancelled, room)
            else:
                ground = self._applied(prefix, room, cancelled)
            touch(store)
            changes = ground.changes() if self.proposed.new is None else ()
            finish(prefix, store, kept)
            if self.proposed.new is not None:
                write_lock(self.proposed.new, ground, self.variables, room)
            manifest.finish(store)
            files, size = size_of(store)
            done = msgspec.structs.replace(journal, stage=Stage.DONE, changes=changes, files=files, bytes=size)
            return journals.write(done), ground

    def _applied(self, prefix: Path, room: Path, cancelled: Callable[[], bool]) -> Ground:
        """The user's own environment, with the remedy carried out in it."""
        folder = Path(os.path.realpath(prefix))
        names = tuple(sorted({str(prefix), str(folder)}, key=len, reverse=True))
        itself = EnvironmentCopy(self.target.path, names, folder, Path(self.target.path), False, 0, room)
        ground = Ground.of(itself, self.variables, cancelled)
        ground.folder = self.witness.folder
        own = own_moves(self.proposed.changes, prefix)
        ground.apply(tuple(change for change in self.proposed.changes if change not in own))
        renamed(own)  # as they were when the user was asked
        for move in own:
            Path(move.source).rename(move.to)
        return ground

    def _put_back(self, journal: Journal, before: ProgramRun, error: Exception) -> Mending:
        """What came of a change that failed, behind which everything is as it was."""
        try:
            put_back_surely(journal)
        except OSError as worse:
            values = {"detail": str(worse), "id": journal.id}
            return self._ended(MendingResult.NOT_DONE, id=journal.id, reason="not-put-back", values=values)
        aside = aside_of(journal.store)
        more: dict[str, object] = {"moved_to": str(aside) if aside.is_dir() else ""}
        match error:
            case NotApplied():
                more |= {"commands": (error.line,), "said": error.said, "before": kept_run(before)}
                return self._ended(MendingResult.NOT_APPLIED, **more)
            case NotTriable():
                return self._ended(MendingResult.NOT_DONE, reason=error.reason, values=error.values, **more)
            case Cancelled() | Stopped():
                return self._ended(MendingResult.NOT_DONE, reason="stopped", **more)
            case _:
                more["values"] = {"detail": str(error)}
                return self._ended(MendingResult.NOT_DONE, reason="not-saved", **more)

    def _others(self, variables: Mapping[str, str]) -> Iterator[ProgramRun]:
        """What else had failed, as it runs now; less of it where somebody asks to end."""
        with contextlib.suppress(Cancelled):
            for other in self.proposed.others:
                yield self._run(other, variables)

    def _remember(self, journal: Journal, runs: tuple[ProgramRun, ...]) -> None:
        """Note that it works in the environment as it is now. Whatever goes wrong with it undoes nothing."""
        if self.history is None:
            return
        try:
            number = remember_mended(self.facts, runs, Store(self.history))
            journals.write(msgspec.structs.replace(journal, remembered=number or 0))
        except OSError:
            log.warning("that it works could not be remembered", exc_info=True)

    def _run(self, witness: Witness, variables: Mapping[str, str]) -> ProgramRun:
        """What failed, again, in the user's environment, into which nothing is compiled.

        Raises:
            Cancelled: somebody asked to end.
        """
        if self.cancelled():
            raise Cancelled
        limit = seconds_for(witness.run, self.seconds) if witness.run else max(self.seconds, PATIENCE)
        plain = {**variables, "PYTHONDONTWRITEBYTECODE": "1"}
        run = witness.started(witness.command, plain, limit, self.cancelled)
        if run.end == ProgramEnd.CANCELLED:
            raise Cancelled
        return run
