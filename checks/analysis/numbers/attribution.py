"""What the flips of a case come to: of each pair of runs that differ, which change brings the same bits back."""

from collections.abc import Iterable
from dataclasses import dataclass

from checks.analysis.numbers.digits import flip_sizes
from checks.analysis.numbers.magnitude import Magnitude, Size
from checks.facts import Flip, Measurement

EXACT = "float64"


@dataclass(frozen=True)
class Attribution:
    """One pair of runs. ``restored_by``: the suspects each of which alone brings the same bits back.

    ``closer``: those that make a difference that is more than rounding one of rounding order, such as TF32 switched off
    between a processor and a GPU. ``without_effect``: those that left it. ``is_rounding``: whether both runs are the
    same where they compute in float64 and round at the end, so that rounding alone makes them differ; None: not tried.
    """

    framework: str
    operation: str
    device: str
    pair: tuple[str, str]
    before: Magnitude
    restored_by: tuple[str, ...] = ()
    closer: tuple[str, ...] = ()
    without_effect: tuple[str, ...] = ()
    is_rounding: bool | None = None

    @property
    def differs(self) -> bool:
        """Whether there was something to attribute."""
        return self.before.size not in (Size.IDENTICAL, Size.NOTHING)

    @property
    def exact_word(self) -> str:
        """How the runs stand to each other in float64: "same" or "apart"."""
        return "same" if self.is_rounding else "apart"


def attributions(measurements: Iterable[Measurement]) -> tuple[Attribution, ...]:
    """All pairs, in their order."""
    groups: dict[tuple[str, str, str, tuple[str, str]], list[Flip]] = {}
    for run in measurements:
        if isinstance(run, Flip) and run.before is not None:
            groups.setdefault((run.framework, run.operation, run.device, run.pair), []).append(run)
    return tuple(_attribution(flips) for flips in groups.values())


def _attribution(flips: list[Flip]) -> Attribution:
    first = flips[0]
    before = flip_sizes(first)[0]
    tried = {flip.setting: flip_sizes(flip)[1] for flip in flips if flip.after is not None and not flip.reason}
    exact = tried.pop(EXACT, None)
    restored = tuple(name for name, after in tried.items() if after.size is Size.IDENTICAL)
    closer = tuple(
        name
        for name, after in tried.items()
        if before.is_more_than_rounding and after.size is Size.ROUNDING and name not in restored
    )
    return Attribution(
        framework=first.framework,
        operation=first.operation,
        device=first.device,
        pair=first.pair,
        before=before,
        restored_by=restored,
        closer=closer,
        without_effect=tuple(name for name in tried if name not in (*restored, *closer)),
        is_rounding=None if exact is None else exact.size is Size.IDENTICAL,
    )
