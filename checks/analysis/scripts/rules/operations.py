"""Operations that are known to vary on CUDA while deterministic algorithms are not asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.registry import Mark, run_rule
from checks.analysis.scripts.signs import asks_for_determinism, may_use_cuda, shown, trains
from checks.analysis.scripts.values import value_of
from checks.knowledge.scripts.operations import varying
from checks.readers.scripts.runs import Run, Step, is_test


@run_rule("nondeterministic-op")
def nondeterministic_op(run: Run) -> Iterator[Mark]:
    """Each place of such an operation; those that vary in their gradient only where the run computes gradients."""
    if is_test(run.entry) or not may_use_cuda(run) or asks_for_determinism(run):
        return
    for step in run.steps:
        found = varying(step.meaning)
        if found is None:
            continue
        if (found.backward and not trains(run)) or not _applies(step, found.when, found.values):
            continue
        yield Mark(step.module, step.call, found.op, values={"call": shown(step), "op": found.op, "source": found.op})


def _applies(step: Step, name: str, values: tuple[str, ...]) -> bool:
    """Whether an argument has one of the values under which the operation varies; without ``name`` it always does."""
    if not name:
        return True
    argument, _, index = name.partition("@")
    given = step.argument(argument, int(index) if index else None)
    if given is None:
        return "" in values
    if "not-ones" in values:
        sizes = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
        return any(value_of(size, step.module, step.scope) != 1 for size in sizes)
    value = value_of(given, step.module, step.scope)
    return value in values or ("given" in values and not (isinstance(given, ast.Constant) and given.value is None))
