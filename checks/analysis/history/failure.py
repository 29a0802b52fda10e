"""What is seen to fail now, as far as a change can be held against it: words, files, modules, libraries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from checks.analysis.failures.of_runs import failures
from checks.analysis.failures.owners import module_of_file
from checks.analysis.failures.tracebacks import raised_in
from checks.analysis.history.observed import What, failing
from checks.facts import Facts, Frame, Raised

_LIBRARY = re.compile(r"\b(?:lib)?[A-Za-z_][\w+.-]{0,80}?\.(?:so(?:\.\d{1,6}){0,4}|dll|dylib)\b")
_MISSING = re.compile(r"No module named ['\"]?([\w.]{1,200})")
_CRASH_FRAME = re.compile(r'File "([^"]{1,1000})", line (\d{1,9}) in ')
_MOST = 20_000  # characters of words


@dataclass(frozen=True)
class Failed:
    """One failure: the exceptions, the first one first; all words; what the program had loaded."""

    raised: tuple[Raised, ...] = ()
    words: str = ""
    loaded: frozenset[str] = frozenset()  # modules, by the first part of their names
    loaded_files: tuple[str, ...] = ()
    is_whole: bool = False  # every process told at its end what it had loaded
    what: str = ""
    crash_frames: tuple[Frame, ...] = field(default=())

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Of the exception that ended it and those behind it, or of the crash; the innermost first."""
        if self.raised:
            return tuple(frame for raised in reversed(self.raised) for frame in reversed(raised.frames))
        return self.crash_frames

    @cached_property
    def told(self) -> str:
        """What the exceptions say; without any, all words."""
        said = "\n".join(f"{raised.type}: {raised.message}" for raised in self.raised)
        return said or self.words

    @cached_property
    def missing_module(self) -> str:
        """The module that is not there; "" where that is not the failure."""
        for raised in reversed(self.raised):
            if raised.type == "ModuleNotFoundError":
                found = _MISSING.search(raised.message)
                return raised.name or (found[1] if found else "")
        found = None if self.raised else _MISSING.search(self.words)
        return found[1] if found else ""

    @cached_property
    def imported_from(self) -> tuple[str, ...]:
        """The files that an ImportError names as those where a name was not found."""
        return tuple(raised.path for raised in self.raised if raised.path)

    @cached_property
    def libraries(self) -> tuple[str, ...]:
        """Libraries that the words name."""
        return tuple(dict.fromkeys(_LIBRARY.findall(self.told)))


def failed_in(facts: Facts) -> Failed | None:
    """The failure that tells most: of the user's program, a statement, a framework, or a text; None: nothing failed."""
    found = sorted(failures(facts.program_runs), key=lambda failure: bool(failure.run.statement))
    if found:
        run, raised = found[0].run, found[0].raised
        modules = [module for python in run.pythons for module in python.modules]
        inside = [python for python in run.pythons if not python.is_launcher]
        crash = "\n".join(python.crash for python in run.pythons)
        return Failed(
            raised=raised,
            words="\n".join((run.errors, crash, run.signal or "", run.detail))[-_MOST:],
            loaded=frozenset(module.name.partition(".")[0] for module in modules),
            loaded_files=tuple(module.file for module in modules)
            + tuple(file for python in run.pythons for file in python.libraries or ()),
            is_whole=bool(inside) and all(python.is_complete for python in inside),
            what=What.STATEMENT if run.statement else What.PROGRAM,
            crash_frames=tuple(Frame(file=file) for file, _ in _CRASH_FRAME.findall(crash)),
        )
    words = list(_words(facts))
    if not words:
        return None
    text = "\n".join(words)[-_MOST:]
    kinds = {seen.what for seen in failing(facts)}
    return Failed(raised=raised_in(text), words=text, what=next(iter(kinds)) if len(kinds) == 1 else "")


def _words(facts: Facts) -> Iterator[str]:
    for name, framework in facts.frameworks.each() if facts.frameworks else ():
        if framework.imported is False or (framework.imported is None and framework.error):
            probe = facts.probes.of(name) if facts.probes else None
            error = framework.error
            told = (error.traceback or f"{error.type}: {error.message}") if error else None
            yield told or (probe.stderr_tail if probe else None) or ""
    torch = facts.frameworks.torch if facts.frameworks else None
    if torch is not None and torch.cuda_version and torch.cuda_available is False:
        yield f"CUDA: no GPU. {torch.cuda_error.message if torch.cuda_error else ''}"
    yield from (seen.shown for seen in failing(facts) if seen.what not in (What.IMPORT, What.DEVICE))
    yield from (log.text for log in facts.logs if log.text and log.text.strip())


def module_of(frame: Frame) -> str:
    """The first part of the import that a frame's file belongs to; "" for the user's own and Python's."""
    return module_of_file(frame.file)
