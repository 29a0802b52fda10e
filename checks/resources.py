"""Where the data files lie, in a checkout and in a frozen application."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(getattr(sys, "_MEIPASS", Path(__file__).resolve().parent.parent)) / "resources"
