"""The variable that cuBLAS wants for deterministic products, set behind what has started cuBLAS already."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.registry import Mark, run_rule
from checks.readers.scripts.runs import Run, is_test

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
    line = str(first.module.source.place(first.call.lineno, 0).line)
    for store in run.stores:
        if store.at > on_gpu and isinstance(store.target, ast.Subscript) and _names(store.target.slice):
            meaning = store.module.names.meaning(store.target.value, store.scope)
            if meaning == "os.environ":
                yield Mark(store.module, store.target, _VARIABLE, values={"line": line})
    for step in run.steps[on_gpu + 1 :]:
        if step.is_certain and step.meaning in _SETTERS and step.call.args and _names(step.call.args[0]):
            yield Mark(step.module, step.call, _VARIABLE, values={"line": line})


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
