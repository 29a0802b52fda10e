"""At the start of the window: say what a killed process left half done in an environment, and offer to undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMessageBox

    from checks.mending.journal import Journal
    from wizard.window.main_window import Window


def offer_undo(window: Window, journal: Journal, moved: tuple[str, ...] = ()) -> QMessageBox:
    """Ask; "later" leaves it as it is, and the next start asks again. ``moved``: what would be moved aside."""
    from PySide6.QtWidgets import QMessageBox  # not before the first window

    from wizard.report.content.remedies.mendings import aside_words

    say = window.case.say
    text = say("half-done-text", title=journal.title, path=journal.prefix)
    if moved:
        text = f"{text}\n\n{aside_words(journal, moved, window.case.language)}"
    box = QMessageBox(QMessageBox.Icon.Warning, say("half-done-title"), "", parent=window)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    box.addButton(say("half-done-later"), QMessageBox.ButtonRole.RejectRole)
    undo = box.addButton(say("half-done-undo"), QMessageBox.ButtonRole.AcceptRole)
    undo.clicked.connect(lambda: window.work.mending.undo_half_done(journal))
    box.setDefaultButton(undo)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
    return box
