"""What each variable accepts, by the release of the package that reads it."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable

from checks.facts import Package
from checks.facts.versions import release
from checks.knowledge import Row, Table

KERAS_FILE = "keras.json: "  # how Keras's settings file is named among the variables


class Need(Row):
    """What some words ask for: one of these packages, from a release of the reader on."""

    words: tuple[str, ...]
    packages: tuple[str, ...]
    since: str = ""
    requirement: str = ""  # what installs it


class Variable(Row):
    """One row; the table's head says what its fields mean."""

    names: tuple[str, ...]
    effect: str  # "refused", "ignored"
    when: str  # "start", "import", "use"
    shown: str
    source: str
    packages: tuple[str, ...] = ()
    since: str = ""
    before: str = ""
    words: tuple[str, ...] = ()
    any_case: bool = False
    is_empty_refused: bool = False
    pattern: str = ""
    separator: str = ""
    needs: tuple[Need, ...] = ()
    seen: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether a wrong value stops the program."""
        return self.effect == "refused"

    def accepts(self, value: str) -> bool:
        """Whether it takes this value; also where the row does not know what it takes."""
        if not value.strip():
            return not self.is_empty_refused
        if not self.words and not self.pattern:
            return True
        entries = value.split(self.separator) if self.separator else (value,)
        return all(self._accepts(entry.strip() if self.separator else entry) for entry in entries)

    def missing(self, value: str, installed: Iterable[str], version: str) -> Need | None:
        """What a value asks for and is not installed, where every entry of it lacks something."""
        names = set(installed)
        entries = [entry.strip() for entry in (value.split(self.separator) if self.separator else (value,))]
        lacking = [self._lack(entry, names, version) for entry in entries]
        return lacking[0] if lacking and all(lacking) else None

    def lacks_all(self, installed: Iterable[str]) -> bool:
        """Whether nothing of what its words ask for is installed."""
        names = set(installed)
        return not any(names.intersection(need.packages) for need in self.needs)

    def nearest(self, value: str) -> str:
        """The word that was most likely meant; "" where none is near."""
        near = difflib.get_close_matches(value.strip().lower(), {word.lower() for word in self.words}, 1, 0.7)
        return next((word for word in self.words if near and word.lower() == near[0]), "")

    def _accepts(self, entry: str) -> bool:
        words = {word.lower() for word in self.words} if self.any_case else self.words
        if (entry.lower() if self.any_case else entry) in words:
            return True
        return bool(self.pattern) and re.fullmatch(self.pattern, entry, re.ASCII) is not None

    def _lack(self, entry: str, names: set[str], version: str) -> Need | None:
        for need in self.needs:
            applies = not need.since or (bool(version) and release(version) >= release(need.since))
            if entry in need.words and applies and not names.intersection(need.packages):
                return need
        return None


class VariableValues(Table):
    """resources/knowledge/packages/variable_values.toml."""

    variable: tuple[Variable, ...]


@functools.cache
def rows_of(name: str) -> tuple[Variable, ...]:
    """The rows of one variable, of all releases."""
    return tuple(row for row in VariableValues.read().variable if name in row.names)


def row_of(name: str, installed: Iterable[Package]) -> tuple[Variable, Package | None] | None:
    """The row for the releases that are installed, and the package that reads it; None: nothing here reads it."""
    known = {package.name: package for package in installed}
    for row in rows_of(name):
        if not row.packages:
            return row, None
        reader = next((known[package] for package in row.packages if package in known), None)
        if reader is not None and _covers(row, reader.version):
            return row, reader
    return None


def is_accepted_word(value: str) -> bool:
    """Whether some variable takes this word."""
    return any(value in row.words for row in VariableValues.read().variable)


def _covers(row: Variable, version: str) -> bool:
    found = release(version)
    after = not row.since or found >= release(row.since)
    return after and (not row.before or found < release(row.before))
