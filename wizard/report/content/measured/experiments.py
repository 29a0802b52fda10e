"""The articles' two experiments, in words: the sum of squares, and the small network that was trained repeatedly."""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from checks.analysis.numbers.power import excluded_rate, rounded_up
from checks.analysis.numbers.sum_bound import beyond_rounding, error, in_figures
from checks.facts import Experiment, Measurements
from checks.facts.case import Case
from checks.knowledge.frameworks.computations import operation_name, setting_name
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
    experiments = Measurements(all=case.facts.measurements).of(Experiment)
    return [
        experiment
        for experiment in experiments
        if experiment.operation.startswith(operation) and experiment.values and _is_whole(experiment)
    ]


def _is_whole(experiment: Experiment) -> bool:
    """Whether its parts fit each other; what somebody sent need not."""
    is_network = experiment.operation == NETWORK
    figures = [value for run in experiment.values for value in run if value is not None]
    bits = re.compile("[0-9a-f]{8}" if is_network else "[0-9a-f]{8}([0-9a-f]{8})?")
    return (
        len(experiment.values) == len(experiment.exact)
        and {len(run) for run in (*experiment.values, *experiment.exact)}
        == {len(experiment.steps) if is_network else 1}
        and all(map(math.isfinite, (*figures, experiment.expected or 0.0)))
        and all(bits.fullmatch(word) for run in experiment.exact for word in run)
        and (len(experiment.fingerprints) == len(experiment.values) if is_network else experiment.expected is not None)
    )


def _left_out(case: Case, operation: str, language: str) -> Iterator[str]:
    unmeasured = (
        measurement
        for measurement in case.facts.measurements
        if isinstance(measurement, Experiment) and measurement.reason
    )
    missing = (experiment for experiment in unmeasured if experiment.operation.startswith(operation))
    counted = Counter((experiment.framework, experiment.device, experiment.reason) for experiment in missing)
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
    varying = [experiment for experiment in found if experiment.distinct > 1]
    sentences = [words("measurements.sum-true", language, true=repr(found[0].expected))]
    sentences += [
        words(
            "measurements.sum-varies",
            language,
            way=operation_name(experiment.operation, language),
            place=place_of(experiment, language),
            distinct=experiment.distinct,
            runs=len(experiment.exact),
        )
        for experiment in varying
    ]
    if not varying:
        sentences.append(
            words("measurements.sum-same", language, runs=max(len(experiment.exact) for experiment in found))
        )
    dtypes = list(dict.fromkeys(experiment.dtype for experiment in found))
    tables = tuple(
        _sums(dtype, [experiment for experiment in found if experiment.dtype == dtype], language) for dtype in dtypes
    )
    far = list(_far_off(found, language))
    if not far and any(len(table.rows) > 1 for table in tables):
        sentences.append(words("measurements.sum-order", language))
    return MeasuredSection(
        id=SUM, title=words("measurements.sum-title", language), sentences=(*sentences, *far, *left_out), tables=tables
    )


def _far_off(found: Sequence[Experiment], language: str) -> Iterator[str]:
    for experiment in found:
        far = beyond_rounding(experiment)
        if far is not None:
            yield words(
                "measurements.sum-far",
                language,
                way=operation_name(experiment.operation, language),
                place=place_of(experiment, language),
                error="NaN" if far == math.inf else f"{far:.1g}",
            )


