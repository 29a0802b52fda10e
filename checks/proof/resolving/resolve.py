"""Resolve what the remedies of a case would install, before anybody reads them.

At the end of an examination of this machine, for findings that are no notes, in parallel and within seconds. Nothing is
installed, nothing that came from the index runs, and where it does not answer the case says so.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import msgspec

from checks.engine.events import Event, Finished, Resolving
from checks.engine.processes.own_folder import own_folder
from checks.engine.processes.surroundings import probe_environment
from checks.facts import InterpreterFacts, PackageChange, Resolution, ResolutionResult
from checks.facts.case import Case
from checks.facts.finding import Finding, Severity
from checks.facts.remedies.resolutions import resolution_of
from checks.proof.changes import Change, Installed, Managed, NewEnvironment, NotTriable, changes_of
from checks.proof.conflicts import clashes, unmet
from checks.proof.copies.environment_copy import Cancelled
from checks.proof.resolving.dry_run import NotResolved
from checks.proof.resolving.pip_settings import from_here
from checks.proof.resolving.resolver import Resolver
from checks.remedies.plan import RemedyPlan, plan_remedies

OFFLINE = "NAOSU_OFFLINE"  # a variable that keeps Naosu from asking an index, as --offline does
MOST = 12  # remedies of one case
AT_ONCE = 4
SECONDS = 25.0  # for all of them
SECONDS_EACH = 20.0
_LANGUAGES = ("sh", "powershell")

log = logging.getLogger(__name__)


def resolving(
    events: Iterable[Event],
    cancelled: Callable[[], bool],
    variables: Mapping[str, str] = os.environ,
    *,
    offline: bool = False,
) -> Iterator[Event]:
    """The events of an examination, whose case has the resolutions in the end."""
    for event in events:
        if isinstance(event, Finished) and not cancelled():
            asked = _questions(event.case)
            if asked and not (offline or variables.get(OFFLINE)):
                yield Resolving(len(asked))
            try:
                case = resolved(event.case, variables, cancelled, offline=offline)
            except Exception:  # our own bug, or no place for files: what was examined is worth more
                log.exception("remedies were not resolved")
                case = event.case
            yield Finished(case)
        else:
            yield event


def resolved(
    case: Case,
    variables: Mapping[str, str] = os.environ,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    offline: bool = False,
) -> Case:
    """The case with what the index says about the remedies that install something."""
    target, facts = case.facts.target_interpreter, case.facts
    questions = _questions(case)
    if target is None or not questions:
        return case
    if offline or variables.get(OFFLINE):
        known = ((question, question.clashes(target)) for question in questions)
        found = [
            question.answer(ResolutionResult.NOT_RESOLVED, reason="offline", conflicts=conflicts)
            for question, conflicts in known
            if conflicts
        ]
        missing = {**facts.missing, "resolutions": "offline"}
        facts = msgspec.structs.replace(facts, missing=missing, resolutions=(*facts.resolutions, *found))
    else:
        users = from_here(probe_environment("", variables), target.prefix)
        found = _answers(questions, target, users, cancelled)
        facts = msgspec.structs.replace(facts, resolutions=(*facts.resolutions, *found))
    return msgspec.structs.replace(case, facts=facts)


@dataclass(frozen=True)
class _Question:
    """What a remedy would install. Remedies of several findings may ask the same."""

    finding: Finding
    plan: RemedyPlan
    changes: tuple[Change, ...]

    @property
    def commands(self) -> tuple[str, ...]:
        """The installers' calls."""
        return tuple(change.line for change in self.changes if isinstance(change, Installed | Managed))

    def clashes(self, target: InterpreterFacts) -> tuple[str, ...]:
        """What of the installed packages speaks against it, as far as that is known without any index."""
        installed = (change.as_installed if isinstance(change, Managed) else change for change in self.changes)
        wanted = [word for change in installed if isinstance(change, Installed) for word in change.arguments]
        return clashes(target, wanted)

    def answer(self, result: ResolutionResult, **more: object) -> Resolution:
        """The fact."""
        about = {"cause": self.finding.cause, "subject": self.finding.subject, "remedy": self.plan.id}
        return Resolution(origin="a dry run", **about, result=result.value, commands=self.commands, **more)  # type: ignore[arg-type]


def _questions(case: Case) -> list[_Question]:
    """The remedies that install something, the first ones of the case."""
    if not case.facts.here or case.facts.reported:
        return []
    return list(_all_questions(case))[:MOST]


def _all_questions(case: Case) -> Iterator[_Question]:
    for finding in case.findings:
        if finding.severity is Severity.NOTE:
            continue
        for plan in plan_remedies(finding, case.facts, "en"):
            try:
                changes = changes_of(plan, case.facts.target or "python", _LANGUAGES)
            except NotTriable:
                continue
            installs = any(_installation(change) for change in changes)
            known = resolution_of(case.facts.resolutions, finding.cause, finding.subject, plan.id)
            if installs and known is None:
                yield _Question(finding, plan, changes)


def _installation(change: Change) -> bool:
    """Whether it puts a package in place."""
    if isinstance(change, Managed):
        return change.verb in {"add", "again"}
    return isinstance(change, Installed) and change.verb == "install"


