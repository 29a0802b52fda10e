"""Which snapshots a command means: the folder, one by its number, or the last at which it worked."""

from __future__ import annotations

import argparse
from pathlib import Path


def history_folder(chosen: argparse.Namespace) -> Path | None:
    """Where this examination looks back and is remembered; None where the user does not want it."""
    from checks.history.store import default_folder

    return None if chosen.no_history else default_folder()