def _sums(dtype: str, found: Sequence[Experiment], language: str) -> Table:
    """The different sums, the nearest to the true one first, each with the ways that gave it."""
    ways: dict[str, list[Experiment]] = {}
    values: dict[str, float | None] = {}
    for experiment in found:
        for (bits, *_), (value, *_) in zip(experiment.exact, experiment.values, strict=True):
            values[bits] = value
            if experiment not in ways.setdefault(bits, []):
                ways[bits].append(experiment)
    errors = {bits: error(value, found[0].expected) for bits, value in values.items()}
    rows = tuple(
        Row(
            cells=(
                "NaN" if values[bits] is None else repr(values[bits]),
                bits,
                "–" if (apart := errors[bits]) is None else f"{in_figures(apart):+.3g}" if apart else "0",
                words("measurements.sum-separator", language).join(_ways(ways[bits], language)),
            ),
            state="warning" if any(experiment.distinct > 1 for experiment in ways[bits]) else "",
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
    by_default = {
        (experiment.framework, experiment.device, experiment.operation)
        for experiment in found
        if experiment.setting == _DEFAULT
    }
    for experiment in found:
        if (
            experiment.setting != _DEFAULT
            and (experiment.framework, experiment.device, experiment.operation) in by_default
        ):
            continue
        way = operation_name(experiment.operation, language)
        if experiment.setting != _DEFAULT:
            way = words("measurements.sum-way", language, way=way, setting=setting_name(experiment.setting, language))
        places.setdefault((experiment.framework, experiment.device), []).append(way)
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
        sentences=(*_network_sentences(found, language), *left_out),
        tables=tuple(_tables(found, language)),
        plots=(_plot(found, language),) if any(len(experiment.steps) >= _DRAWN for experiment in found) else (),
    )


def _network_sentences(found: Sequence[Experiment], language: str) -> Iterator[str]:
    for experiment in found:
        yield _ending(experiment, language)
        broken = next(
            (step for step, *run in zip(experiment.steps, *experiment.values, strict=True) if None in run), None
        )
        if broken is not None:
            yield words("measurements.network-nan", language, place=place_of(experiment, language), step=broken)
    rate = excluded_rate(min((len(experiment.values) for experiment in found if experiment.distinct == 1), default=0))
    if rate is not None:
        yield words("measurements.network-power", language, rate=f"{rounded_up(rate)} %")
    yield from _beside_default(found, language)
    yield from _start(found, language)
    if any(len(experiment.values) < ARTICLE_RUNS or experiment.steps[-1] < ARTICLE_STEPS for experiment in found):
        yield words("measurements.network-short", language, runs=ARTICLE_RUNS, steps=ARTICLE_STEPS)
    yield words("measurements.network-digits", language)


def _ending(experiment: Experiment, language: str) -> str:
    values: dict[str, object] = {
        "place": place_of(experiment, language),
        "runs": len(experiment.values),
        "steps": experiment.steps[-1],
    }
    if experiment.distinct == 1:
        return words("measurements.network-same", language, **values)
    parted = min((step for step in experiment.parted if step is not None), default=experiment.steps[-1])
    last = [run[-1] for run in experiment.values if run[-1] is not None]
    errors = (_percent(min(last, default=None)), _percent(max(last, default=None)))
    return words(
        "measurements.network-parts",
        language,
        distinct=experiment.distinct,
        step=parted,
        least=errors[0],
        most=errors[1],
        **values,
    )


def _beside_default(found: Sequence[Experiment], language: str) -> Iterator[str]:
    """What the deterministic mode costs, step for step, and whether its results are those by default."""
    by_default = {
        (experiment.framework, experiment.device): experiment for experiment in found if experiment.setting == _DEFAULT
    }
    for experiment in found:
        plain = by_default.get((experiment.framework, experiment.device))
        # Runs of another length judge more or less often.
        if plain is None or not experiment.setting.startswith(_DETERMINISTIC) or plain.steps != experiment.steps:
            continue
        if plain.seconds and experiment.seconds and experiment.steps[-1] >= _TELLING:
            times = f"{experiment.seconds / plain.seconds:.2f}"
            yield words("measurements.network-cost", language, place=place_of(experiment, language), times=times)
        if experiment.distinct == plain.distinct == 1 and experiment.fingerprints[0] != plain.fingerprints[0]:
            yield words("measurements.network-other", language, place=place_of(experiment, language))


def _start(found: Sequence[Experiment], language: str) -> Iterator[str]:
    losses = [
        struct.unpack(">f", bytes.fromhex(experiment.exact[0][0]))[0] for experiment in found if not experiment.steps[0]
    ]
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
    for experiment in found:
        if experiment.distinct > 1:
            runs = [
                words("measurements.network-run", language, number=run + 1) for run in range(len(experiment.values))
            ]
            columns = [_Run(name, experiment, run) for run, name in enumerate(runs)]
            yield _errors(
                words("measurements.network-errors", language, place=place_of(experiment, language)), columns, language
            )
    alike = [experiment for experiment in found if experiment.distinct == 1]
    if alike:
        columns = [
            _Run(
                words(
                    "measurements.network-runs",
                    language,
                    place=place_of(experiment, language),
                    runs=len(experiment.values),
                ),
                experiment,
                0,
            )
            for experiment in alike
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
    series = tuple(line for experiment in found for line in _lines(experiment, language))
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


def _lines(experiment: Experiment, language: str) -> Iterator[Series]:
    place = place_of(experiment, language)
    different = list(dict.fromkeys(experiment.values))
    for run in different:
        number = experiment.values.index(run) + 1
        name = (
            place if len(different) == 1 else words("measurements.network-line", language, place=place, number=number)
        )
        yield Series(name, tuple(map(float, experiment.steps)), tuple(None if y is None else y * 100 for y in run))
