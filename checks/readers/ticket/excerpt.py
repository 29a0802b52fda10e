"""The part of a long log that is worth reading: its beginning, its end, and what stands around errors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from checks.readers.ticket.lines import Line

LONG = 600_000  # characters; up to here everything is read
ENDS = 200_000  # characters at the beginning, where programs say what they run on, and at the end, where they fail
AROUND = 60  # lines before and after a sign of trouble
MOST_SIGNS = 50
SIGNS = (
    "Traceback (most recent call last",
    "Error: ",
    "Exception: ",
    "NVRM: Xid",
    "nvlddmkm",
    "NVIDIA-SMI ",
    "PyTorch version:",
)
_SIGN = re.compile("|".join(map(re.escape, SIGNS)))


def excerpt(lines: Sequence[Line]) -> Sequence[Line]:
    """All lines of an ordinary text; of a long one those that matter, in their order."""
    if sum(len(line.text) for line in lines) <= LONG:
        return lines
    wanted = {*_end(lines, range(len(lines))), *_end(lines, range(len(lines) - 1, -1, -1))}
    signs = 0
    last = -AROUND
    for index, line in enumerate(lines):
        # One place is taken once, however many errors stand there.
        if index - last > AROUND and _SIGN.search(line.text):
            wanted.update(range(max(index - AROUND, 0), min(index + AROUND, len(lines))))
            last = index
            signs += 1
            if signs == MOST_SIGNS:
                break
    return [lines[index] for index in sorted(wanted)]


def _end(lines: Sequence[Line], order: range) -> list[int]:
    taken = []
    length = 0
    for index in order:
        length += len(lines[index].text)
        if length > ENDS:
            break
        taken.append(index)
    return taken
