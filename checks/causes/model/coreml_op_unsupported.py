"""coremltools cannot convert an operation, or was not made for the versions that are installed.

Detects:      a conversion made here that failed with words of coremltools that name an operation; and one that failed
              otherwise beside a PyTorch or TensorFlow newer than it was tested with.
Why it bites: a newer framework splits a layer into other operations, for which this coremltools has no rule.
Blind spots:  versions beyond the tested ones often work: without a failed conversion there is no finding.
Knowledge:    resources/knowledge/frameworks/exporters.toml; the signatures of the cause
"""

from collections.abc import Iterator

from checks.analysis.models.exports import (
    about,
    exports,
    has_failed,
    hit_in_error,
    severity_of,
    subject,
    unmet,
    unsupported,
    values_of,
)
from checks.analysis.models.runs import telling_line
from checks.causes.registry import check
from checks.facts import Facts, ModelFiles
from checks.facts.finding import Evidence, Finding

CAUSE = "coreml-op-unsupported"
EXPORTER = "coremltools"


@check(CAUSE)
def coreml_op_unsupported(models: ModelFiles, facts: Facts) -> Iterator[Finding]:
    """One finding per model."""
    yield from unsupported(CAUSE, models, facts)
    for model, run in exports(models):
        if run.exporter == EXPORTER and has_failed(run) and run.unmet and hit_in_error(run, facts) is None:
            yield Finding(
                severity=severity_of(model, run),
                confidence=0.6,
                subject=subject(model, run),
                evidence=(*about(model, run), *unmet(run), Evidence("error_text", telling_line(run), run.origin)),
                remedies=("use-tested-torch-for-coremltools",),
                values=values_of(model, run),
            )
