"""The model files that the user gave: read, and compared where there are two."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from checks.engine.plans.quantisation import pair_of
from checks.facts import ModelComparison, ModelFacts, WeightLoss
from checks.knowledge.formats.model_formats import SETTINGS
from checks.readers.containers.source import Cancelled, never
from checks.readers.models import read_models

MOST_OF_WEIGHTS = 2 << 30  # bytes of a model whose weights are compared with their codes


def read_each(paths: Collection[Path], cancelled: Cancelled = never) -> Iterator[tuple[ModelFacts, ...]]:
    """The models of each path in turn, until it is cancelled: a folder or an archive holds several.

    The numbers of their weights are read, too, as long as those of all together stay within a bound.
    """
    if not paths:
        return
    from checks.readers.weights.finite import MOST_BYTES, weight_values  # late: NumPy is for who gives a model

    left = MOST_BYTES
    for path in paths:
        if cancelled():
            return
        models = []
        for model in read_models(path, cancelled):
            values, size = weight_values(model, cancelled, left)
            left -= size
            models.append(msgspec.structs.replace(model, weight_values=values))
        yield tuple(models)


def losses_of_weights(models: tuple[ModelFacts, ...], cancelled: Cancelled = never) -> tuple[WeightLoss, ...]:
    """What the weights of a quantised model have lost, beside its float model where that was given, too."""
    pair = pair_of(models)
    if pair is None or any((model.size or 0) > MOST_OF_WEIGHTS for model in pair if model is not None):
        return ()
    from checks.analysis.models.quantised_weights import weight_losses  # late: NumPy is for who gives such models

    first, second = pair
    return weight_losses(Path(first.path) if first else None, Path(second.path), cancelled, second.format or "")


def side_by_side(models: tuple[ModelFacts, ...], cancelled: Cancelled = never) -> tuple[ModelComparison, ...]:
    """Two models that were given together, compared; nothing for one or many, or what is no model."""
    models = tuple(model for model in models if model.format != SETTINGS)
    if len(models) != 2 or any(model.format is None for model in models):
        return ()
    from checks.analysis.models.side_by_side import compare_models  # late: most examinations compare none

    return (compare_models(*models, cancelled=cancelled),)
