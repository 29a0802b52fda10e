"""What can be read off the run of a model: how much of it was elsewhere, and which line of its error says what."""

import re

from checks.facts import ExportRun, Measured, ModelRun, ProviderShare

PROCESSOR = frozenset({"", "cpu", "CPU", "CPUExecutionProvider", "vocabulary"})  # settings that ask for no device
# Part of the time from which on what a device leaves to the processor is a fallback.
FALLBACK = 0.01
# ONNX Runtime puts the arithmetic of shapes on the processor on purpose, since that is faster, and says so.
ON_PURPOSE = "deemed faster"
LEAST_SURE = 0.7  # how sure a program's own error about this file is at the least: it is no second-hand tale
LINE_SHOWN = 300  # characters
_LONGEST = 20_000  # characters of an error that are looked through
# A runtime in C++ tells an error from the outside to the inside: the last line is the nearest to the cause.
_SUMMARY = "## Exception summary"  # below which torch.onnx says what happened, and above which what to do about it
_CHAIN = re.compile(r"^(?:Exception from |\[ONNXRuntimeError\]|The following operation failed in the TorchScript)")
_CODE = re.compile(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ")
_PLACE = re.compile(r"[^\s()]{1,200}\.(?:cc|cpp|h|hpp):\d{1,6} ")
_BRACKET = re.compile(r"[()]")
_BEHIND = re.compile(r"(?:::<lambda\(\)>| const|&| \[with [^\]]{0,2000}\])*\s*")


def elsewhere(run: ModelRun) -> float:
    """The part of a run that was not where it was asked for: of the time or, where that is unknown, of the nodes."""
    shares = run.shares or ()
    is_timed = all(share.seconds is not None for share in shares)
    whole = sum((share.seconds or 0.0) if is_timed else sum(share.operators.values()) for share in shares)
    if not whole:
        return 0.0
    others = [share for share in shares if not share.provider.startswith(run.setting)]
    return sum(_left(share, is_timed=is_timed) for share in others) / whole


def left_over(share: ProviderShare) -> dict[str, int]:
    """The operators that are on the processor for want of another place, and how many nodes of each."""
    return {name: count for name, count in share.operators.items() if ON_PURPOSE not in share.reasons.get(name, "")}


def _left(share: ProviderShare, *, is_timed: bool) -> float:
    left = left_over(share)
    if not is_timed:
        return sum(left.values())
    if not share.operator_seconds:
        return share.seconds or 0.0
    return sum(share.operator_seconds.get(name, 0.0) for name in left)


def telling_line(run: ModelRun | ExportRun | Measured) -> str:
    """The line of a run's error that says the most, with its type; "" where it has none."""
    if run.error is None:
        return ""
    summary = run.error.message[:_LONGEST].partition(_SUMMARY)[2].strip()
    if summary:
        return plain(summary.splitlines()[0])
    lines = [line.strip() for line in run.error.message[:_LONGEST].splitlines() if line.strip()]
    if not lines:
        return run.error.type
    return f"{run.error.type}: {plain(lines[-1] if _CHAIN.match(lines[0]) else lines[0])}"


def words_of(run: ModelRun | ExportRun) -> str:
    """All that a run that failed says: its error, and what was printed."""
    return f"{run.error.type}: {run.error.message}\n{run.log or ''}" if run.error else run.log or ""


def plain(line: str) -> str:
    """A line of an error without the runtime's number of it, and the files and functions of its own source."""
    line = _CODE.sub("", line[:_LONGEST].strip())
    while (place := _PLACE.search(line)) is not None:
        rest = line[_end_of_function(line, place.end()) :]
        line = line[: place.start()].rstrip(" :") + ": " + rest if place.start() else rest
    return line[:LINE_SHOWN]


def _end_of_function(line: str, start: int) -> int:
    """Where the signature of a function ends that begins here; the start itself where there is none."""
    opened = line.find("(", start)
    if not 0 <= opened - start <= LINE_SHOWN:
        return start
    depth = 0
    for bracket in _BRACKET.finditer(line, opened):
        depth += 1 if bracket[0] == "(" else -1
        if depth == 0:
            behind = _BEHIND.match(line, bracket.end())
            return behind.end() if behind else bracket.end()
    return start
