"""Qt's own words (OK, Cancel, the file dialog) in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

_PROPERTY = "naosu-translator"


def translate_standard_buttons(language: str) -> None:
    """Load Qt's translation for a language, in place of the one before."""
    application = QApplication.instance()
    if application is None:
        return
    old = application.property(_PROPERTY)
    if isinstance(old, QTranslator):
        application.removeTranslator(old)
    QLocale.setDefault(QLocale(language))
    translator = QTranslator(application)
    if translator.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)
    application.setProperty(_PROPERTY, translator)
