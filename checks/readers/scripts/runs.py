"""What happens when a program starts: its calls in the order in which they run, through functions and imports.

A run begins at a file that does something when it is started: a notebook, one with ``if __name__ == "__main__"``, or
one whose own lines call or loop. A module that only defines is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from checks.readers.scripts.project import OWN, Entity, Module, Project
from checks.readers.scripts.scopes import ClassBody, Scope
from checks.readers.scripts.sources import NOTEBOOK

_LAUNCHERS = frozenset({"fire.Fire", "absl.app.run", "tensorflow.app.run", "typer.run", "accelerate.notebook_launcher"})
_LAUNCHING = (".spawn", ".Process", ".Thread", ".launch", ".with_parameters", ".map", ".starmap")
_MOST_STEPS = 20_000  # calls of one run
_DEEPEST = 60  # functions within one another
_TESTS = ("conftest.py", "setup.py", "noxfile.py", "__init__.py")


@dataclass(frozen=True, eq=False)
class Step:
    """One call. ``meaning``: of the called function. ``is_certain``: the run comes there by calls alone, in this order.

    Else it is only named on the way, as a function that is handed to another one.
    """

    module: Module
    scope: Scope
    call: ast.Call
    meaning: str
    is_certain: bool = True

    def argument(self, name: str, index: int | None = None) -> ast.expr | None:
        """The argument of this name or position; None: not given."""
        for keyword in self.call.keywords:
            if keyword.arg == name:
                return keyword.value
        if name in self._spread:
            return self._spread[name]
        if index is not None and index < len(self.call.args):
            before = self.call.args[: index + 1]
            return None if any(isinstance(each, ast.Starred) for each in before) else before[-1]
        return None

    @property
    def is_open(self) -> bool:
        """Whether further arguments come from a dict or a list that is not looked into."""
        unknown = (each for each in self.call.keywords if each.arg is None and self._held(each.value) is None)
        return any(unknown) or any(isinstance(each, ast.Starred) for each in self.call.args)

    @cached_property
    def _spread(self) -> dict[str, ast.expr]:
        """The arguments of the dicts that are spread into the call and that the text decides."""
        spread = (self._held(each.value) or {} for each in self.call.keywords if each.arg is None)
        return {name: value for found in spread for name, value in found.items()}

    def _held(self, given: ast.expr) -> dict[str, ast.expr] | None:
        """What a dict holds that is made in one place of this scope and never changed; None: the text does not tell."""
        bindings = self.scope.bound.get(given.id, ()) if isinstance(given, ast.Name) else ()
        made = getattr(bindings[0], "value", None) if len(bindings) == 1 else None
        if made is None or not isinstance(given, ast.Name) or _is_changed(given.id, self.scope):
            return None
        if isinstance(made, ast.Dict):
            names = [key.value if isinstance(key, ast.Constant) else None for key in made.keys]
            return dict(zip(map(str, names), made.values, strict=True)) if None not in names else None
        is_dict = isinstance(made, ast.Call) and self.meaning_of(made.func) == "builtins.dict" and not made.args
        if not is_dict or any(each.arg is None for each in made.keywords):
            return None
        return {str(each.arg): each.value for each in made.keywords}

    def meaning_of(self, node: ast.expr) -> str:
        """What an expression of this scope stands for."""
        return self.module.names.meaning(node, self.scope)


def _is_changed(name: str, scope: Scope) -> bool:
    """Whether an item of a dict is set in a scope, or a method of it is called."""
    stored = any(ast.unparse(target).startswith(f"{name}[") for target, _ in scope.stores)
    called = (call.func.value for call in scope.calls if isinstance(call.func, ast.Attribute))
    return stored or any(isinstance(receiver, ast.Name) and receiver.id == name for receiver in called)


@dataclass(frozen=True, eq=False)
class Store:
    """An assignment to an attribute or item. ``at``: how many steps of the run come before it."""

    module: Module
    scope: Scope
    target: ast.Attribute | ast.Subscript
    value: ast.expr
    at: int

    @property
    def meaning(self) -> str:
        """Of what is assigned to."""
        return self.module.names.meaning(self.target, self.scope)


@dataclass(eq=False)
class Run:
    """What the start of one file does."""

    project: Project
    entry: Module

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All calls that it may come to: first those that are certain, in their order."""
        return self._followed[0]

    @property
    def stores(self) -> tuple[Store, ...]:
        """What it assigns to attributes and items, in the same order."""
        return tuple(self._followed[1].stores)

    @property
    def scopes(self) -> tuple[tuple[Module, Scope], ...]:
        """The scopes that run."""
        return tuple(self._followed[1].seen.values())

    @cached_property
    def called(self) -> frozenset[str]:
        """The meanings of all that it calls."""
        return frozenset(step.meaning for step in self.steps)

    @cached_property
    def modules(self) -> tuple[Module, ...]:
        """The modules whose functions or own lines run, the entry first."""
        return tuple(dict.fromkeys((self.entry, *(module for module, _ in self.scopes))))

    @cached_property
    def _followed(self) -> tuple[tuple[Step, ...], _Follower]:
        follower = _Follower(self.project, self.entry)
        return tuple(follower.steps()), follower


