"""What PyTorch's documentation promises of an operation: that it repeats, in deterministic mode, or not at all."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from checks.facts.versions import release
from checks.knowledge import Row, Table


class Promise(StrEnum):
    """What a document says of an operation under a setting."""

    REPEATS = "repeats"
    VARIES = "varies"  # it is not promised to repeat
    THROWS = "throws"
    NO_WORD = "no-word"  # no document names it


class ListedOperation(Row):
    """A line of the documentation of ``torch.use_deterministic_algorithms``; ``source``: of what it does not say."""

    op: str
    in_mode: Promise
    devices: tuple[str, ...]
    pass_: str = msgspec.field(name="pass")
    when: str = ""
    since: str
    until: str = ""
    source: str = ""


class OtherDocument(Row):
    """What another document says."""

    op: str
    by_default: Promise
    in_mode: Promise
    devices: tuple[str, ...]
    pass_: str = msgspec.field(name="pass", default="any")
    source: str


class Workspace(Row):
    """The variable that deterministic mode wants for products of matrices on CUDA."""

    until: str
    cuda_since: str
    values: tuple[str, ...]
    source: str


class GeneralPromise(Row):
    """What a framework says of all operations in its deterministic mode: they repeat, or raise an error."""

    framework: str
    since: str
    devices: tuple[str, ...]
    source: str


class DeterminismTable(Table):
    promise: tuple[ListedOperation, ...]
    other: tuple[OtherDocument, ...]
    general: tuple[GeneralPromise, ...]
    workspace: Workspace


class Named(Row):
    """How the documents name what an operation of the suite does. ``when``: the conditions that it meets."""

    op: str
    pass_: str = msgspec.field(name="pass", default="forward")
    when: tuple[str, ...] = ()


@dataclass(frozen=True)
class Promised:
    """What is promised of an operation by default, and in deterministic mode, and where it is written."""

    by_default: Promise
    in_mode: Promise
    source: str = ""


def promised(named: tuple[Named, ...], device: str, version: str | None) -> Promised:
    """What the documents say of an operation of the suite on a device ("cuda:0") under a version of PyTorch.

    Where an operation has several parts (``named``), the part of which the least is promised counts.
    """
    kind = device.partition(":")[0]
    rows = [row for name in named for row in _rows(name, kind, version)]
    if not rows:
        return Promised(Promise.NO_WORD, Promise.NO_WORD)
    order = (Promise.THROWS, Promise.VARIES, Promise.REPEATS)
    return min(rows, key=lambda row: (order.index(row.in_mode), order.index(row.by_default)))


def repeats_in_mode(framework: str, found: Promised, device: str, version: str | None) -> str:
    """The document by which an operation repeats in deterministic mode; "" where none says so.

    ``found``: what is promised of the operation itself, which goes before what is promised of all of them.
    """
    if found.in_mode is not Promise.NO_WORD:
        return found.source if found.in_mode is Promise.REPEATS else ""
    kind = device.partition(":")[0].lower()
    for row in DeterminismTable.read().general:
        is_of_device = not row.devices or kind in row.devices
        if row.framework == framework and is_of_device and release(version or "999") >= release(row.since or "0"):
            return row.source
    return ""


def wants_workspace(version: str | None, cuda: str | None) -> bool | None:
    """Whether products on CUDA raise an error in deterministic mode without the variable; None: nobody knows."""
    table = DeterminismTable.read().workspace
    if cuda is None or not version:
        return None
    if not cuda:
        return False
    return release(version) <= release(table.until) and release(cuda) >= release(table.cuda_since)


def _rows(named: Named, kind: str, version: str | None) -> Iterator[Promised]:
    table = DeterminismTable.read()
    for line in table.promise:
        meant = _is_of(line.op, line.devices, line.pass_, named, kind) and line.when in ("", *named.when)
        if meant and _holds(line, version):
            yield Promised(Promise.VARIES, line.in_mode, line.source or table.source)
    for row in table.other:
        if _is_of(row.op, row.devices, row.pass_, named, kind):
            yield Promised(row.by_default, row.in_mode, row.source)


def _is_of(op: str, devices: tuple[str, ...], pass_: str, named: Named, kind: str) -> bool:
    return op == named.op and ("any" in devices or kind in devices) and pass_ in ("any", named.pass_)


def _holds(line: ListedOperation, version: str | None) -> bool:
    """Whether a version's documentation has this line; of an unknown version that of the newest counts."""
    if not version:
        return not line.until
    return release(line.since) <= release(version) and (not line.until or release(version) <= release(line.until))
