"""Products and convolutions in TF32, which keeps ten bits of each factor on GPUs since Ampere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.changes import replaced
from checks.analysis.scripts.registry import Mark, ModuleView, module_rule
from checks.analysis.scripts.values import value_of

_SWITCHES = ("torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32")
_PRECISIONS = (
    "torch.backends.cuda.matmul.fp32_precision", "torch.backends.cudnn.fp32_precision",
    "torch.backends.cudnn.conv.fp32_precision", "torch.backends.cudnn.rnn.fp32_precision",
    "torch.backends.fp32_precision",
)  # fmt: skip
_CALLS = {
    "torch.set_float32_matmul_precision": ("high", "medium"),
    "tensorflow.config.enable_tensor_float_32_execution": (True,),
    "tensorflow.config.experimental.enable_tensor_float_32_execution": (True,),
}
_SAFE = {"torch.set_float32_matmul_precision": '"highest"'}


@module_rule("tf32-setting")
def tf32_setting(view: ModuleView) -> Iterator[Mark]:
    """Each line that switches it on."""
    module = view.module
    for scope in module.walk.scopes.values():
        for target, value in scope.stores:
            name = module.names.meaning(target, scope)
            given = value_of(value, module, scope)
            if (name in _SWITCHES and given is True) or (name in _PRECISIONS and given == "tf32"):
                text = "False" if given is True else '"ieee"'
                changes = replaced(value, text) if isinstance(value, ast.Constant) else ()
                yield Mark(module, target, name, values={"setting": name}, changes=changes)
    for scope, call, meaning in view.calls():
        if meaning in _CALLS and call.args and value_of(call.args[0], module, scope) in _CALLS[meaning]:
            changes = ()
            if isinstance(call.args[0], ast.Constant):
                changes = replaced(call.args[0], _SAFE.get(meaning, "False"))
            yield Mark(module, call, meaning, values={"setting": meaning}, changes=changes)
