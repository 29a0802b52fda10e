"""A model file is of a format, or of a release, that today's programs no longer read.

Detects:      files of frameworks that are no longer made (Torch7, Caffe, MXNet, Chainer, GGML before GGUF); a schema of
              torch.export older than the installed PyTorch takes; a pickle of an older scikit-learn.
Why it bites: the reader has dropped the format, or finds objects with the inner layout of another time.
Blind spots:  old programs that still read it may be installed outside the target.
Knowledge:    resources/knowledge/formats/format_readers.toml, model_formats.toml, model_converters.toml
"""

from collections.abc import Iterator

from checks.analysis.models.torch import file_of, installed_version, need_a_reader
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, ModelFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.formats.format_readers import Fit, FormatReadersTable, fit, readable_by, rules_of, written
from checks.knowledge.formats.model_converters import way_out
from checks.knowledge.formats.model_formats import ModelFormatsTable, model_format


@check("checkpoint-format-too-old")
def checkpoint_format_too_old(
    models: ModelFiles, frameworks: Frameworks | None, interpreter: InterpreterFacts | None
) -> Iterator[Finding]:
    """One finding per file and runtime."""
    for model in models.files:
        if any(run.loaded for run in model.runs):
            continue
        yield from _retired(model)
        yield from _older(model, frameworks, interpreter)
    need_a_reader([model for model in models.files if rules_of(model)], frameworks, interpreter)


def _retired(model: ModelFacts) -> Iterator[Finding]:
    row = model_format(model.format) if model.format else None
    if row is None or row.retired is None:
        return
    table, way = ModelFormatsTable.read(), way_out(row.id)
    programs = "; ".join((*way.reads, *way.converts)) if way else ""
    yield Finding(
        severity=Severity.WARNING,
        confidence=0.8,
        subject=model.path,
        evidence=(
            file_of(model),
            Evidence("model_format", row.name, model.path),
            Evidence("retired", str(row.retired), table.title, row.source or table.source),
            *((Evidence("programs_left", programs, table.title),) if programs else ()),
        ),
        values={"model_path": model.path, "runtime": ""},
        remedies=("convert-old-model-file",),
    )


def _older(model: ModelFacts, frameworks: Frameworks | None, interpreter: InterpreterFacts | None) -> Iterator[Finding]:
    table = FormatReadersTable.read()
    for rule in rules_of(model):
        installed, origin = installed_version(rule.runtime, frameworks, interpreter)
        if not installed or fit(rule, model, installed) is not Fit.TOO_OLD:
            continue
        readable = readable_by(rule, installed)
        yield Finding(
            severity=rule.severity,
            confidence=0.9 if rule.reads else 0.6,
            subject=f"{model.path} / {rule.runtime}",
            evidence=(
                file_of(model),
                Evidence("written_with", written(rule, model), model.path),
                Evidence("framework", f"{rule.runtime} {installed}", origin),
                *((Evidence("runtime_reads", readable, table.title, rule.source),) if readable else ()),
            ),
            values={"model_path": model.path, "runtime": rule.runtime},
        )
