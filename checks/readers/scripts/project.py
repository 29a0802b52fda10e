"""The modules of one folder: each read once, found by how others import it. Nothing outside of the folder is read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from checks.readers.scripts.names import Names
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


@dataclass(frozen=True)
class Entity:
    """What the folder defines: a function, a class, or a whole module (its root scope)."""

    module: Module
    what: Scope | ClassBody


class Project:
    """The modules below ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entities: dict[str, Entity] = {}
        self._modules: dict[Path, Module | None] = {}
        self._exists: dict[Path, bool] = {}

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
                if len(self._modules) >= _MOST_MODULES or not path.resolve().is_relative_to(self.folder.resolve()):
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
        parts = [part for part in dotted.split(".") if part]
        for base in self._bases(level, importer):
            for count in range(len(parts), -1 if level else 0, -1):
                path = self._file(base.joinpath(*parts[:count]))
                if path is not None and (found := self.module_at(path)) is not None:
                    return found, parts[count:]
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

    def _bases(self, level: int, importer: Module) -> list[Path]:
        folder = importer.path.parent
        if level:
            for _ in range(level - 1):
                folder = folder.parent
            return [folder] if folder.is_relative_to(self.folder) else []
        bases = [folder]
        while folder != self.folder and folder.is_relative_to(self.folder) and folder != folder.parent:
            folder = folder.parent
            bases.append(folder)
        return [*bases, self.folder / "src"]

    def _file(self, stem: Path) -> Path | None:
        candidates = [stem / "__init__.py"]
        if stem.name:
            candidates.insert(0, stem.with_name(stem.name + PYTHON[0]))
        return next((path for path in candidates if self._is_file(path)), None)

    def _is_file(self, path: Path) -> bool:
        found = self._exists.get(path)
        if found is None:
            found = self._exists[path] = path.is_file()
        return found
