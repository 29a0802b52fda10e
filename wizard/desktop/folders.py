"""The folders in which the user chose files by hand, from one start to the next. Paths and nothing else are kept."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings

INTERPRETER, REPORT, EXPORT = "interpreter", "report", "export"  # besides these the kinds of given files
_CHOSEN = "chosen"
_REPORTS = "reports"
_MOST_REPORTS = 8
_MOST_CHOSEN = 5  # interpreters or their folders that are looked at again


def last_folder(kind: str) -> str:
    """Where something of this kind was chosen last; the home folder where that is gone, or nothing was chosen."""
    path = _path(_settings().value(f"folders/{kind}"))
    return str(path if path is not None and _is_folder(path) else Path.home())


def show_folder(path: Path) -> None:
    """Show the folder of a file in the system's own program for files."""
    from PySide6.QtCore import QUrl
    from PySide6.QtGui import QDesktopServices  # neither before the first window

    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))


def remember(kind: str, path: Path) -> None:
    """Note the folder of what was chosen, or the folder itself."""
    _settings().setValue(f"folders/{kind}", str(path if _is_folder(path) else path.parent))


def remember_chosen(path: Path) -> None:
    """Note an interpreter, or a folder with some, that the user pointed to: the next start finds it, too."""
    others = [other for other in chosen() if other != path]
    _settings().setValue(_CHOSEN, [str(other) for other in (path, *others)][:_MOST_CHOSEN])
    remember(INTERPRETER, path)


def chosen() -> tuple[Path, ...]:
    """What :func:`remember_chosen` noted, the last one first; what is gone since is left out."""
    return tuple(path for path in _noted(_CHOSEN) if _exists(path))[:_MOST_CHOSEN]


def remember_report(path: Path) -> None:
    """Note a report that was opened or written."""
    path = path.absolute()
    noted = [str(other) for other in (path, *(other for other in _noted(_REPORTS) if other != path))]
    _settings().setValue(_REPORTS, noted[:_MOST_REPORTS])


def reports() -> tuple[Path, ...]:
    """What :func:`remember_report` noted, the last one first; what is gone since is left out."""
    return tuple(path for path in _noted(_REPORTS)[:_MOST_REPORTS] if _exists(path))


def forget_reports() -> None:
    """Note none of them any more."""
    _settings().remove(_REPORTS)


def _noted(key: str) -> list[Path]:
    value = _settings().value(key)
    found = map(_path, value if isinstance(value, list) else [value])  # a list of one comes back as a string
    return [path for path in found if path is not None]


def _settings() -> QSettings:
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "naosu", "naosu")


def _path(value: object) -> Path | None:
    """What a file of settings gives, which anybody may have edited."""
    path = Path(value) if isinstance(value, str) and value else None
    return path if path is not None and path.is_absolute() else None


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
