"""POSIX: pseudo-terminals for a watched program, like the terminals that are ours."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import threading
import tty

if sys.platform == "win32":
    raise ImportError("there are no pseudo-terminals of this kind on Windows")

_LOCAL = 3  # places in the list of termios.tcgetattr
_OUTPUT = 1
_CHARACTERS = 6


def is_interactive(stdout: int) -> bool:
    """Whether both the keyboard and the output are the terminal, and we are who it talks to now."""
    with contextlib.suppress(OSError):
        return os.isatty(0) and os.isatty(stdout) and os.tcgetpgrp(0) == os.getpgrp()
    return False


def is_in_front(*descriptors: int) -> bool:
    """Whether a Ctrl+C on any of these terminals goes to our process group, and so to the program's, too."""
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            if os.isatty(descriptor) and os.tcgetpgrp(descriptor) == os.getpgrp():
                return True
    return False


def pair_like(terminal: int, *, raw: bool = True) -> tuple[int, int]:
    """A pseudo-terminal with the modes and the size of one: our end and the program's.

    ``raw``: what is written passes unchanged, because the real terminal does to it what its modes say.
    """
    ours, theirs = os.openpty()
    with contextlib.suppress(OSError, termios.error):
        modes = termios.tcgetattr(terminal)
        if raw:
            modes[_OUTPUT] &= ~termios.OPOST
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        termios.tcsetwinsize(theirs, termios.tcgetwinsize(terminal))
    return ours, theirs


class Terminal:
    """Our keyboard and screen passed on to a pseudo-terminal that the program's session is controlled by."""

    def __init__(self) -> None:
        self.ours, self.theirs = pair_like(0, raw=False)
        self.interrupted = False
        self._keys = os.dup(self.ours)
        os.set_blocking(self.ours, False)
        self._before = termios.tcgetattr(0)
        self._stop, self._stopping = os.pipe()
        self._session = 0
        self._typing: threading.Thread | None = None

    def take_over(self, session: int) -> None:
        """The program runs in this session: every key is its own now."""
        self._session = session
        tty.setraw(0, termios.TCSADRAIN)
        self._typing = threading.Thread(target=self._type, name="watched-keys", daemon=True)
        self._typing.start()

    def resize(self) -> None:
        """The system tells the program that its window has changed."""
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetwinsize(self._keys, termios.tcgetwinsize(0))

    def _type(self) -> None:
        with contextlib.suppress(OSError, termios.error):
            while self._stop not in select.select([0, self._stop], [], [])[0]:
                typed = os.read(0, 1024)
                if not typed:
                    return
                self._write(self._heeded(typed))

    def _heeded(self, typed: bytes) -> bytes:
        """Notice Ctrl+C, and do what a shell does on Ctrl+Z: its session has no shell, so the system would not."""
        modes = termios.tcgetattr(self._keys)
        if modes[_LOCAL] & termios.ISIG:
            characters = modes[_CHARACTERS]
            self.interrupted = self.interrupted or characters[termios.VINTR] in typed
            suspend = characters[termios.VSUSP]
            if suspend in typed and suspend != b"\0":
                typed = typed.replace(suspend, b"")
                self._sleep()
        return typed

    def _sleep(self) -> None:
        """Stop the program and ourselves until the shell wakes us."""
        with contextlib.suppress(OSError):
            os.killpg(self._session, signal.SIGSTOP)
        termios.tcsetattr(0, termios.TCSADRAIN, self._before)
        os.killpg(os.getpgrp(), signal.SIGSTOP)
        tty.setraw(0, termios.TCSADRAIN)
        self.resize()
        with contextlib.suppress(OSError):
            os.killpg(self._session, signal.SIGCONT)

    def _write(self, data: bytes) -> None:
        while data:  # never more than it takes: a program that reads nothing must not hold the thread
            ready = select.select([self._stop], [self._keys], [])
            if self._stop in ready[0]:
                return
            try:
                data = data[os.write(self._keys, data) :]
            except BlockingIOError:
                continue

    def stop_typing(self) -> None:
        """The program is gone."""
        os.write(self._stopping, b".")
        if self._typing is not None:
            self._typing.join(1.0)

    def give_back(self) -> None:
        """The terminal is ours again, as it was."""
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(0, termios.TCSADRAIN, self._before)
        for descriptor in (self._keys, self._stop, self._stopping):
            with contextlib.suppress(OSError):
                os.close(descriptor)
