"""How often answers varied under one condition, over all prompts, and what that proves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checks.analysis.numbers.power import CONFIDENCE, ENOUGH, chance_without_effect
from checks.analysis.served.closeness import Closeness, closeness, gap_of, gravest
from checks.facts import ServedAspect, ServedFacts, ServedParting, ServedTrial
from checks.facts.finding import Evidence, Inconclusive, NotHere
from checks.facts.phrase import Phrase
from checks.knowledge.frameworks.served import server_name
from checks.knowledge.phrases import phrase

_SHOWN = 20  # characters of what stands on either side of a parting
_UNSEEN = 1 - CONFIDENCE
SURE, OPEN = 0.95, 0.45  # how sure a cause is that was shown, and one that is only possible


@dataclass(frozen=True)
class Variation:
    """Trials of one kind together. ``others``: answers of another text; ``drifted``: of the same with other numbers."""

    trials: tuple[ServedTrial, ...]

    @property
    def calls(self) -> int:
        """Answers, or groups of them."""
        return sum(trial.repetitions for trial in self.trials)

    @property
    def others(self) -> int:
        """Those of another text."""
        return sum(trial.others for trial in self.trials)

    @property
    def new_others(self) -> int:
        """Those of another text, without those that a cold cache explains."""
        return sum(trial.others - trial.as_first for trial in self.trials)

    @property
    def drifted(self) -> int:
        """Those of the same text with other probabilities."""
        return sum(trial.drifted for trial in self.trials)

    @property
    def control(self) -> int:
        """Groups whose third answer is not like the second."""
        return sum(trial.control for trial in self.trials)

    @property
    def control_drifted(self) -> int:
        """Groups whose third answer has other probabilities than the second."""
        return sum(trial.control_drifted for trial in self.trials)

    @property
    def drift(self) -> float | None:
        """The largest distance of logprobs."""
        return max((trial.drift for trial in self.trials if trial.drift is not None), default=None)

    @property
    def partings(self) -> tuple[ServedParting, ...]:
        """All that were kept."""
        return tuple(parting for trial in self.trials for parting in trial.partings)

    @property
    def closeness(self) -> Closeness | None:
        """That of the parting which rounding explains least; None where no text parts."""
        return gravest(self.partings)


def of(served: ServedFacts, *aspects: ServedAspect) -> Variation:
    """The trials of these kinds.

    Raises:
        NotHere: there is none.
    """
    trials = tuple(trial for aspect in aspects for trial in served.of(aspect))
    if not trials:
        raise NotHere("served", "not-measured")
    return Variation(trials)


def steady_alone(served: ServedFacts) -> Variation:
    """The prompts that had the same answer each time alone: only of these something else can be seen to change them.

    Raises:
        NotHere: nothing was asked again.
        Inconclusive: all of them vary alone.
    """
    alone = of(served, ServedAspect.ALONE)
    steady = tuple(trial for trial in alone.trials if trial.others == trial.as_first and trial.repetitions > 1)
    if not steady:
        raise Inconclusive("served-varies-anyway")
    return Variation(steady)


def has_effect(others: int, calls: int, alike: int) -> bool:
    """Whether ``others`` of ``calls`` under a condition show its effect, where ``alike`` without it were all equal."""
    return others > 0 and chance_without_effect(others, calls, alike) < _UNSEEN


def enough(count: int) -> None:
    """Pass where so many equal answers tell something.

    Raises:
        Inconclusive: they do not.
    """
    if count < ENOUGH:
        raise Inconclusive("served-too-few", count=str(count), enough=str(ENOUGH))


def evidence_of(served: ServedFacts, found: Variation, name: str) -> Iterator[Evidence]:
    """Which server it was, how many answers were others, and where the first of them parts."""
    yield Evidence("server", described(served), served.origin)
    yield Evidence(name, f"{found.others} / {found.calls}", served.origin)
    if found.drifted:
        yield Evidence("served_drifted", f"{found.drifted} / {found.calls - found.others}", served.origin)
    if found.drift:
        yield Evidence("served_drift", f"{found.drift:.2g}", served.origin)
    for parting in found.partings[:3]:
        yield from _parting(parting, served.origin)


def _parting(parting: ServedParting, origin: str) -> Iterator[Evidence]:
    if parting.token is None:
        yield Evidence("parts_at_character", str(parting.character + 1), origin)
        return
    yield Evidence("parts_at_token", str(parting.token + 1), origin)
    yield Evidence("parts_between", f"{parting.usual!r} / {parting.other!r}", origin)
    if parting.gap is not None:
        yield Evidence("top_two_apart", f"{parting.gap:.2g}", origin)


def described(served: ServedFacts) -> str:
    """The server and its model in a line."""
    parts = (server_name(served.kind), served.version, served.model)
    return ", ".join(part for part in parts if part) or served.url


def how_close(found: Variation) -> Phrase:
    """What the partings tell, in words; where no text parts, that only the numbers do."""
    grade = found.closeness
    return phrase("served-numbers-only") if grade is None else closeness_phrase(grade, found.partings)


def closeness_phrase(grade: Closeness, partings: Sequence[ServedParting]) -> Phrase:
    """What the gravest of some partings tells; where it leaves rounding open, its own figures."""
    if grade is not Closeness.OPEN:
        return phrase(f"served-{grade.value}")
    gap, widest = max(((gap_of(one), one) for one in partings if closeness(one) is grade), key=lambda pair: pair[0])
    return phrase(
        "served-open",
        place=str((widest.token or 0) + 1),
        usual=repr(widest.usual[:_SHOWN]),
        other=repr(widest.other[:_SHOWN]),
        gap=f"{gap:.2g}",
        ratio=f"{math.exp(gap):.3g}",
        moved=phrase("served-moved", drift=f"{widest.drift:.2g}") if widest.drift else phrase("served-not-moved"),
    )


def what_varies(found: Variation) -> Phrase:
    """The answers, or only their probabilities."""
    return phrase("served-answers" if found.new_others else "served-probabilities")


def is_rounding(found: Variation) -> bool:
    """Whether rounding explains all that was seen."""
    return found.closeness in (None, Closeness.NEAR)
