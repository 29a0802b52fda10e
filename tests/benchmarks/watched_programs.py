"""What the watch costs a program: its time under the watch beside its time alone, in turns.

    python tests/benchmarks/watched_programs.py [--rounds 7] [--python PYTHON] [--module torch]

Expected before it was measured: a program that does nothing takes up to 0.1 s longer (the hook, its last look, looks
from outside), one that imports a large framework or computes up to 5 % longer, and one that prints without end, whose
output goes through a pipe more, up to 20 %. Promised: within 5 % or 0.2 s, printing without end apart.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

PROGRAMS = {
    "nothing": "pass",
    "ends with an error": "1/0",
    "computes for 3 s": "x = 0\nfor i in range(30_000_000): x += i & 3",
    "starts 20 processes": "import subprocess, sys\nfor i in range(20): subprocess.run([sys.executable, '-c', ''])",
    "prints 200 MB": "import sys\nfor i in range(200): sys.stdout.write(('x' * 79 + '\\n') * 12500)",
}


def alone(command: list[str]) -> float:
    """Seconds of the program by itself; its output goes through a pipe that is read, as ours is."""
    begin = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
    ) as process:
        assert process.stdout is not None
        while os.read(process.stdout.fileno(), 1 << 16):
            pass
    return time.perf_counter() - begin


def watched(command: list[str]) -> float:
    """Seconds of the program under the watch, from before its start to after its end."""
    from checks.engine.watch.connection import Listened
    from checks.engine.watch.program import ProgramTask, watch_program

    run = watch_program(ProgramTask(command=tuple(command), folder=Path.cwd()), Listened(lambda _stream, _data: None))
    assert run.seconds is not None
    return run.seconds


def main() -> None:
    """Measure, and print a line for each program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--python", default=getattr(sys, "_base_executable", sys.executable))
    parser.add_argument("--module", action="append", default=[], help="a module that the Python has, to be imported")
    chosen = parser.parse_args()
    programs = {**PROGRAMS, **{f"imports {name}": f"import {name}" for name in chosen.module}}
    os.chdir(tempfile.mkdtemp())
    for name, program in programs.items():
        command = [chosen.python, "-c", program]
        pairs = [(alone(command), watched(command)) for _ in range(chosen.rounds)]
        plain, ours = (statistics.median(times) for times in zip(*pairs, strict=True))
        within = ours - plain <= max(0.2, 0.05 * plain)
        print(
            f"{name:24} {plain:8.2f} s {ours:8.2f} s {ours - plain:+7.3f} s  {'ok' if within else 'MORE'}", flush=True
        )


if __name__ == "__main__":
    main()
