"""What changed from run to run, and what became of it in deterministic mode or with a seed: mended, or not known.

Equal results mend nothing where they are so few that a change would not have shown among them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from checks.analysis.models.repeats import MODE, SEEDED, draws_numbers, is_same_place, mends, name_of
from checks.analysis.numbers.repeats import DEFAULT, DETERMINISTIC, WORKSPACE, Repeated, repeated, runs
from checks.facts import Measurement, ModelMeasured


class Became(StrEnum):
    """What became of something that changes by default."""

    MENDED = "mended"  # the same bits, so often that a change would have shown
    SELDOM = "seldom"  # the same bits, but too seldom to tell
    STILL = "still"  # it changed all the same
    REFUSED = "refused"  # the mode has no form of it
    UNTRIED = "untried"


@dataclass(frozen=True)
class Changed:
    """One operation, or one model of the user."""

    name: str
    became: Became


def operations_changed(measurements: Sequence[Measurement], versions: Mapping[str, str | None]) -> tuple[Changed, ...]:
    """The operations and experiments that changed, each once, with the worst that came of it in deterministic mode."""
    found: dict[str, list[Became]] = {}
    for run in repeated((*measurements, *runs(measurements)), versions):
        if run.default is not None and run.default.varies:
            found.setdefault(run.operation, []).append(_of_operation(run))
    order = (Became.STILL, Became.REFUSED, Became.UNTRIED, Became.SELDOM, Became.MENDED)
    return tuple(Changed(name, min(became, key=order.index)) for name, became in found.items())


def models_changed(measurements: Iterable[Measurement]) -> tuple[Changed, ...]:
    """The user's models that changed, also those that draw random numbers on purpose: a seed may mend these."""
    own = [run for run in measurements if isinstance(run, ModelMeasured) and not run.reason]
    varying = [run for run in own if run.setting in ("", DEFAULT) and run.aspect != MODE and _varies(run)]
    return tuple({name_of(run): Changed(name_of(run), _of_model(run, own)) for run in varying}.values())


def is_model_unsteady(measurements: Iterable[Measurement]) -> bool:
    """Whether a model of the user changed though it draws no random numbers: no seed helps it."""
    own = [run for run in measurements if isinstance(run, ModelMeasured)]
    return any(_varies(run) and not draws_numbers(run, own) for run in own)


def is_any_random(measurements: Iterable[Measurement]) -> bool:
    """Whether a model of the user draws random numbers when it computes."""
    own = [run for run in measurements if isinstance(run, ModelMeasured)]
    return any(_varies(run) and draws_numbers(run, own) for run in own)


def is_mended_by_seed(measurements: Iterable[Measurement]) -> bool:
    """Whether a seed before each run was seen to make a model of the user repeat."""
    own = [run for run in measurements if isinstance(run, ModelMeasured)]
    return any(
        _varies(run) and any(tried.setting == SEEDED and mends(tried, run) for tried in _tried(run, own)) for run in own
    )


def _of_operation(repeated: Repeated) -> Became:
    setting = WORKSPACE if repeated.measured(WORKSPACE) is not None else DETERMINISTIC
    run = repeated.measured(setting)
    if run is None:
        return Became.REFUSED if repeated.raises else Became.UNTRIED
    if run.varies:
        return Became.STILL
    return Became.MENDED if setting in repeated.mended_by else Became.SELDOM


def _of_model(measured: ModelMeasured, own: Sequence[ModelMeasured]) -> Became:
    tried = list(_tried(measured, own))
    if any(mends(run, measured) for run in tried):
        return Became.MENDED
    if any(not _varies(run) for run in tried):
        return Became.SELDOM
    # A seed that changes nothing tells nothing of the mode.
    return Became.STILL if any(run.setting == DETERMINISTIC for run in tried) else Became.UNTRIED


def _tried(measured: ModelMeasured, own: Iterable[ModelMeasured]) -> Iterator[ModelMeasured]:
    for run in own:
        if run.aspect == MODE and run.setting in (DETERMINISTIC, SEEDED) and is_same_place(measured, run):
            yield run


def _varies(run: ModelMeasured) -> bool:
    return (run.distinct or 0) > 1
