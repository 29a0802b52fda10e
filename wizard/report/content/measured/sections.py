"""Everything that was measured, question by question, in words of one language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from checks.facts.case import Case
from wizard.report.content.blocks import MeasuredSection, Table, trimmed
from wizard.report.content.measured.attribution import attribution_section
from wizard.report.content.measured.devices import devices_section, machines_section
from wizard.report.content.measured.experiments import network_section, sum_section
from wizard.report.content.measured.health import health_section
from wizard.report.content.measured.minimal import minimal_section
from wizard.report.content.measured.models import models_section
from wizard.report.content.measured.precision import precision_section
from wizard.report.content.measured.quantisation import quantisation_section
from wizard.report.content.measured.repeat import repeat_section
from wizard.report.content.measured.served import served_section
from wizard.words import words

# One function per question, in the order in which the report answers them; each in a module of its own beside this one.
SECTIONS: tuple[Callable[[Case, str], MeasuredSection | None], ...] = (
    served_section,
    machines_section,
    health_section,
    models_section,
    minimal_section,
    quantisation_section,
    repeat_section,
    sum_section,
    network_section,
    precision_section,
    attribution_section,
    devices_section,
)


# What no examination comes near, but a case that was sent may hold: to set a hundred thousand rows takes minutes.
_MOST_ROWS, _MOST_TABLES, _MOST_PLOTS, _MOST_SENTENCES = 300, 24, 24, 60


def measured_sections(case: Case, language: str) -> tuple[MeasuredSection, ...]:
    """All sections; nothing where nothing was measured."""
    is_any = case.facts.measurements or case.facts.others or case.facts.served
    found = (section(case, language) for section in SECTIONS) if is_any else ()
    return tuple(_bounded(measured, language) for measured in found if measured is not None)


def _bounded(section: MeasuredSection, language: str) -> MeasuredSection:
    """The section without what is empty, and of each kind no more than can be read."""
    tables = (trimmed(_shortened(table, language)) for table in section.tables[:_MOST_TABLES])
    return replace(
        section, sentences=section.sentences[:_MOST_SENTENCES], tables=tuple(tables), plots=section.plots[:_MOST_PLOTS]
    )


def _shortened(table: Table, language: str) -> Table:
    left_out = len(table.rows) - _MOST_ROWS
    if left_out <= 0:
        return table
    note = words("measurements.rows-beyond", language, count=left_out)
    return replace(table, rows=table.rows[:_MOST_ROWS], note=f"{note} {table.note}".strip())
