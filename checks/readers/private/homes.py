"""Home folders: the place where a name of a user is seen first, and the one that commands go on with as ``~``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from checks.readers.private.scan import compiled

SPACED = "0-9A-Za-z\u00c0-\u024f\u0300-\u052f"  # digits; Latin, Greek and Cyrillic letters and their accents
_SEPARATOR = r"[\\/]+"
_NAME = r"[^\\/:*?\"'<>|\r\n\s;,)\]、。「」()]+"
_FOLDERS = rf"{_SEPARATOR}(?:home|users|documents and settings){_SEPARATOR}"
# Spaces only count before a separator; a Latin name at the end of a path ends where Japanese text goes on.
_USER = rf"(?:({_NAME}(?: {_NAME}){{0,3}})[\\/]|([{SPACED}_.~%+-]+)|({_NAME}))"
_BEFORE = r"[^0-9A-Za-z_.~/\\-]"
_ROOT = (
    rf"(?:{_SEPARATOR}(?:mnt|cygdrive){_SEPARATOR}[a-z]|{_SEPARATOR}[a-z]|[a-z]:|{_SEPARATOR}wsl[$.\w]*{_SEPARATOR}[^\\/\s]+"
    rf"|{_SEPARATOR}(?:var|usr|export|data))?{_FOLDERS}"
)
_MOUNTED = rf"/[\w.-]+(?:/[\w.-]+)?{_FOLDERS}"  # where servers mount the homes: at most two folders before them
_HOME = compiled(
    rf"(?i)(?:^|{_BEFORE}|file://(?:/|localhost)?|\\\\\?\\)({_ROOT}){_USER}"
    rf"|(?i)(?:^|[^0-9A-Za-z_.~/\\:-])({_MOUNTED}){_USER}"
)
_HIDDEN = re.compile(rf"(?i)(?:{_ROOT}|{_MOUNTED})<user-\d+>")
_OF_THE_SYSTEM = re.compile(r"/(?:opt|usr|lib|lib64|etc|proc|sys|dev|bin)/")


@dataclass(frozen=True)
class Home:
    """The path of a home folder: ``text[start:end]``, of which the user begins at ``user_start``."""

    root: str
    user: str
    start: int
    user_start: int
    end: int


def own_homes(hidden: str) -> str:
    """A text in which users are hidden, with each of their home folders as ``~``, as the own one stands there."""
    return _HIDDEN.sub("~", hidden) if "<user-" in hidden else hidden


def homes(text: bytes) -> Iterator[Home]:
    """All home folders in a text, from left to right."""
    place = 0
    while (match := _HOME.search(text, place)) is not None:
        of_user = match.lastindex or 0
        of_root = 1 if of_user < 5 else 5
        start = match.span(of_root)[0]
        user_start, end = match.span(of_user)
        root = text[start:user_start].decode("utf-8", "replace")
        is_behind_placeholder = re.search(rb"-\d+>$", text[max(0, start - 6) : start]) is not None
        is_systems = of_root > 4 and _OF_THE_SYSTEM.match(root) is not None
        if not is_behind_placeholder and not is_systems:
            yield Home(root, text[user_start:end].decode("utf-8", "replace"), start, user_start, end)
        place = end
