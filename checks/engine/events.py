"""The events of an examination. One type each, handled by ``match``."""

from __future__ import annotations

from dataclasses import dataclass

from checks.facts import HealthSample, Measurement, ProbeRun
from checks.facts.case import Case
from checks.facts.finding import Outcome


@dataclass(frozen=True)
class Planned:
    """The work ahead: ids of the probes ("machine", "nvidia", "torch") with the seconds each is expected to take.

    It comes again with more where the first probes show what else there is to do.
    """

    probes: dict[str, float]
    checks: tuple[str, ...]


@dataclass(frozen=True)
class ProbeStarted:
    """A probe's process runs."""

    probe: str


@dataclass(frozen=True)
class ProbeStage:
    """A probe began a stage ("import")."""

    probe: str
    stage: str


@dataclass(frozen=True)
class ProbeSlow:
    """A probe has been at one stage for ten seconds or more; one that computes, beyond its expected seconds too."""

    probe: str
    stage: str
    seconds: float


@dataclass(frozen=True)
class Measured:
    """A probe that computes has measured something."""

    probe: str
    measurement: Measurement


@dataclass(frozen=True)
class Watched:
    """How a device fares under the load of a probe."""

    probe: str
    device: str
    sample: HealthSample


@dataclass(frozen=True)
class ProbeEnded:
    """A probe ended, in whatever way."""

    probe: str
    run: ProbeRun


@dataclass(frozen=True)
class CheckEnded:
    """A check ended, in one of the five ways."""

    outcome: Outcome


@dataclass(frozen=True)
class Progress:
    """Share of the work done (0 to 1) and the seconds that remain, None while nobody knows."""

    share: float
    remaining: float | None


@dataclass(frozen=True)
class Resolving:
    """The package index is asked about so many remedies, which takes seconds."""

    remedies: int


@dataclass(frozen=True)
class Finished:
    """The case, complete or (after a cancel) with what was done until then. Always the last event."""

    case: Case


Event = (
    Planned
    | ProbeStarted
    | ProbeStage
    | ProbeSlow
    | Measured
    | Watched
    | ProbeEnded
    | CheckEnded
    | Progress
    | Resolving
    | Finished
)
