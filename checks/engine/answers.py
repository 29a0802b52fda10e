"""What every answer of a process is read with: fields of facts, errors, logs, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from checks.engine.processes.runner import Answer
from checks.facts import ErrorText, Fact
from checks.facts.runs import RunStatus
from checks.prepared import prepared

# How a process that is cut short ends; where the user cancelled it, it is not at fault.
CUT = (RunStatus.CRASHED, RunStatus.TIMED_OUT, RunStatus.TOO_MUCH_MEMORY)
ENDS = frozenset({*CUT, RunStatus.CANCELLED})  # these ends are an answer; all others but OK are a failure to ask
ERROR_SHOWN, LOG_SHOWN = 4000, 4000  # characters that are kept
_NOISE = re.compile(r"\[[IV]:onnxruntime")  # how ONNX Runtime lists placements, of which a crash leaves all


def fields_of(kind: type[Fact], raw: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """(Fields that fit their types, why the others do not): the answer comes from a process that may be broken."""
    values: dict[str, Any] = {}
    unread: dict[str, str] = {}
    for field in msgspec.structs.fields(kind):
        if field.name not in raw or field.name in ("origin", "unread"):
            continue
        try:
            values[field.name] = msgspec.convert(raw[field.name], prepared(field.type))
        except (msgspec.ValidationError, RecursionError) as error:
            unread[field.name] = str(error)
    return values, unread


def kept_error(error: ErrorText | None) -> ErrorText | None:
    """An error without the length of its texts: Keras names the whole model in it."""
    return error and msgspec.structs.replace(
        error, message=error.message[:ERROR_SHOWN], traceback=error.traceback[-ERROR_SHOWN:]
    )


def kept_log(log: str | None) -> str | None:
    """A log without lines that say nothing or the same again: TBB warns in each thread."""
    lines = dict.fromkeys(line for line in (log or "").splitlines() if not _NOISE.search(line))
    return "\n".join(lines)[:LOG_SHOWN] or None


def crash_of(answer: Answer) -> ErrorText:
    """The end of a process that died, as an error."""
    how = answer.run.signal or (f"exit code {answer.run.exit_code}" if answer.run.exit_code else "")
    return ErrorText(type=how or "crash", message=answer.run.detail or "the process ended by itself")


def stage_error(answer: Answer) -> ErrorText | None:
    """Why the runtime did not start: the exception of its import, or how the process ended."""
    error = next((stage.error for stage in answer.run.stages if stage.error), None)
    if error is not None:
        return error
    return ErrorText(type=answer.run.status, message=answer.run.detail) if answer.run.detail else None
