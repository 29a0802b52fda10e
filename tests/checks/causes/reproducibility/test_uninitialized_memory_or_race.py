"""When uninitialized-memory-or-race speaks, and when it keeps silent."""

import pytest
from support.recorded_repeats import LARGE, frameworks, left_out, measurements, recorded, repeat

from checks.causes.reproducibility.uninitialized_memory_or_race import uninitialized_memory_or_race
from checks.facts import ArrayDifference, Repeat
from checks.facts.finding import Finding, NotHere
from checks.knowledge.phrases import in_language


def findings(*made: Repeat) -> list[Finding]:
    return list(uninitialized_memory_or_race(measurements(*made), frameworks()))


def test_speaks_of_results_that_no_order_makes() -> None:
    (finding,) = findings(repeat("fft", distinct=3, spread=LARGE), repeat("sum"), repeat("integer-sum", dtype="int64"))
    assert finding.subject == "torch cuda:0 fft"
    assert finding.confidence == 0.6
    assert in_language(finding.values["operation"], "en") == "Fourier transform 2D"


def test_surer_where_whole_numbers_vary() -> None:
    (finding,) = findings(repeat("matmul", distinct=2), repeat("matmul", "exact-inputs", distinct=2, n=100))
    assert finding.confidence == 0.8
    assert {each.name: each.value for each in finding.evidence}["exact_inputs"] == "2 / 100"


def test_nan_on_one_side() -> None:
    spread = ArrayDifference(elements=9, differing=2, nan=2, scale=1.0)
    (finding,) = findings(repeat("fft", distinct=2, spread=spread))
    assert {each.name: each.value for each in finding.evidence}["nan_on_one_side"] == "2"


@pytest.mark.parametrize(
    "made",
    [
        pytest.param([repeat("fft")], id="same-bits"),
        pytest.param([repeat("index-add", distinct=9, spread=LARGE)], id="documented"),
        pytest.param([repeat("sum", distinct=2)], id="last-digit"),
        pytest.param([repeat("sum", distinct=2), repeat("sum", "exact-inputs")], id="whole-numbers-repeat"),
        pytest.param(
            [
                repeat("integer-sum", setting, distinct=2, dtype="int64", spread=LARGE)
                for setting in ("default", "fresh-process")
            ],
            id="the-device-is-suspected",
        ),
        pytest.param(
            [
                repeat(name, setting, distinct=2, spread=LARGE)
                for name in ("fft", "sum", "matmul")
                for setting in ("default", "fresh-process")
            ],
            id="too-many-operations",
        ),
    ],
)
def test_silent(made: list[Repeat]) -> None:
    assert findings(*made) == []


def test_silent_on_a_real_processor() -> None:
    assert findings(*recorded("torch-2.13.0-cpu-repeat")) == []  # type: ignore[arg-type]


def test_nothing_repeated_is_no_health() -> None:
    with pytest.raises(NotHere, match="not-measured"):
        findings(left_out("sum", "default", "crashed"))
