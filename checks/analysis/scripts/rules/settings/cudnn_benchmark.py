"""cuDNN is told to try its algorithms and to take the fastest, which may be another one in the next run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.changes import replaced
from checks.analysis.scripts.registry import Mark, ModuleView, module_rule
from checks.analysis.scripts.values import value_of

_SETTING = "torch.backends.cudnn.benchmark"


@module_rule("cudnn-benchmark")
def cudnn_benchmark(view: ModuleView) -> Iterator[Mark]:
    """An assignment of True, and Lightning's argument of the same meaning."""
    module = view.module
    for scope in module.walk.scopes.values():
        for target, value in scope.stores:
            if module.names.meaning(target, scope) == _SETTING and value_of(value, module, scope) is True:
                yield Mark(module, target, _SETTING, changes=replaced(value, "False"))
    for scope, call, meaning in view.calls():
        if meaning != "lightning.Trainer":
            continue
        for keyword in call.keywords:
            if keyword.arg == "benchmark" and value_of(keyword.value, module, scope) is True:
                changes = replaced(keyword.value, "False") if isinstance(keyword.value, ast.Constant) else ()
                yield Mark(module, keyword.value, "lightning.Trainer", changes=changes)
