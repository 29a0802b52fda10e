"""The full quick check of one interpreter against its peers in that same interpreter, side by side.

    python tests/benchmarks/full_check.py [--target PYTHON] [--runs 7]

The target needs torch; where it also has env-doctor installed (in the same folder), that is run too. The commands run
in turns, so that a change of the machine's load meets all of them. Printed: the median, the smallest and the largest
wall time in seconds, and each peer's median divided by ours (above 1: we are faster).

Expected before measuring (2026-11-21): `import torch` alone is 1.1 s of everything here; collect_env adds pip list and
a dozen commands, env-doctor some 0.3 s. Our probes run beside each other, so about 1.3 s were expected.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default=sys.executable, help="a Python with torch")
    parser.add_argument("--symptom", default="not-on-gpu", help="one that computes nothing, which no peer does")
    parser.add_argument("--runs", type=int, default=7)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = str(Path(folder) / "case.json")
        check = [sys.executable, "-m", "wizard", "check", "--quiet", "--symptom", chosen.symptom, "--json", report]
        commands = {
            "import torch": [chosen.target, "-c", "import torch"],
            "naosu check": [*check, "--target", chosen.target],
            "collect_env": [chosen.target, "-m", "torch.utils.collect_env"],
        }
        rival = Path(chosen.target).with_name("env-doctor")
        if rival.exists():
            commands["env-doctor check"] = [str(rival), "check", "--json"]
        times: dict[str, list[float]] = {name: [] for name in commands}
        for turn in range(chosen.runs + 1):
            for name, command in commands.items():
                started = time.perf_counter()
                subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
                if turn:  # the first turn warms the file cache
                    times[name].append(time.perf_counter() - started)
    ours = statistics.median(times["naosu check"])
    print(f"{'command':20} {'median':>8} {'min':>8} {'max':>8} {'/ ours':>8}")
    for name, values in times.items():
        middle = statistics.median(values)
        print(f"{name:20} {middle:8.2f} {min(values):8.2f} {max(values):8.2f} {middle / ours:8.2f}")


if __name__ == "__main__":
    main()
