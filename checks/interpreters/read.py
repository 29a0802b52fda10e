"""One interpreter, read from its files. It is never started: it may hang, crash or be no Python at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from checks.facts import InterpreterFacts, Package
from checks.interpreters import binary
from checks.interpreters.disk import absolute, exists, is_file, is_folder, is_named, names_in, start_of
from checks.interpreters.finding.places import Places
from checks.interpreters.kind import is_conda, kind_of, package_manager_of, project_of
from checks.interpreters.layout import STORE_FOLDER, Layout, executable_in, layout_of
from checks.interpreters.packages import read_packages, with_conda_records
from checks.interpreters.search_path import SearchPath, search_path
from checks.interpreters.stand_ins import stand_in
from checks.interpreters.version import read_version

# Where a project keeps its own interpreter, the usual one first; ComfyUI and Fooocus spell "python_embeded" so.
_PTH_LIMIT = 64 * 1024  # bytes of a path file that are looked at
PROJECT_ENVIRONMENTS = (
    ".venv", "venv", "env", ".env", ".conda", ".pixi/envs/default", "python_embeded", "python_embedded",
    "system/python",
)  # fmt: skip


def read_interpreter(
    path: Path | str, found_by: tuple[str, ...] = (), places: Places | None = None
) -> InterpreterFacts:
    """Read an interpreter: an executable, an environment's folder, or a project's folder that holds one.

    Never raises for what lies on disk: what is broken becomes ``problem``, what could not be read ``unread``.
    ``problem`` is one of "missing", "not-python", "unreadable", "not-executable", "base-missing" (an environment
    whose Python was removed) and "installer-alias" (it would only offer to install Python).
    """
    places = places or Places.of_this_machine()
    typed = absolute(path)
    if is_folder(typed):
        executable = _executable_of_folder(typed)
        if executable is None:
            return InterpreterFacts(path=str(typed), found_by=found_by, problem="not-python", origin=str(typed))
        typed = executable
    elif not is_named(typed):
        return InterpreterFacts(path=str(typed), found_by=found_by, problem="missing", origin=str(typed))

    led = stand_in(typed, places)
    if led is not None and led.target is not None:
        typed = led.target
    elif led is not None:
        problem = "installer-alias" if led.installer else None
        unread = {} if led.installer else {"version": f"a {led.kind} stand-in whose interpreter is not known"}
        return InterpreterFacts(path=str(typed), found_by=found_by, kind=led.kind, problem=problem, unread=unread)
    return _facts(typed, found_by, places)


def project_python(folder: Path) -> Path | None:
    """The executable of the environment that a project keeps in its folder; None where it has none."""
    found = (executable_in(folder / name) for name in PROJECT_ENVIRONMENTS)
    return next((path for path in found if path is not None), None)


def _executable_of_folder(folder: Path) -> Path | None:
    found = executable_in(folder) or project_python(folder)
    if found is not None:
        return found
    return executable_in(folder.parent) if folder.name in ("bin", "Scripts") else None


def _facts(executable: Path, found_by: tuple[str, ...], places: Places) -> InterpreterFacts:
    layout = layout_of(executable)
    unread: dict[str, str] = {}
    head, problem = _head(layout, unread)
    library = layout.library
    if problem in ("not-python", "unreadable", "missing"):
        path, real = str(executable), str(layout.real)
        return InterpreterFacts(
            path=path, real_path=real, found_by=found_by, problem=problem, unread=unread, origin=path
        )

    version, source = read_version(layout)
    if version is None:
        unread["version"] = "nothing around it tells its version"
    elif version.count(".") < 2:
        unread["version"] = "the third number stands nowhere"
    folders = search_path(layout, places)
    packages = _packages(layout, folders, unread) if library is not None else None
    if packages is None:
        unread["packages"] = "its library folder was not found"
    kind = kind_of(layout, places)
    manager = package_manager_of(layout, kind)
    return InterpreterFacts(
        path=str(executable),
        real_path=str(layout.real),
        prefix=str(layout.prefix),
        base_prefix=str(layout.origin.prefix) if layout.config is None or layout.base is not None else None,
        kind=kind,
        found_by=found_by,
        version=version,
        implementation=_implementation(layout),
        architecture=binary.architecture(head),
        free_threaded=library.free_threaded if library is not None else None,
        externally_managed=_externally_managed(layout),
        user_site=folders.user_site,
        package_manager=manager,
        project=project_of(layout, manager),
        packages=packages,
        problem=problem,
        unreadable_pth=tuple(_unreadable_pth(folders)),
        unread=unread,
        origin=source or str(layout.prefix),
    )


def _unreadable_pth(path: SearchPath) -> Iterator[str]:
    """Path files that are no UTF-8: Python's site module reads all of them before anything else."""
    for folder in path.sites:
        for name in names_in(folder):
            if name.endswith(".pth") and not name.startswith("."):
                data = start_of(folder / name, _PTH_LIMIT) or b""
                try:
                    data.decode()
                except UnicodeDecodeError as error:
                    if error.start < _PTH_LIMIT - 4:  # else a character was cut
                        yield str(folder / name)


def _packages(layout: Layout, path: SearchPath, unread: dict[str, str]) -> tuple[Package, ...]:
    read = read_packages(path.plain, path.sites)
    unread.update(read.unread)
    return tuple(with_conda_records(read.found, layout.prefix) if is_conda(layout.prefix) else read.found)


def _head(layout: Layout, unread: dict[str, str]) -> tuple[bytes, str | None]:
    if STORE_FOLDER.match(layout.real.parent.name):
        unread["architecture"] = "a Store application's program cannot be read"
        return b"", None
    if exists(layout.real) and not is_file(layout.real):  # a pipe or a device: reading it may wait for ever
        return b"", "not-python"
    base_missing = layout.config is not None and layout.base is None
    try:
        head = binary.read_head(layout.real)
    except FileNotFoundError:
        return b"", "base-missing" if base_missing else "missing"
    except OSError as error:
        unread["architecture"] = error.strerror or type(error).__name__
        return b"", "unreadable"
    if binary.is_script(head):
        unread["architecture"] = "a script that starts another program"
        return head, None
    if not binary.is_binary(head):
        return head, "not-python"
    if base_missing:
        return head, "base-missing"
    if layout.library is None and binary.embeds_python(layout.real) is False:
        return head, "not-python"
    if os.name == "posix" and not os.access(layout.real, os.X_OK):
        return head, "not-executable"
    return head, None


def _implementation(layout: Layout) -> str | None:
    name = layout.origin.real.name.lower()
    for other in ("pypy", "graalpy"):
        if name.startswith(other):
            return other
    if layout.library is None:
        return None
    return "pypy" if layout.library.folder.name.startswith("pypy") else "cpython"


def _externally_managed(layout: Layout) -> bool | None:
    """Whether PEP 668 forbids pip here; inside a virtual environment it never does."""
    if layout.config is not None:
        return False
    if layout.library is None or not is_folder(layout.library.folder):
        return None
    return exists(layout.library.folder / "EXTERNALLY-MANAGED")
