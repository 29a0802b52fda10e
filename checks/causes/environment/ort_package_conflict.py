"""Several ONNX Runtime packages are installed over each other.

Detects:      two or more packages that install the folder "onnxruntime" into the same place; one of them whose files
              are mostly gone, because another was removed.
Why it bites: the one installed last overwrites the others, often without the GPU provider; pip lists them all, so that
              everything looks right, and removing one removes files of the other.
Blind spots:  packages that bring a provider as a plugin of their own folder are not counted.
Knowledge:    resources/knowledge/frameworks/onnxruntime.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import cuda_gpus
from checks.analysis.packages.reinstalled import reinstalling
from checks.causes.registry import check
from checks.facts import (
    Facts,
    InstalledFiles,
    InstalledPackage,
    InterpreterFacts,
    MachineFacts,
    OnnxRuntimeFacts,
    Package,
)
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.frameworks.onnxruntime import Flavour, OnnxRuntimeTable, flavour
from checks.knowledge.packages.shared_modules import lost_to_sibling
from checks.knowledge.phrases import phrase

SHOWN = 5  # files that a finding names


@check("ort-package-conflict")
def ort_package_conflict(
    interpreter: InterpreterFacts,
    onnxruntime: OnnxRuntimeFacts | None,
    machine: MachineFacts | None,
    installed: InstalledFiles | None = None,
    facts: Facts | None = None,
) -> Iterator[Finding]:
    """One finding for the interpreter."""
    if interpreter.packages is None:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    rivals = [(package, row) for package in interpreter.packages if (row := flavour(package.name))]
    places = {package.location for package, _ in rivals}
    if len({package.name for package, _ in rivals}) < 2 or (None not in places and len(places) == len(rivals)):
        for package, _ in rivals:
            lost = installed.of(package.name) if installed else None
            if lost is not None and lost_to_sibling(lost):
                yield _of_shell(package, lost, facts)
        return
    is_bus_read = machine is not None and machine.gpus is not None
    kept, row = _best(rivals, has_nvidia_gpu=bool(cuda_gpus(machine)), is_gpu_known=is_bus_read)
    offered = onnxruntime.providers_listed if onnxruntime else None
    is_lost = offered is not None and bool(row.providers) and not set(row.providers) & set(offered)
    together = ", ".join(f"{package.name} {package.version}" for package, _ in rivals)
    wanted = ", ".join(row.providers) or kept.name
    yield Finding(
        severity=Severity.BLOCKING if is_lost else Severity.WARNING,
        confidence=0.95 if is_lost else 0.8,
        evidence=(
            Evidence("ort_packages", together, rivals[0][0].location or "metadata"),
            *((Evidence("ort_providers", ", ".join(offered), onnxruntime.origin),) if onnxruntime and offered else ()),
            Evidence("ort_wanted", wanted, OnnxRuntimeTable.read().title),
        ),
        values={
            "ort_installed": " ".join(sorted({package.name for package, _ in rivals})),
            "ort_package": f"{kept.name}=={kept.version}",
            "ort_state": phrase("ort-together", ort_packages=together, ort_wanted=wanted),
        },
    )


def _of_shell(package: Package, lost: InstalledPackage, facts: Facts | None) -> Finding:
    """The one that is left in the list, without its files."""
    label = f"{package.name} {package.version}"
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.95,
        evidence=(
            Evidence("ort_packages", label, package.location or "metadata"),
            Evidence("damaged_files", ", ".join(file.path for file in lost.files[:SHOWN]), lost.location),
        ),
        values={"ort_state": phrase("ort-shell", ort_packages=label), **reinstalling(lost, facts)},
        remedies=("reinstall-damaged-package",),
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
