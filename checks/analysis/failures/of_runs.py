"""The failures of the user's own program, and of its statements that were tried alone, as troubles like any other.

Of an exception the words decide, and of those that led to it; what stands on standard error beside it may be of
anything, and counts only where no exception was seen, or where a framework's mere warning is trouble by itself.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from checks.analysis.failures.owners import asked_by, owner_of_module, packages_of_frames
from checks.analysis.failures.tracebacks import raised_in
from checks.facts import InterpreterFacts, ProgramRun, ProgramRuns, Raised
from checks.knowledge.errors.import_errors import recognise

# What only a program's own names, files and values lead to; an assertion or a RuntimeError may be about anything.
_OF_DATA = frozenset(
    {"KeyError", "IndexError", "NameError", "UnboundLocalError", "ZeroDivisionError", "FileNotFoundError",
     "IsADirectoryError", "NotADirectoryError", "JSONDecodeError", "UnicodeDecodeError", "SyntaxError",
     "IndentationError", "KeyboardInterrupt"}
)  # fmt: skip
# As a program logs what it caught, before it ends by itself: "ERROR app: cannot load it: No module named 'x'".
_LOGGED = re.compile(r"\bNo module named '([A-Za-z_][\w.]{0,200})'\W{0,3}$")
# As xFormers says it of Triton, and others of what they can do without: that ended nothing.
_DOES_WITHOUT = re.compile(r"(?i)\bwarn|\boptional|\berror caught was\b|\bskip|\bignor|\bfall(?:ing)? ?back")
_NO_MAIN = re.compile(r"python[\d.]*t?(?:\.exe)?: (No module named ([A-Za-z_][\w.]{0,200}))\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Failure:
    """How one run failed: the exceptions, the first one first, the last one ended it; () where none was seen."""

    run: ProgramRun
    interpreter: InterpreterFacts | None
    raised: tuple[Raised, ...]

    @property
    def origin(self) -> str:
        """Where a reader finds it again."""
        return self.run.origin or " ".join(self.run.command)

    @property
    def program(self) -> str:
        """The user's program as a sentence names it: "train.py"; the statement where one was tried."""
        if self.run.statement:
            return self.run.statement
        if "-c" in self.run.command[1:2]:  # the code itself is no name
            return f"{PureWindowsPath(self.run.command[0]).name} -c"
        words = [word for word in self.run.command if not word.startswith("-")]
        own = next(
            (frame.file for frame in (self.raised[-1].frames if self.raised else ()) if _is_path(frame.file)), ""
        )
        path = next((word for word in words if word.endswith((".py", ".ipynb"))), own or (words[-1] if words else ""))
        return (PureWindowsPath(path) if "\\" in path else PurePosixPath(path)).name


def failures(runs: ProgramRuns | None) -> Iterator[Failure]:
    """Every run that failed, with its exceptions, also where only their text is there."""
    for run in runs.failed() if runs else ():
        python = run.failing_python
        raised = (*python.led_there, python.raised) if python and python.raised else _heard(run)
        yield Failure(run, runs.interpreter_of(run) if runs else None, raised)


def _heard(run: ProgramRun) -> tuple[Raised, ...]:
    """The exceptions as standard error tells them; without any, a missing module as the last line names it."""
    found = raised_in(run.errors)
    missing = None if found else _NO_MAIN.search(run.errors)
    last = next((line for line in reversed((run.errors or run.output).splitlines()) if line.strip()), "")
    logged = None if found or missing or run.signal else _LOGGED.search(last)
    if logged is not None and not _DOES_WITHOUT.search(last):
        return (Raised(type="ModuleNotFoundError", message=f"No module named '{logged[1]}'", name=logged[1]),)
    return (Raised(type="ModuleNotFoundError", message=missing[1], name=missing[2]),) if missing else found


def texts_of(failure: Failure) -> Iterator[tuple[str, Raised | None, bool]]:
    """What tells why: (text, exception, whether it is no more than a warning beside the exception)."""
    if failure.raised and not failure.run.signal:
        last = failure.raised[-1]
        whole = "\n".join(_words(raised) for raised in failure.raised)
        if recognise(_words(last)) is not None:
            yield whole, last, False
        else:  # the nearest one that says something; what was handled long before need not be the reason
            known = next((raised for raised in reversed(failure.raised) if recognise(_words(raised))), None)
            yield _words(known or last), last if known is None or not known.frames else known, False
            if known is None:
                yield failure.run.errors, last, True
    else:
        crashed = "\n".join(python.crash for python in failure.run.pythons)
        last_heard = next(reversed(failure.raised), None)
        yield f"{failure.run.errors}\n{crashed}\n{failure.run.detail}", last_heard, False


def ended_on_its_own(failure: Failure) -> bool:
    """Whether the program's own data or names ended it, so that what was printed beside that is no reason."""
    last = next(reversed(failure.raised), None)
    is_of_data = last is not None and last.type.rpartition(".")[2] in _OF_DATA
    return is_of_data and not next(iter(packages_of_frames(last.frames if last else ())), "")


def package_of(failure: Failure, raised: Raised | None) -> tuple[str, str]:
    """Name and version of the distribution whose code failed; ("", "") where it is the user's own program."""
    if raised is None:
        return "", ""
    module = asked_by(raised, failure.interpreter)
    is_own_import = not module and "cannot import name" not in raised.message
    if is_own_import and raised.name and raised.path:  # an extension module that the program itself imports
        module = raised.name.partition(".")[0]
    owner = owner_of_module(module, failure.interpreter)
    return (owner.name, owner.version) if owner else (module, "")


def _words(raised: Raised) -> str:
    return f"{raised.type}: {raised.message}"


def _is_path(file: str) -> bool:
    return bool(file) and not file.startswith("<")
