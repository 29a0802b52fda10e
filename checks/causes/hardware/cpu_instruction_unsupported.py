"""The processor lacks an instruction set that a package was built with.

Detects:      a framework whose import died of an illegal instruction, or said that it needs AVX; a package that is
              known to need instructions which the processor has not got, and that was not seen to work.
Why it bites: the processor stops the program at the first instruction that it does not know.
Blind spots:  an illegal instruction can also be a damaged library; a virtual machine may hide what its host can do.
Knowledge:    resources/knowledge/gpu/cpu_requirements.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE
from checks.causes.registry import check
from checks.facts import CpuFacts, FrameworkFacts, Frameworks, InterpreterFacts, OsFacts, ProbeRun, ProbeRuns
from checks.facts.finding import Evidence, Finding, Inconclusive, Severity
from checks.facts.phrase import Phrase
from checks.facts.runs import RunStatus
from checks.knowledge.gpu.cpu_requirements import CpuRequirements, cpu_requirement
from checks.knowledge.phrases import phrase

_SIGNALS = ("SIGILL", "STATUS_ILLEGAL_INSTRUCTION")
_EXIT_CODES = (132, 0xC000001D, 0xC000001D - 2**32)  # a shell's word for SIGILL; Windows, unsigned and signed
# How packages that look before they leap say it: jaxlib, TensorFlow.
_WORDS = ("built using avx instructions", "compiled to use avx", "compiled to use sse")
_CONDA_NAMES = {"torch": "pytorch"}  # where conda-forge has another name
_PACKAGES = {"tensorflow": ("tensorflow", "tensorflow-cpu"), "jax": ("jaxlib",), "torch": ("torch",)}


@check("cpu-instruction-unsupported")
def cpu_instruction_unsupported(
    probes: ProbeRuns | None,
    cpu: CpuFacts | None,
    frameworks: Frameworks | None,
    interpreter: InterpreterFacts | None,
    os: OsFacts | None,
) -> Iterator[Finding]:
    """One finding per framework.

    Raises:
        Inconclusive: nothing was run here, and too little is known of processor and packages to judge without.
    """
    if probes is None and not any(_is_known(name, interpreter, cpu) for name in _PACKAGES):
        raise Inconclusive("not-collected", fact="probes")
    facts = dict(frameworks.each()) if frameworks else {}
    works = {name for name, fact in facts.items() if fact.imported}
    runs = probes.runs if probes else ()
    illegal = {run.probe: run for run in runs if _died_of_it(run) or _says_so(run, facts.get(run.probe))}
    for name, run in illegal.items():
        if name not in works or _died_of_it(run):
            missing = _missing(name, interpreter, cpu)
            yield _finding(name, missing, run.signal or NONE, 0.95, cpu, interpreter, os)
    for name in _PACKAGES:
        missing = _missing(name, interpreter, cpu)
        if missing and name not in illegal and name not in works:
            yield _finding(name, missing, NONE, 0.85, cpu, interpreter, os)


def _died_of_it(run: ProbeRun) -> bool:
    return run.status == RunStatus.CRASHED and (run.signal in _SIGNALS or run.exit_code in _EXIT_CODES)


def _says_so(run: ProbeRun, fact: FrameworkFacts | None) -> bool:
    stated = f"{run.stderr_tail or ''} {fact.error.message if fact and fact.error else ''}".lower()
    return any(words in stated for words in _WORDS)


def _missing(framework: str, interpreter: InterpreterFacts | None, cpu: CpuFacts | None) -> tuple[str, ...]:
    """The instruction sets that the installed release needs and the processor has not got; () also if unknown."""
    package = interpreter.package(*_PACKAGES.get(framework, ())) if interpreter else None
    if package is None or not _is_read(cpu):
        return ()
    row = cpu_requirement(package.name.removesuffix("-cpu"), package.version)
    return tuple(name for name in row.needs if name not in _sets(cpu)) if row else ()


def _is_known(framework: str, interpreter: InterpreterFacts | None, cpu: CpuFacts | None) -> bool:
    """Whether the table says what the installed release needs, and the processor's instruction sets are known."""
    package = interpreter.package(*_PACKAGES.get(framework, ())) if interpreter else None
    return (
        package is not None
        and _is_read(cpu)
        and cpu_requirement(package.name.removesuffix("-cpu"), package.version) is not None
    )


def _is_read(cpu: CpuFacts | None) -> bool:
    """Whether the instruction sets of an x86 processor are known."""
    return "sse2" in _sets(cpu)


def _sets(cpu: CpuFacts | None) -> tuple[str, ...]:
    return cpu.instruction_sets or () if cpu else ()


def _finding(
    framework: str,
    missing: tuple[str, ...],
    signal: str,
    confidence: float,
    cpu: CpuFacts | None,
    interpreter: InterpreterFacts | None,
    os: OsFacts | None,
) -> Finding:
    package = interpreter.package(*_PACKAGES.get(framework, (framework,))) if interpreter else None
    if cpu and cpu.vendor == "Apple":
        remedies: tuple[str, ...] = ("install-arm64-python",)
    elif os and os.virtual_machine:
        remedies = ("pass-cpu-features-to-virtual-machine", "install-build-for-older-cpu")
    else:
        remedies = ("install-build-for-older-cpu",)
    return Finding(
        severity=Severity.BLOCKING,
        confidence=confidence,
        subject=framework,
        evidence=(
            Evidence("framework", f"{framework} {package.version if package else ''}".strip()),
            Evidence("cpu_name", (cpu.name if cpu else None) or NONE, cpu.origin if cpu else ""),
            Evidence("missing_instructions", ", ".join(missing) or NONE, CpuRequirements.read().title),
            Evidence("signal", signal),
        ),
        values={"state": _state(missing, signal, cpu)}
        | {"framework_package": _CONDA_NAMES.get(framework, package.name if package else framework)},
        remedies=remedies,
    )


def _state(missing: tuple[str, ...], signal: str, cpu: CpuFacts | None) -> Phrase:
    name = (cpu.name if cpu else None) or "CPU"
    if missing:
        return phrase("cpu-lacks", missing=", ".join(missing), cpu=name)
    return phrase("cpu-crashed", signal=signal, cpu=name)
