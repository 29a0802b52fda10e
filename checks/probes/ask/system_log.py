"""What the system's own log reports about graphics cards and the processor.

Linux: lines of the kernel log. Windows: events of the logs System and Application, as wevtutil prints them
(https://learn.microsoft.com/windows-server/administration/windows-commands/wevtutil): one <Event> after the other,
without a root around them. They are entries {"source", "text", "event_id", "time"}: of an event, its strings, a line
each, "name=value" where they have names. Names of computers and users are not kept.

Also for the same events where somebody pasted them.
"""

from __future__ import annotations

import ctypes
import ntpath
import os
import re
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Iterator, List
from xml.parsers import expat

Entry = Dict[str, Any]
Done = Dict[str, Any]  # {"code", "stdout", "stderr"}, or {"error"} where the command did not run
Run = Callable[[List[str]], Done]

KERNEL = "kernel"
LIMIT = 4  # seconds for a command
DAYS = 7  # of Windows' log that are looked at; the kernel's begins with the start of the machine

KERNEL_PATTERN = re.compile(
    r"NVRM|nvidia|nouveau|amdgpu.*(?:error|fail|reset|timeout|poison|fault)|Hypervisor detected"
    r"|GPU HANG|\bxe [\da-f:.]{7,12}: .*(?:reset|imedout|wedged|fail|error)|\[Hardware Error\]"
    r"|PM: suspend (?:entry|exit)|Waking up from system sleep",
    re.IGNORECASE,
)
SYSTEM_PROVIDERS = ("nvlddmkm", "Display", "Microsoft-Windows-WHEA-Logger")
_BEGIN = re.compile(r"<Event[ >]")
_MOST_EVENTS = 200
_MOST_TEXT = 4_000_000  # characters of a log
_LONGEST_EVENT = 65_536
_LONGEST_LINE = 1000  # characters
_LONGEST = 400  # characters of one string
_MOST_STRINGS = 40
_DEEPEST = 12


def run(arguments: list[str], limit: float = LIMIT) -> Done:
    """Run a command without a shell, in English: what it did, or {"error"} where it could not be run or took too long.

    (The machine probe runs its commands through here, too.)
    """
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    try:
        done = subprocess.run(
            arguments,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=limit,
            env=dict(os.environ, LC_ALL="C", LANG="C"),
            creationflags=hidden,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return {"error": type(error).__name__}
    return {"code": done.returncode, "stdout": decoded(done.stdout), "stderr": decoded(done.stderr)[:2000]}


def decoded(data: bytes) -> str:
    """The text of a command's output: UTF-16 as "/uni:true" gives it, else UTF-8."""
    if data[:2] == b"\xff\xfe" or data[1:2] == b"\0":
        return data.decode("utf-16-le", "replace").lstrip("\ufeff")
    return data.decode("utf-8", "replace")


def output(done: Done) -> tuple[str | None, str]:
    """(What a command printed, ""), or (None, why there is nothing)."""
    if done.get("error"):
        return None, str(done["error"])
    if done["code"] != 0 or not done["stdout"].strip():
        return None, (done["stderr"].strip().splitlines() or ["empty"])[-1]
    return str(done["stdout"]), ""


# --- Linux -----------------------------------------------------------------------------------------------------------

# Who may not read the kernel's own buffer (kernel.dmesg_restrict) may often read what was kept of it.
KERNEL_COMMANDS: tuple[tuple[str, list[str]], ...] = (
    ("dmesg", ["dmesg"]),
    ("journalctl", ["journalctl", "-k", "-b", "-q", "--no-pager", "-o", "short-monotonic", "-n", "50000"]),
)


def kernel_lines(text: str) -> list[str]:
    """The lines about graphics cards, machine checks and sleep."""
    lines = (line[:_LONGEST_LINE] for line in text.splitlines())  # first: the pattern takes its time with long ones
    return [line for line in lines if KERNEL_PATTERN.search(line)]


# --- Windows ---------------------------------------------------------------------------------------------------------


def windows_commands(seconds: int) -> tuple[list[str], ...]:
    """The commands that print the events of the last so many seconds, the newest first."""
    tool = ntpath.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "wevtutil.exe")
    recent = "TimeCreated[timediff(@SystemTime) <= %d]" % (seconds * 1000)
    system = " or ".join("Provider[@Name='%s']" % name for name in SYSTEM_PROVIDERS)
    reported = "Provider[@Name='Windows Error Reporting'] and EventID=1001"
    queries = (
        ("System", "*[System[(%s) and %s]]" % (system, recent)),
        ("Application", "*[System[%s and %s] and EventData[Data='LiveKernelEvent']]" % (reported, recent)),
    )
    ending = ["/f:xml", "/rd:true", "/c:%d" % _MOST_EVENTS, "/uni:true"]
    return tuple([tool, "qe", log, "/q:" + query, *ending] for log, query in queries)


