"""How long a large case takes to be shown, and two to be compared, beside reading the JSON of the same file.

    python tests/benchmarks/large_cases.py [--megabytes 10 30 97] [--runs 3]

A case of so many megabytes is one of tests/cases/ with logs as they are kept: half a megabyte each, of the lines of a
training and, now and then, a recorded ticket. Each measurement is a process of its own, in turns. Printed: seconds of
the processor, the ratio to `msgspec.json.decode` of the file, and the peak resident memory in MiB.

Goal: 100 MB shown in 2 s and compared in 4, within 300 MB. Expected before the first measurement (2026-11-23): decoded
in 0.2 s; shown in 1.5 s, since of all logs 1.5 million characters are judged, however many there are; compared in 3.
Measured first: shown in 3.3 s (10 MB: 2.7), of which all but 0.3 are what judges those characters; 222 MiB.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
LOG = 480_000  # characters of one

MEASURED = """
import json, resource, sys, time
start = time.process_time()
{what}
print(json.dumps([time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""
COMMAND = "from wizard.__main__ import main\nassert main([*{0!r}, '--quiet', '--json', {1!r}]) in (0, 1)"


def log(disorder: random.Random, tickets: list[str]) -> str:
    """The log of a training in which something is printed now and then."""
    parts: list[str] = []
    size = 0
    while size < LOG:
        step = disorder.randrange(10**6)
        line = f"2026-01-01 12:00:{step % 60:02d} INFO step {step} loss {disorder.random():.6f} lr 1e-4"
        parts.append(disorder.choice(tickets)[:3000] if disorder.random() < 0.0004 else line)
        size += len(parts[-1]) + 1
    return "\n".join(parts)


def made(path: Path, megabytes: int, seed: int) -> None:
    """Write a case of that size."""
    from checks.facts import SentFile
    from checks.sharing.case import to_builtins
    from wizard.report.open import open_case

    case = open_case(ROOT / "tests" / "cases" / "healthy-linux-rtx-4090.json")
    lines = (ROOT / "tests" / "tickets" / "known" / "mixed-5.jsonl").read_text("utf-8").splitlines()
    disorder, tickets = random.Random(seed), [json.loads(line)["text"] for line in lines]
    some = [log(disorder, tickets) for _ in range(10)]
    count = megabytes * 10**6 // (LOG + 8000)
    logs = [SentFile(name=f"{n}.log", kind="log", text=f"run {n}\n{some[n % 10]}", origin="") for n in range(count)]
    plain = to_builtins(case)
    plain["facts"]["logs"] = [{"name": one.name, "kind": one.kind, "text": one.text} for one in logs]
    path.write_text(json.dumps(plain), "utf-8")


def measured(what: str) -> tuple[float, float]:
    """Seconds and MiB of a process of its own."""
    code = MEASURED.replace("{what}", what)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, nargs="*", default=[10, 30, 97])
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    print(f"{'MB':>4} {'':8} {'seconds':>8} {'/ decode':>9} {'MiB':>5}")
    with tempfile.TemporaryDirectory() as folder:
        for megabytes in chosen.megabytes:
            paths = [Path(folder) / f"{side}.json" for side in "ab"]
            with multiprocessing.get_context("spawn").Pool(1) as apart:  # a child begins with the peak of its parent
                apart.starmap(made, [(path, megabytes, seed) for seed, path in enumerate(paths)])
            first, second = map(str, paths)
            rows = {
                "decoded": f"import msgspec\nmsgspec.json.decode(open({first!r}, 'rb').read())",
                "shown": COMMAND.format(["show", first], os.devnull),
                "compared": COMMAND.format(["compare", first, second], os.devnull),
            }
            found = {name: [measured(what) for _ in range(chosen.runs)] for name, what in rows.items()}
            decoded = median(seconds for seconds, _ in found["decoded"])
            for name, taken in found.items():
                seconds, peak = median(each for each, _ in taken), max(each for _, each in taken)
                print(f"{megabytes:4} {name:8} {seconds:8.2f} {seconds / decoded:9.1f} {peak:5.0f}", flush=True)


if __name__ == "__main__":
    main()
