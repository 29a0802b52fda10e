"""Open mutated cases, PDFs and model files by the hundred thousand: nothing may come out but the product's own answers.

    python -m tests.tools.mutate case:20000 pdf:200000 model:800000 --seconds 1200

Each mutation has a number, so that one that shows a fault comes again: ``case:1@1234`` is the one with that number. It
prints how many were opened, what broke, which one took the longest, and with which one the process was the largest. A
bounded part runs in the tests (tests/checks/sharing/test_mutations.py).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import signal
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from tests.support.mutations import Tally, run

MEMORY = 6 << 30  # bytes of addresses
PIECE = 2_000  # mutations of one process: a leak would hide in a longer life, and a fresh start costs a second


def piece(kind: str, first: int, count: int, seconds: float) -> tuple[str, Tally]:
    """Some of them in a process of their own, in which a giant array is an error and no death."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        return kind, run(kind, range(first, first + count), Path(folder), seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run them all; 1 where something broke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wanted", nargs="+", metavar="KIND:COUNT[@FIRST]")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of all together")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    chosen = parser.parse_args(arguments)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it starts with "&" ignore it
    work = []
    for each in chosen.wanted:
        kind, _, rest = each.partition(":")
        count, _, first = rest.partition("@")
        begin = int(first or 0)
        work += [(kind, at, min(PIECE, begin + int(count) - at)) for at in range(begin, begin + int(count), PIECE)]
    tallies: dict[str, Tally] = {}
    broken = False
    share = chosen.seconds * chosen.processes / len(work)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(chosen.processes, mp_context=spawn, max_tasks_per_child=1) as pool:
        jobs = {pool.submit(piece, *each, share): each for each in work}
        try:
            for job in as_completed(jobs):
                kind, tally = job.result()
                tallies.setdefault(kind, Tally()).add(tally)
        except KeyboardInterrupt:  # what was done until then counts
            pool.shutdown(cancel_futures=True)
        except BrokenProcessPool:
            left = [each for job, each in jobs.items() if not job.done() or job.exception()]
            print(f"a process was killed; the first of what it did not do: {left[: chosen.processes]}")
            broken = True
    for kind, tally in tallies.items():
        print(f"{kind}: {tally.count} mutations, {tally.opened} of them read as whole, {len(tally.faults)} faults")
        (seconds, slowest), (size, largest) = tally.slowest, tally.largest
        print(f"  longest {seconds:.2f} s ({slowest}); largest {size:.0f} MiB ({largest})")
        for where, fault in list(tally.faults.items())[:20]:
            print(f"  {where}: {fault}")
    return int(broken or any(tally.faults for tally in tallies.values()))


if __name__ == "__main__":
    raise SystemExit(main())
