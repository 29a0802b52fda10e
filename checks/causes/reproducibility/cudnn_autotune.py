"""The library times its algorithms, and which one wins decides the last digits.

Detects:      torch.backends.cudnn.benchmark that is on in the target as it starts; and, measured here, a convolution
              whose result with the timing search differs from the one without, or from search to search.
Why it bites: two starts of one program pick different algorithms, and training amplifies the difference.
Blind spots:  a program switches the search on itself, which is only seen in its text. Releases before 2.1 remember the
              algorithm for the whole process: there, only the difference from the result without is seen.
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator

from checks.analysis.numbers.repeats import AUTOTUNE, Repeated, is_kept_away, of_torch
from checks.causes.registry import check
from checks.facts import Measurements, Repeat, TorchFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity

_SETTING = "torch.backends.cudnn.benchmark"


@check("cudnn-autotune")
def cudnn_autotune(torch: TorchFacts, measurements: Measurements | None) -> Iterator[Finding]:
    """One finding per device; one where the search is on and nothing was measured."""
    if torch.build not in (None, "cuda", "rocm"):
        raise NotHere("cudnn_build")
    is_on = (torch.settings or {}).get(_SETTING) is True
    operations = of_torch(measurements.all, torch) if measurements else ()
    tried = [(operation, run) for operation in operations if (run := operation.measured(AUTOTUNE))]
    changing = [(tuned, run) for tuned, run in tried if _changes(tuned, run)]
    for tuned, run in changing:
        yield Finding(
            severity=Severity.WARNING if is_on else Severity.NOTE,
            confidence=0.95,
            subject=tuned.device,
            evidence=(
                *_setting(torch, is_on=is_on),
                Evidence("autotuned", f"{tuned.operation}: {run.distinct} / {run.repetitions}", run.origin),
            ),
        )
    if is_on and not tried:
        yield Finding(severity=Severity.NOTE, confidence=0.6, evidence=tuple(_setting(torch, is_on=is_on)))


def _changes(repeated: Repeated, run: Repeat) -> bool:
    """Whether the search changed the result: it differs between searches, or from the one result without.

    Without a search it has to repeat, so often that what varies with one would have been seen.
    """
    plain = repeated.default
    if plain is None or plain.varies:
        return False
    if run.varies:
        return is_kept_away(run, plain)
    return plain.scale == run.scale and run.fingerprints[:1] != plain.fingerprints[:1]


def _setting(torch: TorchFacts, *, is_on: bool) -> Iterator[Evidence]:
    yield Evidence("autotune_setting", f"{_SETTING} = {is_on}", torch.origin)
