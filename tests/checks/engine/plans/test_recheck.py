"""What is computed once more in a new process, and what is not."""

import pytest
from support.recorded_repeats import LARGE, repeat

from checks.engine.catalogues.computations import ComputationSpec
from checks.engine.plans.compute import computation
from checks.engine.plans.recheck import recheck_job
from checks.facts import Facts, Health, Measurement, WrongBits

SPEC = ComputationSpec("torch", "compute/torch/probe", {"repeat": 3.0, "health": 1.0}, 2.0)
JOB = computation("computations:torch:cpu", SPEC, "cpu", {"repeat": 9.0, "health": 4.0}, Facts(), "quick")
WRONG = WrongBits(second=1.0, operation="matmul", index=(1, 2), expected="3f800000", found="3f800001")


def load(*wrong: WrongBits) -> Health:
    return Health(framework="torch", operation="load", device="cpu", length=5.0, checked=9, wrong=wrong)


@pytest.mark.parametrize(
    ("measured", "operations", "kinds"),
    [
        pytest.param([repeat("elementwise", distinct=2)], ["elementwise"], ["repeat"], id="no-order-explains-it"),
        pytest.param([repeat("fft", warm_up="ff"), repeat("sum")], ["fft"], ["repeat"], id="the-first-call"),
        pytest.param([repeat("sum", distinct=2, spread=LARGE)], ["sum"], ["repeat"], id="too-far-apart"),
        pytest.param([load(WRONG), repeat("sum")], [], ["health"], id="wrong-bits"),
    ],
)
def test_what_is_suspect_is_computed_again(
    measured: list[Measurement], operations: list[str], kinds: list[str]
) -> None:
    again = recheck_job(JOB, measured)
    assert again is not None
    assert again.id == "computations:torch:cpu:again"
    assert list(again.seconds) == kinds
    assert (again.argument["operations"], again.argument["setting"]) == (operations, "fresh-process")


@pytest.mark.parametrize(
    "measured",
    [
        pytest.param([repeat("sum"), load()], id="sound"),
        pytest.param([repeat("index-add", distinct=3)], id="documented"),
        pytest.param([repeat("sum", distinct=2)], id="another-order"),
        pytest.param([], id="nothing"),
    ],
)
def test_what_is_sound_is_not(measured: list[Measurement]) -> None:
    assert recheck_job(JOB, measured) is None
