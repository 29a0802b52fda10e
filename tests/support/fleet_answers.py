"""Answers of many machines, made of one that naosu-probe.pyz really gave: other processors, versions, times, bits."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RECORDED = Path(__file__).parents[1] / "recordings" / "portable" / "linux-torch-cpu.json"
_PLAIN = json.loads(RECORDED.read_text())
CPU, TORCH, KERNEL = "AMD EPYC", "2.13.0+cpu", "6.1.0-25-amd64"
CPUS = (CPU, "Intel(R) Xeon(R) Platinum 8480+", "AMD EPYC 9654 96-Core Processor")
_FINGERPRINT = re.compile(r'"fingerprint": "([0-9a-f])')


@dataclass(frozen=True)
class Made:
    """How a machine differs from the recorded one. ``turned``: by how much the first digit of its fingerprints."""

    cpu: str = CPU
    torch: str = TORCH
    kernel: str = KERNEL
    turned: int = 0
    odd: int = 0  # first fingerprints of each framework that are turned further
    created: str = "2026-11-24T00:00:00+00:00"
    format: int = 1
    dead: bool = False
    memory: str = ""  # another amount in /proc/meminfo


def answer(made: Made = Made()) -> bytes:
    """The file of such a machine."""
    steps = [_step(step, made) for step in _PLAIN["steps"]]
    return json.dumps({**_PLAIN, "naosu-probe": made.format, "created": made.created, "steps": steps}).encode()


def _step(step: dict[str, object], made: Made) -> dict[str, object]:
    text = str(step["answer"])
    for before, after in ((CPU, made.cpu), (TORCH, made.torch), (KERNEL, made.kernel)):
        text = text.replace(before, after) if before != after else text
    if made.memory:
        text = re.sub(r'"MemTotal": "\d+ kB"|MemTotal:\s+\d+ kB', f"MemTotal:       {made.memory} kB", text)
    if "computations" in str(step["id"]):
        text = _FINGERPRINT.sub(lambda found: f'"fingerprint": "{_turned(found[1], made.turned)}', text)
        if made.odd:
            text = _FINGERPRINT.sub(lambda found: f'"fingerprint": "{_turned(found[1], 7)}', text, count=made.odd)
    if made.dead and step["id"] not in ("machine", "nvidia", "pythons"):
        return {**step, "answer": "", "code": 127, "stderr": "no such file", "ended": "exited"}
    return {**step, "answer": text}


def _turned(digit: str, by: int) -> str:
    return f"{(int(digit, 16) + by) % 16:x}"


def planted(count: int) -> Iterator[tuple[str, bytes]]:
    """(Host, its answer) of a fleet with three kinds of processors that compute differently, and two kernels.

    Every thousandth machine computes differently from its like; every 2,500th has an older answer with another torch.
    """
    kinds = {
        (place, kernel, odd): answer(Made(cpu=cpu, kernel=kernel, turned=place, odd=3 if odd else 0))
        for place, cpu in enumerate(CPUS)
        for kernel in (KERNEL, "6.8.0-45-generic")
        for odd in (False, True)
    }
    older = answer(Made(torch="2.12.0+cpu", created="2026-11-01T00:00:00+00:00"))
    stamp = b'"created": "2026-11-24T00:00:00+00:00"'
    for number in range(count):
        kind = (number % 3, KERNEL if number % 5 else "6.8.0-45-generic", number % 1000 == 500)
        time = f'"created": "2026-11-24T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}+00:00"'
        yield f"node{number:06}", kinds[kind].replace(stamp, time.encode(), 1)
        if number % 2500 == 0:
            yield f"node{number:06}-2026-11-01", older


def written(count: int, folder: Path) -> None:
    """The planted fleet as packed files, a thousand to a folder: all but the times is packed once."""
    packed: dict[bytes, bytes] = {}
    for number, (host, data) in enumerate(planted(count)):
        place = data.index(b'"created"') + len(b'"created": "2026-11-24T00:00:00+00:00"')
        parts = (data[: data.index(b'"created"')], data[data.index(b'"created"') : place], data[place:])
        into = folder / f"{number // 1000:04}"
        into.mkdir(parents=True, exist_ok=True)
        for part in (parts[0], parts[2]):
            if part not in packed:
                packed[part] = gzip.compress(part)
        first, stamp, rest = packed[parts[0]], parts[1], packed[parts[2]]
        (into / f"{host}.json.gz").write_bytes(first + gzip.compress(stamp) + rest)
