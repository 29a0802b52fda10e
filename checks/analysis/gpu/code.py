"""Which NVIDIA GPUs a framework's build has no code for. Two causes read this: a GPU too new, and one too old.

What was really computed decides: a GPU on which the framework launched a kernel with the right result is served,
whatever lists say. Else the list that the framework itself gives counts, else the table of its official builds.
"""

import dataclasses
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checks.analysis.gpu.cuda import CudaGpu, cuda_gpus, names
from checks.analysis.gpu.state import only_with_a_gpu
from checks.analysis.packages.fitting_build import wheel_platform
from checks.facts import (
    ErrorText,
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    OnnxRuntimeFacts,
    TensorFlowFacts,
    TorchFacts,
)
from checks.facts.finding import Evidence, Unread
from checks.facts.versions import release
from checks.knowledge.frameworks.jax import JaxTable
from checks.knowledge.frameworks.onnxruntime import OnnxRuntimeTable, gpu_release
from checks.knowledge.frameworks.tensorflow import TensorFlowTable, tensorflow_release, unserved
from checks.knowledge.frameworks.torch import TorchTable, cuda_variant, gpu_code
from checks.knowledge.gpu.cuda_binary import oldest, runs_any
from checks.knowledge.gpu.gpu_architectures import GpuArchitectures, architecture_of_capability, toolkit_targets

# CUDA's own words: cudaErrorNoKernelImageForDevice, CUDA_ERROR_INVALID_PTX and its runtime twin, LLVM's for a PTX that
# does not know the target.
_NO_CODE = re.compile(
    r"no kernel image is available|INVALID_PTX|unsupported toolchain|PTX version \S+ does not support"
)
_OFFICIAL_WHEEL = re.compile(r"\d+(\.\d+)*(\+cu\d+)?$")


@dataclass(frozen=True)
class Code:
    """The code in a build: the list as the framework spells it, in words, and where it was read."""

    codes: tuple[str, ...]
    origin: str
    source: str
    certainty: float
    is_limit: bool = False  # no list, but what the CUDA that it was built with could compile for at most

    @property
    def words(self) -> str:
        """The list as a sentence shows it."""
        return " ".join(self.codes)


@dataclass(frozen=True)
class UnservedGpu:
    """GPUs of one capability that a build has no code for."""

    framework: str  # "torch"
    version: str
    gpus: str  # their names
    capability: str
    is_newer: bool  # than the build; else the build has dropped it
    is_only_gpu: bool  # no other GPU here is served
    is_compiled_late: bool  # PTX would serve it, as far as the framework's own kernels go
    certainty: float
    evidence: tuple[Evidence, ...]
    served_gpu: str = ""  # the framework's number of a GPU that is served: "0"


def unserved_gpus(
    frameworks: Frameworks, machine: MachineFacts | None, interpreter: InterpreterFacts | None
) -> Iterator[UnservedGpu]:
    """Every GPU that a framework's build cannot run on.

    Raises:
        NotHere: the machine has no GPU.
        Unread: nothing was found, and for some framework the GPU or the build's code could not be read.
    """
    if machine is not None and machine.gpus is not None:
        only_with_a_gpu(machine.gpus, machine.nvidia, machine.amd, machine.jetson)
    open_questions: list[Unread] = []
    found = False
    for unserved_ones in (
        _torch(frameworks, machine, interpreter),
        _tensorflow(frameworks, machine, interpreter),
        _jax(frameworks, machine),
        _onnxruntime(frameworks, machine),
    ):
        try:
            for unserved_one in unserved_ones:
                found = True
                yield unserved_one
        except Unread as unread:
            open_questions.append(unread)
    if open_questions and not found:
        raise open_questions[0]


