"""By what two failures are told apart, though one of them was seen in a copy; and what of a run a case keeps."""

from __future__ import annotations

import re
from typing import Any, Protocol

import msgspec

from checks.facts import ProgramRun

_KEPT = 4000  # characters of the streams of a run


class Copy(Protocol):
    """A copy of something of the user's. ``paths``: those of the copy and of the original, that a text may name."""

    @property
    def paths(self) -> tuple[str, ...]: ...  # noqa: D102

    def named_by_user(self, text: str) -> str: ...  # noqa: D102


def failure_of(run: ProgramRun, *copies: Copy) -> tuple[object, ...]:
    """By what two failures are told apart: the exception with its message, else the code and the last words.

    Of one that did not fail, that is nothing: it stayed on the processor.
    """
    if not run.failed:
        return ()
    raised = run.raised
    if raised is not None:
        return (raised.type, _masked(raised.message, copies))
    lines = [line for line in (run.errors or run.output).splitlines() if line.strip()]
    return (run.end, run.exit_code, run.signal, _masked(lines[-1], copies) if lines else "")


def _masked(text: str, copies: tuple[Copy, ...]) -> str:
    """A text without what differs from run to run: where the copies lie, all numbers, and blanks before them."""
    for copy in copies:
        for path in copy.paths:
            text = text.replace(path, "<copied>")
    return re.sub(r"\s*(?:0x[0-9a-fA-F]+|\d+)", " 0", text).strip()


def kept_run(run: ProgramRun, *copies: Copy) -> ProgramRun:
    """What of a run belongs into a case; a copy, which is gone, has the name of the user's own there."""
    pythons = tuple(
        msgspec.structs.replace(python, modules=(), libraries=None, search_path=(), warnings=())
        for python in run.pythons
        if not python.is_launcher
    )
    kept = msgspec.structs.replace(run, pythons=pythons[:2], output=run.output[-_KEPT:], errors=run.errors[-_KEPT:])
    for copy in copies:
        kept = _renamed(kept, copy)
    return kept


def _renamed(value: Any, copy: Copy) -> Any:
    """The same with every text in it as the user names it."""
    if isinstance(value, str):
        return copy.named_by_user(value)
    if isinstance(value, tuple):
        return tuple(_renamed(item, copy) for item in value)
    if isinstance(value, msgspec.Struct):
        fields = {name: _renamed(getattr(value, name), copy) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    return value
