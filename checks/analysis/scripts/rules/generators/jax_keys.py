"""Keys of JAX that are used twice: both draws give the same numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.registry import Mark, ModuleView, module_rule
from checks.analysis.scripts.words import place_values
from checks.readers.scripts.project import Module
from checks.readers.scripts.runs import is_test
from checks.readers.scripts.scopes import Scope

_MAKERS = frozenset({"PRNGKey", "key", "split", "fold_in", "wrap_key_data", "key_data", "key_impl", "clone"})
_PREFIX = "jax.random."


@module_rule("jax-key-reused")
def jax_key_reused(view: ModuleView) -> Iterator[Mark]:
    """The second draw with a key that was not split in between, and a draw in a loop with a key from outside of it."""
    module = view.module
    if is_test(module):
        return
    used: dict[tuple[Scope, str], ast.Call] = {}
    for scope, call, meaning in sorted(view.calls(), key=lambda found: (found[1].lineno, found[1].col_offset)):
        if not meaning.startswith(_PREFIX) or meaning.removeprefix(_PREFIX) in _MAKERS:
            continue
        key = call.args[0] if call.args else next((each.value for each in call.keywords if each.arg == "key"), None)
        if not isinstance(key, ast.Name):
            continue
        where = _owner(scope, key.id)
        before = used.get((where, key.id))
        if before is not None and not _is_bound_between(where, key.id, before, call):
            if not _are_alternatives(module, before, call):
                yield Mark(module, call, meaning, {"key": key.id, **place_values(module, before, module)})
        elif _is_repeated(module, where, key.id, call):
            yield Mark(module, call, meaning, {"key": key.id, **place_values(module, call, module)})
        used[where, key.id] = call


def _owner(scope: Scope, name: str) -> Scope:
    """The scope whose name a lambda uses."""
    while isinstance(scope.node, ast.Lambda) and scope.parent is not None and name not in scope.bound:
        scope = scope.parent
    return scope


def _bindings(scope: Scope, name: str) -> list[ast.Name]:
    """The places where a name is bound in a scope."""
    return [
        node
        for node in ast.walk(scope.node)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]


def _is_bound_between(scope: Scope, name: str, first: ast.Call, second: ast.Call) -> bool:
    return any(first.lineno <= node.lineno <= second.lineno for node in _bindings(scope, name))


def _are_alternatives(module: Module, first: ast.Call, second: ast.Call) -> bool:
    """Whether only one of two calls can run: in two branches, or behind a return."""
    around = {id(node): node for node in module.walk.around(first)}
    for node in module.walk.around(second):
        if isinstance(node, ast.If | ast.IfExp | ast.Try) and id(node) in around:
            return _branch(node, first) != _branch(node, second)
    return any(isinstance(node, ast.Return) for node in around.values()) or any(
        isinstance(node, ast.If) and any(isinstance(each, ast.Return) for each in ast.walk(node))
        for node in around.values()
    )


def _branch(node: ast.If | ast.IfExp | ast.Try, inner: ast.AST) -> int:
    if isinstance(node, ast.Try):
        return 0
    parts = node.body if isinstance(node, ast.If) else [node.body]
    return int(any(each is inner for part in parts for each in ast.walk(part)))


def _is_repeated(module: Module, scope: Scope, name: str, call: ast.Call) -> bool:
    """Whether a call stands in a loop that never binds the key anew."""
    for around in module.walk.around(call):
        if isinstance(around, ast.For | ast.While):
            inside = [node for node in _bindings(scope, name) if any(node is each for each in ast.walk(around))]
            return not inside
    return False
