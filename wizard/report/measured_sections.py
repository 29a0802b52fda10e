"""Everything that was measured, question by question, in words of one language."""

from __future__ import annotations

from collections.abc import Callable

from checks.case import Case
from wizard.report.measured import MeasuredSection
from wizard.report.measured_experiments import network_section, sum_section
from wizard.report.measured_health import health_section

# One function per question, in the order in which the report answers them; each in a module of its own beside this one.
SECTIONS: tuple[Callable[[Case, str], MeasuredSection | None], ...] = (health_section, sum_section, network_section)


def measured_sections(case: Case, language: str) -> tuple[MeasuredSection, ...]:
    """All sections; nothing where nothing was measured."""
    found = (section(case, language) for section in SECTIONS) if case.facts.measurements else ()
    return tuple(each for each in found if each is not None)
