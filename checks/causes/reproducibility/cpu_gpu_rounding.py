"""Results of the processor and the GPU of this machine differ in the last digits.

Detects:      operations whose results in one framework differ in their bits between the processor and an accelerator,
              within what rounding order allows; the user's model on both.
Why it bites: a test that compares both devices exactly fails, though nothing is wrong.
Blind spots:  results are compared by samples and sums of blocks. What is farther apart than rounding has another cause
              (TensorFloat-32, half precision, a wrong operation).
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator

from checks.analysis.models.repeats import of_models, rounding_in_models, size_of
from checks.analysis.numbers.digit_findings import doubt_if_farther, rounding_between
from checks.analysis.numbers.repeats import is_processor
from checks.analysis.numbers.side_by_side import Pair, pairs_here
from checks.causes.registry import check
from checks.facts import Measurements, Symptom
from checks.facts.finding import Finding, NotHere


@check("cpu-gpu-rounding")
def cpu_gpu_rounding(measurements: Measurements, symptom: Symptom | None) -> Iterator[Finding]:
    """One finding per framework and pair of devices, and per model of the user."""
    models = of_models(measurements, "device")
    yield from rounding_in_models(measurements, symptom, "device")
    pairs = [pair for pair in pairs_here(measurements.all) if _is_cpu_and_gpu(pair)]
    if not pairs and not models:
        has_both = any(not is_processor(run.device) for run in measurements.all)
        raise NotHere("portraits", "not-measured" if has_both else "one-device")
    yield from rounding_between(pairs, symptom)
    doubt_if_farther((*(pair.size.size for pair in pairs), *map(size_of, models)))


def _is_cpu_and_gpu(pair: Pair) -> bool:
    return pair.first.framework == pair.second.framework and pair.first.kind != pair.second.kind
