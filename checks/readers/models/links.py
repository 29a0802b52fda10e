"""Files of a model that are links out of its folder: programs that fear for other files of the disk refuse them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from checks.facts import ModelFacts, NeededFile


def with_links(facts: ModelFacts) -> ModelFacts:
    """The facts of a model of the disk, with where links lead that stand for its files."""
    files = facts.needs.files
    path = Path(facts.path)
    if not any(file.present for file in files or ()):
        return facts
    try:
        if not path.exists():  # in an archive
            return facts
        linked = tuple(_linked(file, path) for file in files or ())
    except (OSError, ValueError):  # a disk that went away, a name that no disk holds
        return facts
    return msgspec.structs.replace(facts, needs=msgspec.structs.replace(facts.needs, files=linked))


def _linked(file: NeededFile, model: Path) -> NeededFile:
    folder = model if model.is_dir() else model.parent
    real = Path(os.path.realpath(folder / file.name))
    if not file.present or real.is_relative_to(os.path.realpath(folder)):
        return file
    beside = real.is_relative_to(Path(os.path.realpath(model)).parent)
    return msgspec.structs.replace(file, linked_to=str(real), beside_real_model=beside)
