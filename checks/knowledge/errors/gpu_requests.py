"""What a program asks of a GPU that no GPU gives, by the words with which it is refused."""

import functools
import re
from enum import StrEnum

from checks.knowledge import Row, Table


class RequestKind(StrEnum):
    """What was asked for."""

    DEVICE = "device"
    LAUNCH = "launch"
    RESOURCES = "resources"


class GpuRequest(Row):
    """One wording; the fields are explained at the head of the table."""

    kind: RequestKind
    pattern: str
    certainty: float
    sources: tuple[str, ...]
    also: str = ""

    def found_in(self, words: str) -> tuple[str, dict[str, str]]:
        """The words themselves, and what they say was asked for; "" where they are not there."""
        found = re.search(self.pattern, words)
        return (found[0], found.groupdict()) if found else ("", {})


class Limits(Row):
    """What every GPU keeps to."""

    threads: int
    source: str


class Launch(Row):
    """How kernels of one's own are launched."""

    modules: tuple[str, ...]
    source: str


class GpuRequests(Table):
    """resources/knowledge/errors/gpu_requests.toml."""

    limits: Limits
    launch: Launch
    request: tuple[GpuRequest, ...]


def request_in(words: str, code: str) -> GpuRequest | None:
    """The row that an exception's words show; ``code``: the functions and lines of its traceback."""
    for row, pattern, also in _compiled():
        if pattern.search(words) and also.search(f"{words}\n{code}"):
            return row
    return None


@functools.cache
def _compiled() -> tuple[tuple[GpuRequest, re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((row, re.compile(row.pattern), re.compile(row.also)) for row in GpuRequests.read().request)
