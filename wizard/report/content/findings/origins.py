"""Where a value was read, in the reader's language. A case names it in one form, whatever its language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from checks.readers.tickets.lines import PASTED
from wizard.report.content.fact_sheet import label
from wizard.words import area, words

_LINES_NAMED = 6  # numbers of lines that are named beside a value
# What checks/readers/tickets/assemble.py writes: "nvidia-smi, lines 3-20 of error.log; line 40 of error.log".
_ORIGIN = re.compile(r"(?:(?P<program>[\w.' +/-]{1,40}), )?lines? (?P<lines>\d+(?:-\d+)?)(?: of (?P<text>.+))?")


def lines_in_words(text: str, lines: Sequence[int], language: str) -> str:
    """Lines of a text: "error.log, lines 3, 7"."""
    numbers = words("report.list-separator", language).join(map(str, lines[:_LINES_NAMED]))
    return _lines(_name(text, language), numbers, language, is_one=len(lines) == 1)


def origin_in_words(origin: str, language: str) -> str:
    """The origin of a fact: in words what has some, program and lines where a text reported it, any other as it is."""
    known = f"origin-of-{origin.replace(' ', '-')}"
    if known in area("report"):
        return words(f"report.{known}", language)
    found = [_ORIGIN.fullmatch(part) for part in origin.split("; ")]
    places = [place for place in found if place is not None]
    if len(places) != len(found):
        return origin
    return "; ".join(
        _in_words(place["program"] or "", place["text"] or "", place["lines"], language) for place in places
    )


def _in_words(program: str, text: str, lines: str, language: str) -> str:
    names = [label(program, language)] if program else []
    if text or not program:
        names.append(_name(text or PASTED, language))
    name = words("report.list-separator", language).join(names)
    return _lines(name, lines, language, is_one="-" not in lines)


def _lines(name: str, numbers: str, language: str, *, is_one: bool) -> str:
    return words(f"report.origin-{'line' if is_one else 'lines'}", language, origin=name, lines=numbers)


def _name(text: str, language: str) -> str:
    return words("report.origin-pasted", language) if text == PASTED else text
