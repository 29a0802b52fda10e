"""Which statements are tried alone in the target: the user's own imports, and those of what is installed there.

A run of the whole program says more. Where none can be had, its import that failed, the imports of its script, and
those of the packages that stand around the frameworks are tried one by one, in the user's surroundings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from checks.engine.answers import fields_of
from checks.engine.job import Job, Limit, Stem
from checks.engine.plans.calls import Call, calls_of_program
from checks.engine.plans.unasked import imports_of_scripts, uses_of_packages
from checks.engine.processes.runner import Answer
from checks.engine.processes.surroundings import probe_environment
from checks.engine.request import Request
from checks.engine.watch.quoted import quoted_variables
from checks.facts import (
    Facts,
    InterpreterFacts,
    LoadedModule,
    ProgramEnd,
    ProgramRun,
    PythonProcess,
    SentFile,
)
from checks.facts.runs import RunStatus
from checks.prepared import prepared
from checks.readers.scripts.imports import imports_of, is_import

SECONDS = {"quick": 20.0, "standard": 60.0, "thorough": 300.0}  # for all of them together, by effort
ALONE = 5  # failures that are tried once more, each in a process of its own
EACH = 0.5  # seconds that one is expected to take
_CODE_IN_TEXT = re.compile(r"^[ \t>E|│]*((?:import|from)[ \t]+[\w., \t]{1,300})$", re.MULTILINE)
_MOST_IN_TEXT = 5


@dataclass(frozen=True)
class Statements(Stem):
    """The one kind of process that tries statements. Of those that nobody named, what each is tried for.

    ``packages``: statement -> the package whose first use it is; ``files``: statement -> the script that has it;
    ``calls``: of what was read in a program, label -> what is tried.
    """

    packages: Mapping[str, str]
    files: Mapping[str, str]
    calls: Mapping[str, Call]
    stem = "ask/statements"


StatementsJob = Job[Statements, tuple[ProgramRun, ...]]


def statements_job(target: InterpreterFacts | None, request: Request) -> StatementsJob | None:
    """The statements to try; None where there is none, or no interpreter for them."""
    if target is None or target.problem is not None:
        return None
    sent = _script_of(request)
    script = Path(sent.origin) if sent else None
    named = tuple(dict.fromkeys((*_of_script(script), *_in_texts(request))))
    of_packages, of_files = _unasked(target, request, named)
    run = {*named, *of_files, *of_packages}  # to import a module says more than to look for it
    calls = {label: call for label, call in calls_of_program(target, request, script).items() if label not in run}
    tried = {label: call for label, call in calls.items() if call.asked.expression}
    statements = list(dict.fromkeys((*named, *of_files, *of_packages, *tried)))
    if not statements:
        return None
    effort = request.answers.effort
    folder = str(script.absolute().parent) if script else ""
    return StatementsJob(
        id="statements",
        spec=Statements(of_packages, of_files, calls),
        interpreter=target.path,
        argument={
            "statements": statements,
            "folder": folder,
            "script_folder": folder,
            "calls": {label: call.argument() for label, call in tried.items()},
        },
        limit=Limit(SECONDS[effort]),
        read=_read,
        expected_seconds=min(EACH * len(statements), SECONDS[effort]),
        resume=_resume,
    )


def _script_of(request: Request) -> SentFile | None:
    """The one whose imports are tried."""
    return next((sent for sent in request.scripts if sent.origin), None)


def with_script_examined(facts: Facts, request: Request) -> Facts:
    """The facts after these statements were tried: the script is among what was judged."""
    sent = _script_of(request)
    if not sent or not any(run.statement and not run.is_unasked for run in facts.runs):
        return facts
    scripts = (
        msgspec.structs.replace(one, examined=True) if one.origin == sent.origin else one for one in facts.scripts
    )
    return msgspec.structs.replace(facts, scripts=tuple(scripts))


def _of_script(script: Path | None) -> tuple[str, ...]:
    return imports_of(script) if script else ()


def _in_texts(request: Request) -> Iterator[str]:
    """Imports that stand in a pasted traceback, the innermost first: one of them is what failed."""
    for log in request.logs:
        if "Traceback" in (log.text or ""):
            found = [code.strip() for code in _CODE_IN_TEXT.findall(log.text or "")]
            yield from [code for code in reversed(found) if is_import(code)][:_MOST_IN_TEXT]


def _unasked(
    target: InterpreterFacts, request: Request, named: tuple[str, ...]
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """What nobody named: (of packages, of scripts); nothing where the program itself was run, which says more."""
    if request.runs:
        return {}, {}
    packages, scripts = uses_of_packages(target, request), imports_of_scripts(target, request)
    of_scripts = {name: file for name, file in scripts.items() if name not in named and name not in packages}
    return {name: package for name, package in packages.items() if name not in named}, of_scripts


def _resume(job: StatementsJob, answers: Sequence[Answer]) -> StatementsJob | None:
    """Behind a crash those that are left; then each failure once more alone, as others may have led to it."""
    tried = _Tried(answers)
    limit = job.limit.seconds - sum(answer.run.seconds or 0.0 for answer in answers)
    asked = list(job.argument.get("all", job.argument["statements"]))
    left = [statement for statement in asked if statement not in tried.begun]
    again = [statement for statement in tried.failed if statement not in tried.alone][:ALONE]
    following = left if left and answers[-1].run.status == RunStatus.CRASHED else again[:1]
    if not following or limit < 1 or len(tried.alone) >= ALONE or answers[-1].run.status in _OVER:
        return None
    if not answers[-1].facts.get("trying"):  # this Python ends before its first line: so will the next one
        return None
    return replace(job, argument={**job.argument, "statements": following, "all": asked}, limit=Limit(limit))


_OVER = (RunStatus.CANCELLED, RunStatus.TIMED_OUT, RunStatus.NOT_STARTED, RunStatus.NOT_PYTHON)


def _read(job: StatementsJob, answers: Sequence[Answer]) -> tuple[ProgramRun, ...]:
    """What came of each: of those that were tried again alone, what came of that."""
    tried = _Tried(answers)
    return tuple(_run_of(job, statement, tried) for statement in tried.begun if statement in tried.results)


class _Tried:
    """What the processes answered so far."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.results: dict[str, dict[str, Any]] = {}
        self.of: dict[str, Answer] = {}
        self.begun: dict[str, None] = {}
        self.alone: set[str] = set()  # those that had a process to themselves
        for answer in answers:
            begun = _texts(answer.facts.get("trying"))
            self.begun |= dict.fromkeys(begun)
            if len(begun) == 1:
                self.alone.add(begun[0])
            for result in answer.facts.get("tried") or ():
                if isinstance(result, dict) and isinstance(result.get("statement"), str):
                    self._add(result["statement"], result, answer)
            if begun and answer.run.status == RunStatus.CRASHED and not self._ended(answer, begun[-1]):
                self._add(begun[-1], {"crashed": True}, answer)

    @cached_property
    def failed(self) -> tuple[str, ...]:
        """Those that raised, or ended the process."""
        return tuple(name for name, result in self.results.items() if "raised" in result or "crashed" in result)

    def _add(self, statement: str, result: dict[str, Any], answer: Answer) -> None:
        self.results[statement] = result
        self.of[statement] = answer

    @staticmethod
    def _ended(answer: Answer, statement: str) -> bool:
        tried = answer.facts.get("tried") or ()
        return any(isinstance(result, dict) and result.get("statement") == statement for result in tried)