def is_test(module: Module) -> bool:
    """Whether a file belongs to tests or to the build: what it draws is nobody's result."""
    path = PurePosixPath(module.key)
    name = path.name
    if name in _TESTS or name.startswith("test_") or name.endswith(("_test.py", "_tests.py")):
        return True
    return any(part in ("tests", "test", "testing") for part in path.parts[:-1])


def is_entry(module: Module) -> bool:
    """Whether starting this file does something."""
    if module.source.path.suffix == NOTEBOOK or main_guard(module) is not None:
        return True
    return any(_acts(statement) for statement in module.source.tree.body)


def main_guard(module: Module) -> ast.If | None:
    """The ``if __name__ == "__main__"`` of a module."""
    for node in module.source.tree.body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Compare):
            sides = (node.test.left, *node.test.comparators)
            if any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides):
                return node
    return None


def _acts(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call | ast.Await)
    if isinstance(statement, ast.For | ast.While | ast.With):
        return True
    return isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)


class _Follower:
    """One way through a program: each function is entered once, where it is called first."""

    def __init__(self, project: Project, entry: Module) -> None:
        self._project = project
        self._entry = entry
        self.seen: dict[Scope, tuple[Module, Scope]] = {}
        self.stores: list[Store] = []
        self._count = self._made = 0
        self._later: list[tuple[Module, Scope]] = []
        self._guards: dict[Module, ast.If | None] = {}

    def steps(self) -> Iterator[Step]:
        yield from self._scope(self._entry, self._entry.walk.root, 0, is_certain=True)
        while self._later and self._count < _MOST_STEPS:
            module, scope = self._later.pop(0)
            yield from self._scope(module, scope, 0, is_certain=False)

    def _scope(self, module: Module, scope: Scope, depth: int, *, is_certain: bool) -> Iterator[Step]:
        if scope in self.seen or depth > _DEEPEST:
            return
        self.seen[scope] = (module, scope)
        stored: dict[ast.AST, ast.expr] = dict(scope.stores)
        events: list[Any] = [*scope.calls, *scope.imports, *stored]
        if scope.imports or stored:
            events.sort(key=lambda node: (node.lineno, node.col_offset))
        for node in events:
            if self._is_guarded(module, node):
                continue
            if node in stored:
                self.stores.append(Store(module, scope, node, stored[node], self._made))
                continue
            self._count += 1
            if self._count > _MOST_STEPS:
                return
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from self._import(module, node, depth, is_certain=is_certain)
                continue
            meaning = module.names.called(node, scope)
            self._made += 1
            yield Step(module, scope, node, meaning, is_certain)
            entered = [meaning] if meaning.startswith(OWN) else _handed_over(module, scope, node, meaning)
            for each in entered:
                for inner_module, inner in self._entered(each):
                    yield from self._scope(inner_module, inner, depth + 1, is_certain=is_certain)
        self._named(module, scope)

    def _entered(self, meaning: str) -> Iterator[tuple[Module, Scope]]:
        """The functions that a call of this enters."""
        entity = self._project.entity(meaning.removesuffix("()"))
        if entity is None:
            return
        if isinstance(entity.what, Scope):
            if not isinstance(entity.what.node, ast.Module):
                yield entity.module, entity.what
            return
        names = ("__call__", "forward", "call") if meaning.endswith("()") else ("__init__", "__new__", "__post_init__")
        for name in names:
            yield from _methods(entity, name)

    def _named(self, module: Module, scope: Scope) -> None:
        """Note what a scope names of the folder, and what it defines inside of itself: it may run, too."""
        own = _own_names(module)
        for load in scope.loads:
            root: ast.expr = load
            while isinstance(root, ast.Attribute):
                root = root.value
            assert isinstance(root, ast.Name)  # noqa: S101 - as the walk gathers them
            if root.id not in own and not (scope.owner and root.id in ("self", "cls")):
                continue
            meaning = module.names.meaning(load, scope)
            entity = self._project.entity(meaning.removesuffix("()")) if meaning.startswith(OWN) else None
            if entity is not None:
                self._later.extend(_of(entity))
        if scope is not module.walk.root:
            self._later.extend((module, inner) for inner in scope.functions)
        else:
            self._later.extend((module, inner) for inner in scope.functions if isinstance(inner.node, ast.Lambda))

    def _import(
        self, module: Module, node: ast.Import | ast.ImportFrom, depth: int, *, is_certain: bool
    ) -> Iterator[Step]:
        names = [alias.name for alias in node.names]
        level = node.level if isinstance(node, ast.ImportFrom) else 0
        if isinstance(node, ast.ImportFrom):
            names = [
                ".".join(filter(None, (node.module, name))) if name != "*" else node.module or "" for name in names
            ]
        for name in names:
            imported = self._project.imported(name, level, module)
            if imported is not None and imported[0] is not self._entry:
                yield from self._scope(imported[0], imported[0].walk.root, depth + 1, is_certain=is_certain)

    def _is_guarded(self, module: Module, node: ast.AST) -> bool:
        """Whether it stands where only a start of that other file would come."""
        if module is self._entry:
            return False
        if module not in self._guards:
            self._guards[module] = main_guard(module)
        guard = self._guards[module]
        return guard is not None and guard.lineno <= getattr(node, "lineno", 0) <= (guard.end_lineno or 0)


