"""What a pasted text holds of the system's log about GPUs: events of Windows, and lines of AMD's and Intel's drivers.

An event of Windows is pasted as XML, or as the Event Viewer shows it. There the words around are translated, and for
NVIDIA's driver they say that they know no words for the event; but the driver's own strings stand below them, first the
name of its device, in every language alike. The sentence of event 4101 is Windows' own, see gpu_log.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from checks.facts import LogEntry
from checks.knowledge.errors.gpu_log import GpuLogTexts
from checks.machine import system_log
from checks.probes.ask.system_log import events as read_xml
from checks.readers.tickets.text import Statement, Text

MOST = 100  # entries of one text
NVIDIA_DRIVER = "nvlddmkm"
_DEVICE = re.compile(r"^[>\s|]{0,8}(\\Device\\(?:Video\d{1,3}|[\da-fA-F]{8}))\b[ \t]{0,4}(.{0,300})$")
_BLANK = re.compile(r"[>\s|]{0,8}\Z")
_KERNEL_WORDS = ("amdgpu", "i915 0", "xe 0", "[hardware error]")

Found = tuple[tuple[int, ...], LogEntry]


def read_system_log(text: Text) -> Iterator[Statement]:
    """The Xids of NVIDIA's driver on Windows, and resets and errors of any GPU."""
    found: list[Found] = []
    if text.has("<event"):
        found = [(text.at(at), _entry(raw)) for at, raw in read_xml(text.whole)]
    if not found and text.has(NVIDIA_DRIVER):
        found = list(_driver_events(text))
    found += _resets(text)
    for lines, entry in found[:MOST]:
        for event in system_log.xids((entry,)):
            yield Statement("xid", event, lines, "Windows event log")
        for other in system_log.events((entry,)):
            yield Statement("log-event", other, lines, "Windows event log")
    if text.has(*_KERNEL_WORDS):
        yield from _kernel(text)


def _entry(raw: dict[str, object]) -> LogEntry:
    number, time = raw["event_id"], raw["time"]
    return LogEntry(
        source=str(raw["source"]),
        text=str(raw["text"]),
        event_id=number if isinstance(number, int) else None,
        time=str(time) if time else None,
    )


def _driver_events(text: Text) -> Iterator[Found]:
    """The strings of events of NVIDIA's driver: the name of a device, and behind or below it what happened."""
    for index, line in enumerate(text.lines):
        device = _DEVICE.match(line.text)
        if device is None:
            continue
        below = index
        words = device[2].strip()
        while not words and below + 1 < len(text.lines) and below < index + 2:
            below += 1
            words = "" if _BLANK.match(text.lines[below].text) else text.lines[below].text.strip(" \t>|")
        if words:
            numbers = tuple(dict.fromkeys((line.number, text.lines[below].number)))
            yield numbers, LogEntry(source=NVIDIA_DRIVER, text=words[:400])


def _resets(text: Text) -> Iterator[Found]:
    for sentence in GpuLogTexts.read().reset_sentence:
        for found in re.finditer(sentence.pattern, text.whole):
            entry = LogEntry(source="Display", text=found["driver"].lower(), event_id=4101)
            yield text.at(found), entry


def _kernel(text: Text) -> Iterator[Statement]:
    count = 0
    for line in text.lines:
        if count >= MOST:
            return
        for event in system_log.events(system_log.kernel_entries((line.text[:1000],))):
            count += 1
            yield Statement("log-event", event, (line.number,), "kernel log")
