"""Undo what was carried out: the files of the environment are put back as they were kept."""

from __future__ import annotations

import logging
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from checks.engine.processes.tree import end_left_by
from checks.facts.case import Case
from checks.history.remember import remember_undone
from checks.history.store import Store, default_folder
from checks.judgement.judge import judged
from checks.mending import journal as journals
from checks.mending import manifest, permission
from checks.mending.journal import Journal, Stage
from checks.mending.permission import NotMended
from checks.mending.snapshot import aside_of, discard, hindrances, put_back, read_kept, to_move_aside

log = logging.getLogger(__name__)

_MOST_NAMED = 5


class Impatient(KeyboardInterrupt):
    """Somebody was impatient while it was carried out or put back; everything is put back all the same.

    ``prefix``: of the environment. ``aside``: the folder into which was moved what may be the user's own work; None:
    nothing was.
    """

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal.id)
        self.prefix = journal.prefix
        self.aside = _aside(journal)


@dataclass(frozen=True)
class Undone:
    """``lost``: files that could not be put back, because something wrote into them in place; none as a rule.

    ``aside``: the folder into which was moved what may be the user's own work; None: nothing was.
    """

    journal: Journal
    lost: tuple[str, ...] = ()
    aside: Path | None = None

    @property
    def key(self) -> str:
        """Behind "undone-" in resources/words/mendings.toml: what there is to say."""
        return "-".join(key for key, is_so in (("but", self.lost), ("aside", self.aside)) if is_so) or "line"


def undo(journal: Journal) -> Undone:
    """Undo it.

    Raises:
        NotMended: it must not, or cannot be; nothing is changed then.
        OSError: the environment cannot be written. It may be done again.
    """
    check_undo(journal)
    if read_kept(journal.store) is None:  # it was killed before anything was changed
        forget(journal)
        return Undone(journal)
    process = psutil.Process()
    journal = msgspec.structs.replace(
        journal, stage=Stage.UNDOING, process=process.pid, process_began=process.create_time()
    )
    journals.write(journal)
    lost = put_all_back(journal, is_interrupted=True)
    _remember(journal)
    return Undone(journal, lost, _aside(journal))


def _aside(journal: Journal) -> Path | None:
    folder = aside_of(journal.store)
    return folder if folder.is_dir() else None


def _remember(journal: Journal) -> None:
    """Note that the environment is as before, where the history says that it works. What goes wrong is no reason."""
    folder = default_folder()
    if journal.remembered and folder is not None:
        try:
            remember_undone(journal.remembered, journal.python, Store(folder))
        except OSError:
            log.warning("that it is undone could not be remembered", exc_info=True)


def moved_aside(journal: Journal) -> tuple[str, ...]:
    """What an undo would move aside, because it may be the user's own work."""
    kept, prefix = read_kept(journal.store), Path(journal.prefix)
    try:
        changed = () if kept is None else (*hindrances(prefix, kept), *manifest.hindrances(journal.store))
        if kept is None or (journal.stage is Stage.DONE and changed):
            return ()
        moved = to_move_aside(prefix, journal.store, kept, is_interrupted=journal.is_half_done)
        return (*moved, *manifest.to_move_aside(journal.store))
    except OSError:
        return ()


def standing(case: Case) -> Journal | None:
    """What was carried out last in the environment of a case of this machine, whichever examination led to it.

    None: nothing was that can be undone; what is half done is offered elsewhere.
    """
    target = case.facts.target_interpreter
    if not case.facts.here or target is None or target.prefix is None:
        return None
    prefix = os.path.realpath(target.prefix)
    last = next((one for one in journals.journals() if os.path.realpath(one.prefix) == prefix), None)
    return last if last is not None and last.stage is Stage.DONE else None


