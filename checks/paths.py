"""Where the data files lie: in a checkout beside the packages, in an installed wheel inside this one."""

from __future__ import annotations

import sys
from pathlib import Path


def _root() -> Path:
    bundled = Path(getattr(sys, "_MEIPASS", "")) / "resources"
    if hasattr(sys, "_MEIPASS") and bundled.is_dir():  # a frozen application; some put it where a wheel has it
        return bundled
    # Not by importlib.resources: importing that takes a tenth of the time in which `naosu --help` answers.
    installed = Path(__file__).resolve().parent / "resources"
    return installed if installed.is_dir() else installed.parents[1] / "resources"


ROOT = _root()
