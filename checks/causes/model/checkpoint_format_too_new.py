"""A model file was written by a newer release than the target's reads.

Detects:      a schema of torch.export or a version of TorchScript that the installed PyTorch does not take; a pickle
              of a newer scikit-learn or NumPy; a SavedModel of a newer TensorFlow (a note); by the rows of one table.
Why it bites: the reader refuses the number, or stumbles over what it does not know.
Blind spots:  formats that have a cause of their own (ONNX, TFLite operators, Core ML, Keras, TensorRT) are left to it.
Knowledge:    resources/knowledge/formats/format_readers.toml
"""

from collections.abc import Iterator

from checks.analysis.models.selected import some
from checks.analysis.models.torch import file_of, installed_version, need_a_reader
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.formats.format_readers import Fit, FormatReadersTable, fit, readable_by, rules_of, written


@check("checkpoint-format-too-new")
def checkpoint_format_too_new(
    models: ModelFiles, frameworks: Frameworks | None, interpreter: InterpreterFacts | None
) -> Iterator[Finding]:
    """One finding per file and runtime."""
    table = FormatReadersTable.read()
    waiting = some((file for file in models.files if rules_of(file)), "versioned_models")
    need_a_reader(waiting, frameworks, interpreter)
    for model in waiting:
        seen: set[str] = set()
        for rule in rules_of(model):
            installed, origin = installed_version(rule.runtime, frameworks, interpreter)
            is_loaded = any(run.loaded for run in model.runs if run.runtime == rule.runtime)
            is_told = is_loaded or (rule.severity is Severity.NOTE and rule.runtime in seen)
            if not installed or is_told or fit(rule, model, installed) is not Fit.TOO_NEW:
                continue
            seen.add(rule.runtime)
            readable = readable_by(rule, installed)
            yield Finding(
                severity=rule.severity,
                confidence=0.9 if rule.reads or rule.needs else 0.6,
                subject=f"{model.path} / {rule.runtime}",
                evidence=(
                    file_of(model),
                    Evidence("written_with", written(rule, model), model.path),
                    Evidence("framework", f"{rule.runtime} {installed}", origin),
                    *((Evidence("runtime_reads", readable, table.title, rule.source),) if readable else ()),
                ),
                values={"model_path": model.path, "runtime": rule.runtime},
            )
