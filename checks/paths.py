"""Where the data files lie: in a checkout beside the packages, in an installed wheel inside this one.

And where what this user keeps of Naosu lies.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

# The folder of the frozen application, which packaging/application fills; None in every other start.
BUNDLE = Path(sys._MEIPASS) if hasattr(sys, "_MEIPASS") else None


def _root() -> Path:
    if BUNDLE is not None:
        return BUNDLE / "resources"
    # Not by importlib.resources: importing that takes a tenth of the time in which `naosu --help` answers.
    installed = Path(__file__).resolve().parent / "resources"
    return installed if installed.is_dir() else installed.parents[1] / "resources"


ROOT = _root()


def data_folder(variables: Mapping[str, str] = os.environ) -> Path:
    """Where what the user keeps of Naosu lies.

    Raises:
        RuntimeError: the user has no home.
    """
    if sys.platform == "win32":
        base = Path(variables.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        chosen = Path(variables.get("XDG_DATA_HOME", ""))
        base = chosen if chosen.is_absolute() else Path.home() / ".local" / "share"
    return base / "naosu"
