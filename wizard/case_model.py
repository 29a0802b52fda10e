"""What the pages show: the answers, the interpreters, the running examination and the case. Pages send edits here."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from wizard.evidence_files import Given, Kind, kind_of, near_folder, unicode
from wizard.flow import NOTHING, SYMPTOMS, TICKET, Answers, Progress
from wizard.run_state import Running
from wizard.words import system_language, words

if TYPE_CHECKING:  # loaded when the first examination starts, not before the first window
    from checks.engine.events import Event
    from checks.facts import InterpreterFacts, ProgramRun
    from checks.facts.case import Case
    from checks.history.cases import Heading
    from checks.mending.journal import Journal
    from checks.mending.mend import Doing
    from checks.mending.permission import NotMended
    from checks.mending.proposal import Proposal
    from checks.proof.trial import Trying

_FEW = 8  # names in a sentence


class Search(Enum):
    """The state of the search for interpreters."""

    IDLE = "idle"
    BUSY = "busy"
    DONE = "done"


@dataclass(frozen=True)
class Notice:
    """One sentence for the user: a key of window.toml or "area.key", and what fills it. Translated when shown.

    A value may be another sentence. ``act``: the key of a button's text, and what it does.
    """

    key: str
    values: Mapping[str, object] = field(default_factory=dict)
    is_error: bool = True
    act: tuple[str, Callable[[], object]] | None = None


class CaseModel(QObject):
    """The one thing that all pages observe. ``changed`` after every edit, ``progressed`` after every engine event."""

    changed = Signal()
    progressed = Signal()
    language_changed = Signal()
    cases_changed = Signal()  # the list of cases is another, or another of them is shown
    left = Signal()  # the case is another one: what was typed for the one before does not belong to it

    def __init__(self, language: str | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.language = language or system_language()
        self.answers = Answers()
        self._aside = Answers()  # the text and files of a ticket while this machine is asked about, or the other way
        self.interpreters: tuple[InterpreterFacts, ...] = ()
        self.search = Search.IDLE
        self.searched_near: Path | None = None  # the folder that the last search began with
        self.target_notice: Notice | None = None
        self.is_running = False
        self.is_watching = False  # the user's own program runs
        self.is_looking = False  # it ran before, and goes on
        self.program_runs: tuple[ProgramRun, ...] = ()  # for the next examination
        self.local_program = ""  # with a runtime of its own, that the next examination is about
        self.is_proving = False  # remedies are tried in throw-away copies
        self.proving_step: Trying | None = None
        self.is_mending = False  # a proven remedy is carried out in the user's environment, or undone
        self.mending_step: Doing | None = None
        self._proposed: tuple[Case | None, Proposal | None, NotMended | None] = (None, None, None)
        self._standing: tuple[Case | None, Journal | None] = (None, None)
        self.running = Running()
        self.case: Case | None = None
        self.case_before: Case | None = None  # of the last whole run of the same target, to say what changed
        self.opened: Path | None = None  # the file that the case came from
        self._kept: Case | None = None  # of this machine, written or copied
        self._own: tuple[str, int | None] = ("", None)  # case_id and version of that one
        self.headings: tuple[Heading, ...] = ()  # of the cases that saved themselves, the last changed first
        self.keeps_cases = True  # unless the user wants nothing to be remembered
        self.case_id = ""  # the one of them that is shown: what is examined now is what that becomes
        self.version: int | None = None  # of it, where an earlier result is shown: it has been examined again since
        self.own_case: Case | None = None  # of the last run here, while a report that was sent is shown
        self.notice: Notice | None = None
        self.busy = ""  # key of what is being done on the side ("opening", "exporting"), "" when idle

    @property
    def is_free(self) -> bool:
        """Whether nothing runs, is watched or is worked on, so that another case may begin."""
        return not (self.is_running or self.is_watching or self.busy)

    # --- words

    def say(self, key: str, /, **values: object) -> str:
        """A text of window.toml in the present language."""
        return words(f"window.{key}", self.language, **values)

    def sentence(self, notice: Notice) -> str:
        """A notice in the present language."""
        key = notice.key if "." in notice.key else f"window.{notice.key}"
        values = {
            name: self.sentence(value) if isinstance(value, Notice) else value for name, value in notice.values.items()
        }
        return words(key, self.language, **values)

    def listed(self, paths: Iterable[Path]) -> str:
        """The names of files, of many the first ones."""
        names = [path.name for path in paths]
        more = (self.say("more", count=len(names) - _FEW),) if len(names) > _FEW else ()
        return self.say("list-separator").join((*names[:_FEW], *more))

    def set_language(self, language: str) -> None:
        """Switch to "en" or "ja" at once."""
        if language != self.language:
            self.language = language
            self.language_changed.emit()

    # --- answers

    @property
    def progress(self) -> Progress:
        """How far the walk has come, for the flow."""
        is_ticket = self.case is not None and self.case.facts.reported
        return Progress(
            self.is_running or self.is_watching,
            self.case is not None,
            self.opened is not None,
            is_ticket,
            self.is_watching,
        )

    def set_symptom(self, symptom: str) -> None:
        """What happened, one of flow.SYMPTOMS. What was given for a ticket never goes into an examination, nor back."""
        before = self.answers
        if not before.symptom or (symptom == TICKET) is (before.symptom == TICKET):
            self.answer(symptom=symptom)
            return
        self._aside, back = before, self._aside
        is_left = bool(before.text.strip() or before.given)
        key = "kept-with-ticket" if before.symptom == TICKET else "kept-with-examination"
        self.notice = Notice(key, is_error=False) if is_left else None
        self.answer(symptom=symptom, text=back.text, given=back.given)

    def set_text(self, text: str) -> None:
        """The pasted error text or log."""
        self.answer(text=unicode(text))

    def add_files(self, paths: Iterable[Path], kind: Kind | None = None) -> None:
        """Files given as evidence, each once; their kind by the name where none is given. Models have one input."""
        before = (file for file in self.answers.given if kind is not Kind.INPUT or file.kind is not kind)
        given = {file.path: file for file in before}
        given |= {path: Given(path, kind or kind_of(path)) for path in paths}
        self.answer(given=tuple(given.values()))

    def remove_file(self, path: Path) -> None:
        """Take a given file back."""
        self.answer(given=tuple(file for file in self.answers.given if file.path != path))

    def remove_files(self) -> None:
        """Take all given files back."""
        self.answer(given=())

    def set_target(self, path: str) -> None:
        """The interpreter to examine."""
        if path != self.answers.target or self.target_notice is not None:
            self.target_notice = None
            self.answers = dataclasses.replace(self.answers, target=path)
            self.changed.emit()

    def answer(self, **edits: object) -> None:
        """Change fields of the answers (flow.Answers) that mean nothing for the other fields."""
        answers = dataclasses.replace(self.answers, **edits)  # type: ignore[arg-type]
        if answers != self.answers:
            self.answers = answers
            self.changed.emit()

    # --- interpreters

    def needs_search(self) -> bool:
        """Whether nothing was searched yet, or the evidence now points to another folder."""
        return self.search is Search.IDLE or (
            self.search is Search.DONE and self.searched_near != near_folder(self.answers.given)
        )

    def search_began(self) -> None:
        """Interpreters are being looked for."""
        self.search = Search.BUSY
        self.target_notice = None
        self.changed.emit()

    def search_ended(
        self, found: tuple[InterpreterFacts, ...], likely: str | None, notice: Notice | None = None
    ) -> None:
        """The interpreters that were found. The likely one is chosen, unless the user's choice is still there."""
        self.search = Search.DONE
        self.interpreters = found
        self.target_notice = notice
        paths = {other.path for other in found}
        if self.answers.target not in paths:
            self.answers = dataclasses.replace(self.answers, target=likely or "")
        self.changed.emit()

    def add_interpreter(self, interpreter: InterpreterFacts) -> None:
        """An interpreter that the user chose himself: listed first, and the target."""
        others = tuple(other for other in self.interpreters if other.path != interpreter.path)
        self.interpreters = (interpreter, *others)
        self.search = Search.DONE
        self.target_notice = None
        self.answers = dataclasses.replace(self.answers, target=interpreter.path)
        self.changed.emit()

    def refuse_target(self, notice: Notice) -> None:
        """The chosen path is no interpreter; what was chosen before stays."""
        self.search = Search.DONE
        self.target_notice = notice
        self.changed.emit()

    # --- the examination and its case

    def run_began(self) -> None:
        """An examination starts; the last whole one of the same target is kept for comparison.

        One that was cancelled has not reached everything: beside it much would look new.
        """
        last = self.case if self.opened is None and self.version is None else None
        if last is not None and not last.complete:
            last = self.case_before
        same = last is not None and last.facts.target == self.answers.target
        self.case_before = last if same else None
        self.running = Running()
        self.is_running = True
        self.notice = None
        self.changed.emit()

    def watch_began(self, *, looking: bool = False) -> None:
        """The user's program is being started; ``looking``: one that runs already is looked at."""
        self.is_watching, self.is_looking = True, looking
        self.program_runs = ()
        self.notice = None
        self.changed.emit()

    def watch_ended(self, run: ProgramRun | None, python: InterpreterFacts | None, notice: Notice | None) -> None:
        """It is over: the Python that ran it is the one to examine. Without a run it could not be begun."""
        self.is_watching = False
        self.notice = notice
        self.program_runs = (run,) if run is not None else ()
        if python is not None:
            self.add_interpreter(python)
        self.changed.emit()

    def take(self, event: Event) -> None:
        """Note an event of the engine."""
        self.running.take(event)
        self.progressed.emit()

    def run_ended(self, case: Case | None, notice: Notice | None = None) -> None:
        """The examination is over. Without a case (a bug of ours) the one before stays."""
        self.is_running = False
        self.notice = notice
        if case is not None:
            self.case = case
            self.opened, self.own_case, self.version = None, None, None
            if case.facts.reported:  # a ticket tells of another machine
                self.case_before = None
        self.changed.emit()

    def proving_began(self) -> None:
        """The remedies of the case are about to be tried."""
        self.is_proving, self.proving_step = True, None
        self.notice = None
        self.set_busy("busy-proving")

    def proving(self, step: Trying) -> None:
        """How far that is."""
        self.proving_step = step
        self.progressed.emit()

    def proving_ended(self, case: Case | None, notice: Notice | None = None) -> None:
        """They were tried; without a case something of ours went wrong, and the one before stays."""
        self.is_proving, self.proving_step = False, None
        if case is not None:
            self.case = case
        self.set_notice(notice)

    def set_proposed(self, case: Case, found: Proposal | NotMended | None, standing: Journal | None = None) -> None:
        """What can be carried out for a case, or why it may not; and what was in its environment before."""
        known = (*self._proposed[1:], self._standing[1])
        self._standing = (case, standing)
        is_refused = isinstance(found, Exception)
        self._proposed = (case, None if is_refused else found, found if is_refused else None)  # type: ignore[assignment]
        if any(one is not None for one in (found, standing, *known)):
            self.changed.emit()

    @property
    def proposal(self) -> Proposal | None:
        """What can be carried out for the case that is shown."""
        return self._proposed[1] if self._proposed[0] is self.case and self.opened is None else None

    @property
    def standing(self) -> Journal | None:
        """What was carried out last in the environment of the case that is shown, and can be undone."""
        return self._standing[1] if self._standing[0] is self.case and self.opened is None else None

    @property
    def proposal_refused(self) -> NotMended | None:
        """Why nothing may be carried out for it, though a remedy was proven."""
        return self._proposed[2] if self._proposed[0] is self.case and self.opened is None else None

    def case_grew(self, case: Case) -> None:
        """More was found out about the case that is shown."""
        self.case = case
        self.set_notice(None)

    def mending_began(self) -> None:
        """An environment of the user's is about to be changed."""
        self.is_mending, self.mending_step = True, None
        self.notice = None
        self.set_busy("busy-mending")

    def mending(self, step: Doing) -> None:
        """How far that is."""
        self.mending_step = step
        self.progressed.emit()

    def mending_ended(self, case: Case | None, notice: Notice | None = None) -> None:
        """It is over; without a case nothing was changed, and the notice says why."""
        self.is_mending, self.mending_step = False, None
        if case is not None:
            self.case = case
        self.set_notice(notice)

    def show_opened(self, case: Case, path: Path) -> None:
        """A case that came out of a file."""
        if self.opened is None:
            self.own_case, self._own = self.case, (self.case_id, self.version)
        self.case, self.opened, self.case_before = case, path, None
        self.busy = ""
        self.notice = None
        self._leave("")

    def show_own(self) -> None:
        """Back from a report that was sent to the one of this machine."""
        self.case, self.opened, self.own_case = self.own_case, None, None
        self.notice = None
        self._leave(*self._own)

    def was_kept(self) -> None:
        """The report that is shown was written or copied."""
        if self.opened is None:
            self._kept = self.case

    # --- the list of cases

    @property
    def heading(self) -> Heading | None:
        """What the list shows of the present case; None where it is not in the list."""
        return next((heading for heading in self.headings if heading.id == self.case_id), None)

    def set_headings(self, headings: tuple[Heading, ...]) -> None:
        """All cases of the list."""
        self.headings = headings
        self.cases_changed.emit()

    def set_case_id(self, name: str) -> None:
        """Under this name the case that is shown is in the list; "" where it is not."""
        self.case_id = name
        if name:
            self._kept = self.case
        self.cases_changed.emit()

    def was_saved(self, case: Case, name: str) -> None:
        """A case has saved itself under this name; by now another one may be shown."""
        if self.case is case:
            self.set_case_id(name)
        elif self.own_case is case:
            self._own, self._kept = (name, self._own[1]), case

    def _leave(self, name: str, version: int | None = None) -> None:
        self.left.emit()
        self.version = version
        self.set_case_id(name)
        self.changed.emit()

    def begin(self, **answers: object) -> None:
        """A new case, to which nothing of the one before belongs but the interpreters, and that nothing goes out."""
        before = self.answers
        kept = Answers(target=before.target, offline=before.offline)
        self.answers = dataclasses.replace(kept, **answers)  # type: ignore[arg-type]
        self._aside = Answers()
        self.case = self.case_before = self.own_case = self.opened = None
        self.program_runs, self.local_program = (), ""
        self.notice = None
        self._leave("")

    def take_up(self, answers: Answers, name: str) -> None:
        """Go on with what was being examined when the program was killed."""
        self.begin()
        self.answers = answers
        self.set_case_id(name if any(heading.id == name for heading in self.headings) else "")
        self.changed.emit()

    def examine_here(self) -> None:
        """What was sent happened on this computer: examine it, with the same text, as the same case."""
        self.answers = dataclasses.replace(self.answers, symptom=SYMPTOMS[0])
        self._aside = Answers()
        self.changed.emit()

    def show_kept(self, case: Case, name: str, version: int | None = None) -> None:
        """A case of the list, or an earlier result, with what was asked and given, to be examined again."""
        texts = (sent.text for sent in case.facts.logs if sent.text)
        models = (Path(model.path) for model in case.facts.models)
        self.answers = dataclasses.replace(
            Answers(),
            symptom=case.answers.symptom,
            exactness=case.answers.exactness,
            effort=NOTHING if case.facts.missing.get("measurements") == "not-asked" else case.answers.effort,
            text="\n".join(texts),
            given=tuple(Given(path, Kind.MODEL) for path in models if path.is_absolute()),
            target=case.facts.target or self.answers.target,
            offline=self.answers.offline,
            url=case.facts.served.url if case.facts.served else "",
            served_model=case.facts.served.model if case.facts.served else "",
            is_deterministic=case.facts.served.is_claimed if case.facts.served else False,
        )
        self._aside = Answers()
        if case.facts.target_interpreter is not None and not case.facts.reported:
            known = {interpreter.path for interpreter in self.interpreters}
            if case.facts.target_interpreter.path not in known:
                self.interpreters = (*self.interpreters, case.facts.target_interpreter)
        self.case, self.opened, self.own_case, self.case_before = case, None, None, None
        self._kept = case
        self.program_runs, self.local_program = (), ""
        self.busy, self.notice = "", None
        self._leave(name, version)

    def lost_by_quitting(self) -> str:
        """The key of a sentence about what the end of the program would lose; "" where it is nothing."""
        if self.is_mending:
            return "quit-while-mending"
        if self.is_proving:
            return "quit-while-proving"
        if self.is_running or self.is_watching:
            ends_it = self.is_watching and not self.is_looking
            return "quit-while-watching" if ends_it else "quit-while-running"
        own = self.case if self.opened is None else self.own_case
        is_lost = own is not None and own is not self._kept and not own.facts.reported
        return "quit-unsaved" if is_lost else ""

    # --- notices

    def set_busy(self, key: str) -> None:
        """Something is being done on the side; "" when it is over."""
        self.busy = key
        self.changed.emit()

    def set_notice(self, notice: Notice | None) -> None:
        """What was being done is over, with this sentence or none."""
        self.busy = ""
        self.tell(notice)

    def tell(self, notice: Notice | None) -> None:
        """Show one sentence below the page, or none. What is being done goes on."""
        self.notice = notice
        self.changed.emit()
