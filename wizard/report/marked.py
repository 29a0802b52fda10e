"""Which lines of a text that was sent are marked where it is shown."""

from __future__ import annotations

from wizard.report.fact_sheet import FactSection
from wizard.report.model import Report


def marked_lines(report: Report, section: FactSection) -> tuple[int, ...]:
    """The numbers of the lines that show the first finding, in their order, counted from 1."""
    best = next(iter(report.findings), None)
    shown = (each for each in (best.evidence if best else ()) if each.text == section.origin)
    return tuple(sorted({line for each in shown for line in each.lines}))
