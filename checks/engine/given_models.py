"""The model files that the user gave: read, and compared where there are two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from checks.facts import ModelComparison, ModelFacts
from checks.readers.containers.source import Cancelled, never
from checks.readers.models import read_models


def read_each(paths: Iterable[Path], cancelled: Cancelled = never) -> Iterator[tuple[ModelFacts, ...]]:
    """The models of each path in turn, until it is cancelled: a folder or an archive holds several."""
    for path in paths:
        if cancelled():
            return
        yield read_models(path, cancelled)


def side_by_side(models: tuple[ModelFacts, ...], cancelled: Cancelled = never) -> tuple[ModelComparison, ...]:
    """Two models that were given together, compared; nothing for one or many, or what is no model."""
    if len(models) != 2 or any(model.format is None for model in models):
        return ()
    from checks.analysis.models.side_by_side import compare_models  # late: most examinations compare none

    return (compare_models(*models, cancelled=cancelled),)
