"""The articles' two experiments, in words: the sum of squares, and the small network that was trained repeatedly."""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from checks.analysis.numbers.power import excluded_rate
from checks.analysis.numbers.sum_bound import beyond_rounding, error, in_figures
from checks.facts import Experiment, Measurements
from checks.knowledge.frameworks.computations import operation_name, setting_name
from checks.sharing.case import Case
from wizard.report.content.blocks import MeasuredSection, Plot, Row, Series, Table
from wizard.report.content.measured.line import MOST_NAMED, framework_name, place_of
from wizard.report.content.measured.words import percent
from wizard.words import known, words

SUM, NETWORK = "sum-of-squares", "digits-network"
ARTICLE_RUNS, ARTICLE_STEPS = 5, 1000
_ROUNDED = 1e-5  # of the loss of the untrained network: more than float32 rounds, less than TensorFloat-32 does
_TELLING = 100  # steps; of fewer, the time is that of what happens once
_DRAWN = 3  # steps from which on the errors make a line
_DIGITS = 8  # of a fingerprint that are printed
_DEFAULT, _DETERMINISTIC = "default", "deterministic"


def _experiments(case: Case, operation: str) -> list[Experiment]:
    """Those of an operation and its variants that gave something."""
    made = Measurements(all=case.facts.measurements).of(Experiment)
    return [each for each in made if each.operation.startswith(operation) and each.values and _is_whole(each)]


def _is_whole(each: Experiment) -> bool:
    """Whether its parts fit each other; what somebody sent need not."""
    is_network = each.operation == NETWORK
    figures = [value for run in each.values for value in run if value is not None]
    bits = re.compile("[0-9a-f]{8}" if is_network else "[0-9a-f]{8}([0-9a-f]{8})?")
    return (
        len(each.values) == len(each.exact)
        and {len(run) for run in (*each.values, *each.exact)} == {len(each.steps) if is_network else 1}
        and all(map(math.isfinite, (*figures, each.expected or 0.0)))
        and all(bits.fullmatch(word) for run in each.exact for word in run)
        and (len(each.fingerprints) == len(each.values) if is_network else each.expected is not None)
    )


def _left_out(case: Case, operation: str, language: str) -> Iterator[str]:
    """How many of each framework and device were not measured, and why."""
    made = (
        measurement
        for measurement in case.facts.measurements
        if isinstance(measurement, Experiment) and measurement.reason
    )
    missing = (each for each in made if each.operation.startswith(operation))
    counted = Counter((each.framework, each.device, each.reason) for each in missing)
    for (framework, device, reason), count in counted.most_common(MOST_NAMED):
        place = _place(framework, device, language)
        why = known(f"measurements.reason-{reason}", reason, language)
        yield words("measurements.experiment-left-out", language, place=place, count=count, why=why)


def _place(framework: str, device: str, language: str) -> str:
    return words("measurements.computing", language, framework=framework_name(framework, language), device=device)


# --- the sum ----------------------------------------------------------------------------------------------------------


def sum_section(case: Case, language: str) -> MeasuredSection | None:
    """Which sums came out, which ways of adding gave them, and whether each way repeats."""
    found = _experiments(case, SUM)
    left_out = tuple(_left_out(case, SUM, language))
    if not found:
        return MeasuredSection(SUM, words("measurements.sum-title", language), left_out) if left_out else None
    varying = [each for each in found if each.distinct > 1]
    sentences = [words("measurements.sum-true", language, true=repr(found[0].expected))]
    sentences += [
        words(
            "measurements.sum-varies",
            language,
            way=operation_name(each.operation, language),
            place=place_of(each, language),
            distinct=each.distinct,
            runs=len(each.exact),
        )
        for each in varying
    ]
    if not varying:
        sentences.append(words("measurements.sum-same", language, runs=max(len(each.exact) for each in found)))
    dtypes = list(dict.fromkeys(each.dtype for each in found))
    tables = tuple(_sums(dtype, [each for each in found if each.dtype == dtype], language) for dtype in dtypes)
    far = list(_far_off(found, language))
    if not far and any(len(table.rows) > 1 for table in tables):
        sentences.append(words("measurements.sum-order", language))
    return MeasuredSection(
        id=SUM, title=words("measurements.sum-title", language), sentences=(*sentences, *far, *left_out), tables=tables
    )


def _far_off(found: Sequence[Experiment], language: str) -> Iterator[str]:
    """The ways that are farther from the true sum than rounding brings it, in the order in which they are added."""
    for each in found:
        far = beyond_rounding(each)
        if far is not None:
            yield words(
                "measurements.sum-far",
                language,
                way=operation_name(each.operation, language),
                place=place_of(each, language),
                error="NaN" if far == math.inf else f"{far:.1g}",
            )


