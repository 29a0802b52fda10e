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
from checks.analysis.numbers.power import CONFIDENCE, ENOUGH, excluded_rate
from checks.facts import ModelMeasured
from checks.facts.case import Case
from checks.knowledge.phrases import in_language
from wizard.report.content.measured.blocks import MeasuredRow, MeasuredSection, MeasuredTable, Plot, Series
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


def models_section(case: Case, language: str) -> MeasuredSection | None:
    """All models that were run again, or were to be."""
    found = [measurement for measurement in case.facts.measurements if isinstance(measurement, ModelMeasured)]
    if not found:
        return None
    groups: dict[tuple[str, str], list[ModelMeasured]] = {}
    for each in found:
        groups.setdefault((each.path, each.framework), []).append(each)
    plotted = [each for each in found if each.aspect != "mode" and any(one.apart for one in each.nodes)]
    return MeasuredSection(
        id="models",
        title=_words("title", language),
        sentences=(
            *(sentence for here in groups.values() for sentence in _sentences(here, language)),
            *_left(found, language),
        ),
        tables=tuple(table for here in groups.values() for table in _tables(here, language)),
        plots=tuple(_plot(each, groups[each.path, each.framework], language) for each in plotted[:_PLOTS]),
    )


def _words(key: str, language: str, /, **values: object) -> str:
    return words(f"measurements.models-{key}", language, **values)


def _sentences(here: Sequence[ModelMeasured], language: str) -> Iterator[str]:
    name = name_of(here[0])
    yield from _inputs(here, name, language)
    if any(each.shrunk for each in here):
        yield _words("shrunk", language, model=name)
    keeps = next((each for each in here if each.aspect == "state"), None)
    if keeps is not None:
        yield _words("keeps", language, model=name, detail=keeps.detail)
    left_out = max(each.outputs_left_out for each in here)
    if left_out:
        yield _words("outputs-left-out", language, model=name, count=left_out)
    odd = next((each for each in here if each.nan_in_both), None)
    if odd is not None:
        yield _words("nan", language, model=name, count=odd.nan_in_both, output=odd.nan_output)
    yield from _long_reasons(here, name, language)
    for each in here:
        if each.aspect == "repeat" and (not each.reason or each.reason == SHAPES):
            yield from _repeated(each, here, language)
        if each.reason == SHAPES and each.aspect not in _REPEATED:
            yield _words("shapes", language, model=name, what=compared_words(each, language), detail=each.detail)
        if each.aspect == "batch" and size_of(each) is Size.BEYOND:
            yield _words("rows", language, model=name, node=beyond_of(each))
        elif size_of(each) is Size.BEYOND and not each.reason and each.aspect not in _REPEATED:
            what = compared_words(each, language)
            yield _words("beyond", language, model=name, what=what, node=beyond_of(each))
        elif (
            decides_otherwise(each) and each.decisions is not None and not each.reason and each.aspect not in _REPEATED
        ):
            what = compared_words(each, language)
            yield _words("decides", language, model=name, what=what, changed=share(1.0 - each.decisions))


def _long_reasons(here: Sequence[ModelMeasured], name: str, language: str) -> Iterator[str]:
    """Why something was not compared, where that is too long for the table."""
    for each in here:
        if not each.aspect or each.aspect == "state" or not each.reason or each.difference is not None:
            continue
        why = _why(each, language)
        if each.reason != SHAPES and _is_long(each, why):
            yield _words("not-compared", language, model=name, what=compared_words(each, language), why=why)


def _is_long(made: ModelMeasured, why: str) -> bool:
    return made.error is not None and len(why) > _LONGEST


def _inputs(here: Sequence[ModelMeasured], name: str, language: str) -> Iterator[str]:
    """With what it was run."""
    inputs = next((each for each in here if each.inputs_from and not is_refused(each)), None)
    if inputs is not None and inputs.inputs:
        source = known(f"models.inputs-from-{inputs.inputs_from}", inputs.inputs_from, language)
        shapes = _some([*map(in_a_line, inputs.inputs)], language)
        yield _words("inputs", language, model=name, inputs=shapes, source=source)
    if inputs is not None and inputs.inputs_renamed:
        yield words("models.inputs-renamed", language, model=name, renamed=inputs.inputs_renamed)


def _left(found: Sequence[ModelMeasured], language: str) -> Iterator[str]:
    """The models that were not run again, those with the same reason in one sentence."""
    reasons: dict[str, list[str]] = {}
    for each in found:
        if not each.aspect and each.reason:
            reasons.setdefault(_why(each, language), []).append(name_of(each))
    for why, names in reasons.items():
        yield _words("left", language, model=_some(names, language), why=why)


def _some(names: Sequence[str], language: str) -> str:
    """The first of them, and how many more there are."""
    listed, rest = joined(names[:_NAMED], language), len(names) - _NAMED
    return _words("and-more", language, listed=listed, count=rest) if rest > 0 else listed


def _repeated(made: ModelMeasured, here: Sequence[ModelMeasured], language: str) -> Iterator[str]:
    place = place_words(made.framework, made.device, language)
    values = {"model": name_of(made), "place": place, "count": made.repetitions}
    if (made.distinct or 0) > 1:
        key = "draws" if draws_numbers(made, here) else "varies"
        yield _words(key, language, distinct=made.distinct, node=first_of(made), **values)
        return
    rate = excluded_rate(made.repetitions)
    if rate is None:
        return
    yield _words("same", language, rate=f"{100 * rate:.2g} %", sure=percent(CONFIDENCE), **values)


