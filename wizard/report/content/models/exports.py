"""What came of exporting a model, in words: a section per exporter on the model's page."""

from __future__ import annotations

from collections.abc import Iterator

from checks.analysis.models.runs import telling_line
from checks.facts import ExportRun, ModelFacts, NodeDifference, OutputDifference, TensorSpec
from checks.knowledge.frameworks.exporters import exporter_of
from wizard.report.content.blocks import FactRow
from wizard.report.content.fact_sheet import FactSection, size
from wizard.report.content.models.reasons import reason_of
from wizard.words import known, words

_MOST = 6  # outputs that are named; the JSON holds all of them
_LONGEST = 1000  # characters of a log


def export_sections(model: ModelFacts, language: str) -> Iterator[FactSection]:
    """One section per exporter that was asked for."""
    for run in model.exports:
        row = exporter_of(run.exporter)
        name = row.name if row else run.exporter
        title = words("models.section-export", language, exporter=name).rstrip(": ")
        yield FactSection(title, tuple(_rows(run, language)))


def _rows(run: ExportRun, language: str) -> Iterator[FactRow]:
    if run.versions:
        listed = (f"{name} {version}" for name, version in run.versions.items())
        yield _row("export-versions", words("report.list-separator", language).join(listed), language)
    if run.fit:
        yield _row("export-fit", _fit(run, language), language)
    yield _row("run", _result(run, language), language)
    if run.exported:
        yield from _written(run, language)
    if run.inputs:
        source = known(f"models.inputs-from-{run.inputs_from}", run.inputs_from, language)
        shapes = words("report.list-separator", language).join(map(_tensor, run.inputs))
        yield _row("export-inputs", words("report.with-detail", language, text=shapes, detail=source), language)
    if run.inputs_renamed:
        yield _row("inputs-renamed", run.inputs_renamed, language)
    for output in (run.outputs or ())[:_MOST]:
        yield FactRow(words("models.row-export-output", language, name=output.name), _compared(output, language))
    if run.first_difference is not None:
        yield _row("export-first-difference", _node(run.first_difference, language), language)
    if run.search:
        outcome = known(f"models.search-{run.search}", run.search, language)
        detail = run.search_detail
        text = words("report.with-detail", language, text=outcome, detail=detail) if detail else outcome
        yield _row("export-search", text, language)
    if run.error is not None:
        yield _row("export-error" if run.exported is False else "run-error", telling_line(run), language)
        if run.log:
            yield _row("export-log", run.log[:_LONGEST], language)


def _fit(run: ExportRun, language: str) -> str:
    outcome = known(f"models.fit-{run.fit}", run.fit, language)
    needs = [
        words("models.fit-need", language, needed=need.needed, found=need.found)
        if need.found
        else words("models.fit-missing", language, needed=need.needed)
        for need in run.unmet
    ]
    return " ".join((outcome, *needs)) if needs else outcome


def _result(run: ExportRun, language: str) -> str:
    outputs = run.outputs or ()
    if outputs:
        is_same = all(output.is_rounding for output in outputs)
        state = "differs" if not is_same else "shows-nothing" if all(o.shows_nothing for o in outputs) else "same"
    elif run.exported:
        state = "refused" if run.ran is False else "exported"
    else:
        state = "failed" if run.exported is False else "unloaded" if run.loaded is False else "not-tried"
    outcome = words(f"models.export-{state}", language)
    why = reason_of(run, language)
    text = " ".join(filter(None, (outcome, why)))
    return words("report.with-detail", language, text=text.rstrip(".。"), detail=run.detail) if run.detail else text


def _written(run: ExportRun, language: str) -> Iterator[FactRow]:
    parts = []
    if run.size is not None:
        parts.append(size(run.size, language))
    if run.opset is not None:
        parts.append(f"opset {run.opset}")
    if run.seconds is not None:
        parts.append(words("models.seconds", language, seconds=run.seconds))
    if run.runner:
        parts.append(words("models.export-runner", language, runner=run.runner))
    if parts:
        yield _row("export-written", words("report.list-separator", language).join(parts), language)


def _compared(output: OutputDifference, language: str) -> str:
    if output.export_shape is not None:
        return words("models.export-shapes", language, first=_shape(output.shape), second=_shape(output.export_shape))
    if output.max_abs is None:
        return words("models.export-equal" if output.equal else "models.export-unequal", language)
    if output.shows_nothing:
        return words("models.export-nothing" if output.nan_in_both else "models.export-empty", language)
    parts = [words("models.export-equal", language)] if output.equal else []
    if not parts:
        parts.append(words("models.export-distance", language, distance=output.max_abs, scale=output.scale or 0.0))
        parts.append(words("models.export-bound", language, bound=output.bound or 0.0))
    if output.nan:
        parts.append(words("models.export-nan", language, count=output.nan))
    if output.nan_in_both:
        parts.append(words("models.export-nan-in-both", language, count=output.nan_in_both))
    if not output.is_rounding and output.share:
        parts.append(words("models.export-share", language, share=output.share))
    if not output.equal and output.cosine is not None:
        parts.append(words("models.export-cosine", language, cosine=output.cosine))
    if output.same_top is not None and output.same_top < 1:
        parts.append(words("models.export-top", language, share=1 - output.same_top))
    return words("report.list-separator", language).join(parts)


def _node(node: NodeDifference, language: str) -> str:
    """The node and what it should be: "/pool/AveragePool (AveragePool) for aten::avg_pool2d (net.py:9)"."""
    sentence = words("models.export-node", language, name=node.name, op=node.op)
    if node.original_op:
        place = f" ({node.original_place})" if node.original_place else ""
        sentence += words("models.export-node-of", language, op=node.original_op, name=node.original_name) + place
    if node.max_abs is not None and node.bound is not None:
        more = words("models.export-distance-of-node", language, distance=node.max_abs, bound=node.bound)
        sentence = words("report.list-separator", language).join((sentence, more))
    return sentence


def _tensor(tensor: TensorSpec) -> str:
    return " ".join(filter(None, (f"{tensor.name}:", tensor.dtype, _shape(tensor.shape or ()))))


def _shape(axes: tuple[int | str, ...]) -> str:
    return "×".join(str(axis) for axis in axes) or "1"


def _row(key: str, value: str, language: str) -> FactRow:
    return FactRow(words(f"models.row-{key}", language), value)
