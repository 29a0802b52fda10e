"""What a quantised model loses beside its float model, in the headline's one or two sentences."""

from __future__ import annotations

from collections.abc import Iterator

from checks.analysis.models.quantisation import DRAWN, Judged, Why, decibels, gain, judged, losses, worst_layers
from checks.analysis.models.repeats import name_of_path, node, share
from checks.facts import LayerLoss, Measurements, QuantisationLoss
from checks.facts.case import Case
from checks.facts.finding import Severity
from wizard.report.content.measured.words import joined
from wizard.words import words


def pair_in_short(case: Case, language: str) -> str:
    """The loss, the layers at which most of it arises, and how far that may be trusted; "" where no pair was run."""
    found = losses(Measurements(all=case.facts.measurements))
    is_blocked = any(finding.severity is Severity.BLOCKING for finding in case.findings)
    if len(found) != 1 or len(case.facts.models) != len((found[0].first, found[0].path)) or is_blocked:
        return ""
    return words("report.sentence-separator", language).join(_sentences(judged(found[0]), language))


def _sentences(found: Judged, language: str) -> Iterator[str]:
    loss = found.loss
    values = {"name": name_of_path(loss.path), "first": name_of_path(loss.first), "sqnr": decibels(loss.sqnr)}
    if found.why is Why.OVERFLOW and found.layer is not None:
        layers = node(found.layer.name, found.layer.op)
        yield words("report.models-pair-overflow", language, layers=layers, **values)
    elif loss.sqnr is None or not loss.layers:
        yield words("report.models-pair-none", language, **values)
    else:
        layers = joined((_layer(layer, loss, language) for layer in worst_layers(loss)), language)
        key = "poor" if found.is_poor else "good"
        yield words(f"report.models-pair-{key}", language, layers=layers, **values)
    if loss.inputs_from == DRAWN:
        yield words("report.models-pair-drawn", language)
    elif found.changes_decisions:
        yield words("report.models-pair-decides", language, changed=share(1.0 - (loss.decisions or 0.0)))


def _layer(layer: LayerLoss, loss: QuantisationLoss, language: str) -> str:
    """With what the output has without its loss where that tells, else with what is lost in it alone."""
    key, size = ("", layer.without) if gain(layer, loss) > 0 else ("-own", layer.own)
    return words(f"report.models-pair-layer{key}", language, layer=layer.name or layer.op, size=decibels(size))
