"""The signals that ask a program to end: Ctrl+C, a polite kill, a terminal that was closed. No Qt."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


@contextmanager
def asked_to_end(act: Callable[[], object]) -> Iterator[None]:
    """Call ``act`` for each of them, so that no probe is left behind. What is ignored (nohup) stays ignored."""
    present = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    heeded = [number for number in present if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, lambda *_: act()) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
