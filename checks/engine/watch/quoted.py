"""Which variables of its environment a failed program quotes in the words of its exception.

An error that says "invalid path: /etc/ssl/company/root.pem" leaves out where the path came from. Where a variable has
exactly this value, it is the first thing to try without. Only those variables are noted; their values stand in the
error already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from checks.facts import ProgramRun, Raised
from checks.interpreters.disk import is_file

_SHORTEST = 4  # characters: "cpu", "1" and "off" stand in many errors
_LONGEST = 400
_MOST = 3
# Of every login, and of environments: a path below them is quoted for other reasons.
_EVERYWHERE = frozenset(
    {"HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "HOSTNAME", "HOST", "EDITOR", "_",
     "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "USERNAME", "COMPUTERNAME", "PYTHONPATH", "PATH"}
)  # fmt: skip
_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASS|PWD|AUTH|CREDENTIAL|COOKIE|SESSION", re.IGNORECASE)
# What these quote is a name of the program's own, or a key of its data; those of files quote paths.
_OF_NAMES = frozenset(
    {"NameError", "UnboundLocalError", "AttributeError", "KeyError", "IndexError", "TypeError", "ModuleNotFoundError",
     "SyntaxError", "IndentationError", "KeyboardInterrupt", "SystemExit"}
)  # fmt: skip
_OF_FILES = frozenset(
    {"FileNotFoundError", "PermissionError", "IsADirectoryError", "NotADirectoryError", "FileExistsError"}
)
_NO_FOLDER = frozenset({"NotADirectoryError", "FileExistsError"})
_OF_DISKS = re.compile("No space left on device|Read-only file system|Disk quota exceeded")
_COMMON = frozenset({"auto", "cuda", "none", "true", "false", "info", "warn", "warning", "error", "debug", "default"})


def quoted_variables(run: ProgramRun, variables: Mapping[str, str]) -> dict[str, str]:
    """Name and value of the variables whose whole value its exception names; of a program that raised none, none."""
    raised = run.raised if run.failed else None
    if raised is None or raised.type in _OF_NAMES or _OF_DISKS.search(raised.message):
        return {}
    is_of_files = raised.type in _OF_FILES
    found = [
        (name, value)
        for name, value in sorted(variables.items(), key=lambda item: -len(item[1]))
        if name not in _EVERYWHERE
        and not _SECRET.search(name)
        and _is_telling(value)
        and (_names(raised.message, value) or _is_file_above(raised, value))
        and ("/" in value or "\\" in value or not is_of_files)
    ]
    return dict(found[:_MOST])


def _is_file_above(raised: Raised, value: str) -> bool:
    """Whether what could not be made or found lies below the value, which is a file and no folder."""
    below = re.search(rf"""(['"]){re.escape(value.strip())}[/\\][^'"]+\1""", raised.message)
    return raised.type in _NO_FOLDER and below is not None and is_file(value.strip())


def _is_telling(value: str) -> bool:
    word = value.strip().lower()
    is_number = re.fullmatch(r"[\d.,:+-]+", word) is not None
    return _SHORTEST <= len(word) <= _LONGEST and word not in _COMMON and not is_number


def _names(message: str, value: str) -> bool:
    """Whether a text names a value as what is wrong: in quotation marks, or behind a colon at the end of its line.

    A command line in an error names much that is right: "nvcc -ccbin /opt/gcc/bin/gcc".
    """
    whole = re.escape(value.strip())
    return re.search(rf"""(['"`]){whole}\1|:\s+{whole}[.,;]?\s*$""", message, re.MULTILINE) is not None
