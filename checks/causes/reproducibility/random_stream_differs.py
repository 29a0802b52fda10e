"""The same seed gives other random numbers in two places.

Detects:      random numbers that one framework drew from one seed on two devices of this machine, or here and on a
              machine whose report was given, and that are other numbers, not the same ones rounded differently.
Why it bites: the noise, the initial weights or the dropout are others, so the result is another one, seeds or not.
Blind spots:  whether the program draws random numbers on the device, nobody sees from here. Normal numbers in two sizes
              alone are drawn; Python's own generator, and generators that a program brings with it, are not tried.
Knowledge:    resources/knowledge/frameworks/computations.toml, numeric_environment.toml
"""

from collections.abc import Iterator, Sequence

from checks.analysis.numbers.digit_findings import loud_unless_decisions_do
from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.side_by_side import (
    CPU,
    SEPARATOR,
    Comparison,
    EnvironmentDifference,
    Pair,
    Place,
    comparisons,
    gpu_names,
    pairs_here,
)
from checks.analysis.numbers.streams import is_stream
from checks.causes.registry import check
from checks.facts import Facts, Symptom
from checks.facts.finding import FRAMEWORK, Evidence, Finding, NotHere
from checks.facts.phrase import Phrase
from checks.facts.versions import release
from checks.knowledge.phrases import phrase

DREW_OTHERS = 0.6  # that the streams differ was seen; that the program draws from them was not
_SAVE = "save-random-numbers"
_REMEDIES = {"torch": ("draw-random-numbers-on-the-cpu", _SAVE), "jax": ("set-jax-random-bits-alike", _SAVE)}
_VERSIONS, _VARIABLES, _GPU = "framework-version", "random-variables", "gpu"


@check("random-stream-differs")
def random_stream_differs(facts: Facts) -> Iterator[Finding]:
    """One finding per framework and two devices, and per framework, device and other machine."""
    here = _streams(pairs_here(facts.measurements))
    others = [(comparison, _streams(comparison.pairs)) for comparison in comparisons(facts)]
    if not here and not any(pairs for _, pairs in others):
        is_possible = facts.others or gpu_names(facts.frameworks)
        raise NotHere("portraits", "not-measured" if is_possible else "one-device")
    yield from _findings(here, None if facts.others else facts.symptom)  # who gave a report asks about the other one
    for comparison, pairs in others:
        yield from _findings(pairs, facts.symptom, comparison)


def _streams(pairs: Sequence[Pair]) -> list[Pair]:
    return [pair for pair in pairs if is_stream(pair.operation)]


def _findings(pairs: Sequence[Pair], symptom: Symptom | None, between: Comparison | None = None) -> Iterator[Finding]:
    """``between``: of which two machines; None for devices of this one."""
    places: dict[tuple[Place, Place], list[Pair]] = {}
    for pair in pairs:
        places.setdefault((pair.first, pair.second), []).append(pair)
    for (first, second), drawn in places.items():
        apart = [pair.operation for pair in drawn if pair.size.size is Size.STREAM]
        if not apart:
            continue
        alike = [pair.operation for pair in drawn if pair.operation not in apart]
        changes = _changes(between, first.framework, apart[0]) if between else ()
        machine = between.other.name if between else ""
        yield Finding(
            severity=loud_unless_decisions_do(symptom),
            confidence=DREW_OTHERS,
            subject=":".join(
                (first.framework, first.device, second.device, *([between.other.created] if between else []))
            ),
            evidence=(
                Evidence("devices_compared", f"{first} / {second}" + (f" ({machine})" if machine else "")),
                Evidence("streams_apart", ", ".join(apart)),
                *([Evidence("streams_alike", ", ".join(alike))] if alike else []),
                *(Evidence(_LABELS[change.part], f"{change.first} / {change.second}") for change in changes),
            ),
            remedies=_REMEDIES.get(first.framework, (_SAVE,)),
            values={FRAMEWORK: first.framework, "why_streams": _why(first, second, changes, is_partial=bool(alike))},
        )


_LABELS = {_VERSIONS: "versions_apart", _VARIABLES: "random_variables_apart", _GPU: "gpus_apart"}


def _changes(between: Comparison, framework: str, operation: str) -> tuple[EnvironmentDifference, ...]:
    """What of the two environments can choose another stream, the likeliest first."""
    parts = next(
        (
            difference.explained_by
            for difference in between.apart
            if difference.pair.operation == operation and difference.pair.first.framework == framework
        ),
        (),
    )
    known = {change.part: change for change in between.environment}
    return tuple(known[part] for part in parts if part in _LABELS and part in known)


def _why(first: Place, second: Place, changes: Sequence[EnvironmentDifference], *, is_partial: bool) -> Phrase:
    """What is known of how such generators differ."""
    is_torch, parts = first.framework == "torch", {change.part: change for change in changes}
    if first.kind != second.kind:
        return phrase("stream-of-device" if is_torch else "stream-of-kind")
    if is_torch and is_partial and all(place.device.startswith("cuda") for place in (first, second)):
        return phrase("stream-of-multiprocessors")
    if _VARIABLES in parts:
        return phrase("stream-by-variable")
    if _VERSIONS in parts and (first.kind == CPU or _GPU not in parts):
        return phrase("stream-by-jax-version" if _is_across_jax_0_5(parts[_VERSIONS]) else "stream-by-version")
    return phrase("stream-of-gpu" if _GPU in parts else "stream-unexplained")


def _is_across_jax_0_5(versions: EnvironmentDifference) -> bool:
    """Whether the default of jax_threefry_partitionable changed between the two versions of JAX."""
    sides = (side.split(SEPARATOR) for side in (versions.first, versions.second))
    known = [release(entry.removeprefix("jax ")) for side in sides for entry in side if entry.startswith("jax ")]
    return bool(known) and min(known) < (0, 5) <= max(known)
