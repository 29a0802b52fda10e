"""torch.compile finds no Triton, or no C compiler.

Detects:      a Triton that does not import; a GPU build of PyTorch without Triton; Linux and macOS without a C
              compiler.
Why it bites: torch.compile writes programs for the GPU with Triton, and needs a C compiler to bind them, or to
              compile for the processor. Programs without torch.compile do not need either.
Blind spots:  on Windows the compiler is found by Visual Studio's own scripts, not on PATH; it is not judged there.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator

import msgspec

from checks.analysis.failures.at_import import Trouble, finding_of_text, recognised
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Frameworks, InterpreterFacts, OsFacts, ProbeRuns, ProgramRuns, TorchFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.versions import release
from checks.knowledge.errors.import_errors import Recognised
from checks.knowledge.phrases import phrase

CAUSE = "triton-or-compiler-missing"
# Triton comes under another name with each kind of build.
TRITON = (
    "triton",
    "pytorch-triton",
    "pytorch-triton-rocm",
    "pytorch-triton-xpu",
    "triton-rocm",
    "triton-xpu",
    "triton-windows",
)
GPU_BUILDS = ("cuda", "rocm", "xpu")
NO_COMPILER = ("compiler-missing",)  # rows of the table
C_COMPILERS = ("cc", "gcc", "clang")
FIRST_WITH_COMPILE = (2,)  # PyTorch 2.0 brought torch.compile


@check(CAUSE, from_whole=True)
def triton_or_compiler_missing(
    torch: TorchFacts,
    interpreter: InterpreterFacts,
    os: OsFacts,
    environment: EnvironmentVariables | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """What torch.compile would miss, one finding each."""
    if torch.version and release(torch.version) < FIRST_WITH_COMPILE:
        return
    found = [_of_text(*match) for match in recognised(CAUSE, Frameworks(torch=torch), probes, runs)]
    if not found:
        if interpreter.packages is None:
            raise Unread("packages", interpreter.unread.get("packages", ""))
        works = any(companion.name == "triton" and companion.imported for companion in torch.companions or ())
        if torch.build in GPU_BUILDS and not works and interpreter.package(*TRITON) is None:
            found.append(_note(torch, "Triton", f"PyTorch {torch.version}, {os.system}"))
    compilers = environment.compilers if environment else None
    looked = os.system in ("Linux", "Darwin") and compilers is not None
    if looked and not any((compilers or {}).get(name) for name in C_COMPILERS):
        found.append(_note(torch, "C compiler", ", ".join(f"{name}: –" for name in C_COMPILERS)))
    yield from found


def _of_text(trouble: Trouble, seen: Recognised) -> Finding:
    """What a failure misses: Triton, or the compiler that it needs."""
    if seen.row.id not in NO_COMPILER:
        return finding_of_text(trouble, seen, Evidence("missing", "Triton"), missing=phrase("part-triton"))
    finding = finding_of_text(trouble, seen, Evidence("missing", "C compiler"), missing=phrase("part-c-compiler"))
    return msgspec.structs.replace(finding, remedies=("install-c-compiler", "leave-out-torch-compile"))


def _note(torch: TorchFacts, missing: str, clue: str) -> Finding:
    return Finding(
        severity=Severity.NOTE,
        confidence=0.7,
        subject=missing,
        evidence=(
            Evidence("package", f"torch {torch.version or ''}".strip(), torch.origin),
            Evidence("missing", missing),
            Evidence("clue", clue),
        ),
        values={"package_name": "torch"}
        | {"missing": phrase("part-triton" if missing == "Triton" else "part-c-compiler")},
        remedies=("install-c-compiler",) if missing == "C compiler" else ("install-triton", "leave-out-torch-compile"),
    )
