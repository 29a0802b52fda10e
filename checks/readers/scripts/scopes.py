"""What a program binds, calls and names, by scope: one walk over its syntax tree.

A scope is the module itself (also its class bodies, which run with it), or one function. What a name stands for is
worked out in :mod:`checks.readers.scripts.names`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Imported:
    """A name that an import binds: the dotted name that it stands for; ``level``: leading dots of a relative one."""

    dotted: str
    level: int = 0


@dataclass(frozen=True)
class Bound:
    """A name that is bound. ``how``: "=", "for" (an element of it), "with" (what it yields), "[i]", "parameter".

    ``value`` None: nothing is known of it here (a parameter, an exception).
    """

    value: ast.expr | None = None
    how: str = "="


@dataclass(eq=False)
class ClassBody:
    """A class: its methods, the attributes that its body and its methods set on it, and its bases."""

    node: ast.ClassDef
    scope: Scope
    methods: dict[str, Scope] = field(default_factory=dict)
    attributes: dict[str, list[tuple[Bound, Scope]]] = field(default_factory=dict)


@dataclass(eq=False)
class Scope:
    """A module or function. ``calls`` and ``stores`` stand in the order of the text, nested functions left out."""

    node: ast.Module | FunctionNode
    name: str = ""
    parent: Scope | None = None
    owner: ClassBody | None = None  # whose method it is
    bound: dict[str, list[Bound | Imported | Scope | ClassBody]] = field(default_factory=dict)
    calls: list[ast.Call] = field(default_factory=list)
    stores: list[tuple[ast.Attribute | ast.Subscript, ast.expr]] = field(default_factory=list)
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    loads: list[ast.Name | ast.Attribute] = field(default_factory=list)  # the longest dotted names that are read
    functions: list[Scope] = field(default_factory=list)  # that are defined in it
    stars: list[Imported] = field(default_factory=list)


class Walk:
    """One walk over a tree. ``root``: the scope of the module; ``parents``: of each node the one that holds it."""

    def __init__(self, tree: ast.Module) -> None:
        self.parents: dict[ast.AST, ast.AST] = {}
        self.scopes: dict[ast.AST, Scope] = {}
        self.classes: list[ClassBody] = []
        self.root = Scope(tree)
        self.scopes[tree] = self.root
        self._todo: list[tuple[ast.AST, Scope, ClassBody | None]] = []
        self._push(tree.body, tree, self.root, None)
        while self._todo:
            node, scope, owner = self._todo.pop()
            handler = _HANDLERS.get(type(node))
            if handler is not None:
                handler(self, node, scope, owner)
            else:
                self._children(node, scope, owner)

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope in which a node stands."""
        while (found := self.parents.get(node)) is not None:
            if found in self.scopes and node is not found and not _is_outside(node, found):
                return self.scopes[found]
            node = found
        return self.root

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The statement in which a node stands; itself where it is one."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def block_of(self, node: ast.AST, beside: ast.stmt) -> ast.stmt | None:
        """What holds a node among the statements that stand beside another one; None: it is none of them."""
        while (found := self.parents.get(node)) is not None:
            if found is self.parents.get(beside):
                return node if isinstance(node, ast.stmt) else None
            node = found
        return None

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What holds a node, from the inside out, up to its function or module."""
        while (found := self.parents.get(node)) is not None:
            yield found
            if found in self.scopes:
                return
            node = found

    def _push(self, nodes: Sequence[ast.AST], parent: ast.AST, scope: Scope, owner: ClassBody | None) -> None:
        for node in reversed(nodes):
            self.parents[node] = parent
            self._todo.append((node, scope, owner))

    def _children(self, node: ast.AST, scope: Scope, owner: ClassBody | None) -> None:
        self._push(list(ast.iter_child_nodes(node)), node, scope, owner)

    def _function(self, node: FunctionNode, scope: Scope, owner: ClassBody | None) -> None:
        name = getattr(node, "name", "<lambda>")
        prefix = f"{owner.node.name}." if owner else f"{scope.name}." if scope.name else ""
        inner = Scope(node, prefix + name, scope, owner)
        self.scopes[node] = inner
        scope.functions.append(inner)
        if owner is not None:
            owner.methods[name] = inner
        else:
            scope.bound.setdefault(name, []).append(inner)
        given = node.args
        outside: list[ast.AST] = [*given.defaults, *(default for default in given.kw_defaults if default is not None)]
        for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
            if argument is not None:
                self.parents[argument] = node
                inner.bound.setdefault(argument.arg, []).append(Bound(how="parameter"))
        if isinstance(node, ast.Lambda):
            self._push([node.body], node, inner, None)
        else:
            outside.extend(node.decorator_list)
            self._push(node.body, node, inner, None)
        self._push(outside, node, scope, None)

    def _class(self, node: ast.ClassDef, scope: Scope, _owner: ClassBody | None) -> None:
        found = ClassBody(node, scope)
        self.classes.append(found)
        scope.bound.setdefault(node.name, []).append(found)
        self._push(node.body, node, scope, found)
        self._push([*node.decorator_list, *node.bases, *(each.value for each in node.keywords)], node, scope, None)

    def _import(self, node: ast.Import, scope: Scope, _owner: ClassBody | None) -> None:
        scope.imports.append(node)
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            dotted = alias.name if alias.asname else name
            scope.bound.setdefault(name, []).append(Imported(dotted))

    def _import_from(self, node: ast.ImportFrom, scope: Scope, _owner: ClassBody | None) -> None:
        scope.imports.append(node)
        module = node.module or ""
        for alias in node.names:
            if alias.name == "*":
                scope.stars.append(Imported(module, node.level))
                continue
            dotted = f"{module}.{alias.name}" if module else alias.name
            scope.bound.setdefault(alias.asname or alias.name, []).append(Imported(dotted, node.level))

    def _call(self, node: ast.Call, scope: Scope, owner: ClassBody | None) -> None:
        scope.calls.append(node)
        self._children(node, scope, owner)

    def _assign(self, node: ast.Assign, scope: Scope, owner: ClassBody | None) -> None:
        for target in node.targets:
            self._bind(target, node.value, "=", scope, owner)
        self._children(node, scope, owner)

    def _annotated(self, node: ast.AnnAssign, scope: Scope, owner: ClassBody | None) -> None:
        if node.value is not None:
            self._bind(node.target, node.value, "=", scope, owner)
            self._push([node.target, node.value], node, scope, owner)

    def _named(self, node: ast.NamedExpr, scope: Scope, owner: ClassBody | None) -> None:
        self._bind(node.target, node.value, "=", scope, owner)
        self._children(node, scope, owner)

    def _augmented(self, node: ast.AugAssign, scope: Scope, owner: ClassBody | None) -> None:
        self._bind(node.target, None, "=", scope, owner)
        self._children(node, scope, owner)

    def _for(self, node: ast.For | ast.AsyncFor | ast.comprehension, scope: Scope, owner: ClassBody | None) -> None:
        self._bind(node.target, node.iter, "for", scope, owner)
        self._children(node, scope, owner)

    def _with(self, node: ast.withitem, scope: Scope, owner: ClassBody | None) -> None:
        if node.optional_vars is not None:
            self._bind(node.optional_vars, node.context_expr, "with", scope, owner)
        self._children(node, scope, owner)

    def _handler(self, node: ast.ExceptHandler, scope: Scope, owner: ClassBody | None) -> None:
        if node.name:
            scope.bound.setdefault(node.name, []).append(Bound())
        self._children(node, scope, owner)

    def _name(self, node: ast.Name, scope: Scope, _owner: ClassBody | None) -> None:
        if isinstance(node.ctx, ast.Load):
            scope.loads.append(node)

    def _attribute(self, node: ast.Attribute, scope: Scope, owner: ClassBody | None) -> None:
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            self.parents[inner.value] = inner
            inner = inner.value
        if isinstance(inner, ast.Name):
            scope.loads.append(node)
        else:
            self._todo.append((inner, scope, owner))

    def _bind(self, target: ast.expr, value: ast.expr | None, how: str, scope: Scope, owner: ClassBody | None) -> None:
        if isinstance(target, ast.Name):
            bound = Bound(value, how)
            scope.bound.setdefault(target.id, []).append(bound)
            if owner is not None:
                owner.attributes.setdefault(target.id, []).append((bound, scope))
        elif isinstance(target, ast.Attribute):
            if value is not None:
                scope.stores.append((target, value))
            method = _method_around(scope)
            if isinstance(target.value, ast.Name) and method is not None and target.value.id == _first_argument(method):
                assert method.owner is not None  # noqa: S101 - as it was looked for
                method.owner.attributes.setdefault(target.attr, []).append((Bound(value, how), scope))
        elif isinstance(target, ast.Subscript):
            if value is not None:
                scope.stores.append((target, value))
        elif isinstance(target, ast.Starred):
            self._bind(target.value, None, how, scope, owner)
        elif isinstance(target, ast.Tuple | ast.List):
            same = value.elts if isinstance(value, ast.Tuple | ast.List) and how == "=" else None
            for index, part in enumerate(target.elts):
                if same is not None and len(same) == len(target.elts):
                    self._bind(part, same[index], how, scope, owner)
                else:
                    self._bind(part, value, f"{'' if how == '=' else how}[{index}]", scope, owner)


_HANDLERS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.FunctionDef: Walk._function,
    ast.AsyncFunctionDef: Walk._function,
    ast.Lambda: Walk._function,
    ast.ClassDef: Walk._class,
    ast.Import: Walk._import,
    ast.ImportFrom: Walk._import_from,
    ast.Call: Walk._call,
    ast.Assign: Walk._assign,
    ast.AnnAssign: Walk._annotated,
    ast.NamedExpr: Walk._named,
    ast.AugAssign: Walk._augmented,
    ast.For: Walk._for,
    ast.AsyncFor: Walk._for,
    ast.comprehension: Walk._for,
    ast.withitem: Walk._with,
    ast.ExceptHandler: Walk._handler,
    ast.Name: Walk._name,
    ast.Attribute: Walk._attribute,
    ast.Constant: lambda *_: None,
}


def _method_around(scope: Scope) -> Scope | None:
    """The method in which a scope lies: itself, or the one around it."""
    found: Scope | None = scope
    while found is not None and found.owner is None:
        found = found.parent
    return found


def _first_argument(method: Scope) -> str:
    if not isinstance(method.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    given = [*method.node.args.posonlyargs, *method.node.args.args]
    return given[0].arg if given else ""


def _is_outside(node: ast.AST, function: ast.AST) -> bool:
    """Whether a child of a function's node belongs to the scope around it: a default, or a decorator."""
    if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return node not in function.body
    return isinstance(function, ast.Lambda) and node is not function.body
