"""ONNX exports that fix the batch size, or ask for an old set of operators."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.changes import replaced
from checks.analysis.scripts.registry import Mark, ModuleView, module_rule
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.runs import Step, is_test

_EXPORT = "torch.onnx.export"
_DYNAMIC = ("dynamic_axes", "dynamic_shapes")
_OLDEST = 11  # before it, Resize, Pad and Slice mean less than PyTorch's operations
_SAFE = 17


@module_rule("export-fixed-batch")
def export_fixed_batch(view: ModuleView) -> Iterator[Mark]:
    """An export that names no dynamic axis."""
    module = view.module
    if is_test(module):
        return
    for scope, call, meaning in view.calls():
        step = Step(module, scope, call, meaning)
        if meaning != _EXPORT or step.is_open:
            continue
        given = [argument for name in _DYNAMIC if (argument := step.argument(name)) is not None]
        if all(value_of(argument, module, scope) is None for argument in given):
            yield Mark(module, call, _EXPORT)


@module_rule("export-opset")
def export_opset(view: ModuleView) -> Iterator[Mark]:
    """A constant opset that is older than what PyTorch's operations need."""
    module = view.module
    if is_test(module):
        return
    for scope, call, meaning in view.calls():
        given = Step(module, scope, call, meaning).argument("opset_version") if meaning == _EXPORT else None
        opset = value_of(given, module, scope) if given is not None else None
        if given is not None and isinstance(opset, int) and not isinstance(opset, bool) and opset < _OLDEST:
            changes = replaced(given, str(_SAFE)) if isinstance(given, ast.Constant) else ()
            yield Mark(module, given, _EXPORT, {"opset": str(opset)}, changes=changes)
