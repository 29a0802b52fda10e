"""What was read in the user's programs: the lines that keep a run from being repeated, by the rule that knows them."""

import msgspec

from checks.facts.base import Fact


class Edit(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change of a program's text: what stands from one place to the other becomes ``text``.

    Lines and columns count characters of the program as it is read, from 1; of a notebook its code cells one after
    the other. ``file``: where it is another one than that of the mark.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    file: str = ""


class ScriptMark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A place in a program, and the rule of resources/scripts that speaks of it.

    ``subject``: the generator or operation ("torch", "torch.index_add"). ``line`` and ``column`` from 1; ``cell``: of a
    notebook, from 1, where the line is that in the cell, and ``row`` that of all code cells one after the other.
    ``values`` fill the placeholders of the rule's texts. ``severity``: "" where the rule's own holds. ``text``: the
    line itself. ``edits``: the change that is offered.
    """

    rule: str
    file: str
    line: int
    column: int
    cell: int | None = None
    row: int = 0
    subject: str = ""
    severity: str = ""
    values: dict[str, str] = {}
    text: str = ""
    edits: tuple[Edit, ...] = ()


class UnreadScript(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file that could not be read as a program. ``reason``: an id of resources/words/scan.toml, with its values."""

    file: str
    reason: str
    values: dict[str, str] = {}


class ScriptFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A program or configuration that was read. ``kind``: "python", "notebook" or "config"."""

    file: str
    kind: str = "python"
    rows: int = 0
    runs: bool = False  # whether starting it does something
    frameworks: tuple[str, ...] = ()  # that it imports
    imports: dict[str, str] = {}  # packages that it imports by name, also random, and the name each has in it
    loads_data: bool = False  # with torch.utils.data.DataLoader
    marks: tuple[ScriptMark, ...] = ()
