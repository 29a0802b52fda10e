"""How an interpreter is laid out on disk: its prefix, its base, its standard library. Follows CPython's own rules.

Sources: CPython's Modules/getpath.py (pyvenv.cfg beside the executable or one folder up, before any symlink is
followed; landmarks of the standard library) and Lib/site.py; the pyvenv.cfg of venv, virtualenv and uv.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from checks.interpreters.disk import exists, is_file, is_folder, is_link, is_named, names_in, text_of

EXECUTABLE = re.compile(r"(?:python|pypy|graalpy)(\d(?:\.\d+)?)?(t)?(?:m|d)?(?:\.exe)?", re.IGNORECASE)
_LIBRARY = re.compile(r"(python|pypy)(\d\.\d+)(t)?")
_DLL = re.compile(r"python(\d)(\d+)(t)?\.(?:dll|zip)", re.IGNORECASE)
STORE_FOLDER = re.compile(r"PythonSoftwareFoundation\.Python\.(3\.\d+)_")
_IN_PREFIX = (
    "bin/python", "bin/python3", "Scripts/python.exe", "python.exe", "bin/pypy3", "bin/pypy", "pypy3.exe",
    "bin/graalpy", "bin/python.exe",
)  # fmt: skip


@dataclass(frozen=True)
class Library:
    """A standard library: its folder, "3.11", and whether it belongs to a free-threaded build."""

    folder: Path
    minor: str
    free_threaded: bool
    windows: bool = False  # Lib, DLLs and python.exe side by side


@dataclass(frozen=True)
class Layout:
    """An interpreter on disk. ``base`` is the interpreter behind a virtual environment, None if that is gone."""

    executable: Path  # as it was named
    real: Path  # with all symlinks followed
    prefix: Path
    config: dict[str, str] | None = None  # pyvenv.cfg, keys in lower case; None where there is none
    library: Library | None = None  # of the base, for a virtual environment
    base: Layout | None = None

    @property
    def origin(self) -> Layout:
        """The interpreter that is not a virtual environment."""
        return self.base.origin if self.base is not None else self


def executable_in(prefix: Path) -> Path | None:
    """The interpreter of an environment or installation folder; a dangling link counts, it is an interpreter once."""
    for name in _IN_PREFIX:
        path = prefix / name
        if is_named(path) and not is_folder(path):
            return path
    for name in names_in(prefix / "bin"):  # a framework or a distribution's build has only versioned names
        if EXECUTABLE.fullmatch(name):
            return prefix / "bin" / name
    return None


def layout_of(executable: Path, depth: int = 0) -> Layout:
    """The layout around an executable, which may be broken: what is missing is None."""
    prefix, config = _virtual_environment(executable)
    real = Path(os.path.realpath(executable))
    if prefix is None or config is None:
        return _installation(executable, real)
    found = _base_executable(config, executable, real)
    base = None
    # An environment made from an environment names the first base, so one step is the rule.
    if found is not None and found != executable and depth < 4:
        base = layout_of(found, depth + 1)
    library = base.library if base is not None else _library(prefix, real.name, config)
    return Layout(executable, real, prefix, config, library, base)


def _virtual_environment(executable: Path) -> tuple[Path | None, dict[str, str] | None]:
    """(prefix, pyvenv.cfg) where the executable stands in a virtual environment."""
    for folder in (executable.parent, executable.parent.parent):
        config = read_config(folder / "pyvenv.cfg")
        if config is not None:
            return folder, config
    return None, None


def read_config(path: Path) -> dict[str, str] | None:
    """The settings of a pyvenv.cfg, keys in lower case; None if there is no such file or it cannot be read."""
    text = text_of(path)
    if text is None:
        return None
    lines = (line.partition("=") for line in text.splitlines())
    return {key.strip().lower(): value.strip() for key, equals, value in lines if equals}


def _base_executable(config: dict[str, str], executable: Path, real: Path) -> Path | None:
    """The interpreter that a virtual environment starts; None if it is gone."""
    home = Path(config["home"]) if config.get("home") else None
    places = [home / real.name] if home is not None else []
    if is_link(executable):
        if not exists(real):
            return None
        places.append(real)  # without its home CPython falls back on the folder that it was built for
    # virtualenv writes the first, venv since Python 3.11 the second
    places += [Path(config[key]) for key in ("base-executable", "executable") if config.get(key)]
    if home is not None:
        places += [home / name for name in ("python3", "python", "python.exe")]
    return next((place for place in places if is_file(place)), None)


def _installation(executable: Path, real: Path) -> Layout:
    """An interpreter that is not a virtual environment: its prefix is where its standard library is."""
    for start in (real, executable):
        for prefix in (start.parent, start.parent.parent):
            library = _library(prefix, real.name)
            if library is not None:
                return Layout(executable, real, prefix, library=library)
    folder = real.parent
    store = STORE_FOLDER.match(folder.name)
    if store is not None:  # its files lie in a folder that programs may not list
        return Layout(executable, real, folder, library=Library(folder / "Lib", store[1], False, windows=True))
    return Layout(executable, real, folder.parent if folder.name in ("bin", "Scripts") else folder)


def _library(prefix: Path, name: str, config: dict[str, str] | None = None) -> Library | None:
    """The library in a prefix that fits the executable's name; None if there is none, or several and none fits.

    For a virtual environment (``config``) whose base is gone, its folder of packages has the version.
    """
    found = list(_posix_libraries(prefix, "site-packages" if config is not None else "os.py"))
    if not found and config is None:
        return _windows_library(prefix, name)
    named = EXECUTABLE.fullmatch(name)
    if named is not None and named[1] and "." in named[1]:
        wanted = (named[1], bool(named[2]))
        return next((library for library in found if (library.minor, library.free_threaded) == wanted), None)
    if len(found) > 1 and config is not None:
        version = config.get("version_info") or config.get("version") or ""
        found = [library for library in found if version.startswith(library.minor + ".")]
    return found[0] if len(found) == 1 else None


def _posix_libraries(prefix: Path, landmark: str) -> Iterator[Library]:
    for lib in ("lib", "lib64"):
        folder = prefix / lib
        if lib == "lib64" and is_link(folder):  # venv links it to lib
            continue
        for name in names_in(folder):
            match = _LIBRARY.fullmatch(name)
            if match is not None and exists(folder / name / landmark):
                yield Library(folder / name, match[2], bool(match[3]))


def _windows_library(prefix: Path, name: str) -> Library | None:
    """python.exe, python311.dll or python311.zip, and Lib side by side; without the DLL a prefix does not run."""
    named = EXECUTABLE.fullmatch(name)
    free_threaded = named is not None and bool(named[2])
    matches = [match for match in map(_DLL.fullmatch, names_in(prefix)) if match is not None]
    # A free-threaded build lies beside the ordinary one, as python3.13t.exe and python313t.dll.
    fitting = [match for match in matches if bool(match[3]) == free_threaded] or matches
    minors = {f"{match[1]}.{match[2]}" for match in fitting}
    if len(minors) != 1:
        return None
    return Library(prefix / "Lib", minors.pop(), bool(fitting[0][3]), windows=True)
