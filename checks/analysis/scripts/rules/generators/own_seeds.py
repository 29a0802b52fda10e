"""Calls that take a seed of their own, which no seed of Python, NumPy or a framework stands in for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from checks.analysis.scripts.changes import with_argument
from checks.analysis.scripts.registry import Change, Mark, run_rule
from checks.analysis.scripts.rules.generators.seeds import is_seeded, seeds_of
from checks.analysis.scripts.seed_changes import SEED
from checks.analysis.scripts.signs import shown
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.runs import Run, Step, is_test


@dataclass(frozen=True)
class _Seeded:
    """Calls by their meaning. ``seed``: the argument, and its place; ``through``: a generator whose seed serves too."""

    package: str
    calls: re.Pattern[str]
    seed: str
    index: int | None = None
    through: str = ""


_CALLS = (
    _Seeded("optuna", re.compile(r"optuna\.samplers\.(?:TPE|Random|CmaEs|NSGAII|NSGAIII|QMC|GP)Sampler"), "seed"),
    _Seeded("keras_tuner", re.compile(r"keras_tuner\.(?:RandomSearch|Hyperband|BayesianOptimization)"), "seed"),
    _Seeded("hyperopt", re.compile(r"hyperopt\.fmin"), "rstate"),
    _Seeded(
        "stable_baselines3",
        re.compile(r"(?:stable_baselines3|sb3_contrib)\.(?:PPO|A2C|DQN|SAC|TD3|DDPG|TRPO|QRDQN|TQC|RecurrentPPO|MaskablePPO)"),
        "seed",
        through="torch",
    ),
)  # fmt: skip
_STUDY = "optuna.create_study"
_ENVIRONMENT = re.compile(r"gymnasium\.(?:make|make_vec|vector\.\w+|wrappers\.(?:\w+\.)?\w+)\(\)\.reset")
_SEEDS_ENVIRONMENT = ("gymnasium.make", "gymnasium.make_vec")


@run_rule("seed-argument-missing")
def seed_argument_missing(run: Run) -> Iterator[Mark]:
    """Samplers and tuners without a seed, and environments whose first reset has none."""
    if is_test(run.entry):
        return
    seeds = seeds_of(run)
    for step in run.steps:
        kind = next((each for each in _CALLS if each.calls.fullmatch(step.meaning)), None)
        if kind is None or step.is_open or (kind.through and is_seeded(kind.through, seeds)):
            continue
        if _is_without(step, kind.seed, kind.index):
            yield _mark(step, kind.package, kind.seed, _change(step, kind.seed))
    yield from _studies(run)
    yield from _environments(run)


def _studies(run: Run) -> Iterator[Mark]:
    """Studies that choose their sampler themselves: it has no seed."""
    for step in run.steps:
        if step.meaning == _STUDY and not step.is_open and _is_without(step, "sampler", 1):
            is_single = step.argument("directions") is None
            name = step.module.names.name("optuna", step.scope) == "optuna"
            text = f"sampler=optuna.samplers.TPESampler(seed={SEED})"
            changes = with_argument(step.module, step.call, text) if is_single and name else ()
            yield _mark(step, "optuna", "sampler", changes)


def _environments(run: Run) -> Iterator[Mark]:
    """The first reset of a run in which none is seeded."""
    resets = [step for step in run.steps if _is_reset(step)]
    if not resets or any(_seeds_environments(step) for step in run.steps):
        return
    first = resets[0]
    yield _mark(first, "gymnasium", "seed", _change(first, "seed"))


def _is_reset(step: Step) -> bool:
    """Whether an environment is reset, also one of which a name was wrapped anew: ``env = RecordVideo(env)``."""
    if _ENVIRONMENT.fullmatch(step.meaning):
        return True
    func = step.call.func
    if step.meaning != "?.reset" or not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return False
    values = (getattr(binding, "value", None) for binding in step.scope.bound.get(func.value.id, ()))
    made = [f"{step.meaning_of(value.func)}().reset" for value in values if isinstance(value, ast.Call)]
    return any(_ENVIRONMENT.fullmatch(meaning) for meaning in made)


def _seeds_environments(step: Step) -> bool:
    """Whether a call seeds an environment, or may do so."""
    name = step.meaning.rpartition(".")[2]
    is_own = step.meaning.startswith(("gymnasium.", "?.", "@")) or not step.meaning
    if name == "reset" and (step.is_open or step.call.args or step.argument("seed") is not None):
        return True
    if name == "seed" and is_own:
        return True
    return step.meaning in _SEEDS_ENVIRONMENT and step.argument("seed") is not None


def _is_without(step: Step, name: str, index: int | None) -> bool:
    given = step.argument(name, index)
    return given is None or value_of(given, step.module, step.scope) is None


def _change(step: Step, name: str) -> tuple[Change, ...]:
    return with_argument(step.module, step.call, f"{name}={SEED}") if name == "seed" else ()


def _mark(step: Step, package: str, argument: str, changes: tuple[Change, ...]) -> Mark:
    return Mark(step.module, step.call, package, {"call": shown(step), "argument": argument}, changes=changes)
