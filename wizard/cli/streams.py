"""Standard output and error: everything that is written to them as text passes one function.

Help, errors, tracebacks and logs of libraries of ours go the same way as the summary, so no print needs to think of it.
What is written as bytes, a report in JSON or Markdown, was cleaned where it was made.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

from checks.visible import visible_text


class _Visible:
    """A stream whose text holds nothing that a terminal obeys; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.unguarded = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unguarded, name)

    def write(self, text: str) -> int:
        self.unguarded.write(visible_text(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


def guard_streams() -> None:
    """Guard both, once; Japanese must not fail on a terminal of another code page."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or isinstance(stream, _Visible):  # None: the program has no console
            continue
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
        setattr(sys, name, _Visible(stream))


def write_over(line: str) -> None:
    """Write over the terminal's present line; the text is ours."""
    stream = cast(TextIO, getattr(sys.stderr, "unguarded", sys.stderr))
    stream.write(f"\r{line}")
    stream.flush()