def _sums(dtype: str, found: Sequence[Experiment], language: str) -> Table:
    """The different sums, the nearest to the true one first, each with the ways that gave it."""
    ways: dict[str, list[Experiment]] = {}
    values: dict[str, float | None] = {}
    for each in found:
        for (bits, *_), (value, *_) in zip(each.exact, each.values, strict=True):
            values[bits] = value
            if each not in ways.setdefault(bits, []):
                ways[bits].append(each)
    errors = {bits: error(value, found[0].expected) for bits, value in values.items()}
    rows = tuple(
        Row(
            cells=(
                "NaN" if values[bits] is None else repr(values[bits]),
                bits,
                "–" if (apart := errors[bits]) is None else f"{in_figures(apart):+.3g}" if apart else "0",
                words("measurements.sum-separator", language).join(_ways(ways[bits], language)),
            ),
            state="warning" if any(each.distinct > 1 for each in ways[bits]) else "",
        )
        for bits in sorted(ways, key=lambda bits: _far(errors[bits]))
    )
    return Table(
        title=dtype,
        columns=tuple(words(f"measurements.sum-column-{name}", language) for name in ("sum", "bits", "error", "ways")),
        rows=rows,
        numeric=(0, 1, 2),
    )


def _far(apart: Fraction | None) -> tuple[bool, Fraction]:
    return apart is None, abs(apart or Fraction(0))


def _ways(found: Sequence[Experiment], language: str) -> Iterator[str]:
    """The ways of each framework on each device: "NumPy on cpu: sum, dot product".

    A setting under which a way gives the same bits as by default is not named.
    """
    places: dict[tuple[str, str], list[str]] = {}
    by_default = {(each.framework, each.device, each.operation) for each in found if each.setting == _DEFAULT}
    for each in found:
        if each.setting != _DEFAULT and (each.framework, each.device, each.operation) in by_default:
            continue
        way = operation_name(each.operation, language)
        if each.setting != _DEFAULT:
            way = words("measurements.sum-way", language, way=way, setting=setting_name(each.setting, language))
        places.setdefault((each.framework, each.device), []).append(way)
    for (framework, device), ways in places.items():
        name = _place(framework, device, language)
        yield words(
            "measurements.sum-ways", language, place=name, ways=words("report.list-separator", language).join(ways)
        )


# --- the network ------------------------------------------------------------------------------------------------------


def network_section(case: Case, language: str) -> MeasuredSection | None:
    """Whether the runs of each framework ended in the same bits; the validation errors as the article prints them."""
    found = _experiments(case, NETWORK)
    title = words("measurements.network-title", language)
    left_out = tuple(_left_out(case, NETWORK, language))
    if not found:
        return MeasuredSection(NETWORK, title, left_out) if left_out else None
    return MeasuredSection(
        id=NETWORK,
        title=title,
        sentences=(*_said(found, language), *left_out),
        tables=tuple(_tables(found, language)),
        plots=(_plot(found, language),) if any(len(each.steps) >= _DRAWN for each in found) else (),
    )


def _said(found: Sequence[Experiment], language: str) -> Iterator[str]:
    for each in found:
        yield _ending(each, language)
        broken = next((step for step, *run in zip(each.steps, *each.values, strict=True) if None in run), None)
        if broken is not None:
            yield words("measurements.network-nan", language, place=place_of(each, language), step=broken)
    rate = excluded_rate(min((len(each.values) for each in found if each.distinct == 1), default=0))
    if rate is not None:
        yield words("measurements.network-power", language, rate=percent(rate))
    yield from _beside_default(found, language)
    yield from _start(found, language)
    if any(len(each.values) < ARTICLE_RUNS or each.steps[-1] < ARTICLE_STEPS for each in found):
        yield words("measurements.network-short", language, runs=ARTICLE_RUNS, steps=ARTICLE_STEPS)
    yield words("measurements.network-digits", language)


def _ending(each: Experiment, language: str) -> str:
    told: dict[str, object] = {"place": place_of(each, language), "runs": len(each.values), "steps": each.steps[-1]}
    if each.distinct == 1:
        return words("measurements.network-same", language, **told)
    parted = min((step for step in each.parted if step is not None), default=each.steps[-1])
    last = [run[-1] for run in each.values if run[-1] is not None]
    errors = (_percent(min(last, default=None)), _percent(max(last, default=None)))
    return words(
        "measurements.network-parts",
        language,
        distinct=each.distinct,
        step=parted,
        least=errors[0],
        most=errors[1],
        **told,
    )


