"""Mutated cases, PDFs and model files, each by its number, and what one of them takes: seconds and memory."""

from __future__ import annotations

import base64
import contextlib
import copy
import io
import json
import logging
import random
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from checks.sharing.case import CaseError
from wizard.report.export import render
from wizard.report.open import open_case

TESTS = Path(__file__).parents[1]
LARGEST_SEED = 1 << 18
LARGEST_CONTENT = 1 << 22
RENDERED = 10  # of so many cases that open one is also shown
ODD = (b"\0" * 8, b"\xff" * 8, struct.pack("<Q", 1 << 63), struct.pack("<q", -1), b"\xff" * 4 + b"\x7f", b"\0\0\0\x80")
PUT: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1 << 63, 1e308, -0.0, "", "x", "²", "\x00\x1b[31m", "{0.__class__}", "1" * 5000),
    *(
        [],
        {},
        [[]],
        [{}],
        {"": ""},
        ["x"],
        [None],
        {"kind": {}},
        "../..",
        "99.99.99",
        "cuda:0",
        "漢" * 3000,
        [1] * 3000,
    ),
)
FILTERS = ("FlateDecode", "LZWDecode", "ASCIIHexDecode", "ASCII85Decode", "RunLengthDecode", "DCTDecode", "Crypt")


@dataclass
class Tally:
    """What a run of many came to. ``faults``: what should not have come out, by the number of the mutation."""

    count: int = 0
    opened: int = 0
    faults: dict[str, str] = field(default_factory=dict)
    slowest: tuple[float, str] = (0.0, "")
    largest: tuple[float, str] = (0.0, "")  # MiB that the whole process had

    def add(self, other: Tally) -> None:
        """Take another run in."""
        self.count += other.count
        self.opened += other.opened
        self.faults |= other.faults
        self.slowest = max(self.slowest, other.slowest)
        self.largest = max(self.largest, other.largest)


def run(kind: str, numbers: Iterable[int], folder: Path, seconds: float = float("inf")) -> Tally:
    """Open the mutations of a kind ("case", "pdf", "model"), as long as the time lasts."""
    logging.disable(logging.CRITICAL)
    tally, until = Tally(), time.monotonic() + seconds
    make, read = KINDS[kind]
    _warm_up(kind, folder)
    for number in numbers:
        try:
            name, data = make(random.Random(f"{kind} {number}"))
        except MemoryError:  # a value of ours in a value of ours, again and again: no such file is made
            continue
        path, here = folder / name, f"{kind} {number} {name}"
        path.write_bytes(data)
        del data
        _forget_peak()
        began = time.perf_counter()
        try:
            tally.opened += read(path, number)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault
            tally.faults[here] = f"{type(error).__name__}: {error}"[:300]
        tally.slowest = max(tally.slowest, (time.perf_counter() - began, here))
        tally.largest = max(tally.largest, (_peak(), here))
        tally.count += 1
        path.unlink()
        if time.monotonic() > until:
            break
    return tally


# --- what is mutated -------------------------------------------------------------------------------------------------


