"""Which change brings the same bits back: on recorded flips of a real processor, and made ones of a GPU."""

import pytest
from support.recorded_computations import measurements

from checks.analysis.numbers.attribution import Attribution, attributions
from checks.analysis.numbers.magnitude import Size
from checks.facts import ArrayDifference, Flip

OTHERS = {"tensorflow": "tensorflow-2.21.0-cpu-digits", "jax": "jax-0.10.2-cpu-digits"}
RECORDED = attributions(measurements("torch-2.13.0-cpu-digits"))


def found(operation: str, second: str) -> Attribution:
    return next(each for each in RECORDED if each.operation == operation and each.pair[1] == second)


@pytest.mark.parametrize(
    ("operation", "second", "restored"),
    [
        ("matmul", "batch-1", ("batch-1",)),
        ("matmul", "threads-1", ("threads-1",)),
        ("sum", "threads-1", ("threads-1",)),
        ("conv2d", "mkldnn-off", ("mkldnn-off",)),
        ("conv2d", "channels-last", ("contiguous",)),
        # Of three things that were different at once, the one that mattered; or the two.
        ("conv2d", "mkldnn-off+threads-1+batch-1", ("mkldnn-off",)),
        ("linear", "mkldnn-off+threads-1+batch-1", ("batch-1",)),
        ("matmul", "mkldnn-off+threads-1+batch-1", ("batch-1+threads-1",)),
        ("network", "mkldnn-off+threads-1+batch-1", ("batch-1+mkldnn-off",)),
    ],
)
def test_the_cause_is_found_on_a_real_processor(operation: str, second: str, restored: tuple[str, ...]) -> None:
    each = found(operation, second)
    assert each.differs
    assert each.restored_by == restored
    assert each.is_rounding
    assert each.before.size is Size.ROUNDING


@pytest.mark.parametrize(
    ("name", "operation", "second", "restored", "without"),
    [
        ("tensorflow", "matmul", "compiled", ("compiled",), ()),
        ("tensorflow", "linear", "mkldnn-off", ("mkldnn-off",), ("threads-1",)),
        ("tensorflow", "sum", "threads-4", ("threads-1",), ("mkldnn-off",)),
        # Of three things that were different at once, the one that mattered; or the two.
        ("tensorflow", "softmax", "mkldnn-off+threads-4+batch-1", ("mkldnn-off",), ("batch-1", "threads-1")),
        ("jax", "linear", "batch-1", ("batch-1",), ()),
        ("jax", "softmax", "op-by-op", ("op-by-op",), ()),
        ("jax", "sum", "threads-1", ("threads-1",), ("older-instructions",)),
        ("jax", "layer-norm", "older-instructions", ("older-instructions",), ("threads-1",)),
    ],
)
def test_the_cause_is_found_in_other_frameworks(
    name: str, operation: str, second: str, restored: tuple[str, ...], without: tuple[str, ...]
) -> None:
    made = attributions(measurements(OTHERS[name]))
    each = next(each for each in made if each.operation == operation and each.pair[1] == second)
    assert (each.restored_by, each.without_effect) == (restored, without)
    assert each.is_rounding
    assert each.before.size is Size.ROUNDING


@pytest.mark.parametrize(
    ("name", "second", "restored"),
    [
        ("tensorflow", "mkldnn-off+threads-4+batch-1", ("batch-1+mkldnn-off",)),
        ("jax", "older-instructions+threads-1+batch-1", ("batch-1+older-instructions",)),
    ],
)
def test_two_causes_together_in_other_frameworks(name: str, second: str, restored: tuple[str, ...]) -> None:
    made = attributions(measurements(OTHERS[name]))
    assert [each.restored_by for each in made if each.operation == "matmul" and each.pair[1] == second] == [restored]


def test_runs_that_do_not_differ_have_no_cause() -> None:
    same = [each for each in RECORDED if not each.differs]
    assert same
    assert all(not each.restored_by and not each.without_effect for each in same)


BEFORE = ArrayDifference(elements=8192, differing=8190, max_abs=1.1e-2, scale=45.0)
ROUNDED = ArrayDifference(elements=8192, differing=7000, max_abs=2e-5, scale=45.0)
SAME = ArrayDifference(elements=8192, differing=0, max_abs=0.0, scale=45.0)


def flip(setting: str, after: ArrayDifference | None, reason: str = "") -> Flip:
    return Flip(
        framework="torch", operation="matmul", device="cuda:0", dtype="float32", pair=("cpu", "cuda:0"), terms=1024,
        condition=283.0, setting=setting, before=BEFORE, after=after, reason=reason,
    )  # fmt: skip


def test_tf32_between_a_processor_and_a_gpu_leaves_rounding() -> None:
    (each,) = attributions([flip("threads-1", BEFORE), flip("tf32-off", ROUNDED), flip("float64", SAME)])
    assert each.before.size is Size.HALF
    assert each.closer == ("tf32-off",)
    assert each.without_effect == ("threads-1",)
    assert each.restored_by == ()
    assert each.is_rounding


def test_what_was_not_tried_is_not_said_to_have_no_effect() -> None:
    (each,) = attributions([flip("tf32-off", None, "no-time"), flip("float64", None, "no-time")])
    assert each.without_effect == ()
    assert each.is_rounding is None


def test_a_difference_that_stays_in_float64_is_not_rounding() -> None:
    (each,) = attributions([flip("float64", BEFORE)])
    assert each.is_rounding is False
