"""Expressions of a program as they can be worked out alone: each name replaced by what it stands for.

Only what has exactly one meaning is replaced: a name that is bound once, and an object that nothing has been done to.
Of calls only those stay that read and do nothing else.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from pathlib import Path

from checks.facts.versions import release
from checks.knowledge.scripts.reading_calls import ReadingCall, reading_call
from checks.readers.scripts.project import Module
from checks.readers.scripts.scopes import Bound, Imported, Scope
from checks.readers.scripts.straight import StraightWay

_DEEPEST = 30
_PARTS = ("parent", "name", "stem", "suffix", "parents", "shape")
_PLAIN = (ast.Constant, ast.JoinedStr)
_WRITES = frozenset("wax+")
_TELLS = ("builtins.print", "builtins.len", "builtins.repr", "builtins.type", "pprint.pprint")


class Open(Exception):  # noqa: N818 - no error: it hangs on what the text does not tell
    """An expression that cannot be worked out alone."""


class Closing:
    """One expression on a way, closed. ``calls``: each call in it with its meaning."""

    def __init__(self, way: StraightWay, installed: Mapping[str, str]) -> None:
        self._way = way
        self._installed = installed  # distribution -> version
        self.calls: dict[ast.Call, tuple[str, ReadingCall]] = {}
        self.variables: set[str] = set()  # of the environment that it asks for

    def close(  # noqa: C901 - one case for each kind of expression
        self, node: ast.expr, module: Module, scope: Scope, before: int, depth: int = 0
    ) -> ast.expr:
        """The expression as it stands alone; ``before``: the line up to which the program has come.

        Raises:
            Open: there is none.
        """
        if depth > _DEEPEST:
            raise Open

        def again(part: ast.expr) -> ast.expr:
            return self.close(part, module, scope, before, depth + 1)

        match node:
            case ast.Constant():
                return node
            case ast.Name(id="__file__"):
                return ast.Constant(str(module.path.absolute()))
            case ast.Name(id=name):
                return self._name(name, module, scope, before, depth)
            case ast.Attribute(value=value, attr=attr):
                base = again(value)
                if not _is_dotted(base) and attr not in _PARTS:
                    raise Open
                return ast.Attribute(base, attr, ast.Load())
            case ast.Subscript(value=value, slice=index):
                self._note_variable(module.names.meaning(value, scope), index)
                return ast.Subscript(again(value), again(index), ast.Load())
            case ast.Call():
                return self._call(node, module, scope, before, depth)
            case ast.BinOp(left=left, op=ast.Add() | ast.Div() as op, right=right):  # others may grow without end
                return ast.BinOp(again(left), op, again(right))
            case ast.UnaryOp(op=op, operand=value):
                return ast.UnaryOp(op, again(value))
            case ast.JoinedStr(values=values):
                return ast.JoinedStr([again(value) for value in values])
            case ast.FormattedValue(value=value, conversion=conversion, format_spec=None):
                return ast.FormattedValue(again(value), conversion)
            case ast.List(elts=values):
                return ast.List([again(value) for value in values], ast.Load())
            case ast.Tuple(elts=values):
                return ast.Tuple([again(value) for value in values], ast.Load())
            case ast.Dict(keys=keys, values=values) if all(key is not None for key in keys):
                return ast.Dict([again(key) for key in keys if key is not None], [again(value) for value in values])
        raise Open

    def _note_variable(self, meaning: str, index: ast.expr) -> None:
        if meaning == "os.environ" and isinstance(index, ast.Constant) and isinstance(index.value, str):
            self.variables.add(index.value)

    def _name(self, name: str, module: Module, scope: Scope, before: int, depth: int) -> ast.expr:
        where: Scope | None = scope
        while where is not None and name not in where.bound:
            where = where.parent
        if where is None:
            return ast.Name(name, ast.Load()) if module.names.name(name, scope) else _open()
        bindings = where.bound[name]
        if len(bindings) != 1:
            raise Open
        match bindings[0]:
            case Imported():
                if (module, name) not in self._way.imports:
                    raise Open
                return ast.Name(name, ast.Load())
            case Bound(value=None, how="parameter"):
                given = module.names.given(name, where)
                if len(given) != 1:
                    raise Open
                return self.close(given[0][0], module, given[0][1], before, depth + 1)
            case Bound(value=ast.expr() as value, how="=" | "with"):
                if value.lineno > before and where is scope:
                    raise Open
                found = self.close(value, module, where, before, depth + 1)
                if not isinstance(found, _PLAIN) and not self._is_path(found):
                    self._untouched(name, module, where, value.lineno, before)
                return found
        raise Open

    def _is_path(self, node: ast.expr) -> bool:
        """Whether its value never changes: a name of a file, however it is put together."""
        if isinstance(node, ast.Call):
            meaning, _ = self.calls[node]
            return meaning.startswith(("os.path.", "pathlib.", "builtins.str", "os.environ.get", "os.getenv"))
        return isinstance(node, ast.BinOp | ast.Constant | ast.JoinedStr | ast.Attribute | ast.Subscript)

    def _untouched(self, name: str, module: Module, where: Scope, bound: int, before: int) -> None:
        """That nothing was done to an object between two lines but to read of it.

        Raises:
            Open: something was.
        """
        for scope in module.walk.scopes.values():
            for load in scope.loads:
                root: ast.expr = load
                while isinstance(root, ast.Attribute):
                    root = root.value
                if not isinstance(root, ast.Name) or root.id != name or not bound <= load.lineno < before:
                    continue
                if scope is not where or not self._only_reads(load, module, scope):
                    raise Open

    def _only_reads(self, load: ast.expr, module: Module, scope: Scope) -> bool:
        """Whether a place where an object is named only reads it: a call that only reads, or that prints."""
        for around in module.walk.around(load):
            if isinstance(around, ast.Call):
                meaning = module.names.called(around, scope)
                return reading_call(meaning) is not None or meaning in _TELLS
            if isinstance(around, ast.stmt):
                return isinstance(load, ast.Name) and isinstance(around, ast.Expr)
        return False

    def _call(self, node: ast.Call, module: Module, scope: Scope, before: int, depth: int) -> ast.Call:
        def closed(part: ast.expr) -> ast.expr:
            return self.close(part, module, scope, before, depth + 1)

        function = node.func
        base = None
        meaning = module.names.called(node, scope)
        row = reading_call(meaning)
        if row is None and isinstance(function, ast.Attribute):
            base = closed(function.value)
            if isinstance(self._value_or_none(base), Path):
                meaning = f"pathlib.Path().{function.attr}"
                row = reading_call(meaning)
        if row is None or not self._only_reads_with(row, node) or (meaning.endswith("open") and _opens_to_write(node)):
            raise Open
        if meaning in ("os.environ.get", "os.getenv") and node.args:
            self._note_variable("os.environ", node.args[0])
        if any(keyword.arg is None for keyword in node.keywords):
            raise Open
        if isinstance(function, ast.Attribute):
            new: ast.expr = ast.Attribute(base or closed(function.value), function.attr, ast.Load())
        else:
            new = closed(function)
        keywords = [ast.keyword(keyword.arg, closed(keyword.value)) for keyword in node.keywords]
        found = ast.Call(new, [closed(each) for each in node.args], keywords)
        self.calls[found] = (meaning, row)
        return found

    def _only_reads_with(self, row: ReadingCall, node: ast.Call) -> bool:
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        for name, safe in row.only.items():
            value = given.get(name)
            if value is not None and not (isinstance(value, ast.Constant) and value.value is safe):
                return False
        if not row.since or any(given.get(name) is not None and safe is True for name, safe in row.only.items()):
            return True
        return _reaches(self._installed.get(row.package, ""), row.since)

    def path_in(self, node: ast.expr) -> str:
        """The name of the file that a closed expression gives; "" where it cannot be told here."""
        found = self._value_or_none(node)
        return str(found) if isinstance(found, str | Path) else ""

    def _value_or_none(self, node: ast.expr) -> object:
        try:
            return self._value(node)
        except (TypeError, ValueError, IndexError, AttributeError, OSError):
            return None

    def _value(self, node: ast.expr) -> object:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.BinOp(left=left, op=ast.Div() | ast.Add() as op, right=right):
                first, second = self._value(left), self._value(right)
                if isinstance(op, ast.Div) and isinstance(first, Path):
                    return first / str(second)
                return first + second if isinstance(first, str) and isinstance(second, str) else None
            case ast.JoinedStr(values=values):
                return "".join(str(self._value(value)) for value in values)
            case ast.FormattedValue(value=inner):
                return self._value(inner)
            case ast.Attribute(value=inner, attr="parent" | "name" | "stem" | "suffix" as part):
                base = self._value(inner)
                return getattr(base, part) if isinstance(base, Path) else None
            case ast.Subscript(value=ast.Attribute(value=inner, attr="parents"), slice=ast.Constant(value=int(index))):
                base = self._value(inner)
                return base.parents[index] if isinstance(base, Path) else None
            case ast.Call():
                return self._path_call(node)
        return None

    def _path_call(self, node: ast.Call) -> object:
        meaning, row = self.calls[node]
        given = [self._value(each) for each in node.args]
        if any(each is None for each in given):
            return None
        texts = [str(each) for each in given]
        if meaning in ("builtins.str", "os.fspath") and len(texts) == 1:
            return texts[0]
        if meaning.startswith("os.path.") and row.path is None:
            return getattr(os.path, meaning.rpartition(".")[2])(*texts)
        if meaning in ("pathlib.Path", "pathlib.PurePath"):
            return Path(*texts)
        if meaning in ("os.environ.get", "os.getenv") and given:
            return os.environ.get(*texts)
        if meaning.startswith("pathlib.Path().") and isinstance(node.func, ast.Attribute) and not row.is_tried:
            base = self._value(node.func.value)
            return getattr(base, node.func.attr)(*texts) if isinstance(base, Path) else None
        path = argument(node, row)
        return self._value(path) if path is not None and meaning.endswith("open") else None


def argument(node: ast.Call, row: ReadingCall) -> ast.expr | None:
    """The argument of a call that names a file or folder; None: it has none."""
    if row.path is None:
        return node.func.value if row.names[0].startswith("pathlib.") and isinstance(node.func, ast.Attribute) else None
    index, name = row.path
    found = next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
    return found if found is not None else node.args[index] if index < len(node.args) else None


def _open() -> ast.expr:
    raise Open


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _opens_to_write(node: ast.Call) -> bool:
    is_method = isinstance(node.func, ast.Attribute) and not _is_dotted(node.func)
    index = 0 if is_method else 1
    mode = next((keyword.value for keyword in node.keywords if keyword.arg == "mode"), None)
    mode = mode or (node.args[index] if index < len(node.args) else None)
    if mode is None:
        return False
    return not (isinstance(mode, ast.Constant) and isinstance(mode.value, str)) or bool(_WRITES & set(mode.value))


def _reaches(installed: str, least: str) -> bool:
    return bool(installed) and release(installed) >= release(least)
