"""Results side by side, in words: the devices of this machine, and this machine beside another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.side_by_side import Comparison, NumberDifference, Pair, Place, comparisons, pairs_here
from checks.facts.case import Case
from checks.knowledge.frameworks.computations import operation_name, setting_name
from wizard.report.content.blocks import MeasuredSection, Row, Table
from wizard.report.content.compared_machines import between
from wizard.report.content.measured.words import joined, part_words, place_of, relative, size_words, state_of
from wizard.words import known, words

MACHINES = "machines"  # the section of another machine beside this one


def devices_section(case: Case, language: str) -> MeasuredSection | None:
    """Every two devices and frameworks of this machine."""
    pairs = pairs_here(case.facts.measurements)
    if not pairs:
        return None
    apart = [pair for pair in pairs if pair.size.size is not Size.IDENTICAL]
    return MeasuredSection(
        id="devices",
        title=words("measurements.devices-title", language),
        sentences=tuple(_counted(pairs, language)),
        tables=(_table([(pair, None) for pair in apart], "devices-table", language),) if apart else (),
    )


def machines_section(case: Case, language: str) -> MeasuredSection | None:
    """Other machines beside this one: the differences of environments and of numbers."""
    found = comparisons(case.facts)
    if not found:
        return None
    is_two = any(comparison.here.name for comparison in found)
    return MeasuredSection(
        id=MACHINES,
        title=words(f"measurements.machines-title{'-two' if is_two else ''}", language),
        sentences=tuple(sentence for comparison in found for sentence in _sentences(comparison, language)),
        tables=tuple(table for comparison in found for table in _tables(comparison, language)),
    )


def _counted(pairs: Sequence[Pair], language: str) -> Iterator[str]:
    places: dict[tuple[Place, Place], list[Pair]] = {}
    for pair in pairs:
        places.setdefault((pair.first, pair.second), []).append(pair)
    for (first, second), here in places.items():
        same = sum(pair.size.size is Size.IDENTICAL for pair in here)
        beyond = sum(pair.size.size is Size.BEYOND for pair in here)
        yield words(
            "measurements.devices-beyond" if beyond else "measurements.devices-counts",
            language,
            first=place_of(first, language),
            second=place_of(second, language),
            same=same,
            count=len(here),
            beyond=beyond,
        )


def _sentences(found: Comparison, language: str) -> Iterator[str]:
    sides = between(found, language)
    if found.is_empty:
        yield words("measurements.machines-nothing", language, between=sides)
        return
    count = len(found.same) + len(found.apart)
    yield words("measurements.machines-counts", language, between=sides, same=len(found.same), count=count)
    proven = sorted(
        {(difference.explained_by[0], difference.proven_by[0]) for difference in found.apart if difference.proven_by}
    )
    for part, setting in proven:
        yield words(
            "measurements.machines-proven",
            language,
            part=part_words(part, language),
            setting=setting_name(setting, language),
            operations=_operations(found, part, language),
        )
    yield from _agreeing(found, language)
    same = dict.fromkeys(pair.operation for pair in found.same)
    for key, operations in (("same", same), ("one-sided", found.one_sided)):
        if operations and not found.is_itself:
            named = joined((operation_name(operation, language) for operation in operations), language)
            yield words(f"measurements.machines-{key}", language, operations=named)
    open_ = [difference for difference in found.apart if not difference.explained_by]
    if open_:
        yield words("measurements.machines-open", language, count=len(open_))


def _agreeing(found: Comparison, language: str) -> Iterator[str]:
    """What to do for the same bits on both, where what explains most can be made the same."""
    likeliest = {difference.explained_by[0] for difference in found.apart if difference.explained_by}
    for row in found.environment:
        key = f"measurements.machines-agree-{row.part}"
        if row.part in likeliest and (text := known(key, "", language)):
            counts = [int(side) for side in (row.first, row.second) if side.isdecimal()]
            yield text.format(first=row.first, second=row.second, fewer=min(counts, default=1))


def _operations(found: Comparison, part: str, language: str) -> str:
    named = [
        difference.pair.operation
        for difference in found.apart
        if difference.proven_by and difference.explained_by[0] == part
    ]
    return joined((operation_name(operation, language) for operation in dict.fromkeys(named)), language)


def _tables(found: Comparison, language: str) -> Iterator[Table]:
    first = found.here.name or words("measurements.machines-here", language)
    other = found.other.name or words("measurements.machines-unnamed", language)
    heads = (
        found.here.name or words("measurements.machines-column-here", language),
        found.other.name or words("measurements.machines-column-other", language),
    )
    if found.environment:
        part, matters = (words(f"measurements.machines-column-{column}", language) for column in ("part", "matters"))
        yield Table(
            title=words("measurements.machines-environment", language, first=first, other=other),
            columns=(part, *heads, matters),
            rows=tuple(
                Row(
                    (
                        part_words(row.part, language),
                        row.first,
                        row.second,
                        words(f"measurements.matters-{'yes' if row.changes_numbers else 'no'}", language),
                    )
                )
                for row in found.environment
            ),
        )
    if found.apart:
        apart = [(difference.pair, difference) for difference in found.apart]
        yield _table(apart, "machines-table", language, heads)


def _state(pair: Pair, found: NumberDifference | None) -> str:
    """A difference that nothing explains is looked at first; what only may explain it leaves it open."""
    if pair.size.size is Size.BEYOND or (found is not None and not found.explained_by):
        return "warning"
    return state_of(pair.size) if found is None or found.proven_by else "open"


def _explanation(found: NumberDifference, language: str) -> str:
    if not found.explained_by:
        return words("measurements.explained-not", language)
    parts = joined((part_words(part, language) for part in found.explained_by), language)
    if not found.proven_by:
        return words("measurements.explained-candidate", language, parts=parts)
    settings, first = (
        joined((setting_name(setting, language) for setting in found.proven_by), language),
        found.explained_by[0],
    )
    return words("measurements.explained-proven", language, part=part_words(first, language), setting=settings)


def _table(
    rows: Sequence[tuple[Pair, NumberDifference | None]],
    title: str,
    language: str,
    sides: tuple[str, str] | None = None,
) -> Table:
    """``sides``: the names of the two machines, where it is not two places of one."""

    def head(column: str) -> str:
        return words(f"measurements.devices-column-{column}", language)

    columns = [head("operation"), *(sides or (head("first"), head("second"))), head("difference"), head("size")]
    if rows and rows[0][1]:
        columns.append(head("explained"))
    return Table(
        title=words(f"measurements.{title}", language),
        columns=tuple(columns),
        rows=tuple(_row(pair, found, language) for pair, found in rows),
        numeric=(3,),
        note=words("measurements.devices-note", language),
    )


def _row(pair: Pair, found: NumberDifference | None, language: str) -> Row:
    name, state = joined((operation_name(pair.operation, language), pair.dtype), language), _state(pair, found)
    more = () if found is None else (_explanation(found, language),)
    first, second = place_of(pair.first, language), place_of(pair.second, language)
    apart, size = relative(pair.size, language), size_words(pair.size, language)
    is_plain = state == "clear" and not more  # what explains a difference between machines is worth its row
    return Row(
        (name, first, second, apart, size, *more),
        state,
        brief=f"{name} {apart}" if is_plain else "",
        group=words("measurements.devices-group", language, first=first, second=second, size=size) if is_plain else "",
    )
