"""ONNX Runtime has no code for an operator of the model on the devices that it has.

Detects:      operators that the processor's provider of the installed release lists no code for, in the version that
              the model's opset means, where no other provider is installed that has it; and models all in float64 or
              bfloat16 with operators that the provider refused in that type.
Why it bites: the session is not created: "Could not find an implementation for RoiAlign(22) node".
Blind spots:  the types within a model are known only where all its numbers have one; otherwise a missing type is seen
              when the model is tried. Providers that no list was read of are taken to have everything.
              An operator that can be expanded into others is taken to be served.
Knowledge:    resources/knowledge/formats/onnx_operators.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import cuda_gpus
from checks.analysis.models.onnx import about, full_name, named, onnx_models, types_of
from checks.analysis.models.selected import some, values_of
from checks.causes.registry import check
from checks.facts import MachineFacts, ModelFacts, ModelFiles, OnnxRuntimeFacts, OperatorUse
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.formats.onnx import is_refused
from checks.knowledge.formats.onnx_operators import MICROSOFT, OnnxOperatorsTable, Support, on_cpu, on_device, operator

_FLOATS = {"float16", "bfloat16", "float32", "float64"}
# Operators after which numbers have another type than before, whatever the weights are.
_OTHER_TYPE = {"Cast", "CastLike", "ConstantOfShape", "DequantizeLinear", "EyeLike", "Range", "Bernoulli", "Constant"}
_COMPILED = "EPContext"
_OLDEST = 7  # opset; of older ones ONNX Runtime does not promise to have the code
_PROCESSOR = {"CPUExecutionProvider", "AzureExecutionProvider"}


@check("onnx-runtime-op-unimplemented")
def onnx_runtime_op_unimplemented(
    models: ModelFiles, onnxruntime: OnnxRuntimeFacts, machine: MachineFacts | None = None
) -> Iterator[Finding]:
    """One finding per model."""
    some(models.of("onnx"), "onnx_models")
    waiting = [onnx_model for onnx_model in onnx_models(models, "onnxruntime") if onnx_model.needs.operators]
    if not waiting:
        return
    if not onnxruntime.version:
        raise Unread("framework", onnxruntime.unread.get("version", ""))
    if onnxruntime.providers_listed is None:
        raise Unread("ort_providers", onnxruntime.unread.get("providers_listed", ""))
    others = set(onnxruntime.providers_listed) - _PROCESSOR
    may_have_cuda = machine is None or machine.gpus is None or bool(cuda_gpus(machine))
    for model in waiting:
        opsets = model.needs.opsets or {}
        uses = [use for use in model.needs.operators or () if use.name != _COMPILED]
        missing = [use for use in uses if _is_missing(use, opsets, onnxruntime.version, others)]
        if missing:
            remedies = _remedies(missing, opsets, may_have_cuda=may_have_cuda)
            yield _finding(model, missing, onnxruntime, "", 0.9 if not others else 0.75, remedies)
            continue
        dtype = _only_float(model)
        refused = [use for use in uses if _is_refused(use, opsets, dtype)]
        if refused and not others:
            yield _finding(model, refused, onnxruntime, dtype, 0.85, ("change-type-of-operator",))


def _is_missing(use: OperatorUse, opsets: dict[str, int], version: str, others: set[str]) -> bool:
    """Whether neither the processor nor another provider that is installed has code for an operator."""
    row = operator(use.name, use.domain)
    if row is None or (use.is_custom and use.domain != MICROSOFT):
        return False
    opset = opsets.get(use.domain, 1)
    if is_refused(use.domain, opset, version):  # by the number: another cause
        return False
    if on_cpu(row, opset, version) is not Support.NO:
        return False
    return all(on_device(row, opset, provider) is Support.NO for provider in others)


def _only_float(model: ModelFacts) -> str:
    """The floating-point type of the whole model, where it is one that lacks code; "" otherwise."""
    floats = types_of(model) & _FLOATS
    changes = {use.name for use in model.needs.operators or ()} & _OTHER_TYPE
    return floats.pop() if len(floats) == 1 and not changes and floats <= {"float64", "bfloat16"} else ""


def _is_refused(use: OperatorUse, opsets: dict[str, int], dtype: str) -> bool:
    row = operator(use.name, use.domain)
    return row is not None and dtype in row.cpu_without and row.version_in(opsets.get(use.domain, 1)) in row.cpu


def _finding(
    model: ModelFacts,
    missing: list[OperatorUse],
    onnxruntime: OnnxRuntimeFacts,
    dtype: str,
    confidence: float,
    remedies: tuple[str, ...],
) -> Finding:
    table = OnnxOperatorsTable.read()
    opsets = model.needs.opsets or {}
    rows = [(use, operator(use.name, use.domain)) for use in missing]
    shown = [f"{full_name(use)}({row.version_in(opsets.get(use.domain, 1))})" for use, row in rows if row]
    return Finding(
        severity=Severity.BLOCKING,
        confidence=confidence,
        subject=model.path,
        evidence=(
            *about(model, "onnxruntime", onnxruntime.version, onnxruntime.origin),
            Evidence("operators", named(shown), table.title, table.source),
            *((Evidence("weights_dtype", dtype, model.path),) if dtype else ()),
            Evidence("ort_providers", ", ".join(onnxruntime.providers_listed or ()), onnxruntime.origin),
        ),
        values=values_of(model, "onnxruntime"),
        remedies=remedies,
    )


def _remedies(missing: list[OperatorUse], opsets: dict[str, int], *, may_have_cuda: bool) -> tuple[str, ...]:
    """What helps: a newer release only where that has code for all of them; CUDA's code only where it could run."""
    newest = OnnxOperatorsTable.read().onnxruntime_newest
    rows = [(operator(use.name, use.domain), opsets.get(use.domain, 1)) for use in missing]
    if all(row is not None and on_cpu(row, opset, newest) is Support.YES for row, opset in rows):
        return ("update-onnxruntime",)
    elsewhere = ("run-operator-elsewhere",) if may_have_cuda else ()
    if any(use.domain for use in missing):
        return (*elsewhere, "change-type-of-operator") if may_have_cuda else ("export-without-custom-op",)
    if opsets.get("", _OLDEST) < _OLDEST or not may_have_cuda:
        return ("export-with-another-opset", *elsewhere, "change-type-of-operator")
    return (*elsewhere, "change-type-of-operator")
