"""Save every case by itself, list them, open, name, delete and bring them back, in the background of the window."""

from __future__ import annotations

import contextlib
import functools
import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from wizard.case_model import CaseModel, Notice
from wizard.evidence_files import Given, Kind
from wizard.flow import EFFORTS, EXACTNESS, NOTHING, SYMPTOMS, Answers
from wizard.jobs.program import Program

if TYPE_CHECKING:  # loaded on a worker thread, after the first window
    import datetime as dt

    from checks.facts.case import Case
    from checks.history.cases import Cases, Heading
    from checks.history.drafts import Drafts

    Start = Callable[[Callable[[], Any], Callable[[Any], object], Callable[[Exception], object]], None]

log = logging.getLogger(__name__)
_MOST_UNDONE = 50


class CaseJobs(QObject):
    """The user's cases. Where nothing is to be remembered, or the folder cannot be read, there are none."""

    opened = Signal()  # a case of the list is in the model
    listed = Signal()  # the list was read

    def __init__(self, case: CaseModel, start: Start, is_taken: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._case, self._start, self._is_taken = case, start, is_taken
        self._turn = threading.Lock()  # of what is written, one thing after the other
        self._before = threading.Event()  # what was asked for last is done: all is done in the order of asking
        self._before.set()
        self.undo = QUndoStack(self)  # of what was done with cases since the start
        self.undo.setUndoLimit(_MOST_UNDONE)
        self._lot = Lot()
        self.was_listed = False
        self._shown_deleted: tuple[str, Case | None, int | None] = ("", None, None)  # and with what it was shown

    def list(self) -> None:
        """Read the list; what was deleted long ago goes."""
        self._do(_listed, self._listed)

    def keep(self, case: Case, lot: Lot | None = None) -> None:
        """Save what was found: as a new case, or as what the present one has become."""
        name = self._case.case_id
        self._do(lambda: _kept(case, name), lambda heading: self._kept(case, heading, lot), "cases-not-kept")

    def keep_aside(self, case: Case, lot: Lot) -> None:
        """Save a case that is not shown."""
        self._do(lambda: _kept(case, ""), lambda heading: self._kept(case, heading, lot), "cases-not-kept")

    def note(self, program: Program | None = None) -> None:
        """What is being examined, or the program that is being watched, for the next start if this one is killed."""
        answers, name = self._case.answers, self._case.case_id
        self._do(lambda: _noted(answers, name, program), lambda _: None, "")

    def note_done(self) -> None:
        """It is over."""
        self._do(_note_done, lambda _: None, "")

    def leave(self) -> None:
        """Whoever ends the window on purpose is not asked to go on the next time."""
        try:
            _note_done()
        except Exception:
            log.exception("the note of what was examined could not be removed")

    def find_left(self, take: Callable[[Answers, str, Program | None], object]) -> None:
        """Hand over what a killed window was doing: its answers, their case, and the program that was watched."""
        self._do(_left, lambda found: take(*found) if found is not None else None, "")

    def begin_lot(self) -> Lot:
        """For cases that came together."""
        self._lot = Lot()
        return self._lot

    def join_lot(self) -> None:
        """What came together last is one case, so that those of its parts go, also what is still to come of them."""
        self._lot.is_joined = True
        names = tuple(self._lot.names)
        if names:
            self._do(lambda: _remove(names), lambda _: self.list())

    def keep_again(self, case: Case) -> None:
        """Save the case that is shown anew: its remedies were tried, or carried out."""
        name, version = self._case.case_id, self._case.version
        if name:
            replace = functools.partial(_replaced, case, name, version)
            self._do(replace, lambda heading: self._kept(case, heading, None), "cases-not-kept")

    def open(self, name: str, version: int | None = None) -> None:
        """Show a case of the list, or an earlier version of it; nothing happens while something else is done."""
        if not self._is_taken() and (name != self._case.case_id or version != self._case.version):
            self._case.set_busy("busy-opening")
            done = self._start_reading(name, version)
            self._start(self._in_turn(lambda: _read(name, version)), done, self._not_opened)

    def _start_reading(self, name: str, version: int | None) -> Callable[[Case], object]:
        def done(case: Case) -> None:
            self._opened(name, case, version)
            if version is not None:
                act = ("cases-show-latest", lambda: self.open(name))
                self._case.tell(Notice("cases-version-shown", is_error=False, act=act))

        return done

    def versions(self, heading: Heading) -> dict[int, dt.datetime]:
        """The versions of a case and when each was saved, the oldest first; none where they cannot be read."""
        with contextlib.suppress(KeyError, OSError):
            return _store().saved_at(heading.id)
        return {}

    def rename(self, name: str, title: str) -> None:
        """Give a case a title of the user's own."""
        before = next((heading.title for heading in self._case.headings if heading.id == name), "")
        self._act("cases-undo-rename", functools.partial(self._rename, name, title), lambda: self._rename(name, before))

    def mark(self, name: str, *, answered: bool) -> None:
        """Note whether whoever asked has had an answer."""
        act = functools.partial(self._mark, name, answered)
        self._act("cases-undo-mark", act, lambda: self._mark(name, not answered))

    def was_answered(self) -> None:
        """The answer to the ticket that is shown was copied."""
        shown = self._case.heading
        if shown is not None and shown.is_ticket and not shown.is_answered:
            self.mark(shown.id, answered=True)

    def delete(self, name: str) -> None:
        """Put a case aside; undo and :meth:`bring_back` take that back."""
        self._act("cases-undo-delete", functools.partial(self._delete, name), lambda: self.bring_back(name))

    def deleted(self) -> tuple[Heading, ...]:
        """What was deleted and can be brought back, the last one first."""
        with contextlib.suppress(KeyError, OSError):
            return _store().deleted()
        return ()

    def bring_back(self, name: str) -> None:
        """Bring back a case that was deleted, if that was not done already."""
        self._do(lambda: _store().restore(name), self._brought_back)

    def keep_reply(self, language: str, text: str, of: str) -> bool:
        """Save the answer to the ticket that is shown as its writer has changed it; whether that is done.

        ``of``: when the version was made that it answers. Where it cannot be saved, the window says so.
        """
        if self._case.heading is None:
            return True
        try:  # at once: the window may be about to close
            with self._turn:
                _store().keep_reply(self._case.case_id, language, text, of)
        except (KeyError, OSError) as error:
            self._failed(error, "reply-not-kept")
            return False
        return True

    def reply(self, language: str, of: str) -> str:
        """What :meth:`keep_reply` saved for a version of the case that is shown; "" where there is nothing."""
        with contextlib.suppress(KeyError, OSError):
            return _store().reply(self._case.case_id, language, of)
        return ""

    def delete_all(self) -> None:
        """Remove all cases for good."""
        self._do(_delete_all, self._were_deleted)

    # --- what comes of it

    def _listed(self, headings: tuple[Heading, ...] | None) -> None:
        self.was_listed = True
        before = (self._case.keeps_cases, self._case.headings)
        self._case.keeps_cases = headings is not None
        if before != (self._case.keeps_cases, headings or ()):
            self._case.set_headings(headings or ())
        self.listed.emit()

    def _kept(self, case: Case, heading: Heading | None, lot: Lot | None) -> None:
        if heading is None:
            return
        if lot is not None and lot.is_joined:
            self._do(lambda: _remove((heading.id,)), lambda _: None)
            return
        if lot is not None:
            lot.names.append(heading.id)
        self._case.was_saved(case, heading.id)
        self._changed(heading)

    def _opened(self, name: str, case: Case, version: int | None) -> None:
        self._case.show_kept(case, name, version)
        self.opened.emit()

    def _not_opened(self, error: Exception) -> None:
        self._case.set_busy("")
        self._failed(error, "cases-unreadable")

    def _changed(self, heading: Heading) -> None:
        others = (other for other in self._case.headings if other.id != heading.id)
        in_order = sorted((heading, *others), key=lambda one: (one.changed, one.id), reverse=True)
        self._case.set_headings(tuple(in_order))

    def _rename(self, name: str, title: str, of: _Act | None = None) -> None:
        self._do(lambda: _store().rename(name, title), self._changed, of=of)

    def _mark(self, name: str, answered: bool, of: _Act | None = None) -> None:
        self._do(lambda: _store().mark(name, answered=answered), self._changed, of=of)

    def _delete(self, name: str, of: _Act | None = None) -> None:
        self._do(lambda: _store().delete(name), lambda _: self._was_deleted(name), of=of)

    def _act(self, key: str, act: Callable[[_Act], object], back: Callable[[], object]) -> None:
        """Do something that can be undone."""
        self.undo.push(_Act(key, act, back))

    def _was_not_done(self, act: _Act) -> None:
        """There is nothing to undo of it."""
        act.setObsolete(True)
        place = self.undo.index() - 1
        if place >= 0 and self.undo.command(place) is act:
            self.undo.undo()  # of what is obsolete it only forgets it

    def _was_deleted(self, name: str) -> None:
        title = next((heading.named(self._case.language) for heading in self._case.headings if heading.id == name), "")
        self._case.set_headings(tuple(heading for heading in self._case.headings if heading.id != name))
        if self._case.case_id == name:
            self._shown_deleted = (name, self._case.case, self._case.version)
            self._case.set_case_id("")
        undo = ("cases-bring-back", lambda: self.bring_back(name))
        self._case.tell(Notice("cases-deleted", {"title": title}, is_error=False, act=undo))

    def _brought_back(self, heading: Heading) -> None:
        if self._case.notice is not None and self._case.notice.key == "cases-deleted":
            self._case.tell(None)
        name, case, version = self._shown_deleted
        if name == heading.id and case is self._case.case and not self._case.case_id:  # which is shown still
            self._case.version = version
            self._case.set_case_id(name)
        self._changed(heading)

    def _were_deleted(self, count: int) -> None:
        self.undo.clear()
        self._case.set_headings(())
        self._case.set_case_id("")
        self._case.tell(Notice("cases-deleted-all", {"count": count}, is_error=False))

    def _do(
        self,
        act: Callable[[], Any],
        done: Callable[[Any], object],
        trouble: str = "cases-trouble",
        of: _Act | None = None,
    ) -> None:
        def failed(error: Exception) -> None:
            if of is not None:
                self._was_not_done(of)
            self._failed(error, trouble)

        self._start(self._in_turn(act), done, failed)

    def _in_turn(self, act: Callable[[], Any]) -> Callable[[], Any]:
        before, done = self._before, threading.Event()
        self._before = done

        def in_turn() -> Any:
            before.wait()
            try:
                with self._turn:
                    return act()
            finally:
                done.set()

        return in_turn

    def _failed(self, error: Exception, key: str) -> None:
        from checks.sharing.case import CaseError

        if not key:  # what is only kept for a start that may never come
            log.warning("what is being examined could not be noted", exc_info=error)
            return
        if isinstance(error, KeyError):  # another window has deleted it
            self.list()
            self._case.tell(Notice("cases-gone"))
            return
        if not isinstance(error, (OSError, CaseError)):
            log.error("a case could not be saved, read or changed", exc_info=error)
        detail = Notice(f"errors.{error.reason}") if isinstance(error, CaseError) else _reason(error)
        self._case.tell(Notice(key, {"detail": detail}))


class _Act(QUndoCommand):
    """Something done with a case. Its text is the key of what the menu calls it."""

    def __init__(self, key: str, act: Callable[[_Act], object], back: Callable[[], object]) -> None:
        super().__init__(key)
        self._do, self._back = act, back

    def redo(self) -> None:
        """Do it, also for the first time."""
        self._do(self)

    def undo(self) -> None:
        """Take it back."""
        self._back()


@dataclass
class Lot:
    """Cases that came together: the names of those that were saved, and whether they are to be one."""

    names: list[str] = field(default_factory=list)
    is_joined: bool = False


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _store() -> Cases:
    """The user's cases.

    Raises:
        KeyError: nothing is to be remembered.
    """
    from checks.history.cases import Cases, cases_folder

    folder = cases_folder()
    if folder is None:
        raise KeyError(folder)
    return Cases(folder)


def _delete_all() -> int:
    from checks.history.cases import Cases, place_of_cases

    folder = place_of_cases()  # also where none is saved any more
    return Cases(folder).delete_all() if folder is not None else 0


def _is_on() -> bool:
    from checks.history.cases import cases_folder

    return cases_folder() is not None


def _listed() -> tuple[Heading, ...] | None:
    """The list; None where none is kept."""
    if not _is_on():
        return None
    store = _store()
    store.empty()
    return store.headings()


def _kept(case: Case, name: str) -> Heading | None:
    from wizard.report.content.findings.listed import verdicts_of

    if not _is_on():
        return None
    store, verdicts = _store(), verdicts_of(case)
    try:
        return store.add_version(name, case, verdicts) if name else store.add(case, verdicts)
    except KeyError:  # deleted meanwhile
        return store.add(case, verdicts)


def _replaced(case: Case, name: str, version: int | None) -> Heading | None:
    from wizard.report.content.findings.listed import verdicts_of

    return _store().replace(name, case, verdicts_of(case), version) if _is_on() else None


def _remove(names: Iterable[str]) -> None:
    """For good: what their parts tell is in the case that they have become."""
    store = _store()
    for name in names:
        store.remove(name)


def _read(name: str, version: int | None) -> Case:
    return _store().read(name, version)


def _drafts() -> Drafts | None:
    from checks.history.cases import cases_folder
    from checks.history.drafts import Drafts

    folder = cases_folder()
    return None if folder is None else Drafts(folder.parent / "drafts")


def _noted(answers: Answers, name: str, program: Program | None) -> None:
    from checks.history.drafts import Draft
    from checks.sharing.redact import secretless

    drafts = _drafts()
    if drafts is not None:
        drafts.note(
            Draft(
                symptom=answers.symptom,
                exactness=answers.exactness,
                effort=answers.effort,
                text=secretless(answers.text),
                files=tuple((str(given.path), given.kind.value) for given in answers.given),
                target=answers.target,
                case=name,
                command=secretless(program.line) if program else "",
                folder=program.folder if program else "",
                seconds=program.seconds if program else 0,
            )
        )


def _note_done() -> None:
    from checks.history.drafts import Drafts
    from checks.history.store import default_folder

    folder = default_folder()
    if folder is not None:  # also where remembering was switched off meanwhile
        Drafts(folder / "drafts").done()


def _left() -> tuple[Answers, str, Program | None] | None:
    drafts = _drafts()
    draft = drafts.left() if drafts is not None else None
    if draft is None or draft.symptom not in SYMPTOMS:
        return None
    kinds = {kind.value: kind for kind in Kind}
    given = tuple(Given(Path(path), kinds[kind]) for path, kind in draft.files if kind in kinds)
    answers = Answers(
        symptom=draft.symptom,
        exactness=draft.exactness if draft.exactness in EXACTNESS else "",
        effort=draft.effort if draft.effort in (*EFFORTS, NOTHING) else "",
        text=draft.text,
        given=given,
        target=draft.target,
    )
    program = Program(draft.command, draft.folder, draft.seconds, draft.target) if draft.command else None
    return answers, draft.case, program
