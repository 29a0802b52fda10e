"""The framework is a CPU-only build on a machine whose GPU it could use.

Detects:      torch, TensorFlow or ONNX Runtime without GPU support beside a GPU for which an official build exists.
Why it bites: nothing is wrong enough to fail at once: the program runs, slowly, on the processor, or ends with
              "Torch not compiled with CUDA enabled".
Blind spots:  somebody may want the CPU build; JAX is judged by jax-falls-back-to-cpu, TensorFlow on Windows by
              tf-gpu-unsupported-on-windows. On macOS there is no other build.
Knowledge:    resources/knowledge/frameworks/torch.toml, tensorflow.toml, onnxruntime.toml, gpu_architectures.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import CudaGpu, cuda_gpus, cuda_works, is_jetson, names
from checks.analysis.packages.fitting_build import (
    fitting_torch,
    has_intel_gpu,
    onnxruntime_packages,
    onnxruntime_values,
    torch_remedies,
    torch_values,
    usable_gfx,
    wheel_platform,
)
from checks.causes.registry import check
from checks.facts import (
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    OnnxRuntimeFacts,
    Symptom,
    TensorFlowFacts,
    TorchFacts,
)
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.question import ABOUT_RESULTS
from checks.facts.versions import major_number
from checks.knowledge.frameworks.onnxruntime import flavour
from checks.knowledge.frameworks.tensorflow import tensorflow_release
from checks.knowledge.frameworks.torch import CPU


@check("framework-cpu-only-build")
def framework_cpu_only_build(
    frameworks: Frameworks, machine: MachineFacts, interpreter: InterpreterFacts | None, symptom: Symptom | None
) -> Iterator[Finding]:
    """One finding per framework."""
    if machine.os and machine.os.system == "Darwin":
        return
    if frameworks.torch is not None:
        yield from _torch(frameworks.torch, machine, interpreter, symptom)
    gpus = cuda_gpus(machine)
    if not gpus or cuda_works(machine) is False:
        return
    is_gpu_in_use = _uses_gpu(frameworks)
    if frameworks.tensorflow is not None:
        yield from _tensorflow(frameworks.tensorflow, machine, interpreter, gpus, is_gpu_in_use=is_gpu_in_use)
    if frameworks.onnxruntime is not None:
        yield from _onnxruntime(frameworks, frameworks.onnxruntime, machine, interpreter, gpus, is_gpu_in_use)


def _torch(
    torch: TorchFacts, machine: MachineFacts, interpreter: InterpreterFacts | None, symptom: Symptom | None
) -> Iterator[Finding]:
    is_cpu = _is_cpu_build(torch)
    gpus = cuda_gpus(machine)
    if is_cpu is False or (is_cpu is None and not gpus):
        return
    if is_cpu is None:
        raise Unread("cuda_version", torch.unread.get("cuda_version", ""))
    best = fitting_torch(machine, interpreter, python=None)
    if gpus:
        is_searched = wheel_platform(machine, interpreter) is not None  # else the builds are unknown
        if best is None and is_searched and not is_jetson(machine) and all(gpu.capability for gpu in gpus):
            return  # no build serves this GPU (a very old one, say): the CPU build is the right one
        is_shut_out = cuda_works(machine) is False and bool(machine.os and machine.os.container)
        if cuda_works(machine):
            # Who asks about changing or differing numbers gets them on the CPU too: then it is no obstacle.
            is_obstacle = symptom is None or symptom.name not in ABOUT_RESULTS
            severity, confidence = Severity.BLOCKING if is_obstacle else Severity.WARNING, 0.95
        else:  # a container without GPUs still shows the host's bus, and is likely meant for the processor
            severity, confidence = (Severity.NOTE, 0.6) if is_shut_out else (Severity.WARNING, 0.8)
        is_known = best is not None and best.variant != CPU
        values = torch_values(machine, interpreter, keep=torch.version) if is_known else {}
        remedies = torch_remedies(values, "install-torch-for-jetson" if is_jetson(machine) else "choose-torch-build")
        yield _finding("torch", torch, gpus, severity, confidence, values, remedies)
    elif best is not None and best.variant != CPU:
        is_amd = best.variant.startswith("rocm")
        cards = _amd_cards(machine) if is_amd else _intel_cards(machine)
        severity = Severity.WARNING if is_amd else Severity.NOTE
        values = torch_values(machine, interpreter, keep=torch.version)
        yield _finding("torch", torch, cards, severity, 0.8, values, torch_remedies(values, "choose-torch-build"))


def _tensorflow(
    tensorflow: TensorFlowFacts,
    machine: MachineFacts,
    interpreter: InterpreterFacts | None,
    gpus: tuple[CudaGpu, ...],
    *,
    is_gpu_in_use: bool,
) -> Iterator[Finding]:
    if tensorflow.is_cuda_build is not False or tensorflow.is_rocm_build or not tensorflow.version:
        return
    row = tensorflow_release(tensorflow.version)
    if machine.os and machine.os.system == "Windows" and row and not row.windows_gpu:
        return
    values: dict[str, str] = {}
    remedies: tuple[str, ...] = ("run-without-this-gpu",)
    if row and row.cuda_extra and wheel_platform(machine, interpreter) == "linux_x86_64":
        package = f"tensorflow[and-cuda]=={tensorflow.version}"
        # tensorflow-cpu fills the same folder, so it has to go first.
        has_cpu_package = interpreter is not None and interpreter.package("tensorflow-cpu") is not None
        values = {"wrong_package": "tensorflow-cpu", "right_package": package} if has_cpu_package else {}
        values = values or {"tf_package": package}
        remedies = ("replace-package", "install-tensorflow-with-cuda")
    elif not is_jetson(machine):
        remedies = ("use-nvidia-tensorflow-container", "run-without-this-gpu")
    yield _finding(
        "tensorflow", tensorflow, gpus, Severity.NOTE if is_gpu_in_use else Severity.WARNING, 0.9, values, remedies
    )


def _onnxruntime(
    frameworks: Frameworks,
    runtime: OnnxRuntimeFacts,
    machine: MachineFacts,
    interpreter: InterpreterFacts | None,
    gpus: tuple[CudaGpu, ...],
    is_gpu_in_use: bool,
) -> Iterator[Finding]:
    if runtime.providers_listed is None:
        return
    installed = [row for name in onnxruntime_packages(interpreter) if (row := flavour(name))]
    if any(row.providers for row in installed):  # several flavours at once: ort-package-conflict
        return
    if set(runtime.providers_listed) - {"CPUExecutionProvider", "AzureExecutionProvider"}:
        return
    torch = frameworks.torch
    cuda = major_number(torch.cuda_version) if torch and torch.cuda_version else None
    yield _finding(
        "onnxruntime",
        runtime,
        gpus,
        Severity.NOTE if is_gpu_in_use else Severity.WARNING,
        0.85,
        onnxruntime_values(machine, interpreter, cuda_major=cuda),
        ("install-onnxruntime-flavour", "run-without-this-gpu"),
    )


def _finding(
    framework: str,
    facts: TorchFacts | TensorFlowFacts | OnnxRuntimeFacts,
    gpus: tuple[CudaGpu, ...],
    severity: Severity,
    confidence: float,
    values: dict[str, str],
    remedies: tuple[str, ...],
) -> Finding:
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=framework,
        evidence=(
            Evidence("framework", f"{framework} {facts.version or ''}".strip(), facts.origin),
            Evidence("gpu", names(gpus), gpus[0].origin if gpus else ""),
        ),
        values=values,
        remedies=remedies,
    )


def _is_cpu_build(torch: TorchFacts) -> bool | None:
    if torch.build is not None:
        return torch.build == CPU
    if torch.cuda_version or torch.hip_version or torch.xpu_version:
        return False
    if torch.version and torch.version.endswith("+cpu"):
        return True
    return None if torch.cuda_version is None else True


def _uses_gpu(frameworks: Frameworks) -> bool:
    """Whether another framework of this interpreter sees a GPU: then a CPU-only neighbour is likely meant so."""
    torch, jax = frameworks.torch, frameworks.jax
    return bool((torch and torch.cuda_available) or (jax and jax.default_backend in {"gpu", "cuda"}))


def _amd_cards(machine: MachineFacts) -> tuple[CudaGpu, ...]:
    nodes = (machine.amd.nodes or ()) if machine.amd else ()
    served = set(usable_gfx(machine))
    return tuple(
        CudaGpu(node.name or node.gfx_target or "AMD GPU", None, machine.amd.origin if machine.amd else "")
        for node in nodes
        if node.gfx_target in served
    )


def _intel_cards(machine: MachineFacts) -> tuple[CudaGpu, ...]:
    if not has_intel_gpu(machine) or machine.gpus is None:
        return ()
    return tuple(CudaGpu(gpu.product or "Intel GPU", None, gpu.origin) for gpu in machine.gpus.intel)
