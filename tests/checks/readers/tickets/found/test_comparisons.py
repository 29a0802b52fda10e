"""What Polygraphy prints of two runners: the largest difference of each output, and how large its values are."""

from checks.readers.tickets.found.comparisons import read_comparisons
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in

# The form of Polygraphy 0.49: figures of the outputs, then of their differences.
PRINTED = """\
[I]         trt-runner-N0: y | Stats: mean=0.0131, std-dev=1.204, median=0.01, min=-7.5 at (0, 33), max=6.9 at (0, 7)
[I]         onnxrt-runner-N0: y | Stats: mean=0.0131, std-dev=1.204, median=0.01, min=-7.4 at (0, 33), max=6.9 at (0, 7)
[I]             Minimum Required Tolerance: elemwise error | [abs=0.0061345] OR [rel=1.2208]
[I]             Absolute Difference | Stats: mean=0.00098, min=0 at (0, 12), max=0.0061345 at (0, 402)
[I]             Relative Difference | Stats: mean=0.011, min=7.4e-08 at (0, 3), max=1.2208 at (0, 28)
[E]         FAILED | Output: 'y' | Difference exceeds tolerance (rel=1e-05, abs=1e-05)
"""


def test_the_absolute_difference_with_the_size_of_the_values() -> None:
    numbers = reported_in(lines_of(PRINTED)).facts.numbers
    assert numbers is not None
    (told,) = numbers.differences
    assert (told.most, told.scale, told.relative) == (0.0061345, 7.5, None)


def test_no_size_is_made_up_where_none_is_printed() -> None:
    numbers = reported_in(lines_of(PRINTED.rsplit("N0: y", maxsplit=1)[-1].partition("\n")[2])).facts.numbers
    assert numbers is not None
    assert numbers.differences[0].scale is None


def test_other_figures_are_no_comparison() -> None:
    class Other:
        whole = "[I] Stats: mean=1.0 | latency max=3.5 ms\nMemory | Stats: peak"

    assert not list(read_comparisons(Other()))  # type: ignore[arg-type]
