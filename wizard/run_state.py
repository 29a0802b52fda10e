"""The state of an examination, folded from the engine's events: a row per probe and per check. No Qt."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the events bring the whole engine with them; this module is loaded before it
    from checks.engine.events import Event
    from checks.facts import HealthSample, Measurement
    from checks.facts.finding import Finding

WAITING = "waiting"
RUNNING = "running"


@dataclass
class Row:
    """One probe or one check.

    ``state``: "waiting", "running", a probe's status (facts.ProbeRun) or a check's (finding.Status),
    where "found" has the severity behind it ("found-warning"). ``seconds``: how long it took; None while it has not
    ended. ``finding``: the worst that a check found.
    """

    id: str
    state: str = WAITING
    stage: str = ""
    slow: bool = False
    since: float = 0.0  # monotonic, when it started
    seconds: float | None = None
    finding: Finding | None = None

    def elapsed(self) -> float | None:
        """Seconds that it took, or that it has been running; None before its start."""
        if self.state == RUNNING:
            return time.monotonic() - self.since
        return self.seconds


@dataclass
class Running:
    """All rows of one examination, and how far it is."""

    probes: dict[str, Row] = field(default_factory=dict)
    checks: dict[str, Row] = field(default_factory=dict)
    measurements: list[Measurement] = field(default_factory=list)  # as they came, for the live plots
    watched: dict[str, list[HealthSample]] = field(default_factory=dict)  # device -> how it fares under load
    share: float = 0.0
    remaining: float | None = None
    is_resolving: bool = False  # the package index is asked about the remedies

    def take(self, event: Event) -> None:
        """Take the next event of the engine."""
        from checks.engine import events

        match event:
            case events.Planned(probes=probes, checks=checks):
                self._add(self.probes, probes)
                self._add(self.checks, checks)
            case events.ProbeStarted(probe=probe):
                self._probe(probe).state = RUNNING
                self._probe(probe).since = time.monotonic()
            case events.ProbeStage(probe=probe, stage=stage):
                row = self._probe(probe)
                row.stage, row.slow = stage, False
            case events.ProbeSlow(probe=probe, stage=stage):
                row = self._probe(probe)
                row.stage, row.slow = stage, True
            case events.Measured(measurement=measurement):
                self.measurements.append(measurement)
            case events.Watched(device=device, sample=sample):
                self.watched.setdefault(device, []).append(sample)
            case events.ProbeEnded(probe=probe, run=run):
                row = self._probe(probe)
                row.seconds = run.seconds if run.seconds is not None else row.elapsed()
                row.state, row.slow = run.status, False
            case events.CheckEnded(outcome=outcome):
                row = self.checks.setdefault(outcome.cause, Row(outcome.cause))
                row.state, row.seconds = outcome.status.value, outcome.seconds
                row.finding = min(outcome.findings, key=_weight, default=None)
                if row.finding is not None:
                    row.state = f"{row.state}-{row.finding.severity.value}"
            case events.Progress(share=share, remaining=remaining):
                self.share = max(self.share, share)  # a bar that goes back is not believed
                self.remaining = remaining
            case events.Resolving() | events.Finished():
                self.share, self.remaining = 1.0, 0.0
                self.is_resolving = isinstance(event, events.Resolving)

    def _probe(self, probe: str) -> Row:
        return self.probes.setdefault(probe, Row(probe))

    @staticmethod
    def _add(rows: dict[str, Row], names: Iterable[str]) -> None:
        for name in names:
            rows.setdefault(name, Row(name))


def _weight(finding: Finding) -> int:
    from checks.facts.finding import Severity

    return list(Severity).index(finding.severity)


def summary(rows: Iterable[Row]) -> dict[str, int]:
    """How many rows are in each state, in the order in which the states first appear."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.state] = counts.get(row.state, 0) + 1
    return counts
