"""What a program surely does when it is started, as far as its text alone tells: its straight way.

Left out is everything that hangs on something: what stands in ``if``, in a loop, behind ``and``, in a ``try`` that
catches, in a function that is handed on, decorated or a generator. The functions of the folder that it calls on its way
are followed, and the modules of the folder that it imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from checks.readers.scripts.project import OWN, Module, Project
from checks.readers.scripts.runs import main_guard
from checks.readers.scripts.scopes import Scope

_DEEPEST = 20  # functions within one another
_MOST = 5000  # expressions of one program
_ENDS = ("sys.exit", "builtins.exit", "builtins.quit", "os._exit", "os.abort", "os.execv", "os.execvp")
_HARMLESS_DECORATORS = ("torch.no_grad", "torch.inference_mode", "builtins.staticmethod")


@dataclass(frozen=True, eq=False)
class Seen:
    """An expression on the way, after those within it. ``module`` and ``scope``: where it stands."""

    module: Module
    scope: Scope
    node: ast.expr


@dataclass(frozen=True, eq=False)
class Passed:
    """What lies beside the way and may have happened: a statement whose parts hang on something."""

    module: Module
    scope: Scope
    node: ast.AST


@dataclass(frozen=True, eq=False)
class Needed:
    """A module that the way imports by this name, the first part of which is ``name``."""

    module: Module
    scope: Scope
    node: ast.Import | ast.ImportFrom
    name: str


Event = Seen | Passed | Needed


@dataclass(eq=False)
class StraightWay:
    """The way of one program. ``imports``: (module, name) -> the statement that binds it, of those that it passed."""

    project: Project
    entry: Module
    imports: dict[tuple[Module, str], str] = field(default_factory=dict)
    _entered: set[Scope] = field(default_factory=set)
    _is_over: bool = False
    _count: int = 0

    def events(self) -> Iterator[Event]:
        """Everything in its order."""
        root = self.entry.walk.root
        self._entered.add(root)
        yield from self._body(self.entry.source.tree.body, self.entry, root, 0)

    def _body(self, body: Sequence[ast.stmt], module: Module, scope: Scope, depth: int) -> Iterator[Event]:
        """The statements of a body, up to where it is left."""
        for statement in body:
            if self._is_over:
                return
            yield from self._statement(statement, module, scope, depth)
            if isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue):
                return

    def _statement(self, node: ast.stmt, module: Module, scope: Scope, depth: int) -> Iterator[Event]:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return
            case ast.Import() | ast.ImportFrom():
                yield from self._import(node, module, scope, depth)
            case ast.If() if module is self.entry and node is main_guard(module):
                yield from self._body(node.body, module, scope, depth)
            case ast.If(test=test) | ast.While(test=test):
                yield from self._expression(test, module, scope, depth)
                yield Passed(module, scope, node)
            case ast.For(iter=over):
                yield from self._expression(over, module, scope, depth)
                yield Passed(module, scope, node)
            case ast.Try(handlers=[], body=inner, finalbody=last):
                yield from self._body([*inner, *last], module, scope, depth)
            case ast.With(items=items, body=inner) if not any(self._catches(item, module, scope) for item in items):
                for item in items:
                    yield from self._expression(item.context_expr, module, scope, depth)
                yield from self._body(inner, module, scope, depth)
            case ast.Expr() | ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Return():
                if node.value is not None:
                    yield from self._expression(node.value, module, scope, depth)
                yield Passed(module, scope, node)
            case _:
                yield Passed(module, scope, node)

    def _catches(self, item: ast.withitem, module: Module, scope: Scope) -> bool:
        meaning = module.names.meaning(item.context_expr, scope)
        return meaning.startswith(("contextlib.suppress", "pytest."))

    def _import(self, node: ast.Import | ast.ImportFrom, module: Module, scope: Scope, depth: int) -> Iterator[Event]:
        level = node.level if isinstance(node, ast.ImportFrom) else 0
        for alias in node.names:
            if isinstance(node, ast.Import):
                dotted, text = alias.name, f"import {alias.name}"
            else:
                dotted = ".".join(filter(None, (node.module, alias.name if alias.name != "*" else "")))
                text = f"from {node.module} import {alias.name}"
            if not level:
                yield Needed(module, scope, node, dotted.partition(".")[0])
            own = self.project.imported(dotted, level, module)
            if own is not None:
                yield from self._own_module(own[0], depth)
            elif not level and alias.name != "*":
                name = alias.asname or (dotted.partition(".")[0] if isinstance(node, ast.Import) else alias.name)
                text += f" as {alias.asname}" if alias.asname else ""
                before = self.imports.get((module, name))
                joined = f"{before}; {text}" if before and isinstance(node, ast.Import) else text
                self.imports[(module, name)] = joined

    def _own_module(self, found: Module, depth: int) -> Iterator[Event]:
        root = found.walk.root
        if root not in self._entered and depth < _DEEPEST:
            self._entered.add(root)
            yield from self._body(found.source.tree.body, found, root, depth + 1)

    def _expression(self, node: ast.expr, module: Module, scope: Scope, depth: int) -> Iterator[Event]:
        """An expression and its parts that are surely worked out, the inner ones first."""
        self._count += 1
        if self._count > _MOST or isinstance(node, ast.Lambda):
            return
        for part in _sure_parts(node):
            yield from self._expression(part, module, scope, depth)
        yield Seen(module, scope, node)
        if isinstance(node, ast.Call):
            meaning = module.names.called(node, scope)
            self._is_over = self._is_over or meaning in _ENDS
            if meaning.startswith(OWN):
                yield from self._called(meaning, depth)

    def _called(self, meaning: str, depth: int) -> Iterator[Event]:
        entity = self.project.entity(meaning)
        scope = entity.what if entity is not None and isinstance(entity.what, Scope) else None
        if entity is None or scope is None or scope in self._entered or depth >= _DEEPEST:
            return
        self._entered.add(scope)
        node = scope.node
        if isinstance(node, ast.FunctionDef) and self._runs_at_once(node, entity.module):
            yield from self._body(node.body, entity.module, scope, depth + 1)
        elif not isinstance(node, ast.Module):
            yield Passed(entity.module, scope, node)

    def _runs_at_once(self, node: ast.FunctionDef, module: Module) -> bool:
        decorators = (module.names.meaning(each, module.walk.root) for each in node.decorator_list)
        is_plain = all(meaning.removesuffix("()") in _HARMLESS_DECORATORS for meaning in decorators)
        return is_plain and not any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node))


def _sure_parts(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.IfExp(test=test):
            yield test
        case ast.BoolOp(values=values):
            yield values[0]
        case ast.ListComp(generators=loops) | ast.SetComp(generators=loops) | ast.DictComp(generators=loops):
            yield loops[0].iter
        case ast.GeneratorExp(generators=loops):
            yield loops[0].iter
        case ast.Call(func=function, args=given, keywords=keywords):
            yield from (function, *given, *(keyword.value for keyword in keywords))
        case _:
            yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
