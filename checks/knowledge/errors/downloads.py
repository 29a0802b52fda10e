"""How programs word it that something could not be fetched, and why."""

import functools
import re
from enum import StrEnum

from checks.knowledge import Row, Table


class Of(StrEnum):
    """Whose words they are."""

    HUB = "hub"  # of a library that fetches models
    SERVER = "server"
    NETWORK = "network"


class Refusal(Row):
    """Why nothing came. ``id`` is also that of its words (words/phrases.toml: refusal-ID, refusal-ID-because)."""

    id: str
    of: Of
    pattern: str
    certainty: float
    source: str


class Wrapper(Row):
    """Last words that are about a download. ``is_offline``: they say that nobody was reached.

    ``printed``: what the lines begin with that told why, where the error itself does not hold them.
    """

    pattern: str
    source: str
    is_offline: bool = False
    printed: str = ""


class Elsewhere(Row):
    """Words for what is not there, or is no name at all."""

    pattern: str
    source: str


class Downloads(Table):
    fetchers: tuple[str, ...]
    endings: tuple[str, ...]
    elsewhere: tuple[Elsewhere, ...]
    refusal: tuple[Refusal, ...]
    wrapper: tuple[Wrapper, ...]


@functools.cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def refusal_in(text: str) -> tuple[Refusal, dict[str, str]] | None:
    """The reason that a text tells, and what it names ("address", "wanted")."""
    for row in Downloads.read().refusal:
        found = _pattern(row.pattern).search(text)
        if found is not None:
            return row, _groups(found)
    return None


def wrapper_in(text: str) -> tuple[Wrapper, dict[str, str]] | None:
    """The words of a download that failed, and what they name."""
    for row in Downloads.read().wrapper:
        found = _pattern(row.pattern).search(text)
        if found is not None:
            return row, _groups(found)
    return None


def printed_lines(row: Wrapper, text: str) -> str:
    """What the lines say that tell why, of all that was printed; they may be one sentence."""
    start = _pattern(row.printed)
    return " ".join(start.sub("", line).strip() for line in text.splitlines() if start.search(line))


def is_elsewhere(text: str) -> bool:
    """Whether it says that something is not there, and not that it was refused."""
    return any(_pattern(row.pattern).search(text) for row in Downloads.read().elsewhere)


def is_fetcher(file: str) -> bool:
    """Whether code of this file fetches models or data for its caller."""
    path = file.replace("\\", "/")
    return any(piece in path for piece in Downloads.read().fetchers)


def is_data_file(address: str) -> bool:
    """Whether an address is that of a file to compute with."""
    return address.partition("?")[0].rpartition(".")[2].lower() in Downloads.read().endings


def _groups(found: re.Match[str]) -> dict[str, str]:
    return {name.removesuffix("_too"): value for name, value in found.groupdict().items() if value}
