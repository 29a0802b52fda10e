"""The menus of what was there before: reports that were opened or saved, and cases that were deleted."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from wizard.desktop import folders

if TYPE_CHECKING:
    from wizard.window.main_window import Window

_MOST = 20  # deleted cases in the menu; of more the last ones
_LONGEST = 60  # characters of a title


class RecentMenu(QMenu):
    """Reports in files that are still there, the last one first. Read each time it opens."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self.aboutToShow.connect(self.read)

    def retranslate(self) -> None:
        """Its title in the present language."""
        self.setTitle(self._window.case.say("menu-recent"))

    def read(self) -> None:
        """Show what holds now."""
        say, is_free = self._window.case.say, self._window.case.is_free
        self.clear()
        for path in folders.reports():
            action = self.addAction(_plain(path.name) + "  —  " + _plain(str(path.parent), from_its_end=True))
            action.triggered.connect(functools.partial(self._window.work.open, path))
            action.setEnabled(is_free)
        if self.isEmpty():
            self.addAction(say("menu-recent-none")).setEnabled(False)
        else:
            self.addSeparator()
            self.addAction(say("menu-recent-clear")).triggered.connect(folders.forget_reports)


class DeletedMenu(QMenu):
    """Cases that were deleted within the last thirty days, the last one first; choosing one brings it back."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._case, self._jobs = window.case, window.work.cases
        self.aboutToShow.connect(self.read)

    def retranslate(self) -> None:
        """Its title in the present language."""
        self.setTitle(self._case.say("menu-deleted"))

    def read(self) -> None:
        """Show what holds now."""
        self.clear()
        for heading in self._jobs.deleted()[:_MOST]:
            title = _plain(heading.named(self._case.language))
            action = self.addAction(self._case.say("menu-deleted-case", title=title, day=heading.changed[:10]))
            action.triggered.connect(functools.partial(self._jobs.bring_back, heading.id))
        if self.isEmpty():
            self.addAction(self._case.say("menu-deleted-none")).setEnabled(False)


def _plain(text: str, *, from_its_end: bool = False) -> str:
    """A text of any origin as an entry: on one line, short, and without a key of its own.

    ``from_its_end``: keep the end of what is too long; that of a path tells the most.
    """
    line = " ".join(text.split())
    if len(line) > _LONGEST:
        line = f"…{line[1 - _LONGEST :]}" if from_its_end else f"{line[: _LONGEST - 1]}…"
    return line.replace("&", "&&")
