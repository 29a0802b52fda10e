"""The interpreter that runs has no AI framework; perhaps another one on this machine has it.

Detects:      a target interpreter without any framework, or with nothing but its entry in the list of packages, and the
              interpreters here that have one.
Why it bites: "No module named 'torch'": pip put the package into another Python than the one that runs the program.
Blind spots:  frameworks on PYTHONPATH or in a zip have no metadata; what a probe really imported counts before it.
Knowledge:    resources/knowledge/packages/ai_packages.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import is_jetson
from checks.analysis.packages.fitting_build import torch_values
from checks.analysis.packages.reinstalled import reinstalling
from checks.causes.environment.damaged_installation import is_lone_framework_gone
from checks.causes.registry import check
from checks.facts import Facts, InstalledPackage, InterpreterFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.packages.ai_packages import AiPackages, frameworks_among
from checks.knowledge.phrases import phrase

SHOWN = 3  # interpreters that a finding names

_JETSON = ("use-other-interpreter", "install-torch-for-jetson")
_ELSEWHERE = ("use-other-interpreter", "install-torch", "make-environment-with-python", "choose-another-interpreter")


@check("framework-not-installed", from_whole=True)
def framework_not_installed(interpreter: InterpreterFacts, facts: Facts) -> Iterator[Finding]:
    """One finding for the target."""
    if interpreter.problem:  # interpreter-not-usable
        return
    gone = (
        [package for package in facts.installed.packages if is_lone_framework_gone(package, facts)]
        if facts.installed
        else []
    )
    if not gone and facts.frameworks is not None and any(True for _ in facts.frameworks.each()):
        return
    if interpreter.packages is None:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    if not gone and frameworks_among(package.name for package in interpreter.packages):
        return
    if gone:
        yield _of_gone(gone[0], interpreter, facts)
        return
    others = _others(interpreter, facts)
    yield Finding(
        severity=Severity.BLOCKING,
        confidence=0.9,
        evidence=(
            Evidence("python_path", interpreter.path, ", ".join(interpreter.found_by)),
            Evidence(
                "frameworks_known", ", ".join(row.name for row in AiPackages.read().framework), AiPackages.read().title
            ),
            *(
                Evidence("other_interpreter", f"{path}: {', '.join(names)}", "metadata")
                for path, names in others[:SHOWN]
            ),
        ),
        values={
            "installed_state": phrase("no-framework", python_path=interpreter.path),
            **torch_values(facts.machine, interpreter),
            **({"other_python": others[0][0]} if others else {}),
        },
        remedies=_JETSON if is_jetson(facts.machine) else _ELSEWHERE,
    )


def _of_gone(package: InstalledPackage, interpreter: InterpreterFacts, facts: Facts) -> Finding:
    """The framework that pip still lists."""
    label = f"{package.name} {package.version}"
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.95,
        evidence=(
            Evidence("python_path", interpreter.path, ", ".join(interpreter.found_by)),
            Evidence("package", label, package.location),
            Evidence("damaged_files", ", ".join(file.path for file in package.files[:SHOWN]), package.location),
        ),
        values={
            "installed_state": phrase("framework-gone", package=label, python_path=interpreter.path),
            **reinstalling(package, facts),
        },
        remedies=("reinstall-damaged-package",),
    )


def _others(interpreter: InterpreterFacts, facts: Facts) -> list[tuple[str, tuple[str, ...]]]:
    """(path, frameworks) of the other interpreters that have one, those with the most frameworks first."""
    found = [
        (other.path, frameworks)
        for other in facts.interpreters or ()
        if other.path != interpreter.path
        and "naosu" not in other.found_by  # our own environment is no place for the user's program
        and not other.problem
        and (frameworks := frameworks_among(package.name for package in other.packages or ()))
    ]
    return sorted(found, key=lambda other: ("torch" not in other[1], -len(other[1]), other[0]))
