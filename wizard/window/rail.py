"""The rail beside the pages: the steps of the walk, the cases, and the language."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from wizard.case_model import CaseModel
from wizard.desktop import icons, theme
from wizard.flow import STEPS, Step, is_complete, reachable, steps_shown
from wizard.jobs.cases import CaseJobs
from wizard.widgets.labels import filled, plain_label
from wizard.window.case_list import CaseList
from wizard.window.menus import LANGUAGE_NAMES

_WIDE, _MARGIN = 236, 14  # logical pixels


class Rail(QFrame):
    """Shows the progress of the walk; ``step_asked`` with the step that was clicked."""

    step_asked = Signal(object)
    language_asked = Signal(str)

    def __init__(self, case: CaseModel, jobs: CaseJobs) -> None:
        super().__init__()
        self._case = case
        self.setObjectName("rail")
        self.setFixedWidth(_WIDE)
        column = filled(QVBoxLayout(self), margins=(_MARGIN, 18, _MARGIN, 14), spacing=4)
        name = QHBoxLayout()
        self.logo = QLabel()
        self.logo.setFixedSize(32, 32)
        self.logo.setPixmap(icons.pixmap("naosu", self.palette().text().color(), 32, self.devicePixelRatioF()))
        name.addWidget(self.logo)
        name.addWidget(plain_label("heading", "Naosu"), 1)
        column.addLayout(name)
        column.addSpacing(14)
        self.steps: dict[Step, QPushButton] = {}
        self._looks: dict[Step, tuple[object, ...]] = {}  # of their pictures
        for step in STEPS:
            button = QPushButton()
            button.setObjectName("step")
            button.setIconSize(QSize(22, 22))
            button.clicked.connect(lambda _=False, step=step: self.step_asked.emit(step))
            self.steps[step] = button
            column.addWidget(button)
        column.addSpacing(10)
        self.cases = CaseList(case, jobs)
        column.addWidget(self.cases, 1)
        column.addSpacing(6)
        self._language_label = plain_label("small")
        self.language = QComboBox()
        for code, own_name in LANGUAGE_NAMES.items():
            self.language.addItem(own_name, code)
        self.language.setCurrentIndex(self.language.findData(case.language))
        self.language.activated.connect(lambda: self.language_asked.emit(self.language.currentData()))
        self._language_label.setBuddy(self.language)
        column.addWidget(self._language_label)
        column.addWidget(self.language)

    def show_walk(self, present: Step) -> None:
        """Show which steps there are, which of them are done, and which can be gone to."""
        answers, progress, say = self._case.answers, self._case.progress, self._case.say
        walk = steps_shown(present, answers, progress)
        for step, button in self.steps.items():
            button.setVisible(step in walk)
            if step not in walk:
                continue
            number = walk.index(step) + 1
            done = is_complete(step, answers, progress) and STEPS.index(step) < STEPS.index(present)
            here = step is present
            state = say("step-here" if here else "step-done" if done else "step-ahead")
            can_go = here or reachable(step, answers, progress)
            if button.property("here") is not here:
                button.setProperty("here", here)
                button.style().unpolish(button)  # the stylesheet is looked at again
                button.style().polish(button)
            button.setEnabled(can_go)
            look = (
                number,
                done,
                here,
                can_go,
                self.window().palette().cacheKey(),
                self.font(),
                self.devicePixelRatioF(),
            )
            if self._looks.get(step) != look:  # a refresh changes most of them seldom
                self._looks[step] = look
                button.setIcon(self._badge("✓" if done else str(number), here=here, reachable=can_go))
            name = say(f"step-{step.value}")
            button.setText(name)
            button.setToolTip(name if button.sizeHint().width() > _WIDE - 2 * _MARGIN else "")  # what is cut off
            button.setAccessibleName(say("step-name", number=number, name=name, state=state))

    def retranslate(self) -> None:
        """Name the choice of the language in the present one."""
        self.cases.retranslate()
        self._language_label.setText(self._case.say("language"))
        self.language.setAccessibleName(self._case.say("language"))
        self.language.setCurrentIndex(self.language.findData(self._case.language))

    def _badge(self, sign: str, *, here: bool, reachable: bool) -> QIcon:
        """The number of a step, or its tick; filled where one is."""
        palette = self.window().palette()
        accent = theme.colour("accent", palette)
        tint = theme.colour("card", palette) if here else accent if reachable else theme.colour("muted", palette)
        picture = icons.badge(sign, tint, accent if here else None, self.font(), 22, self.devicePixelRatioF())
        icon = QIcon(picture)
        icon.addPixmap(picture, QIcon.Mode.Disabled)  # the system would draw it in grey, and it is drawn so already
        return icon
