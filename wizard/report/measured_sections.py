"""Everything that was measured, question by question, in words of one language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from checks.case import Case
from wizard.report.measured import MeasuredSection, trimmed
from wizard.report.measured_attribution import attribution_section
from wizard.report.measured_devices import devices_section, machines_section
from wizard.report.measured_experiments import network_section, sum_section
from wizard.report.measured_health import health_section
from wizard.report.measured_precision import precision_section
from wizard.report.measured_repeat import repeat_section

# One function per question, in the order in which the report answers them; each in a module of its own beside this one.
SECTIONS: tuple[Callable[[Case, str], MeasuredSection | None], ...] = (
    machines_section,
    health_section,
    repeat_section,
    sum_section,
    network_section,
    precision_section,
    attribution_section,
    devices_section,
)


def measured_sections(case: Case, language: str) -> tuple[MeasuredSection, ...]:
    """All sections; nothing where nothing was measured."""
    is_any = case.facts.measurements or case.facts.others
    found = (section(case, language) for section in SECTIONS) if is_any else ()
    return tuple(replace(each, tables=tuple(map(trimmed, each.tables))) for each in found if each is not None)
