"""A file of the user's own has the name of a module, and is imported instead of it.

Detects:      a file or package beside the program, in the project or in the current folder that is called like a
              module of Python's (random.py) or of an installed package (torch.py); the source of a package without its
              compiled part, in a folder from which programs are started.
Why it bites: Python looks into the folder of the program first: the import finds the wrong file, or itself.
Blind spots:  names that a program puts in front of sys.path itself; folders that nobody named.
Knowledge:    resources/knowledge/packages/standard_modules.toml
"""

import re
from collections.abc import Iterator
from pathlib import PurePath, PurePosixPath, PureWindowsPath

from checks.analysis.packages.taking_part import failed_run_through
from checks.causes.registry import check
from checks.facts import Facts, HidingFile, SearchedFacts, SearchPlace
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.packages.ai_packages import frameworks_among
from checks.knowledge.packages.standard_modules import is_imported_by_packages
from checks.knowledge.phrases import phrase

_REQUIRED = re.compile(r"[^\w.-]")  # what ends the name in a line of Requires-Dist


@check("shadowing-file")
def shadowing_file(searched: SearchedFacts, facts: Facts) -> Iterator[Finding]:
    """One finding per file."""
    for hiding in searched.hiding:
        judged = _judged(hiding, facts)
        if judged is not None:
            yield _finding(hiding, facts, *judged)


def _judged(hiding: HidingFile, facts: Facts) -> tuple[Severity, float] | None:
    if failed_run_through(hiding.path, hiding.module, facts):
        return Severity.BLOCKING, 0.96
    if any(not run.statement and (run.failed or run.worked) for run in facts.runs):
        return Severity.NOTE, 0.6
    name = hiding.package.partition(" ")[0]
    is_framework = bool(frameworks_among([name])) or _is_required(name, facts)
    is_beside_program = hiding.place != SearchPlace.CURRENT or hiding.is_beside_program or _is_project(hiding, facts)
    if not hiding.package and not is_imported_by_packages(hiding.module):
        return (Severity.NOTE, 0.5) if is_beside_program else None
    if is_framework or hiding.is_unbuilt or not hiding.package:
        return (Severity.BLOCKING, 0.88) if is_beside_program else (Severity.WARNING, 0.6)
    return (Severity.WARNING, 0.6) if is_beside_program else (Severity.NOTE, 0.5)


def _is_required(name: str, facts: Facts) -> bool:
    """Whether an installed AI package asks for this one in any case, so that it is imported."""
    packages = (facts.target_interpreter.packages or ()) if facts.target_interpreter else ()
    wishes = (wish for package in packages for wish in package.requires or () if "extra" not in wish)
    return bool(name) and any(_REQUIRED.split(wish, maxsplit=1)[0].lower().replace("_", "-") == name for wish in wishes)


def _is_project(hiding: HidingFile, facts: Facts) -> bool:
    """Whether the environment that is examined lies in the same folder."""
    target = facts.target_interpreter
    folder = PurePath(hiding.path).parent
    return target is not None and target.prefix is not None and PurePath(target.prefix).parent == folder


def _finding(hiding: HidingFile, facts: Facts, severity: Severity, confidence: float) -> Finding:
    owner = hiding.package or "Python"
    key = "hiding-unbuilt" if hiding.is_unbuilt else "hiding-file"
    path = PureWindowsPath(hiding.path) if "\\" in hiding.path else PurePosixPath(hiding.path)
    renamed = path.with_name(f"my_{path.name}")
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=hiding.module,
        evidence=(
            Evidence("hiding_file", hiding.path, hiding.place),
            Evidence("hidden_file", hiding.hidden, hiding.hidden),
        ),
        values={
            "hiding": phrase(key, file=hiding.path, module=hiding.module, owner=owner),
            "hiding_name": path.name,
            "hiding_path": hiding.path,
            "renamed_name": renamed.name,
            "renamed_path": str(renamed),
            "package_name": hiding.package.partition(" ")[0] or hiding.module,
            "import_names": hiding.module,
            **failed_run_through(hiding.path, hiding.module, facts),
        },
        remedies=("start-from-another-folder",) if hiding.is_unbuilt else ("rename-shadowing-file",),
    )
