"""Offer to write the smallest part of a model that still shows a difference, and let the search be stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QFrame, QProgressBar, QVBoxLayout

from wizard.desktop.folders import last_folder, remember
from wizard.jobs.cutting import BUSY
from wizard.widgets.labels import filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.facts.case import Case
    from wizard.pages.page import Page

_FOLDER = "minimal"  # under which the last choice is remembered


class CuttingPanel(QFrame):
    """Shown where a model differs in a way that can be cut down, until that was done."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)  # shown without a parent it would be a window of its own
        self.setObjectName("card")
        self.setProperty("tone", "note")
        self._case, self._jobs = page.case, page.work.cutting
        heading, means = plain_label("cardTitle"), plain_label("muted")
        page.bind(heading.setText, "cut-title")
        page.bind(means.setText, "cut-means")
        self.start = page.button("cut-start", self._choose, "cut-means")
        self.stop = page.button("cut-stop", page.work.cancel)
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)  # nobody knows how many parts there are to try
        self._bar.setTextVisible(False)
        filled(QVBoxLayout(self), heading, means, self._bar, WrapLayout(self.start, self.stop), spacing=8)
        self._looked_at: tuple[Case | None, bool] = (None, False)
        self._case.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what can be done now."""
        is_busy = self._case.busy == BUSY
        had_focus = self.window().focusWidget() in (self.start, self.stop)
        self.setVisible(is_busy or self._is_wanted())
        self.start.setVisible(not is_busy)
        self.start.setEnabled(not self._case.busy)
        self.stop.setVisible(is_busy)
        self._bar.setVisible(is_busy)
        if had_focus and self.isVisible():
            (self.stop if is_busy else self.start).setFocus()

    def _is_wanted(self) -> bool:
        case = self._case.case
        if case is None or self._case.opened is not None or not case.facts.models:
            return False
        if self._looked_at[0] is not case:
            from checks.engine.minimal import can_be_cut

            self._looked_at = (case, can_be_cut(case))
        return self._looked_at[1]

    def _choose(self) -> None:
        title = self._case.say("cut-choose")
        path = QFileDialog.getExistingDirectory(self, title, last_folder(_FOLDER))
        if path:
            remember(_FOLDER, Path(path))
            self._jobs.cut(Path(path))
