"""The framework's build no longer carries kernels for a GPU that is older than the build supports.

Detects:      a CUDA build of torch, TensorFlow, JAX or ONNX Runtime whose oldest code is newer than the GPU.
Why it bites: code is never run backwards: a build made for 7.5 and up has nothing for a card of 6.1.
Blind spots:  extensions carry lists of their own; conda builds whose list was not read.
Knowledge:    resources/knowledge/frameworks/torch.toml, tensorflow.toml, jax.toml;
              resources/knowledge/gpu/gpu_architectures.toml, cuda_binary.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.code import UnservedGpu, unserved_gpus
from checks.analysis.gpu.cuda import cuda_gpus, driver_of, is_jetson
from checks.analysis.packages.fitting_build import python_tag, torch_remedies, torch_values
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, MachineFacts
from checks.facts.finding import Finding, Severity
from checks.facts.versions import release
from checks.knowledge.frameworks.jax import fitting_plugin
from checks.knowledge.frameworks.onnxruntime import newest_gpu_release
from checks.knowledge.frameworks.tensorflow import fitting_tensorflow
from checks.knowledge.gpu.gpu_architectures import architecture_of_capability


@check("build-dropped-older-gpu-arch")
def build_dropped_older_gpu_arch(
    frameworks: Frameworks, machine: MachineFacts, interpreter: InterpreterFacts | None
) -> Iterator[Finding]:
    """One finding per framework and kind of GPU."""
    for unserved_gpu in unserved_gpus(frameworks, machine, interpreter):
        if unserved_gpu.is_newer:
            continue
        values, remedies = _way_out(unserved_gpu, machine, interpreter)
        yield Finding(
            severity=Severity.BLOCKING if unserved_gpu.is_only_gpu else Severity.WARNING,
            confidence=unserved_gpu.certainty,
            subject=f"{unserved_gpu.framework} {unserved_gpu.capability}",
            evidence=unserved_gpu.evidence,
            values=values,
            remedies=remedies,
        )


def _way_out(
    unserved: UnservedGpu, machine: MachineFacts, interpreter: InterpreterFacts | None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The values of the remedies, and their ids."""
    if unserved.framework == "jax":
        capabilities = tuple(gpu.capability for gpu in cuda_gpus(machine) if gpu.capability)
        plugin = fitting_plugin(capabilities, driver_of(machine))
        return ({"jax_package": f"jax[{plugin.extra}]"} if plugin else {}), (
            "install-jax-with-cuda",
            "run-without-this-gpu",
        )
    if unserved.framework == "onnxruntime":
        known = architecture_of_capability(unserved.capability)
        major = release(known.last_cuda)[0] if known and known.last_cuda else None
        row = newest_gpu_release(major, python_tag(interpreter)) if major else None
        values = {"ort_installed": "onnxruntime-gpu", "ort_package": f"onnxruntime-gpu=={row.version}"} if row else {}
        return values, ("install-onnxruntime-flavour", "run-without-this-gpu")
    if unserved.framework == "tensorflow":
        fit = fitting_tensorflow(unserved.capability, python_tag(interpreter))
        values = {"tf_package": f"tensorflow[and-cuda]=={fit.version}"} if fit else {}
        return values, ("install-tensorflow-with-cuda", "run-without-this-gpu")
    if is_jetson(machine):
        return {}, ("install-torch-for-jetson",)
    found = torch_values(machine, interpreter, keep=unserved.version)
    values = {**found, "served_gpu": unserved.served_gpu} if unserved.served_gpu else found
    return values, torch_remedies(values, "run-without-this-gpu")
