"""Files of the user's own program, by size and content, so that an edit of it is not blamed on anything else."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from checks.analysis.history.state import own_files
from checks.facts import Facts
from checks.interpreters.disk import names_in, start_of

_MOST = 200
_MOST_FOLDERS = 10
_AT_START = ("sitecustomize.py", "usercustomize.py")
_WHOLE = 2 * 2**20  # bytes of one file that are looked at
_MOST_BYTES = 16 * 2**20  # of all of them together


def files_of_program(facts: Facts, besides: Iterable[str] = ()) -> dict[str, str]:
    """The files that took part in the program's runs, and these; name -> size and content, "" for one that is gone."""
    found: dict[str, str] = {}
    left = _MOST_BYTES
    looked_for = frozenset(besides)
    for path in list(dict.fromkeys((*_named(facts), *own_files(facts), *looked_for)))[:_MOST]:
        seen = _seen(path, left)
        if seen is not None:
            found[path], taken = seen
            left -= taken
        elif path in looked_for and not os.path.lexists(path):
            found[path] = ""
    return found


def site_files(facts: Facts) -> dict[str, str]:
    """Files that Python runs at its start in the folders of its packages, whoever put them there."""
    target = facts.target_interpreter
    packages = (target.packages or ()) if target else ()
    folders = list(dict.fromkeys(package.location for package in packages if package.location))
    found: dict[str, str] = {}
    for folder in folders[:_MOST_FOLDERS]:
        for name in names_in(folder):
            if name.endswith(".pth") or name in _AT_START:
                seen = _seen(str(Path(folder, name)), _WHOLE)
                if seen is not None and len(found) < _MOST:
                    found[str(Path(folder, name))] = seen[0]
    return found


def _named(facts: Facts) -> Iterator[str]:
    """What a command names, and the models that were given."""
    for run in facts.runs:
        words = () if run.statement else (*run.started, *run.command)
        yield from (str(Path(run.folder, word.rpartition("=")[2])) for word in words[1:] if word)
    yield from (model.path for model in facts.models)


def _seen(path: str, left: int) -> tuple[str, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - strings
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    if status.st_size > min(_WHOLE, left):
        return f"{status.st_size} bytes, {int(status.st_mtime)}", 0
    data = start_of(path, _WHOLE)
    if data is None:
        return None
    return f"{status.st_size} bytes, {hashlib.sha256(data).hexdigest()[:16]}", len(data)
