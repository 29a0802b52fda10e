"""What the comparison of a quantised model with its float one comes to: where it loses most, why, and what mends it.

A layer is named only where the output was seen to be better without its loss; a cause only where a flip of it was run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from checks.facts import LayerLoss, Measurements, QuantisationLoss, TriedRemedy, WeightLoss

LOST = -300.0  # dB: not all is finite
GAIN = 3.0  # dB without a layer's loss that are more than chance: half of the noise is gone
MENDED = 6.0  # dB that a change of the quantiser has to bring: three quarters of the noise
POOR = 20.0  # dB below which a tenth of the signal's size is noise
CLIPPED = 0.01  # share of the numbers beyond what codes can hold
FEW_STEPS = 16  # codes that the poorest channel of a weight uses, of 256
HELPED = 1.0  # dB that a change brings that is worth trying first where none mends
LITTLE = 1.0  # dB within which two losses are the same
RELATED = 3.0  # dB: weights that were rounded, or trained on, keep far more
UNEVEN = 8.0  # times the usual size of a channel, the largest one
EXCLUDE, PER_CHANNEL, REDUCE_RANGE = "exclude", "per-channel", "reduce-range"
METHODS = ("entropy", "percentile")  # of calibration
STATIC = ("QDQ", "QOperator")  # forms that were calibrated
DRAWN = "drawn"  # inputs that were made up
WORST = 3  # layers that are named in a sentence
AS_IT_IS = "as-it-is"


class Why(StrEnum):
    """What was seen to be at fault."""

    OVERFLOW = "overflow"  # numbers become infinite in the shorter format
    SATURATION = "saturation"  # wider numbers give another result
    CALIBRATION = "calibration"  # quantised anew with the inputs of this comparison it is much better
    WEIGHTS = "weights"  # one scale for channels of very different size; one for each is much better
    LAYER = "layer"  # one layer: without its loss the output is better
    SPREAD = "spread"  # no single layer


@dataclass(frozen=True)
class Judged:
    """``layer``: that which loses most; None: no single one does. ``remedy``: what was seen to mend it."""

    loss: QuantisationLoss
    why: Why
    layer: LayerLoss | None
    remedy: TriedRemedy | None

    @property
    def is_poor(self) -> bool:
        """Whether it loses so much that something is wrong: decisions on the user's inputs, or much of the signal."""
        if self.why is Why.OVERFLOW:
            return True
        return self.changes_decisions or (self.loss.sqnr is not None and self.loss.sqnr < POOR)

    @property
    def changes_decisions(self) -> bool:
        """Whether decisions on inputs of the user's differ; on made-up ones they mean nothing."""
        decisions = self.loss.decisions
        return decisions is not None and decisions < 1.0 and self.loss.inputs_from != DRAWN


def losses(measurements: Measurements) -> tuple[QuantisationLoss, ...]:
    """Those that were measured against the float model that they were made of."""
    found = (loss for loss in measurements.of(QuantisationLoss) if loss.first and loss.difference is not None)
    return tuple(loss for loss in found if not is_of_another(loss))


def is_of_another(loss: QuantisationLoss) -> bool:
    """Whether the float model is another one: most weights of the same names have nothing to do with each other."""
    ratios = [weight.sqnr for weight in loss.weights if weight.sqnr is not None]
    return bool(ratios) and median(ratios) < RELATED


def judged(loss: QuantisationLoss) -> Judged:
    """Where it loses most, what was seen to be at fault, and what mends it."""
    layer, remedy = overflowing(loss) or worst_layer(loss), best_remedy(loss)
    return Judged(loss, _why(loss, layer, remedy), layer, remedy)


def _why(loss: QuantisationLoss, layer: LayerLoss | None, remedy: TriedRemedy | None) -> Why:
    whole = loss.sqnr
    if overflowing(loss) is not None:
        return Why.OVERFLOW
    if whole is not None and loss.saturates is not None and loss.saturates >= whole + GAIN:
        return Why.SATURATION
    again = anew(loss)
    if whole is not None and again is not None and again >= whole + MENDED:
        return Why.CALIBRATION
    if remedy is not None and remedy.what == PER_CHANNEL:
        return Why.WEIGHTS
    return Why.LAYER if layer is not None else Why.SPREAD


