"""Read what ``host.py`` writes, line by line as it grows, from a process that may write anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from checks.facts import ErrorText, StageRun

LIMIT = 8 * 1024 * 1024  # bytes of answer that are read; the largest honest one has a few hundred kilobytes
MOST_STAGES = 5_000  # the longest honest answer has a few hundred
MOST_VALUES = 500_000  # of the JSON, and of a list what it holds
_LONGEST_INT = 20  # characters of 64 bits
_LINE = 10  # values that a line counts for, as it takes more time


class Transcript:
    """The answer of a probe so far.

    ``greeting`` is the Python version that the host writes first: until then nothing proves that a Python runs.
    ``failed`` is True once an essential stage raised; ``overflown`` once more came than any probe has to say.
    """

    def __init__(
        self,
        on_stage: Callable[[str], None] = lambda _: None,
        on_facts: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> None:
        self._on_stage = on_stage
        self._on_facts = on_facts
        self._rest = b""
        self._size = 0
        self._values = 0
        self._unread: dict[str, Any] = {}
        self._stages: list[StageRun] = []
        self.facts: dict[str, Any] = {}
        self.greeting: str | None = None
        self.failed = False
        self.done = False
        self.unreadable = 0  # lines that are not an answer of a host

    @property
    def stages(self) -> tuple[StageRun, ...]:
        """The stages that began, in their order."""
        return tuple(self._stages)

    @property
    def overflown(self) -> bool:
        """More came than any probe has to say; the rest is not read."""
        return self._size > LIMIT or self._values > MOST_VALUES or len(self._stages) > MOST_STAGES

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the answer file."""
        if self.overflown:
            return
        self._size += len(data)
        *lines, self._rest = (self._rest + data[: LIMIT + 1]).split(b"\n")
        for line in lines:
            self._values += _LINE + line.count(b",") + line.count(b"[") + line.count(b"{")  # before they are made
            if self.overflown:
                return
            self._read(line)

    def _read(self, line: bytes) -> None:
        try:
            message = json.loads(line.decode("utf-8", "replace"), parse_int=_int)
            if b"\\u" in line:
                message = without_surrogates(message)
        except (ValueError, RecursionError):
            message = None
        match message:
            case {"python": str(version)}:
                self.greeting = version
            case {"begin": str(name)}:
                self._stages.append(StageRun(name=name))
                self._on_stage(name)
            case {"end": str(name)} if self._stages and self._stages[-1].name == name:
                self._end(message)
            case {"facts": dict(facts)} if "end" not in message:
                self._learn(facts)
            case {"done": True}:
                self.done = True
            case _:
                self.unreadable += 1

    def _end(self, message: dict[str, Any]) -> None:
        seconds = message.get("seconds")
        self._stages[-1] = StageRun(
            name=message["end"],
            ended=True,
            seconds=float(seconds) if isinstance(seconds, int | float) else None,
            error=_error(message.get("error")),
        )
        self.failed = self.failed or message.get("essential") is True
        self._learn(_dict(message.get("facts")))

    def _learn(self, facts: dict[str, Any]) -> None:
        """Each stage may add reasons to "unread", and to a list by "name+"; else the later stage knows more."""
        self._on_facts(facts)
        self._unread.update(_dict(facts.get("unread")))
        for name, value in facts.items():
            known = self.facts.get(name[:-1])
            if not name.endswith("+") or not isinstance(value, list):
                self.facts[name] = value
            elif isinstance(known, list):
                known += value
            else:
                self.facts[name[:-1]] = [*value]
        if self._unread:
            self.facts["unread"] = self._unread


def _int(digits: str) -> int | float:
    """Of a number that no file of ours can hold, nearly the same."""
    value = int(digits) if len(digits) <= _LONGEST_INT else None
    return value if value is not None and -(1 << 63) <= value < 1 << 64 else float(digits)


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _error(value: object) -> ErrorText | None:
    if not isinstance(value, dict):
        return None
    return ErrorText(**{name: str(value.get(name, "")) for name in ("type", "message", "traceback")})


def without_surrogates(value: Any) -> Any:
    """Half characters, as Python makes them of undecodable file names, cannot be written into any file of ours."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case list():
            return [without_surrogates(item) for item in value]
        case dict():
            return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
        case _:
            return value
