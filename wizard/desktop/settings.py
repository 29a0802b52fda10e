"""What the window remembers from one start to the next: size, language, theme, how answers are written.

What is odd is left out.
"""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings, Qt

THEMES = ("system", "light", "dark")
SCHEMES = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
_LONGEST = 10_000  # bytes of a geometry that somebody may have edited


def language(known: tuple[str, ...]) -> str | None:
    """The language that was chosen, if it is one of these; None: that of the system."""
    value = _settings().value("window/language")
    return value if isinstance(value, str) and value in known else None


def remember_language(code: str) -> None:
    """Note the language."""
    _settings().setValue("window/language", code)


def theme() -> str:
    """One of THEMES."""
    value = _settings().value("window/theme")
    return value if isinstance(value, str) and value in THEMES else THEMES[0]


def remember_theme(name: str) -> None:
    """Note the theme."""
    _settings().setValue("window/theme", name)


def writes_markdown() -> bool:
    """Whether answers are wanted with the marks that trackers understand."""
    return bool(_settings().value("reply/markdown") == "yes")


def remember_markdown(wanted: bool) -> None:
    """Note whether they are."""
    _settings().setValue("reply/markdown", "yes" if wanted else "no")


def geometry() -> QByteArray | None:
    """Place and size of the window as Qt has noted them."""
    value = _settings().value("window/geometry")
    return value if isinstance(value, QByteArray) and value.size() < _LONGEST else None


def remember_geometry(noted: QByteArray) -> None:
    """Note place and size."""
    _settings().setValue("window/geometry", noted)


def _settings() -> QSettings:
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "naosu", "naosu")
