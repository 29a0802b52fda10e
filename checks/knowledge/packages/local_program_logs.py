"""What AI programs write into their logs about what they compute on."""

import functools
import re

from checks.knowledge import Row, Table


class LogSign(Row):
    """One line of a log.

    ``pattern``: searched in the text, ``^`` and ``$`` a line's. ``begins``: what stands before it is of an earlier
    start. Its groups are fields of LocalProgram: version, backend, runtime, layers, total, and ``device``, the name of
    a GPU, or ``pairs``, in which they stand as "key=value" (Go's slog). ``missing``: a backend
    for which there is none, though another one may have one. ``backend``: where the line says that without naming it;
    ``devices_none``: it says that there is no GPU. ``buffer``: it names a part of a model, and each model leaves some
    on the processor.
    """

    pattern: str
    source: str
    begins: bool = False
    backend: str = ""
    devices_none: bool = False
    buffer: bool = False


class Backend(Row):
    """How programs name what they compute on. ``names``: in lower case, without a number behind."""

    id: str
    names: tuple[str, ...]


class LocalProgramLogs(Table):
    needles: tuple[str, ...]  # of which one stands in every text that one of the signs is in; in lower case
    keeps: tuple[str, ...]  # patterns of the lines that are kept of a log that was found here
    drops: tuple[str, ...]  # ... and of those among them that are not
    sign: tuple[LogSign, ...]
    backend: tuple[Backend, ...]


@functools.cache
def signs() -> tuple[tuple[LogSign, re.Pattern[str]], ...]:
    """The signs with their patterns."""
    return tuple((sign, re.compile(sign.pattern, re.MULTILINE)) for sign in LocalProgramLogs.read().sign)


def needles() -> tuple[str, ...]:
    """Words of which a text has at least one, if there is anything to find."""
    return LocalProgramLogs.read().needles


@functools.cache
def backend_called(name: str) -> str | None:
    """The backend that a program means by this name ("CUDA0", "ROCm", "cuda_v12"); None: none that is known."""
    word = re.sub(r"(?<=[a-z])[_-]?v?\d+(?:[_.]\w+)*$", "", name.strip().lower())
    return next((row.id for row in LocalProgramLogs.read().backend if word in row.names), None)


def is_kept(line: str) -> bool:
    """Whether a line of a log that was found here tells of the machine, and not of what people asked."""
    keeps, drops = _patterns()
    return bool(keeps.search(line)) and not drops.search(line)


@functools.cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    table = LocalProgramLogs.read()
    return re.compile("|".join(table.keeps)), re.compile("|".join(table.drops))
