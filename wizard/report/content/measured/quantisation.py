"""What a quantised model loses, layer by layer, in words."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from checks.analysis.models.quantisation import (
    AS_IT_IS,
    Why,
    anew,
    clipped,
    decibels,
    gain,
    is_of_another,
    judged,
    uneven,
    weights_of,
)
from checks.analysis.models.refused_inputs import in_a_line
from checks.analysis.models.repeats import name_of_path, node, share
from checks.facts import LayerLoss, QuantisationLoss, TriedRemedy, WeightLoss
from checks.facts.case import Case
from wizard.report.content.blocks import MeasuredSection, Plot, Row, Series, Table
from wizard.report.content.measured.reasons import why_words
from wizard.report.content.measured.words import joined, percent
from wizard.words import known, words

_NONE = "–"
_NAMED = 4  # nodes, or weights, in one sentence
_WEIGHTS_ONLY = "weights-only"


def quantisation_section(case: Case, language: str) -> MeasuredSection | None:
    """All quantised models that were compared, or looked at."""
    found = [measured for measured in case.facts.measurements if isinstance(measured, QuantisationLoss)]
    if not found:
        return None
    return MeasuredSection(
        id="quantisation",
        title=_words("title", language),
        sentences=tuple(sentence for loss in found for sentence in _sentences(loss, language)),
        tables=tuple(table for loss in found for table in _tables(loss, language)),
        plots=tuple(_plot(loss, language) for loss in found if any(layer.own is not None for layer in loss.layers)),
    )


def _words(key: str, language: str, /, **values: object) -> str:
    return words(f"graphs.loss-{key}", language, **values)


def _sentences(loss: QuantisationLoss, language: str) -> Iterator[str]:
    model = name_of_path(loss.path)
    if loss.reason:
        yield from _not_run(loss, model, language)
    elif loss.first and is_of_another(loss):
        yield _words("another", language, model=model, first=name_of_path(loss.first))
        return
    elif loss.first:
        yield from _beside_float(loss, model, language)
    else:
        yield _words("alone", language, model=model, inputs=_inputs(loss, language))
    for layer in clipped(loss)[:_NAMED]:
        yield _words(
            "clipped",
            language,
            layer=node(layer.name, layer.op),
            share=percent(layer.clipped or 0.0, 1),
            reaches=_range(layer.reaches),
            seen=_range(layer.seen),
        )
    poor = list(uneven(loss))
    if poor:
        named = joined((_of_weight(weight, language) for weight in poor[:_NAMED]), language)
        yield _words("uneven", language, weights=named)


def _not_run(loss: QuantisationLoss, model: str, language: str) -> Iterator[str]:
    if loss.reason == _WEIGHTS_ONLY:
        key = "weights-alone" if not loss.first else "weights-only" if loss.framework else "weights-of-both"
        yield _words(key, language, model=model, first=name_of_path(loss.first))
        yield from _by_type(loss, language)
        return
    yield _words("not", language, model=model, why=why_words(loss, language))


def _by_type(loss: QuantisationLoss, language: str) -> Iterator[str]:
    """What the weights of each type of codes lose: of the usual one, and of the one that loses most."""
    groups: dict[str, list[WeightLoss]] = {}
    for weight in loss.weights:
        if weight.sqnr is not None:
            groups.setdefault(weight.dtype, []).append(weight)
    for kind, weights in groups.items():
        worst = min(weights, key=lambda weight: weight.sqnr or 0.0)
        middle = median(weight.sqnr or 0.0 for weight in weights)
        values = {
            "count": len(weights),
            "middle": decibels(middle),
            "worst": decibels(worst.sqnr),
            "weight": worst.name,
        }
        yield _words("by-type", language, kind=kind, **values)


def _beside_float(loss: QuantisationLoss, model: str, language: str) -> Iterator[str]:
    found = judged(loss)
    yield _words(
        "whole",
        language,
        model=model,
        first=name_of_path(loss.first),
        sqnr=decibels(loss.sqnr),
        inputs=_inputs(loss, language),
    )
    if loss.decisions is not None:
        key = "decides-drawn" if loss.inputs_from == "drawn" else "decides" if loss.decisions < 1 else "decides-alike"
        yield _words(key, language, changed=share(1.0 - loss.decisions), rows=loss.rows)
    if found.layer is not None and found.why is Why.OVERFLOW:
        yield _words("overflow", language, layer=node(found.layer.name, found.layer.op), count=found.layer.lost)
    elif found.layer is not None:
        layer = found.layer
        yield _words(
            "worst-first" if layer.before is None else "worst",
            language,
            layer=node(layer.name, layer.op),
            without=decibels(layer.without),
            sqnr=decibels(loss.sqnr),
            own=decibels(layer.own),
            before=decibels(layer.before),
        )
    elif found.is_poor:
        yield _words("spread", language)
    again = anew(loss)
    if found.why is Why.SATURATION:
        yield _words("saturates", language, sqnr=decibels(loss.sqnr), after=decibels(loss.saturates))
    if found.why is Why.CALIBRATION:
        yield _words("anew", language, again=decibels(again), sqnr=decibels(loss.sqnr))
    if found.remedy is not None:
        yield _words("mends", language, what=_tried_words(found.remedy, language), **_sizes(found.remedy))
    elif loss.tried and found.is_poor and found.why is not Why.CALIBRATION:
        yield _words("nothing-mends", language)
    if loss.quantiser:
        yield words(f"graphs.quantiser-{loss.quantiser}", language) if _is_known(loss.quantiser) else loss.quantiser
    if loss.unmatched:
        yield _words("unmatched", language, count=loss.unmatched)


def _is_known(reason: str) -> bool:
    return bool(known(f"graphs.quantiser-{reason}", "", "en"))


def _inputs(loss: QuantisationLoss, language: str) -> str:
    source = known(f"models.inputs-from-{loss.inputs_from}", loss.inputs_from, language)
    shapes = joined((in_a_line(spec) for spec in loss.inputs[:_NAMED]), language)
    return words("report.with-detail", language, text=shapes, detail=source)


def _of_weight(weight: WeightLoss, language: str) -> str:
    return _words("steps", language, weight=weight.name, steps=weight.steps, ratio=f"{weight.ratio or 0.0:.0f}")


def _sizes(tried: TriedRemedy) -> dict[str, str]:
    return {"before": decibels(tried.before), "after": decibels(tried.after)}


def _tried_words(tried: TriedRemedy, language: str) -> str:
    nodes = joined(tried.nodes[:_NAMED], language) + ("…" if len(tried.nodes) > _NAMED else "")
    return known(f"graphs.tried-{tried.what}", tried.what, language).replace("{nodes}", nodes)


def _of(value: float | None) -> str:
    return _NONE if value is None else decibels(value).removesuffix(" dB")


def _range(pair: tuple[float, float] | None) -> str:
    return _NONE if pair is None else f"{pair[0]:.3g} … {pair[1]:.3g}"


def _tables(loss: QuantisationLoss, language: str) -> Iterator[Table]:
    if loss.layers:
        yield _of_layers(loss, language) if loss.first else _of_codes(loss, language)
    elif loss.weights:
        yield _of_weights(loss, language)
    if any(tried.what != AS_IT_IS for tried in loss.tried):
        yield _of_tried(loss, language)


def _of_layers(loss: QuantisationLoss, language: str) -> Table:
    columns = ("layer", "weights", "before", "own", "here", "clipped", "without")
    return Table(
        title=_words("table", language, model=name_of_path(loss.path)),
        columns=_columns(columns, language),
        rows=tuple(_layer_row(layer, loss, language) for layer in loss.layers),
        numeric=tuple(range(1, len(columns))),
        code=(0,),
        note=_words("note", language),
    )


def _of_codes(loss: QuantisationLoss, language: str) -> Table:
    rows = (
        Row(
            (node(layer.name, layer.op), _share(layer), _range(layer.reaches), _range(layer.seen)),
            "warning" if layer in clipped(loss) else "",
        )
        for layer in loss.layers
    )
    title = _words("table-codes", language, model=name_of_path(loss.path))
    return Table(title, _columns(("layer", "clipped", "reaches", "seen"), language), tuple(rows), code=(0,))


def _of_weights(loss: QuantisationLoss, language: str) -> Table:
    poor = tuple(uneven(loss))
    rows = (
        Row(
            (
                weight.name,
                weight.dtype,
                _of(weight.sqnr),
                _of(weight.poorest),
                _NONE if weight.max_relative is None else f"{weight.max_relative:.1e}",
                str(weight.scales or _NONE),
                _NONE if weight.steps is None else str(weight.steps),
            ),
            "warning" if weight in poor else "",
        )
        for weight in loss.weights
    )
    columns = _columns(("weight", "type", "sqnr", "poorest", "relative", "scales", "steps"), language)
    title = _words("table-weights", language, model=name_of_path(loss.path))
    return Table(title, columns, tuple(rows), numeric=(2, 3, 4, 5, 6), code=(0, 1))


def _of_tried(loss: QuantisationLoss, language: str) -> Table:
    best = judged(loss).remedy
    rows = (
        Row(
            (
                _tried_words(tried, language),
                _of(tried.before),
                tried.error or _of(tried.after),
                _NONE if tried.decisions_after is None else share(tried.decisions_after),
            ),
            "clear" if tried is best else "",
        )
        for tried in loss.tried
    )
    return Table(
        title=_words("table-tried", language),
        columns=_columns(("tried", "anew", "after", "decisions"), language),
        rows=tuple(rows),
        numeric=(1, 2, 3),
        note=_words("note-tried", language),
    )


def _columns(names: tuple[str, ...], language: str) -> tuple[str, ...]:
    return tuple(_words(f"column-{name}", language) for name in names)


def _share(layer: LayerLoss) -> str:
    return _NONE if layer.clipped is None else percent(layer.clipped, 2)


def _layer_row(layer: LayerLoss, loss: QuantisationLoss, language: str) -> Row:
    lost = [weight.sqnr if weight.poorest is None else weight.poorest for weight in weights_of(layer, loss)]
    weights = min((sqnr for sqnr in lost if sqnr is not None), default=None)
    is_worst = layer == judged(loss).layer
    name = node(layer.name, layer.op) if layer.op else _words("input", language, name=layer.name)
    without = decibels(layer.without).removesuffix(" dB") if layer.is_tried else _NONE
    here = _words("infinite", language) if layer.lost else _of(layer.here)
    cells = (name, _of(weights), _of(layer.before), _of(layer.own), here, _share(layer), without)
    return Row(cells, "warning" if is_worst or (layer in clipped(loss) and gain(layer, loss) > 0) else "")


def _plot(loss: QuantisationLoss, language: str) -> Plot:
    """SQNR of each layer's own loss, and of all until there."""
    layers = [layer for layer in loss.layers if layer.here is not None or layer.own is not None]
    places = tuple(float(place) for place in range(len(layers)))
    worst = min((layer for layer in layers if layer.own is not None), key=lambda layer: layer.own or 0.0)
    return Plot(
        title=_words("plot", language, model=name_of_path(loss.path)),
        kind="lines",
        x_label=words("measurements.models-axis-node", language),
        y_label=_words("axis", language),
        series=(
            Series(_words("line-own", language), places, tuple(layer.own for layer in layers)),
            Series(_words("line-here", language), places, tuple(layer.here for layer in layers)),
        ),
        summary=_words("plot-summary", language, layer=node(worst.name, worst.op), own=decibels(worst.own)),
        categories=tuple(node(layer.name, layer.op) for layer in layers),
    )
