"""An exported model computes something else than its original.

Detects:      an export made here whose outputs, for the same input, are farther from the original's than rounding
              explains; and the first node of the export whose result the original does not have.
Why it bites: the file loads and runs without a word, and shifts masks and boxes or changes scores.
Blind spots:  one input is compared; a size or a branch that was fixed while tracing shows only with another. Where the
              original could not be computed in float64, the bound is that of a random walk. A difference that begins
              with a tie (the largest of two equal numbers) is no fault of anybody. Only ONNX is searched node by node.
Knowledge:    resources/knowledge/frameworks/exporters.toml
"""

from collections.abc import Iterator

from checks.analysis.models.exports import about, exports, subject, values_of
from checks.causes.registry import check
from checks.facts import ExportRun, ModelFiles, NodeDifference, OutputDifference
from checks.facts.finding import Evidence, Finding, Inconclusive, Severity
from checks.knowledge.frameworks.exporters import ExportersTable

FEW = 0.01  # part of the answers of a node that decides which ties can turn
LARGE = 2.0**-8  # of the largest value: what half precision loses, and more than a mode of rounding
MEASURED, COMPUTED = 0.95, 0.8  # how sure, by the way in which the bound was found
NEAR = 4.0  # times a computed bound: may still be rounding in an unusual network


@check("exporter-numeric-difference")
def exporter_numeric_difference(models: ModelFiles) -> Iterator[Finding]:
    """One finding per model and exporter."""
    compared = [output for _, run in exports(models) for output in run.outputs or ()]
    if compared and all(measured.shows_nothing for measured in compared):
        raise Inconclusive("nothing-compared")
    for model, run in exports(models):
        apart = [output for output in run.outputs or () if not output.is_rounding]
        if not apart or run.differs_unoptimized is False or _is_tie(run.first_difference):
            continue
        worst = max(apart, key=_size)
        yield Finding(
            severity=_severity(worst, run),
            confidence=MEASURED if run.bound_by == "float64" or worst.bound is None else COMPUTED,
            subject=subject(model, run),
            evidence=(*about(model, run), *_figures(worst, run), *_node(run.first_difference, run.origin)),
            values=values_of(model, run),
        )


def _is_tie(node: NodeDifference | None) -> bool:
    """Whether the two part where a decision between equals falls, for a few elements only."""
    if node is None or node.share is None:
        return False
    return node.op in ExportersTable.read().choices and node.share <= FEW


def _size(output: OutputDifference) -> float:
    """How far apart an output is, in units of what rounding makes; another shape or NaN is the farthest."""
    if output.export_shape is not None or output.max_abs is None or output.nan:
        return float("inf")
    return output.max_abs / output.bound if output.bound else float("inf")


def _severity(worst: OutputDifference, run: ExportRun) -> Severity:
    """Blocking where the answers change; a difference that a computed bound may have missed is a note."""
    size = _size(worst)
    changes = worst.same_top is not None and worst.same_top < 1
    if size == float("inf") or changes or (worst.max_rel or 0.0) >= LARGE:
        return Severity.BLOCKING
    return Severity.NOTE if run.bound_by != "float64" and size < NEAR else Severity.WARNING


def _figures(worst: OutputDifference, run: ExportRun) -> Iterator[Evidence]:
    inputs = ", ".join(f"{spec.name} {spec.dtype} {list(spec.shape or ())}" for spec in run.inputs or ())
    if inputs:
        yield Evidence("export_input", inputs, run.origin)
    if worst.export_shape is not None:
        yield Evidence("original_gives", str(list(worst.shape)), run.origin)
        yield Evidence("export_gives", str(list(worst.export_shape)), run.origin)
        return
    if worst.nan:
        yield Evidence("nan_on_one_side", str(worst.nan), run.origin)
    if worst.max_abs is not None:
        yield Evidence("largest_difference", f"{worst.max_abs:.3g} / {worst.scale or 0.0:.3g}", run.origin)
        yield Evidence("rounding_explains", f"{worst.bound or 0.0:.3g}", run.origin)
    if worst.same_top is not None and worst.same_top < 1:
        yield Evidence("answers_changed", f"{1 - worst.same_top:.1%}", run.origin)


def _node(node: NodeDifference | None, origin: str) -> Iterator[Evidence]:
    if node is None:
        return
    yield Evidence("parting_node", f"{node.name} ({node.op})", origin)
    if node.original_op:
        yield Evidence("original_operation", f"{node.original_op} ({node.original_name})", origin)
    if node.original_place:
        yield Evidence("original_place", node.original_place, origin)
