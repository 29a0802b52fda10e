"""An exporter to ONNX has no translation for an operation of the model.

Detects:      an export made here that failed with words of the exporter that name an operation or control flow.
Why it bites: the translation stops there, although the model itself runs.
Blind spots:  exports that were not asked for are not tried; an error in other words is reported as unknown.
Knowledge:    resources/knowledge/frameworks/exporters.toml; the signatures of the cause
"""

from collections.abc import Iterator

from checks.analysis.models.exports import unsupported
from checks.causes.registry import check
from checks.facts import Facts, ModelFiles
from checks.facts.finding import Finding

CAUSE = "onnx-export-op-unsupported"


@check(CAUSE)
def onnx_export_op_unsupported(models: ModelFiles, facts: Facts) -> Iterator[Finding]:
    """One finding per model and exporter."""
    yield from unsupported(CAUSE, models, facts)
