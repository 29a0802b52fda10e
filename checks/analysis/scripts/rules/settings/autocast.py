"""Computation in half precision where the framework thinks it fits."""

from __future__ import annotations

from collections.abc import Iterator

from checks.analysis.scripts.registry import Mark, ModuleView, module_rule
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.runs import Step, is_test

_CONTEXTS = frozenset(
    {
        "torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast",
        "torch.amp.autocast_mode.autocast", "torch.cuda.amp.autocast_mode.autocast", "apex.amp.initialize",
    }
)  # fmt: skip
_POLICIES = frozenset(
    {
        "keras.mixed_precision.set_global_policy", "keras.mixed_precision.experimental.set_policy",
        "keras.config.set_dtype_policy", "keras.mixed_precision.set_policy",
    }
)  # fmt: skip
_ARGUMENTS = {
    "lightning.Trainer": ("precision", (16, "16", "16-mixed", "bf16", "bf16-mixed", "16-true", "bf16-true")),
    "lightning.Fabric": ("precision", (16, "16", "16-mixed", "bf16", "bf16-mixed", "16-true", "bf16-true")),
    "accelerate.Accelerator": ("mixed_precision", ("fp16", "bf16", "fp8")),
}
_TRAINING_ARGUMENTS = ("transformers.TrainingArguments", "transformers.Seq2SeqTrainingArguments", "trl.SFTConfig")


@module_rule("autocast")
def autocast(view: ModuleView) -> Iterator[Mark]:
    """Each place that switches it on, or may do so by a variable."""
    module = view.module
    if is_test(module):
        return
    for scope, call, meaning in view.calls():
        step = Step(module, scope, call, meaning)
        if meaning in _CONTEXTS:
            enabled = step.argument("enabled")
            if enabled is None or value_of(enabled, module, scope) is not False:
                yield Mark(module, call, meaning)
        elif meaning in _POLICIES:
            policy = value_of(call.args[0] if call.args else None, module, scope)
            if isinstance(policy, str) and policy.startswith("mixed"):
                yield Mark(module, call, meaning)
        elif meaning in _ARGUMENTS:
            name, values = _ARGUMENTS[meaning]
            given = step.argument(name)
            if given is not None and value_of(given, module, scope) in values:
                yield Mark(module, given, meaning)
        elif meaning in _TRAINING_ARGUMENTS:
            for name in ("fp16", "bf16"):
                given = step.argument(name)
                if given is not None and value_of(given, module, scope) is True:
                    yield Mark(module, given, meaning)
