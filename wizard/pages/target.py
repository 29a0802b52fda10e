"""Ask which Python interpreter shows the trouble: those found, the likely one chosen, or another one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QRadioButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from wizard.case_model import CaseModel, Search
from wizard.desktop.folders import INTERPRETER, last_folder
from wizard.evidence_files import input_among
from wizard.flow import EFFORTS, LOADS, MODELS, NOTHING, computes
from wizard.jobs.background import Work
from wizard.pages.page import Page
from wizard.widgets.cards import ChoiceCard
from wizard.widgets.labels import escaped_tip, filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.facts import InterpreterFacts

_COLUMNS = ("kind", "python", "frameworks", "path")
_WIDEST = 300  # logical pixels of a column before the path
_PATH = Qt.ItemDataRole.UserRole


class TargetPage(Page):
    """The step that asks: where does it run."""

    name = "target"

    def __init__(self, case: CaseModel, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(case, work, parent)
        self._read_only, self._read_only_means = self._check_box("target-read-only")  # which needs no Python
        self._state = plain_label("muted")
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.setMaximumWidth(220)
        self.bind(self._busy.setAccessibleName, "target-searching")
        self._table = QTableWidget(0, len(_COLUMNS))
        self._table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._table.setTabKeyNavigation(False)
        self._table.setShowGrid(False)
        self._table.setWordWrap(False)
        self._table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._table.verticalHeader().hide()
        header = self._table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        self.bind(self._table.setAccessibleName, "target-table")
        self.bind(self._table.setAccessibleDescription, "target-intro")
        self._own = plain_label()
        self.bind(self._own.setText, "target-own")
        self._offered = plain_label(selectable=True)
        self._chosen = plain_label("small", selectable=True)
        self._problem = plain_label("error", selectable=True)
        self._file = self.button("target-choose-file", self._choose_file)
        self._folder = self.button("target-choose-folder", self._choose_folder)
        self._again = self.button("target-search-again", self.work.search)
        self.body.addLayout(filled(QHBoxLayout(), self._state, self._busy, spacing=8))
        self.body.addWidget(self._own)
        self.body.addWidget(self._offered)
        self.body.addWidget(self._table, 1)
        self.body.addWidget(self._chosen)
        self.body.addWidget(self._problem)
        self.body.addLayout(WrapLayout(self._file, self._folder, self._again))
        # Who looks into model files may ask whether their results repeat; elsewhere that is part of the question.
        self._repeat, self._repeat_means = self._check_box("target-repeat")
        self._add_effort()
        self._offline = QCheckBox()
        self.bind(self._offline.setText, "target-offline")
        self.bind(self._offline.setToolTip, "target-offline-means")
        self.bind(self._offline.setAccessibleDescription, "target-offline-means")
        self.body.addWidget(self._offline)
        self._space = QWidget()  # below the buttons while there is no table
        self.body.addWidget(self._space, 1)
        self._shown: tuple[object, ...] = ()
        self._near = ""  # path of what lies beside the script
        self._target_seen = ""
        self._table.itemSelectionChanged.connect(self._selected)
        self._read_only.toggled.connect(lambda checked: case.answer(read_only=checked))
        self._repeat.toggled.connect(lambda checked: case.answer(repeat=checked))
        self._offline.toggled.connect(lambda checked: case.answer(offline=checked))
        case.changed.connect(self.refresh)
        self.refresh()

    def _check_box(self, key: str) -> tuple[QCheckBox, QLabel]:
        """A box to tick, and below it what it means."""
        box, means = QCheckBox(), plain_label("small")
        self.bind(box.setText, key)
        self.bind(box.setAccessibleDescription, f"{key}-means")
        self.bind(means.setText, f"{key}-means")
        filled(self.body, box, means)
        return box, means

    def _ask(self, part: QVBoxLayout, key: str) -> None:
        """A heading, and why it is asked."""
        heading, why = plain_label("heading"), plain_label("muted")
        self.bind(heading.setText, key)
        self.bind(why.setText, f"{key}-why")
        filled(part, heading, why)

    def _add_effort(self) -> None:
        self._effort_part = QWidget()
        part = filled(QVBoxLayout(self._effort_part), margins=(0, 6, 0, 0), spacing=self.body.spacing())
        self._ask(part, "target-effort")
        line = filled(QHBoxLayout(), spacing=10)
        group = QButtonGroup(self)
        self._efforts: dict[str, ChoiceCard] = {}
        for effort in (NOTHING, *EFFORTS):
            card = ChoiceCard(effort, has_icon=False)
            self.bind(card.set_title, f"target-effort-{effort}")
            self.bind(card.set_sentence, f"target-effort-{effort}-means")
            group.addButton(card)
            self._efforts[effort] = card
            line.addWidget(card, 1)
        group.buttonClicked.connect(lambda card: self.case.answer(effort=card.value))
        part.addLayout(line)
        self._add_load(part)
        self.body.addWidget(self._effort_part)

    def _add_load(self, part: QVBoxLayout) -> None:
        self._ask(part, "target-load")
        group = QButtonGroup(self)
        self._loads = {load: QRadioButton() for load in LOADS}
        for load, button in self._loads.items():
            self.bind(button.setText, f"target-load-{load}")
            self.bind(button.setAccessibleDescription, "target-load-why")
            group.addButton(button, load)
        group.idToggled.connect(self._load_chosen)
        part.addLayout(WrapLayout(*self._loads.values()))

    def _load_chosen(self, load: int, checked: bool) -> None:
        if checked:
            self.case.answer(load=load)

    def start(self) -> None:
        """Search once; later when asked, or when a script was given that lies elsewhere."""
        if self.case.needs_search():
            self.work.search()

    def refresh(self) -> None:
        """Show the interpreters, the choice and the state of the search; models may also be tried in none of them."""
        is_about_models, only_reads = self.case.answers.symptom == MODELS, self.case.answers.only_reads
        self.intro.setText(self.case.say("target-intro-models" if is_about_models else "target-intro"))
        self._read_only.setVisible(is_about_models)
        self._read_only_means.setVisible(is_about_models)
        self._read_only.setChecked(self.case.answers.read_only)
        self._offline.setChecked(self.case.answers.offline)
        self._offline.setVisible(not only_reads)
        for widget in (self._repeat, self._repeat_means):
            widget.setVisible(is_about_models and not only_reads)
        has_input = input_among(self.case.answers.given) is not None  # given to be run with
        self._repeat.setEnabled(not has_input)
        self._repeat.blockSignals(True)
        self._repeat.setChecked(self.case.answers.repeat or has_input)
        self._repeat.blockSignals(False)
        found, busy = self.case.interpreters, self.case.search is Search.BUSY
        from checks.interpreters import is_own

        own = any(interpreter.path == self.case.answers.target and is_own(interpreter) for interpreter in found)
        if busy:
            state = self.case.say("target-searching")
        elif found:
            state = self.case.say("target-found-own" if own else "target-found", count=len(found))
        else:
            state = self.case.say("target-none")
        self._state.setText(state)
        self._state.setVisible(not only_reads)
        self._busy.setVisible(busy and not only_reads)
        self._own.setVisible(own and not busy and not only_reads)
        for button in (self._again, self._file, self._folder):
            button.setEnabled(not busy)
            button.setVisible(not only_reads)
        self._table.setVisible(bool(found) and not only_reads)
        self._space.setVisible(not found or only_reads)
        self._effort_part.setVisible(computes(self.case.answers.symptom))
        self._efforts[NOTHING].setVisible(self.case.answers.symptom == "everything")
        self._efforts[self.case.answers.effort_taken].setChecked(True)
        self._loads[self.case.answers.load].setChecked(True)
        for load in self._loads.values():  # a screen reader says of what it is the length
            load.setAccessibleName(f"{self.case.say('target-load')}: {load.text()}")
        notice = self.case.target_notice
        self._problem.setText(self.case.sentence(notice) if notice else "")
        self._problem.setVisible(notice is not None and not only_reads)
        shown = (found, self.case.language)
        if shown != self._shown:
            self._shown = shown
            self._fill(found)
            self._say_what_lies_near(found)
        is_open = self._near not in ("", self.case.answers.target)
        self._offered.setVisible(is_open and not busy and not only_reads)
        self._show_choice()

    def _say_what_lies_near(self, found: tuple[InterpreterFacts, ...]) -> None:
        """The path and owner of what lies beside the script: the user alone chooses it."""
        from checks.interpreters import choice_among, owner_of

        choice = choice_among(found)
        near = [it for it in (choice.offered, choice.of_another) if it is not None and "folder" in it.found_by]
        self._near = near[0].path if near else ""
        owner = (near and owner_of(near[0])) or self.case.say("target-owner-unknown")
        self._offered.setText(self.case.say("target-offered", path=self._near, owner=owner))

    def _fill(self, found: tuple[InterpreterFacts, ...]) -> None:
        self._table.blockSignals(True)
        self._table.setHorizontalHeaderLabels([self.case.say(f"target-column-{column}") for column in _COLUMNS])
        self._table.setRowCount(len(found))
        for index, interpreter in enumerate(found):
            for column, text in enumerate(self._texts(interpreter)):
                item = QTableWidgetItem(text)
                item.setToolTip(escaped_tip(text))
                item.setData(_PATH, interpreter.path)
                self._table.setItem(index, column, item)
        self._table.blockSignals(False)
        self._table.resizeColumnsToContents()
        for column in range(len(_COLUMNS) - 1):  # a long list of frameworks must leave room for the path
            self._table.setColumnWidth(column, min(self._table.columnWidth(column) + 12, _WIDEST))

    def _texts(self, interpreter: InterpreterFacts) -> tuple[str, ...]:
        from checks.interpreters import is_of_another, owner_of

        known_kind = "naosu" if "naosu" in interpreter.found_by else interpreter.kind
        kind = self.case.say(f"target-kind-{known_kind}") if known_kind in _KINDS else interpreter.kind or ""
        if is_of_another(interpreter):
            kind = self.case.say("target-kind-owner", kind=kind, owner=owner_of(interpreter))
        version = interpreter.version or self.case.say("target-unread")
        implementation = "" if interpreter.implementation in (None, "cpython") else f" ({interpreter.implementation})"
        if interpreter.problem:
            frameworks = self.case.say("target-not-usable")
        elif interpreter.packages is None:
            frameworks = self.case.say("target-unread")
        else:
            from checks.knowledge.packages.ai_packages import framework_of_package

            known = framework_of_package()
            named = [f"{package.name} {package.version}" for package in interpreter.packages if package.name in known]
            frameworks = self.case.say("list-separator").join(named) or self.case.say("target-no-frameworks")
        return kind, version + implementation, frameworks, interpreter.path

    def _show_choice(self) -> None:
        target = self.case.answers.target
        index = next((i for i, interpreter in enumerate(self.case.interpreters) if interpreter.path == target), -1)
        if index >= 0 and self._table.currentRow() != index:
            self._table.blockSignals(True)
            self._table.selectRow(index)
            self._table.blockSignals(False)
        if index >= 0 and target != self._target_seen:
            self._table.scrollTo(self._table.model().index(index, 0))
        self._target_seen = target
        self._chosen.setText(self.case.say("target-chosen", path=target) if target else "")
        self._chosen.setVisible(bool(target) and not self.case.answers.only_reads)

    def _selected(self) -> None:
        items = self._table.selectedItems()
        if items:
            self.case.set_target(items[0].data(_PATH))

    def _choose_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, self.case.say("target-choose-file-title"), last_folder(INTERPRETER))
        if path:
            self.work.choose(Path(path))

    def _choose_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(
            self, self.case.say("target-choose-folder-title"), last_folder(INTERPRETER)
        )
        if path:
            self.work.choose(Path(path))

    def first_focus(self) -> QWidget | None:
        """The table, where there is something to choose."""
        if self.case.answers.only_reads:
            return self._read_only
        return self._table if self.case.interpreters else self._file


_KINDS = frozenset(("naosu", "venv", "conda", "pyenv", "uv", "pipx", "poetry", "system", "portable", "store", "other"))