def _beside_default(found: Sequence[Experiment], language: str) -> Iterator[str]:
    """What the deterministic mode costs, step for step, and whether its results are those by default."""
    by_default = {(each.framework, each.device): each for each in found if each.setting == _DEFAULT}
    for each in found:
        plain = by_default.get((each.framework, each.device))
        # Runs of another length judge more or less often.
        if plain is None or not each.setting.startswith(_DETERMINISTIC) or plain.steps != each.steps:
            continue
        if plain.seconds and each.seconds and each.steps[-1] >= _TELLING:
            times = f"{each.seconds / plain.seconds:.2f}"
            yield words("measurements.network-cost", language, place=place_of(each, language), times=times)
        if each.distinct == plain.distinct == 1 and each.fingerprints[0] != plain.fingerprints[0]:
            yield words("measurements.network-other", language, place=place_of(each, language))


def _start(found: Sequence[Experiment], language: str) -> Iterator[str]:
    """How far apart the losses are before anything was learned: the same pictures and weights in all."""
    losses = [struct.unpack(">f", bytes.fromhex(each.exact[0][0]))[0] for each in found if not each.steps[0]]
    if len(losses) < 2 or not all(0 < loss < math.inf for loss in losses):
        return
    apart = (max(losses) - min(losses)) / max(losses)
    if apart:
        key = "network-start" if apart < _ROUNDED else "network-start-apart"
        yield words(f"measurements.{key}", language, apart=f"{apart:.1g}")
    else:
        yield words("measurements.network-start-same", language)


def _percent(value: float | None) -> str:
    return "NaN" if value is None else percent(value, 1)


def _tables(found: Sequence[Experiment], language: str) -> Iterator[Table]:
    """As the article prints them, a column for each run; runs that are alike in every bit share one."""
    for each in found:
        if each.distinct > 1:
            runs = [words("measurements.network-run", language, number=run + 1) for run in range(len(each.values))]
            columns = [_Run(name, each, run) for run, name in enumerate(runs)]
            yield _errors(
                words("measurements.network-errors", language, place=place_of(each, language)), columns, language
            )
    alike = [each for each in found if each.distinct == 1]
    if alike:
        columns = [
            _Run(
                words("measurements.network-runs", language, place=place_of(each, language), runs=len(each.values)),
                each,
                0,
            )
            for each in alike
        ]
        yield _errors(words("measurements.network-errors-alike", language), columns, language)


@dataclass(frozen=True)
class _Run:
    """A column of the table: a run of an experiment, or all of its runs where they are alike."""

    name: str
    experiment: Experiment
    number: int

    @property
    def errors(self) -> dict[int, float | None]:
        """The validation error after each step at which it was taken."""
        return dict(zip(self.experiment.steps, self.experiment.values[self.number], strict=True))

    @property
    def bits(self) -> str:
        """The beginning of the fingerprint of the weights."""
        return self.experiment.fingerprints[self.number][:_DIGITS]


def _errors(title: str, runs: Sequence[_Run], language: str) -> Table:
    """A row for every step at which the error was taken in some run."""
    steps = sorted({step for run in runs for step in run.errors if step})
    is_one = len({id(run.experiment) for run in runs}) == 1  # what parts is looked at in one place; two may differ
    rows = [
        Row(
            (str(step), *(_percent(run.errors[step]) if step in run.errors else "" for run in runs)),
            "warning" if is_one and len({run.errors.get(step) for run in runs}) > 1 else "",
        )
        for step in steps
    ]
    parts = is_one and len({run.bits for run in runs}) > 1
    weights = (words("measurements.network-weights", language), *(run.bits for run in runs))
    return Table(
        title=title,
        columns=(words("measurements.network-step", language), *(run.name for run in runs)),
        rows=(*rows, Row(weights, "warning" if parts else "clear")),
        numeric=tuple(range(len(runs) + 1)),
    )


def _plot(found: Sequence[Experiment], language: str) -> Plot:
    """A line for each different run."""
    series = tuple(line for each in found for line in _lines(each, language))
    return Plot(
        title=words("measurements.network-plot", language),
        kind="lines",
        x_label=words("measurements.network-step", language),
        y_label="%",
        series=series,
        summary=_summary(series, language),
    )


def _summary(series: Sequence[Series], language: str) -> str:
    """The errors at the last step that all of them came to: those of other steps are not comparable."""
    common = set(series[0].x).intersection(*(line.x for line in series)) - {0.0}
    if not common:
        return words("measurements.network-summary-apart", language)
    step = max(common)
    errors = [y for line in series if (y := line.y[line.x.index(step)]) is not None]
    least, most = f"{min(errors, default=100.0):.1f}", f"{max(errors, default=100.0):.1f}"
    key = f"network-summary{'-one' if least == most else ''}"
    return words(f"measurements.{key}", language, step=round(step), least=least, most=most)


def _lines(each: Experiment, language: str) -> Iterator[Series]:
    place = place_of(each, language)
    different = list(dict.fromkeys(each.values))
    for run in different:
        number = each.values.index(run) + 1
        name = (
            place if len(different) == 1 else words("measurements.network-line", language, place=place, number=number)
        )
        yield Series(name, tuple(map(float, each.steps)), tuple(None if y is None else y * 100 for y in run))