def _run_of(job: StatementsJob, statement: str, tried: _Tried) -> ProgramRun:
    result, answer = tried.results[statement], tried.of[statement]
    call = job.spec.calls.get(statement)
    has_failed = "raised" in result or "crashed" in result
    about = answer.facts.get("python")
    values, unread = fields_of(PythonProcess, {**(about if isinstance(about, dict) else {}), **result})
    python = PythonProcess(
        **{"pid": 0, **values},
        modules=_modules(answer) if has_failed or not call else (),
        origin=job.origin,
        unread=unread,
    )
    is_crash = "crashed" in result
    seconds = result.get("seconds")
    run = ProgramRun(
        origin=job.origin,
        command=(job.interpreter,),
        started=(job.interpreter, str(call.program)) if call else (),
        folder=python.folder,
        statement=statement,
        package=job.spec.packages.get(statement, ""),
        file=str(call.program) if call and call.is_unasked else job.spec.files.get(statement, ""),
        read_at=call.place if call else "",
        end=ProgramEnd.ENDED.value,
        exit_code=(answer.run.exit_code or 1) if is_crash else int(python.raised is not None),
        signal=answer.run.signal if is_crash else None,
        seconds=seconds if isinstance(seconds, float) else None,
        errors=(answer.run.stderr_tail or "") if is_crash or python.raised is not None else "",
        interpreter=job.interpreter,
        pythons=(python,),
    )
    quoted = quoted_variables(run, probe_environment(job.interpreter)) if python.raised else {}
    return msgspec.structs.replace(run, quoted_variables=quoted)


def _modules(answer: Answer) -> tuple[LoadedModule, ...]:
    try:
        return msgspec.convert(answer.facts.get("modules") or (), prepared(tuple[LoadedModule, ...]))
    except msgspec.ValidationError:
        return ()


def _texts(value: object) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()