def mangled(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, moved, repeated or taken away."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at, size = chance.randint(0, len(made)), chance.randint(1, 64)
        match chance.randint(0, 5):
            case 0:
                made[at : at + size] = chance.randbytes(size)
            case 1:
                piece = chance.choice(ODD)
                made[at : at + len(piece)] = piece
            case 2:
                del made[at : at + size]
            case 3:
                made[at:at] = made[at : at + size] * chance.choice((1, 2, 100, 1000))
            case 4:
                where = chance.randint(0, len(made))
                made[where:where] = made[at : at + size]
            case 5 if made:
                made[at % len(made)] ^= 1 << chance.randint(0, 7)
    return bytes(made[: chance.randint(0, len(made))] if chance.random() < 0.2 else made)


def case(chance: random.Random) -> tuple[str, bytes]:
    """A case with other bytes, or with other values at some of its places."""
    plain = chance.choice(_cases())
    if chance.random() < 0.2:
        return "case.json", mangled(json.dumps(plain).encode(), chance)
    return "case.json", json.dumps(_with_other_values(plain, chance)).encode("utf-8", "replace")


def pdf(chance: random.Random) -> tuple[str, bytes]:
    """A report with other bytes, or with another attachment, packed in another way."""
    made = _pdf()
    if chance.random() < 0.5:
        return "report.pdf", mangled(made, chance)
    content = case(chance)[1]
    chosen = [chance.choice(FILTERS) for _ in range(chance.choice((0, 0, 1, 1, 1, 2, 3, 20)))]
    for name in reversed(chosen):
        if len(content) > LARGEST_CONTENT:
            break
        packed = {"FlateDecode": zlib.compress, "ASCIIHexDecode": bytes.hex, "ASCII85Decode": base64.a85encode}
        content = content if chance.random() < 0.1 else bytes(_as_bytes(packed.get(name, bytes)(content)))
    at, end = made.rindex(b"/Type /EmbeddedFile"), made.rindex(b"endstream")
    begin = made.index(b"stream", at)
    listed = " ".join(f"/{name}" for name in chosen)
    length = chance.choice((len(content), len(content), 0, -1, 1 << 40))
    head = f"/Type /EmbeddedFile /Filter {listed if len(chosen) == 1 else f'[{listed}]'} /Length {length} >>\n"
    whole = made[:at] + head.encode() + made[begin : begin + 7] + content + b"\n" + made[end:]
    return "report.pdf", mangled(whole, chance) if chance.random() < 0.2 else whole


def model(chance: random.Random) -> tuple[str, bytes]:
    """A recorded model file with other bytes."""
    path = chance.choice(_models())
    return path.name, mangled(_bytes_of(path), chance)


def _with_other_values(plain: Any, chance: random.Random) -> Any:
    """A JSON with something else at some places, a place twice, or a list a thousand times."""
    made = copy.deepcopy(plain)
    for _ in range(chance.randint(1, 4)):
        places = list(_places(made["facts"]))
        holder, key = chance.choice(places)
        match chance.randint(0, 4):
            case 0 | 1:
                holder[key] = copy.deepcopy(chance.choice(PUT))
            case 2 if isinstance(holder[key], list):
                holder[key] = holder[key] * chance.choice((2, 100, 1000))
            case 2 if isinstance(holder[key], str):
                holder[key] = holder[key] * chance.choice((2, 100, 10_000))
            case 3:
                other, there = chance.choice(places)
                with contextlib.suppress(KeyError, IndexError):  # it may be gone by now
                    holder[key] = copy.deepcopy(other[there])
            case _ if isinstance(holder, dict):
                del holder[key]
        if not isinstance(made["facts"], dict) or not made["facts"]:
            break
    return made


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _as_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


@cache
def _cases() -> tuple[Any, ...]:
    return tuple(json.loads(path.read_bytes()) for path in sorted((TESTS / "cases").glob("*.json")))


@cache
def _pdf() -> bytes:
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.add_attachment("naosu-case.json", json.dumps(_cases()[0]).encode())
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


@cache
def _models() -> tuple[Path, ...]:
    found = (path for path in sorted((TESTS / "recordings" / "models").rglob("*")) if path.is_file())
    return tuple(path for path in found if path.suffix not in (".toml", ".md") and path.stat().st_size <= LARGEST_SEED)


@cache
def _bytes_of(path: Path) -> bytes:
    return path.read_bytes()


# --- what is done with it, and what it takes -------------------------------------------------------------------------


def open_and_show(path: Path, number: int) -> bool:
    """Open a case; some of those that open are shown, too. Whether it opened."""
    try:
        opened = open_case(path)
    except CaseError:
        return False
    if number % RENDERED == 0:
        for kind in ("json", "markdown"):
            render(opened, kind, "ja" if number % 20 else "en", hide=() if number % 3 == 0 else None)
    return True


def read_file(path: Path, _number: int) -> bool:
    """Read a model file. Whether nothing was wrong with it.

    Raises:
        RuntimeError: a reader broke, which the product catches and tells.
    """
    from checks.readers.models import read_models

    found = read_models(path)
    broken = [facts.problem_detail for facts in found if facts.problem == "reader-broke"]
    if broken:
        raise RuntimeError(broken[0])
    return all(not facts.problem for facts in found)


KINDS: dict[str, tuple[Callable[[random.Random], tuple[str, bytes]], Callable[[Path, int], bool]]] = {
    "case": (case, open_and_show),
    "pdf": (pdf, open_and_show),
    "model": (model, read_file),
}


def _warm_up(kind: str, folder: Path) -> None:
    """Load what is loaded once, so that it counts for none of them."""
    path = folder / "seed"
    seeds = {"case": [json.dumps(_cases()[0]).encode()], "pdf": [_pdf()], "model": map(_bytes_of, _models()[::7])}
    for data in seeds[kind]:
        path.write_bytes(data)
        KINDS[kind][1](path, 0)


def _forget_peak() -> None:
    """Linux: the most memory that this process had counts from now on."""
    try:
        Path("/proc/self/clear_refs").write_bytes(b"5")
    except OSError:
        return


def _peak() -> float:
    try:
        status = Path("/proc/self/status").read_bytes()
    except OSError:
        return 0.0
    at = status.find(b"VmHWM:")
    return int(status[at:].split()[1]) / 1024 if at >= 0 else 0.0