def windows_entries(seconds: int, runner: Run = run) -> tuple[list[Entry] | None, str]:
    """(The entries, oldest first, or None where no log could be read; why one could not)."""
    found: list[Entry] = []
    reasons = []
    commands = windows_commands(seconds)
    for command in commands:
        done = runner(command)
        if done.get("error") or done["code"] != 0:
            reasons.append(command[2] + ": " + output(done)[1])
            continue
        found += [entry for _, entry in events(done["stdout"])]
    found.sort(key=lambda entry: str(entry["time"]))
    return (None if len(reasons) == len(commands) else found), "; ".join(reasons)


def windows_started() -> str:
    """When Windows was started, in the form of its events: UTC, "2026-06-16T14:01:07"."""
    ticks = ctypes.windll.kernel32.GetTickCount64  # type: ignore[attr-defined,unused-ignore]
    ticks.restype = ctypes.c_uint64
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - ticks() / 1000))


def events(text: str) -> Iterator[tuple[int, Entry]]:
    """The events in a text that hold what an event must, each with its place in the text; the rest is passed over."""
    at = 0
    for _ in range(_MOST_EVENTS):
        found = _BEGIN.search(text, at, _MOST_TEXT)
        end = text.find("</Event>", found.end(), _MOST_TEXT) if found else -1
        if found is None or end < 0:
            return
        at = end + len("</Event>")
        entry = _event(text[found.start() : at]) if at - found.start() <= _LONGEST_EVENT else None
        if entry is not None:
            yield found.start(), entry


class _RefusedError(Exception):
    """No event of Windows looks so."""


class _Reading:
    """What was met of one event."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self.attributes: dict[tuple[str, str], str] = {}
        self.event_id = ""
        self.strings: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.path.append(name)
        if len(self.path) > _DEEPEST:
            raise _RefusedError
        for key, value in attributes.items():
            self.attributes.setdefault((name, key), value[:_LONGEST])
        if name == "Data" and len(self.strings) < _MOST_STRINGS:
            named = attributes.get("Name", "")
            self.strings.append(named + "=" if named else "")

    def end(self, _name: str) -> None:
        self.path.pop()

    def text(self, text: str) -> None:
        if self.path[-1] == "EventID":
            self.event_id += text[:8]
        elif self.path[-1] == "Data" and self.strings:
            self.strings[-1] = (self.strings[-1] + text)[:_LONGEST]


def _event(text: str) -> Entry | None:
    reading = _Reading()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.text
    parser.StartDoctypeDeclHandler = _refuse  # nor does anything become of entities
    try:
        parser.Parse(text, True)
    except (expat.ExpatError, _RefusedError, ValueError):
        return None
    source = reading.attributes.get(("Provider", "Name"))
    if not source:
        return None
    number = reading.event_id.strip()
    strings = [string.strip() for string in reading.strings if string.strip()]
    return {
        "source": source,
        "text": "\n".join(strings),
        "event_id": int(number) if number.isdecimal() and len(number) < 6 else None,
        "time": reading.attributes.get(("TimeCreated", "SystemTime")),
    }


def _refuse(*_: object) -> None:
    raise _RefusedError


# --- while something runs --------------------------------------------------------------------------------------------


class Watch:
    """Tells what the log got since it was made; nothing, where the log may not be read or there is none."""

    def __init__(self, runner: Run = run, platform: str = sys.platform) -> None:
        self._run, self._platform = runner, platform
        self._commands = KERNEL_COMMANDS
        self._before = self._read(60)

    def entries(self, seconds: float) -> list[Entry] | None:
        """The entries of the last so many seconds that were not there before; None where the log cannot be read."""
        after = self._read(int(seconds) + 60)
        if self._before is None or after is None:
            return None
        known = {frozenset(entry.items()) for entry in self._before}  # some logs are full of a card's bus
        return [entry for entry in after if frozenset(entry.items()) not in known][-_MOST_EVENTS:]

    def _read(self, seconds: int) -> list[Entry] | None:
        if self._platform == "win32":
            entries, why = windows_entries(seconds, self._run)
            return None if why else entries  # of one log alone it is not known what is new in the other
        if not self._platform.startswith("linux"):
            return None
        for chosen in self._commands:
            text, _ = output(self._run(chosen[1]))
            if text is not None:
                self._commands = (chosen,)  # another one writes the same lines otherwise
                return [{"source": KERNEL, "text": line} for line in kernel_lines(text)]
        return None
