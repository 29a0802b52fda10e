"""The variable that cuBLAS wants for deterministic products, set behind what has started cuBLAS already."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.changes import moved_before
from checks.analysis.scripts.registry import Change, Mark, run_rule
from checks.analysis.scripts.words import place_values
from checks.readers.scripts.project import Module
from checks.readers.scripts.runs import Run, Step, is_test
from checks.readers.scripts.scopes import Scope

_VARIABLE = "CUBLAS_WORKSPACE_CONFIG"
_SETTERS = ("os.putenv", "os.environ.setdefault", "os.environ.update")


@run_rule("cublas-workspace-late")
def cublas_workspace_late(run: Run) -> Iterator[Mark]:
    """An assignment behind a call that surely puts something on the GPU."""
    if is_test(run.entry):
        return
    on_gpu = next((at for at, step in enumerate(run.steps) if step.is_certain and _starts_cuda(step.call)), None)
    if on_gpu is None:
        return
    first = run.steps[on_gpu]
    for store in run.stores:
        if store.at > on_gpu and isinstance(store.target, ast.Subscript) and _names(store.target.slice):
            meaning = store.module.names.meaning(store.target.value, store.scope)
            if meaning == "os.environ":
                yield _mark(store.module, store.scope, store.target, first)
    for step in run.steps[on_gpu + 1 :]:
        if step.is_certain and step.meaning in _SETTERS and step.call.args and _names(step.call.args[0]):
            yield _mark(step.module, step.scope, step.call, first)


def _mark(module: Module, scope: Scope, node: ast.expr, first: Step) -> Mark:
    changes: tuple[Change, ...] = ()
    statement = module.walk.statement_of(node)
    is_plain = isinstance(module.walk.parents.get(statement), ast.Module | ast.FunctionDef)
    target = module.walk.block_of(first.call, statement) if first.scope is scope and is_plain else None
    if target is not None and _is_known_before(statement, target, module):
        changes = moved_before(module, statement, target)
    return Mark(module, node, _VARIABLE, values=place_values(first.module, first.call, module), changes=changes)


def _is_known_before(statement: ast.stmt, target: ast.stmt, module: Module) -> bool:
    """Whether the line would find ``os`` where it is moved to, and asks for nothing else."""
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    first = [node.lineno for node in module.walk.root.imports if any(alias.name == "os" for alias in node.names)]
    return names == {"os"} and bool(first) and min(first) < target.lineno


def _names(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == _VARIABLE


def _starts_cuda(call: ast.Call) -> bool:
    """Whether a call moves something to a GPU that it names."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda":
        return True
    names = {keyword.arg for keyword in call.keywords}
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "device")]
    is_move = isinstance(call.func, ast.Attribute) and call.func.attr == "to"
    return (is_move or "device" in names) and any(
        isinstance(each, ast.Constant) and str(each.value).startswith("cuda") for each in given
    )
