"""Where the data files lie: in a checkout beside the packages, in an installed wheel inside this one."""

from __future__ import annotations

import importlib.resources
import sys
from pathlib import Path


def _root() -> Path:
    if bundle := getattr(sys, "_MEIPASS", None):  # a frozen application
        return Path(bundle) / "resources"
    installed = Path(str(importlib.resources.files("checks") / "resources"))
    return installed if installed.is_dir() else installed.parents[1] / "resources"


ROOT = _root()
