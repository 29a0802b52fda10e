"""A framework loads a library, or a package, from another place than its own.

Detects:      CUDA libraries that come from outside the environment although a package inside brings its own copy; two
              copies of one library in one process; imports that fail with the words of such a mixture; packages of
              another Python that PYTHONPATH puts in front, by their compiled modules or the name of their folder;
              another release there of what is installed, where the failure names it.
Why it bites: the framework was built and tested with its own copy; another release lacks functions.
Blind spots:  copies inside a framework's own folder that no package names (wheels for Windows).
Knowledge:    resources/knowledge/gpu/cuda_wheels.toml, resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator
from pathlib import PurePath, PurePosixPath, PureWindowsPath

import msgspec

from checks.analysis.failures.at_import import finding_of_text, must_have_imported, recognised
from checks.analysis.packages.taking_part import Part, failed_run_through, failed_run_with, part_of
from checks.causes.registry import check
from checks.facts import (
    EnvironmentVariables,
    Facts,
    FrameworkFacts,
    Frameworks,
    InstalledPackage,
    InterpreterFacts,
    LibraryFile,
    Package,
    ProbeRuns,
    SearchedFolder,
    SearchPlace,
)
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.phrase import Phrase
from checks.facts.quotation import quotation
from checks.knowledge.gpu.cuda_wheels import CudaWheels, wheel_of_library
from checks.knowledge.packages.import_packages import modules_of_distribution
from checks.knowledge.phrases import phrase

CAUSE = "library-path-conflict"
SHARED_PREFIXES = ("/", "/usr", "/usr/local")  # of the system's Python: everything else lies below them too
INSTALLERS = ("pip", "setuptools", "wheel")  # in every environment: another copy of them explains nothing
REMEDIES = ("unset-library-path", "reinstall-framework", "make-fresh-environment")
REMEDIES_OF_LIBSTDCXX = ("use-newer-libstdcxx", "unset-library-path", "make-fresh-environment")
VARIABLES = ("LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "PATH")


@check(CAUSE)
def library_path_conflict(
    interpreter: InterpreterFacts,
    frameworks: Frameworks | None,
    environment: EnvironmentVariables | None,
    probes: ProbeRuns | None,
    facts: Facts | None = None,
) -> Iterator[Finding]:
    """One finding per framework and library that comes from the wrong place or twice, and per foreign folder."""
    if facts is not None:
        yield from _on_pythonpath(interpreter, facts)
    runs = facts.program_runs if facts else None
    seen = tuple(frameworks.each()) if frameworks else ()
    variable = _variable(environment, "")
    texts = [
        msgspec.structs.replace(
            finding_of_text(trouble, found, **variable, conflict=_library_phrase(trouble.label, quotation(found.line))),
            remedies=REMEDIES_OF_LIBSTDCXX if "provider" in found.groups else REMEDIES,
        )
        for trouble, found in recognised(CAUSE, frameworks, probes, runs)
    ]
    if not texts and not seen:
        must_have_imported(frameworks, probes)
    if not texts and all(framework.loaded_libraries is None for _, framework in seen):
        raise Unread("loaded_libraries", next((f.unread.get("loaded_libraries", "") for _, f in seen), ""))
    yield from texts
    for name, framework in seen:
        for library in _strangers(framework, interpreter):
            yield _finding(name, framework, library, environment, library.path)
        for first, second in _twins(framework):
            yield _finding(name, framework, first, environment, f"{first.path} + {second.path}")


def _strangers(framework: FrameworkFacts, interpreter: InterpreterFacts) -> Iterator[LibraryFile]:
    """The first loaded file of each CUDA library that lies outside, while a package inside brings that library."""
    roots = [root for root in (interpreter.prefix, interpreter.base_prefix, framework.location) if root]
    roots = [root for root in roots if root not in SHARED_PREFIXES]
    roots += sorted({package.location for package in interpreter.packages or () if package.location})
    seen = set()
    for library in framework.loaded_libraries or ():
        wheel = wheel_of_library(_path(library.path).name)
        if wheel is None or wheel.package in seen or any(_path(library.path).is_relative_to(root) for root in roots):
            continue
        if any(wheel.is_package(package.name) for package in interpreter.packages or ()):
            seen.add(wheel.package)
            yield library


def _twins(framework: FrameworkFacts) -> Iterator[tuple[LibraryFile, LibraryFile]]:
    """Two files of one CUDA library, of the same major version, in one process."""
    first: dict[str, LibraryFile] = {}
    for library in framework.loaded_libraries or ():
        name = _soname(_path(library.real_path or library.path).name)
        if wheel_of_library(name) is None:
            continue
        known = first.setdefault(name, library)
        if (known.real_path or known.path) != (library.real_path or library.path):
            yield known, library


def _soname(file_name: str) -> str:
    """The name with the major version alone: "libcudnn.so.9.1.0" -> "libcudnn.so.9"."""
    stem, mark, version = file_name.partition(".so.")
    return f"{stem}{mark}{version.partition('.')[0]}" if mark else file_name.lower()


def _finding(
    name: str, framework: FrameworkFacts, library: LibraryFile, environment: EnvironmentVariables | None, clue: str
) -> Finding:
    works = _works(framework)
    return Finding(
        severity=Severity.NOTE if works else Severity.WARNING,
        confidence=0.6 if works else 0.8,
        subject=f"{name} {_path(library.path).name}",
        evidence=(
            Evidence("package", f"{name} {framework.version or ''}".strip(), framework.origin),
            Evidence("clue", clue, framework.origin),
            Evidence("table", CudaWheels.read().title, CudaWheels.read().source),
        ),
        values={
            "package_name": name,
            "conflict": _library_phrase(f"{name} {framework.version or ''}".strip(), clue),
            **_variable(environment, library.path),
        },
        remedies=REMEDIES,
    )


def _library_phrase(package: str, clue: str) -> Phrase:
    return phrase("conflict-library", package=package, clue=clue)


def _on_pythonpath(interpreter: InterpreterFacts, facts: Facts) -> Iterator[Finding]:
    """One finding per folder of PYTHONPATH whose packages, of another Python or release, hide this one's."""
    own = ".".join((interpreter.version or "").split(".")[:2])
    for folder in facts.searched.folders if facts.searched else ():
        if folder.place != SearchPlace.PYTHONPATH:
            continue
        there = [package for package in interpreter.packages or () if package.location == folder.path]
        foreign = [
            package
            for package in (facts.installed.packages if facts.installed else ())
            if package.location == folder.path and package.foreign
        ]
        is_other = bool(folder.python and own and folder.python != own)
        hidden = {
            package.name: package.version for package in interpreter.packages or () if package.location != folder.path
        }
        in_front = [package for package in there if package.name in hidden and package.name not in INSTALLERS]
        if there and not (foreign or is_other):
            yield from _of_release(
                interpreter, facts, folder, [one for one in in_front if one.version != hidden[one.name]], hidden
            )
        if not there or not (foreign or is_other):
            continue
        if not foreign and not in_front:  # pure Python that nothing here brings, as ROS has it
            continue
        yield _of_pythonpath(interpreter, facts, folder, foreign, in_front)


