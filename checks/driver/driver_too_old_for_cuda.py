"""The NVIDIA driver is older than a framework's CUDA needs.

Detects:      a CUDA build of any framework on a driver below the minimum of its CUDA major version.
Why it bites: the CUDA runtime refuses to start, so the framework sees no GPU.
Blind spots:  a cuda-compat package lifts the minimum on data-centre GPUs; the framework's own answer then decides.
Knowledge:    resources/knowledge/cuda_driver.toml
"""

from collections.abc import Iterator

from checks.facts import Frameworks, NvidiaFacts, OsFacts
from checks.finding import Evidence, Finding, NotInTable, Severity, Unread
from checks.knowledge.cuda_driver import cuda_driver, driver_minimum
from checks.registry import check
from checks.versions import release

CAUSE = "driver-too-old-for-cuda"


@check(CAUSE)
def driver_too_old_for_cuda(nvidia: NvidiaFacts, frameworks: Frameworks, os: OsFacts | None) -> Iterator[Finding]:
    """One finding per framework whose CUDA asks for a newer driver."""
    if not frameworks.cuda_builds():  # a CPU-only build is another check's cause
        return
    if not nvidia.driver_version:
        raise Unread("driver_version", nvidia.unread.get("driver_version", ""))

    for name, framework, cuda_version in frameworks.cuda_builds():
        row = driver_minimum(cuda_version)
        if row is None:
            raise NotInTable(cuda_driver().title, f"CUDA {cuda_version}")
        minimum = row.windows if os and os.system == "Windows" else row.linux
        if release(nvidia.driver_version) < release(minimum):
            yield Finding(
                cause=CAUSE,
                severity=Severity.BLOCKING,
                confidence=0.95,
                subject=name,
                evidence=(
                    Evidence("driver_version", nvidia.driver_version, nvidia.origin),
                    Evidence("framework", f"{name} {framework.version or ''}".strip(), framework.origin),
                    Evidence("cuda_version", cuda_version, framework.origin),
                    Evidence("driver_min", minimum, cuda_driver().title, row.source),
                ),
            )
