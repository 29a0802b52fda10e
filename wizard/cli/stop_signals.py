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
    heeded = [each for each in present if signal.getsignal(each) is not signal.SIG_IGN]
    before = {each: signal.signal(each, lambda *_: act()) for each in heeded}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
