"""Every error text that a framework or a package beside it left when it was really loaded, in one list.

The failures of the user's own program stand first (of_runs.py): it is the witness. Several causes read the same texts;
the table of texts (checks/knowledge/errors/import_errors.py) gives each to one of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from checks.analysis.failures.of_runs import ended_on_its_own, failures, package_of, texts_of
from checks.analysis.failures.tracebacks import raised_in
from checks.facts import (
    ErrorText,
    FrameworkFacts,
    Frameworks,
    InterpreterFacts,
    OsFacts,
    ProbeRuns,
    ProgramRun,
    ProgramRuns,
    Raised,
    TorchFacts,
)
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Inconclusive, NotCollected, Severity, Unread, only_on
from checks.facts.phrase import Value
from checks.facts.quotation import quotation
from checks.facts.runs import RunStatus
from checks.knowledge.errors.import_errors import ImportErrors, Recognised, recognise
from checks.knowledge.packages.ai_packages import framework_of_package


@dataclass(frozen=True)
class Trouble:
    """One failure: of which package, its words, and whether it keeps a framework itself from working."""

    framework: str  # "torch"; "" where none is concerned
    package: str  # "torchvision", or the framework: "torch"; "" for the user's own program
    version: str
    text: str
    origin: str
    is_fatal: bool
    is_warning: bool = False
    run: ProgramRun | None = None  # of the user's own program, or of a statement that was tried
    program: str = ""  # its name: "train.py"
    interpreter: InterpreterFacts | None = None  # that ran it; None: the target
    raised: tuple[Raised, ...] = ()  # the exceptions, the first one first

    @property
    def label(self) -> str:
        """The package as a sentence names it: "torchvision 0.19.0"; or the user's program."""
        return f"{self.package} {self.version}".strip() or self.program

    @property
    def failed_run(self) -> dict[str, Value]:
        """The value that ties a finding to the run that it explains."""
        return {FAILED_RUN: self.run.label} if self.run else {}


def troubles(
    frameworks: Frameworks | None, probes: ProbeRuns | None = None, runs: ProgramRuns | None = None
) -> Iterator[Trouble]:
    """Every failure: of the user's program; of the frameworks' and companions' imports, warnings, last words."""
    for failure in failures(runs):
        for text, raised, is_warning in texts_of(failure):
            package, version = package_of(failure, raised)
            is_beside = is_warning and ended_on_its_own(failure)
            yield Trouble(
                framework=framework_of_package().get(package, ""),
                package=package,
                version=version,
                text=text,
                origin=failure.origin,
                is_fatal=not failure.run.is_unasked and not is_beside,  # of what nobody named as his program: a warning
                is_warning=is_warning,
                run=None if is_beside else failure.run,
                program=failure.program,
                interpreter=failure.interpreter,
                raised=failure.raised,
            )
    for name, framework in tried_frameworks(frameworks or Frameworks(), probes):
        if framework.imported is False and framework.error is not None:
            yield _trouble(name, framework, _text(framework.error), raised=_raised(framework.error))
        words = _last_words(name, framework, probes)
        if words:
            yield _trouble(name, framework, words)
        for warning in framework.warnings or ():
            yield _trouble(name, framework, warning, is_warning=True)
        if isinstance(framework, TorchFacts):
            yield from _of_torch(name, framework)


def tried_frameworks(frameworks: Frameworks, probes: ProbeRuns | None = None) -> Iterator[tuple[str, FrameworkFacts]]:
    """(name, facts) of every framework whose probe ran; without any fact where it died before it could tell one."""
    for name in Frameworks.__struct_fields__:
        framework = getattr(frameworks, name)
        if isinstance(framework, FrameworkFacts):
            yield name, framework
        elif probes is not None and (run := probes.of(name)) is not None:
            yield name, FrameworkFacts(origin=run.origin)


def recognised(
    cause: str, frameworks: Frameworks | None, probes: ProbeRuns | None = None, runs: ProgramRuns | None = None
) -> Iterator[tuple[Trouble, Recognised]]:
    """The failures whose text shows this cause, one per package; those of the user's own program first."""
    seen = set()
    for trouble in troubles(frameworks, probes, runs):
        found = recognise(trouble.text)
        if found is None or found.row.cause != cause or (trouble.is_warning and not found.row.in_warnings):
            continue
        key = f"run: {trouble.run.label}" if trouble.run else trouble.package
        if key not in seen and trouble.package not in seen:
            seen |= {key, trouble.package}
            yield trouble, found


