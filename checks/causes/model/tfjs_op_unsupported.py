"""TensorFlow.js has no code for an operator or layer of a model.

Detects:      operators of a graph model, and layers of a layers model, that the newest TensorFlow.js in the table does
              not know; as a note, operators that one of its backends lacks.
Why it bites: the model does not load or stops at that node ("Unknown op", "Unknown layer: Lambda", "Kernel 'Unique'
              not registered for backend 'webgpu'").
Blind spots:  a program can register operators, kernels and layers of its own. Which release and backend the page uses
              is not in the file; an older release knows fewer operators.
Knowledge:    resources/knowledge/formats/tfjs.toml
"""

from collections.abc import Iterator

from checks.analysis.models.selected import some
from checks.analysis.models.torch import file_of, listed
from checks.causes.registry import check
from checks.facts import ModelFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.formats.tfjs import TfJsTable, is_tfjs_layer, is_tfjs_operator, lacking_backends


@check("tfjs-op-unsupported")
def tfjs_op_unsupported(models: ModelFiles) -> Iterator[Finding]:
    """At most one finding per model."""
    for model in some(models.of("tfjs"), "tfjs_models"):
        names = [operator.name for operator in model.needs.operators or ()]
        is_layers = model.details.get("model-kind") == "layers-model"
        knows = is_tfjs_layer if is_layers else is_tfjs_operator
        unknown = [name for name in names if not knows(name)]
        if unknown:
            yield _unknown(model, unknown, is_layers=is_layers)
        elif not is_layers and (lacking := lacking_backends(names)):
            yield _lacking(model, lacking)


def _unknown(model: ModelFacts, unknown: list[str], *, is_layers: bool) -> Finding:
    table = TfJsTable.read()
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.85,
        subject=model.path,
        evidence=(
            file_of(model),
            Evidence("layer_classes" if is_layers else "operators", listed(unknown), model.path),
            Evidence("tfjs_newest", table.newest, table.title),
        ),
        values={"model_path": model.path, "runtime": "tfjs"},
        remedies=("convert-to-tfjs-graph-model",) if is_layers else ("update-tfjs-packages",),
    )


def _lacking(model: ModelFacts, lacking: dict[str, tuple[str, ...]]) -> Finding:
    table = TfJsTable.read()
    names = dict.fromkeys(name for missing in lacking.values() for name in missing)
    return Finding(
        severity=Severity.NOTE,
        confidence=0.8,
        subject=model.path,
        evidence=(
            file_of(model),
            Evidence("operators", listed(names), model.path),
            Evidence("tfjs_backends", ", ".join(lacking), table.title),
            Evidence("tfjs_newest", table.newest, table.title),
        ),
        values={"model_path": model.path, "runtime": "tfjs"},
        remedies=("use-other-tfjs-backend",),
    )
