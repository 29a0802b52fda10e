"""How old our knowledge is: the day on which each table's source was last read."""

import datetime as dt
import functools
import re

from checks.paths import ROOT

_CHECKED = re.compile(r"^checked\s*=\s*(\d{4}-\d{2}-\d{2})", re.MULTILINE)


@functools.cache
def knowledge_days() -> tuple[dt.date, dt.date]:
    """The oldest and the newest ``checked`` of all tables. Only the heads are read: some tables are large.

    Raises:
        ValueError: no table says when it was checked.
    """
    days = []
    for path in (ROOT / "knowledge").glob("*/*.toml"):
        with open(path, encoding="utf-8") as file:
            found = _CHECKED.search(file.read(8192))
        if found:
            days.append(dt.date.fromisoformat(found[1]))
    return min(days), max(days)
