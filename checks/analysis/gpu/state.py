"""What several checks ask of the facts about GPUs: did it compute, which error came, which card is which."""

from collections.abc import Iterator
from dataclasses import dataclass

from checks.facts import (
    FrameworkFacts,
    Frameworks,
    Gpu,
    Gpus,
    NvidiaFacts,
    NvidiaGpu,
    OnnxRuntimeFacts,
    Symptom,
    TorchFacts,
)
from checks.facts.finding import NotHere, Unread
from checks.facts.machine import canonical_pci_address
from checks.knowledge.errors.cuda_errors import CudaError, cuda_error_in
from checks.knowledge.gpu.gpu_architectures import NvidiaArchitecture, architecture_of_capability, architecture_of_die

LINE = 400  # characters of a message that a report quotes; frameworks name the reason at the end
NONE = "-"  # a value of a finding that says: looked for, and there is none

_MAKERS = {"10de": "NVIDIA", "1002": "AMD", "8086": "Intel"}
_MADE_FOR_CUDA = ("torch", "tensorflow", "jax", "onnxruntime")  # the frameworks that have builds for CUDA and others
_CUDA_PROVIDERS = ("CUDAExecutionProvider", "TensorrtExecutionProvider", "NvTensorRTRTXExecutionProvider")


def ran_on(fact: FrameworkFacts, *kinds: str) -> bool:
    """Whether a framework really computed on a device of one of these kinds ("cuda", "xpu"), as it names them."""
    devices = getattr(fact, "devices", None) or ()
    return any(device.device.lower().startswith(kinds) and device.kernel and device.kernel.ran for device in devices)


def ran_on_cuda(fact: FrameworkFacts) -> bool:
    """Whether a framework really computed through CUDA. A ROCm build calls its devices "cuda" too: not meant."""
    if isinstance(fact, OnnxRuntimeFacts):
        return any(
            provider.name in _CUDA_PROVIDERS and provider.started and not provider.fell_back
            for provider in fact.providers or ()
        )
    return bool(fact.cuda_version) and ran_on(fact, "cuda", "gpu")


def cuda_computes(frameworks: Frameworks | None) -> bool:
    """Whether any framework really computed through CUDA: then the driver is in order, whatever else is odd."""
    return frameworks is not None and any(ran_on_cuda(fact) for _, fact in frameworks.each())


def needs_cuda(frameworks: Frameworks | None, symptom: Symptom | None) -> bool:
    """Whether NVIDIA's GPU is needed here: not with builds for other devices alone and no complaint about it."""
    if frameworks is None or (symptom is not None and symptom.name == "not-on-gpu"):
        return True
    builds = [fact.cuda_version for fact in (getattr(frameworks, name) for name in _MADE_FOR_CUDA) if fact is not None]
    return not builds or any(version != "" for version in builds)


@dataclass(frozen=True)
class SeenCudaError:
    """An error of the table that a framework reported."""

    framework: str
    fact: FrameworkFacts
    error: CudaError
    message: str


def seen_cuda_errors(frameworks: Frameworks | None) -> Iterator[SeenCudaError]:
    """The CUDA errors that the frameworks reported, at the start or when a kernel was launched."""
    if frameworks is None:
        return
    for name, fact in frameworks.each():
        for message in _messages(fact):
            error = cuda_error_in(message)
            if error is not None:
                yield SeenCudaError(name, fact, error, message)


def _messages(fact: FrameworkFacts) -> Iterator[str]:
    if isinstance(fact, TorchFacts) and fact.cuda_error:
        yield fact.cuda_error.message
    yield from fact.warnings or ()
    for device in getattr(fact, "devices", None) or ():
        if device.kernel and device.kernel.error:
            yield device.kernel.error.message
    if isinstance(fact, OnnxRuntimeFacts):
        yield from (provider.error for provider in fact.providers or () if provider.error)


def error_name(error: CudaError) -> str:
    """An error in a form short enough for a sentence: "cudaErrorUnknown, 999"."""
    return f"{error.name}, {error.code}"


def first_line(text: str) -> str:
    """The first line of a message that is not empty, cut to a length that a sentence can hold."""
    line = next((text_line.strip() for text_line in text.splitlines() if text_line.strip()), "")
    return line if len(line) <= LINE else line[: LINE - 1] + "…"


def gpu_name(gpu: Gpu) -> str:
    """What to call a GPU of the bus: its product, else its die, else its id, else its maker."""
    maker = gpu.vendor or _MAKERS.get(gpu.vendor_id or "", "")
    number = f"{gpu.vendor_id}:{gpu.device_id}" if gpu.vendor_id and gpu.device_id else ""
    return gpu.product or gpu.die or " ".join(filter(None, (maker, "GPU", number)))


def in_nvml(gpu: Gpu, nvidia: NvidiaFacts) -> NvidiaGpu | None:
    """The same GPU as NVML shows it; None where it is not there.

    Told by the address on the bus; where either side names none (Windows has no such addresses), by the device id.
    """
    wanted = canonical_pci_address(gpu.address) if gpu.address and "\\" not in gpu.address else ""
    for device in nvidia.devices or ():
        shown = canonical_pci_address(device.pci_address)
        if (shown == wanted) if shown and wanted else (device.pci_device_id == gpu.device_id):
            return device
    return None


def left_alone(gpus: Gpus, nvidia: NvidiaFacts) -> tuple[Gpu, ...]:
    """The NVIDIA GPUs of the bus that NVML does not show, without those that a virtual machine was given."""
    return tuple(gpu for gpu in gpus.nvidia if not is_given_away(gpu) and in_nvml(gpu, nvidia) is None)


def installed_driver(nvidia: NvidiaFacts) -> str | None:
    """The version of NVIDIA's driver, also of one that is installed and not loaded; "" = none, None = not read."""
    libraries = (library.version for library in nvidia.libcuda or () if library.version)
    version = nvidia.driver_version or next(libraries, None)
    return version or ("" if nvidia.driver_version == "" or nvidia.libcuda == () else None)


def nvidia_architecture(gpu: Gpu) -> NvidiaArchitecture | None:
    """The architecture of an NVIDIA GPU of the bus; None where its die is not known."""
    found = architecture_of_die(gpu.die) if gpu.die else None
    if found is None and gpu.compute_capability:
        found = architecture_of_capability(gpu.compute_capability)
    return found


def is_given_away(gpu: Gpu) -> bool:
    """Whether the GPU is reserved for a virtual machine on purpose."""
    return gpu.driver in ("vfio-pci", "pci-stub", "pciback")


def gib(size: int) -> str:
    """Bytes as GiB with one decimal: 25769803776 -> "24.0 GiB"."""
    return f"{size / 2**30:.1f} GiB"


def only_with_a_gpu(gpus: Gpus | None, *drivers: object) -> None:
    """Let only the machines pass that have a GPU, by the bus or by a vendor's driver (one of ``drivers``).

    Where there is none, nothing about GPUs was found to be fine.

    Raises:
        NotHere: the bus shows no GPU.
        Unread: the bus was not read, and no driver reports a GPU.
    """
    if any(driver is not None for driver in drivers):
        return
    if gpus is None:
        raise Unread("gpus")
    if not gpus.devices:
        raise NotHere("any_gpu")
