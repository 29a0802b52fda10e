"""What is drawn of a plot."""

from wizard.plots.chart import MOST_CATEGORIES, MOST_POINTS, MOST_SERIES, chart_of
from wizard.report.content.blocks import Plot, Series


def plot(*series: Series, kind: str = "lines", **more: object) -> Plot:
    return Plot("Title", kind, "run", "sum", series, "It rises.", **more)  # type: ignore[arg-type]


def test_a_gap_parts_a_line() -> None:
    chart = chart_of(plot(Series("cpu", (1, 2, 3, 4), (1.0, None, 3.0, 4.0))))
    assert [[place.x for place in line] for line in chart.series[0].lines] == [[1], [3, 4]]
    assert [place.words for place in chart.series[0].marks] == [
        "cpu: run 1, sum 1",
        "cpu: run 3, sum 3",
        "cpu: run 4, sum 4",
    ]


def test_what_a_logarithm_cannot_show_is_a_gap_and_zero_is_not() -> None:
    chart = chart_of(plot(Series("cpu", (1, 2, 3), (0.0, -1.0, 1e-7)), log_y=True))
    assert [place.words for place in chart.series[0].marks] == ["cpu: run 1, sum 0", "cpu: run 3, sum 1e−07"]


def test_a_long_line_keeps_its_peak() -> None:
    long = 100_000
    ys = [0.0] * long
    ys[70_003] = 9.0
    ys[20_001] = -9.0
    chart = chart_of(plot(Series("cpu", tuple(map(float, range(long))), tuple(ys))))
    (line,) = chart.series[0].lines
    assert len(line) <= MOST_POINTS
    assert {place.y for place in line} == {0.0, 9.0, -9.0}
    assert 0 < len(chart.series[0].marks) < 20


def test_bars_stand_side_by_side_and_a_missing_one_is_missing() -> None:
    chart = chart_of(
        plot(
            Series("a", (0, 1), (1.0, 2.0)),
            Series("b", (0, 1), (3.0, None)),
            kind="bars",
            categories=("first", "second"),
        )
    )
    first, second = chart.series
    assert first.bars[0].end == second.bars[0].start
    assert [bar.words for bar in second.bars] == ["b: first, 3"]
    assert [reading[1].words for reading in chart.readings()] == ["a: first, 1", "a: second, 2", "b: first, 3"]


def test_a_line_through_places_with_names_reads_these_out() -> None:
    plot = Plot("t", "lines", "node", "apart", (Series("a", (0.0, 1.0), (1.0, 2.0)),), "", categories=("conv", "relu"))
    assert [value.words for _, value in chart_of(plot).readings()] == ["a: conv, apart 1", "a: relu, apart 2"]


def test_too_many_are_counted() -> None:
    many = tuple(Series(str(number), (0.0,), (1.0,)) for number in range(MOST_SERIES + 3))
    assert chart_of(plot(*many)).left_out == 3
    names = tuple(map(str, range(MOST_CATEGORIES + 5)))
    bars = plot(Series("a", (), tuple([1.0] * len(names))), kind="bars", categories=names)
    assert chart_of(bars).left_out == 5


def test_nothing_is_no_error() -> None:
    assert chart_of(plot()).readings() == []
    assert chart_of(plot(Series("a", (), ()), kind="bars")).readings() == []


def test_few_counted_values_need_little_height() -> None:
    assert chart_of(plot(Series("which", (1, 2, 3), (1.0, 2.0, 1.0)))).is_flat
    assert not chart_of(plot(Series("which", (1, 2, 3), (1.0, 20.0, 1.0)))).is_flat
    assert not chart_of(plot(Series("which", (1, 2, 3), (1.0, 1.5, 1.0)))).is_flat
