"""What repeated operations show, promise and observation apart."""

import pytest
from support.recorded_repeats import LARGE, NO_FORM, left_out, repeat

from checks.analysis.numbers.repeats import Repeated, Variation, is_device, repeated
from checks.facts import ArrayDifference, Repeat
from checks.knowledge.frameworks.determinism import Promise

NAN = ArrayDifference(elements=64, differing=1, max_abs=0.0, scale=4.0, nan=1)


def one(*made: Repeat, version: str = "2.13.0") -> Repeated:
    (found,) = repeated(made, {"torch": version})
    return found


@pytest.mark.parametrize(
    ("made", "variation"),
    [
        pytest.param([repeat("sum")], Variation.STABLE, id="same-bits"),
        pytest.param([left_out("sum", "default", "no-time")], Variation.UNTESTED, id="no-time-is-not-stable"),
        pytest.param([repeat("index-add", distinct=7)], Variation.DOCUMENTED, id="documented"),
        pytest.param(
            [repeat("index-add", distinct=7, spread=LARGE)], Variation.DOCUMENTED, id="documented-however-far"
        ),
        # Any order of adding gives these whole numbers, and no document says otherwise.
        pytest.param(
            [repeat("index-add", distinct=7), repeat("index-add", "exact-inputs", distinct=3, spread=LARGE)],
            Variation.WRONG,
            id="documented-but-whole-numbers-are-other-ones",
        ),
        # A convolution by fractions (Winograd's) rounds whole numbers, too.
        pytest.param(
            [repeat("conv2d-backward", distinct=7), repeat("conv2d-backward", "exact-inputs", distinct=3)],
            Variation.DOCUMENTED,
            id="documented-and-whole-numbers-are-rounded",
        ),
        pytest.param(
            [repeat("index-add", distinct=7, spread=NAN)], Variation.WRONG, id="documented-but-no-order-makes-nan"
        ),
        pytest.param([repeat("sum", distinct=2)], Variation.ORDER, id="last-digit"),
        pytest.param([repeat("sum", distinct=2), repeat("sum", "exact-inputs")], Variation.ORDER, id="exact-repeats"),
        pytest.param([repeat("sum", distinct=2, spread=LARGE)], Variation.WRONG, id="too-far-apart"),
        pytest.param([repeat("sum", distinct=2, spread=NAN)], Variation.WRONG, id="nan"),
        pytest.param(
            [repeat("sum", distinct=2), repeat("sum", "exact-inputs", distinct=2)], Variation.WRONG, id="exact-varies"
        ),
        pytest.param([repeat("integer-sum", distinct=2, dtype="int64")], Variation.WRONG, id="whole-numbers"),
        pytest.param([repeat("elementwise", distinct=2)], Variation.WRONG, id="no-order-at-all"),
        pytest.param([repeat("sort", distinct=2, dtype="int64", spread=LARGE)], Variation.ORDER, id="choice-of-equals"),
        pytest.param(
            [
                repeat("max-pool2d-backward", device="cpu", distinct=2),
                repeat("max-pool2d-backward", "exact-inputs", device="cpu", distinct=2),
            ],
            Variation.ORDER,
            id="choice-of-equal-whole-numbers",
        ),
        pytest.param([repeat("linalg-eigh", distinct=2, spread=LARGE)], Variation.ORDER, id="direction-of-a-vector"),
        pytest.param([repeat("sum", warm_up="ff")], Variation.FIRST_CALL, id="only-the-first-call"),
        pytest.param([repeat("elementwise", warm_up="ff")], Variation.FIRST_CALL, id="first-call-of-what-has-no-order"),
        pytest.param([repeat("elementwise", distinct=2, warm_up="ff")], Variation.WRONG, id="not-only-the-first-call"),
    ],
)
def test_variation(made: list[Repeat], variation: Variation) -> None:
    assert one(*made).variation is variation


def test_what_mends_it_and_what_that_costs() -> None:
    found = one(
        repeat("index-add", distinct=9),
        repeat("index-add", "deterministic", seconds=4e-3),
        repeat("index-add", "exact-inputs"),
        repeat("index-add", "cudnn-off", distinct=3),
    )
    assert found.mended_by == ("deterministic",)
    assert found.cost == pytest.approx(4.0)
    assert (found.promised.by_default, found.promised.in_mode) == (Promise.VARIES, Promise.REPEATS)


def test_nothing_is_mended_that_never_varied() -> None:
    assert one(repeat("sum"), repeat("sum", "deterministic")).mended_by == ()


@pytest.mark.parametrize(
    ("default", "others"),
    [
        pytest.param(repeat("sum", distinct=3, n=30, counts=(15, 9, 6)), 15, id="than-the-usual-one"),
        pytest.param(repeat("sum", n=299, warm_up="ff"), 0, id="the-first-call-is-not-counted"),
        pytest.param(repeat("sum", distinct=4, n=5, counts=()), 3, id="that-are-only-known-to-differ"),
        pytest.param(repeat("sum"), 0, id="never"),
    ],
)
def test_how_often_it_gave_another_result(default: Repeat, others: int) -> None:
    assert default.others == others


def test_of_many_operations_each_has_its_part_of_the_chance_to_be_wrong() -> None:
    """One setting of one operation alone is surer of its effect than one among a hundred."""
    seldom, set_ = repeat("index-add", distinct=3, n=30), repeat("index-add", "deterministic", n=300)
    crowd = [repeat(f"operation-{place}") for place in range(97)]
    assert one(seldom, set_).mended_by == ("deterministic",)
    assert repeated([seldom, set_, *crowd], {})[0].mended_by == ()
    enough = repeat("index-add", "deterministic", n=1000)
    assert repeated([seldom, enough, *crowd], {})[0].mended_by == ("deterministic",)


def test_so_few_equal_results_mend_nothing() -> None:
    """What was another result twice in 30 stays away from three repetitions by chance."""
    seldom = repeat("index-add", distinct=3, n=30)
    few = one(seldom, repeat("index-add", "deterministic", n=3))
    assert (few.mended_by, few.is_open) == ((), True)
    many = one(seldom, repeat("index-add", "deterministic", n=300))
    assert (many.mended_by, many.is_open) == (("deterministic",), False)


def test_the_cost_of_another_size_is_not_told() -> None:
    assert one(repeat("sum"), repeat("sum", "deterministic", scale=16.0)).cost is None


def test_what_is_refused() -> None:
    found = one(repeat("histc"), left_out("histc", "deterministic", "no-deterministic-form", NO_FORM))
    assert found.raises is not None
    assert found.cost is None


def test_a_device_is_suspected_when_more_than_one_operation_computes_wrongly() -> None:
    def wrong(*names: str, again: int = 2) -> tuple[Repeated, ...]:
        first = [repeat(name, distinct=2, spread=LARGE) for name in names]
        return repeated([*first, *(repeat(name, "fresh-process", distinct=again) for name in names)], {})

    assert not is_device(wrong("sum"))
    assert not is_device(wrong("sum", "fft"))
    assert is_device(wrong("sum", "fft", "matmul"))
    assert is_device(wrong("integer-sum"))
    assert not is_device(wrong("integer-sum", "sum", "fft", "matmul", again=1)), "it did not come again"


def test_two_devices_are_two() -> None:
    found = repeated([repeat("sum"), repeat("sum", device="cpu", distinct=2)], {})
    assert [each.device for each in found] == ["cuda:0", "cpu"]
    assert [each.variation for each in found] == [Variation.STABLE, Variation.ORDER]
