"""Files of an installed package are missing, empty, cut off, or of another release.

Detects:      files of a package that are not as its installer wrote them down: missing, empty, filled with zeros, cut
              off; modules that import from each other what is not there; a known package's folder without any code; a
              project installed to be edited in place whose folder is gone; a file of a package that whoever runs the
              program may not read.
Why it bites: the import fails with words that point elsewhere: "No module named 'numpy.core._multiarray_umath'".
Blind spots:  packages without a list of files (Debian's); files that only a comparison of the content shows, where
              nothing failed in their package. A file of another size alone may be the user's own edit.
Knowledge:    resources/knowledge/packages/shared_modules.toml: what other causes explain
"""

import re
from collections.abc import Iterator
from pathlib import PurePath

from checks.analysis.failures.owners import module_of_file, owner_of_module, packages_of_frames
from checks.analysis.failures.seen_to_work import imported_packages
from checks.analysis.packages.reinstalled import reinstalling
from checks.analysis.packages.taking_part import Part, failed_run_with, part_of
from checks.causes.registry import check
from checks.facts import Facts, InstalledFiles, InstalledPackage, Leftover, ProgramRuns
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Severity, Unread
from checks.facts.installed import DAMAGED, FileState
from checks.facts.phrase import Phrase, Value
from checks.facts.quotation import quotation
from checks.knowledge.packages.ai_packages import framework_of_package
from checks.knowledge.packages.import_packages import distributions_of
from checks.knowledge.packages.shared_modules import lost_to_sibling
from checks.knowledge.phrases import phrase

SHOWN = 5  # files that a finding names
_REFUSED = re.compile(
    r"\[Errno 13\] [^:]{1,80}: '(?P<file>(?P<folder>[^']{0,1000}[/\\](?:site|dist)-packages[/\\])[^']{1,1000})'"
)
_CODE = (".py", ".so", ".pyd", ".dll", ".dylib")


@check("damaged-installation")
def damaged_installation(installed: InstalledFiles, facts: Facts) -> Iterator[Finding]:
    """One finding per damaged package."""
    is_read = bool(installed.examined)
    for package in installed.packages:
        if lost_to_sibling(package) or is_lone_framework_gone(package, facts):
            continue  # packages-overwrite-each-other, ort-package-conflict, framework-not-installed
        finding = _of_package(package, facts)
        if finding is not None:
            yield finding
    for leftover in installed.leftovers:
        if leftover.kind in ("shell", "unowned"):
            finding = _of_leftover(leftover, facts)
            if finding is not None:
                yield finding
    yield from _unreadable(facts)
    if not is_read:
        raise Unread("installed", installed.unread.get("installed", ""))


def _unreadable(facts: Facts) -> Iterator[Finding]:
    """One finding per package of which a file was refused while the program loaded it."""
    seen = set()
    for run in facts.runs:
        refused = _REFUSED.match(run.raised.message) if run.raised and run.raised.type == "PermissionError" else None
        module = module_of_file(refused["file"]) if refused else ""
        if not refused or not module or module in seen or not run.failed:
            continue
        seen.add(module)
        owner = owner_of_module(module, facts.target_interpreter)
        label = f"{owner.name} {owner.version}" if owner else module
        yield Finding(
            severity=Severity.WARNING if run.is_unasked else Severity.BLOCKING,
            confidence=0.95,
            subject=owner.name if owner else module,
            evidence=(
                Evidence("package", label, run.origin),
                Evidence("damaged_files", refused["file"], run.origin),
                Evidence("clue", quotation(run.raised.message if run.raised else ""), run.origin),
            ),
            values={
                "damage": phrase("damage-unreadable", file=refused["file"]),
                "place_path": refused["folder"] + module,
                "import_names": module,
                FAILED_RUN: run.label,
            },
            remedies=("let-package-be-read",),
        )


def is_lone_framework_gone(package: InstalledPackage, facts: Facts) -> bool:
    """Whether it is a framework of which nothing is left, and there is no other: framework-not-installed says that."""
    interpreter, installed = facts.target_interpreter, facts.installed
    if interpreter is None or installed is None or not is_gone_framework(package):
        return False
    names = {found.name for found in interpreter.packages or () if found.name in framework_of_package()}
    return all(is_gone_framework(installed.of(name)) for name in names)


def is_gone_framework(package: InstalledPackage | None) -> bool:
    """Whether it is a framework whose main module has no code left."""
    if package is None or package.name not in framework_of_package():
        return False
    return framework_of_package()[package.name] in package.gone


