"""A Core ML model asks for a newer macOS than this Mac has.

Detects:      a model whose specification version or operator set came with a later macOS.
Why it bites: Core ML refuses to compile it ("intended for a newer version of Xcode", "Unknown opset").
Blind spots:  other systems than macOS are not judged: the model may be meant for a phone. Layers that need more than
              the specification says are left to Core ML itself.
Knowledge:    resources/knowledge/formats/coreml.toml
"""

from collections.abc import Iterator

from checks.analysis.models.selected import some
from checks.causes.registry import check
from checks.facts import AppleFacts, ModelFacts, ModelFiles, OsFacts
from checks.facts.finding import Evidence, Finding, NotInTable, Severity, Unread, only_on
from checks.facts.versions import release
from checks.knowledge.formats.coreml import CoreMlTable

FORMATS = ("coreml-mlmodel", "coreml-mlpackage", "coreml-mlmodelc")
HIDDEN = (10, 16)  # what macOS 11 and later say to programs that were built for older ones
RENAMED = {16: 26}  # the number that macOS 26 says to programs that were built before its name was chosen


@check("coreml-spec-too-new")
def coreml_spec_too_new(models: ModelFiles, os: OsFacts, apple: AppleFacts | None) -> Iterator[Finding]:
    """One finding per model."""
    some(models.of(*FORMATS), "coreml_models")
    waiting = [model for model in models.of(*FORMATS) if model.version and not _has_run(model)]
    if not waiting:
        return
    only_on("Darwin", os)
    system = (apple.macos_version if apple else None) or os.version
    if not system or release(system) == HIDDEN:
        raise Unread("macos_version", system or "")
    here = release(system)
    here = (RENAMED.get(here[0], here[0]), *here[1:])
    known = {model.path: lowest for model in waiting if (lowest := (model.needs.systems or {}).get("macOS"))}
    if not known:
        raise NotInTable(CoreMlTable.read().title, waiting[0].version or "")
    for model in waiting:
        lowest = known.get(model.path, "")
        if release(lowest) > here:
            yield _finding(model, lowest, system, (apple.origin if apple else "") or os.origin)


def _has_run(model: ModelFacts) -> bool:
    return any(run.loaded for run in model.runs if run.runtime in ("coremltools", "coreml"))


def _finding(model: ModelFacts, lowest: str, system: str, origin: str) -> Finding:
    table = CoreMlTable.read()
    opset = model.details.get("coreml-opset")
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.97,
        subject=model.path,
        evidence=(
            Evidence("model", model.name, model.path),
            Evidence("model_specification", f"{model.version}, {opset}" if opset else model.version or "", model.path),
            Evidence("macos_version", system, origin),
            Evidence("needed", f"macOS {lowest}", table.title, table.source),
        ),
        values={"model_path": model.path, "runtime": "coreml"},
    )
