"""Which snapshots a command means: the folder, one by its number, or the last at which it worked."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.cli.arguments import UsageError
from wizard.words import words

if TYPE_CHECKING:
    from checks.history.store import Snapshot

LAST, LAST_WORKING = "last", "last-working"


def history_folder(chosen: argparse.Namespace) -> Path | None:
    """Where this examination looks back and is remembered; None where the user does not want it."""
    from checks.history.store import default_folder

    return None if chosen.no_history else default_folder()


def snapshot_named(given: str, language: str, before: str = "") -> Snapshot:
    """A remembered examination by its number, or the last one; or the last that worked, of the same Python as another.

    ``before``: that other one, which is looked for first; where it worked itself and none did before, it is the last.

    Raises:
        UsageError: there is none.
    """
    from checks.history.store import Store, default_folder

    folder = default_folder()
    if folder is None:
        raise UsageError("naosu: " + words("history.off-by-variable", language))
    store = Store(folder)
    if given == LAST_WORKING:
        known = list(store.newest_first())
        other = snapshot_named(before, language) if before == LAST or before.isdecimal() else None
        older = (one for one in known if other is None or (one.number < other.number and one.key == other.key))
        found = next((one for one in older if one.worked), other if other is not None and other.worked else None)
    elif given == LAST:
        found = next(store.newest_first(), None)
    else:
        found = store.read(int(given[:9]))
    if found is None:
        key = "no-working" if given == LAST_WORKING else "no-such"
        raise UsageError("naosu: " + words(f"history.{key}", language, number=given))
    return found
