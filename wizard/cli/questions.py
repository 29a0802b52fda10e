"""Questions on the terminal. What was typed before a question is shown is no answer to it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable

_YES = ("y", "yes", "はい")
_LOOK = 0.2  # seconds between two looks whether somebody wants it to end


def can_ask() -> bool:
    """Whether there is somebody to answer."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def is_agreed(question: str, cancelled: Callable[[], bool] = lambda: False) -> bool:
    """Ask on the terminal. A Ctrl+C is a no; what was typed before the question is no answer to it."""
    _forget_typed()
    print(question, end=" ", file=sys.stderr, flush=True)
    if sys.platform != "win32":
        import select

        with contextlib.suppress(OSError, ValueError):  # it has no file to wait for
            while not select.select([sys.stdin], [], [], _LOOK)[0]:
                if cancelled():
                    return False
    return not cancelled() and sys.stdin.readline().strip().lower() in _YES


def _forget_typed() -> None:
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
        return
    import termios

    with contextlib.suppress(termios.error, OSError, ValueError):  # it is no terminal
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def typed(question: str, *, is_long: bool = False) -> str:
    """Ask for a line, or for what is pasted up to an empty line or the end; what was typed before is no answer."""
    _forget_typed()
    print(question, end=" ", file=sys.stderr, flush=True)
    lines = []
    for line in iter(sys.stdin.readline, ""):
        lines.append(line)
        if not is_long or not line.strip():
            break
    return "".join(lines).strip()
