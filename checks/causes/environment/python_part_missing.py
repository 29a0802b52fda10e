"""The interpreter lacks a module of its own library, because it was built or packed without it.

Detects:      imports that fail for "_ctypes", "_lzma", "_sqlite3", "_bz2", "_ssl", "_tkinter" and the like.
Why it bites: whoever builds Python from its source gets these modules only where the libraries that they need, and
              their headers, are there; Debian and others pack some of them apart.
Blind spots:  a module that was deleted later looks the same; building anew brings it back, too.
Knowledge:    resources/knowledge/packages/python_parts.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.absent import Kind, absences
from checks.analysis.failures.at_import import must_have_imported
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, ProbeRuns, ProgramRuns
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.versions import minor
from checks.knowledge.packages.names import PYTHON, releases_with
from checks.knowledge.packages.python_parts import Part, PythonParts, part_of

OF_CONDA = ("reinstall-conda-python", "make-environment-with-managed-python")
OF_SYSTEM = ("install-part-of-system-python", "make-environment-with-managed-python")
BUILT = ("rebuild-python-with-part", "make-environment-with-managed-python")


@check("python-part-missing")
def python_part_missing(
    interpreter: InterpreterFacts | None,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per module."""
    found = False
    for absent in absences(interpreter, frameworks, probes, runs):
        part = part_of(absent.module) if absent.kind is Kind.MODULE else None
        here = absent.interpreter
        if part is None or _is_gone(absent.module, here):
            continue
        found = True
        version = here.version if here and here.version else ""
        yield Finding(
            severity=Severity.BLOCKING if absent.trouble.is_fatal else Severity.WARNING,
            confidence=0.9,
            subject=absent.module,
            evidence=(
                Evidence("missing_module", absent.module, absent.trouble.origin),
                Evidence("python_version", version or "?", here.path if here else ""),
                Evidence("package", absent.asker_label, absent.trouble.origin),
                Evidence("clue", absent.line, PythonParts.read().title, PythonParts.read().source),
            ),
            values={
                "import_statement": absent.statement,
                **absent.trouble.failed_run,
                **_packages(part, is_own=_is_of_system(here)),
                **({"python_full": version, "python_fit": minor(version)} if version else {}),
            },
            remedies=_remedies(part, here),
        )
    if not found and runs is None:
        must_have_imported(frameworks, probes)


def _is_gone(module: str, interpreter: InterpreterFacts | None) -> bool:
    """Whether no build of this Python has it: that is python-version-unsupported."""
    wanted = releases_with(PYTHON, module)
    return bool(wanted and interpreter and interpreter.version and wanted.lacks(interpreter.version))


def _base(interpreter: InterpreterFacts | None) -> str:
    """The folder of the Python itself, behind a virtual environment."""
    return ((interpreter.base_prefix or interpreter.prefix or "") if interpreter else "").rstrip("/")


def _is_of_system(interpreter: InterpreterFacts | None) -> bool:
    return _base(interpreter) == "/usr"


def _packages(part: Part, *, is_own: bool) -> dict[str, str]:
    if is_own and part.own:
        return {"apt_package": part.own, "dnf_package": part.own_dnf or part.own}
    return {"apt_package": part.apt, "dnf_package": part.dnf, "brew_package": part.brew} if part.apt else {}


def _remedies(part: Part, interpreter: InterpreterFacts | None) -> tuple[str, ...]:
    if interpreter and (interpreter.kind == "conda" or interpreter.package_manager in ("conda", "pixi")):
        return OF_CONDA
    if _is_of_system(interpreter) and part.own:
        return OF_SYSTEM
    return BUILT
