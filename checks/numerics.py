"""What the checks of computed numbers share: what they judge, how large a difference is, how loud to be."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator

from checks.facts import ArrayDifference, EnvironmentVariables, Flip, Measured, Measurements, Precision, Symptom
from checks.finding import Evidence, Finding, NotHere, Severity
from checks.knowledge.computations import known_operations
from checks.magnitude import Magnitude, Size, Work, computed_in, magnitude, precision_magnitude, recognised

DEFAULT = "default"
FULL = "float32"
SHORTER = (Size.HALF, Size.BFLOAT16)
MEASURED, BY_SIZE = 0.97, 0.85  # how sure: errors that were recognised element by element, or by their size alone


def precisions(measurements: Measurements) -> tuple[Precision, ...]:
    """What tells how many digits are right.

    Raises:
        NotHere: nothing of the kind was measured.
    """
    found = measurements.of(Precision)
    if not found:
        raise NotHere("precision", "not-measured")
    return found


def work_of(measured: Measured, *, terms: int | None, condition: float | None, sides: int = 2) -> Work:
    """What was computed, as far as sizes of differences depend on it."""
    known = known_operations().get(measured.operation)
    return Work(
        measured.dtype,
        terms,
        condition,
        products=known is not None and known.products,
        centred=known is not None and known.centred,
        sides=sides,
    )


def error_of(measured: Precision) -> Magnitude:
    """The size of its error."""
    known = known_operations().get(measured.operation)
    return precision_magnitude(
        measured,
        products=known is not None and known.products,
        centred=known is not None and known.centred,
    )


def change_of(measured: Precision) -> Magnitude:
    """The size of what its setting changes."""
    if measured.beside is None:
        return Magnitude((Size.NOTHING,))
    work = work_of(measured, terms=measured.terms, condition=measured.condition)
    return magnitude(measured.beside, dataclasses.replace(work, dtype=computed_in(measured)))


def flip_sizes(flip: Flip) -> tuple[Magnitude, Magnitude]:
    """The size of the difference before and after a suspect was changed."""
    work = work_of(flip, terms=flip.terms, condition=flip.condition)
    nothing = ArrayDifference(elements=0, differing=0)
    return magnitude(flip.before or nothing, work), magnitude(flip.after or nothing, work)


def shorter_format(measured: Precision) -> str | None:
    """The format with fewer digits in which float32 was computed: "tf32", "bfloat16"; None where it was not."""
    if measured.dtype != FULL or computed_in(measured) != FULL:
        return None
    alike = recognised(measured)
    if alike is not None:
        return "bfloat16" if alike == "bfloat16" else "tf32"
    found = error_of(measured)
    if not found.is_certain or found.size not in SHORTER:
        return None
    return "bfloat16" if found.size is Size.BFLOAT16 else "tf32"


def by_device(measured: Iterable[Precision]) -> dict[tuple[str, str], list[Precision]]:
    """The measurements of each framework and device."""
    found: dict[tuple[str, str], list[Precision]] = {}
    for each in measured:
        found.setdefault((each.framework, each.device), []).append(each)
    return found


def loud_if_bits_matter(symptom: Symptom | None) -> Severity:
    """Of what is normal: a note that says so, but a warning for whoever needs the same bits."""
    return Severity.WARNING if symptom is not None and symptom.exactness == "bits" else Severity.NOTE


def loud_unless_decisions_do(symptom: Symptom | None) -> Severity:
    """Of digits that are left out on purpose: a note where only decisions count, or nobody asked about results."""
    if symptom is None or symptom.exactness == "decisions":
        return Severity.NOTE
    asked = symptom.exactness in ("bits", "close") or symptom.name == "results-differ"
    return Severity.WARNING if asked else Severity.NOTE


def operations(measured: Iterable[Precision]) -> str:
    """The ids of their operations, each once."""
    return ", ".join(dict.fromkeys(each.operation for each in measured))


def settings(measured: Iterable[Measured]) -> str:
    """The ids of their settings, each once."""
    return ", ".join(dict.fromkeys(each.setting for each in measured))


def figure(value: float | None) -> str:
    """A size in figures."""
    return "" if value is None else f"{value:.2g}"


def changes_by_order(
    cause: str, measurements: Measurements, symptom: Symptom | None, is_of_cause: Callable[[str], bool]
) -> Iterator[Finding]:
    """A finding per device on which a setting that only changes the order of rounding changes results.

    Raises:
        NotHere: no such setting was tried.
    """
    tried = [each for each in precisions(measurements) if is_of_cause(each.setting) and each.beside is not None]
    if not tried:
        raise NotHere("precision", "not-measured")
    for (framework, device), here in by_device(tried).items():
        sizes = [(each, change_of(each)) for each in here]
        apart = [(each, size) for each, size in sizes if size.size is Size.ROUNDING]
        if not apart:
            continue
        worst, size = max(apart, key=lambda pair: pair[1].relative or 0.0)
        found = [each for each, _ in apart]
        same = [each for each, size in sizes if size.size is Size.IDENTICAL]
        yield Finding(
            cause=cause,
            severity=loud_if_bits_matter(symptom),
            confidence=MEASURED,
            subject=f"{framework} {device}",
            evidence=(
                Evidence("computed_on", f"{framework}, {device}", worst.origin),
                Evidence("settings_compared", settings(found), worst.origin),
                Evidence("operations_apart", operations(found), worst.origin),
                Evidence("operations_alike", operations(same) or "-", worst.origin),
                Evidence("measured_difference", figure(size.relative), worst.origin),
                Evidence("rounding_allows", figure(_relative_bound(size)), worst.origin),
            ),
        )


def _relative_bound(size: Magnitude) -> float | None:
    """What rounding order may make, in units of the largest result."""
    if size.relative is None or not size.times:
        return None
    return size.relative / size.times


def computed_in_fewer_digits(
    cause: str,
    shorter: str,
    measurements: Measurements,
    environment: EnvironmentVariables | None,
    symptom: Symptom | None,
) -> Iterator[Finding]:
    """A finding per device that computes float32 in this format with the settings as they are.

    Raises:
        NotHere: nothing of the kind was measured.
    """
    usual = [each for each in precisions(measurements) if each.setting == DEFAULT and each.dtype == FULL]
    tried = [each for each in usual if work_of(each, terms=each.terms, condition=None).products]
    if not tried:
        raise NotHere("precision", "not-measured")
    for (framework, device), here in by_device(tried).items():
        found = [each for each in here if shorter_format(each) == shorter]
        if not found:
            continue
        worst = max(found, key=lambda each: error_of(each).relative or 0.0)
        full = [each for each in here if error_of(each).size is Size.ROUNDING]
        yield Finding(
            cause=cause,
            severity=loud_unless_decisions_do(symptom),
            confidence=MEASURED if recognised(worst) else BY_SIZE,
            subject=f"{framework} {device}",
            evidence=(
                Evidence("computed_on", f"{framework}, {device}", worst.origin),
                Evidence("operations_apart", operations(found), worst.origin),
                Evidence("operations_in_full", operations(full) or "-", worst.origin),
                Evidence("measured_error", figure(error_of(worst).relative), worst.origin),
                Evidence("rounding_allows", figure(_relative_bound(error_of(worst))), worst.origin),
                *forcing(environment),
            ),
        )


# Variables that choose the digits of products before the program's own settings are heard.
_FORCING = (
    "NVIDIA_TF32_OVERRIDE",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "ONEDNN_DEFAULT_FPMATH_MODE",
    "HIPBLASLT_ALLOW_TF32",
)


def forcing(environment: EnvironmentVariables | None) -> Iterator[Evidence]:
    """The variables that are set and choose the digits."""
    for name in _FORCING:
        value = environment.values.get(name) if environment else None
        if value is not None and environment is not None:
            yield Evidence("variable_for_digits", f"{name}={value}", environment.origin)
