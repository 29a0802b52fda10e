"""The import statements of a Python file or a notebook, as they run when it starts."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

LARGEST = 4 * 1024 * 1024  # bytes of a file that is read
MOST = 200  # statements

_ASKED_FOR = frozenset({"__version__", "version", "version_info", "platform", "system", "hasattr", "find_spec"})
_CATCHING = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def imports_of(path: Path) -> tuple[str, ...]:
    """The imports of a program in their order, each once and alone; () where it cannot be read as Python.

    Those of a function count where the program calls it when it starts, also through another one. Left out is what the
    program can do without (in a ``try`` that catches the failure), what it imports for some releases or systems only,
    what only a type checker sees, and relative imports, which need the package around them.
    """
    source = _source(path)
    if source is None:
        return ()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    statements = dict.fromkeys(statement for body in _bodies(tree) for statement in _imports(body))
    return tuple(statements)[:MOST]


def is_import(statement: str) -> bool:
    """Whether a line of code is one import and nothing else."""
    try:
        body = ast.parse(statement.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return len(body) == 1 and isinstance(body[0], ast.Import | ast.ImportFrom) and any(_imports(body))


def _source(path: Path) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    text = data.decode("utf-8-sig", "replace")
    return _of_notebook(text) if path.suffix.lower() == ".ipynb" else text


def _of_notebook(text: str) -> str | None:
    """The code cells of a notebook one after the other, without the lines that only IPython understands."""
    try:
        cells = json.loads(text)["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        lines = [line for source in sources for line in "".join(source).splitlines()]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return "\n".join("pass" if line.lstrip().startswith(("%", "!", "?")) else line for line in lines)


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """What runs when a program starts: its own lines, then the functions of its own that these call, and so on."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    bodies = [tree.body]
    for body in bodies:
        yield body
        bodies.extend(functions.pop(name).body for name in [*_called(body)] if name in functions)


def _called(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that are called there, outside of the functions and classes that are only defined there."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        yield from _called(ast.iter_child_nodes(node))


def _imports(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.Import(names=names):
                yield from (f"import {name.name}" for name in names)
            case ast.ImportFrom(module=str(module), names=names, level=0) if module != "__future__":
                yield from (f"from {module} import {name.name}" for name in names)
            case ast.Try(handlers=handlers) if any(map(_catches_imports, handlers)):
                continue
            case ast.If(test=test) if _is_for_types(test):
                yield from _imports(node.orelse)
            case ast.If(test=test) if _chooses(test):
                continue
            case ast.Try() | ast.If() | ast.With() | ast.For() | ast.While():
                for part in ("body", "orelse", "finalbody"):
                    yield from _imports(getattr(node, part, []))


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in _CATCHING) for kind in kinds)


def _chooses(test: ast.expr) -> bool:
    """Whether a program asks for a release, a system or a name, and imports what fits."""
    names = {each.attr if isinstance(each, ast.Attribute) else each.id for each in ast.walk(test)
             if isinstance(each, ast.Attribute | ast.Name)}  # fmt: skip
    return not names.isdisjoint(_ASKED_FOR)


def _is_for_types(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
