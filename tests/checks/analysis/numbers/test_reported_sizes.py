"""What the differences that a text tells can be by their size: never more than its numbers show."""

import pytest

from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.reported_sizes import ReportedSize, largest_reported
from checks.facts import ReportedDifference, ReportedNumbers


def size(formats: tuple[str, ...] = (), **told: object) -> ReportedSize:
    difference = ReportedDifference(**told)  # type: ignore[arg-type]
    found = largest_reported(ReportedNumbers(differences=(difference,), formats=formats))
    assert found is not None
    return found


def pair(apart: float, scale: float = 1.0, **told: object) -> ReportedSize:
    return size(least=apart, most=apart, scale=scale, elements=1, **told)


def test_a_unit_in_the_last_place_is_rounding_and_nothing_else() -> None:
    found = pair(8e-8, 0.7)
    assert found.is_last_digits
    assert found.sizes == (Size.ROUNDING,)
    assert found.ulps == pytest.approx(8e-8 / 0.7 / 2**-23)
    assert not found.is_assumed


@pytest.mark.parametrize(
    ("apart", "formats", "sizes", "is_last"),
    [
        (1e-6, (), Size.ROUNDING, False),
        (1e-5, (), Size.ROUNDING, False),
        (5e-4, (), Size.HALF, False),
        (5e-4, ("float16",), Size.ROUNDING, True),
        (5e-3, ("float16",), Size.ROUNDING, False),
        (5e-3, ("bfloat16",), Size.ROUNDING, True),
        (1e-2, (), Size.BFLOAT16, False),
        (0.5, (), Size.BEYOND, False),
        (0.5, ("float16",), Size.BEYOND, False),
        (1e-15, ("float64",), Size.ROUNDING, True),
    ],
)
def test_the_smallest_mechanism_by_size_and_format(
    apart: float, formats: tuple[str, ...], sizes: Size, is_last: bool
) -> None:
    found = pair(apart, formats=formats)
    assert (found.sizes[0], found.is_last_digits) == (sizes, is_last)


def test_of_two_formats_the_last_digits_are_those_of_the_finer_one() -> None:
    assert not pair(5e-4, formats=("float16", "float32")).is_last_digits
    assert pair(5e-4, formats=("float16", "float32")).dtype == "float16"


def test_many_elements_rule_out_what_few_leave_open() -> None:
    few, many = pair(2e-6), size(least=2e-6, most=2e-6, scale=1.0, elements=1_000_000)
    assert Size.HALF in few.sizes
    assert many.sizes == (Size.ROUNDING,)


def test_what_printed_digits_leave_open_is_not_claimed() -> None:
    found = size(least=0.0, most=2e-4, scale=0.5, elements=1)  # 0.5000 and 0.5001
    assert not found.is_last_digits
    assert not found.is_half, "it may be no difference at all"


def test_a_relative_difference_of_one_small_element_does_not_count() -> None:
    found = size(least=4.8e-7, most=4.8e-7, scale=0.3, relative=0.67, elements=6_000_000)
    assert found.relative == pytest.approx(1.6e-6)
    assert found.is_rounding


def test_the_largest_relative_difference_of_any_element_bounds_from_above_alone() -> None:
    """NumPy's "Max relative difference: 1.745" without a size: of an element near 0 it says nothing."""
    large = size(least=5.0, most=5.0, relative=1.745)
    assert large.is_of_any_element
    assert not large.is_beyond
    assert not large.is_too_far_to_have_grown
    assert not size(relative=4e-4).is_half
    assert size(relative=2e-7).is_last_digits, "the largest value is no farther off"
    beside = (ReportedDifference(relative=1.2), ReportedDifference(least=6e-3, most=6e-3))
    found = largest_reported(ReportedNumbers(differences=beside))
    assert found is not None
    assert not found.is_of_any_element


def test_without_the_size_of_the_values_it_is_assumed() -> None:
    found = size(least=1.2e-7, most=1.2e-7)
    assert found.is_assumed
    assert found.is_last_digits
    assert not size(least=1.2e-7, most=1.2e-7, relative=1e-7).is_assumed
    assert not size(least=0.5, most=0.5).is_beyond, "of values around 1000 that is little"


def test_tiny_numbers_may_be_what_larger_ones_left() -> None:
    """5.9605e-08 in PyTorch and 2.3976e-08 in NumPy, of numbers around 0.5 that were subtracted."""
    found = size(first="5.9605e-08", second="2.3976e-08", least=3.5e-8, most=3.6e-8, scale=6e-8)
    assert found.is_left_over
    assert found.is_rounding
    assert found.is_assumed, "of what they were left, nobody knows"
    assert not size(least=1e-5, most=1e-5, scale=2e-5).is_left_over, "rounding of numbers around 1 makes less"


def test_small_whole_numbers_are_not_rounded_in_any_format() -> None:
    assert size(first="11.", second="5.", least=6.0, most=6.0, scale=11.0, dtype="float16").is_of_whole_numbers
    assert not size(first="1025.", second="1024.5", least=0.5, most=0.5, scale=1025.0).is_of_whole_numbers


def test_a_large_relative_difference_beside_a_small_absolute_one_is_of_elements_near_0() -> None:
    assert size(least=1.2e-4, most=1.2e-4, relative=959.0).is_of_small_elements
    assert not size(least=1.2, most=1.2, relative=959.0).is_of_small_elements
    assert not size(least=1.2, most=1.2, relative=0.9).is_of_small_elements


@pytest.mark.parametrize(
    ("about", "apart", "is_too_far"),
    [("", 0.1, True), ("model", 0.1, False), ("model", 0.9, True), ("training", 0.9, False)],
)
def test_over_layers_rounding_grows_to_a_part_of_the_values_and_over_a_training_without_end(
    about: str, apart: float, is_too_far: bool
) -> None:
    told = ReportedDifference(least=apart, most=apart, scale=1.0, elements=1)
    found = largest_reported(ReportedNumbers(differences=(told,), about=about))
    assert found is not None
    assert found.is_too_far_to_have_grown is is_too_far


def test_the_largest_counts_and_what_is_sized_before_what_is_not() -> None:
    near = ReportedDifference(least=1e-7, most=1e-7, scale=1.0)
    far = ReportedDifference(least=0.5, most=0.5, scale=1.0)
    unsized = ReportedDifference(least=3.0, most=3.0)
    assert largest_reported(ReportedNumbers(differences=(near, far))) == largest_reported(
        ReportedNumbers(differences=(far, near, unsized))
    )
    assert largest_reported(ReportedNumbers()) is None
    assert largest_reported(ReportedNumbers(differences=(ReportedDifference(),))) is None


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 0.0, 1e308])
def test_odd_numbers_of_a_damaged_case(value: float) -> None:
    largest_reported(
        ReportedNumbers(differences=(ReportedDifference(least=value, most=value, scale=value, elements=0),))
    )
