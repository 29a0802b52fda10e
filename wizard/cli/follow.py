"""Follow an examination on the terminal: how far it is, and what happens when somebody asks it to end."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import sys
import threading
from collections.abc import Callable, Iterator

from checks.engine.events import Event, Finished
from checks.engine.request import Request
from checks.facts.case import Case
from wizard.cli.outputs import deliver, prepare_report
from wizard.cli.progress_line import ProgressLine
from wizard.stop_signals import asked_to_end
from wizard.words import words

Then = Callable[[Case, Callable[[], bool]], Case]
ENDED_EARLY = 130  # as shells count a Ctrl+C: 128 + SIGINT


def examined(request: Request, chosen: argparse.Namespace, then: Then | None = None) -> int:
    """Run an examination, show how far it is, and write what was asked for; returns the exit status."""
    from checks.engine.examination import examine  # late: what `inspect` only reads needs no processes

    def begin(cancelled: Callable[[], bool]) -> Iterator[Event]:
        events = examine(request, cancelled=cancelled)
        first = tuple(itertools.islice(events, 1))
        from checks.proof.resolving.resolve import resolving  # once the first probes run

        yield from resolving(itertools.chain(first, events), cancelled, offline=chosen.offline)

    return followed(begin, chosen, then)


def followed(
    begin: Callable[[Callable[[], bool]], Iterator[Event]], chosen: argparse.Namespace, then: Then | None = None
) -> int:
    """Follow events to their end, which a signal may bring early, and write what came of it.

    ``then``: what is done with the case before it is written; it is asked whether somebody wants it to end.
    """
    stop = Stop(chosen.lang)
    progress = ProgressLine(chosen.lang, shown=sys.stderr.isatty() and not chosen.quiet)
    case = preparing = None
    with asked_to_end(stop.ask):
        for event in begin(stop.is_set):
            if preparing is None:  # the first probes run
                preparing = threading.Thread(target=prepare_report, daemon=True)
                preparing.start()
            progress.show(event)
            if isinstance(event, Finished):
                case = event.case
        progress.clear()
        assert case is not None, "the engine always finishes"  # noqa: S101 - its contract
        if case.facts.here:
            from checks.mending.settings import placed

            case = placed(case)
        if then is not None and not stop.is_set():
            case = then(case, stop.is_set)
    status = deliver(case, chosen)
    return ENDED_EARLY if stop.is_set() or not case.complete else status


class Stop:
    """Being asked to end ends the probes and keeps what is done; being asked again ends the program."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._event = threading.Event()
        self.is_set = self._event.is_set

    def ask(self) -> None:
        """Called by a signal, on the main thread."""
        if self.is_set():
            raise KeyboardInterrupt  # the engine ends its probes on the way out
        self._event.set()
        with contextlib.suppress(OSError):  # the terminal may be what went away
            print("\n" + words("commands.cancelled", self._language), file=sys.stderr)
