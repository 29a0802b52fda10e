"""Memory that is read before anything was written to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.changes import replaced
from checks.analysis.scripts.registry import Change, Mark, ModuleView, module_rule
from checks.analysis.scripts.signs import shown
from checks.readers.scripts.project import Module
from checks.readers.scripts.runs import Step, is_test
from checks.readers.scripts.scopes import Scope

_EMPTY = {
    "torch.empty": "zeros", "torch.empty_like": "zeros_like", "numpy.empty": "zeros", "numpy.empty_like": "zeros_like",
    "jax.numpy.empty": "zeros", "cupy.empty": "zeros",
}  # fmt: skip
_READS = ("sum", "mean", "item", "tolist", "max", "min", "std", "numpy", "matmul", "add", "mul", "softmax")
_READERS = frozenset(
    {"builtins.print", "builtins.sum", "torch.sum", "torch.mean", "numpy.sum", "numpy.mean", "torch.matmul"}
)


@module_rule("empty-read")
def empty_read(view: ModuleView) -> Iterator[Mark]:
    """Uninitialised memory in a sum or a print, at once or as the first thing that happens to its variable."""
    module = view.module
    if is_test(module):
        return
    for scope, call, meaning in view.calls():
        if meaning not in _EMPTY or _has_no_element(call):
            continue
        name = _variable(module, call)
        is_read = _reads(module, call, scope) if name is None else _is_read_first(module, name, call, scope)
        if is_read:
            yield Mark(
                module,
                call,
                meaning,
                {"call": shown(Step(module, scope, call, meaning))},
                changes=_change(call, meaning),
            )


def _has_no_element(call: ast.Call) -> bool:
    return any(isinstance(each, ast.Constant) and each.value == 0 for each in ast.walk(call))


def _change(call: ast.Call, meaning: str) -> tuple[Change, ...]:
    if not isinstance(call.func, ast.Attribute):
        return ()
    base = ast.unparse(call.func.value)
    return replaced(call.func, f"{base}.{_EMPTY[meaning]}")


def _variable(module: Module, call: ast.Call) -> str | None:
    """The variable that gets the memory, and nothing else is done with it before; None: there is none."""
    parent = module.walk.parents.get(call)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
        return parent.targets[0].id
    return None


def _reads(module: Module, node: ast.expr, scope: Scope) -> bool:
    """Whether what holds an expression reads its values."""
    parent = module.walk.parents.get(node)
    if isinstance(parent, ast.BinOp):
        is_repeat = isinstance(parent.op, ast.Mult) and isinstance(node, ast.List)
        return not is_repeat
    if isinstance(parent, ast.Attribute):
        above = module.walk.parents.get(parent)
        return parent.attr in _READS and isinstance(above, ast.Call) and above.func is parent
    if isinstance(parent, ast.Call) and node in parent.args:
        return module.names.called(parent, scope) in _READERS
    return isinstance(parent, ast.AugAssign) and parent.value is node


def _is_read_first(module: Module, name: str, call: ast.Call, scope: Scope) -> bool:
    """Whether the first mention of a variable behind its making reads it."""
    if len([each for each in scope.bound.get(name, ()) if getattr(each, "value", None) is call]) != 1:
        return False
    statement = module.walk.statement_of(call)
    mentions = [
        node
        for node in ast.walk(scope.node)
        if isinstance(node, ast.Name) and node.id == name and (node.lineno, node.col_offset) > _end(statement)
    ]
    if not mentions:
        return False
    first = min(mentions, key=lambda node: (node.lineno, node.col_offset))
    parent = module.walk.parents.get(first)
    if isinstance(parent, ast.AugAssign) and parent.target is first:
        return True
    if isinstance(parent, ast.Subscript) and parent.value is first:
        above = module.walk.parents.get(parent)
        return isinstance(above, ast.AugAssign) and above.target is parent
    return isinstance(first.ctx, ast.Load) and _reads(module, first, scope)


def _end(statement: ast.stmt) -> tuple[int, int]:
    return statement.end_lineno or statement.lineno, statement.end_col_offset or 0
