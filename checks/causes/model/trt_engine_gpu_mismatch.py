"""A TensorRT engine was built on a GPU of another compute capability than those here.

Detects:      an engine whose header names a compute capability that no NVIDIA GPU of the machine has; and one of
              TensorRT-RTX that was not built for any of them.
Why it bites: TensorRT refuses it: "expecting compute 8.9 got compute 8.6, please rebuild".
Blind spots:  engines built hardware compatible name their GPU too. The number that seems to say so was 0 in every file
              seen; an engine where it is another is left alone. The operating system is not read from the file. On the
              same compute capability another model of GPU draws a warning only, which is not judged.
Knowledge:    resources/knowledge/formats/tensorrt_engines.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import CudaGpu, cuda_gpus, names
from checks.analysis.models.selected import some, values_of
from checks.causes.registry import check
from checks.facts import MachineFacts, ModelFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.formats.tensorrt_engines import rule


@check("trt-engine-gpu-mismatch")
def trt_engine_gpu_mismatch(models: ModelFiles, machine: MachineFacts) -> Iterator[Finding]:
    """One finding per engine that none of the GPUs can run."""
    gpus = cuda_gpus(machine)
    given = some(models.of("tensorrt", "tensorrt-rtx"), "tensorrt_engines")
    engines = [model for model in given if "compute-capability" in model.details]
    if not gpus or not engines:
        return
    if any(gpu.capability is None for gpu in gpus):
        raise Unread("compute_capability", names(gpus))
    here = {gpu.capability for gpu in gpus}
    for engine in engines:
        built_for = set(engine.details["compute-capability"].split(", "))
        if not here & built_for and "hardware-compatible-guessed" not in engine.details:
            yield _finding(engine, gpus)


def _finding(engine: ModelFacts, gpus: tuple[CudaGpu, ...]) -> Finding:
    is_rtx = engine.format == "tensorrt-rtx"
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.85 if is_rtx else 0.93,  # what is left are engines built to be portable
        subject=engine.path,
        evidence=(
            Evidence("model", engine.name, engine.path),
            Evidence("engine_gpu", engine.details["compute-capability"], engine.path, rule("gpu").source),
            Evidence("gpu", names(gpus), gpus[0].origin),
            Evidence("compute_capability", ", ".join(sorted({gpu.capability or "" for gpu in gpus})), gpus[0].origin),
        ),
        values=values_of(engine, "" if is_rtx else "tensorrt"),
    )
