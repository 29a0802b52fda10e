"""Check another machine: save the probe that is one file, and copy the line that runs it there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QCheckBox, QDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout

from checks.engine.portable.archive import archive
from checks.engine.portable.command import NAME, command
from checks.sharing.files import write_whole
from wizard.desktop.folders import EXPORT, last_folder, remember
from wizard.widgets.announce import announce
from wizard.widgets.labels import filled, plain_label

if TYPE_CHECKING:
    from wizard.window.main_window import Window


class OtherMachine(QDialog):
    """Three steps: save the probe, run it there, drop its answer on the window."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._say = window.case.say
        self.setWindowTitle(self._say("another-title"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.save = QPushButton(self._say("another-save"))
        self.save.setObjectName("primary")
        self.save.clicked.connect(self._ask_where)
        self.computes = QCheckBox(self._say("another-compute"))
        self.computes.setChecked(True)
        self.computes.toggled.connect(self._show_line)
        self.line = QLineEdit(readOnly=True)
        self.line.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.line.setAccessibleName(self._say("another-run"))
        self.copy = QPushButton(self._say("another-copy"))
        self.copy.clicked.connect(self._copy)
        self.told = self._label("")
        close = QPushButton(self._say("another-close"))
        close.clicked.connect(self.close)
        self._lay_out(close)
        self._show_line()
        self.resize(640, self.sizeHint().height())

    def _lay_out(self, close: QPushButton) -> None:
        pasted = filled(QHBoxLayout(), self.line, self.copy, spacing=8)
        saved, ended = (QHBoxLayout() for _ in range(2))
        filled(saved, self.save)
        saved.addStretch(1)
        ended.addWidget(self.told, 1)
        filled(ended, close)
        body = filled(QVBoxLayout(self), margins=(20, 16, 20, 16), spacing=10)
        filled(body, self._label("another-means"), self._label("another-first"))
        body.addLayout(saved)
        filled(body, self._label("another-run"), self.computes)
        body.addLayout(pasted)
        filled(body, self._label("another-last"), self._label("another-private"))
        body.addLayout(ended)

    def _label(self, key: str) -> QLabel:
        label = plain_label("")
        label.setWordWrap(True)
        label.setText(self._say(key) if key else "")
        return label

    def _show_line(self) -> None:
        self.line.setText(command(computes=self.computes.isChecked()))
        self.line.setCursorPosition(0)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.line.text())
        self._tell(self._say("another-copied"))

    def _ask_where(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        start = str(Path(last_folder(EXPORT)) / NAME)
        path, _ = QFileDialog.getSaveFileName(self, self._say("another-save"), start, "*.pyz")
        if path:
            self.write(Path(path))

    def write(self, path: Path) -> None:
        """Save the probe there, and say so, or why not."""
        try:
            write_whole(path, archive())
        except OSError as error:
            self._tell(self._say("another-not-saved", path=str(path), detail=error.strerror or str(error)))
            return
        remember(EXPORT, path)
        self._tell(self._say("another-saved", path=str(path)))

    def _tell(self, text: str) -> None:
        self.told.setText(text)
        announce(self.told, text)
