"""An operation gives what no rounding explains.

Detects:      results whose error against float64, or whose change by a setting that only reorders, is beyond the bound
              of every rounding for so many terms, also with shorter factors; runs of the user's model on two devices,
              or under two settings that only reorder, that are farther apart than rounding in that network; a device or
              framework whose result is that far from those of all others, where these agree.
Why it bites: the numbers are wrong, and nothing says so.
Blind spots:  only what was measured, with inputs of one kind; a rare shape or a special value is not tried. A faulty
              card looks the same: where the result also changes from run to run, that is likelier. What overflows in
              half precision is another cause.
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator, Sequence
from math import inf

from checks.analysis.models.repeats import (
    beyond_of,
    compared,
    decides_otherwise,
    decisions,
    distance,
    of_models,
    place,
    relative,
    size_of,
    values_of,
)
from checks.analysis.numbers.digits import DEFAULT, by_device, change_of, error_of, figure, settings
from checks.analysis.numbers.error_phrase import error_phrase
from checks.analysis.numbers.magnitude import Form, Magnitude, Size
from checks.analysis.numbers.mechanism import computed_in
from checks.analysis.numbers.side_by_side import Pair, Place, odd_ones_out, pairs_here
from checks.causes.registry import check
from checks.facts import Measurements, ModelMeasured, Precision, TorchFacts
from checks.facts.finding import FRAMEWORK, Evidence, Finding, Inconclusive, NotHere, Severity

SURE = 0.8
ONCE = 0.45  # wrong once, and right when computed again: less likely the framework's than a bit that flipped
_PLACES = 4
# What changes the order alone. Not the batch: a first axis that is open may be time, or a model may mix its rows.
COMPARED = ("device", "level", "threads", "deterministic")
REORDERS = (
    "batch-",
    "threads-",
    "channels-",
    "mkldnn-off",
    "compiled",
    "graph",
    "op-by-op",
    "deterministic",
    "autotune",
    "cudnn-off",
    "platform-math-off",
    "older-instructions",
    "x64",
)


@check("framework-numeric-bug")
def framework_numeric_bug(measurements: Measurements, torch: TorchFacts | None) -> Iterator[Finding]:
    """One finding per framework and device, and per comparison of a model of the user.

    Raises:
        NotHere: nothing of the kind was measured.
        Inconclusive: an error is unusual, and nothing tells what made it.
    """
    models = of_models(measurements, *COMPARED)
    yield from _in_models(models)
    pairs = pairs_here(measurements.all)
    measured = [run for run in measurements.of(Precision) if error_of(run).size is not Size.NOTHING]
    if not measured and not pairs and not models:
        raise NotHere("precision", "not-measured")
    yield from _measured(measured, torch)
    known = {(run.framework, run.device) for run in measured}
    for odd, far in odd_ones_out(pairs).items():
        if (odd.framework, odd.device) not in known:  # what was measured there itself, tells more
            yield _odd(odd, far)
    if any(error_of(run).size is Size.UNUSUAL for run in measured):
        raise Inconclusive("farther-than-orders")


def _odd(odd: Place, far: Sequence[Pair]) -> Finding:
    """A place whose results no rounding explains, since all others agree."""
    worst = max(far, key=lambda pair: pair.size.relative or inf).size
    return Finding(
        severity=Severity.WARNING,
        confidence=SURE,
        subject=f"{odd.framework}:{odd.device}",
        evidence=(
            Evidence("computed_on", str(odd)),
            Evidence("operations_wrong", ", ".join(dict.fromkeys(pair.operation for pair in far))),
            Evidence("measured_error", figure(worst.relative) or "NaN"),
            *_times(worst.times),
        ),
        values={FRAMEWORK: odd.framework}
        | {
            "how_far": error_phrase(
                worst.relative, worst.times, (pair.difference for pair in far if pair.size is worst), form=worst.form
            )
        },
    )


def _measured(measured: Sequence[Precision], torch: TorchFacts | None) -> Iterator[Finding]:
    """Operations whose errors, or changes by a setting, no rounding explains."""
    for (framework, device), here in by_device(measured).items():
        sizes = [(run, _size(run)) for run in here if not _overflows(run)]
        found = [(run, size) for run, size in sizes if size.sizes == (Size.BEYOND,)]
        if not found:
            continue
        worst, size = max(found, key=lambda pair: (pair[1].came_again is not False, pair[1].relative or inf))
        is_once = size.form is not None and size.came_again is False
        wrong = [run for run, _ in found]
        version = torch.version if torch is not None and framework == "torch" else None
        yield Finding(
            severity=Severity.WARNING,
            confidence=ONCE if is_once else SURE,
            subject=f"{framework}:{device}",
            evidence=(
                Evidence("computed_on", f"{framework} {version or ''}".strip() + f", {device}", worst.origin),
                Evidence("operations_wrong", _with_settings(wrong), worst.origin),
                Evidence("settings_compared", settings(wrong), worst.origin),
                Evidence("measured_error", figure(size.relative) or "NaN", worst.origin),
                *_times(size.times, worst.origin),
                *_how_it_lies(worst, size),
                *([Evidence("without_error", str(worst.reordered.runs + 1))] if is_once and worst.reordered else ()),
            ),
            values={FRAMEWORK: framework}
            | {
                "how_far": error_phrase(
                    size.relative, size.times, (worst.against, worst.beside), form=size.form, is_once=is_once
                )
            },
        )


def _how_it_lies(measured: Precision, size: Magnitude) -> Iterator[Evidence]:
    """Which elements are the farthest, or the factor by which all are off."""
    shape = measured.shape
    if shape is not None and size.form is Form.SCALED:
        yield Evidence("off_by_factor", f"{1 + shape.slope:.6g}", measured.origin)
    elif shape is not None and size.form is not None:
        places = (f"[{', '.join(map(str, place))}]" for place in shape.places[:_PLACES])
        yield Evidence("wrong_places", ", ".join(places), measured.origin)


def _times(times: float | None, origin: str = "") -> Iterator[Evidence]:
    """How many times what rounding makes, where that is a number."""
    if figure(times):
        yield Evidence("times_rounding", figure(times), origin)


def _with_settings(wrong: Sequence[Precision]) -> str:
    """The operations, with the setting of those that are right by default."""
    by_default = dict.fromkeys(run.operation for run in wrong if run.setting == DEFAULT)
    others = (f"{run.operation}: {run.setting}" for run in wrong if run.operation not in by_default)
    return ", ".join((*by_default, *dict.fromkeys(others)))


def _in_models(models: tuple[ModelMeasured, ...]) -> Iterator[Finding]:
    """Runs of a model that are farther apart than rounding in that network: one finding per device, of the worst."""
    groups: dict[tuple[str, str, str], list[ModelMeasured]] = {}
    for model in models:
        if size_of(model) is Size.BEYOND:
            groups.setdefault((model.path, model.framework, model.device), []).append(model)
    for here in groups.values():
        worst = max(here, key=lambda run: (bool(run.beyond_node), decides_otherwise(run), relative(run) or inf))
        apart = worst.difference.max_abs if worst.difference else None
        times = apart / worst.bound if apart and worst.bound else None
        yield Finding(
            severity=Severity.BLOCKING if any(map(decides_otherwise, here)) else Severity.WARNING,
            confidence=SURE,
            subject=f"{worst.framework}:{worst.device}:{worst.path}",
            evidence=(
                Evidence("computed_on", place(worst), worst.origin),
                Evidence("operations_wrong", beyond_of(worst), worst.origin),
                *(Evidence("settings_compared", compared(run), run.origin) for run in here),
                Evidence("measured_error", distance(worst), worst.origin),
                *_times(times, worst.origin),
                *decisions(worst),
            ),
            values=values_of(worst)
            | {"how_far": error_phrase(relative(worst), times, [worst.difference], distance(worst))},
        )


def _size(measured: Precision) -> Magnitude:
    """Of its error, or of what a setting changes that may change the order alone: whichever no rounding explains."""
    error = error_of(measured)
    if error.size is Size.BEYOND or not measured.setting.startswith(REORDERS):
        return error
    return change_of(measured)


def _overflows(measured: Precision) -> bool:
    lost = measured.against is not None and (measured.against.nan or measured.against.infinite)
    return bool(lost) and computed_in(measured) == "float16"
