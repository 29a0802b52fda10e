"""The program, or a package that it uses, asks for a package that this Python does not have.

Detects:      imports that fail for a module that no installed distribution brings; packages that ask for another one in
              their own words ("T5Tokenizer requires the SentencePiece library").
Why it bites: every Python has its own packages; what is installed for another one is not there.
Blind spots:  a module that no table knows may be a file of the program's own: then it is less sure, and no command
              installs it; a name that programs give to their own files is user-code-error. AI frameworks are
              framework-not-installed; what a package's metadata asks for is dependency-version-conflict.
Knowledge:    resources/knowledge/packages/import_packages.toml, resources/knowledge/errors/soft_requirements.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.absent import INSTALL_MEANT, Absent, Kind, absences, own_module_of
from checks.analysis.failures.at_import import must_have_imported
from checks.analysis.packages.asked import is_asked_for, is_conflict
from checks.causes.registry import check
from checks.facts import Facts, InterpreterFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.errors.soft_requirements import remedies_for
from checks.knowledge.packages.ai_packages import framework_of_package
from checks.knowledge.packages.import_packages import ImportPackagesTable, is_named, module_of_distribution
from checks.knowledge.packages.known_packages import is_known_package

SHOWN = 3  # interpreters that a finding names
REMEDIES = ("install-missing-package", "use-interpreter-with-package", "find-package-of-module")


@check("package-not-installed")
def package_not_installed(interpreter: InterpreterFacts | None, facts: Facts) -> Iterator[Finding]:
    """One finding per package."""
    found = False
    for absent in absences(interpreter, facts.frameworks, facts.probes, facts.program_runs):
        names = absent.distributions
        if absent.kind is Kind.NAME or (absent.owner and not absent.is_extra) or absent.is_standard or not names:
            continue
        if framework_of_package().get(names[0]) or is_asked_for(absent) or is_conflict(absent):
            continue
        if own_module_of(absent, facts):  # user-code-error, environment-variable-invalid
            found = True
            continue
        found = True
        yield _finding(absent, names, facts)
    if not found and not facts.runs:
        must_have_imported(facts.frameworks, facts.probes)


def _finding(absent: Absent, names: tuple[str, ...], facts: Facts) -> Finding:
    here = absent.interpreter
    is_sure = absent.kind is Kind.PACKAGE or is_named(absent.module) or is_known_package(names[0])
    meant = absent.meant
    if meant is not None:
        confidence = 0.88 if meant.is_sure else 0.7
    else:
        confidence = 0.92 if is_sure or remedies_for(names[0]) else 0.6
    can_do_without = remedies_for(names[0])
    others = others_with(names, here, facts)
    table = ImportPackagesTable.read()
    module = absent.module if absent.kind is Kind.MODULE else module_of_distribution(names[0])
    remedies = (*can_do_without, REMEDIES[1]) if can_do_without else REMEDIES
    if absent.is_own_code and not is_sure:  # nobody knows what of that name lies on the package index
        remedies = REMEDIES[1:]
    if meant is not None:
        remedies = (INSTALL_MEANT, *remedies) if meant.is_sure else (INSTALL_MEANT, REMEDIES[2], *REMEDIES[:2])
    return Finding(
        severity=Severity.BLOCKING if absent.trouble.is_fatal else Severity.WARNING,
        confidence=confidence,
        subject=names[0],
        evidence=(
            Evidence("missing_package", str(absent.wish) if absent.is_extra else names[0], table.title, table.source),
            Evidence("asked_by", absent.asker_label, absent.trouble.origin),
            Evidence("interpreter", here.path if here else "?", here.origin if here else ""),
            Evidence("clue", absent.line, absent.trouble.origin),
            *(Evidence("other_interpreter", f"{path}: {package}", "metadata") for path, package in others[:SHOWN]),
        ),
        values={
            "package_name": names[0],
            **absent.trouble.failed_run,
            "requirement": str(absent.wish) if absent.wish else names[0],
            "import_statement": absent.statement if meant else f"import {module}",
            **({"written_module": absent.module} if meant else {}),
            **({"other_python": others[0][0]} if others else {}),
        },
        remedies=remedies,
    )


def others_with(names: tuple[str, ...], here: InterpreterFacts | None, facts: Facts) -> list[tuple[str, str]]:
    """(path, "package version") of the other interpreters of this machine that have one of these distributions."""
    return [
        (other.path, f"{package.name} {package.version}")
        for other in facts.interpreters or ()
        if (here is None or other.path != here.path)
        and "naosu" not in other.found_by  # our own environment is no place for the user's program
        and not other.problem
        and (package := other.package(*names)) is not None
    ]
