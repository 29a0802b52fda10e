"""What Polygraphy prints of two runs of a model: the differences of each output, and how large its values are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from checks.facts import ReportedDifference
from checks.readers.tickets.text import Text

_NUMBER = r"-?\d[\d.]*(?:e[-+]?\d+)?"
_STATS = re.compile(
    rf"(?P<what>[^\n|\]]*)\| Stats: [^\n]*?(?:min=(?P<least>{_NUMBER})[^\n]*?)?\bmax=(?P<most>{_NUMBER})", re.IGNORECASE
)
_DIFFERENCE = re.compile(r"\b(absolute|relative) difference", re.IGNORECASE)


def read_comparisons(text: Text) -> Iterator[ReportedDifference]:
    """The largest absolute difference of each output, with the largest value of its two sides where it is printed."""
    if "| stats: " not in text.whole.lower():  # looking for the whole pattern takes a log as long as all else together
        return
    scale, waiting = 0.0, []  # the values may stand before the differences or behind them
    for found in _STATS.finditer(text.whole):
        about = _DIFFERENCE.search(found["what"])
        most = abs(float(found["most"]))
        if about is None:
            scale = max(scale, most, abs(float(found["least"] or 0)))
        elif about[1].lower() == "absolute":
            waiting.append((most, text.number_at(found.start())))
    for most, line in waiting:
        yield ReportedDifference(least=most, most=most, scale=scale or None, lines=(line,))
