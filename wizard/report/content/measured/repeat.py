"""Repeated operations, in words: what is promised, what was seen, what mends it, and what equal results prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checks.analysis.numbers.magnitude import Work, magnitude
from checks.analysis.numbers.power import CONFIDENCE, ENOUGH, excluded_rate, reach, rounded_up
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
from checks.facts.case import Case
from checks.knowledge.frameworks.computations import operation_name, setting_name
from checks.knowledge.frameworks.determinism import Promise
from wizard.report.content.blocks import MeasuredSection, Plot, Row, Series, Table
from wizard.report.content.measured.ulp import ulp_plot
from wizard.report.content.measured.words import from_to, joined, percent, place_words, size_words
from wizard.words import known, words

_STATES = {
    Variation.UNTESTED: "open",
    Variation.STABLE: "clear",
    Variation.FIRST_CALL: "note",
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
    varying = [run for run in tested if not run.is_alike]
    if tested:
        key = "counts" if varying else "counts-same"
        yield _words(key, language, place=place, tested=len(tested), varying=len(varying))
    stable = reach(run.repetitions for run in tested if run.is_alike)
    if stable is not None:
        rate, usual = (_rate(count, among=len(tested)) for count in (stable.fewest, stable.usual))
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
    timed = [
        (operation.repetitions * operation.seconds, operation.share)
        for operation in tested
        if operation.seconds and operation.share
    ]
    whole = sum(inside / share for inside, share in timed)
    return sum(inside for inside, _ in timed) / whole if whole else None


def _sure() -> str:
    return percent(CONFIDENCE)


def _rate(repetitions: int, *, among: int = 1) -> str:
    rate = excluded_rate(repetitions, among=among)
    return _NONE if rate is None else f"{rounded_up(rate)} %"


def _table(framework: str, device: str, operations: Sequence[Repeated], language: str) -> Table:
    columns = ("operation", "promise", "default", "apart", "deterministic", "mended", "cost", "power")
    weight = {"warning": 0, "note": 1, "clear": 2, "open": 3, "absent": 4}
    often = sorted(operations, key=lambda operation: -(operation.default.repetitions if operation.default else 0))
    rows = [_row(operation, language) for operation in often]
    return Table(
        title=place_words(framework, device, language),
        columns=tuple(_words(f"column-{column}", language) for column in columns),
        rows=tuple(sorted(rows, key=lambda row: weight[row.state])),
        numeric=(6, 7),
        note=_words("note", language, sure=_sure()),
    )


def _row(operation: Repeated, language: str) -> Row:
    run, is_plain = operation.default, _is_plain(operation)
    promise, cost = _promise(operation, language), _NONE if operation.cost is None else f"× {operation.cost:.2g}"
    power = _rate(run.repetitions) if run is not None and run.is_alike else _NONE
    fixed_by = joined((setting_name(setting, language) for setting in operation.mended_by), language)
    return Row(
        cells=(
            operation_name(operation.operation, language),
            promise,
            _seen(operation.under.get("default"), language),
            _apart(operation, language),
            _seen(operation.under.get(WORKSPACE) or operation.under.get(DETERMINISTIC), language),
            fixed_by or _not_fixed(operation, language),
            cost,
            power,
        ),
        state="absent" if _is_left_out(operation) else _state(operation),
        brief=_in_brief(operation, language) if is_plain else "",
        group=_group(operation, promise, language) if is_plain else "",
    )


def _state(operation: Repeated) -> str:
    run = operation.default
    is_few = operation.variation is Variation.STABLE and run is not None and run.repetitions < ENOUGH
    return "open" if is_few else _STATES[operation.variation]


def _is_plain(operation: Repeated) -> bool:
    """Whether it gave the same bits in every way that was tried, at no cost worth a word."""
    run, in_mode = operation.default, operation.under.get(WORKSPACE) or operation.under.get(DETERMINISTIC)
    if operation.variation is not Variation.STABLE or run is None or run.shrunk:
        return False
    is_same_in_mode = in_mode is None or in_mode.is_left_out or (in_mode.distinct == 1 and not in_mode.shrunk)
    return is_same_in_mode and (operation.cost or 0.0) < _COSTLY


def _in_brief(operation: Repeated, language: str) -> str:
    """Its name, and how often it was repeated: by default / in deterministic mode, with the time that takes."""
    in_mode = operation.measured(WORKSPACE) or operation.measured(DETERMINISTIC)
    counts = [str(run.repetitions) for run in (operation.default, in_mode) if run is not None]
    cost = "" if operation.cost is None else f"× {operation.cost:.2g}"
    figures = joined((part for part in (" / ".join(counts), cost) if part), language)
    return _words("brief", language, operation=operation_name(operation.operation, language), figures=figures)


def _group(operation: Repeated, promise: str, language: str) -> str:
    rate = excluded_rate(operation.default.repetitions) if operation.default else None
    bound = next((bound for bound in _BOUNDS if rate is not None and rate <= bound), None)
    seen = _words("group-any", language) if bound is None else _words("group", language, rate=f"{100 * bound:.2g} %")
    has_promise = promise not in (_NONE, _words("promise-no-word", language))
    return _words("group-promise", language, group=seen, promise=promise) if has_promise else seen


def _not_fixed(operation: Repeated, language: str) -> str:
    if operation.default is None or not operation.default.varies:
        return _NONE
    return _words("too-seldom" if operation.is_open else "nothing-mends" if operation.tried else "not-tried", language)


def _is_left_out(operation: Repeated) -> bool:
    """Whether there was no time for it; what failed is another matter."""
    run = operation.under.get("default")
    return operation.variation is Variation.UNTESTED and (run is None or run.is_left_out)


def _promise(operation: Repeated, language: str) -> str:
    if not operation.is_documented:
        return _NONE
    if operation.promised.by_default is Promise.NO_WORD:
        return _words("promise-no-word", language)
    if operation.promised.by_default is Promise.REPEATS:
        return _words("promise-repeats", language)
    return _words(f"promise-in-mode-{operation.promised.in_mode.value}", language)


def _seen(run: Repeat | None, language: str) -> str:
    if run is None:
        return _words("not-tried", language)
    if run.reason:
        why = known(f"measurements.reason-{run.reason}", run.reason, language).rstrip(".。")
        return f"{why} ({run.detail})" if run.detail else why
    distinct, calls = results_of(run)
    counted = _words("same" if distinct == 1 else "distinct", language, distinct=distinct, repetitions=calls)
    if run.first_differs:
        counted = joined((counted, _words("warm-up", language)), language)
    return joined((counted, _words("shrunk", language)), language) if run.shrunk else counted


def _apart(operation: Repeated, language: str) -> str:
    run = operation.default
    if run is None or run.spread is None:
        return _NONE
    size = magnitude(run.spread, Work(dtype=operation.dtype, terms=run.terms))
    if size.is_more_than_rounding and is_choice(operation.operation):
        return _words("choice", language)
    figure = "" if size.relative is None else f"{size.relative:.1e}"
    return joined((part for part in (figure, size_words(size, language)) if part), language)


def _all_plots(found: Sequence[Repeated], language: str) -> Iterator[Plot]:
    yield from _plots(found, language)
    apart = {
        operation_name(operation.operation, language): operation.default.spread
        for operation in found
        if operation.default is not None
        and operation.default.spread is not None
        and len(operation.default.order) >= _LEAST_DRAWN
        and not is_choice(operation.operation)  # of another value the distance in last digits tells nothing
    }
    distances = ulp_plot(apart, language) if len(apart) > 1 else None  # of one the table says it all
    if distances is not None:
        yield distances


def _plots(found: Sequence[Repeated], language: str) -> Iterator[Plot]:
    """Which result each repetition gave, of what varies; few, or another one each time, need no picture."""
    drawn = [
        operation
        for operation in found
        if operation.default is not None
        and len(operation.default.order) >= _LEAST_DRAWN
        and operation.default.distinct != operation.default.repetitions
    ]
    for operation in drawn[:_PLOTS]:
        run = operation.default
        if run is None:
            continue
        name = operation_name(operation.operation, language)
        order = run.order
        yield Plot(
            title=_words("plot-title", language, operation=name, device=operation.device),
            kind="points",
            x_label=_words("plot-x", language),
            y_label=_words("plot-y", language),
            series=(Series(name, tuple(map(float, range(1, len(order) + 1))), tuple(place + 1.0 for place in order)),),
            summary=_words(
                "plot-summary",
                language,
                operation=name,
                distinct=run.distinct,
                repetitions=run.repetitions,
                usual=max(run.counts, default=0),
            ),
        )