def _torch(
    frameworks: Frameworks, machine: MachineFacts | None, interpreter: InterpreterFacts | None
) -> Iterator[UnservedGpu]:
    torch = frameworks.torch
    if torch is None or torch.hip_version:
        return
    # A text may tell the list alone, out of PyTorch's own warning; only builds for CUDA have one of these names.
    if not torch.cuda_version and not any(text.startswith("sm_") for text in torch.arch_list or ()):
        return
    listed = [device for device in torch.devices or () if device.device.startswith("cuda")]
    groups = dict(_by_capability(_gpus_of(listed, torch, machine) or cuda_gpus(machine)))
    if not groups:
        return
    failed = {device.compute_capability for device in listed if device.kernel and _says_no_code(device.kernel.error)}
    served = {
        device.compute_capability for device in listed if device.kernel and device.kernel.ran and device.kernel.correct
    }
    doubtful = [capability for capability in groups if capability not in served]
    if not doubtful:
        return
    code = _code_of_torch(torch, machine, interpreter)
    machine_code = [target for target in code.codes if target.startswith("sm_")]
    allowed = {kind for kind in doubtful if runs_any(machine_code, kind) and kind not in failed}
    if code.is_limit and allowed:
        raise Unread("arch_list", torch.unread.get("arch_list", ""))
    served |= allowed
    for capability in doubtful:
        if capability not in served:
            unserved_one = _unserved(
                "torch",
                torch.version or "",
                groups[capability],
                capability,
                code,
                is_only_gpu=not served,
                is_compiled_late=capability not in failed and runs_any(code.codes, capability),
            )
            others = (device.device.partition(":")[2] for device in listed if device.compute_capability in served)
            yield dataclasses.replace(unserved_one, served_gpu=next(others, ""))


def _code_of_torch(torch: TorchFacts, machine: MachineFacts | None, interpreter: InterpreterFacts | None) -> Code:
    # torch.cuda.get_arch_list() is empty wherever CUDA does not start, whatever the build holds.
    if torch.arch_list:
        return Code(torch.arch_list, torch.origin, "", 0.97)
    package = interpreter.package("torch") if interpreter else None
    version = torch.version or ""
    is_official = _OFFICIAL_WHEEL.match(version) and not (package and package.installer == "conda")
    row = cuda_variant(version, torch.cuda_version or "") if is_official else None
    platform = wheel_platform(machine, interpreter)
    codes = gpu_code(row, platform) if row and platform else None
    if codes is not None:
        return Code(codes, TorchTable.read().title, TorchTable.read().source, 0.88)
    targets = toolkit_targets(torch.cuda_version or "")
    if targets is None:
        raise Unread("arch_list", torch.unread.get("arch_list", ""))
    codes = tuple(f"sm_{target}" for target in targets)
    return Code(codes, GpuArchitectures.read().title, GpuArchitectures.read().source, 0.85, is_limit=True)


def _tensorflow(
    frameworks: Frameworks, machine: MachineFacts | None, interpreter: InterpreterFacts | None
) -> Iterator[UnservedGpu]:
    tensorflow = frameworks.tensorflow
    if tensorflow is None or not tensorflow.version or not (tensorflow.is_cuda_build or tensorflow.cuda_version):
        return
    package = interpreter.package("tensorflow") if interpreter else None
    # NVIDIA's own builds ("2.17.0+nv25.2") hold other code than the official wheels; conda's too.
    is_official = package is None or ("+" not in package.version and package.installer != "conda")
    row = tensorflow_release(tensorflow.version) if is_official else None
    groups = dict(_by_capability(_gpus_of(tensorflow.devices, tensorflow, machine) or cuda_gpus(machine)))
    listed = tensorflow.devices or ()
    served = {
        device.compute_capability for device in listed if device.kernel and device.kernel.ran and device.kernel.correct
    }
    failed = {device.compute_capability for device in listed if device.kernel and _says_no_code(device.kernel.error)}
    for capability, gpus in groups.items():
        known = unserved(tensorflow.version, capability)
        if capability in served or row is None or not row.sm:
            continue
        # TensorFlow serves newer GPUs by PTX on purpose: only a known failure, or one seen here, counts.
        if capability not in failed and known is None and runs_any(row.sm, capability):
            continue
        source = known.source if known else TensorFlowTable.read().source
        code = Code(row.sm, TensorFlowTable.read().title, source, 0.95 if capability in failed else 0.85)
        yield _unserved(
            "tensorflow", tensorflow.version, gpus, capability, code, is_only_gpu=not served, is_compiled_late=False
        )