def findings_of_texts(
    cause: str,
    system: str,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    os: OsFacts | None,
    runs: ProgramRuns | None = None,
) -> tuple[Finding, ...]:
    """One finding per package whose error text shows this cause, which occurs on one ``system`` only.

    Each has the evidence ``package`` ("torchvision 0.19.0") and ``clue`` (the line that shows it), and the value
    ``package_name`` for the remedies. What does not stop the framework itself is no more than a warning.

    Where the system is unknown, the text alone is enough.

    Raises:
        NotHere: it is another system.
        Inconclusive: nothing was found, and there is no framework in this interpreter.
        Unread: nothing was found, but a framework's process ended before its import did.
    """
    if os is not None and os.system:
        only_on(system, os)
    found = tuple(finding_of_text(trouble, match) for trouble, match in recognised(cause, frameworks, probes, runs))
    if not found:
        must_have_imported(frameworks, probes)
    return found


def finding_of_text(trouble: Trouble, found: Recognised, /, *evidence: Evidence, **values: Value) -> Finding:
    """The finding for one recognised text; what the text names ("library", "symbol") is there for the remedies."""
    package, clue = evidence_of(trouble, found)
    return Finding(
        severity=Severity.BLOCKING if trouble.is_fatal else Severity.WARNING,
        confidence=found.row.certainty,
        subject=trouble.package or trouble.program,
        evidence=(package, *evidence, clue),
        values={
            **({"package_name": trouble.package} if trouble.package else {}),
            **found.groups,
            **values,
            **trouble.failed_run,
        },
    )


def evidence_of(trouble: Trouble, found: Recognised) -> tuple[Evidence, Evidence]:
    """What proves it: ``package``, and ``clue``, the line that shows it, shortened, with the source of the verdict."""
    return (
        Evidence("package", trouble.label, trouble.origin),
        Evidence("clue", quotation(found.line), ImportErrors.read().title, found.row.sources[0]),
    )


def must_have_imported(frameworks: Frameworks | None, probes: ProbeRuns | None = None) -> None:
    """Silence means health only where every framework was really imported.

    Raises:
        NotCollected: nothing was examined.
        Inconclusive: there is no framework in this interpreter.
        Unread: a framework's process ended before its import did.
    """
    if frameworks is None:
        raise NotCollected("frameworks")
    tried = tuple(tried_frameworks(frameworks, probes))
    if not tried:
        raise Inconclusive("not-installed", fact="frameworks")
    for _, framework in tried:
        if framework.imported is None:
            raise Unread("imported", framework.unread.get("imported", ""))


def _of_torch(name: str, torch: TorchFacts) -> Iterator[Trouble]:
    for companion in torch.companions or ():
        if companion.error is not None:  # also of one that imports and only says what of it did not load
            yield Trouble(
                framework=name,
                package=companion.name,
                version=companion.version or "",
                text=_text(companion.error),
                origin=torch.origin,
                is_fatal=False,
                raised=_raised(companion.error),
            )
    bridge = torch.numpy_bridge
    if bridge is not None and not bridge.ran and bridge.error is not None:
        yield _trouble(name, torch, _text(bridge.error))


def _last_words(name: str, framework: FrameworkFacts, probes: ProbeRuns | None) -> str:
    """The last output of a process before it died, or beside the exception of its import.

    An exception can be empty while the reason stands on standard error: NumPy's long warning does so.
    """
    run = probes.of(name) if probes else None
    if run is not None and (
        run.status == RunStatus.CRASHED or (run.status == RunStatus.FAILED and not framework.imported)
    ):
        return run.stderr_tail or ""
    return ""


def _trouble(
    name: str, framework: FrameworkFacts, text: str, *, is_warning: bool = False, raised: tuple[Raised, ...] = ()
) -> Trouble:
    return Trouble(
        framework=name,
        package=name,
        version=framework.version or "",
        text=text,
        origin=framework.origin,
        is_fatal=not is_warning,
        is_warning=is_warning,
        raised=raised,
    )


def _raised(error: ErrorText) -> tuple[Raised, ...]:
    """The exceptions, from the traceback where there is one."""
    return raised_in(error.traceback) or (Raised(type=error.type, message=error.message),)


def _text(error: ErrorText) -> str:
    # The traceback also holds the exceptions that led to this one ("The above exception was the direct cause ...").
    return f"{error.traceback}\n{error.type}: {error.message}"
