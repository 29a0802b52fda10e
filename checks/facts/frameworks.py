"""Frameworks, as the probes saw them inside the target interpreter."""

from collections.abc import Iterator
from typing import Any

import msgspec

from checks.facts.base import Fact
from checks.facts.errors import ErrorText
from checks.facts.machine import LibraryFile


class FrameworkFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What is common to all frameworks.

    ``imported`` is True, False (``error`` holds the exception) or None: not reached, or the process died;
    then the :class:`ProbeRun` of the same name tells.
    """

    version: str | None = None
    imported: bool | None = None
    error: ErrorText | None = None
    location: str | None = None  # the folder of the imported package
    cuda_version: str | None = None  # CUDA it was built for: "12.8"; "" for a build without CUDA
    cudnn_version: str | None = None  # cuDNN that it loads: "9.10.2"
    warnings: tuple[str, ...] | None = None
    loaded_libraries: tuple[LibraryFile, ...] | None = None  # those of the GPU stack and the C/C++/OpenMP runtimes


class KernelLaunch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A small computation really run on a device, and whether its result was right."""

    ran: bool
    correct: bool | None = None
    error: ErrorText | None = None
    seconds: float | None = None


class ImportTry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A package beside the framework, really imported."""

    name: str
    imported: bool
    version: str | None = None
    error: ErrorText | None = None


class FrameworkDevice(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A device as the framework lists it."""

    device: str  # "cuda:0", "mps", "xpu:0", "GPU:0"
    name: str | None = None
    compute_capability: str | None = None
    gfx_target: str | None = None
    memory_total: int | None = None
    memory_free: int | None = None
    uuid: str | None = None
    pci_address: str | None = None
    kernel: KernelLaunch | None = None


class TorchFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """PyTorch in the target interpreter."""

    build: str | None = None  # "cpu", "cuda", "rocm", "xpu"
    hip_version: str | None = None  # "" for a build without HIP
    xpu_version: str | None = None
    debug: bool | None = None
    git_version: str | None = None
    cxx11_abi: bool | None = None
    arch_list: tuple[str, ...] | None = None  # "sm_90", "compute_120", "gfx1100"; () for a CPU build
    nccl_version: str | None = None
    cuda_available: bool | None = None
    cuda_error: ErrorText | None = None  # what torch.cuda.init() raised
    cuda_device_count: int | None = None
    mps_built: bool | None = None
    mps_available: bool | None = None
    mps_error: str | None = None
    xpu_available: bool | None = None
    devices: tuple[FrameworkDevice, ...] | None = None
    cpu_capability: str | None = None  # torch.backends.cpu.get_cpu_capability()
    threads: int | None = None
    settings: dict[str, Any] | None = None  # deterministic and TF32 settings by their torch name
    numpy_bridge: KernelLaunch | None = None  # torch.zeros(1).numpy() and back
    companions: tuple[ImportTry, ...] | None = None  # torchvision, torchaudio, xformers, triton where installed


class ProviderStart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An ONNX Runtime execution provider: whether a one-node model really ran on it."""

    name: str  # "CUDAExecutionProvider"
    started: bool | None = None  # None = not tried
    error: str | None = None
    fell_back: bool | None = None  # the session was made, but without this provider


class OnnxRuntimeFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """ONNX Runtime in the target interpreter."""

    build_info: str | None = None
    device: str | None = None  # onnxruntime.get_device()
    providers_listed: tuple[str, ...] | None = None
    providers: tuple[ProviderStart, ...] | None = None


class TensorFlowFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """TensorFlow in the target interpreter."""

    is_cuda_build: bool | None = None
    is_rocm_build: bool | None = None
    keras_version: str | None = None
    devices: tuple[FrameworkDevice, ...] | None = None


class JaxFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """JAX in the target interpreter."""

    jaxlib_version: str | None = None
    plugins: tuple[str, ...] | None = None  # "jax-cuda12-plugin 0.4.30"
    default_backend: str | None = None
    devices: tuple[FrameworkDevice, ...] | None = None


class TensorRtFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """TensorRT's Python package in the target interpreter."""

    builder: KernelLaunch | None = None  # whether a Builder could be made
    plugins: int | None = None


class LiteRtFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """LiteRT (ai-edge-litert, tflite-runtime) in the target interpreter."""

    package: str | None = None
    edgetpu_delegate: bool | None = None  # libedgetpu could be loaded
    edgetpu_error: str | None = None
    edgetpu_version: str | None = None  # what libedgetpu says of itself: "BuildLabel(...), RuntimeVersion(14)"


class OpenVinoFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """OpenVINO in the target interpreter."""

    devices: tuple[FrameworkDevice, ...] | None = None


class CoreMlToolsFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """coremltools in the target interpreter."""

    torch_tested: str | None = None  # newest torch that this coremltools says it was tested with


class Frameworks(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """The frameworks found in the target interpreter; None = not installed or not probed (``Facts.missing`` says)."""

    torch: TorchFacts | None = None
    onnxruntime: OnnxRuntimeFacts | None = None
    tensorflow: TensorFlowFacts | None = None
    jax: JaxFacts | None = None
    tensorrt: TensorRtFacts | None = None
    litert: LiteRtFacts | None = None
    openvino: OpenVinoFacts | None = None
    coremltools: CoreMlToolsFacts | None = None

    def each(self) -> Iterator[tuple[str, FrameworkFacts]]:
        """The frameworks that were probed, with their names."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, FrameworkFacts):
                yield name, value

    def cuda_builds(self) -> tuple[tuple[str, FrameworkFacts, str], ...]:
        """(name, facts, CUDA version) of every framework that is known to be built for CUDA."""
        return tuple((name, fact, fact.cuda_version) for name, fact in self.each() if fact.cuda_version)
