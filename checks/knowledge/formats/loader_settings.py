"""Settings beside weights that name what a loader imports and calls, and what is known to be harmless there."""

import functools
import re

import msgspec

from checks.knowledge import Row, Table
from checks.knowledge.formats.pickle_globals import DANGEROUS, KNOWN, UNKNOWN, what_it_does


class CallingKey(Row):
    """A key whose value is called with the other entries. ``with_``: of these one must stand beside it.

    ``is_sure``: false where other things are written in the same way, so that only what is dangerous is said.
    """

    key: str
    is_sure: bool = True
    with_: tuple[str, ...] = msgspec.field(default=(), name="with")


class CodeFile(Row):
    """A program that a loader runs. ``file`` and ``holds``: regular expressions over its path and its text."""

    loader: str
    file: str
    holds: str


class LoaderSettingsTable(Table):
    """resources/knowledge/formats/loader_settings.toml."""

    called_by: tuple[CallingKey, ...]
    classes_of: tuple[str, ...]
    functions_of: tuple[str, ...]
    functions: tuple[str, ...]
    reached: tuple[str, ...]
    handlers: tuple[str, ...]
    mlflow_loaders: tuple[str, ...]
    libraries: tuple[str, ...]
    code: tuple[CodeFile, ...]


def risk_of_call(path: str) -> str:
    """How far what a dotted name leads to can be called with what the settings say: as ``risk`` of pickle_globals."""
    table = LoaderSettingsTable.read()
    module, _, name = path.rpartition(".")
    parts = path.split(".")
    if what_it_does(module or "builtins", name) or set(table.reached) & set(parts[1:-1]):
        return DANGEROUS
    above = {".".join(parts[:end]) for end in range(1, len(parts))}
    if path in table.functions or above & set(table.functions_of):
        return KNOWN
    is_class = re.match(r"_*[A-Z]", name) is not None
    return KNOWN if is_class and above & set(table.classes_of) else UNKNOWN


@functools.cache
def code_files() -> tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...]:
    """Over the path, over the text, and the loader."""
    return tuple((re.compile(row.file), re.compile(row.holds), row.loader) for row in LoaderSettingsTable.read().code)
