"""The part of a long log that is worth reading: its beginning, its end, and what complains or stands around errors."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from checks.readers.tickets.lines import Line

LONG = 600_000  # characters; up to here everything is read
ENDS = 200_000  # characters at the beginning, where programs say what they run on, and at the end, where they fail
AROUND, NEARBY = 60, 8_000  # lines before and after a sign of trouble, and characters: a line can have thousands
MOST_SIGNS = 50
COMPLAINTS = 100_000  # characters of lines that complain anywhere between
MOST_COMPLAINTS = 100_000  # lines of these that are looked at
SIGNS = (
    "Traceback (most recent call last", "Error: ", "Exception: ", "NVRM: Xid", "nvlddmkm", "NVIDIA-SMI ",
    "PyTorch version:",
)  # fmt: skip
_COMPLAINT = re2.compile(
    r"(?i)error|exception|fail|fatal|abort|crash|warn|cannot|could ?n[o']t|unable|unsupported|not (?:found|supported)|"
    r"mismatch|invalid|missing|refused|denied|out of memory|fallen off|killed|\bnan\b|\bXid\b|"
    r"エラー|失敗|できません|错误|失败"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def excerpt(lines: Sequence[Line]) -> Sequence[Line]:
    """All lines of an ordinary text; of a long one those that matter, in their order."""
    if sum(len(line.text) + 1 for line in lines) <= LONG:
        return lines
    wanted = {*_first(lines, range(len(lines)), ENDS), *_first(lines, range(len(lines) - 1, -1, -1), ENDS)}
    encoded = [line.text.encode("utf-8", "replace") for line in lines]
    whole = _Whole(b"\n".join(encoded), [0, *itertools.accumulate(len(text) + 1 for text in encoded)])
    for index in _with_signs(whole):
        wanted.update(_first(lines, range(index, max(index - AROUND - 1, -1), -1), NEARBY))
        wanted.update(_first(lines, range(index, min(index + AROUND, len(lines))), NEARBY))
    wanted.update(_complaining(whole, lines))
    return [lines[index] for index in sorted(wanted)]


@dataclass(frozen=True)
class _Whole:
    """The lines in one piece, and where each begins, and a further one would."""

    text: bytes
    starts: list[int]

    def line_at(self, offset: int) -> int:
        """Which line holds a place."""
        return bisect.bisect_right(self.starts, offset) - 1


def _with_signs(whole: _Whole) -> Iterator[int]:
    """The first lines with signs of trouble; one place is taken once, however many errors stand there."""
    next_of = dict.fromkeys(map(str.encode, SIGNS), -1)  # where each sign stands next
    offset = 0
    for _ in range(MOST_SIGNS):
        for sign, place in list(next_of.items()):
            if place < offset:
                next_of[sign] = whole.text.find(sign, offset)
                if next_of[sign] < 0:
                    del next_of[sign]
        if not next_of:
            return
        index = whole.line_at(min(next_of.values()))
        yield index
        offset = whole.starts[min(index + AROUND + 1, len(whole.starts) - 1)]


def _complaining(whole: _Whole, lines: Sequence[Line]) -> Iterator[int]:
    """The first lines that complain, wherever they stand; of those that differ in their numbers alone the first."""
    kinds: set[str] = set()
    offset = length = 0
    for _ in range(MOST_COMPLAINTS):
        found = _COMPLAINT.search(whole.text, offset)
        if found is None:
            return
        index = whole.line_at(found.start())
        kind = _NUMBER.sub("0", lines[index].text)
        if kind not in kinds:
            kinds.add(kind)
            length += len(kind)
            if length > COMPLAINTS:
                return
            yield index
        offset = whole.starts[index + 1]
        if offset >= len(whole.text):
            return


def _first(lines: Sequence[Line], order: range, most: int) -> list[int]:
    """As many lines in this order as have no more characters, ends of lines among them, than ``most``."""
    taken = []
    length = 0
    for index in order:
        length += len(lines[index].text) + 1
        if length > most:
            break
        taken.append(index)
    return taken
