"""A package asks for a version of another package that is not the one installed.

Detects:      a requirement in the metadata of an installed AI package that the installed packages do not meet, and
              imports that fail with the words of such a conflict, or for a name that the installed release lacks.
Why it bites: the package calls what its neighbour no longer has, or does not have yet.
Blind spots:  an upper limit that was set out of caution; such a pair often works.
Knowledge:    resources/knowledge/errors/import_errors.toml, resources/knowledge/packages/names.toml, moved_names.toml;
              the packages' own metadata
"""

import re
from collections.abc import Iterator

import msgspec
from packaging.utils import canonicalize_name

from checks.analysis.failures.absent import GENERAL_ROWS, Absent, absences
from checks.analysis.failures.at_import import finding_of_text, recognised
from checks.analysis.failures.in_packages import failed_package, misfit_call, misfit_words
from checks.analysis.failures.owners import owner_of_module
from checks.analysis.failures.seen_to_work import imported_packages
from checks.analysis.packages.asked import Fit, fit_of, is_conflict
from checks.analysis.packages.requirements import Broken, broken_if_read
from checks.causes.environment.framework_companion_mismatch import companion_pairs
from checks.causes.environment.numpy_abi_mismatch import is_other_generation
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, OsFacts, ProbeRuns, ProgramRun, ProgramRuns
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Severity
from checks.facts.phrase import Phrase, Value
from checks.facts.quotation import quotation
from checks.knowledge.errors.import_errors import Recognised
from checks.knowledge.packages.names import Names
from checks.knowledge.phrases import phrase

CAUSE = "dependency-version-conflict"
ABSENT = "–"

# Neighbours that have a cause of their own, which knows more than "the versions do not fit".
OWN_CAUSE = frozenset({"protobuf", "nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"})


