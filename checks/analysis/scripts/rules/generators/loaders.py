"""Loaders whose workers draw from generators that nothing seeds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.changes import with_argument
from checks.analysis.scripts.registry import Change, Mark, run_rule
from checks.analysis.scripts.rules.generators.seeds import is_seeded, seeds_of
from checks.analysis.scripts.seed_changes import SEED
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.runs import Run, Step, is_test

_LOADER = "torch.utils.data.DataLoader"


@run_rule("loader-workers-unseeded")
def loader_workers_unseeded(run: Run) -> Iterator[Mark]:
    """A loader with workers, shuffled or with random transforms, while nothing seeds the generator of their seeds.

    PyTorch seeds Python's, NumPy's and its own generator in each worker from a number of its own generator
    (torch/utils/data/_utils/worker.py), so that seeding this one is enough.
    """
    if is_test(run.entry):
        return
    loaders = [step for step in run.steps if step.meaning == _LOADER]
    if not loaders or is_seeded("torch", seeds_of(run)):
        return
    for step in loaders:
        if step.is_open or step.argument("generator") is not None or step.argument("worker_init_fn") is not None:
            continue
        workers = step.argument("num_workers", 5)
        if workers is None or value_of(workers, step.module, step.scope) in (0, None) or not _draws(step):
            continue
        yield Mark(step.module, step.call, _LOADER, changes=_change(step))


def _draws(step: Step) -> bool:
    """Whether the order is drawn."""
    given = step.argument("shuffle", 2)
    if given is not None:
        return value_of(given, step.module, step.scope) is not False
    sampler = step.argument("sampler", 3)
    return sampler is not None and "Random" in step.meaning_of(sampler)


def _change(step: Step) -> tuple[Change, ...]:
    name = step.call.func
    if step.module.names.name("torch", step.scope) != "torch" or not isinstance(name, ast.Name | ast.Attribute):
        return ()
    return with_argument(step.module, step.call, f"generator=torch.Generator().manual_seed({SEED})")
