"""What is computed in the target: on which devices, in which order, and how the time is shared out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from checks.facts import Facts, FrameworkDevice, Frameworks
from checks.probes.computation_catalogue import COMPUTATION_PROBES, START, TIMES_BUDGET, ComputationSpec

EVERYTHING = "everything"
BUDGET = {"quick": 10.0, "standard": 60.0, "thorough": 600.0}  # seconds of computing, by effort
CPU = "cpu"
# A part of the time for each device of a framework: what is asked about is most often the accelerator.
_SHARE = {CPU: 1.0}
_SHARE_OF_DEVICE = 2.0
_LEAST = 1.0  # seconds of a kind below which nothing can be told


@dataclass(frozen=True)
class Computation:
    """One process: a framework on a device, and the seconds that each kind of measurement may take."""

    id: str
    spec: ComputationSpec
    interpreter: str
    device: str
    seconds: Mapping[str, float]

    @property
    def origin(self) -> str:
        """Where its measurements come from."""
        return f"{self.spec.script.name} in {self.interpreter}"

    @property
    def expected_seconds(self) -> float:
        """How long it may take."""
        return self.spec.expected_start + sum(self.seconds.values())

    def time_limit(self, effort: str) -> float:
        """Seconds after which it is ended."""
        return START[effort] + TIMES_BUDGET * sum(self.seconds.values())


def is_wanted(symptom: str) -> bool:
    """Whether a symptom asks for computations: a program that does not start computes nothing."""
    from checks.judge import ABOUT_RESULTS  # late: the probes start before the checks are loaded

    return symptom in ABOUT_RESULTS or symptom == EVERYTHING


def budget(symptom: str, effort: str) -> float:
    """Seconds of computing in all."""
    return BUDGET[effort] if is_wanted(symptom) and COMPUTATION_PROBES else 0.0


def computations(facts: Facts, effort: str) -> tuple[Computation, ...]:
    """The processes to start one after the other, those of the accelerators first."""
    found = list(_devices(facts.frameworks)) if facts.frameworks else []
    total = sum(_SHARE.get(device, _SHARE_OF_DEVICE) for _, device in found)
    found.sort(key=lambda each: each[1] == CPU)
    return tuple(
        Computation(
            id=f"computations:{spec.framework}:{device}",
            spec=spec,
            interpreter=facts.target or "",
            device=device,
            seconds=_shared(spec, BUDGET[effort] * _SHARE.get(device, _SHARE_OF_DEVICE) / total),
        )
        for spec, device in found
    )


def _shared(spec: ComputationSpec, seconds: float) -> dict[str, float]:
    """The seconds of each kind; those for which too little time is left get none, and the others theirs."""
    kinds = dict(spec.kinds)
    while kinds and seconds * min(kinds.values()) / sum(kinds.values()) < _LEAST and len(kinds) > 1:
        kinds.popitem()
    return {kind: seconds * part / sum(kinds.values()) for kind, part in kinds.items()}


def _devices(frameworks: Frameworks) -> Iterator[tuple[ComputationSpec, str]]:
    """Every framework that was imported, on every device on which it computed something."""
    known = dict(frameworks.each())
    for spec in COMPUTATION_PROBES:
        framework = known.get(spec.framework)
        if framework is None or framework.imported is False:
            continue
        devices: Iterable[FrameworkDevice] = getattr(framework, "devices", None) or ()
        for device in devices:
            if device.kernel is not None and device.kernel.ran:
                yield spec, device.device