@check(CAUSE)
def dependency_version_conflict(
    interpreter: InterpreterFacts,
    os: OsFacts,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per package, with all that does not fit it: no more than a note where it was seen to load."""
    texts = tuple(match for match in recognised(CAUSE, frameworks, probes, runs) if match[1].row.id not in GENERAL_ROWS)
    absent = tuple(filter(is_conflict, absences(interpreter, frameworks, probes, runs)))
    conflicts: dict[str, list[Broken]] = {}
    for broken in broken_if_read(interpreter, os, needed=not texts and not absent):
        if not _is_of_another_cause(broken):
            conflicts.setdefault(broken.package.name, []).append(broken)
    for trouble, found in texts:
        known = conflicts.pop(trouble.package, [])
        needed, here = (_needed(known), _found(known)) if known else _of_text(found, interpreter)
        yield finding_of_text(
            trouble,
            found,
            Evidence("needed", needed),
            Evidence("found", here),
            **(_shown(known) if known else {"found": (here,) if here != ABSENT else ()}),
            requirement=_wishes(known) or found.row.requirement or found.groups.get("needed", ""),
        )
    for missing in absent:
        yield _of_absent(missing, conflicts.pop(missing.asker.name, []) if missing.asker else [])
    loaded = imported_packages(frameworks, runs)
    failed = dict(_failed_packages(interpreter, runs))
    for name, run in failed.items():
        if name not in conflicts and misfit_call(run):
            yield _of_misfit(name, run, interpreter)
    for name, package_conflicts in conflicts.items():
        if name in failed:
            yield _of_failure(package_conflicts, failed[name])
        else:
            yield _of_metadata(package_conflicts, loads=name in loaded)


def _failed_packages(interpreter: InterpreterFacts, runs: ProgramRuns | None) -> Iterator[tuple[str, ProgramRun]]:
    """The distributions between which a run failed, and that run."""
    for run in runs.failed() if runs else ():
        owner = owner_of_module(failed_package(run), interpreter)
        if owner is not None:
            yield owner.name, run


def _of_failure(conflicts: list[Broken], run: ProgramRun) -> Finding:
    """What a package asks for is not met, and in its code the program failed."""
    finding = _of_metadata(conflicts, loads=False)
    clue = Evidence("clue", quotation(misfit_words(run)), run.origin)
    return msgspec.structs.replace(
        finding,
        severity=Severity.WARNING if run.is_unasked else Severity.BLOCKING,
        confidence=0.85,
        evidence=(*finding.evidence, clue),
        values={**finding.values, FAILED_RUN: run.label},
    )


def _of_misfit(name: str, run: ProgramRun, interpreter: InterpreterFacts) -> Finding:
    """A package calls a function of another in a way that this one does not know, or knows no longer."""
    package = interpreter.package(name)
    call = misfit_call(run)
    return Finding(
        severity=Severity.WARNING if run.is_unasked else Severity.BLOCKING,
        confidence=0.9,
        subject=name,
        evidence=(
            Evidence("package", f"{name} {package.version}" if package else name, run.origin),
            Evidence("needed", call, run.origin),
            Evidence("found", ABSENT),
            Evidence("clue", quotation(misfit_words(run)), run.origin),
        ),
        values={"package_name": name, "found": phrase("not-there", module=call), FAILED_RUN: run.label},
        remedies=("update-package", "bring-packages-into-step", "make-fresh-environment"),
    )


def _of_absent(absent: Absent, known: list[Broken]) -> Finding:
    """What an exception shows, with what else the metadata of the same package say."""
    fit = fit_of(absent)
    others = [broken for broken in known if not fit.requirement.startswith(broken.requirement.name)]
    needed = ", ".join((fit.needed, *(broken.needed for broken in others)))
    found = ", ".join((fit.found or ABSENT, *filter(None, (_found(others),))))
    shown = [
        fit.found or phrase("not-there", module=absent.distributions[0] if absent.distributions else absent.module)
    ]
    other_words = _found_words(others)
    requirement = " ".join(filter(None, (fit.requirement, _wishes(others))))
    return Finding(
        severity=Severity.BLOCKING if absent.trouble.is_fatal else Severity.WARNING,
        confidence=fit.confidence,
        subject=absent.asker.name if absent.asker else absent.asker_label,
        evidence=(
            Evidence("package", absent.asker_label, absent.trouble.origin),
            Evidence("needed", needed, Names.read().title if fit.source else "", fit.source),
            Evidence("found", found),
            Evidence("clue", absent.line, absent.trouble.origin),
        ),
        values={
            **absent.trouble.failed_run,
            **({"package_name": absent.asker.name} if absent.asker else {}),
            "requirement": requirement,
            "found": (*shown, *other_words),
            **({"import_statement": absent.statement} if absent.statement else {}),
            **(
                {"old_place": f"{absent.module}.{absent.name}".rstrip("."), "new_place": fit.instead}
                if fit.instead
                else {}
            ),
        },
        remedies=_remedies(absent, fit),
    )


def _remedies(absent: Absent, fit: Fit) -> tuple[str, ...]:
    """Of the user's own program its code comes first; of a package, nobody edits it."""
    in_code = () if absent.asker_module or not fit.instead else ("use-new-place",)
    return (
        *in_code,
        # What is asked for in words, and not by an import, has no statement that shows it.
        "install-fitting-release" if absent.statement else "install-required-version",
        "update-package",
        "bring-packages-into-step",
        "make-fresh-environment",
    )


def _is_of_another_cause(broken: Broken) -> bool:
    if broken.found is None:  # what is missing has no other cause
        return False
    name = canonicalize_name(broken.requirement.name)
    is_companion = (broken.package.name, name) in companion_pairs()
    return name in OWN_CAUSE or is_companion or is_other_generation(broken)


def _of_text(found: Recognised, interpreter: InterpreterFacts) -> tuple[str, str]:
    """What is asked for and what is there instead, as far as an error text tells."""
    groups = found.groups
    module = groups.get("module", "")
    symbol = ".".join(part for part in (module, groups.get("symbol", "")) if part)
    needed = found.row.requirement or groups.get("needed") or symbol
    neighbour = canonicalize_name(re.split(r"[<>=!~.\[]", found.row.requirement or module)[0])
    package = interpreter.package(neighbour)
    return needed, f"{package.name} {package.version}" if package else groups.get("found") or module or ABSENT


def _of_metadata(conflicts: list[Broken], *, loads: bool) -> Finding:
    package = conflicts[0].package
    return Finding(
        severity=Severity.NOTE if loads else Severity.WARNING,
        confidence=0.7,
        subject=package.name,
        evidence=(
            Evidence("package", f"{package.name} {package.version}", package.location or ""),
            Evidence("needed", _needed(conflicts), package.location or ""),
            Evidence("found", _found(conflicts), package.location or ""),
        ),
        values={"package_name": package.name, "requirement": _wishes(conflicts)} | _shown(conflicts),
    )


def _needed(conflicts: list[Broken]) -> str:
    return ", ".join(broken.needed for broken in conflicts)


def _found(conflicts: list[Broken]) -> str:
    """What is there instead, in the same order."""
    here = (broken.found for broken in conflicts)
    return ", ".join(f"{found.name} {found.version}" if found else ABSENT for found in here)


def _shown(conflicts: list[Broken]) -> dict[str, Value]:
    """The same in words: what is not there is named."""
    return {"found": _found_words(conflicts)}


def _found_words(conflicts: list[Broken]) -> tuple[str | Phrase, ...]:
    return tuple(
        f"{conflict.found.name} {conflict.found.version}"
        if conflict.found
        else phrase("not-there", module=conflict.requirement.name)
        for conflict in conflicts
    )


def _wishes(conflicts: list[Broken]) -> str:
    """All of it as words of one command."""
    return " ".join(broken.needed for broken in conflicts)
