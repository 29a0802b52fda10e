"""Whether a program that was watched really computed on a GPU, or certainly did not; most often nobody can know.

That it opened a GPU's file is neither: importing torch.optim is enough for that (seen with torch 2.11 on an H100).
"""

from checks.facts import NvidiaFacts, ProgramRun
from checks.knowledge.packages.gpu_modules import is_each_telling

# How frameworks name what is none of the processor.
_ON_GPU = ("cuda", "gpu", "xpu", "mps", "rocm", "tensorrtexecution")


def computed_on_gpu(run: ProgramRun, nvidia: NvidiaFacts | None) -> bool:
    """Whether something of it lay on a GPU: by its frameworks, or by the driver's list of processes that compute."""
    if any(use.is_own for use in run.gpu_use):
        return True
    if any(use.device.lower().startswith(_ON_GPU) for python in run.pythons for use in python.devices):
        return True
    listed = {process.pid for gpu in (nvidia.devices if nvidia else None) or () for process in gpu.processes or ()}
    return bool(listed & set(run.gpu_processes))


def stayed_on_processor(run: ProgramRun) -> bool:
    """Whether it certainly put nothing on a GPU.

    Either it never had one open; or each of its Pythons came to its end, its only framework was one that tells what it
    put on a GPU, and that was nothing.
    """
    if run.left_gpu_alone:
        return True
    inside = [python for python in run.pythons if not python.is_launcher]
    is_whole = bool(inside) and all(python.is_complete for python in inside)
    is_seen = {*run.gpu_processes} <= {python.pid for python in inside}  # no child that nobody looked into
    is_telling = is_each_telling(module.name for python in inside for module in python.modules)
    is_counted = not any(use.device.startswith("?") for python in inside for use in python.devices)
    return is_whole and is_seen and is_telling and is_counted and not computed_on_gpu(run, None)
