"""TensorFlow does not find the CUDA and cuDNN that it was built for, so it uses no GPU.

Detects:      a CUDA build of TensorFlow on a machine whose driver works, which lists no GPU; with what it says about
              missing libraries, and the NVIDIA packages of another generation beside it.
Why it bites: TensorFlow opens these libraries by name and version while it starts; if one is missing it only warns.
Blind spots:  CUDA toolkits in the system are not listed. A hidden GPU (CUDA_VISIBLE_DEVICES) is another cause.
Knowledge:    resources/knowledge/frameworks/tensorflow.toml, cuda_libraries.toml
"""

import re
from collections.abc import Iterator

from checks.analysis.gpu.cuda import cuda_gpus, cuda_works, hides_all_gpus, names
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, InterpreterFacts, MachineFacts, TensorFlowFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.quotation import quotation
from checks.facts.versions import major_number, release
from checks.knowledge.errors.import_errors import recognise
from checks.knowledge.frameworks.tensorflow import TensorFlowRelease, TensorFlowTable, tensorflow_release
from checks.knowledge.gpu.cuda_libraries import cuda_major_of

# TensorFlow's own words: gpu_device.cc, dso_loader.cc and cuda_stub sources.
_SAYS_IT = re.compile(r"Cannot dlopen some GPU libraries|Could not load dynamic library|Could not find cuda drivers")


@check("tf-cuda-version-mismatch")
def tf_cuda_version_mismatch(
    tensorflow: TensorFlowFacts,
    machine: MachineFacts,
    interpreter: InterpreterFacts | None,
    environment: EnvironmentVariables | None,
) -> Iterator[Finding]:
    """One finding for the interpreter."""
    gpus = cuda_gpus(machine)
    if not tensorflow.is_cuda_build or not gpus or cuda_works(machine) is False:
        return
    if tensorflow.devices is None:
        raise Unread("devices", tensorflow.unread.get("devices", ""))
    if any(device.device.startswith("GPU") for device in tensorflow.devices):
        return
    if hides_all_gpus(environment):
        return
    row = tensorflow_release(tensorflow.version or "")
    clue = _clue(tensorflow)
    there = _packages(interpreter, row)
    yield Finding(
        severity=Severity.WARNING,
        confidence=0.92 if clue else 0.7,
        evidence=(
            Evidence("framework", f"tensorflow {tensorflow.version or ''}".strip(), tensorflow.origin),
            Evidence("gpu", names(gpus), gpus[0].origin),
            Evidence(
                "cuda_version",
                tensorflow.cuda_version or (row.cuda if row else "?"),
                tensorflow.origin or TensorFlowTable.read().title,
            ),
            Evidence("cudnn_wanted", (row.cudnn if row else None) or tensorflow.cudnn_version or "?", "build"),
            *((Evidence("cuda_packages", there, "metadata"),) if there else ()),
            *((Evidence("clue", quotation(clue), tensorflow.origin),) if clue else ()),
        ),
        values={"tf_package": f"tensorflow[and-cuda]=={tensorflow.version}"} if row and row.cuda_extra else {},
    )


def _clue(tensorflow: TensorFlowFacts) -> str:
    """What TensorFlow itself says about it, the line with a library's name first."""
    lines = [line for warning in tensorflow.warnings or () for line in warning.splitlines()]
    named = (line for line in lines if (found := recognise(line)) and found.row.cause == "cuda-library-missing")
    return next(named, None) or next((line for line in lines if _SAYS_IT.search(line)), "")


def _packages(interpreter: InterpreterFacts | None, row: TensorFlowRelease | None) -> str:
    """The CUDA runtime, cuBLAS and cuDNN packages that are of another generation than this release wants."""
    if interpreter is None or row is None:
        return ""
    wanted = {"cudart": major_number(row.cuda), "cublas": major_number(row.cuda)}
    other = []
    for package in interpreter.packages or ():
        brought = cuda_major_of(package.name)
        if brought is None:
            continue
        library, major = brought
        is_other_cuda = library.stem in wanted and major != wanted[library.stem]
        is_other_cudnn = library.stem == "cudnn" and release(package.version)[:1] != release(row.cudnn)[:1]
        if is_other_cuda or is_other_cudnn:
            other.append(f"{package.name} {package.version}")
    return ", ".join(other)
