"""Qt's own words (OK, Cancel, the file dialog) in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator
from PySide6.QtWidgets import QApplication

from wizard.words import words

_PROPERTY = "naosu-translator"
# What Qt's own translations lack (6.11): the text in the program -> the key of ours in window.toml.
_LACKING = {
    ("QFileDialog", "&Look in:"): "qt-look-in",
    ("QFileDialog", "Files of &type:"): "qt-files-of-type",
    ("QAbstractFileIconProvider", "Folder"): "qt-folder",
    ("QAbstractFileIconProvider", "Drive"): "qt-drive",
    ("QAbstractFileIconProvider", "Shortcut"): "qt-shortcut",
}


class _Completed(QTranslator):
    """Qt's translation, and our words where it has none."""

    def __init__(self, language: str, parent: QObject) -> None:
        super().__init__(parent)
        self._language = language

    def translate(self, context: str, text: str, means: str | None = None, count: int = -1) -> str | None:
        """A text of Qt; "" where nobody has translated it."""
        found = super().translate(context, text, means, count)
        key = None if found else _LACKING.get((context, text))
        return found if key is None else words(f"window.{key}", self._language)


def translate_standard_buttons(language: str) -> None:
    """Load Qt's translation for a language, in place of the one before."""
    application = QApplication.instance()
    if application is None:
        return
    old = application.property(_PROPERTY)
    if isinstance(old, QTranslator):
        application.removeTranslator(old)
    QLocale.setDefault(QLocale(language))
    translator = _Completed(language, application)
    if translator.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)
    application.setProperty(_PROPERTY, translator)
