"""Start-up and everyday commands of two checkouts, in alternating runs.

    python tests/benchmarks/before_after.py BEFORE AFTER [--runs 9]

Both run in this interpreter, from their own folder. Printed: the median of each side in seconds and the ratio (below 1:
the second is faster). Expected before the tree was rebuilt (2026-11-22): 0.95 to 1.05 everywhere, since the same
modules are imported from other folders.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

CASE = Path(__file__).resolve().parents[1] / "cases" / "blackwell-on-r535.json"
TICKET = (
    b"RuntimeError: CUDA error: no kernel image is available for execution on the device\ntorch 2.6.0+cu124, RTX 5090\n"
)
WINDOW = """
import importlib.util
name = "wizard.app" if importlib.util.find_spec("wizard.app") else "wizard.window.app"
module = importlib.import_module(name)
from PySide6.QtCore import QTimer
make = module.make_application
def made(*given):
    application = make(*given)
    QTimer.singleShot(0, application.quit)
    return application
module.make_application = made
module.run_window(language="en")
"""
COMMANDS = {
    "help": (["-m", "wizard", "--help"], b""),
    "window, first turn of its loop": (["-c", WINDOW], b""),
    "diagnose a ticket": (["-m", "wizard", "diagnose", "--quiet", "--json", os.devnull], TICKET),
    "show a case": (["-m", "wizard", "show", str(CASE), "--quiet", "--json", os.devnull], b""),
    "check --effort quick": (
        ["-m", "wizard", "check", "--effort", "quick", "--symptom", "not-on-gpu", "--quiet", "--json", os.devnull],
        b"",
    ),
}


def seconds(checkout: Path, arguments: list[str], stdin: bytes) -> float:
    """Wall time of one run of a command of a checkout.

    Raises:
        RuntimeError: it ended as a program that broke does.
    """
    environment = {**os.environ, "PYTHONPATH": str(checkout), "QT_QPA_PLATFORM": "offscreen"}
    started = time.perf_counter()
    ended = subprocess.run(
        [sys.executable, *arguments], cwd=checkout, input=stdin, capture_output=True, env=environment, check=False
    )
    if ended.returncode not in (0, 1) or b"Traceback" in ended.stderr:
        raise RuntimeError(ended.stderr.decode())
    return time.perf_counter() - started


def main() -> None:
    """Measure in turns and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--runs", type=int, default=9)
    chosen = parser.parse_args()
    sides = (chosen.before.resolve(), chosen.after.resolve())
    print(f"{'':32} {'before':>8} {'after':>8} {'ratio':>6}")
    for name, (arguments, stdin) in COMMANDS.items():
        times: tuple[list[float], list[float]] = ([], [])
        for turn in range(chosen.runs + 1):
            for side, kept in zip(sides, times, strict=True):
                measured = seconds(side, arguments, stdin)
                if turn:  # the first turn warms the file cache
                    kept.append(measured)
        before, after = map(statistics.median, times)
        print(f"{name:32} {before:8.2f} {after:8.2f} {after / before:6.2f}")


if __name__ == "__main__":
    main()
