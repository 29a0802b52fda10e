"""How long `naosu scan` takes for programs, beside ruff and pylint on the same files.

    python tests/benchmarks/scripts.py FOLDER [--lines N] [--runs N] [--pylint PYTHON]

FOLDER: where tests/tools/real_scripts_download.py put real programs. Takes as many of them as make N lines, and runs
each tool on all of them in turn, on one processor each, without caches; then `naosu scan` alone on a notebook of 50 MB
whose outputs are pictures. Prints seconds of the processor, of the wall, and the most memory.

Expected before the first measurement: 8 s for 100,000 lines (LibCST parses some 50,000 lines a second, and each tree is
walked more than once), ruff 0.3 s, pylint 150 s. The notebook: 1 s more than an empty program, of which json would need
0.3, and at most 50 MB more than an empty program takes, since the file is mapped. (The least memory that is shown is
that of this script, which the system counts until the tool is loaded.)
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
MEGABYTES = 50


@dataclass(frozen=True)
class Run:
    """One run: seconds of the processor and of the wall, megabytes at most, exit status."""

    processor: float
    wall: float
    megabytes: float
    status: int


def chosen(folder: Path, lines: int) -> list[Path]:
    """Real programs that make so many lines together, in a mixed order that is always the same."""
    paths = sorted(path for path in folder.rglob("*.py") if path.is_file() and not path.is_symlink())
    random.Random(1).shuffle(paths)
    taken: list[Path] = []
    for path in paths:
        count = path.read_bytes().count(b"\n")
        if not count or count > 5000:
            continue
        taken.append(path)
        lines -= count
        if lines <= 0:
            return taken
    raise SystemExit(f"{folder} has {lines} lines too few")


def copied(paths: list[Path], place: Path) -> None:
    """Each program in a folder of its own."""
    for number, path in enumerate(paths):
        inside = place / f"{number:04}"
        inside.mkdir(parents=True)
        (inside / "program.py").write_bytes(path.read_bytes())


def notebook(path: Path, megabytes: int) -> None:
    """A notebook that trains a little and shows pictures, as large as asked."""
    random.seed(1)
    picture = base64.b64encode(random.randbytes(3 * 2**18)).decode()  # 1 MB
    source = ["import numpy as np\n", "import matplotlib.pyplot as plt\n", "x = np.random.rand(100)\n", "plt.plot(x)\n"]
    output = {"output_type": "display_data", "data": {"image/png": picture}, "metadata": {}}
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": source, "outputs": [output]}
    whole = {"cells": [cell] * megabytes, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(whole, indent=1), encoding="utf8")


def run(command: list[str], place: Path) -> Run:
    """Run a tool to its end; what it prints is thrown away."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=place,
        env=dict(os.environ, PYTHONPATH=str(ROOT), RAYON_NUM_THREADS="1"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    return Run(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, process.returncode)


def show(name: str, runs: list[Run]) -> None:
    """A line of the table."""
    print(
        f"{name:34}{median(one.processor for one in runs):9.2f}{median(one.wall for one in runs):9.2f}"
        f"{max(one.megabytes for one in runs):9.0f}  exit {runs[0].status}",
        flush=True,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--pylint", metavar="PYTHON", help="a Python that has pylint")
    asked = parser.parse_args()
    scan = [sys.executable, "-m", "wizard", "scan", "--json"]
    with tempfile.TemporaryDirectory() as place:
        programs, small, large = Path(place, "programs"), Path(place, "small.py"), Path(place, "large.ipynb")
        paths = chosen(asked.folder, asked.lines)
        copied(paths, programs)
        small.write_text("x = 1\n")
        notebook(large, MEGABYTES)
        tools = {
            f"naosu scan, {len(paths)} programs": [*scan, str(programs)],
            "ruff check --select ALL": [
                *(sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "ALL"),
                str(programs),
            ],
            "naosu scan, an empty program": [*scan, str(small)],
            f"naosu scan, a notebook of {MEGABYTES} MB": [*scan, str(large)],
        }
        taken: dict[str, list[Run]] = {name: [] for name in tools}
        for _ in range(asked.runs):
            for name, command in tools.items():
                taken[name].append(run(command, Path(place)))
        print(f"{'':34}{'CPU s':>9}{'wall s':>9}{'MB':>9}")
        for name, runs in taken.items():
            show(name, runs)
        if asked.pylint:  # once: it takes minutes
            files = sorted(str(path) for path in programs.rglob("*.py"))
            show("pylint", [run([asked.pylint, "-m", "pylint", "-j1", "--persistent=n", *files], Path(place))])


if __name__ == "__main__":
    main()