def _answers(
    questions: list[_Question], target: InterpreterFacts, variables: Mapping[str, str], cancelled: Callable[[], bool]
) -> list[Resolution]:
    """Their answers, those of the same commands once."""
    deadline = time.monotonic() + SECONDS
    first: dict[tuple[str, ...], _Question] = {}
    for question in questions:
        first.setdefault(question.commands, question)
    with own_folder() as place, ThreadPoolExecutor(AT_ONCE) as pool:
        asked = {
            commands: pool.submit(_answer, question, target, place / str(number), variables, cancelled, deadline)
            for number, (commands, question) in enumerate(first.items())
        }
        found = {commands: future.result() for commands, future in asked.items()}
    about = ((question, found[question.commands]) for question in questions)
    return [
        msgspec.structs.replace(answer, cause=one.finding.cause, subject=one.finding.subject, remedy=one.plan.id)
        for one, answer in about
        if answer is not None
    ]


def _answer(
    question: _Question,
    target: InterpreterFacts,
    folder: Path,
    variables: Mapping[str, str],
    cancelled: Callable[[], bool],
    deadline: float,
) -> Resolution | None:
    started = time.monotonic()
    folder.mkdir()
    if cancelled():
        return None
    if deadline <= started:
        return question.answer(ResolutionResult.UNREACHABLE, reason="no-time", conflicts=question.clashes(target))
    seconds = min(deadline - started, SECONDS_EACH)
    resolver = Resolver(target, folder, variables, cancelled, seconds, _project(question.changes))
    try:
        answer = _resolved(question, resolver, target)
    except Cancelled:
        return None
    except NotResolved as why:
        is_unknown = why.result in (ResolutionResult.UNREACHABLE, ResolutionResult.NOT_RESOLVED)
        is_hopeless = why.result is ResolutionResult.SOURCE_ONLY and not has_compiler(variables)
        reason = "no-compiler" if is_hopeless else why.reason
        conflicts = question.clashes(target) if is_unknown else ()
        answer = question.answer(why.result, said=why.said, reason=reason, values=why.values, conflicts=conflicts)
    is_conda = any(_is_of_conda(change) for change in question.changes)
    return msgspec.structs.replace(
        answer,
        tool="conda" if is_conda else resolver.tool,
        seconds=time.monotonic() - started,
        lacks_pip=_lacks_pip(question.changes, target),
    )


def has_compiler(variables: Mapping[str, str]) -> bool:
    """Whether a C compiler is on PATH; on Windows builds look for theirs elsewhere."""
    named = variables.get("CC", "").split()[:1]
    names = (*named, "cc", "gcc", "clang")
    return os.name == "nt" or any(shutil.which(name, path=variables.get("PATH")) for name in names)


def _resolved(question: _Question, resolver: Resolver, target: InterpreterFacts) -> Resolution:
    """What the commands do one after the other.

    Raises:
        NotResolved: one of them does not resolve.
        Cancelled: somebody asked to end.
    """
    fresh = any(isinstance(change, NewEnvironment) for change in question.changes)
    before = {} if fresh else _versions(target)
    there: dict[str, str | None] = {}
    downloads: list[int | None] = []
    unsized = 0
    for asked in question.changes:
        change = asked.as_installed if isinstance(asked, Managed) else asked
        if not isinstance(change, Installed) or (isinstance(asked, Managed) and asked.verb == "source"):
            continue
        if change.verb == "uninstall":
            names = (Resolver.name_of(word) for word in change.arguments if not word.startswith("-"))
            there |= dict.fromkeys((name for name in names if name in before), None)
            continue
        gone = tuple(name for name, version in there.items() if version is None)
        if isinstance(asked, Managed) and asked.tool == "pixi" and "--pypi" not in asked.words:
            raise NotResolved(ResolutionResult.NOT_RESOLVED, reason="no-dry-run", tool=asked.tool)
        if isinstance(asked, Managed) and _is_of_conda(asked):
            found = resolver.resolved_by_conda(asked)
        else:
            found = resolver.resolved(change, gone, fresh=fresh)
        there |= found.there
        downloads.append(found.download_bytes)
        unsized += found.unsized
    known = [download for download in downloads if download is not None]
    return question.answer(
        ResolutionResult.RESOLVED if there else ResolutionResult.NOTHING_TO_DO,
        changes=_changes(there, before),
        download_bytes=sum(known) if known else None,
        unsized=unsized,
        conflicts=() if fresh else tuple(sorted(unmet(target, there) - unmet(target))),
    )


def _lacks_pip(changes: Iterable[Change], target: InterpreterFacts) -> bool:
    """Whether a command calls a pip that is not there; into a new environment it comes by itself."""
    calls = [change for change in changes if isinstance(change, Installed | NewEnvironment)]
    is_fresh = any(isinstance(change, NewEnvironment) for change in calls)
    by_pip = any(isinstance(change, Installed) and change.installer == "pip" for change in calls)
    return by_pip and not is_fresh and target.packages is not None and target.package("pip") is None


def _project(changes: Iterable[Change]) -> str:
    """The folder whose settings uv has to heed."""
    managed = (change for change in changes if isinstance(change, Managed))
    return next((change.project for change in managed if change.tool == "uv"), "")


def _is_of_conda(change: Change) -> bool:
    return isinstance(change, Managed) and change.tool in {"conda", "mamba"}


def _versions(target: InterpreterFacts) -> Mapping[str, str]:
    return {package.name: package.version for package in reversed(target.packages or ())}


def _changes(there: Mapping[str, str | None], before: Mapping[str, str]) -> tuple[PackageChange, ...]:
    return tuple(
        PackageChange(name=name, version_before=before.get(name), version_after=version)
        for name, version in sorted(there.items())
    )
