"""The NVIDIA GPUs of a machine, wherever they were seen: through NVML, on the bus, or as a Jetson's own chip."""

from collections.abc import Iterable
from dataclasses import dataclass

from checks.facts import EnvironmentVariables, MachineFacts


@dataclass(frozen=True)
class CudaGpu:
    """One NVIDIA GPU. ``capability`` is None where neither the driver nor the die shows it."""

    name: str
    capability: str | None  # "12.0"
    origin: str


def cuda_gpus(machine: MachineFacts | None) -> tuple[CudaGpu, ...]:
    """Every NVIDIA GPU, by NVML where it answers, else by the bus; empty also where nothing was looked at."""
    if machine is None:
        return ()
    nvidia = machine.nvidia
    if nvidia is not None and nvidia.devices:
        return tuple(
            CudaGpu(gpu.name or "NVIDIA GPU", gpu.compute_capability, gpu.origin or nvidia.origin)
            for gpu in nvidia.devices
        )
    if machine.gpus is not None and machine.gpus.nvidia:
        return tuple(
            CudaGpu(gpu.product or gpu.die or "NVIDIA GPU", gpu.compute_capability or None, gpu.origin)
            for gpu in machine.gpus.nvidia
        )
    jetson = machine.jetson
    if jetson is not None and (jetson.model or jetson.soc):
        return (CudaGpu(jetson.model or jetson.soc or "", jetson.compute_capability, jetson.origin),)
    return ()


def cuda_works(machine: MachineFacts | None) -> bool | None:
    """Whether NVIDIA's driver answers for at least one GPU; None where that was not asked."""
    if machine is None:
        return None
    if machine.jetson is not None and machine.jetson.l4t_release:
        return True
    nvidia = machine.nvidia
    if nvidia is None or nvidia.nvml is None:
        return None
    return nvidia.nvml == "ok" and bool(nvidia.devices)


def driver_of(machine: MachineFacts | None) -> str | None:
    """The version of NVIDIA's driver, where it was read."""
    nvidia = machine.nvidia if machine else None
    return (nvidia.driver_version or None) if nvidia else None


def is_jetson(machine: MachineFacts | None) -> bool:
    """Whether the machine is an NVIDIA Jetson, whose frameworks NVIDIA builds itself."""
    jetson = machine.jetson if machine else None
    return jetson is not None and bool(jetson.model or jetson.l4t_release)


def names(gpus: Iterable[CudaGpu]) -> str:
    """The GPUs in one phrase, each name once: "NVIDIA A100, NVIDIA T4"."""
    return ", ".join(dict.fromkeys(gpu.name for gpu in gpus))


def hides_all_gpus(environment: EnvironmentVariables | None) -> bool:
    """Whether a variable keeps every NVIDIA GPU from the program: gpu-hidden-by-environment judges that."""
    return environment is not None and environment.values.get("CUDA_VISIBLE_DEVICES", "0").strip() in {"", "-1"}