def overflowing(loss: QuantisationLoss) -> LayerLoss | None:
    """The first layer that gives infinities or NaN where the float model gives numbers."""
    return next((layer for layer in loss.layers if layer.lost), None)


def anew(loss: QuantisationLoss) -> float | None:
    """The SQNR of the float model quantised here, with nothing changed but the inputs that it is calibrated with."""
    return next((tried.before for tried in loss.tried if tried.before is not None), None)


def gain(layer: LayerLoss, loss: QuantisationLoss) -> float:
    """How much better the output is without a layer's loss, dB; infinite where nothing is lost then; 0: not tried."""
    if not layer.is_tried or loss.sqnr is None:
        return 0.0
    return float("inf") if layer.without is None else layer.without - loss.sqnr


def worst_layer(loss: QuantisationLoss) -> LayerLoss | None:
    """The layer without whose loss the output is the best; None: no single one matters."""
    best = max(loss.layers, key=lambda layer: gain(layer, loss), default=None)
    return best if best is not None and gain(best, loss) >= GAIN else None


def worst_layers(loss: QuantisationLoss) -> tuple[LayerLoss, ...]:
    """The few at which most is lost, the worst first: without whose loss the output is better.

    Where no single one matters, those whose own loss is the largest.
    """
    named = [layer for layer in loss.layers if layer.op]
    mattering = sorted((at for at in named if gain(at, loss) >= GAIN), key=lambda layer: -gain(layer, loss))
    own = sorted((at for at in named if at.own is not None), key=lambda layer: layer.own or 0.0)
    return tuple((mattering or own)[:WORST])


def best_remedy(loss: QuantisationLoss) -> TriedRemedy | None:
    """What mends most. Of two that mend as much that which leaves fewer nodes in float; None: nothing does."""
    helping = [tried for tried in loss.tried if _gain(tried) >= MENDED]
    most = max(map(_gain, helping), default=0.0)
    near = [tried for tried in helping if _gain(tried) >= most - GAIN]
    return min(near, key=lambda tried: (len(tried.nodes), -_gain(tried)), default=None)


def most_helpful(loss: QuantisationLoss) -> TriedRemedy | None:
    """What mends it, else what helps most of all that was tried; None: nothing helps."""
    most = max(loss.tried, key=_gain, default=None)
    return best_remedy(loss) or (most if most is not None and _gain(most) >= HELPED else None)


def may_want_calibration(loss: QuantisationLoss) -> bool:
    """Whether other inputs for calibration may help: it was calibrated, and it was not seen here that they do not.

    That inputs which were made up bring nothing says nothing of real ones.
    """
    if loss.form not in STATIC:
        return False
    again = anew(loss)
    if loss.inputs_from == DRAWN or again is None or loss.sqnr is None:
        return True
    methods = [tried for tried in loss.tried if tried.what in METHODS]
    return again >= loss.sqnr + LITTLE or any(_gain(tried) >= HELPED for tried in methods)


def _gain(tried: TriedRemedy) -> float:
    if tried.before is None or tried.error:
        return 0.0
    return float("inf") if tried.after is None else tried.after - tried.before


def weights_of(layer: LayerLoss, loss: QuantisationLoss) -> tuple[WeightLoss, ...]:
    """What the layer's own weights lose."""
    return tuple(weight for weight in loss.weights if weight.name in layer.held)


def uneven(loss: QuantisationLoss) -> Iterator[WeightLoss]:
    """Weights whose channels share one scale and are of such different size that some have few codes left."""
    for weight in loss.weights:
        is_few = weight.steps is not None and weight.steps <= FEW_STEPS
        if weight.scales == 1 and is_few and (weight.ratio or 0.0) >= UNEVEN:
            yield weight


def clipped(loss: QuantisationLoss) -> tuple[LayerLoss, ...]:
    """Layers many of whose numbers their codes cannot hold, the worst first."""
    found = (layer for layer in loss.layers if (layer.clipped or 0.0) >= CLIPPED)
    return tuple(sorted(found, key=lambda layer: -(layer.clipped or 0.0)))


def decibels(value: float | None) -> str:
    """A ratio of signal to noise; without a figure there is no noise."""
    if value is not None and value <= LOST:
        return "−∞"
    return "∞" if value is None else f"{value:.1f} dB"
