"""The driver version is one that others report trouble with.

Detects:      a driver version, on a system and a GPU, that a public thread names as bad.
Why it bites: slower or failing programs after an update that changed nothing else.
Blind spots:  the table holds what was found in public, not what exists; not every machine with the version is hit.
Knowledge:    resources/knowledge/gpu/driver_regressions.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import gpu_name
from checks.causes.registry import check
from checks.facts import Gpus, NvidiaFacts, OsFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.gpu.cuda_driver import driver_number
from checks.knowledge.gpu.driver_regressions import DriverRegressions


@check("driver-regression")
def driver_regression(nvidia: NvidiaFacts, os: OsFacts, gpus: Gpus | None) -> Iterator[Finding]:
    """One finding per report that speaks of this machine: a note, since most machines are not hit."""
    if not nvidia.driver_version or os.system is None:
        return
    names = [device.name for device in nvidia.devices or () if device.name]
    names = names or [gpu_name(gpu) for gpu in (gpus.nvidia if gpus else ())]
    for row in DriverRegressions.read().row:
        hit = next((name for name in names if row.covers(os.system, nvidia.driver_version, name)), None)
        if hit is None:
            continue
        yield Finding(
            severity=Severity.NOTE,
            confidence=0.3,
            subject=row.source,
            evidence=(
                Evidence("driver_version", driver_number(nvidia.driver_version), nvidia.origin),
                Evidence("gpu", hit, nvidia.origin),
                Evidence("report", row.source, DriverRegressions.read().title, row.source),
                Evidence("good_driver", row.good, DriverRegressions.read().title, row.source),
            ),
        )
