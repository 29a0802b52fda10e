"""The user's own models in words: each comparison, the node at which two runs part, and whether decisions change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checks.analysis.models.refused_inputs import in_a_line, is_refused, why_refused
from checks.analysis.models.repeats import (
    SHAPES,
    beyond_of,
    decides_otherwise,
    draws,
    draws_numbers,
    first_of,
    is_one_scale,
    name_of,
    node,
    relative,
    share,
    size_of,
)
from checks.analysis.models.runs import telling_line
from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.power import CONFIDENCE, ENOUGH, excluded_rate, rounded_up
from checks.facts import ModelMeasured
from checks.facts.case import Case
from checks.knowledge.phrases import in_language
from wizard.report.content.blocks import MeasuredSection, Plot, Row, Series, Table
from wizard.report.content.measured.line import compared_words, framework_name
from wizard.report.content.measured.words import STATES, joined, percent, place_words
from wizard.words import known, words

_NONE = "–"
_PLOTS = 4
_WHOLE = 1.0  # in units of the largest value
_LONGEST = 80  # characters in the table of a reason that quotes an error
_NODES_NAMED = 24  # nodes whose names fit beside their bars; of more the names are read out point by point
_NAMED = 5  # models, or inputs of one, in one sentence
_REPEATED = ("repeat", "mode")
_OF_ONE_RUN = ("state", "lost")  # what is not compared with anything

OWN_MODELS = "models"  # the section about models that the user gave


def models_section(case: Case, language: str) -> MeasuredSection | None:
    """All models that were run again, or were to be."""
    found = [measurement for measurement in case.facts.measurements if isinstance(measurement, ModelMeasured)]
    if not found:
        return None
    groups: dict[tuple[str, str], list[ModelMeasured]] = {}
    for measured in found:
        groups.setdefault((measured.path, measured.framework), []).append(measured)
    plotted = [measured for measured in found if measured.aspect != "mode" and any(one.apart for one in measured.nodes)]
    return MeasuredSection(
        id=OWN_MODELS,
        title=_words("title", language),
        sentences=(
            *(sentence for here in groups.values() for sentence in _sentences(here, language)),
            *_left(found, language),
        ),
        tables=tuple(table for here in groups.values() for table in _tables(here, language)),
        plots=tuple(
            _plot(measured, groups[measured.path, measured.framework], language) for measured in plotted[:_PLOTS]
        ),
    )


def _words(key: str, language: str, /, **values: object) -> str:
    return words(f"measurements.models-{key}", language, **values)


def _sentences(here: Sequence[ModelMeasured], language: str) -> Iterator[str]:
    name = name_of(here[0])
    yield from _inputs(here, name, language)
    if any(measured.shrunk for measured in here):
        yield _words("shrunk", language, model=name)
    keeps = next((measured for measured in here if measured.aspect == "state"), None)
    if keeps is not None:
        yield _words("keeps", language, model=name, detail=keeps.detail)
    left_out = max(measured.outputs_left_out for measured in here)
    if left_out:
        yield _words("outputs-left-out", language, model=name, count=left_out)
    odd = next((measured for measured in here if measured.nan_in_both), None)
    if odd is not None:
        yield _words("nan", language, model=name, count=odd.nan_in_both, output=odd.nan_output)
    yield from _long_reasons(here, name, language)
    for measured in here:
        if measured.aspect == "repeat" and (not measured.reason or measured.reason == SHAPES):
            yield from _repeated(measured, here, language)
        if measured.reason == SHAPES and measured.aspect not in _REPEATED:
            yield _words(
                "shapes", language, model=name, what=compared_words(measured, language), detail=measured.detail
            )
        if measured.aspect == "batch" and size_of(measured) is Size.BEYOND:
            yield _words("rows", language, model=name, node=beyond_of(measured))
        elif size_of(measured) is Size.BEYOND and not measured.reason and measured.aspect not in _REPEATED:
            what = compared_words(measured, language)
            yield _words("beyond", language, model=name, what=what, node=beyond_of(measured))
        elif (
            decides_otherwise(measured)
            and measured.decisions is not None
            and not measured.reason
            and measured.aspect not in _REPEATED
        ):
            what = compared_words(measured, language)
            yield _words("decides", language, model=name, what=what, changed=share(1.0 - measured.decisions))


def _long_reasons(here: Sequence[ModelMeasured], name: str, language: str) -> Iterator[str]:
    for measured in here:
        if (
            not measured.aspect
            or measured.aspect in _OF_ONE_RUN
            or not measured.reason
            or measured.difference is not None
        ):
            continue
        why = _why(measured, language)
        if measured.reason != SHAPES and _is_long(measured, why):
            yield _words("not-compared", language, model=name, what=compared_words(measured, language), why=why)


def _is_long(measured: ModelMeasured, why: str) -> bool:
    return measured.error is not None and len(why) > _LONGEST


def _inputs(here: Sequence[ModelMeasured], name: str, language: str) -> Iterator[str]:
    inputs = next((measured for measured in here if measured.inputs_from and not is_refused(measured)), None)
    if inputs is not None and inputs.inputs:
        source = known(f"models.inputs-from-{inputs.inputs_from}", inputs.inputs_from, language)
        shapes = _some([*map(in_a_line, inputs.inputs)], language)
        yield _words("inputs", language, model=name, inputs=shapes, source=source)
    if inputs is not None and inputs.inputs_renamed:
        yield words("models.inputs-renamed", language, model=name, renamed=inputs.inputs_renamed)


def _left(found: Sequence[ModelMeasured], language: str) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for measured in found:
        if not measured.aspect and measured.reason:
            reasons.setdefault(_why(measured, language), []).append(name_of(measured))
    for why, names in reasons.items():
        yield _words("left", language, model=_some(names, language), why=why)


def _some(names: Sequence[str], language: str) -> str:
    listed, rest = joined(names[:_NAMED], language), len(names) - _NAMED
    return _words("and-more", language, listed=listed, count=rest) if rest > 0 else listed


def _repeated(measured: ModelMeasured, here: Sequence[ModelMeasured], language: str) -> Iterator[str]:
    place = place_words(measured.framework, measured.device, language)
    values = {"model": name_of(measured), "place": place, "count": measured.repetitions}
    if (measured.distinct or 0) > 1:
        key = "draws" if draws_numbers(measured, here) else "varies"
        yield _words(key, language, distinct=measured.distinct, node=first_of(measured), **values)
        return
    rate = excluded_rate(measured.repetitions)
    if rate is None:
        return
    yield _words("same", language, rate=f"{rounded_up(rate)} %", sure=percent(CONFIDENCE), **values)


def _tables(here: Sequence[ModelMeasured], language: str) -> Iterator[Table]:
    compared = [measured for measured in here if measured.aspect and measured.aspect not in _OF_ONE_RUN]
    rows = [_row(measured, here, language) for measured in compared]
    if not rows:
        return
    columns = ("compared", "results", "difference", "size", "first", "decisions")
    yield Table(
        title=_words("table", language, model=name_of(here[0]), runtime=framework_name(here[0].framework, language)),
        columns=tuple(_words(f"column-{column}", language) for column in columns),
        rows=tuple(rows),
        numeric=(2, 5),
        note=_words("note", language),
    )


def _row(measured: ModelMeasured, here: Sequence[ModelMeasured], language: str) -> Row:
    if measured.reason and measured.reason != SHAPES and measured.difference is None:
        state = "absent" if measured.reason == "no-time" else "open"
        why = _why(measured, language)
        if _is_long(measured, why):
            why = _words("see-above", language)
        return Row((compared_words(measured, language), why, _NONE, _NONE, _NONE, _NONE), state)
    size = size_of(measured)
    is_random = measured.aspect in _REPEATED and (measured.distinct or 0) > 1 and draws_numbers(measured, here)
    is_same = size is Size.IDENTICAL
    return Row(
        cells=(
            compared_words(measured, language),
            _results(measured, language),
            _apart(measured, language),
            _words("random", language) if is_random else words(f"measurements.size-{size.value}", language),
            _NONE if is_same else _where(measured, language),
            share(measured.decisions) if measured.decisions is not None else _NONE,
        ),
        state=_state(measured, size),
    )


def _apart(measured: ModelMeasured, language: str) -> str:
    if measured.reason == SHAPES:
        return _words("other-shapes", language)
    if size_of(measured) is Size.IDENTICAL:
        return words("measurements.same-bits", language)
    apart = relative(measured)
    return _NONE if apart is None else f"{apart:.1e}"


def _state(measured: ModelMeasured, size: Size) -> str:
    if measured.aspect in _REPEATED:
        if (measured.distinct or 0) > 1:
            return "warning"
        return "clear" if measured.repetitions >= ENOUGH else "open"  # few equal results prove nothing
    if measured.aspect == "batch" and size is Size.BEYOND:
        return "note" if is_one_scale(measured) else "warning"
    if decides_otherwise(measured):
        return "warning"
    return STATES.get(size, "note" if size in (Size.HALF, Size.BFLOAT16) else "")


def _results(measured: ModelMeasured, language: str) -> str:
    if measured.aspect in _REPEATED:
        key = "same" if measured.distinct == 1 else "distinct"
        return words(
            f"measurements.repeat-{key}", language, distinct=measured.distinct, repetitions=measured.repetitions
        )
    return _words("outputs", language, apart=measured.outputs_apart, count=measured.outputs)


def _where(measured: ModelMeasured, language: str) -> str:
    """The first node whose bits differ, and where it is another one that which is beyond rounding, or decides."""
    if not measured.first_node and measured.searched_until:
        return _words("until", language, node=measured.searched_until)
    if not measured.first_node:
        return _words("not-seen" if measured.searched else "not-searched", language)
    places = [node(measured.first_node, measured.first_op)]
    if measured.beyond_node and measured.beyond_node != measured.first_node:
        places.append(_words("beyond-at", language, node=node(measured.beyond_node, measured.beyond_op)))
    if measured.choice_node:
        places.append(_words("choice-at", language, node=node(measured.choice_node, measured.choice_op)))
    if measured.searched_until:
        places.append(_words("until", language, node=measured.searched_until))
    return joined(places, language)


def _why(measured: ModelMeasured, language: str) -> str:
    if is_refused(measured):
        return in_language(why_refused(measured), language)
    text = known(
        f"measurements.reason-{measured.reason}",
        known(f"models.reason-{measured.reason}", measured.reason, language),
        language,
    )
    detail = measured.detail or telling_line(measured)
    if "{detail}" in text:
        return text.replace("{detail}", detail)
    return words("report.with-detail", language, text=text, detail=detail) if detail else text


def _plot(measured: ModelMeasured, here: Sequence[ModelMeasured], language: str) -> Plot:
    """How the difference grows from node to node, beside what rounding makes."""
    names = tuple(node(point.name, point.op) for point in measured.nodes)
    places = tuple(float(place) for place in range(len(measured.nodes)))
    apart = tuple(point.apart or None for point in measured.nodes)  # 0 has no place on this axis
    bound = _bound(measured, here)
    largest = max(measured.nodes, key=lambda point: point.apart or 0.0)
    return Plot(
        title=_words("plot", language, model=name_of(measured), what=compared_words(measured, language)),
        kind="bars" if len(names) <= _NODES_NAMED else "lines",
        x_label=_words("axis-node", language),
        y_label=_words("axis-apart", language),
        series=(
            Series(_words("line-apart", language), places, apart),
            *((Series(_words("line-bound", language), places, bound),) if bound else ()),
        ),
        summary=_words(
            "plot-summary",
            language,
            first=first_of(measured),
            largest=f"{largest.apart or 0.0:.1e}",
            node=node(largest.name, largest.op),
            count=measured.searched,
        ),
        categories=names,
        log_y=True,
    )


def _bound(measured: ModelMeasured, here: Sequence[ModelMeasured]) -> tuple[float | None, ...]:
    """What rounding makes at each node: no more than the whole of its largest value.

    Empty where it says nothing: of random numbers, and where it is known of no more than half of what differs.
    """
    is_random = draws_numbers(measured, here) or any(draws(point.op) for point in measured.nodes)
    bound = tuple(min(point.bound, _WHOLE) if point.bound else None for point in measured.nodes)
    differing = [most for point, most in zip(measured.nodes, bound, strict=True) if point.apart]
    is_line = 2 * sum(most is not None for most in differing) > len(differing)
    return bound if is_line and not is_random else ()
