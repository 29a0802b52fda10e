"""How many digits are right, in words: the error per operation and type, and what each setting changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from checks.analysis.numbers.digits import DEFAULT, FULL, by_device, change_of, error_of, shorter_format
from checks.analysis.numbers.magnitude import Magnitude, Size
from checks.analysis.numbers.mechanism import computed_in
from checks.facts import Measurements, Precision
from checks.facts.case import Case
from checks.knowledge.frameworks.computations import operation_name, setting_name
from wizard.report.content.blocks import MeasuredSection, Plot, Row, Series, Table
from wizard.report.content.measured.words import joined, place_words, relative, size_words, state_of
from wizard.words import words


def precision_section(case: Case, language: str) -> MeasuredSection | None:
    """All devices of a case."""
    found = by_device(Measurements(all=case.facts.measurements).of(Precision))
    if not found:
        return None
    places = {place_words(*place, language): here for place, here in found.items()}
    tables = [table for name, here in places.items() for table in _tables(name, here, language)]
    return MeasuredSection(
        id="precision",
        title=words("measurements.precision-title", language),
        sentences=tuple(sentence for name, here in places.items() for sentence in _sentences(name, here, language)),
        tables=tuple(tables),
        plots=tuple(_plot(name, here, language) for name, here in places.items()),
    )


def _by_default(measured: Sequence[Precision]) -> list[Precision]:
    return [measurement for measurement in measured if measurement.setting == DEFAULT and measurement.against]


def _operations(measured: Sequence[Precision], language: str) -> str:
    return joined(dict.fromkeys(operation_name(measurement.operation, language) for measurement in measured), language)


def _sentences(name: str, measured: Sequence[Precision], language: str) -> Iterator[str]:
    full = [measurement for measurement in _by_default(measured) if measurement.dtype == FULL]
    if not full:
        return
    shorter: dict[str, list[Precision]] = {}
    for measurement in full:
        shorter.setdefault(shorter_format(measurement) or "", []).append(measurement)
    wrong = [measurement for measurement in shorter.pop("", []) if error_of(measurement).size is Size.BEYOND]
    for key, found in (*shorter.items(), ("wrong", wrong)):
        if found:
            operations = _operations(found, language)
            yield words(f"measurements.precision-{key}", language, device=name, operations=operations)
    if all(
        error_of(measurement).size in (Size.IDENTICAL, Size.ROUNDING) for measurement in full
    ):  # none may be of a shorter format
        yield words("measurements.precision-full", language, device=name, count=len(full))
    unchanged = _unchanged(measured, language)
    if unchanged:
        yield words("measurements.precision-unchanged", language, device=name, settings=unchanged)


def _tables(name: str, measured: Sequence[Precision], language: str) -> Iterator[Table]:
    by_default = _by_default(measured)
    if by_default:
        columns = ("operation", "type", "error", "size")
        yield Table(
            title=words("measurements.precision-errors", language, device=name),
            columns=tuple(words(f"measurements.precision-column-{column}", language) for column in columns),
            rows=tuple(_error_row(measurement, language) for measurement in by_default),
            numeric=(2,),
            note=words("measurements.precision-note", language),
        )
    rows = tuple(_setting_row(changed, language) for changed in _changes(measured) if changed.apart)
    if rows:
        about = ("setting", "type", "apart", "change", "size")
        yield Table(
            title=words("measurements.precision-settings", language, device=name),
            columns=tuple(words(f"measurements.precision-column-{column}", language) for column in about),
            rows=rows,
            numeric=(3,),
        )


def _error_row(measured: Precision, language: str) -> Row:
    size = error_of(measured)
    name, dtype = operation_name(measured.operation, language), computed_in(measured)
    if size.size is Size.IDENTICAL:  # every element is the number of its type that is the nearest to the true one
        error, size_text = "–", words("measurements.precision-nearest", language)
    else:
        error, size_text = relative(size, language), size_words(size, language)
    is_plain, brief = state_of(size) == "clear", name if size.size is Size.IDENTICAL else f"{name} {error}"
    return Row(
        (name, dtype, error, size_text),
        state_of(size),
        brief=brief if is_plain else "",
        group=words("measurements.precision-group", language, type=dtype, size=size_text) if is_plain else "",
    )


@dataclass(frozen=True)
class _Changed:
    """What a setting does to the operations of one type."""

    setting: str
    dtype: str
    apart: tuple[Precision, ...]
    alike: tuple[Precision, ...]

    @property
    def worst(self) -> Magnitude:
        """The largest change."""
        return max((change_of(measurement) for measurement in self.apart), key=lambda size: size.relative or 0.0)


def _changes(measured: Sequence[Precision]) -> Iterator[_Changed]:
    groups: dict[tuple[str, str], list[Precision]] = {}
    for measurement in measured:
        if change_of(measurement).size is not Size.NOTHING:
            groups.setdefault((measurement.setting, computed_in(measurement)), []).append(measurement)
    for (setting, dtype), here in groups.items():
        alike = tuple(measurement for measurement in here if change_of(measurement).size is Size.IDENTICAL)
        yield _Changed(setting, dtype, tuple(measurement for measurement in here if measurement not in alike), alike)


def _setting_row(changed: _Changed, language: str) -> Row:
    setting, which = setting_name(changed.setting, language), _which(changed, language)
    worst, state = changed.worst, state_of(changed.worst)
    apart, size = relative(worst, language), size_words(worst, language)
    brief = words("measurements.precision-brief", language, setting=setting, operations=which, apart=apart)
    group = words("measurements.precision-group", language, type=changed.dtype, size=size)
    is_plain = state == "clear"
    return Row(
        (setting, changed.dtype, which, apart, size),
        state,
        brief=brief if is_plain else "",
        group=group if is_plain else "",
    )


def _which(changed: _Changed, language: str) -> str:
    """The operations that it changes; of nearly all of them, those that it does not."""
    count, total = len(changed.apart), len(changed.apart) + len(changed.alike)
    if not changed.alike and total > 1:
        return words("measurements.precision-all", language, count=total)
    key, named = ("but", changed.alike) if len(changed.alike) < count else ("some", changed.apart)
    if total == 1:
        return _operations(changed.apart, language)
    listed = _operations(named, language)
    return words(f"measurements.precision-{key}", language, count=count, total=total, operations=listed)


def _unchanged(measured: Sequence[Precision], language: str) -> str:
    """The settings that change nothing where they were tried, with the type where it is not the usual one."""
    named = (
        setting_name(change.setting, language)
        if change.dtype == FULL
        else words(
            "measurements.precision-in-type",
            language,
            setting=setting_name(change.setting, language),
            type=change.dtype,
        )
        for change in _changes(measured)
        if not change.apart
    )
    return words("measurements.sum-separator", language).join(named)


def _plot(name: str, measured: Sequence[Precision], language: str) -> Plot:
    by_default = _by_default(measured)
    operations = list(dict.fromkeys(measurement.operation for measurement in by_default))
    series = []
    for dtype in dict.fromkeys(measurement.dtype for measurement in by_default):
        errors = {
            measurement.operation: error_of(measurement).relative
            for measurement in by_default
            if measurement.dtype == dtype
        }
        # Neither 0 nor what is infinite has a place on this axis.
        heights = tuple(y if (y := errors.get(operation)) and 0 < y < inf else None for operation in operations)
        series.append(Series(dtype, tuple(float(place) for place in range(len(operations))), heights))
    largest = {line.name: max((y for y in line.y if y is not None), default=0.0) for line in series}
    return Plot(
        title=words("measurements.precision-plot", language, device=name),
        kind="bars",
        x_label=words("measurements.precision-column-operation", language),
        y_label=words("measurements.precision-axis", language),
        series=tuple(series),
        summary=words(
            "measurements.precision-summary",
            language,
            largest=joined((f"{dtype} {error:.1e}" for dtype, error in largest.items()), language),
        ),
        categories=tuple(operation_name(operation, language) for operation in operations),
        log_y=True,
    )
