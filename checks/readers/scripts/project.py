"""The modules of one folder: each read once, found by how others import it. Nothing outside of the folder is read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from checks.readers.scripts.names import Names, Question
from checks.readers.scripts.scopes import ClassBody, Scope, Walk
from checks.readers.scripts.sources import PYTHON, Source, Unreadable, read_source

OWN = "@"  # begins the name of what the folder itself defines: "@utils.py:set_seed"
_MOST_MODULES = 5000  # that are read because something imports them


@dataclass(eq=False)
class Module:
    """A program or module of the folder."""

    key: str  # its path below the folder
    source: Source
    walk: Walk
    names: Names = field(init=False)
    own_names: frozenset[str] | None = None  # that may stand for what the folder defines; None: not yet looked for

    @property
    def path(self) -> Path:
        """Of the file."""
        return self.source.path

    @cached_property
    def folder(self) -> str:
        """In which it lies."""
        return str(self.source.path.parent)


@dataclass(frozen=True)
class Entity:
    """What the folder defines: a function, a class, or a whole module (its root scope)."""

    module: Module
    what: Scope | ClassBody


class Project:
    """The modules below ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.question = Question()
        self.entities: dict[str, Entity] = {}
        self._modules: dict[Path, Module | None] = {}
        self._found: dict[tuple[str, int, str], tuple[Path, list[str]] | None] = {}
        self._listed: dict[str, frozenset[str]] = {}

    def read(self, path: Path) -> Module:
        """The module of a file.

        Raises:
            Unreadable, OSError: as in :func:`checks.readers.scripts.sources.read_source`.
        """
        found = self._modules.get(path)
        if found is None:
            found = self._modules[path] = self._made(path)
        return found

    def module_at(self, path: Path) -> Module | None:
        """The module of a file that something imports; None where it cannot be read."""
        if path not in self._modules:
            try:
                is_inside = path.resolve().is_relative_to(self.folder.resolve())
                if len(self._modules) >= _MOST_MODULES or not is_inside or not path.is_file():  # a pipe has no end
                    return None
                self._modules[path] = self._made(path)
            except (Unreadable, OSError):
                self._modules[path] = None
        return self._modules[path]

    def entity(self, name: str) -> Entity | None:
        """What a name stands for that begins with OWN."""
        return self.entities.get(name)

    def name_of(self, module: Module, what: Scope | ClassBody) -> str:
        """The name of what a module defines."""
        inner = what.node.name if isinstance(what, ClassBody) else what.name
        where = getattr(what.node, "lineno", 0) if inner.endswith("<lambda>") else ""
        name = f"{OWN}{module.key}:{inner}{where}"
        self.entities.setdefault(name, Entity(module, what))
        return name

    def imported(self, dotted: str, level: int, importer: Module) -> tuple[Module, list[str]] | None:
        """The module that an import of ``importer`` finds here, and the parts of the name that lie in it."""
        key = (importer.folder, level, dotted)
        if key not in self._found:
            self._found[key] = self._searched(importer.folder, level, dotted)
        found = self._found[key]
        module = self.module_at(found[0]) if found is not None else None
        return (module, found[1]) if module is not None and found is not None else None

    def _searched(self, folder: str, level: int, dotted: str) -> tuple[Path, list[str]] | None:
        parts = [part for part in dotted.split(".") if part]
        for base in self._bases(folder, level):
            if parts and not level and not {parts[0], parts[0] + PYTHON[0]} & self._names_in(base):
                continue
            for count in range(len(parts), -1 if level else 0, -1):
                path = self._file(base, parts[:count])
                if path is not None and (count == len(parts) or self.module_at(path) is not None):
                    return path, parts[count:]
        return None

    def _made(self, path: Path) -> Module:
        source = read_source(path)
        try:
            walk = Walk(source.tree)
        except RecursionError as error:
            raise Unreadable("too-deep") from error
        module = Module(os.path.relpath(path, self.folder).replace(os.sep, "/"), source, walk)
        module.names = Names(self, module)
        return module

    def _bases(self, folder: str, level: int) -> list[str]:
        """The folders in which an import is looked for."""
        top = str(self.folder)
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            return [folder] if _is_below(folder, top) else []
        bases = [folder]
        while folder != top and _is_below(folder, top) and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
            bases.append(folder)
        return [*bases, os.path.join(top, "src")]

    def _file(self, base: str, parts: list[str]) -> Path | None:
        folder = os.path.join(base, *parts)
        if parts and parts[-1] + PYTHON[0] in self._names_in(os.path.dirname(folder)):
            return Path(folder + PYTHON[0])
        return Path(folder, "__init__.py") if "__init__.py" in self._names_in(folder) else None

    def _names_in(self, folder: str) -> frozenset[str]:
        """What lies in a folder."""
        if folder not in self._listed:
            try:
                self._listed[folder] = frozenset(os.listdir(folder or "."))
            except OSError:
                self._listed[folder] = frozenset()
        return self._listed[folder]


def _is_below(folder: str, top: str) -> bool:
    return top in ("", ".") or folder == top or folder.startswith(top.rstrip(os.sep) + os.sep)