def _jax(frameworks: Frameworks, machine: MachineFacts | None) -> Iterator[UnservedGpu]:
    jax = frameworks.jax
    if jax is None or not jax.plugins:
        return
    row = next((row for row in JaxTable.read().plugin for name in jax.plugins if f"cuda{row.cuda_major}" in name), None)
    if row is None:
        return
    served = {device.compute_capability for device in jax.devices or () if device.kernel and device.kernel.ran}
    code = Code((f"compute_{row.compute_capability_min.replace('.', '')}",), JaxTable.read().title, row.source, 0.85)
    for capability, gpus in _by_capability(cuda_gpus(machine)):
        if capability not in served and release(capability) < release(row.compute_capability_min):
            yield _unserved(
                "jax", jax.version or "", gpus, capability, code, is_only_gpu=not served, is_compiled_late=False
            )


def _onnxruntime(frameworks: Frameworks, machine: MachineFacts | None) -> Iterator[UnservedGpu]:
    """CUDA's own libraries say which GPUs a CUDA version has left behind; ONNX Runtime's code list is not public."""
    runtime = frameworks.onnxruntime
    if runtime is None or not runtime.version or _has_started(runtime):
        return
    if "CUDAExecutionProvider" not in (runtime.providers_listed or ()):
        return
    row = gpu_release(runtime.version)
    cuda = runtime.cuda_version or (row.cuda if row else None)
    if cuda is None:
        return
    for capability, gpus in _by_capability(cuda_gpus(machine)):
        known = architecture_of_capability(capability)
        if known is None or known.last_cuda is None or release(known.last_cuda) >= release(cuda)[:2]:
            continue
        oldest_left = min(
            (row.sm for row in GpuArchitectures.read().nvidia if row.last_cuda is None), key=lambda sm: int(sm[3:])
        )
        code = Code((oldest_left,), GpuArchitectures.read().title, OnnxRuntimeTable.read().source, 0.85)
        yield _unserved(
            "onnxruntime", runtime.version, gpus, capability, code, is_only_gpu=True, is_compiled_late=False
        )


def _has_started(runtime: OnnxRuntimeFacts) -> bool:
    return any(provider.name == "CUDAExecutionProvider" and provider.started for provider in runtime.providers or ())


def _unserved(
    framework: str,
    version: str,
    gpus: list[CudaGpu],
    capability: str,
    code: Code,
    *,
    is_only_gpu: bool,
    is_compiled_late: bool,
) -> UnservedGpu:
    # Where a kernel failed on a GPU that the list allows, the build must be older than the GPU's own code.
    first = oldest(code.codes)
    label = f"{framework} {version}".strip()
    return UnservedGpu(
        framework=framework,
        version=version,
        gpus=names(gpus),
        capability=capability,
        is_newer=first is None or (*release(capability), 0)[:2] >= first,
        is_only_gpu=is_only_gpu,
        is_compiled_late=is_compiled_late,
        certainty=code.certainty,
        evidence=(
            Evidence("framework", label, code.origin),
            Evidence("gpu", names(gpus), gpus[0].origin),
            Evidence("compute_capability", capability, gpus[0].origin),
            Evidence("arch_list", code.words, code.origin, code.source),
        ),
    )


def _by_capability(gpus: Iterable[CudaGpu]) -> Iterator[tuple[str, list[CudaGpu]]]:
    """The GPUs by their capability, lowest first.

    Raises:
        Unread: the capability of one of them is unknown; it could be the one that is not served.
    """
    groups: dict[str, list[CudaGpu]] = {}
    for gpu in gpus:
        if gpu.capability is None:
            raise Unread("compute_capability", gpu.name)
        groups.setdefault(gpu.capability, []).append(gpu)
    yield from sorted(groups.items(), key=lambda group: release(group[0]))


def _gpus_of(
    devices: Iterable[FrameworkDevice] | None, facts: TorchFacts | TensorFlowFacts, machine: MachineFacts | None
) -> tuple[CudaGpu, ...]:
    """The GPUs that the framework lists, if it reports the capability of all of them; hidden ones do not count."""
    known = {gpu.capability: gpu.name for gpu in cuda_gpus(machine)}
    gpus = tuple(
        CudaGpu(
            device.name or known.get(device.compute_capability, device.device), device.compute_capability, facts.origin
        )
        for device in devices or ()
        if device.compute_capability
    )
    return (
        gpus if len(gpus) == sum(1 for device in devices or () if not device.device.lower().startswith("cpu")) else ()
    )


def _says_no_code(error: ErrorText | None) -> bool:
    return error is not None and _NO_CODE.search(error.message) is not None
