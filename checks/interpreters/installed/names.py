"""Whether the modules of one package still fit together: names that one imports from another that lacks them.

It proves that files of two releases are mixed, where only sizes are known. Read by Python's own parser, never executed;
whatever makes a module's names uncertain (a star import, __getattr__, globals()) leaves it out.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from checks.interpreters.disk import start_of

_MOST_MODULES = 400  # of one package
_MOST_SOURCE = 2**20  # bytes of one module
_MOST_NAMED = 10
_UNCERTAIN = frozenset(("globals", "exec", "setattr", "vars", "locals"))


def unmet_names(folder: Path, changed: Iterable[str], listed: Iterable[str]) -> tuple[str, ...]:
    """Each name that a module imports from a sibling which does not define it: "package.module.name".

    Only imports in which a ``changed`` file takes part, on either side, are looked at. Paths are below ``folder``.
    """
    modules = {path for path in listed if path.endswith(".py")}
    altered = {path for path in changed if path in modules}
    tops = {path.partition("/")[0] for path in altered if "/" in path}
    readers = [path for path in sorted(modules) if path.partition("/")[0] in tops][:_MOST_MODULES]
    known: dict[str, frozenset[str] | None] = {}
    found: dict[str, None] = {}
    for path in sorted(readers, key=lambda path: path not in altered):
        tree = _tree(folder, path)
        for target, name in _imports(tree, path, modules) if tree is not None else ():
            if path not in altered and target not in altered:
                continue
            if target not in modules:
                if not _is_there(folder, target):
                    found.setdefault(target.replace("/", "."))
                continue
            if target not in known:
                known[target] = _defined(folder, target, modules)
            names = known[target]
            if names is not None and name not in names:
                found.setdefault(f"{_module(target)}.{name}")
                if len(found) >= _MOST_NAMED:
                    return tuple(found)
    return tuple(found)


def _tree(folder: Path, path: str) -> ast.Module | None:
    data = start_of(f"{folder}{os.sep}{path}", _MOST_SOURCE)
    try:
        return ast.parse(data) if data else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a newer Python's syntax, or no text
        return None


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imports(tree: ast.Module, path: str, modules: set[str]) -> Iterator[tuple[str, str]]:
    """(file, name) of each import from a module of this package that is surely carried out.

    Where no such file is listed: the module with "/" instead, "package/module".
    """
    package = path.split("/")[:-1]
    for node in tree.body:  # what stands under a condition or in a function may never run
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.level:
            if node.level - 1 >= len(package):
                continue
            base = package[: len(package) - (node.level - 1)]
        elif node.module and package and node.module.split(".")[0] == package[0]:
            base = []
        else:
            continue
        parts = [*base, *(node.module.split(".") if node.module else ())]
        target = "/".join(parts)
        file = next((name for name in (f"{target}.py", f"{target}/__init__.py") if name in modules), target)
        for alias in node.names:
            if alias.name != "*" or file == target:
                yield file, alias.name


def _is_there(folder: Path, module: str) -> bool:
    """Whether anything on the disk may be this module: a file of any kind, or a folder."""
    parent, _, name = module.rpartition("/")
    return any(entry.partition(".")[0] == name for entry in _entries(folder, parent))


def _defined(folder: Path, path: str, modules: set[str]) -> frozenset[str] | None:
    """The names that a module has once it was imported; None where they cannot be told."""
    tree = _tree(folder, path)
    if tree is None:
        return None
    names: set[str] = {"__name__", "__doc__", "__file__", "__path__", "__spec__", "__loader__", "__package__"}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                if name == "__getattr__":
                    return None
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Name(id=name) if name in _UNCERTAIN:
                return None
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                if any(alias.name == "*" for alias in aliases):
                    return None
                names.update((alias.asname or alias.name).partition(".")[0] for alias in aliases)
            case ast.Attribute(attr="modules" | "__dict__"):  # sys.modules[__name__] = ...
                return None
    if path.endswith("/__init__.py"):
        start = path.removesuffix("__init__.py")
        inner = (other.removeprefix(start).partition("/")[0] for other in modules if other.startswith(start))
        names.update(name.removesuffix(".py") for name in inner)
        names.update(name.partition(".")[0] for name in _entries(folder, start))
    return frozenset(names)


def _entries(folder: Path, path: str) -> list[str]:
    try:
        return os.listdir(f"{folder}{os.sep}{path}")  # noqa: PTH208 - as everywhere in this package: strings
    except OSError:
        return []
