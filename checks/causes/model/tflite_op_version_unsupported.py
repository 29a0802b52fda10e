"""A TFLite model has operators, or versions of operators, that the interpreter of the target is too old for.

Detects:      operator versions that came with a later TensorFlow or LiteRT than the installed one, and operators that
              no interpreter computes so far.
Why it bites: loading ends with "Didn't find op for builtin opcode 'FULLY_CONNECTED' version '12'".
Blind spots:  an interpreter newer than the table is only held against what the table knows. What a version of an
              operator accepts (types, shapes) is not compared.
Knowledge:    resources/knowledge/formats/tflite_operators.toml
"""

from collections.abc import Iterator

from checks.analysis.models.tflite import SHOWN, Interpreter, about, models_to_load
from checks.causes.registry import check
from checks.facts import LiteRtFacts, ModelFacts, ModelFiles, OperatorUse, TensorFlowFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.versions import release
from checks.knowledge.formats.tflite_operators import TfliteOperatorsTable, first_litert, first_tensorflow


@check("tflite-op-version-unsupported")
def tflite_op_version_unsupported(
    models: ModelFiles, litert: LiteRtFacts | None, tensorflow: TensorFlowFacts | None
) -> Iterator[Finding]:
    """One finding per model and interpreter."""
    for interpreter, model in models_to_load(models, litert, tensorflow):
        too_new = [operator for operator in model.needs.operators or () if _is_too_new(operator, interpreter)]
        if too_new:
            yield _finding(model, interpreter, too_new)


def _first(use: OperatorUse, interpreter: Interpreter) -> str | None:
    first = first_tensorflow if interpreter.is_tensorflow else first_litert
    return first(use.name, use.version or 1)


def _is_too_new(use: OperatorUse, interpreter: Interpreter) -> bool:
    """Whether an interpreter does not know an operator, or not this version of it."""
    if use.domain or use.is_custom:
        return False
    newest = TfliteOperatorsTable.read().newest
    first = _first(use, interpreter)
    if not first:  # in no release that the table knows
        return release(interpreter.version)[:2] <= release(
            newest.tensorflow if interpreter.is_tensorflow else newest.litert
        )
    return release(interpreter.version) < release(first)


def _finding(model: ModelFacts, interpreter: Interpreter, too_new: list[OperatorUse]) -> Finding:
    table = TfliteOperatorsTable.read()
    wanted = [_first(operator, interpreter) for operator in too_new]
    least = "" if None in wanted or "" in wanted else max((version or "" for version in wanted), key=release)
    family = "tensorflow" if interpreter.is_tensorflow else "ai-edge-litert"
    is_released = bool(least) and release(least) <= release(
        table.newest.tensorflow if interpreter.is_tensorflow else table.newest.litert
    )
    names = [f"{operator.name} {operator.version}" for operator in too_new]
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.97,
        subject=f"{model.path} / {interpreter.runtime}",
        evidence=(
            *about(model, interpreter),
            Evidence("operator_versions", ", ".join(names[:SHOWN]), model.path),
            *((Evidence("needed", f"{family}>={least}", table.title, table.source),) if is_released else ()),
        ),
        values={"model_path": model.path, "runtime": interpreter.runtime},
        # Where TensorFlow itself is too old, LiteRT may know it already.
        remedies=() if is_released or interpreter.is_tensorflow else ("convert-tflite-for-older-runtime",),
    )
