"""The load whose every result was checked, in words: how much, what was wrong, heat, clocks and power over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from checks.analysis.gpu.load import device_name, events_under_load, held_down, loads, xids_under_load
from checks.facts import Facts, Health, HealthSample, Measurements
from checks.facts.case import Case
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import in_language
from wizard.report.content.blocks import MeasuredSection, Plot, Row, Series, Table
from wizard.report.content.fact_sheet import size
from wizard.words import known, words

_MOST = 20  # wrong results that are printed
_FEWEST = 5  # readings of which a curve shows more than a table
_UNREAD = "–"
_Curve = tuple[str, Callable[[HealthSample], float | None]]
_CURVES: tuple[_Curve, ...] = (
    ("temperature", lambda sample: sample.temperature),
    ("clock", lambda sample: sample.clock_sm),
    ("power", lambda sample: sample.power),
)


_CHECKED: _Curve = ("checked", lambda sample: sample.checked)  # where the device tells nothing of itself


def health_section(case: Case, language: str) -> MeasuredSection | None:
    """All loads of a case."""
    facts = case.facts
    found = loads(Measurements(all=facts.measurements))
    if not found:
        return None
    cpu = facts.machine.cpu if facts.machine else None
    names = [device_name(load, facts.frameworks, cpu) for load in found]
    named = tuple(zip(found, names, strict=True))
    rows = [_row(facts, load, name, language) for load, name in named]
    silent = [row.cells[0] for row in rows if set(row.cells[1:]) == {_UNREAD}]
    wrong = tuple(_wrong(load, name, language) for load, name in named)
    return MeasuredSection(
        id="health",
        title=words("measurements.health-title", language),
        sentences=(
            *(outcome_of_load(load, name, language) for load, name in named),
            *(words("measurements.health-shrunk", language, device=name) for load, name in named if load.shrunk),
            *(words("measurements.health-silent", language, device=name) for name in silent),
        ),
        tables=(
            *_figures([row for row in rows if row.cells[0] not in silent], _short(named, language), language),
            *(table for table in wrong if table is not None),
        ),
        plots=tuple(health_plots({n: h.samples for n, h in zip(names, found, strict=True)}, language)),
    )


def outcome_of_load(health: Health, name: str, language: str) -> str:
    """How much was checked on the device of this name, and what came of it."""
    values = {"device": name, "checked": health.checked, "size": size(health.bytes_checked, language)}
    values["seconds"] = round(health.length or 0)
    if health.reason and not health.wrong:
        why = known(f"measurements.reason-{health.reason}", health.reason, language)
        detail = (health.error.message.strip().splitlines() or [""])[0] if health.error else ""
        key = "health-ended" if health.checked else "health-not-begun"
        text = words(f"measurements.{key}", language, why=why, **values)
        return words("report.with-detail", language, text=text.rstrip(".。"), detail=detail) if detail else text
    if health.wrong:
        return words("measurements.health-wrong", language, first=round(health.wrong[0].second), **values)
    return words("measurements.health-fine", language, **values)


def _short(loads: Sequence[tuple[Health, str]], language: str) -> Iterator[str]:
    """Of which devices there are too few readings for a curve."""
    for load, name in loads:
        readings = max(sum(value(sample) is not None for sample in load.samples) for _, value in _CURVES)
        if 0 < readings < _FEWEST:
            yield words("measurements.health-short", language, device=name, count=readings)


def _figures(rows: Sequence[Row], short: Iterable[str], language: str) -> Iterator[Table]:
    unread = [words("measurements.health-note", language)] if any(_UNREAD in row.cells for row in rows) else []
    columns = ("device", "temperature", "clock", "power", "held-down", "errors")
    if rows:
        yield Table(
            title="",
            columns=tuple(words(f"measurements.health-column-{name}", language) for name in columns),
            rows=tuple(rows),
            note=words("report.sentence-separator", language).join((*short, *unread)),
        )


def _row(facts: Facts, health: Health, name: str, language: str) -> Row:
    none = words("report.none", language)
    held = sorted({row.name for _, rows in held_down(health) for row in rows})
    counted = [
        words(f"measurements.health-{kind}", language, count=count)
        for kind, count in (
            ("ecc-corrected", health.ecc_corrected),
            ("ecc-uncorrected", health.ecc_uncorrected),
            ("remapped", health.remapped_rows),
        )
        if count
    ]
    gpus = facts.machine.gpus if facts.machine else None
    counted += [f"Xid {event.code}" for event in xids_under_load(health, facts.frameworks, gpus)]
    kinds = dict.fromkeys(event.kind for event in events_under_load(health, facts.frameworks, gpus))
    counted += [in_language(Phrase(f"fault-log-{kind}", {"times": ""}), language) for kind in kinds]
    is_reported = any(
        reading is not None for reading in (health.ecc_corrected, health.ecc_uncorrected, health.xid, health.log)
    )
    state = "blocking" if health.wrong else "open" if health.reason else "warning" if held or counted else "clear"
    return Row(
        cells=(
            name,
            _range(health, 0, "°C"),
            _range(health, 1, "MHz"),
            _range(health, 2, "W"),
            ", ".join(held) if held else none if any(s.throttle_mask is not None for s in health.samples) else _UNREAD,
            ", ".join(counted) if counted else none if is_reported else _UNREAD,
        ),
        state=state,
    )


def _range(health: Health, curve: int, unit: str) -> str:
    seen = [value for sample in health.samples if (value := _CURVES[curve][1](sample)) is not None]
    if not seen:
        return _UNREAD
    least, most = f"{min(seen):.0f}", f"{max(seen):.0f}"
    return f"{most} {unit}" if least == most else f"{least} – {most} {unit}"


def _wrong(health: Health, name: str, language: str) -> Table | None:
    if not health.wrong:
        return None
    columns = ("second", "operation", "place", "expected", "found", "elements")
    return Table(
        title=words("measurements.health-wrong-title", language, device=name),
        columns=tuple(words(f"measurements.health-column-{column}", language) for column in columns),
        rows=tuple(
            Row(
                cells=(
                    f"{wrong.second:.1f}",
                    wrong.operation,
                    ", ".join(map(str, wrong.index)) or "–",
                    wrong.expected or "–",
                    wrong.found or "–",
                    str(wrong.elements),
                ),
                state="blocking",
            )
            for wrong in health.wrong[:_MOST]
        ),
        numeric=(0, 5),
    )


def health_plots(samples: dict[str, Sequence[HealthSample]], language: str) -> Iterator[Plot]:
    """Device -> its samples, one plot per curve that any device reports. Also for the load that still runs.

    Where no device reports anything, the number of results checked over time.
    """
    plots = [plot for curve in _CURVES if (plot := _plot(curve, samples, language))]
    yield from plots or ([plot] if (plot := _plot(_CHECKED, samples, language)) else [])


def _plot(curve: _Curve, samples: dict[str, Sequence[HealthSample]], language: str) -> Plot | None:
    name, value = curve
    series = tuple(
        Series(device, tuple(sample.second for sample in taken), tuple(map(value, taken)))
        for device, taken in samples.items()
        if sum(value(sample) is not None for sample in taken) >= _FEWEST
    )
    if not series:
        return None
    seen = [y for line in series for y in line.y if y is not None]
    return Plot(
        title=words(f"measurements.health-plot-{name}", language),
        kind="lines",
        x_label=words("measurements.health-axis-seconds", language),
        y_label=words(f"measurements.health-axis-{name}", language),
        series=series,
        summary=words(f"measurements.health-summary-{name}", language, least=min(seen), most=max(seen)),
    )
