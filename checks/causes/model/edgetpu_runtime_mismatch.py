"""A model that is compiled for the Edge TPU, and a target whose Edge TPU runtime is too old for it or does not start.

Detects:      a model whose program asks for a newer runtime than the installed libedgetpu has; one in a target where
              the delegate cannot be loaded.
Why it bites: "Package requires runtime version (14), which is newer than this runtime version (13)"; without the
              delegate "Encountered unresolved custom op: edgetpu-custom-op".
Blind spots:  libedgetpu and the interpreter may be built from different versions of TensorFlow, which no fact tells;
              that ends in a crash. TensorFlow's own interpreter is not asked for the delegate.
Knowledge:    resources/knowledge/formats/edgetpu.toml
"""

import re
from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, first_line
from checks.analysis.models.selected import some
from checks.analysis.models.tflite import (
    COMPILED,
    Interpreter,
    about,
    interpreters,
    lacks_edgetpu_library,
    source_of,
    tflite_models,
)
from checks.causes.registry import check
from checks.facts import LiteRtFacts, ModelFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.formats.edgetpu import EdgeTpuTable, compilers_for

_RUNTIME = re.compile(r"RuntimeVersion\((\d{1,6})\)")


@check("edgetpu-runtime-mismatch")
def edgetpu_runtime_mismatch(models: ModelFiles, litert: LiteRtFacts) -> Iterator[Finding]:
    """One finding per model."""
    some(models.of(COMPILED), "edgetpu_models")
    runtime = _RUNTIME.search(litert.edgetpu_version or "")
    for interpreter in interpreters(litert, None):
        for model in tflite_models(models, interpreter.runtime, COMPILED):
            needed = _needed(model)
            if runtime and needed > int(runtime[1]):
                yield _too_old(model, interpreter, needed, int(runtime[1]))
            elif litert.edgetpu_delegate is False:
                yield _not_there(model, interpreter, litert)


def _needed(model: ModelFacts) -> int:
    runtime = next((binding.value for binding in model.bound_to if binding.kind == "edgetpu-runtime"), "")
    return int(runtime) if runtime.isdigit() else 0


def _too_old(model: ModelFacts, interpreter: Interpreter, needed: int, here: int) -> Finding:
    compilers = ", ".join(compilers_for(needed))
    table = EdgeTpuTable.read()
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.97,
        subject=model.path,
        evidence=(
            *about(model, interpreter),
            Evidence("edgetpu_needed", str(needed), model.path),
            Evidence("edgetpu_runtime", str(here), "libedgetpu"),
            *((Evidence("edgetpu_compilers", compilers, table.title, table.source),) if compilers else ()),
        ),
        values={"model_path": model.path, "runtime": interpreter.runtime, **source_of(model)},
        remedies=("compile-for-older-edgetpu-runtime", "install-edgetpu-runtime"),
    )


def _not_there(model: ModelFacts, interpreter: Interpreter, litert: LiteRtFacts) -> Finding:
    is_missing = lacks_edgetpu_library(litert)
    error = first_line(litert.edgetpu_error or "") or NONE
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.85 if is_missing else 0.7,  # else the accelerator itself may be what is missing
        subject=model.path,
        evidence=(*about(model, interpreter), Evidence("delegate_error", error, "libedgetpu")),
        values={"model_path": model.path, "runtime": interpreter.runtime},
        remedies=("install-edgetpu-runtime",) if is_missing else ("install-edgetpu-runtime", "match-edgetpu-versions"),
    )