def _of_release(
    interpreter: InterpreterFacts,
    facts: Facts,
    folder: SearchedFolder,
    others: list[Package],
    installed: dict[str, str],
) -> Iterator[Finding]:
    """At most one finding: of another release in front, where what failed names it and loaded it from there."""
    for package in others:
        modules = modules_of_distribution(package.name) or (package.name.replace("-", "_"),)
        places = ((path, module) for module in modules for path in _files(folder, module))
        through = next(filter(None, (failed_run_through(path, module, facts) for path, module in places)), {})
        if not through or part_of(modules, facts) is not Part.IN_FAILURE:
            continue
        named = f"{package.name} {package.version}"
        yield Finding(
            severity=Severity.BLOCKING,
            confidence=0.93,
            subject=folder.path,
            evidence=(
                Evidence("package", f"Python {interpreter.version or ''}".strip(), interpreter.path),
                Evidence("pythonpath_folder", folder.path, "PYTHONPATH"),
                Evidence("clue", named, folder.path),
            ),
            values={
                "conflict": phrase(
                    "conflict-pythonpath-release",
                    folder=folder.path,
                    package=named,
                    installed=f"{package.name} {installed[package.name]}",
                ),
                "pythonpath_variable": "PYTHONPATH",
                "package_name": package.name,
                **through,
            },
            remedies=("unset-pythonpath",),
        )
        return


def _files(folder: SearchedFolder, module: str) -> tuple[str, ...]:
    """Where a module of a folder lies: a file, or a folder of its own."""
    place = _path(folder.path)
    return (str(place / f"{module}.py"), str(place / module))


def _of_pythonpath(
    interpreter: InterpreterFacts,
    facts: Facts,
    folder: SearchedFolder,
    foreign: list[InstalledPackage],
    in_front: list[Package],
) -> Finding:
    modules = [module for package in foreign for module in package.modules]
    modules += [module for package in in_front for module in modules_of_distribution(package.name) or (package.name,)]
    part = part_of(modules, facts)
    named = [f"{package.name} {package.version}" for package in foreign]
    named += [f"{package.name} {package.version}" for package in in_front]
    python = f"Python {folder.python}" if folder.python else foreign[0].foreign[0].built_for
    if part is Part.ASIDE:
        severity, confidence = Severity.NOTE, 0.7
    elif part is Part.IN_FAILURE or foreign:
        severity, confidence = Severity.BLOCKING, 0.95 if part is Part.IN_FAILURE else 0.9
    else:
        severity, confidence = Severity.WARNING, 0.6
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=folder.path,
        evidence=(
            Evidence("package", f"Python {interpreter.version or ''}".strip(), interpreter.path),
            Evidence("pythonpath_folder", folder.path, "PYTHONPATH"),
            Evidence("clue", ", ".join(dict.fromkeys(named)), folder.path),
        ),
        values={
            "conflict": phrase(
                "conflict-pythonpath", folder=folder.path, python=python, modules=", ".join(dict.fromkeys(named))
            ),
            "pythonpath_variable": "PYTHONPATH",
            "package_name": named[0].partition(" ")[0],
            **failed_run_with(modules, facts),
        },
        remedies=("unset-pythonpath",),
    )


def _works(framework: FrameworkFacts) -> bool:
    """Whether the framework really computed on every device that it lists."""
    kernels = [device.kernel for device in getattr(framework, "devices", None) or ()]
    return bool(framework.imported and kernels) and all(kernel and kernel.ran and kernel.correct for kernel in kernels)


def _variable(environment: EnvironmentVariables | None, path: str) -> dict[str, str]:
    """The variable that leads there, for the remedy: the first that names the file's folder, or any that is set."""
    values = environment.values if environment else {}
    for name in VARIABLES:
        value = values.get(name, "")
        if value and (not path or str(_path(path).parent) in value):
            return {"variable": name}
    return {}


def _path(text: str) -> PurePath:
    """A path of the target's system, whatever ours is."""
    return PureWindowsPath(text) if "\\" in text else PurePosixPath(text)
