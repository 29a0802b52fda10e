"""The interpreter that runs has no AI framework; perhaps another one on this machine has it.

Detects:      the framework that the user's program, or a package that it uses, could not import; where nothing was run,
              a target interpreter without any framework, or with nothing but its entry in the list of packages. And the
              interpreters here that have it.
Why it bites: "No module named 'torch'": pip put the package into another Python than the one that runs the program.
Blind spots:  an environment of scikit-learn, LightGBM, llama.cpp or the like needs none of the frameworks;
              frameworks on PYTHONPATH or in a zip have no metadata; what a probe really imported counts before it.
Knowledge:    resources/knowledge/packages/ai_packages.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.absent import INSTALL_MEANT, Absent, Kind, absences
from checks.analysis.gpu.cuda import is_jetson
from checks.analysis.packages.asked import is_asked_for
from checks.analysis.packages.fitting_build import torch_values
from checks.analysis.packages.reinstalled import reinstalling
from checks.causes.environment.damaged_installation import is_lone_framework_gone
from checks.causes.registry import check
from checks.facts import Facts, InstalledPackage, InterpreterFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity, Unread
from checks.facts.phrase import Value
from checks.knowledge.packages.ai_packages import (
    AiPackages,
    brings_nothing,
    framework_of_package,
    frameworks_among,
    needs_no_framework,
)
from checks.knowledge.packages.import_packages import module_of_distribution
from checks.knowledge.phrases import phrase

SHOWN = 3  # interpreters that a finding names

_JETSON = ("use-other-interpreter", "install-torch-for-jetson")
_ELSEWHERE = ("use-other-interpreter", "install-torch", "make-environment-with-python", "choose-another-interpreter")


_MADE = ("venv", "conda", "uv", "poetry", "pipx")  # for one purpose, unlike a system's Python
_MAYBE = 0.5


@check("framework-not-installed", from_whole=True)
def framework_not_installed(interpreter: InterpreterFacts, facts: Facts) -> Iterator[Finding]:
    """One finding per framework that was asked for, or one for the target where nothing was run."""
    if interpreter.problem:  # interpreter-not-usable
        return
    gone = (
        [package for package in facts.installed.packages if is_lone_framework_gone(package, facts)]
        if facts.installed
        else []
    )
    if gone:
        yield _of_gone(gone[0], interpreter, facts)
        return
    asked = tuple(_asked_for(interpreter, facts))
    for absent, framework in asked:
        yield _finding(absent.interpreter or interpreter, facts, framework, absent)
    if asked or (facts.frameworks is not None and any(True for _ in facts.frameworks.each())):
        return
    if interpreter.packages is None:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    names = [package.name for package in interpreter.packages]
    if frameworks_among(names):
        return
    # What a program did, or its script imports, decides: it asked for none.
    is_program = any(not run.package for run in facts.runs) or bool(facts.scripts)
    if is_program or needs_no_framework(names):
        raise NotHere("frameworks", "not-installed")
    yield _finding(interpreter, facts, "", None)


def _asked_for(interpreter: InterpreterFacts, facts: Facts) -> Iterator[tuple[Absent, str]]:
    """The frameworks of which an import failed because no distribution of theirs is installed, each once."""
    seen = set()
    for absent in absences(interpreter, facts.frameworks, facts.probes, facts.program_runs):
        framework = framework_of_package().get(next(iter(absent.distributions), ""), "")
        is_missing = absent.owner is None and absent.kind is not Kind.NAME and not absent.is_standard
        if framework and is_missing and framework not in seen and not is_asked_for(absent):
            seen.add(framework)
            yield absent, framework


def _finding(interpreter: InterpreterFacts, facts: Facts, framework: str, absent: Absent | None) -> Finding:
    others = _others(interpreter, facts, framework)
    known = framework or ", ".join(row.name for row in AiPackages.read().framework)
    package = absent.distributions[0] if absent else "torch"
    names = [found.name for found in interpreter.packages or ()]
    is_made_for_other = absent is None and interpreter.kind in _MADE and not brings_nothing(names)
    values: dict[str, Value] = {
        "framework_missing": framework or phrase("an-ai-framework"),
        "installed_state": phrase("framework-not-there", framework=framework, python_path=interpreter.path)
        if framework
        else phrase("no-framework", python_path=interpreter.path),
        **torch_values(facts.machine, interpreter),
        **({"other_python": others[0][0]} if others else {}),
    }
    if absent is not None:
        statement = absent.statement or f"import {module_of_distribution(package)}"
        values |= {"package_name": package, "requirement": package, "import_statement": statement}
        values |= {"written_module": absent.module} if absent.meant else {}
        values |= absent.trouble.failed_run
    return Finding(
        severity=_severity(absent, is_made_for_other),
        confidence=0.95 if absent else _MAYBE if is_made_for_other else 0.9,
        subject=framework,
        evidence=(
            Evidence("python_path", interpreter.path, ", ".join(interpreter.found_by)),
            Evidence("frameworks_known", known, AiPackages.read().title),
            *((Evidence("clue", absent.line, absent.trouble.origin),) if absent else ()),
            *(
                Evidence("other_interpreter", f"{path}: {', '.join(names)}", "metadata")
                for path, names in others[:SHOWN]
            ),
        ),
        values=values,
        remedies=(*((INSTALL_MEANT,) if absent and absent.meant else ()), *_remedies(facts, package)),
    )


def _severity(absent: Absent | None, is_made_for_other: bool) -> Severity:
    """An environment that somebody filled with other packages may well need none: then nothing is known to be wrong."""
    if is_made_for_other:
        return Severity.NOTE
    return Severity.BLOCKING if absent is None or absent.trouble.is_fatal else Severity.WARNING


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
            "framework_missing": package.name,
            "installed_state": phrase("framework-gone", package=label, python_path=interpreter.path),
            **reinstalling(package, facts),
        },
        remedies=("reinstall-damaged-package",),
    )


def _remedies(facts: Facts, package: str) -> tuple[str, ...]:
    if framework_of_package().get(package) != "torch":
        return ("use-other-interpreter", "install-missing-package", "choose-another-interpreter")
    return _JETSON if is_jetson(facts.machine) else _ELSEWHERE


def _others(interpreter: InterpreterFacts, facts: Facts, framework: str) -> list[tuple[str, tuple[str, ...]]]:
    """(path, frameworks) of the other interpreters that have it, or any; those with the most frameworks first."""
    found = [
        (other.path, frameworks)
        for other in facts.interpreters or ()
        if other.path != interpreter.path
        and "naosu" not in other.found_by  # our own environment is no place for the user's program
        and not other.problem
        and (frameworks := frameworks_among(package.name for package in other.packages or ()))
        and (not framework or framework in frameworks)
    ]
    return sorted(found, key=lambda other: ("torch" not in other[1], -len(other[1]), other[0]))
