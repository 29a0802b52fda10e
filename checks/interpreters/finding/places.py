"""The machine as the search for interpreters sees it. Tests build one in a folder; all paths come through here."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from checks.interpreters.disk import absolute, is_file, is_folder, is_named
from checks.interpreters.finding.windows_registry import RegistryKey, read_python_keys
from checks.knowledge.packages.interpreter_places import InterpreterPlaces

_MOST_MATCHES = 400  # of one pattern; a folder with more is no folder of environments


@dataclass(frozen=True)
class Places:
    r"""Where to look.

    ``near`` are folders that the user chose; ``root`` is the root of the file system (on Windows of the system
    drive); ``registry`` gives the ``Software\Python`` keys of Windows; ``own`` is the interpreter that runs Naosu.
    """

    home: Path
    system: str  # as platform.system() says it
    root: Path = Path("/")
    environ: Mapping[str, str] = field(default_factory=dict)
    path_entries: tuple[Path, ...] = ()
    near: tuple[Path, ...] = ()
    texts: tuple[str, ...] = ()  # error texts, whose paths name a Python
    settings: Path | None = None  # where Naosu's window keeps what the user chose
    has_projects: bool = False  # look for projects below the home, too
    registry: Callable[[], tuple[RegistryKey, ...]] = tuple
    own: Path | None = None

    @classmethod
    def of_this_machine(
        cls, folder: Path | str | None = None, *more: Path | str, texts: tuple[str, ...] = ()
    ) -> Places:
        """The real machine; near ``folder`` and ``more`` (or files in them) the user's environment is expected."""
        environ = dict(os.environ)
        named = [absolute(near) for near in (*more, folder) if near is not None]
        near = tuple(dict.fromkeys(path.parent if is_file(path) else path for path in named))
        entries = (Path(entry.strip('"')) for entry in environ.get("PATH", "").split(os.pathsep) if entry)
        # A frozen application is no interpreter that could be a target.
        own = None if getattr(sys, "frozen", False) or not sys.executable else Path(sys.executable)
        root = Path(environ.get("SystemDrive", "C:") + "\\") if sys.platform == "win32" else Path("/")
        try:
            home = Path.home()
        except RuntimeError:  # a number without a name and without HOME, as containers and services run
            home = root
        return cls(
            home=home,
            system=platform.system(),
            root=root,
            environ=environ,
            path_entries=tuple(entry for entry in entries if entry.is_absolute()),
            near=near,
            registry=read_python_keys,
            own=own,
            texts=texts,
            settings=_settings(home, environ),
            has_projects=True,
        )

    def variable(self, name: str) -> str:
        """An environment variable, or an empty string; on Windows their names have no case."""
        if self.system != "Windows":
            return self.environ.get(name, "")
        return next((value for key, value in self.environ.items() if key.upper() == name.upper()), "")

    def folders_of(self, name: str) -> tuple[Path, ...]:
        """The absolute folders that a variable names; several are split as PATH is."""
        found = (Path(entry) for entry in self.variable(name).split(";" if self.system == "Windows" else ":") if entry)
        return tuple(entry for entry in found if entry.is_absolute())

    def usual_places(self) -> Iterator[tuple[str, Path]]:
        """(found by, path) of every place in the knowledge table that exists here."""
        for row in InterpreterPlaces.read().place:
            if self.system in row.systems:
                for pattern in row.paths:
                    for path in self.expand(pattern):
                        yield row.found_by, path

    def jupyter_folders(self) -> Iterator[Path]:
        """The folders of Jupyter's data on this machine."""
        for row in InterpreterPlaces.read().jupyter:
            if self.system in row.systems:
                for pattern in row.paths:
                    yield from self.expand(pattern)

    def expand(self, pattern: str) -> list[Path]:
        """The existing paths that a pattern of the knowledge table stands for, sorted by name."""
        start, _, rest = pattern.partition("/")
        name = start.strip("{}")
        roots = {"HOME": (self.home,), "ROOT": (self.root,)}.get(name) or self.folders_of(name)
        found = [path for root in roots for path in _match(root, rest)]
        return found[:_MOST_MATCHES]


def _settings(home: Path, environ: Mapping[str, str]) -> Path:
    """Where Qt keeps the settings of a user in a file."""
    if sys.platform == "win32":
        return Path(environ.get("APPDATA", home)) / "naosu" / "naosu.ini"
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "naosu" / "naosu.ini"


def _match(root: Path, pattern: str) -> list[Path]:
    """Existing paths below a root. Cheaper than Path.glob where the fixed part does not exist, which is the rule."""
    fixed, star, _ = pattern.partition("*")
    if not star:
        path = root / pattern if pattern else root
        return [path] if is_named(path) else []
    base = root / fixed.rpartition("/")[0]
    if not is_folder(base):
        return []
    try:
        return sorted(base.glob(pattern[len(fixed.rpartition("/")[0]) :].lstrip("/")))
    except OSError:  # a folder that cannot be listed
        return []
