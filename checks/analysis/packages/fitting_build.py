"""Which build of PyTorch and of ONNX Runtime fits this machine and interpreter, as the values that the remedies need.

``torch_version``, ``torch_variant`` ("cu126"), ``torch_index`` (its download index), ``torch_device`` (its device's
name in PyTorch), ``torch_packages`` (torch and the companions that are installed, or the usual ones where no list
tells, each with the release that goes with it), ``torch_installed`` (what must go first).
Where a build would fit if Python were another one, only ``python_fit`` is given: a Python version that has it.
"""

from checks.analysis.gpu.cuda import cuda_gpus, driver_of, is_jetson
from checks.facts import InterpreterFacts, MachineFacts
from checks.facts.versions import minor, release
from checks.knowledge.frameworks.onnxruntime import flavour, newest_gpu_release
from checks.knowledge.frameworks.torch import (
    TorchBuild,
    pythons_for,
    recommended_cpu_torch,
    recommended_rocm_torch,
    recommended_torch,
    recommended_xpu_torch,
)
from checks.knowledge.gpu.cuda_driver import driver_minimum
from checks.knowledge.gpu.gpu_architectures import amd_target, intel_platform, toolkit_targets
from checks.knowledge.packages.torch_companions import companion_names, fitting

_COMMON_DRIVER = "550"  # what is assumed of a driver that was not read: it serves CUDA 12, not yet 13
ORT_EXTRAS = (1, 21)  # first onnxruntime-gpu with preload_dlls() and the extras "cuda" and "cudnn"
_USUAL_COMPANIONS = ("torchaudio", "torchvision")  # go along where nobody listed the packages: an old one breaks
# How Python spells an architecture -> how wheels do. macOS says arm64, Linux aarch64, Windows AMD64.
_ARCHITECTURES = {
    ("Linux", "x86_64"): "linux_x86_64",
    ("Linux", "aarch64"): "linux_aarch64",
    ("Windows", "AMD64"): "windows",
    ("Windows", "x86_64"): "windows",
    ("Darwin", "arm64"): "macos_arm64",
    ("Darwin", "x86_64"): "macos_x86_64",
}


def wheel_platform(machine: MachineFacts | None, interpreter: InterpreterFacts | None) -> str | None:
    """The platform as the torch table names it; None where it is unknown or has no wheels at all (32 bit, musl).

    The interpreter's own architecture counts, not the machine's: an x86 Python on Apple silicon takes x86 wheels. One
    that holds both ("universal2", as python.org ships it) runs as the machine does.
    """
    os = machine.os if machine else None
    if os is None or os.system is None or os.libc == "musl":
        return None
    architecture = interpreter.architecture_on(os) if interpreter else os.architecture
    return _ARCHITECTURES.get((os.system, architecture or ""))


def python_tag(interpreter: InterpreterFacts | None) -> str | None:
    """The Python version as the tables spell it ("3.12", free-threaded "3.13t"); None where it was not read."""
    if interpreter is None or not interpreter.version:
        return None
    return minor(interpreter.version) + ("t" if interpreter.free_threaded else "")


def fitting_torch(
    machine: MachineFacts | None, interpreter: InterpreterFacts | None, *, python: str | None, keep: str | None = None
) -> TorchBuild | None:
    """The build for the best GPU here: NVIDIA's, else AMD's, else Intel's, else the one for the processor.

    ``python`` None lets any Python version pass. None: no build fits; on a Jetson always, for NVIDIA makes its own.
    """
    platform = wheel_platform(machine, interpreter)
    if platform is None or is_jetson(machine):
        return None
    gpus = cuda_gpus(machine)
    capabilities = sorted({gpu.capability for gpu in gpus if gpu.capability})
    if capabilities:
        for driver in (driver_of(machine),) if driver_of(machine) else (_COMMON_DRIVER, None):
            found = recommended_torch(capabilities, platform=platform, python=python, driver=driver, keep=keep)
            if found is not None:
                return found
        return None
    if platform == "linux_x86_64" and (gfx := usable_gfx(machine)):
        found = recommended_rocm_torch(gfx, python=python, keep=keep)
        if found is not None:
            return found
    if has_intel_gpu(machine) and (found := recommended_xpu_torch(platform=platform, python=python)):
        return found
    return recommended_cpu_torch(platform=platform, python=python)


