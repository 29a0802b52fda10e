"""One line on the terminal that shows how far the examination is."""

from __future__ import annotations

import sys
import time

from checks.engine.events import Event, ProbeSlow, Progress, Resolving
from checks.visible import visible
from wizard.cli.streams import write_over
from wizard.words import known, words


class ProgressLine:
    """One line on the terminal that is written over."""

    WIDTH = 78

    def __init__(self, language: str, *, shown: bool) -> None:
        self._language = language
        self._shown = shown
        self._last = 0.0

    def show(self, event: Event) -> None:
        """Show an event."""
        if not self._shown:
            return
        if isinstance(event, ProbeSlow):
            self.clear()
            print(visible(self._slow(event)), file=sys.stderr)
        elif isinstance(event, Resolving):
            write_over(words("resolutions.stage", self._language).ljust(self.WIDTH)[: self.WIDTH])
        elif isinstance(event, Progress) and time.monotonic() - self._last > 0.1:
            self._last = time.monotonic()
            self._line(event.share, event.remaining)

    def clear(self) -> None:
        """Leave the line empty."""
        if self._shown:
            write_over(" " * self.WIDTH + "\r")

    def _slow(self, event: ProbeSlow) -> str:
        from wizard.report.content.fact_sheet import label  # late: the commands want to start soon
        from wizard.report.content.measured.line import computing_name

        name = computing_name(event.probe, self._language) or label(event.probe, self._language)
        stage = known(f"window.run-stage-{event.stage}", event.stage, self._language)
        return words("commands.slow", self._language, probe=name, stage=stage, seconds=round(event.seconds))

    def _line(self, share: float, remaining: float | None) -> None:
        key = "longer" if remaining is None else "remaining"
        state = words(f"commands.{key}", self._language, seconds=max(1, round(remaining or 0)))
        text = words("commands.progress", self._language, percent=round(share * 100), state=state)
        filled = round(share * 20)
        line = f"[{'#' * filled}{'.' * (20 - filled)}] {text}"
        write_over(line.ljust(self.WIDTH)[: self.WIDTH])
