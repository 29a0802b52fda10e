"""Every text in which a framework says why it has no GPU: failed imports, warnings, providers, kernels, builders."""

from collections.abc import Iterator

from checks.analysis.failures.at_import import Trouble, troubles
from checks.facts import ErrorText, Frameworks, OnnxRuntimeFacts, ProbeRuns, ProgramRuns, TensorRtFacts, TorchFacts
from checks.knowledge.errors.import_errors import Recognised, recognise


def gpu_troubles(
    frameworks: Frameworks, probes: ProbeRuns | None = None, runs: ProgramRuns | None = None
) -> Iterator[Trouble]:
    """The failures of imports, and what the GPU part of each framework reported after a good import."""
    yield from troubles(frameworks, probes, runs)
    torch, runtime, tensorrt = frameworks.torch, frameworks.onnxruntime, frameworks.tensorrt
    if torch is not None:
        yield from _of_torch(torch)
    if runtime is not None:
        yield from _of_onnxruntime(runtime, has_tensorrt=tensorrt is not None)
    if tensorrt is not None:
        yield from _of_tensorrt(tensorrt)
    for name, facts in (("tensorflow", frameworks.tensorflow), ("jax", frameworks.jax)):
        for device in (facts.devices if facts else None) or ():
            if facts and device.kernel and device.kernel.error:
                yield _trouble(name, facts.version, device.kernel.error, facts.origin)


def recognised_on_gpu(
    cause: str, frameworks: Frameworks, probes: ProbeRuns | None = None, runs: ProgramRuns | None = None
) -> Iterator[tuple[Trouble, Recognised]]:
    """The failures whose text shows this cause, one per package."""
    seen = set()
    for trouble in gpu_troubles(frameworks, probes, runs):
        found = recognise(trouble.text)
        if found is not None and found.row.cause == cause and trouble.package not in seen:
            seen.add(trouble.package)
            yield trouble, found


def _of_torch(torch: TorchFacts) -> Iterator[Trouble]:
    if torch.cuda_error is not None:
        yield _trouble("torch", torch.version, torch.cuda_error, torch.origin)
    for device in torch.devices or ():
        if device.kernel is not None and device.kernel.error is not None:
            yield _trouble("torch", torch.version, device.kernel.error, torch.origin)


def _of_onnxruntime(runtime: OnnxRuntimeFacts, *, has_tensorrt: bool) -> Iterator[Trouble]:
    for provider in runtime.providers or ():
        # The GPU package always lists the TensorRT provider; without TensorRT nobody expects it to start.
        is_wanted = has_tensorrt or "tensorrt" not in provider.name.lower()
        if provider.started is False and provider.error and is_wanted:
            yield Trouble(
                framework="onnxruntime",
                package="onnxruntime",
                version=runtime.version or "",
                text=provider.error,
                origin=provider.name,
                is_fatal=False,
            )


def _of_tensorrt(tensorrt: TensorRtFacts) -> Iterator[Trouble]:
    if tensorrt.builder is not None and tensorrt.builder.error is not None:
        yield _trouble("tensorrt", tensorrt.version, tensorrt.builder.error, tensorrt.origin)


def _trouble(name: str, version: str | None, error: ErrorText, origin: str) -> Trouble:
    text = f"{error.traceback}\n{error.type}: {error.message}"
    return Trouble(framework=name, package=name, version=version or "", text=text, origin=origin, is_fatal=False)