def with_undone(case: Case, number: str) -> Case:
    """Undo what was carried out for a case; returns the case that says so.

    Raises:
        NotMended: it must not, or cannot be.
        OSError: the environment cannot be written.
    """
    journal = next((journal for journal in journals.journals() if journal.id == number), None)
    if journal is None:
        raise NotMended("not-kept", path=number)
    done = undo(journal)
    mendings = tuple(
        msgspec.structs.replace(mending, is_undone=True, lost=done.lost, moved_to=str(done.aside or ""))
        if mending.id == number
        else mending
        for mending in case.facts.mendings
    )
    facts = msgspec.structs.replace(case.facts, mendings=mendings)
    return judged(facts, case.answers, created=case.created, complete=case.complete)


def put_back_surely(journal: Journal) -> None:
    """Put back what was kept, though somebody is impatient: it takes but a moment, and half done is worse.

    Raises:
        OSError: the environment cannot be written.
        Impatient: somebody was; everything is put back.
    """
    try:
        put_all_back(journal)
    except KeyboardInterrupt:
        put_all_back(journal)
        raise Impatient(journal) from None


def put_all_back(journal: Journal, *, is_interrupted: bool = False) -> tuple[str, ...]:
    """Put back what was kept, and forget it; returns the files that cannot be put back, which are none as a rule.

    ``is_interrupted``: others may have written there since; see :func:`put_back`.

    Raises:
        OSError: the environment cannot be written.
    """
    kept = read_kept(journal.store)
    prefix, store = Path(journal.prefix), journal.store
    lost = put_back(prefix, store, kept, is_interrupted=is_interrupted) if kept else ()
    manifest.put_back(store, aside_of(store))
    discard(journal.store, journal.modified)
    journals.remove(journal)
    return lost


def check_undo(journal: Journal) -> None:
    """See whether it can be undone.

    Raises:
        NotMended: it cannot; ``reason`` says why.
    """
    if permission.is_administrator():
        raise NotMended("root")
    prefix = Path(journal.prefix)
    if hasattr(os, "geteuid") and prefix.stat().st_uid != os.geteuid():
        raise NotMended("of-another", path=journal.prefix, owner="?")
    if journal.is_under_way and journal.process != os.getpid():
        raise NotMended("under-way", path=journal.prefix)
    others = (other for other in journals.journals() if other.prefix == journal.prefix and other.id > journal.id)
    newer = next(others, None)
    if newer is not None:
        raise NotMended("newer", id=newer.id)
    if not psutil.pid_exists(journal.process):
        end_left_by(journal.process)
    kept = read_kept(journal.store)
    if kept is None:
        if journal.stage is Stage.SAVING:
            return
        raise NotMended("not-kept", path=str(journal.store))
    changed = (*hindrances(prefix, kept), *manifest.hindrances(journal.store))
    if journal.stage is not Stage.UNDOING and changed:
        named = ", ".join(changed[:_MOST_NAMED]) + (" ..." if len(changed) > _MOST_NAMED else "")
        raise NotMended("changed-since", paths=named, commands=" && ".join(way_back(journal)))


def way_back(journal: Journal) -> tuple[str, ...]:
    """The commands that install what was there before, for where the files are not put back."""
    python = shlex.quote(journal.python)
    gone = [change.name for change in journal.changes if change.version_before is None]
    had = [f"{change.name}=={change.version_before}" for change in journal.changes if change.version_before]
    lines = []
    if gone:
        lines.append(f"{python} -m pip uninstall -y {shlex.join(gone)}")
    if had:
        lines.append(f"{python} -m pip install --no-deps {shlex.join(had)}")
    return tuple(lines)


def forget(journal: Journal) -> None:
    """Forget what was kept: it cannot be undone any more."""
    discard(journal.store, journal.modified if journal.stage is Stage.SAVING else None)
    journals.remove(journal)


def tidy() -> None:
    """Remove what a process left that was killed before it changed anything."""
    for journal in journals.journals():
        if journal.stage is Stage.SAVING and not journal.is_under_way and not permission.is_administrator():
            forget(journal)
