"""Sums over several GPUs, whose order and parts depend on how many there are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.registry import Mark, ModuleView, module_rule
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.runs import Step, is_test

_WRAPPERS = frozenset(
    {
        "torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel", "deepspeed.initialize",
        "torch.distributed.fsdp.FullyShardedDataParallel", "torch.distributed.fsdp.fully_shard",
        "tensorflow.distribute.MirroredStrategy", "tensorflow.distribute.MultiWorkerMirroredStrategy",
        "tensorflow.distribute.experimental.MultiWorkerMirroredStrategy", "horovod.torch.DistributedOptimizer",
        "horovod.tensorflow.DistributedOptimizer", "horovod.keras.DistributedOptimizer", "jax.pmap",
        "apex.parallel.DistributedDataParallel", "fairscale.nn.FullyShardedDataParallel",
        "fairscale.nn.data_parallel.ShardedDataParallel", "fairscale.nn.ShardedDataParallel",
        "opacus.utils.fsdp_utils.FSDP2Wrapper", "opacus.distributed.DifferentiallyPrivateDistributedDataParallel",
        "ignite.distributed.auto_model", "keras.utils.multi_gpu_model",
    }
)  # fmt: skip
_STRATEGIES = ("ddp", "fsdp", "dp", "deepspeed", "horovod")


@module_rule("multi-gpu-reduction")
def multi_gpu_reduction(view: ModuleView) -> Iterator[Mark]:
    """Each place that spreads a model over GPUs, and arguments of Lightning's trainer that do."""
    module = view.module
    if is_test(module):
        return
    for scope, call, meaning in view.calls():
        step = Step(module, scope, call, meaning)
        is_partial = meaning == "functools.partial" and bool(call.args) and step.meaning_of(call.args[0]) in _WRAPPERS
        if meaning in _WRAPPERS or is_partial:
            yield Mark(module, call, meaning)
        elif meaning in ("lightning.Trainer", "lightning.Fabric"):
            given = _spread(step)
            if given is not None:
                yield Mark(module, given, meaning)


def _spread(step: Step) -> ast.expr | None:
    """The argument of a trainer that asks for several devices."""
    for name in ("strategy", "accelerator"):
        given = step.argument(name)
        value = value_of(given, step.module, step.scope) if given is not None else None
        if isinstance(value, str) and value.startswith(_STRATEGIES):
            return given
    for name in ("devices", "gpus", "num_nodes"):
        given = step.argument(name)
        value = value_of(given, step.module, step.scope) if given is not None else None
        if isinstance(value, int) and (value > 1 or (value == -1 and name == "gpus")):
            return given
    return None
