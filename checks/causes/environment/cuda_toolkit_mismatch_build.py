"""The CUDA toolkit that would build an extension is not of the framework's CUDA, or is not where it is said to be.

Detects:      a toolkit (CUDA_HOME, nvcc on PATH, /usr/local/cuda) of another CUDA major version than PyTorch's, and a
              CUDA_HOME that leads to no compiler.
Why it bites: PyTorch refuses to build a CUDA extension with another major version; installing such a package fails.
Blind spots:  nobody can see whether an extension will be built here; so it is no more than a note.
Knowledge:    none; PyTorch's own rule (torch/utils/cpp_extension.py)
"""

from collections.abc import Iterator

from checks.causes.registry import check
from checks.facts import EnvironmentVariables, TorchFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.phrase import Phrase
from checks.facts.versions import major_number, release
from checks.knowledge.phrases import phrase

VARIABLES = ("CUDA_HOME", "CUDA_PATH")
ABSENT = "–"


@check("cuda-toolkit-mismatch-build")
def cuda_toolkit_mismatch_build(torch: TorchFacts, environment: EnvironmentVariables) -> Iterator[Finding]:
    """At most one note."""
    if torch.cuda_version is None:
        raise Unread("cuda_version", torch.unread.get("cuda_version", ""))
    if torch.cuda_version == "":  # only builds for CUDA build CUDA extensions
        return
    if environment.cuda_home is None or environment.nvcc is None:
        raise Unread("cuda_home", environment.unread.get("cuda_home", ""))
    if not environment.nvcc:
        if any(environment.values.get(name) for name in VARIABLES):
            yield _finding(torch.cuda_version, environment, ABSENT)
        return  # without any toolkit nothing is built, and most users never build
    if environment.nvcc_version is None:
        raise Unread("nvcc_version", environment.unread.get("nvcc_version", ""))
    if release(environment.nvcc_version)[:1] != release(torch.cuda_version)[:1]:
        yield _finding(torch.cuda_version, environment, environment.nvcc_version)


def _toolkit(environment: EnvironmentVariables, nvcc_version: str) -> Phrase:
    folder = environment.cuda_home or ""
    if nvcc_version == ABSENT:
        return phrase("no-toolkit", folder=folder)
    return phrase("toolkit-of-version", folder=folder, version=nvcc_version)


def _finding(cuda_version: str, environment: EnvironmentVariables, nvcc_version: str) -> Finding:
    return Finding(
        severity=Severity.NOTE,
        confidence=0.6,
        evidence=(
            Evidence("cuda_version", cuda_version),
            Evidence("cuda_home", environment.cuda_home or "", environment.origin),
            Evidence("nvcc_version", nvcc_version, environment.origin),
        ),
        values={"cuda_major": str(major_number(cuda_version)), "toolkit": _toolkit(environment, nvcc_version)},
    )
