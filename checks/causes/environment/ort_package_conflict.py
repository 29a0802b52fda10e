"""Several ONNX Runtime packages are installed over each other.

Detects:      two or more packages that install the folder "onnxruntime" into the same place.
Why it bites: the one installed last overwrites the others, often without the GPU provider; pip lists them all, so that
              everything looks right, and removing one removes files of the other.
Blind spots:  packages that bring a provider as a plugin of their own folder are not counted.
Knowledge:    resources/knowledge/frameworks/onnxruntime.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import cuda_gpus
from checks.causes.registry import check
from checks.facts import InterpreterFacts, MachineFacts, OnnxRuntimeFacts, Package
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.frameworks.onnxruntime import Flavour, OnnxRuntimeTable, flavour


@check("ort-package-conflict")
def ort_package_conflict(
    interpreter: InterpreterFacts, onnxruntime: OnnxRuntimeFacts | None, machine: MachineFacts | None
) -> Iterator[Finding]:
    """One finding for the interpreter."""
    if interpreter.packages is None:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    rivals = [(package, row) for package in interpreter.packages if (row := flavour(package.name))]
    places = {package.location for package, _ in rivals}
    if len({package.name for package, _ in rivals}) < 2 or (None not in places and len(places) == len(rivals)):
        return
    is_bus_read = machine is not None and machine.gpus is not None
    kept, row = _best(rivals, has_nvidia_gpu=bool(cuda_gpus(machine)), is_gpu_known=is_bus_read)
    offered = onnxruntime.providers_listed if onnxruntime else None
    is_lost = offered is not None and bool(row.providers) and not set(row.providers) & set(offered)
    yield Finding(
        severity=Severity.BLOCKING if is_lost else Severity.WARNING,
        confidence=0.95 if is_lost else 0.8,
        evidence=(
            Evidence(
                "ort_packages",
                ", ".join(f"{package.name} {package.version}" for package, _ in rivals),
                rivals[0][0].location or "metadata",
            ),
            *((Evidence("ort_providers", ", ".join(offered), onnxruntime.origin),) if onnxruntime and offered else ()),
            Evidence("ort_wanted", ", ".join(row.providers) or kept.name, OnnxRuntimeTable.read().title),
        ),
        values={
            "ort_installed": " ".join(sorted({package.name for package, _ in rivals})),
            "ort_package": f"{kept.name}=={kept.version}",
        },
    )


def _best(
    rivals: list[tuple[Package, Flavour]], *, has_nvidia_gpu: bool, is_gpu_known: bool
) -> tuple[Package, Flavour]:
    """The package that its user most likely wants: the one for the GPU here, else one for any, else the plain one.

    Where the GPU is unknown, an installed GPU package is taken as a sign of one.
    """

    def rank(rival: tuple[Package, Flavour]) -> tuple[bool, bool, bool]:
        row = rival[1]
        is_for_this_gpu = row.gpu_vendor == "any" or (row.gpu_vendor == "nvidia" and has_nvidia_gpu)
        is_plain = not row.providers
        return (is_for_this_gpu, row.gpu_vendor == "nvidia" and has_nvidia_gpu, is_plain == is_gpu_known)

    return max(rivals, key=rank)
