"""Operations that are known to vary on CUDA while deterministic algorithms are not asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.registry import Change, Mark, run_rule
from checks.analysis.scripts.seed_changes import behind_imports
from checks.analysis.scripts.signs import asks_for_determinism, may_use_cuda, shown, trains
from checks.analysis.scripts.values import value_of
from checks.knowledge.scripts.operations import VaryingOperation, varying
from checks.readers.scripts.runs import Run, Step, is_test


@run_rule("nondeterministic-op")
def nondeterministic_op(run: Run) -> Iterator[Mark]:
    """Each place of such an operation; those that vary in their gradient only where the run computes gradients."""
    if is_test(run.entry) or not may_use_cuda(run) or asks_for_determinism(run):
        return
    places = [(step, found) for step in run.steps if (found := _varying(step, run)) is not None]
    changes = _switched_on(run) if all(found.deterministic for _, found in places) else ()
    for step, found in places:
        values = {"call": shown(step), "op": found.op, "source": found.op}
        yield Mark(step.module, step.call, found.op, values=values, changes=changes, changed=run.entry)


def _varying(step: Step, run: Run) -> VaryingOperation | None:
    found = varying(step.meaning)
    if found is None or (found.backward and not trains(run)) or not _applies(step, found.when, found.values):
        return None
    return found


def _switched_on(run: Run) -> tuple[Change, ...]:
    """The lines that choose the deterministic form, which warn of what has none."""
    module = run.entry
    first = next((node for node in module.walk.root.imports if any(_is_torch(alias) for alias in node.names)), None)
    if first is None or module.names.name("torch", module.walk.root) != "torch":
        return ()
    imported = [] if module.names.name("os", module.walk.root) == "os" else ["import os"]
    if imported and "os" in module.walk.root.bound:
        return ()
    lines = [
        *imported,
        'os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")',
        "torch.use_deterministic_algorithms(True, warn_only=True)",
    ]
    return behind_imports(module, lines)


def _is_torch(alias: ast.alias) -> bool:
    return alias.name == "torch" and alias.asname is None


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
