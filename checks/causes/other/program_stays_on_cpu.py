"""The user's own program computes on the processor although its framework reaches the GPU here.

Detects:      a watched program that certainly put nothing on a GPU: it never had one open, or each of its Pythons came
              to its end and PyTorch, its only framework, had allocated nothing there; with a framework loaded that
              computed on an NVIDIA GPU when it was tried in the same Python.
Why it bites: PyTorch puts tensors on the processor unless it is told otherwise, and no message says so: the program is
              many times slower, and driver and packages are in order.
Blind spots:  only Linux shows which files are open. One that failed may not have come so far. A part of the program
              that did not run this time may use the GPU.
Knowledge:    resources/knowledge/packages/gpu_modules.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.of_programs import stayed_on_processor
from checks.analysis.gpu.state import ran_on_cuda
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, ProgramRun, ProgramRuns, Symptom
from checks.facts.finding import FRAMEWORK, Evidence, Finding, NotHere, Severity
from checks.facts.question import SymptomName

_ASKED = {SymptomName.NOT_ON_GPU: Severity.WARNING, SymptomName.EVERYTHING: Severity.NOTE}


@check("program-stays-on-cpu", from_whole=True)
def program_stays_on_cpu(
    symptom: Symptom, runs: ProgramRuns | None, frameworks: Frameworks | None, interpreter: InterpreterFacts | None
) -> Iterator[Finding]:
    """One finding per program."""
    severity = next((grade for name, grade in _ASKED.items() if symptom.name == name), None)
    programs = [run for run in runs.runs if not run.statement] if runs else []
    if severity is None or not programs or frameworks is None:
        raise NotHere("watched_program", "none-given")
    for run in programs:
        if run.failed or not stayed_on_processor(run) or runs is None or runs.interpreter_of(run) is not interpreter:
            continue
        able = _able(run, frameworks)
        if able and not any("CUDA_VISIBLE_DEVICES" in python.variables for python in run.pythons):
            yield _finding(run, able, severity)


def _able(run: ProgramRun, frameworks: Frameworks) -> dict[str, str]:
    """Framework -> version: those that the program had loaded and that computed on the GPU when they were tried."""
    loaded = {module.name.removesuffix("lib") for python in run.pythons for module in python.modules}  # jaxlib
    known = frameworks.each()
    return {name: fact.version or "" for name, fact in known if name in loaded and ran_on_cuda(fact)}


def _finding(run: ProgramRun, able: dict[str, str], severity: Severity) -> Finding:
    named = ", ".join(f"{name} {version}".strip() for name, version in able.items())
    devices = sorted({use.device for python in run.pythons for use in python.devices})
    return Finding(
        severity=severity,
        confidence=0.95 if run.worked else 0.85,  # while it still runs, its use of the GPU may be to come
        subject=run.label,
        evidence=(
            Evidence("program", run.label, run.origin),
            Evidence("computed_on_gpu", named, "checks/probes"),
            *([Evidence("devices_used", ", ".join(devices), run.origin)] if devices else ()),
        ),
        values={FRAMEWORK: next(iter(able))},
    )