def _of_package(package: InstalledPackage, facts: Facts) -> Finding | None:
    part = part_of(package.modules, facts)
    passed: dict[str, Value] = {}
    if package.project:
        return _of_project(package, facts, *_judged(part, sure=False))
    if package.damaged:
        is_sure = package.gone or any(_is_core(file.path) for file in package.files if file.state in DAMAGED)
        is_code = any(
            file.path.endswith(_CODE) or ".so." in file.path for file in package.files if file.state in DAMAGED
        )
        if not is_code and part is not Part.IN_FAILURE:
            passed = _failed_run_beside(package, facts)
            is_open = part is Part.UNKNOWN and _is_emptied(package)  # nobody saw a program that does without it
            severity, confidence = (
                Severity.BLOCKING if passed else Severity.WARNING if is_open else Severity.NOTE,
                0.6,
            )
        else:
            severity, confidence = _judged(part, sure=bool(is_sure) and not _was_imported(package, facts))
    elif package.unmet:
        severity, confidence = _judged(part, sure=True)
    elif part is Part.IN_FAILURE and _looks_mixed(package):
        severity, confidence = Severity.BLOCKING, 0.7
    else:  # an edit of the user's, or stripped libraries
        return None
    shown = [f"{file.path} ({file.state})" for file in package.files[:SHOWN]]
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=package.name,
        evidence=(
            Evidence("package", f"{package.name} {package.version}", package.location),
            Evidence("damaged_files", ", ".join(shown), package.location),
            *((Evidence("unmet_names", ", ".join(package.unmet), package.location),) if package.unmet else ()),
        ),
        values={"damage": _damage(package), **reinstalling(package, facts), **passed},
        remedies=("reinstall-damaged-conda-package",)
        if package.installer == "conda"
        else ("reinstall-damaged-package", "make-fresh-environment"),
    )


def _of_project(package: InstalledPackage, facts: Facts, severity: Severity, confidence: float) -> Finding:
    """A project that was installed to be edited in place, whose folder is gone."""
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=package.name,
        evidence=(Evidence("package", f"{package.name} {package.version}", package.location),),
        values={"damage": phrase("damage-project", folder=package.project), **reinstalling(package, facts)},
        remedies=("install-moved-project",),
    )


def _is_emptied(package: InstalledPackage) -> bool:
    """Whether a file is there, but not its content; files that are missing may have been left out on purpose."""
    return any(file.state in (FileState.EMPTY, FileState.ZEROS, FileState.CUT) for file in package.files)


def _failed_run_beside(package: InstalledPackage, facts: Facts) -> dict[str, Value]:
    """The value that ties a package whose data are not all there to a run that had loaded it, and failed in packages.

    Whoever reads such a file is often another package: certifi's certificates are read by what connects.
    """
    for run in facts.runs:
        python = run.failing_python
        raised = python.raised if python is not None else None
        frames = raised.frames if raised is not None else ()
        if not _is_emptied(package) and (raised is None or raised.type != "FileNotFoundError"):
            continue
        if python is not None and run.failed and not run.is_unasked and next(iter(packages_of_frames(frames)), ""):
            loaded = {module.name.partition(".")[0] for module in python.modules}
            if loaded.intersection(package.modules):
                return {FAILED_RUN: run.label}
    return {}


def _was_imported(package: InstalledPackage, facts: Facts) -> bool:
    """Whether its import was seen to work, so that only a part of it is out of use."""
    return package.name in imported_packages(facts.frameworks, ProgramRuns(runs=facts.runs))


def _judged(part: Part, *, sure: bool) -> tuple[Severity, float]:
    if part is Part.IN_FAILURE:
        return Severity.BLOCKING, 0.95
    if part is Part.ASIDE:
        return Severity.NOTE, 0.9
    return (Severity.BLOCKING, 0.9) if sure else (Severity.WARNING, 0.7)


def _is_core(path: str) -> bool:
    """Whether an import of the package cannot do without it: compiled modules, and what lies near its surface."""
    name = PurePath(path).name
    inner = path.rpartition("site-packages/")[2]
    if name.endswith(".py"):
        return inner.count("/") <= 1
    is_beside = inner.partition("/")[0].endswith((".libs", ".dylibs"))  # what a compiled module is linked to
    return is_beside or (name.endswith((".so", ".pyd")) and not name.startswith("lib"))


def _looks_mixed(package: InstalledPackage) -> bool:
    """Whether several modules have another content: nobody edits many."""
    changed = [file for file in package.files if file.state in (FileState.SIZE, FileState.CONTENT)]
    return sum(file.path.endswith(".py") for file in changed) >= 2


def _damage(package: InstalledPackage) -> Phrase:
    first = package.files[0].path if package.files else ""
    if package.gone and package.damaged:
        return phrase("damage-gone", modules=", ".join(package.gone))
    if package.damaged:
        return phrase("damage-files", damaged=str(package.damaged), listed=str(package.listed), file=first)
    if package.unmet:
        return phrase("damage-mixed", file=first, name=package.unmet[0])
    return phrase("damage-changed", changed=str(package.changed), file=first)


def _of_leftover(leftover: Leftover, facts: Facts) -> Finding | None:
    """A known module that no installation owns: a program that was seen to work does not mind it."""
    part = part_of((leftover.module,), facts)
    if part is Part.ASIDE or (leftover.kind == "unowned" and part is not Part.IN_FAILURE):
        return None
    name = next(iter(distributions_of(leftover.module)), leftover.module)
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.9 if part is Part.IN_FAILURE and leftover.kind == "shell" else 0.7,
        subject=leftover.module,
        evidence=(
            Evidence("package", name, leftover.path),
            Evidence("damaged_files", leftover.path, leftover.path),
        ),
        values={
            "damage": phrase(f"damage-{leftover.kind}", file=leftover.path),
            "package_name": name,
            "import_names": leftover.module,
            **failed_run_with((leftover.module,), facts),
        },
        remedies=("remove-and-reinstall-package",),
    )
