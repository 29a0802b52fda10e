"""Lines without words that tell of no trouble: in addresses, in code that only names a message, in own asserts.

What a program printed stays: the line that names the error stands by itself behind the code that raised it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from checks.readers.tickets.lines import Line

_ADDRESS = re.compile(r"(https?://[^\s/\"'<>)]{1,200})/[^\s\"'<>)\]]{0,1000}")
# Code that raises, expects or looks for a message: raise X("..."), assert y, "...", if "..." in str(error).
_CODE = re.compile(
    r"\s{0,200}(?:raise [\w.]{1,80}\(|assert\b.{1,300},\s|(?:el)?if [\"'f].{1,300} in |with pytest\.raises\()"
)
_LITERAL = re.compile(r"\"[^\"]{0,600}\"|'[^']{0,600}'")
_ASSERT = re.compile(r"\s{0,200}assert\b.{1,300}?,\s{0,4}f?[\"'](?P<words>[^\"']{8,300})[\"']")
_FILE = re.compile(r"\s{0,40}File \"(?P<path>[^\"]{1,400})\", line \d")
_INSTALLED = re.compile(r"[\\/](?:site|dist)-packages[\\/]|[\\/]lib[\\/]python\d")


def without_quoted(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The same lines with such words left out; the very same where there are none."""
    own = set(_own_asserts(lines))
    return tuple(_without(line, own) for line in lines)


def _own_asserts(lines: Sequence[Line]) -> Iterator[str]:
    """The words of asserts that stand in files of the user's."""
    path = ""
    for line in lines:
        file = _FILE.match(line.text)
        path = file["path"] if file else path
        words = _ASSERT.match(line.text)
        if words is not None and path and not _INSTALLED.search(path):
            yield words["words"]


def _without(line: Line, own: set[str]) -> Line:
    text = line.text
    if "://" in text:
        text = _ADDRESS.sub(r"\1", text)
    if _CODE.match(text):
        text = _LITERAL.sub('""', text)
    if own and text.startswith("AssertionError: ") and text.removeprefix("AssertionError: ") in own:
        text = "AssertionError"
    return line if text == line.text else msgspec.structs.replace(line, text=text)