def _tables(here: Sequence[ModelMeasured], language: str) -> Iterator[MeasuredTable]:
    rows = [_row(each, here, language) for each in here if each.aspect and each.aspect != "state"]
    if not rows:
        return
    columns = ("compared", "results", "difference", "size", "first", "decisions")
    yield MeasuredTable(
        title=_words("table", language, model=name_of(here[0]), runtime=framework_name(here[0].framework, language)),
        columns=tuple(_words(f"column-{column}", language) for column in columns),
        rows=tuple(rows),
        numeric=(2, 5),
        note=_words("note", language),
    )


def _row(made: ModelMeasured, here: Sequence[ModelMeasured], language: str) -> MeasuredRow:
    if made.reason and made.reason != SHAPES and made.difference is None:
        state = "absent" if made.reason == "no-time" else "open"
        why = _why(made, language)
        if _is_long(made, why):
            why = _words("see-above", language)
        return MeasuredRow((compared_words(made, language), why, _NONE, _NONE, _NONE, _NONE), state)
    size = size_of(made)
    is_random = made.aspect in _REPEATED and (made.distinct or 0) > 1 and draws_numbers(made, here)
    is_same = size is Size.IDENTICAL
    return MeasuredRow(
        cells=(
            compared_words(made, language),
            _results(made, language),
            _apart(made, language),
            _words("random", language) if is_random else words(f"measurements.size-{size.value}", language),
            _NONE if is_same else _where(made, language),
            share(made.decisions) if made.decisions is not None else _NONE,
        ),
        state=_state(made, size),
    )


def _apart(made: ModelMeasured, language: str) -> str:
    if made.reason == SHAPES:
        return _words("other-shapes", language)
    if size_of(made) is Size.IDENTICAL:
        return words("measurements.same-bits", language)
    apart = relative(made)
    return _NONE if apart is None else f"{apart:.1e}"


def _state(made: ModelMeasured, size: Size) -> str:
    if made.aspect in _REPEATED:
        if (made.distinct or 0) > 1:
            return "warning"
        return "clear" if made.repetitions >= ENOUGH else "open"  # few equal results prove nothing
    if made.aspect == "batch" and size is Size.BEYOND:
        return "note" if is_one_scale(made) else "warning"
    if decides_otherwise(made):
        return "warning"
    return STATES.get(size, "note" if size in (Size.HALF, Size.BFLOAT16) else "")


def _results(made: ModelMeasured, language: str) -> str:
    if made.aspect in _REPEATED:
        key = "same" if made.distinct == 1 else "distinct"
        return words(f"measurements.repeat-{key}", language, distinct=made.distinct, repetitions=made.repetitions)
    return _words("outputs", language, apart=made.outputs_apart, count=made.outputs)


def _where(made: ModelMeasured, language: str) -> str:
    """The first node whose bits differ, and where it is another one that which is beyond rounding, or decides."""
    if not made.first_node and made.searched_until:
        return _words("until", language, node=made.searched_until)
    if not made.first_node:
        return _words("not-seen" if made.searched else "not-searched", language)
    told = [node(made.first_node, made.first_op)]
    if made.beyond_node and made.beyond_node != made.first_node:
        told.append(_words("beyond-at", language, node=node(made.beyond_node, made.beyond_op)))
    if made.choice_node:
        told.append(_words("choice-at", language, node=node(made.choice_node, made.choice_op)))
    if made.searched_until:
        told.append(_words("until", language, node=made.searched_until))
    return joined(told, language)


def _why(made: ModelMeasured, language: str) -> str:
    if is_refused(made):
        return in_language(why_refused(made), language)
    text = known(
        f"measurements.reason-{made.reason}", known(f"models.reason-{made.reason}", made.reason, language), language
    )
    detail = made.detail or telling_line(made)
    if "{detail}" in text:
        return text.replace("{detail}", detail)
    return words("report.with-detail", language, text=text, detail=detail) if detail else text


def _plot(made: ModelMeasured, here: Sequence[ModelMeasured], language: str) -> Plot:
    """How the difference grows from node to node, beside what rounding makes."""
    names = tuple(node(each.name, each.op) for each in made.nodes)
    places = tuple(float(place) for place in range(len(made.nodes)))
    apart = tuple(each.apart or None for each in made.nodes)  # 0 has no place on this axis
    bound = _bound(made, here)
    largest = max(made.nodes, key=lambda each: each.apart or 0.0)
    return Plot(
        title=_words("plot", language, model=name_of(made), what=compared_words(made, language)),
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
            first=first_of(made),
            largest=f"{largest.apart or 0.0:.1e}",
            node=node(largest.name, largest.op),
            count=made.searched,
        ),
        categories=names,
        log_y=True,
    )


def _bound(made: ModelMeasured, here: Sequence[ModelMeasured]) -> tuple[float | None, ...]:
    """What rounding makes at each node: no more than the whole of its largest value.

    Empty where it says nothing: of random numbers, and where it is known of no more than half of what differs.
    """
    is_random = draws_numbers(made, here) or any(draws(each.op) for each in made.nodes)
    bound = tuple(min(each.bound, _WHOLE) if each.bound else None for each in made.nodes)
    differing = [most for each, most in zip(made.nodes, bound, strict=True) if each.apart]
    is_line = 2 * sum(most is not None for most in differing) > len(differing)
    return bound if is_line and not is_random else ()
