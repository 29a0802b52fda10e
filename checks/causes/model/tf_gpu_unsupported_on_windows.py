"""TensorFlow after 2.10 has no GPU support on native Windows.

Detects:      TensorFlow 2.11 or newer on Windows (outside WSL) beside an NVIDIA GPU.
Why it bites: the Windows packages of these releases are CPU builds, whatever CUDA is installed.
Blind spots:  plugins such as tensorflow-directml-plugin; they show as a GPU device.
Knowledge:    resources/knowledge/frameworks/tensorflow.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import cuda_gpus, names
from checks.causes.registry import check
from checks.facts import MachineFacts, OsFacts, TensorFlowFacts
from checks.facts.finding import Evidence, Finding, NotInTable, Severity, Unread, only_on
from checks.knowledge.frameworks.tensorflow import TensorFlowTable, tensorflow_release


@check("tf-gpu-unsupported-on-windows")
def tf_gpu_unsupported_on_windows(tensorflow: TensorFlowFacts, os: OsFacts, machine: MachineFacts) -> Iterator[Finding]:
    """One finding for the interpreter."""
    gpus = cuda_gpus(machine)
    only_on("Windows", os)
    if not gpus:
        return
    if any(not device.device.startswith("CPU") for device in tensorflow.devices or ()):
        return
    if tensorflow.version is None:
        raise Unread("tensorflow_version", tensorflow.unread.get("version", ""))
    row = tensorflow_release(tensorflow.version)
    if row is None:
        raise NotInTable(TensorFlowTable.read().title, f"TensorFlow {tensorflow.version}")
    if row.windows_gpu:
        return
    last = [release.version for release in TensorFlowTable.read().release if release.windows_gpu][-1]
    yield Finding(
        severity=Severity.WARNING,
        confidence=0.95,
        evidence=(
            Evidence("framework", f"tensorflow {tensorflow.version}", tensorflow.origin),
            Evidence("gpu", names(gpus), gpus[0].origin),
            Evidence("last_with_gpu", last, TensorFlowTable.read().title, TensorFlowTable.read().source),
        ),
    )
