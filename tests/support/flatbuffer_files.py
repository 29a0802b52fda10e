"""What the tests of all formats of FlatBuffers share."""

from __future__ import annotations

from pathlib import Path

from checks.facts import ModelFacts
from checks.readers.models import read_model

RECORDINGS = Path(__file__).parents[1] / "recordings" / "models"
PARTS = 20


def read(data: bytes, folder: Path, name: str = "model") -> ModelFacts:
    """The facts of a file with these bytes."""
    path = folder / name
    path.write_bytes(data)
    return read_model(path)
