"""How fast private values are hidden, beside searching the same text for one pattern.

    python tests/benchmarks/redaction.py [--megabytes N] [--runs N]

Prints how many seconds of the processor a fresh process takes for its first 120 kB and 1 MB of mixed lines; then, for
a training log, for all recorded tickets joined, and for a text of home folders: megabytes a second of learning names,
of hiding, and of one plain search by RE2, in turn. Expected before the first measurement: 20 MB/s for a log in which
nothing is found, since a dozen automata and the net of chance each read it once; less where much is found, because
each hit is judged in Python.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


def texts(megabytes: int) -> dict[str, str]:
    """The texts that are hidden, by name."""
    size = megabytes * 10**6
    line = "2026-01-01 12:00:{:02d} INFO step {} loss 0.{} lr 1e-4\n"
    log = "".join(line.format(step % 60, step, step * 7919 % 10**6) for step in range(size // 55))
    tickets = "\n".join(
        json.loads(ticket)["text"]
        for path in sorted((ROOT / "tests" / "tickets" / "known").glob("*.jsonl"))
        for ticket in path.read_text("utf-8").splitlines()
    )
    homes = "".join(f"/home/u{number}x{number * 7919 % 10007}/x " for number in range(8000))
    return {"log": log, "tickets": (tickets * (size // len(tickets) + 1))[:size], "8,000 homes": homes}


def mixed(size: int) -> str:
    """Lines of many kinds in disorder, none of which was read before: what a fresh automaton is slowest with."""
    paths = sorted(path for folder in ("resources", "tests") for path in (ROOT / folder).rglob("*.[tj][os][mo][ln]*"))
    lines = [line[:300] for path in paths[::3] for line in path.read_text("utf-8", "replace").splitlines()]
    random.Random(1).shuffle(lines)
    return "\n".join(lines)[:size]


def first(size: int) -> tuple[float, float]:
    """Seconds of this process for a first text."""
    from checks.readers.private.hiding import Own, Redaction, learned

    text = mixed(size)
    start = time.process_time()
    names = learned([text], "", Own())
    middle = time.process_time()
    Redaction(names).hide(text, "text")
    return middle - start, time.process_time() - middle


def main() -> None:
    """Measure and print."""
    import re2

    from checks.readers.private.hiding import Own, Redaction, learned

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=10)
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    for size in (120_000, 1_000_000):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            learn, hide = pool.apply(first, (size,))
        print(f"first {size:9,} bytes of mixed lines: {learn:.2f} s to learn, {hide:.2f} s to hide")
    plain = re2.compile("no such word")
    Redaction(learned(["warm up"], "", Own())).hide("warm up", "text")
    print("text            MB   learn MB/s   hide MB/s   both MB/s   one search MB/s")
    for name, text in texts(chosen.megabytes).items():
        taken: list[tuple[float, float, float]] = []
        for _ in range(chosen.runs):
            start = time.process_time()
            names = learned([text], "", Own())
            middle = time.process_time()
            Redaction(names).hide(text, "text")
            end = time.process_time()
            plain.search(text.encode())
            taken.append((middle - start, end - middle, time.process_time() - end))
        learn, hide, search = (median(column) for column in zip(*taken, strict=True))
        size = len(text.encode()) / 1e6
        print(
            f"{name:12} {size:6.1f} {size / learn:12.1f} {size / hide:11.1f} {size / (learn + hide):11.1f}"
            f" {size / search:17.1f}"
        )


if __name__ == "__main__":
    main()
