"""A quantized model that the target cannot load: its package is missing, or the GPU is too old.

Detects:      a checkpoint in the way of Hugging Face whose quantization needs a package that the target lacks, a GPU
              where there is none, a newer GPU, or a newer transformers.
Why it bites: transformers refuses to load it, or unpacks the weights to bfloat16, which takes several times the memory.
Blind spots:  vLLM and other programs that bring their own kernels are not judged. AMD's and Intel's GPUs are
              not judged by their generation.
Knowledge:    resources/knowledge/frameworks/quantization_methods.toml
"""

from collections.abc import Iterator

from packaging.requirements import Requirement

from checks.analysis.gpu.cuda import CudaGpu, cuda_gpus
from checks.analysis.models.selected import some
from checks.causes.registry import check
from checks.facts import InterpreterFacts, MachineFacts, ModelFacts, ModelFiles, Package, TorchFacts
from checks.facts.finding import Evidence, Finding, NotHere, NotInTable, Severity, Unread
from checks.facts.versions import release
from checks.knowledge.frameworks.quantization_methods import (
    QuantizationMethodsTable,
    QuantizationRule,
    first_release,
    rule_for,
)

METHOD = "quantization-method"
MLX = "mlx"  # Apple's framework, whose files transformers does not read
WITHOUT_PACKAGE = ("install-required-version", "choose-supported-precision")
WITHOUT_GPU = ("choose-supported-precision", "run-on-newer-gpu")


@check("quantization-unsupported")
def quantization_unsupported(
    models: ModelFiles, interpreter: InterpreterFacts, torch: TorchFacts | None, machine: MachineFacts | None
) -> Iterator[Finding]:
    """One finding per model."""
    waiting = some((file for file in models.files if file.details.get(METHOD, MLX) != MLX), "quantized_models")
    if interpreter.packages is None:
        raise Unread("packages")
    transformers = interpreter.package("transformers")
    if transformers is None:
        raise NotHere("transformers", "not-installed")
    if interpreter.package(*QuantizationMethodsTable.read().carriers):
        return
    if release(transformers.version) < release(QuantizationMethodsTable.read().oldest):
        raise NotInTable(QuantizationMethodsTable.read().title, f"transformers {transformers.version}")
    known = [model for model in waiting if first_release(model.details[METHOD]) is not None]
    if not known:
        raise NotInTable(QuantizationMethodsTable.read().title, waiting[0].details[METHOD])
    for model in known:
        rule = rule_for(model.details[METHOD], transformers.version)
        if rule is None:
            yield from _too_old(model, transformers)
        elif missing := _missing(rule, interpreter):
            yield _without_packages(model, rule, transformers, missing)
        else:
            yield from _without_gpu(model, rule, transformers, torch, machine)


def _too_old(model: ModelFacts, transformers: Package) -> Iterator[Finding]:
    first = first_release(model.details[METHOD]) or ""
    if release(transformers.version) >= release(first):
        return
    yield _finding(
        model,
        transformers,
        Evidence("needed", f"transformers {first}", QuantizationMethodsTable.read().title),
        values={"requirement": f"transformers>={first}"},
        remedies=WITHOUT_PACKAGE,
    )


def _missing(rule: QuantizationRule, interpreter: InterpreterFacts) -> list[str]:
    """Of each group of packages that none is there of, the first."""
    return [group[0] for group in rule.packages if not any(_is_met(wish, interpreter) for wish in group)]


def _is_met(wish: str, interpreter: InterpreterFacts) -> bool:
    wanted = Requirement(wish)
    package = interpreter.package(wanted.name)
    return package is not None and wanted.specifier.contains(package.version, prereleases=True)


def _without_packages(model: ModelFacts, rule: QuantizationRule, transformers: Package, missing: list[str]) -> Finding:
    return _finding(
        model,
        transformers,
        Evidence("needed", ", ".join(missing), QuantizationMethodsTable.read().title),
        severity=_severity(rule),
        values={"requirement": " ".join(missing)},
        remedies=WITHOUT_PACKAGE,
    )


def _without_gpu(
    model: ModelFacts,
    rule: QuantizationRule,
    transformers: Package,
    torch: TorchFacts | None,
    machine: MachineFacts | None,
) -> Iterator[Finding]:
    gpus = cuda_gpus(machine)
    has_other = torch is not None and bool(torch.xpu_available or torch.hip_version)
    if rule.gpu and not gpus and not has_other and torch is not None and torch.cuda_available is False:
        needed = Evidence("needed", "GPU", QuantizationMethodsTable.read().title)
        yield _finding(model, transformers, needed, remedies=WITHOUT_GPU)
    elif rule.capability and gpus:
        yield from _too_old_gpu(model, rule, transformers, gpus)


def _too_old_gpu(
    model: ModelFacts, rule: QuantizationRule, transformers: Package, gpus: tuple[CudaGpu, ...]
) -> Iterator[Finding]:
    if any(gpu.capability is None for gpu in gpus):
        raise Unread("compute_capability")
    least = release(rule.capability or "")
    newest = max(gpus, key=lambda gpu: release(gpu.capability or ""))
    if release(newest.capability or "") >= least:
        return
    yield _finding(
        model,
        transformers,
        Evidence("gpu", newest.name, newest.origin),
        Evidence("compute_capability", newest.capability or "", newest.origin),
        Evidence("needed", f"compute capability {rule.capability}", QuantizationMethodsTable.read().title),
        severity=_severity(rule),
        remedies=WITHOUT_GPU,
    )


def _severity(rule: QuantizationRule) -> Severity:
    return Severity.BLOCKING if rule.otherwise == "refuses" else Severity.WARNING


def _finding(
    model: ModelFacts,
    transformers: Package,
    *evidence: Evidence,
    severity: Severity = Severity.BLOCKING,
    values: dict[str, str] | None = None,
    remedies: tuple[str, ...],
) -> Finding:
    return Finding(
        severity=severity,
        confidence=0.9,
        subject=model.path,
        evidence=(
            Evidence("model", model.name, model.path),
            Evidence("quantization_method", model.quantization or model.details[METHOD], model.path),
            Evidence("framework", f"transformers {transformers.version}", transformers.location or ""),
            *evidence,
        ),
        values={"model_path": model.path, "runtime": "transformers"} | (values or {}),
        remedies=remedies,
    )
