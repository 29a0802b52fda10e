"""A framework ends the process, or never comes back, while it is imported.

Detects:      a probe that died by a signal, left with an exit code, or ran into its time limit inside the import.
Why it bites: every program that uses the framework dies with it, often without a word.
Blind spots:  what the library was doing; only a debugger tells. An illegal instruction has a cause of its own
              (cpu-instruction-unsupported), and so has a death whose last words are known (two OpenMP runtimes).
Knowledge:    resources/knowledge/errors/import_errors.toml, for the deaths that other causes explain
"""

from collections.abc import Iterator

from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, ProbeRun, ProbeRuns
from checks.facts.finding import Evidence, Finding, Inconclusive, Severity
from checks.facts.runs import RunStatus
from checks.knowledge.errors.import_errors import recognise
from checks.knowledge.phrases import phrase

IMPORT_STAGE = "imported"
LAST_WORDS = 1500  # characters of its output that a finding quotes
COMPANION_STAGES = ("torchvision", "torchaudio", "xformers", "triton")
ILLEGAL_INSTRUCTION = ("SIGILL", "STATUS_ILLEGAL_INSTRUCTION")
FRAMEWORKS = tuple(name for name in Frameworks.__struct_fields__ if name not in ("origin", "unread"))


@check("framework-import-crashes")
def framework_import_crashes(
    probes: ProbeRuns, frameworks: Frameworks | None, interpreter: InterpreterFacts | None
) -> Iterator[Finding]:
    """One finding per framework that does not survive its import."""
    runs = [run for run in probes.runs if run.probe in FRAMEWORKS and run.status != RunStatus.CANCELLED]
    if not runs:
        raise Inconclusive("not-installed", fact="frameworks")
    for run in runs:
        # A package beside the framework has a stage of its own, which bears its name.
        name = run.probe if run.last_stage == IMPORT_STAGE else run.last_stage
        if name in (run.probe, *COMPANION_STAGES) and _died(run):
            yield _finding(run, name, frameworks, interpreter)


def _died(run: ProbeRun) -> bool:
    if run.status == RunStatus.TIMED_OUT:
        return True
    if run.status != RunStatus.CRASHED or run.signal in ILLEGAL_INSTRUCTION:
        return False
    return recognise(run.stderr_tail or "") is None


def _finding(run: ProbeRun, name: str, frameworks: Frameworks | None, interpreter: InterpreterFacts | None) -> Finding:
    hangs = run.status == RunStatus.TIMED_OUT
    ending = f"{run.seconds or 0:.0f}" if hangs else run.signal or f"exit code {run.exit_code}"
    evidence = [
        Evidence("framework", _label(name, frameworks, interpreter), run.origin),
        Evidence("ending", ending, run.origin),
    ]
    if run.stderr_tail:
        evidence.append(Evidence("last_words", run.stderr_tail.strip()[-LAST_WORDS:], run.origin))
    return Finding(
        severity=Severity.BLOCKING if name == run.probe else Severity.WARNING,
        # A slow disk or a first import that compiles can take longer than the limit and still end well.
        confidence=0.7 if hangs else 0.9,
        subject=name,
        evidence=tuple(evidence),
        values={"package_name": _distribution(name, interpreter)}
        | {"manner": phrase("import-hangs" if hangs else "import-crashes", ending=ending)},
    )


def _label(name: str, frameworks: Frameworks | None, interpreter: InterpreterFacts | None) -> str:
    framework = getattr(frameworks, name, None)
    package = interpreter.package(name) if interpreter else None
    version = framework.version if framework is not None else package.version if package else None
    return f"{name} {version or ''}".strip()


def _distribution(name: str, interpreter: InterpreterFacts | None) -> str:
    """The name to install it by, "" where it came under another one ("onnxruntime" from onnxruntime-gpu)."""
    return name if interpreter is not None and interpreter.package(name) is not None else ""
