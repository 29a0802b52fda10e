"""TensorFlow that is seeded while its operations may still add in any order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.registry import Mark, run_rule
from checks.analysis.scripts.signs import shown, trains
from checks.readers.scripts.runs import Run, is_test

_SEEDS = frozenset(
    {
        "tensorflow.random.set_seed", "tensorflow.set_random_seed", "tensorflow.random.set_random_seed",
        "keras.utils.set_random_seed",
    }
)  # fmt: skip
_DETERMINISM = ("enable_op_determinism", "TF_DETERMINISTIC_OPS", "TF_CUDNN_DETERMINISTIC", "tfdeterminism")


@run_rule("tf-seed-without-determinism")
def tf_seed_without_determinism(run: Run) -> Iterator[Mark]:
    """The seed of a run that trains, where nothing switches on deterministic operations."""
    if is_test(run.entry) or not (trains(run) or _makes_model(run)):
        return
    if any(word in module.source.text for module in run.modules for word in _DETERMINISM):
        return
    if not any(_imports_tensorflow(module.source.text) for module in run.modules):
        return
    for step in run.steps:
        if step.meaning in _SEEDS and not any(isinstance(each, ast.If) for each in step.module.walk.around(step.call)):
            yield Mark(step.module, step.call, step.meaning, {"call": shown(step)})
            return


def _imports_tensorflow(text: str) -> bool:
    return "tensorflow" in text


def _makes_model(run: Run) -> bool:
    """Whether a run trains as TensorFlow 1 did, or makes a model and an optimiser, which another package trains."""
    return any(
        meaning.endswith((".minimize", ".apply_gradients")) or meaning.startswith("keras.optimizers.")
        for meaning in run.called
    )
