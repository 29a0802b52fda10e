"""A setting was made, and what is computed is measurably as if it had not been.

Detects:      settings that demand full float32, under which errors against float64, or differences from a processor,
              are still those of TensorFloat-32 or bfloat16; operations that vary in deterministic mode although its
              document promises that they repeat there; operations that vary on a processor with one thread; two runs
              that differ in a setting alone, and still differ when it is set to the same in both.
Why it bites: the program says what it wants, and nothing tells that a variable or another library decides.
Blind spots:  whether a seed arrives shows in the user's program alone. That a permission for fewer digits changes
              nothing, as where a device has no such units, is no fault. What varies where no order of computing can
              change a result is another cause's, whatever is set.
Knowledge:    resources/knowledge/frameworks/computations.toml, determinism.toml
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from checks.analysis.numbers.digit_findings import FULL_DIGITS, forcing
from checks.analysis.numbers.digits import (
    BY_SIZE,
    DEFAULT,
    MEASURED,
    SHORTER,
    by_device,
    error_of,
    figure,
    flip_sizes,
    operations,
    settings,
    shorter_format,
)
from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.mechanism import recognised
from checks.analysis.numbers.repeats import (
    DETERMINISTIC,
    WORKSPACE,
    Repeated,
    Variation,
    in_words,
    is_processor,
    repeated,
    versions_of,
)
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Flip, Frameworks, Measurements, Precision, Repeat, Symptom
from checks.facts.finding import FRAMEWORK, Evidence, Finding, NotHere, Severity
from checks.facts.question import Exactness
from checks.knowledge.frameworks.determinism import repeats_in_mode
from checks.knowledge.phrases import phrase

DEMAND_FULL = ("tf32-off", "tf32-off-flags", "mkldnn-ieee", "precision-highest", "jax-precision-float32")
_ONE_THREAD = "threads-1"
# What a run can be set to: where two runs differ in one of these alone, they are one run when it is the same in both.
_FAMILIES = ("threads", "autotune", "mkldnn", "tf32", "cudnn", "deterministic")
_ONE_THREAD_SURE = 0.6  # of one thread: a race inside of the operation would look the same
_NOWHERE = ("check-where-setting-is-read",)


@check("setting-ignored")
def setting_ignored(
    measurements: Measurements,
    environment: EnvironmentVariables | None,
    frameworks: Frameworks | None,
    symptom: Symptom | None = None,
) -> Iterator[Finding]:
    """One finding per framework, device and kind of setting."""
    precisions = [run for run in measurements.of(Precision) if run.setting in DEMAND_FULL]
    versions = versions_of(frameworks)
    flips = [run for run in measurements.of(Flip) if run.after is not None and _is_judged(run)]
    repeats = [
        run
        for run in repeated(measurements.all, versions)
        if any(run.measured(setting) for setting in (DETERMINISTIC, WORKSPACE, _ONE_THREAD))
    ]
    if not precisions and not flips and not repeats:
        raise NotHere("precision", "not-measured")
    for (framework, device), here in by_device(precisions).items():
        found = [run for run in here if shorter_format(run) is not None]
        if found:
            yield _of_digits(framework, device, found, environment)
    yield from _of_flips(flips, environment)
    # For a user who needs the same decisions, varying bits are normal.
    severity = Severity.NOTE if symptom is not None and symptom.exactness == Exactness.DECISIONS else Severity.WARNING
    yield from _of_repeats(repeats, DETERMINISTIC, versions, severity)
    yield from _of_repeats(repeats, _ONE_THREAD, versions, severity)


def _of_digits(
    framework: str, device: str, found: Sequence[Precision], environment: EnvironmentVariables | None
) -> Finding:
    worst = max(found, key=lambda run: error_of(run).times or 0.0)
    return Finding(
        severity=Severity.WARNING,
        confidence=MEASURED if recognised(worst) else BY_SIZE,
        subject=f"{framework}:{device}",
        evidence=(
            Evidence("computed_on", f"{framework}, {device}", worst.origin),
            Evidence("settings_without_effect", settings(found), worst.origin),
            Evidence("computed_in", shorter_format(worst) or "", worst.origin),
            Evidence("operations_apart", operations(found), worst.origin),
            Evidence("measured_error", figure(error_of(worst).relative), worst.origin),
            *forcing(environment),
        ),
        values={
            "ignored": phrase(
                "ignored-digits",
                settings=settings(found),
                format=shorter_format(worst) or "",
                operations=operations(found),
                error=figure(error_of(worst).relative),
            )
        }
        | {FRAMEWORK: framework},
        remedies=FULL_DIGITS,
    )


def _is_judged(flip: Flip) -> bool:
    """Whether what is left after it tells something about its setting."""
    return flip.setting in DEMAND_FULL or _is_one_run(flip)


def _is_one_run(flip: Flip) -> bool:
    """Whether the two runs differed in this setting alone, so that they are the same when it is set in both."""
    family = flip.setting.partition("-")[0]
    named = [name for name in flip.pair if name != DEFAULT]
    return family in _FAMILIES and bool(named) and all("+" not in name and _family(name) == family for name in named)


def _family(setting: str) -> str:
    return setting.partition("-")[0]


def _of_flips(flips: Sequence[Flip], environment: EnvironmentVariables | None) -> Iterator[Finding]:
    """Differences that are still there, as large as they cannot be where the setting is heard."""
    left: dict[tuple[str, str, str], list[Flip]] = {}
    for flip in flips:
        after = flip_sizes(flip)[1]
        is_the_same = after.size in (Size.IDENTICAL, Size.NOTHING)
        is_short = after.is_certain and after.size in SHORTER
        if (_is_one_run(flip) and not is_the_same) or (flip.setting in DEMAND_FULL and is_short):
            left.setdefault((flip.framework, flip.device, flip.setting), []).append(flip)
    for (framework, device, setting), found in left.items():
        worst = max(found, key=lambda run: flip_sizes(run)[1].relative or 0.0)
        names = ", ".join(dict.fromkeys(run.operation for run in found))
        difference = figure(flip_sizes(worst)[1].relative)
        yield Finding(
            severity=Severity.WARNING,
            confidence=BY_SIZE,
            subject=f"{framework}:{device}:{setting}",
            evidence=(
                Evidence("computed_on", f"{framework}, {device}", worst.origin),
                Evidence("settings_without_effect", setting, worst.origin),
                Evidence("settings_compared", " / ".join(worst.pair), worst.origin),
                Evidence("operations_apart", names, worst.origin),
                Evidence("measured_difference", difference, worst.origin),
                *forcing(environment),
            ),
            values={"ignored": phrase("ignored-flip", setting=setting, pair=" / ".join(worst.pair), operations=names)}
            | {FRAMEWORK: framework},
            remedies=FULL_DIGITS if setting in DEMAND_FULL else _NOWHERE,
        )


def _of_repeats(
    repeats: Sequence[Repeated], setting: str, versions: Mapping[str, str | None], severity: Severity
) -> Iterator[Finding]:
    """Operations that vary all the same where the setting should have made them repeat."""
    places: dict[tuple[str, str], list[_Varying]] = {}
    for repeat in repeats:
        found = _in_mode(repeat, versions) if setting == DETERMINISTIC else _with_one_thread(repeat)
        if found is not None:
            places.setdefault((repeat.framework, repeat.device), []).append(found)
    for (framework, device), here in places.items():
        origin = here[0].run.origin
        tried = dict.fromkeys(promised.run.setting for promised in here)
        yield Finding(
            severity=severity,
            confidence=BY_SIZE if setting == DETERMINISTIC else _ONE_THREAD_SURE,
            subject=f"{framework}:{device}:{setting}",
            evidence=(
                Evidence("computed_on", f"{framework}, {device}", origin),
                Evidence("settings_without_effect", ", ".join(tried), origin),
                *(Evidence("varying_operation", promised.seen, promised.run.origin) for promised in here),
                *(
                    Evidence("promised_by", source)
                    for source in dict.fromkeys(promised.promise for promised in here)
                    if source
                ),
            ),
            values={
                "ignored": phrase(
                    "ignored-mode" if setting == DETERMINISTIC else "ignored-thread",
                    operations=in_words([varying.repeated for varying in here]),
                )
            },
            remedies=_NOWHERE,
        )


@dataclass(frozen=True)
class _Varying:
    """An operation that varies where it should repeat. ``promise``: the document that says so, if one does."""

    repeated: Repeated
    run: Repeat
    promise: str = ""

    @property
    def seen(self) -> str:
        """How many different results of how many."""
        return f"{self.repeated.operation}: {self.run.distinct} / {self.run.repetitions}"


def _in_mode(repeated: Repeated, versions: Mapping[str, str | None]) -> _Varying | None:
    promise = repeats_in_mode(repeated.framework, repeated.promised, repeated.device, versions.get(repeated.framework))
    varying = _varying(repeated, DETERMINISTIC, WORKSPACE)
    return _Varying(repeated, varying, promise) if varying is not None and promise else None


def _with_one_thread(repeated: Repeated) -> _Varying | None:
    varying = _varying(repeated, _ONE_THREAD) if is_processor(repeated.device) else None
    return None if varying is None else _Varying(repeated, varying)


def _varying(repeated: Repeated, *settings_: str) -> Repeat | None:
    """What varied under one of these; None where no order of computing explains it, which no setting mends."""
    if repeated.variation is Variation.WRONG:
        return None
    tried = (repeated.measured(setting) for setting in settings_)
    # A first call that chose its way differently is no more than that.
    return next((run for run in tried if run is not None and (run.distinct or 0) > 1), None)
