"""Entries of the system's log, read: NVIDIA's Xids, and what else they report about GPUs and the processor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from checks.facts import GpuEvent, LogEntry, SystemLog, XidEvent
from checks.knowledge.errors.gpu_log import LogSign, matchers
from checks.machine.nodes import Raw
from checks.machine.nvidia import full_address, parse_xids, seconds_of
from checks.prepared import prepared
from checks.probes.ask.system_log import KERNEL

_DEVICE = re.compile(r"\A\\Device\\\w{1,20}\s*")  # the first string of a driver's event: which of its devices


def xids(entries: Iterable[LogEntry], started: str = "") -> tuple[XidEvent, ...]:
    """The Xids in entries, the kernel log's first. ``started``: when the machine was, as events write it."""
    known = tuple(entries)
    found = list(parse_xids(entry.text for entry in known if entry.source == KERNEL))
    for entry in known:
        for row, match in _signs(entry):
            if row.xid is not None:
                event = XidEvent(
                    code=row.xid,
                    pci_address=_address(match),
                    text=_text(entry, match),
                    time=entry.time,
                    before_start=bool(entry.time and entry.time < started),
                )
                found.append(event)
    return tuple(found)


def events(entries: Iterable[LogEntry]) -> tuple[GpuEvent, ...]:
    """What entries report about a GPU or the processor that is no Xid, in their order."""
    return tuple(
        GpuEvent(
            kind=row.kind,
            vendor=row.vendor,
            pci_address=_address(match),
            text=_text(entry, match),
            seconds=seconds_of(entry.text) if entry.source == KERNEL else None,
            time=entry.time,
        )
        for entry in entries
        for row, match in _signs(entry)
        if row.kind
    )


def kernel_entries(lines: Iterable[str]) -> tuple[LogEntry, ...]:
    """Lines of the kernel log as entries."""
    return tuple(LogEntry(source=KERNEL, text=line) for line in lines)


def of_linux(raw: Raw) -> SystemLog | None:
    """The kernel log; None where there is none (macOS, a recording without it)."""
    if not raw:
        return None
    if not raw.get("origin"):
        reasons = "; ".join(f"{name}: {reason}" for name, reason in raw.get("unread", {}).items())
        return SystemLog(unread={"events": reasons})
    return SystemLog(origin=raw["origin"], events=events(kernel_entries(raw.get("lines", ()))))


def windows_entries(raw: Raw) -> tuple[LogEntry, ...] | None:
    """The entries of Windows' event log; None where it was not read."""
    entries = raw.get("entries")
    return None if entries is None else msgspec.convert(entries, prepared(tuple[LogEntry, ...]))


def of_windows(raw: Raw) -> SystemLog | None:
    """Windows' event log; None where it was not asked."""
    if not raw:
        return None
    entries = windows_entries(raw)
    found = None if entries is None else events(entries)
    return SystemLog(origin="Windows event log", events=found, unread=raw.get("unread", {}))


def _signs(entry: LogEntry) -> Iterator[tuple[LogSign, re.Match[str]]]:
    """The first row that fits an entry: the rows of one writer exclude each other."""
    text = _DEVICE.sub("", entry.text)
    for row, pattern in matchers(entry.source):
        if row.event_id is not None and entry.event_id is not None and row.event_id != entry.event_id:
            continue
        if row.unless and row.unless in text:
            continue
        match = pattern.search(text)
        if match is not None:
            yield row, match
            return


def _text(entry: LogEntry, match: re.Match[str]) -> str:
    """The line itself, without the name of the driver's device."""
    if entry.source == KERNEL:
        return entry.text
    start = match.string.rfind("\n", 0, match.start()) + 1
    return match.string[start:].partition("\n")[0][:200]


def _address(match: re.Match[str]) -> str | None:
    found = match.groupdict()
    if found.get("address"):
        return full_address(found["address"])
    if found.get("gpuid"):
        number = int(found["gpuid"], 16)
        return f"{number >> 16:04x}:{number >> 8 & 0xFF:02x}:{number & 0xFF:02x}.0"
    return None
