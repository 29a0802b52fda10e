"""AI programs that are no Python: the names of their processes, where they lie, where they write their logs."""

import functools
import re
from collections.abc import Sequence
from pathlib import PurePath

from checks.knowledge import Row, Table


class Place(Row):
    """Where a program lies and logs on one system ("Linux", "Darwin", "Windows": as platform.system() says).

    ``installed``, ``logs``: paths that begin with "/" or with a folder of ``checks/engine/local_programs.py``
    ("~", "%LOCALAPPDATA%", ...); "*" stands for any name. Of several logs the one that was written last is read.
    ``unit``: of systemd, to whose journal it logs.
    """

    system: str
    source: str
    installed: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    unit: str = ""


class AiProgram(Row):
    """One program. ``processes``: names as the system lists them, without ".exe"; ``commands``: those on PATH.

    ``told_by``: patterns by which a text shows that it is about this program, capitals or not; (): none does.
    ``asked_as``: what a person may call it, in lower case, besides its name.
    """

    name: str
    processes: tuple[str, ...]
    source: str
    commands: tuple[str, ...] = ()
    told_by: tuple[str, ...] = ()
    asked_as: tuple[str, ...] = ()
    place: tuple[Place, ...] = ()


class AiPrograms(Table):
    program: tuple[AiProgram, ...]


def ai_programs() -> tuple[AiProgram, ...]:
    """All of them. A text that several could have written is of the first."""
    return AiPrograms.read().program


def program_of_process(name: str) -> str | None:
    """The program whose process has this name, as people call it; None: not one that is known."""
    return _by_process().get(name.lower().removesuffix(".exe"))


def program_of_command(command: Sequence[str]) -> str | None:
    """The program that a command line starts; None: not one that is known."""
    return program_of_process(PurePath(command[0].replace("\\", "/")).name) if command else None


def program_called(word: str) -> AiProgram | None:
    """The program that a person means; None: none that is known."""
    wanted = word.strip().lower()
    return next((program for program in ai_programs() if wanted in (program.name.lower(), *program.asked_as)), None)


def program_of_text(whole: str) -> str | None:
    """The program that wrote a log, as people call it; None: none that is known."""
    return next((name for name, pattern in _by_words() if pattern.search(whole)), None)


@functools.cache
def _by_words() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (program.name, re.compile("|".join(program.told_by), re.MULTILINE | re.IGNORECASE))
        for program in ai_programs()
        if program.told_by
    )


@functools.cache
def _by_process() -> dict[str, str]:
    return {process.lower(): program.name for program in ai_programs() for process in program.processes}
