"""The answer of an installer that was asked what it would do."""

from __future__ import annotations

from dataclasses import dataclass

from checks.facts import ResolutionResult


class NotResolved(Exception):  # noqa: N818 - that it does not resolve is an answer, too
    """There is no resolution. ``reason``: behind "reason-" in resources/words/resolutions.toml."""

    def __init__(self, result: ResolutionResult, said: str = "", reason: str = "", **values: str) -> None:
        super().__init__(said or reason)
        self.result = result
        self.said = said
        self.reason = reason
        self.values = values


@dataclass(frozen=True)
class Resolved:
    """What an installer would do. ``there``: the release of each distribution afterwards, None: it is gone."""

    there: dict[str, str | None]
    download_bytes: int | None
    unsized: int
