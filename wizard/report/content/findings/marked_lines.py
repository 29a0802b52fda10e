"""Which lines of a text that was sent are marked where it is shown."""

from __future__ import annotations

from wizard.report.content.fact_sheet import FactSection
from wizard.report.content.report import Report


def marked_lines(report: Report, section: FactSection) -> tuple[int, ...]:
    """The numbers of the lines that show the first finding, or a second trouble, in their order, counted from 1.

    Of a script they are those of which a rule speaks.
    """
    if section.marked:
        return section.marked
    causes = (*report.findings[:1], *(finding for finding in report.findings[1:] if finding.is_apart))
    shown = (row for finding in causes for row in finding.evidence if row.text == section.origin)
    return tuple(sorted({line for row in shown for line in row.lines}))
