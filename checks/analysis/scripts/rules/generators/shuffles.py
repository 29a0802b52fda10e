"""Splits and shuffles of data without a seed, where nothing seeds the generator behind them either."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from checks.analysis.scripts.changes import with_argument
from checks.analysis.scripts.registry import Change, Mark, run_rule
from checks.analysis.scripts.rules.generators.seeds import is_seeded, seeds_of
from checks.analysis.scripts.seed_changes import SEED
from checks.analysis.scripts.values import UNKNOWN, value_of
from checks.readers.scripts.runs import Run, Step, is_test


@dataclass(frozen=True)
class _Split:
    """How a function is told its seed. ``when``: an argument that switches the shuffling on, and its default."""

    seed: str
    generator: str  # that is drawn from without it
    index: int | None = None
    when: tuple[str, int | None, bool] | None = None
    text: str = ""  # the argument to add; "" is "seed=42"


_SPLITS = {
    "sklearn.model_selection.train_test_split": _Split("random_state", "numpy", when=("shuffle", None, True)),
    "sklearn.model_selection.KFold": _Split("random_state", "numpy", when=("shuffle", 1, False)),
    "sklearn.model_selection.StratifiedKFold": _Split("random_state", "numpy", when=("shuffle", 1, False)),
    "sklearn.model_selection.StratifiedGroupKFold": _Split("random_state", "numpy", when=("shuffle", 1, False)),
    "sklearn.model_selection.ShuffleSplit": _Split("random_state", "numpy"),
    "sklearn.model_selection.StratifiedShuffleSplit": _Split("random_state", "numpy"),
    "sklearn.model_selection.GroupShuffleSplit": _Split("random_state", "numpy"),
    "sklearn.model_selection.RepeatedKFold": _Split("random_state", "numpy"),
    "sklearn.model_selection.RepeatedStratifiedKFold": _Split("random_state", "numpy"),
    "surprise.model_selection.train_test_split": _Split("random_state", "numpy", when=("shuffle", None, True)),
    "surprise.model_selection.KFold": _Split("random_state", "numpy", when=("shuffle", 2, True)),
    "surprise.model_selection.ShuffleSplit": _Split("random_state", "numpy"),
    "sklearn.utils.shuffle": _Split("random_state", "numpy"),
    "torch.utils.data.random_split": _Split(
        "generator", "torch", 2, text="generator=torch.Generator().manual_seed({seed})"
    ),
    "datasets.load_dataset().shuffle": _Split("seed", "numpy", 0),
    "datasets.load_dataset()[].shuffle": _Split("seed", "numpy", 0),
    "datasets.load_dataset().train_test_split": _Split("seed", "numpy", when=("shuffle", None, True)),
    "datasets.load_dataset()[].train_test_split": _Split("seed", "numpy", when=("shuffle", None, True)),
    "keras.utils.image_dataset_from_directory": _Split("seed", "tensorflow", when=("shuffle", None, True)),
    "keras.preprocessing.image_dataset_from_directory": _Split("seed", "tensorflow", when=("shuffle", None, True)),
    "keras.utils.text_dataset_from_directory": _Split("seed", "tensorflow", when=("shuffle", None, True)),
}
_FRAMES = ("pandas.", "polars.")


@run_rule("shuffle-unseeded")
def shuffle_unseeded(run: Run) -> Iterator[Mark]:
    """One mark for each of these calls without a seed."""
    if is_test(run.entry):
        return
    seeds = seeds_of(run)
    for step in run.steps:
        split = _split_of(step)
        if split is None or step.is_open or not _shuffles(step, split) or is_seeded(split.generator, seeds):
            continue
        given = step.argument(split.seed, split.index)
        if given is None or value_of(given, step.module, step.scope) is None:
            yield Mark(
                step.module,
                step.call,
                step.meaning,
                values={"call": _shown(step), "argument": split.seed},
                changes=_change(step, split),
            )


def _split_of(step: Step) -> _Split | None:
    found = _SPLITS.get(step.meaning)
    if found is not None:
        return found
    meaning = step.meaning
    if meaning.startswith(("tensorflow.data.", "tensorflow_datasets.")) and meaning.endswith(".shuffle"):
        return _Split("seed", "tensorflow", 1)
    if meaning.startswith(_FRAMES) and meaning.endswith(("().sample", "()[].sample")):
        return _Split("random_state" if meaning.startswith("pandas.") else "seed", "numpy")
    return _Split("random_state", "numpy") if _is_of_a_rebound_frame(step) else None


def _is_of_a_rebound_frame(step: Step) -> bool:
    """Whether ``df = df.sample(frac=1)`` shuffles a frame of pandas; the argument is that of no other sample()."""
    if step.meaning != "?.sample" or step.argument("frac") is None:
        return False
    imported = (each.names for scope in step.module.walk.scopes.values() for each in scope.imports)
    return any(alias.name == "pandas" for names in imported for alias in names)


def _shuffles(step: Step, split: _Split) -> bool:
    if split.when is None:
        return True
    name, index, by_default = split.when
    given = step.argument(name, index)
    value = by_default if given is None else value_of(given, step.module, step.scope)
    return value is not UNKNOWN and bool(value)


def _change(step: Step, split: _Split) -> tuple[Change, ...]:
    text = split.text.format(seed=SEED) if split.text else f"{split.seed}={SEED}"
    if split.text:
        name = next((name for name in ("torch",) if step.module.names.name(name, step.scope) == "torch"), None)
        if name is None:
            return ()
    return with_argument(step.module, step.call, text)


def _shown(step: Step) -> str:
    return ast.unparse(step.call.func)
