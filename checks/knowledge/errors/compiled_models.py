"""How runtimes of accelerators refuse a model that was compiled for another chip."""

import functools
import re

import msgspec

from checks.knowledge import Row, Table

LINE_LIMIT = 2000  # characters of one line that are searched
LINES_LIMIT = 400  # lines of one text that are searched, the last ones


class ChipRefusal(Row):
    """One wording; its groups ``compiled_for`` and ``chip`` say what the model was made for, and what is here."""

    id: str
    runtime: str
    pattern: str
    certainty: float
    sources: tuple[str, ...]


class CompiledModels(Table):
    """resources/knowledge/errors/compiled_models.toml."""

    refusal: tuple[ChipRefusal, ...]


class Refused(msgspec.Struct, frozen=True):
    """A line that refuses a model."""

    row: ChipRefusal
    line: str
    compiled_for: str
    chip: str


def refused_in(text: str) -> Refused | None:
    """The first line of a text that refuses a model for its chip."""
    for line in text.splitlines()[-LINES_LIMIT:]:
        for row, pattern in _compiled():
            found = pattern.search(line[:LINE_LIMIT])
            if found is not None:
                said = found.groupdict()
                return Refused(row, line.strip(), said.get("compiled_for") or "", said.get("chip") or "")
    return None


@functools.cache
def _compiled() -> tuple[tuple[ChipRefusal, re.Pattern[str]], ...]:
    return tuple((row, re.compile(row.pattern)) for row in CompiledModels.read().refusal)