def _handed_over(module: Module, scope: Scope, call: ast.Call, meaning: str) -> list[str]:
    """The functions of the folder that a launcher calls, which is given them: ``fire.Fire(main)``."""
    if not (meaning in _LAUNCHERS or meaning.endswith(_LAUNCHING)):
        return []
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    given += [value for each in given if isinstance(each, ast.Dict) for value in each.values]
    meanings = [module.names.meaning(each, scope) for each in given if isinstance(each, ast.Name | ast.Attribute)]
    return [found for found in meanings if found.startswith(OWN)]


def _methods(entity: Entity, name: str) -> Iterator[tuple[Module, Scope]]:
    """A method of a class, its own or that of its nearest base."""
    assert isinstance(entity.what, ClassBody)  # noqa: S101 - asked only of these
    found = entity.module.names.member(entity.what, name)
    if found is not None and isinstance(found.what, Scope):
        yield found.module, found.what


def _of(entity: Entity) -> Iterator[tuple[Module, Scope]]:
    if isinstance(entity.what, ClassBody):
        yield from ((entity.module, method) for method in entity.what.methods.values())
    elif not isinstance(entity.what.node, ast.Module):
        yield entity.module, entity.what


def _own_names(module: Module) -> frozenset[str]:
    """The names in a module that may stand for what the folder defines."""
    found = module.own_names
    if found is None:
        found = module.own_names = frozenset(
            name
            for scope in module.walk.scopes.values()
            for name, bindings in scope.bound.items()
            if any(module.names.is_own(binding) for binding in bindings)
        )
    return found
