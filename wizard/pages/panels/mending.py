"""Offer to carry out what was proven in the user's own environment, after a question that shows all of it; and undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QProgressBar, QVBoxLayout

from wizard.report.content.remedies.mendings import doing_words, journal_words, mending_lines, plan_words, reason_words
from wizard.widgets.labels import filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.facts import Mending
    from wizard.pages.page import Page


class MendingPanel(QFrame):
    """Shown where a remedy was proven. It asks, it says how far it is and what came of it, and it takes back."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)  # shown without a parent it would be a window of its own
        self.setObjectName("card")
        self.setProperty("tone", "note")
        self._case, self._page = page.case, page
        jobs = page.work.mending
        self._heading, self._text = plain_label("cardTitle"), plain_label("", selectable=True)
        page.bind(self._heading.setText, "mend-title")
        self.ask = page.button("mend-ask", self._ask, "mend-means")
        self.start = page.button("mend-start", self._begin, "mend-means")
        self.leave = page.button("mend-leave", self._leave)
        self.stop = page.button("mend-stop", page.work.cancel, "mend-stop-means")
        self.undo = page.button("mend-undo", jobs.undo, "mend-undo-means")
        self._jobs = jobs
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)  # nobody knows how long an installer takes
        self._bar.setTextVisible(False)
        buttons = (self.ask, self.leave, self.start, self.stop, self.undo)
        filled(QVBoxLayout(self), self._heading, self._text, self._bar, WrapLayout(*buttons), spacing=8)
        self._is_asking = False
        self._case.changed.connect(self.refresh)
        self._case.progressed.connect(self.refresh)
        self._case.language_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what can be done now, or what was."""
        case, busy = self._case, self._case.is_mending
        proposed, last = case.proposal, self._last()
        stands = case.standing is not None or (last is not None and last.stands)
        if proposed is None or busy:
            self._is_asking = False
        asking = self._is_asking
        had_focus = self.window().focusWidget() in (self.ask, self.start, self.leave, self.stop, self.undo)
        self.setVisible(busy or stands or last is not None or proposed is not None or case.proposal_refused is not None)
        self._text.setText(self._words(last))
        is_new = proposed is not None and proposed.new is not None
        self.start.setText(case.say("mend-start-new" if is_new else "mend-start"))
        self._bar.setVisible(busy)
        shown = {
            self.ask: proposed is not None and not busy and not asking,
            self.start: asking,
            self.leave: asking,
            self.stop: busy,
            self.undo: stands and not busy,
        }
        for button, is_shown in shown.items():
            button.setVisible(is_shown)
            button.setEnabled(button is self.stop or not case.busy)
        if had_focus:
            following = self.leave if asking else next((button for button, wanted in shown.items() if wanted), None)
            if following is not None and not following.hasFocus():
                following.setFocus()

    def _words(self, last: Mending | None) -> str:
        case, language = self._case, self._case.language
        if case.is_mending:
            return doing_words(case.mending_step, language) if case.mending_step else case.say("busy-mending")
        lines = list(mending_lines(last, language)) if last is not None else []
        if case.standing is not None and not (last is not None and last.stands):
            lines.append(case.say("mend-earlier", change=journal_words(case.standing, language)))
        if case.proposal is not None and self._is_asking:
            return "\n".join(plan_words(case.proposal, language))
        if case.proposal is not None:
            lines.append(case.say("mend-means"))
        elif case.proposal_refused is not None:
            why = case.proposal_refused
            lines.append(case.say("mend-refused", reason=reason_words(why.reason, why.values, language)))
        return "\n".join(lines)

    def _last(self) -> Mending | None:
        case = self._case.case
        if case is None or self._case.opened is not None:
            return None
        return next(reversed(case.facts.mendings), None)

    def _ask(self) -> None:
        self._is_asking = True
        self.refresh()
        self.leave.setFocus()  # who presses Enter without reading changes nothing
        self._page.scroller.ensureWidgetVisible(self)

    def _leave(self) -> None:
        self._is_asking = False
        self.refresh()
        self.ask.setFocus()

    def _begin(self) -> None:
        self._jobs.mend()
