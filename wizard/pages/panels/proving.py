"""Offer to try the remedies in a throw-away copy, show how far that is, and let it be stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QProgressBar, QVBoxLayout

from wizard.report.content.remedies.proofs import stage_words
from wizard.widgets.labels import filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.facts.case import Case
    from wizard.pages.page import Page


class ProvingPanel(QFrame):
    """Shown where the user's program failed, and remedies of it were not tried yet."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)  # shown without a parent it would be a window of its own
        self.setObjectName("card")
        self.setProperty("tone", "note")
        self._case = page.case
        heading, means = plain_label("cardTitle"), plain_label("muted")
        page.bind(heading.setText, "prove-title")
        page.bind(means.setText, "prove-means")
        self.start = page.button("prove-start", page.work.prove, "prove-means")
        self.stop = page.button("prove-stop", page.work.cancel)
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)  # nobody knows how long an installer takes
        self._bar.setTextVisible(False)
        self._stage = plain_label("", selectable=True)
        filled(QVBoxLayout(self), heading, means, self._bar, self._stage, WrapLayout(self.start, self.stop), spacing=8)
        self._page = page
        self._looked_at: tuple[Case | None, bool] = (None, False)
        self._case.changed.connect(self.refresh)
        self._case.progressed.connect(self._show_stage)
        self.refresh()

    def refresh(self) -> None:
        """Show what can be done now."""
        busy = self._case.is_proving
        had_focus = self.window().focusWidget() in (self.start, self.stop)
        self.setVisible(busy or self._is_wanted())
        self.start.setVisible(not busy)
        self.start.setEnabled(not self._case.busy)
        for widget in (self.stop, self._bar, self._stage):
            widget.setVisible(busy)
        self._show_stage()
        if had_focus and busy:
            self.stop.setFocus()
        elif had_focus and self.isVisible():
            self.start.setFocus()
        elif had_focus:  # nothing is left to try: on to what came of it, which is drawn anew in a moment
            QTimer.singleShot(0, self, self._leave)

    def _show_stage(self) -> None:
        step = self._case.proving_step
        self._stage.setText(stage_words(step, self._case.language) if step is not None else "")

    def _leave(self) -> None:
        following = self._page.first_focus()
        if following is not None:
            following.setFocus()

    def _is_wanted(self) -> bool:
        case = self._case.case
        if case is None or self._case.opened is not None:
            return False
        if self._looked_at[0] is not case:
            from checks.proof.prove import is_worth_trying

            self._looked_at = (case, is_worth_trying(case))
        return self._looked_at[1]