def torch_values(
    machine: MachineFacts | None, interpreter: InterpreterFacts | None, *, keep: str | None = None
) -> dict[str, str]:
    """The values for the remedies; see the head of this module. Empty where no build fits with any Python.

    ``keep``: the version that is installed, which stays if another build of it fits.
    """
    found = fitting_torch(machine, interpreter, python=python_tag(interpreter), keep=keep)
    if found is not None:
        return build_values(found, interpreter)
    with_other_python = fitting_torch(machine, interpreter, python=None)
    platform = wheel_platform(machine, interpreter)
    if with_other_python is None or platform is None:
        return {}
    # The last but one: the companions and extensions of the newest Python often follow months later.
    pythons = pythons_for(with_other_python.version, platform)
    return {"python_fit": pythons[-2:][0]} if pythons else {}


def build_values(build: TorchBuild, interpreter: InterpreterFacts | None) -> dict[str, str]:
    """The values for installing one build in the place of what is installed."""
    is_listed = interpreter is not None and any(package.name != "torch" for package in interpreter.packages or ())
    installed = [
        name
        for name in sorted(companion_names())
        if (interpreter and interpreter.package(name)) or (not is_listed and name in _USUAL_COMPANIONS)
    ]
    fits = {name: fitting(name, build.version) for name in installed}
    companions = (f"{name}=={version}" for name, version in fits.items() if version)
    return {
        "torch_version": build.version,
        "torch_variant": build.variant,
        "torch_index": build.index,
        "torch_device": build.device,
        "torch_packages": " ".join((f"torch=={build.version}", *companions)),
        "torch_installed": " ".join(("torch", *installed)),
    }


def torch_remedies(values: dict[str, str], fallback: str) -> tuple[str, ...]:
    """The remedies that these values allow, the best first; the last resort only where no build fits."""
    by_value = (
        ("torch_packages", "install-fitting-torch-build"),
        ("python_fit", "make-environment-with-python"),
        ("served_gpu", "choose-served-gpu"),
    )
    found = tuple(remedy for name, remedy in by_value if name in values)
    return found if "torch_packages" in values or "python_fit" in values else (*found, fallback)


def onnxruntime_values(
    machine: MachineFacts | None, interpreter: InterpreterFacts | None, *, cuda_major: int | None = None
) -> dict[str, str]:
    """The values for putting the fitting onnxruntime-gpu in the place of every ONNX Runtime package installed.

    ``ort_installed`` (what must go first) and ``ort_package``. ``cuda_major``: that of another framework here whose
    CUDA libraries it can share. Empty where no release fits the driver, the GPUs and the Python, and on a Jetson.
    """
    capabilities = [release(gpu.capability) for gpu in cuda_gpus(machine) if gpu.capability]
    if is_jetson(machine):
        return {}
    platform = wheel_platform(machine, interpreter)
    driver, is_windows = driver_of(machine) or _COMMON_DRIVER, platform == "windows"
    for major in (cuda_major,) if cuda_major else (13, 12, 11):
        minimum = driver_minimum(str(major))
        row = newest_gpu_release(major, python_tag(interpreter), is_arm=platform == "linux_aarch64")
        oldest = min(toolkit_targets(row.cuda) or (0,), default=0) if row else 0
        if row is None or any(
            (*capability, 0, 0)[0] * 10 + (*capability, 0, 0)[1] < oldest for capability in capabilities
        ):
            continue
        if minimum and release(driver) < release(minimum.windows if is_windows else minimum.linux):
            continue
        # The extras, which bring CUDA and cuDNN along, exist since 1.21; beside a torch of the same CUDA they are idle.
        extras = "[cuda,cudnn]" if release(row.version) >= ORT_EXTRAS and cuda_major is None else ""
        return {
            "ort_installed": " ".join(onnxruntime_packages(interpreter)) or "onnxruntime",
            "ort_package": f"onnxruntime-gpu{extras}=={row.version}",
        }
    return {}


def onnxruntime_packages(interpreter: InterpreterFacts | None) -> tuple[str, ...]:
    """The installed packages that share the folder "onnxruntime", by name."""
    packages = (interpreter.packages or ()) if interpreter else ()
    return tuple(sorted({package.name for package in packages if flavour(package.name)}))


def usable_gfx(machine: MachineFacts | None) -> tuple[str, ...]:
    """The gfx targets of AMD graphics cards that the compute driver shows; processors' own graphics are left out."""
    nodes = (machine.amd.nodes or ()) if machine and machine.amd else ()
    targets = (amd_target(node.gfx_target) for node in nodes if node.gfx_target)
    return tuple(dict.fromkeys(row.gfx for row in targets if row is not None and not row.integrated))


def has_intel_gpu(machine: MachineFacts | None) -> bool:
    """Whether there is an Intel graphics card that PyTorch validates; processors' own graphics are left out."""
    gpus = machine.gpus.intel if machine and machine.gpus else ()
    rows = (intel_platform(gpu.device_id) for gpu in gpus if gpu.device_id)
    return any(row is not None and row.torch_xpu and not row.integrated for row in rows)
