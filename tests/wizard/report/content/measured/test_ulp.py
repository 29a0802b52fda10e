"""How far apart results are, as a plot."""

import pytest

from checks.facts import ArrayDifference
from wizard.plots.chart import chart_of
from wizard.report.content.measured.ulp import ulp_plot


def difference(*histogram: int, max_ulp: int | None = None) -> ArrayDifference:
    return ArrayDifference(
        elements=sum(histogram), differing=sum(histogram[1:]), max_ulp=max_ulp, ulp_histogram=histogram
    )


def test_the_shares_of_each_result() -> None:
    plot = ulp_plot({"near": difference(3, 1), "far": difference(1, 0, 1, 2, max_ulp=7)}, "en")
    assert plot is not None
    near, far = plot.series
    assert (near.x, near.y) == ((0.0, 1.0), (75.0, 25.0))
    assert (far.x, far.y) == ((0.0, 1.0, 2.0, 4.0), (25.0, 0.0, 25.0, 50.0))
    assert plot.summary == "Farthest apart: far, up to 7 ULP; 25 % of its elements are the same."
    assert len(chart_of(plot).series[1].marks) == 4  # zero too has its place


def test_without_a_largest_distance_the_last_class_that_has_any() -> None:
    plot = ulp_plot({"x": difference(0, 0, 5, 0, 0)}, "ja")
    assert plot is not None
    assert "最大2 ULP" in plot.summary


@pytest.mark.parametrize("differences", [{}, {"none": difference()}, {"empty": difference(0, 0)}])
def test_nothing_counted_is_no_plot(differences: dict[str, ArrayDifference]) -> None:
    assert ulp_plot(differences, "en") is None
