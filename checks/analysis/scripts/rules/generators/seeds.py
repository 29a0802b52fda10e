"""Generators that a run draws from and that nothing seeds, or only after something was drawn."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from checks.analysis.scripts.changes import moved_before, with_first
from checks.analysis.scripts.draws import OWN_GENERATORS, SPLITTERS, Draw, draws_of, is_seeder_by_name
from checks.analysis.scripts.registry import Change, Mark, run_rule
from checks.analysis.scripts.seed_changes import SEED, seeding
from checks.analysis.scripts.values import value_of
from checks.analysis.scripts.words import place_values
from checks.knowledge.scripts.generators import generator_of, seeded_by
from checks.readers.scripts.runs import Run, Step, is_test

_ALL = "*"


@dataclass(frozen=True)
class _Seed:
    """A call that seeds, and at which step of the run."""

    step: Step
    at: int
    generators: frozenset[str]


def seeds_of(run: Run) -> list[_Seed]:
    """The calls of a run that seed a generator, or may do so by their name."""
    found = []
    for at, step in enumerate(run.steps):
        generators = seeded_by(step.meaning)
        if not generators and is_seeder_by_name(step):
            generators = frozenset({_ALL})
        if generators:
            found.append(_Seed(step, at, generators))
    return found


def is_seeded(generator: str, seeds: list[_Seed]) -> bool:
    """Whether one of these calls seeds a generator."""
    return any(seed.generators & {generator, _ALL} for seed in seeds)


@run_rule("seed-missing")
def seed_missing(run: Run) -> Iterator[Mark]:
    """One mark for each generator, where the run draws from it first."""
    if is_test(run.entry):
        return
    seeds = seeds_of(run)
    drawn: dict[str, list[Draw]] = {}
    for draw in draws_of(run):
        if draw.step.meaning not in SPLITTERS and not _is_of_seeded_workers(run, draw, seeds):
            drawn.setdefault(draw.generator, []).append(draw)
    for generator, draws in drawn.items():
        if is_seeded(generator, seeds):
            continue
        own = [draw for draw in draws if draw.step.module is run.entry and draw.step.is_certain]
        first = (own or [draw for draw in draws if draw.step.is_certain] or draws)[0]
        seed = generator_of(generator).seed
        is_own = first.step.meaning in OWN_GENERATORS
        changes = with_first(first.step.call, str(SEED)) if is_own else ()
        yield Mark(
            first.step.module,
            first.step.call,
            generator,
            values={"call": _shown(first.step.meaning), "seed": seed, "entry": run.entry.path.name},
            changes=changes or seeding(run, generator, [seed.step for seed in seeds], first.step),
            changed=first.step.module if changes else run.entry,
        )


def _is_of_seeded_workers(run: Run, draw: Draw, seeds: list[_Seed]) -> bool:
    """Whether only workers of loaders draw it: they seed Python's and NumPy's generator from a number of torch's."""
    function = draw.step.scope.node
    is_item = isinstance(function, ast.FunctionDef) and function.name == "__getitem__"
    if not is_item or draw.step.meaning in OWN_GENERATORS or not is_seeded("torch", seeds):
        return False
    loaders = [step for step in run.steps if step.meaning == "torch.utils.data.DataLoader"]
    return bool(loaders) and all(_may_have_workers(loader) for loader in loaders)


def _may_have_workers(loader: Step) -> bool:
    given = loader.argument("num_workers", 5)
    return given is not None and value_of(given, loader.module, loader.scope) not in (0, None)


@run_rule("seed-after-use")
def seed_after_use(run: Run) -> Iterator[Mark]:
    """A generator that is seeded for the first time behind a draw that the run surely makes before."""
    if is_test(run.entry):
        return
    seeds = seeds_of(run)
    at = {step: index for index, step in enumerate(run.steps)}
    draws = [draw for draw in draws_of(run) if draw.is_drawn_here and draw.step.is_certain]
    for generator in sorted({draw.generator for draw in draws}):
        mine = [seed for seed in seeds if seed.generators & {generator, _ALL}]
        if not mine or not seeded_by(mine[0].step.meaning):
            continue
        first = mine[0]
        early = [draw for draw in draws if draw.generator == generator and not _inside(draw.step, first.step)]
        if first.step.is_certain:
            early = [draw for draw in early if at[draw.step] < first.at]
        else:
            handler = _handler_at(run, first.step)
            early = [draw for draw in early if at[draw.step] < handler]
        if early:
            yield _late(run, generator, first, early[0])


def _handler_at(run: Run, seed: Step) -> int:
    """The step at which the function that seeds is handed to an event by its decorator; -1: it is not."""
    handler = seed.scope.node
    decorators = handler.decorator_list if isinstance(handler, ast.FunctionDef) else []
    calls = [each for each in decorators if isinstance(each, ast.Call)]
    return next((at for at, step in enumerate(run.steps) if step.is_certain and step.call in calls), -1)


def _late(run: Run, generator: str, seed: _Seed, draw: Draw) -> Mark:
    values = {
        "call": _shown(draw.step.meaning),
        "seed": _shown(seed.step.meaning),
        "entry": run.entry.path.name,
        **place_values(draw.step.module, draw.step.call, seed.step.module),
    }
    walk = seed.step.module.walk
    statement = walk.statement_of(seed.step.call)
    is_fixed = all(isinstance(each, ast.Constant) for each in seed.step.call.args) and isinstance(statement, ast.Expr)
    changes: tuple[Change, ...] = ()
    if is_fixed and draw.step.module is seed.step.module and draw.step.scope is seed.step.scope:
        changes = moved_before(seed.step.module, statement, walk.statement_of(draw.step.call))
    return Mark(seed.step.module, seed.step.call, generator, values=values, changes=changes)


def _inside(draw: Step, seed: Step) -> bool:
    """Whether the draw gives the seed its value, as the seed of a worker is drawn."""
    return any(node is draw.call for node in ast.walk(seed.call))


def _shown(meaning: str) -> str:
    return meaning.rpartition(":")[2] if meaning.startswith("@") else meaning
