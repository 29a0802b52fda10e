"""Findings about computed numbers that several causes make alike: rounding in another order, fewer digits."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from checks.analysis.models.amplified import within_rounding
from checks.analysis.numbers.attribution import attributions
from checks.analysis.numbers.digits import (
    BY_SIZE,
    DEFAULT,
    FULL,
    MEASURED,
    by_device,
    change_of,
    error_of,
    figure,
    operations,
    precisions,
    settings,
    shorter_format,
    work_of,
)
from checks.analysis.numbers.magnitude import Magnitude, Size
from checks.analysis.numbers.mechanism import recognised
from checks.analysis.numbers.side_by_side import Pair, Place
from checks.facts import EnvironmentVariables, Measurements, Precision, Repeat, Symptom
from checks.facts.finding import FRAMEWORK, Evidence, Finding, Inconclusive, NotHere, Severity
from checks.facts.question import Exactness, SymptomName

_FULL = ("tf32-off", "jax-precision-float32")  # what takes TensorFloat-32 away
FULL_DIGITS = ("demand-full-float32",)  # where the type is float32 already, and no seed or type of the program helps


def loud_if_bits_matter(symptom: Symptom | None) -> Severity:
    """The severity of normal rounding: a note, but a warning for a user who needs the same bits."""
    return Severity.WARNING if symptom is not None and symptom.exactness == Exactness.BITS else Severity.NOTE


def loud_unless_decisions_do(symptom: Symptom | None) -> Severity:
    """The severity of fewer digits by design: a note where only decisions count, or results were not asked about."""
    if symptom is None or symptom.exactness == Exactness.DECISIONS:
        return Severity.NOTE
    asked = symptom.exactness in (Exactness.BITS, Exactness.CLOSE) or symptom.name == SymptomName.RESULTS_DIFFER
    return Severity.WARNING if asked else Severity.NOTE


def changes_by_order(
    measurements: Measurements, symptom: Symptom | None, is_of_cause: Callable[[str], bool]
) -> Iterator[Finding]:
    """A finding per device on which a setting that only changes the order of rounding changes results.

    Raises:
        NotHere: no such setting was tried, but on what varies by itself.
        Inconclusive: as ``doubt_if_farther``.
    """
    of_cause = [run for run in precisions(measurements) if is_of_cause(run.setting) and run.beside is not None]
    full = [run for run in of_cause if run.dtype == FULL]  # half precision has no digit that is the last
    # One run each was compared: what varies by itself shows nothing of the setting.
    unsteady = {(run.framework, run.device, run.operation) for run in measurements.of(Repeat) if run.varies}
    tried = [run for run in full if (run.framework, run.device, run.operation) not in unsteady]
    if not tried:
        raise NotHere("precision", "not-measured")
    for (framework, device), here in by_device(tried).items():
        sizes = [(run, change_of(run)) for run in here]
        apart = [(run, size) for run, size in sizes if size.size is Size.ROUNDING]
        if not apart:
            continue
        worst, size = max(apart, key=lambda pair: pair[1].relative or 0.0)
        found = [run for run, _ in apart]
        names = {run.operation for run in found}  # one may be alike with four threads, and not with one
        same = [run for run, size in sizes if size.size is Size.IDENTICAL and run.operation not in names]
        yield Finding(
            severity=loud_if_bits_matter(symptom),
            confidence=MEASURED,
            subject=f"{framework}:{device}",
            evidence=(
                Evidence("computed_on", f"{framework}, {device}", worst.origin),
                Evidence("settings_compared", settings(found), worst.origin),
                Evidence("operations_apart", operations(found), worst.origin),
                Evidence("operations_alike", operations(same) or "-", worst.origin),
                Evidence("measured_difference", figure(size.relative), worst.origin),
                Evidence("rounding_allows", figure(_relative_bound(size)), worst.origin),
                *_restored(measurements, framework, device, is_of_cause),
            ),
            values={FRAMEWORK: framework, **within_rounding(figure(size.relative))},
        )
    doubt_if_farther(change_of(run).size for run in tried)


def doubt_if_farther(sizes: Iterable[Size]) -> None:
    """Whoever looks for rounding alone does not say of results that are farther apart that they are the same.

    Other random numbers are no results of a computation, and have a cause of their own.

    Raises:
        Inconclusive: some are.
    """
    if not {Size.NOTHING, Size.IDENTICAL, Size.ROUNDING, Size.STREAM}.issuperset(sizes):
        raise Inconclusive("farther-than-rounding")


def _restored(
    measurements: Measurements, framework: str, device: str, is_of_cause: Callable[[str], bool]
) -> Iterator[Evidence]:
    """The experiments in which this alone brought the same bits back, or left rounding alone."""
    restored = [
        f"{attribution.operation}: {setting}"
        for attribution in attributions(measurements.all)
        if (attribution.framework, attribution.device) == (framework, device)
        for setting in (*attribution.restored_by, *attribution.closer)
        if is_of_cause(setting) and "+" not in setting  # of two changes at once neither suffices
    ]
    if restored:
        yield Evidence("restored_by", ", ".join(dict.fromkeys(restored)))


def computed_in_fewer_digits(
    shorter: str,
    measurements: Measurements,
    environment: EnvironmentVariables | None,
    symptom: Symptom | None,
    remedies: tuple[str, ...] = (),
) -> Iterator[Finding]:
    """A finding per device that computes float32 in this format with the settings as they are.

    ``remedies``: where those of the cause are for what a text tells of.

    Raises:
        NotHere: nothing of the kind was measured.
    """
    usual = [run for run in precisions(measurements) if run.setting == DEFAULT and run.dtype == FULL]
    # What is no number, or wrong altogether, tells nothing of digits.
    measured = [run for run in usual if error_of(run).size not in (Size.NOTHING, Size.BEYOND)]
    tried = [run for run in measured if run.emulated or _is_product(run)]
    if not tried:
        raise NotHere("precision", "not-measured")
    for (framework, device), here in by_device(tried).items():
        found = [run for run in here if shorter_format(run) == shorter]
        if not found:
            continue
        worst = max(found, key=lambda run: error_of(run).times or 0.0)  # the farthest beyond rounding
        full = [run for run in here if error_of(run).size is Size.ROUNDING and _is_product(run)]
        yield Finding(
            severity=loud_unless_decisions_do(symptom),
            confidence=MEASURED if recognised(worst) else BY_SIZE,
            subject=f"{framework}:{device}",
            evidence=(
                Evidence("computed_on", f"{framework}, {device}", worst.origin),
                Evidence("operations_apart", operations(found), worst.origin),
                *([Evidence("operations_in_full", operations(full), worst.origin)] if full else ()),
                Evidence("measured_error", figure(error_of(worst).relative), worst.origin),
                Evidence("rounding_allows", figure(_relative_bound(error_of(worst))), worst.origin),
                *_restored(measurements, framework, device, lambda setting: setting in _FULL),
                *forcing(environment),
            ),
            remedies=remedies,
            values={FRAMEWORK: framework},
        )


def _is_product(measured: Precision) -> bool:
    return work_of(measured, terms=measured.terms, condition=measured.condition).products


def rounding_between(pairs: Sequence[Pair], symptom: Symptom | None, other_machine: str = "") -> Iterator[Finding]:
    """A finding per two places whose results differ by rounding order, and by no more."""
    places: dict[tuple[Place, Place], list[Pair]] = {}
    for pair in pairs:
        places.setdefault((pair.first, pair.second), []).append(pair)
    for (first, second), here in places.items():
        apart = [pair for pair in here if pair.size.size is Size.ROUNDING]
        if not apart:
            continue
        worst = max(apart, key=lambda pair: pair.size.relative or 0.0).size
        compared = f"{first} / {second}" + (f" ({other_machine})" if other_machine else "")
        yield Finding(
            severity=loud_if_bits_matter(symptom),
            confidence=MEASURED,
            subject=f"{first.framework}:{first.device}:{second.device}",
            evidence=(
                Evidence("devices_compared", compared),
                Evidence("operations_apart", ", ".join(dict.fromkeys(pair.operation for pair in apart))),
                Evidence("measured_difference", figure(worst.relative)),
                Evidence("rounding_allows", figure(_relative_bound(worst))),
            ),
            values={FRAMEWORK: first.framework, **within_rounding(figure(worst.relative))},
        )


# Variables that choose the digits of products before the program's own settings are heard.
_FORCING = (
    "NVIDIA_TF32_OVERRIDE",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "ONEDNN_DEFAULT_FPMATH_MODE",
    "TF_SET_ONEDNN_FPMATH_MODE",
    "JAX_DEFAULT_MATMUL_PRECISION",
    "HIPBLASLT_ALLOW_TF32",
)


def forcing(environment: EnvironmentVariables | None) -> Iterator[Evidence]:
    """The variables that are set and choose the digits."""
    for name in _FORCING:
        value = environment.values.get(name) if environment else None
        if value is not None and environment is not None:
            yield Evidence("variable_for_digits", f"{name}={value}", environment.origin)


def _relative_bound(size: Magnitude) -> float | None:
    """What rounding order may make, in units of the largest result."""
    if size.relative is None or not size.times:
        return None
    return size.relative / size.times
