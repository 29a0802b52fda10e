"""Models that are split into files with numbered names ("model-00001-of-00003.gguf")."""

from __future__ import annotations

import re

from checks.facts import NeededFile
from checks.readers.containers.folder import Folder

_MOST = 10_000  # files of a set
MOST_MISSING = 50  # that are named; a folder may hold thousands of files that each ask for thousands of others


def other_parts(name: str, beside: Folder, pattern: re.Pattern[str]) -> tuple[NeededFile, ...] | None:
    """The other files of a set; None where a name is of none.

    The first stands for the set and names all of them, up to the fiftieth that is missing. Another one names those that
    are missing among the first fifty, where there is none that stands for the set.

    ``pattern``: of the whole name, with the groups (beginning, number, count, ending).
    """
    found = pattern.fullmatch(name)
    if found is None or not 1 <= int(found[2]) <= int(found[3]) <= _MOST:
        return None
    own, count, digits = int(found[2]), int(found[3]), len(found[3])
    parts: list[NeededFile] = []
    missing = 0
    for number in range(1, (count if own == 1 else min(count, MOST_MISSING)) + 1):
        other = f"{found[1]}-{number:0{digits}d}-of-{count:0{digits}d}{found[4]}"
        size = beside.size_of(other)
        if own > 1 and number == 1 and size is not None:
            return ()
        if number != own and (own == 1 or size is None):
            parts.append(NeededFile(name=other, present=size is not None, present_size=size))
            missing += size is None
        if missing == MOST_MISSING:
            break
    return tuple(parts)
