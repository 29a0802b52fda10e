"""No NVIDIA GPU is on the bus, although its driver is installed; or a GPU is switched off in Windows.

Detects:      NVIDIA's kernel driver or libraries without an NVIDIA GPU on the bus; a GPU that Windows has disabled or
              that was unplugged (codes 22, 45, 47).
Why it bites: what the bus does not show, no driver and no program can use.
Blind spots:  a driver that belongs to the system's image (cloud machines without a GPU) looks the same; hence a
              warning. Laptops that switch the GPU off at the bus.
Knowledge:    resources/knowledge/errors/windows_device_problems.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, gpu_name, only_with_a_gpu
from checks.causes.registry import check
from checks.facts import Gpus, JetsonFacts, NvidiaFacts, OsFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.errors.windows_device_problems import DeviceProblems, device_problem

CAUSE = "gpu-not-detected"


@check(CAUSE, from_whole=True)
def gpu_not_detected(
    gpus: Gpus, os: OsFacts | None, nvidia: NvidiaFacts | None, jetson: JetsonFacts | None
) -> Iterator[Finding]:
    """One finding for what is missing on the bus, one for each GPU that Windows has switched off."""
    for gpu in gpus.devices:
        problem = device_problem(gpu.problem_code)
        if problem is not None and problem.cause == CAUSE:
            yield Finding(
                severity=Severity.BLOCKING,
                confidence=0.95,
                subject=gpu.address or gpu_name(gpu),
                evidence=(
                    Evidence("gpus_on_bus", gpu_name(gpu), gpu.origin),
                    Evidence("sign", f"{problem.name} ({problem.code})", DeviceProblems.read().title),
                ),
                values={"gpus_on_bus": (gpu_name(gpu),)},
                remedies=("enable-device-in-windows",),
            )
    # Containers and WSL do not show what they have, a Jetson's GPU is no PCI device.
    if gpus.nvidia or nvidia is None or nvidia.devices or jetson or (os and (os.wsl or os.container)):
        only_with_a_gpu(gpus, nvidia, jetson)
        return
    signs = _signs_of_a_driver(nvidia)
    if signs:
        yield Finding(
            severity=Severity.WARNING,
            confidence=0.6,
            evidence=(
                Evidence("gpus_on_bus", ", ".join(gpu_name(gpu) for gpu in gpus.devices) or NONE, gpus.origin),
                Evidence("sign", signs, nvidia.origin),
            ),
            values={"gpus_on_bus": tuple(map(gpu_name, gpus.devices))},
            remedies=("check-gpu-in-virtual-machine",) if os and os.virtual_machine else ("check-gpu-seating",),
        )


def _signs_of_a_driver(nvidia: NvidiaFacts) -> str:
    """What of NVIDIA's driver is there; "" for nothing."""
    signs = []
    if nvidia.kernel_module_version:
        signs.append(f"nvidia.ko {nvidia.kernel_module_version}")
    elif nvidia.modules_installed:
        signs.append("nvidia.ko")
    signs += [library.path for library in nvidia.libcuda or () if "/compat" not in library.path]
    return ", ".join(signs[:2])
