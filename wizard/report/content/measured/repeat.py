"""Repeated operations, in words: what is promised, what was seen, what mends it, and what equal results prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checks.analysis.numbers.magnitude import Work, magnitude
from checks.analysis.numbers.power import CONFIDENCE, ENOUGH, excluded_rate, reach
from checks.analysis.numbers.repeats import (
    DETERMINISTIC,
    WORKSPACE,
    Repeated,
    Variation,
    by_device,
    is_choice,
    repeated,
    results_of,
    versions_of,
)
from checks.facts import Repeat
from checks.knowledge.frameworks.computations import operation_name, setting_name
from checks.knowledge.frameworks.determinism import Promise
from checks.sharing.case import Case
from wizard.report.content.blocks import MeasuredSection, Plot, Row, Series, Table
from wizard.report.content.measured.ulp import ulp_plot
from wizard.report.content.measured.words import from_to, joined, percent, place_words, size_words
from wizard.words import known, words

_STATES = {
    Variation.UNTESTED: "open",
    Variation.STABLE: "clear",
    Variation.DOCUMENTED: "note",
    Variation.ORDER: "note",
    Variation.WRONG: "warning",
}
_LEAST_DRAWN = 10  # repetitions
_PLOTS = 4  # operations that are drawn; the table has all
_NONE = "–"
_BOUNDS = (0.01, 0.05, 0.2)  # rates of other results by which what gave the same bits is listed
_COSTLY = 1.5  # times longer in deterministic mode: worth a row of its own


def repeat_section(case: Case, language: str) -> MeasuredSection | None:
    """All operations that were repeated, or were to be."""
    found = repeated(case.facts.measurements, versions_of(case.facts.frameworks))
    if not found:
        return None
    groups = list(by_device(found))
    return MeasuredSection(
        id="repeat",
        title=_words("title", language),
        sentences=tuple(sentence for group in groups for sentence in _sentences(*group, language)),
        tables=tuple(_table(*group, language) for group in groups),
        plots=tuple(_all_plots(found, language)),
    )


def _words(key: str, language: str, /, **values: object) -> str:
    return words(f"measurements.repeat-{key}", language, **values)


def _sentences(framework: str, device: str, operations: Sequence[Repeated], language: str) -> Iterator[str]:
    place = place_words(framework, device, language)
    tested = [operation.default for operation in operations if operation.default is not None]
    varying = [operation for operation in operations if operation.default is not None and operation.default.varies]
    if tested:
        key = "counts" if varying else "counts-same"
        yield _words(key, language, place=place, tested=len(tested), varying=len(varying))
    stable = reach(each.repetitions for each in tested if not each.varies)
    if stable is not None:
        rate, usual = _rate(stable.fewest), _rate(stable.usual)
        key = "power-one" if rate == usual else "power"
        times = from_to(stable.fewest, stable.most, language)
        yield _words(key, language, times=times, rate=rate, usual=usual, sure=_sure())
        if stable.few:
            yield _words("few", language, few=stable.few, enough=ENOUGH)
    share = _share(tested)
    if share is not None:
        yield _words("share", language, share=percent(share))
    left = sum(operation.default is None for operation in operations)
    if left:
        yield _words("left" if tested else "left-all", language, place=place, left=left)


def _share(tested: Sequence[Repeat]) -> float | None:
    """The part of the time of all repetitions that the operations themselves took."""
    timed = [(each.repetitions * each.seconds, each.share) for each in tested if each.seconds and each.share]
    whole = sum(inside / share for inside, share in timed)
    return sum(inside for inside, _ in timed) / whole if whole else None


def _sure() -> str:
    return percent(CONFIDENCE)


def _rate(repetitions: int) -> str:
    rate = excluded_rate(repetitions)
    return _NONE if rate is None else f"{100 * rate:.2g} %"


def _table(framework: str, device: str, operations: Sequence[Repeated], language: str) -> Table:
    columns = ("operation", "promise", "default", "apart", "deterministic", "mended", "cost", "power")
    weight = {"warning": 0, "note": 1, "clear": 2, "open": 3, "absent": 4}
    often = sorted(operations, key=lambda each: -(each.default.repetitions if each.default else 0))
    rows = [_row(each, language) for each in often]
    return Table(
        title=place_words(framework, device, language),
        columns=tuple(_words(f"column-{column}", language) for column in columns),
        rows=tuple(sorted(rows, key=lambda row: weight[row.state])),
        numeric=(6, 7),
        note=_words("note", language, sure=_sure()),
    )


def _row(each: Repeated, language: str) -> Row:
    made, is_plain = each.default, _is_plain(each)
    promise, cost = _promise(each, language), _NONE if each.cost is None else f"× {each.cost:.2g}"
    power = _rate(made.repetitions) if made is not None and not made.varies else _NONE
    mended = joined((setting_name(setting, language) for setting in each.mended_by), language)
    return Row(
        cells=(
            operation_name(each.operation, language),
            promise,
            _seen(each.under.get("default"), language),
            _apart(each, language),
            _seen(each.under.get(WORKSPACE) or each.under.get(DETERMINISTIC), language),
            mended or _not_mended(each, language),
            cost,
            power,
        ),
        state="absent" if _is_left_out(each) else _state(each),
        brief=_in_brief(each, language) if is_plain else "",
        group=_group(each, promise, language) if is_plain else "",
    )


def _state(each: Repeated) -> str:
    """What came of it; few equal results are no result."""
    made = each.default
    is_few = each.variation is Variation.STABLE and made is not None and made.repetitions < ENOUGH
    return "open" if is_few else _STATES[each.variation]


def _is_plain(each: Repeated) -> bool:
    """Whether it gave the same bits in every way that was tried, at no cost worth a word."""
    made, in_mode = each.default, each.under.get(WORKSPACE) or each.under.get(DETERMINISTIC)
    if each.variation is not Variation.STABLE or made is None or made.warm_up or made.shrunk:
        return False
    is_same_in_mode = in_mode is None or in_mode.is_left_out or (in_mode.distinct == 1 and not in_mode.shrunk)
    return is_same_in_mode and (each.cost or 0.0) < _COSTLY


def _in_brief(each: Repeated, language: str) -> str:
    """Its name, and how often it was repeated: by default / in deterministic mode, with the time that takes."""
    in_mode = each.measured(WORKSPACE) or each.measured(DETERMINISTIC)
    counts = [str(made.repetitions) for made in (each.default, in_mode) if made is not None]
    cost = "" if each.cost is None else f"× {each.cost:.2g}"
    figures = joined((part for part in (" / ".join(counts), cost) if part), language)
    return _words("brief", language, operation=operation_name(each.operation, language), figures=figures)


def _group(each: Repeated, promise: str, language: str) -> str:
    """What its equal results exclude, and what is promised."""
    rate = excluded_rate(each.default.repetitions) if each.default else None
    bound = next((bound for bound in _BOUNDS if rate is not None and rate <= bound), None)
    seen = _words("group-any", language) if bound is None else _words("group", language, rate=f"{100 * bound:.2g} %")
    said = promise not in (_NONE, _words("promise-no-word", language))
    return _words("group-promise", language, group=seen, promise=promise) if said else seen


def _not_mended(each: Repeated, language: str) -> str:
    """Why no setting is named under which it repeats."""
    if each.default is None or not each.default.varies:
        return _NONE
    return _words("too-seldom" if each.is_open else "nothing-mends" if each.tried else "not-tried", language)


def _is_left_out(each: Repeated) -> bool:
    """Whether there was no time for it; what failed is another matter."""
    made = each.under.get("default")
    return each.variation is Variation.UNTESTED and (made is None or made.is_left_out)


def _promise(each: Repeated, language: str) -> str:
    """What the documents say: by default, and in deterministic mode."""
    if not each.is_documented:
        return _NONE
    if each.promised.by_default is Promise.NO_WORD:
        return _words("promise-no-word", language)
    if each.promised.by_default is Promise.REPEATS:
        return _words("promise-repeats", language)
    return _words(f"promise-in-mode-{each.promised.in_mode.value}", language)


def _seen(made: Repeat | None, language: str) -> str:
    """Whether the bits were the same, and in how many repetitions, or why there are none."""
    if made is None:
        return _words("not-tried", language)
    if made.reason:
        why = known(f"measurements.reason-{made.reason}", made.reason, language).rstrip(".。")
        return f"{why} ({made.detail})" if made.detail else why
    distinct, calls = results_of(made)
    counted = _words("same" if distinct == 1 else "distinct", language, distinct=distinct, repetitions=calls)
    if made.warm_up and made.distinct == 1:
        counted = joined((counted, _words("warm-up", language)), language)
    return joined((counted, _words("shrunk", language)), language) if made.shrunk else counted


def _apart(each: Repeated, language: str) -> str:
    made = each.default
    if made is None or made.spread is None:
        return _NONE
    size = magnitude(made.spread, Work(dtype=each.dtype, terms=made.terms))
    if size.is_more_than_rounding and is_choice(each.operation):
        return _words("choice", language)
    figure = "" if size.relative is None else f"{size.relative:.1e}"
    return joined((part for part in (figure, size_words(size, language)) if part), language)


def _all_plots(found: Sequence[Repeated], language: str) -> Iterator[Plot]:
    yield from _plots(found, language)
    apart = {
        operation_name(each.operation, language): each.default.spread
        for each in found
        if each.default is not None
        and each.default.spread is not None
        and len(each.default.order) >= _LEAST_DRAWN
        and not is_choice(each.operation)  # of another value the distance in last digits tells nothing
    }
    distances = ulp_plot(apart, language) if len(apart) > 1 else None  # of one the table says it all
    if distances is not None:
        yield distances


def _plots(found: Sequence[Repeated], language: str) -> Iterator[Plot]:
    """Which result each repetition gave, of what varies; few, or another one each time, need no picture."""
    drawn = [
        each
        for each in found
        if each.default is not None
        and len(each.default.order) >= _LEAST_DRAWN
        and each.default.distinct != each.default.repetitions
    ]
    for each in drawn[:_PLOTS]:
        made = each.default
        if made is None:
            continue
        name = operation_name(each.operation, language)
        order = made.order
        yield Plot(
            title=_words("plot-title", language, operation=name, device=each.device),
            kind="points",
            x_label=_words("plot-x", language),
            y_label=_words("plot-y", language),
            series=(Series(name, tuple(map(float, range(1, len(order) + 1))), tuple(place + 1.0 for place in order)),),
            summary=_words(
                "plot-summary",
                language,
                operation=name,
                distinct=made.distinct,
                repetitions=made.repetitions,
                usual=max(made.counts, default=0),
            ),
        )
