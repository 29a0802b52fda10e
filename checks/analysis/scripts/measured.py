"""What was measured here of the operations that a script's marked lines use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checks.analysis.numbers.repeats import DEFAULT
from checks.facts import Facts, Measurement, Repeat, SentFile
from checks.facts.phrase import Phrase, Value
from checks.facts.scripts import ScriptMark
from checks.knowledge.frameworks.computations import known_operations
from checks.knowledge.phrases import phrase

RULE = "nondeterministic-op"
_MOST = 3  # lines that are named in a sentence


@dataclass(frozen=True)
class VariedLine:
    """A line of a script, and the measurement in which the operation that it uses varied most."""

    mark: ScriptMark
    name: str  # of the file
    run: Repeat

    @property
    def place(self) -> Phrase:
        """Where it is."""
        if self.mark.cell:
            return phrase("script-place-in-cell", cell=str(self.mark.cell), line=str(self.mark.line))
        return phrase("script-place-in-file", file=self.name, line=str(self.mark.line))

    @property
    def figures(self) -> dict[str, str]:
        """How often it varied, and on which device."""
        return {
            "operation": self.mark.subject,
            "others": str(self.run.others),
            "repetitions": str(self.run.repetitions),
            "device": self.run.device,
        }


def varied_lines(facts: Facts, device: str = "") -> tuple[VariedLine, ...]:
    """The marked lines of the given scripts whose operation varied here; ``device``: on this one alone."""
    runs = [run for run in facts.measurements if not device or run.device == device]
    return tuple(line for sent in facts.scripts for line in varied_in(sent, runs))


def varied_in(sent: SentFile, measurements: Iterable[Measurement]) -> Iterator[VariedLine]:
    """Those of one script."""
    varied = [run for run in measurements if isinstance(run, Repeat) and run.varies and run.setting == DEFAULT]
    for mark in sent.read.marks if sent.read else ():
        if mark.rule != RULE:
            continue
        names = {
            row.id for row in known_operations().values() if any(_is_it(known.op, mark) for known in row.documented)
        }
        mine = [run for run in varied if run.operation in names and mark.subject.startswith(run.framework)]
        if mine:
            yield VariedLine(mark, sent.name, max(mine, key=lambda run: run.others / (run.repetitions or 1)))


def _is_it(documented: str, mark: ScriptMark) -> bool:
    return documented in (mark.subject, mark.subject.replace("tensorflow.", "tf."))


def used_in_script(lines: tuple[VariedLine, ...]) -> Value:
    """A sentence about the lines that use what varied; "" about none."""
    if not lines:
        return ""
    told = tuple(phrase("script-line-varied", place=line.place, **line.figures) for line in lines[:_MOST])
    return phrase("script-uses", lines=told)
