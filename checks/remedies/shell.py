"""Text that is pasted into a shell or a Python file, with values of an untrusted machine inside.

The templates are our own (resources/remedies) and follow ``str.format``: ``{name}`` is a value, ``{{`` a brace, and
``{name:words}`` a value of several words ("torch torchvision"), each quoted on its own.
PowerShell is meant on Windows: it is the terminal that opens there today. But who has learned cmd pastes into cmd, so
what stands there is one word for both: in double quotes, and without what either of them expands inside these.
"""

import shlex
import string
from collections.abc import Mapping
from enum import StrEnum

from checks.knowledge.templates import parts_of
from checks.visible import is_visible

_PLAIN = frozenset(string.ascii_letters + string.digits + "@%+=:,./_-")
# What a folder or package may hold and what stays harmless inside either kind of quotes of every shell.
_HARMLESS_QUOTED = _PLAIN | frozenset(" ()[]")
_EXPAND, _EXPANDS = "os.path.expanduser", "import os\n\n"  # Python's functions take "~" for a name
# A comma makes an array in PowerShell, and % is a variable in cmd.
_PLAIN_WINDOWS = (_PLAIN | {"\\"}) - set(",%")
_NUMBER = frozenset(string.digits + ".")
# What ends double quotes or is expanded in them. PowerShell takes the typographic quotes for the plain ones
# (about_Quoting_Rules; CharTraits.cs of PowerShell); cmd reads the line only after it has put in %NAME% (set /?).
_EXPANDED_WINDOWS = frozenset('"\u201c\u201d\u201e`$%')


class Unquotable(ValueError):  # noqa: N818 - named for the value that it speaks of
    """A value that must not be put into a command: it holds invisible characters, or stands inside quotes."""


class Shell(StrEnum):
    """Who will read the pasted text. ``PYTHON`` is a Python source file."""

    SH = "sh"
    POWERSHELL = "powershell"
    PYTHON = "python"

    def quote(self, value: str) -> str:
        """The value as one word. A leading ``~`` means the home folder, as in a redacted path, and keeps meaning it.

        Raises:
            Unquotable: the value holds control or formatting characters.
        """
        if not is_visible(value):
            raise Unquotable(ascii(value))
        is_in_home = value.startswith(("~/", "~\\"))
        if self is Shell.PYTHON:
            return f"{_EXPAND}({value!r})" if is_in_home else repr(value)
        if self is Shell.POWERSHELL:
            if _EXPANDED_WINDOWS.intersection(value):
                raise Unquotable(ascii(value))
            if value and _PLAIN_WINDOWS.issuperset(value) and value[0] not in "@=-" and not is_in_home:
                return value
            body = f"$HOME{value[1:]}" if is_in_home else value
            return f'"{body.rstrip(chr(92))}"'  # a program takes \\" for a quotation mark of the word
        if value.startswith("=") and shlex.quote(value) == value:
            return f"'{value}'"  # zsh takes =ls for the path of ls
        return f"~/{shlex.quote(value[2:])}" if is_in_home and value[2:] else shlex.quote(value)

    def call(self, program: str) -> str:
        """The program as the first word of a command line: PowerShell runs a quoted path only after ``&``."""
        word = self.quote(program)
        return f"& {word}" if self is Shell.POWERSHELL and word[0] in "'\"" else word

    def fill(self, template: str, values: Mapping[str, str], commands: Mapping[str, str]) -> str:
        """Fill a template: ``values`` quoted, ``commands`` (ours, quoted already) as they are.

        A command named ``python`` is taken from ``python_call`` where it starts a line.

        Raises:
            Unquotable: a value cannot stand where the template wants it.
            KeyError: the template names something that is not there.
        """
        written = ""
        for literal, name, specification in parts_of(template):
            written += literal
            if name is None:
                continue
            quotes = self._open_quotes(written)
            if name in commands:
                is_first = not written.rpartition("\n")[2].strip()
                written += commands["python_call" if name == "python" and is_first else name]
            elif not quotes:
                words = values[name].split() if specification == "words" else (values[name],)
                if any(word.startswith("-") for word in words) and self._is_option_here(written):
                    raise Unquotable(f"{{{name}}} would be an option")
                text = " ".join(self.quote(word) for word in words)
                if self is Shell.POWERSHELL and written.endswith("= ") and not _NUMBER.issuperset(text):
                    text = text if text.startswith('"') else f'"{text}"'  # an expression, not an argument
                is_amid = self is Shell.SH and written.endswith("=")  # where no shell takes "~" for the home folder
                written += f'"$HOME"{text[1:]}' if is_amid and text.startswith("~/") else text
            elif set(values[name]) <= _HARMLESS_QUOTED:
                written += values[name]
            else:
                raise Unquotable(f"{{{name}}} stands inside quotes")
        return f"{_EXPANDS}{written}" if self is Shell.PYTHON and _EXPAND in written else written

    def _is_option_here(self, written: str) -> bool:
        """Whether a program would take a word that begins with "-" for an option of its own, quoted or not."""
        return self is not Shell.PYTHON and written[-1:].isspace() and written.split()[-1:] != ["--"]

    def _open_quotes(self, text: str) -> str:
        """The quotation mark that is open at the end of a text, "" for none."""
        opened, escape = "", "`" if self is Shell.POWERSHELL else "\\"
        characters = iter(text)
        for character in characters:
            if character == escape and opened != "'":
                next(characters, None)
            elif not opened and character in "'\"":
                opened = character
            elif character == opened:
                opened = ""
        return opened
