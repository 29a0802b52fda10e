"""What several rules ask of a run: does it use CUDA, does it train, what does it switch on."""

from __future__ import annotations

import ast
from functools import lru_cache

from checks.analysis.scripts.draws import OPTIMISER
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.runs import Run, Step

_TRAINERS = (".Trainer", ".Seq2SeqTrainer", "SFTTrainer", "DPOTrainer")
_DETERMINISTIC_CALLS = frozenset(
    {
        "torch.use_deterministic_algorithms", "torch.set_deterministic", "torch.set_deterministic_debug_mode",
        "transformers.enable_full_determinism", "monai.utils.set_determinism",
    }
)  # fmt: skip


@lru_cache(maxsize=64)
def may_use_cuda(run: Run) -> bool:
    """Whether a run names CUDA or a GPU anywhere, or hands the choice to a trainer."""
    if any(word in module.source.text for module in run.modules for word in ("cuda", "gpu", "GPU")):
        return True
    return any(meaning.endswith(_TRAINERS) or meaning.startswith("accelerate.Accelerator") for meaning in run.called)


@lru_cache(maxsize=64)
def trains(run: Run) -> bool:
    """Whether a run computes gradients, or calls what does."""
    return any(
        OPTIMISER.match(meaning)
        or meaning.endswith((".backward", ".fit", ".train_on_batch", ".manual_backward"))
        or meaning in ("torch.autograd.grad", "tensorflow.GradientTape", "jax.grad", "jax.value_and_grad")
        or ("Trainer" in meaning and meaning.endswith(".train"))
        for meaning in run.called
    )


@lru_cache(maxsize=64)
def asks_for_determinism(run: Run) -> bool:
    """Whether a run asks PyTorch for deterministic algorithms, or may do so by an argument."""
    for step in run.steps:
        if step.meaning in _DETERMINISTIC_CALLS and not is_false(step, step.call.args[0] if step.call.args else None):
            return True
        for keyword in step.call.keywords:
            named = keyword.arg in ("deterministic", "full_determinism", "use_deterministic_algorithms")
            if named and not is_false(step, keyword.value):
                return True
        name = step.meaning.rpartition(".")[2].rpartition(":")[2].lower()
        if "determinis" in name and not step.meaning.startswith("@"):
            return True
    return False


def is_false(step: Step, node: ast.expr | None) -> bool:
    """Whether an argument is the constant False."""
    return node is not None and value_of(node, step.module, step.scope) is False


def is_true(step: Step, name: str, index: int | None = None) -> bool:
    """Whether an argument is the constant True."""
    given = step.argument(name, index)
    return given is not None and value_of(given, step.module, step.scope) is True


def shown(step: Step) -> str:
    """What is called, as the program writes it."""
    return ast.unparse(step.call.func)[:80]
