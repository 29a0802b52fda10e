"""AI programs that are no Python, by the names of their processes."""

import functools

from checks.knowledge import Row, Table


class AiProgram(Row):
    """One program. ``processes``: names as the system lists them, without ".exe"."""

    name: str
    processes: tuple[str, ...]
    source: str


class AiPrograms(Table):
    program: tuple[AiProgram, ...]


def program_of_process(name: str) -> str | None:
    """The program whose process has this name, as people call it; None: not one that is known."""
    return _by_process().get(name.lower().removesuffix(".exe"))


@functools.cache
def _by_process() -> dict[str, str]:
    return {process.lower(): program.name for program in AiPrograms.read().program for process in program.processes}
