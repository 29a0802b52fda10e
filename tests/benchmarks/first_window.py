"""Time to the first window, and the window's peak memory, beside importing PySide6 alone and an empty window.

    python tests/benchmarks/first_window.py [--runs 9]        (needs a display, for example: xvfb-run -a python ...)

Each run is a process of its own, with its modules compiled. Time is counted from before the process starts until the
window has painted its first frame with its contents and the event loop is idle; only the window's own events are
watched, as those of all objects cost more than a tenth. Printed: median, smallest and largest in seconds, the median
ratio to the import alone of the same turn, the same of the processor's time, and the peak resident memory in MiB.

Goal: under 0.5 s where importing PySide6 alone takes 0.25 s, so a ratio under 2.
Expected before measuring (2026-11-21): import 0.12 s, window 0.25 s, 90 MiB.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

IMPORT = "from PySide6 import QtCore, QtGui, QtWidgets; tell()"
EMPTY = """
from PySide6 import QtCore, QtGui, QtWidgets
application = QtWidgets.QApplication([])
application.setStyle("Fusion")

class Label(QtWidgets.QLabel):
    def paintEvent(self, event):
        super().paintEvent(event)
        QtCore.QTimer.singleShot(0, lambda: (tell(), application.quit()))

window = QtWidgets.QMainWindow()
window.setCentralWidget(Label("Naosu"))
window.show()
application.exec()
"""
WINDOW = """
import wizard.__main__

def watch(application, window):
    from PySide6.QtCore import QEvent, QObject, QTimer

    class Painted(QObject):
        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Paint:
                window.removeEventFilter(self)
                QTimer.singleShot(0, lambda: (tell(), application.quit()))
            return False

    window.watcher = Painted()
    window.installEventFilter(window.watcher)

import wizard.desktop.display as display
asked = display.no_window

def no_window():
    trouble = asked()
    import wizard.window.app as app
    made = app.Window

    def make(*given):
        from PySide6.QtWidgets import QApplication
        window = made(*given)
        watch(QApplication.instance(), window)
        return window

    app.Window = make
    return trouble

display.no_window = no_window
wizard.__main__.main([])
"""
TELL = """
import json, sys, time

def tell():
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = time.time() - float(sys.argv[1])
    print(json.dumps({"seconds": seconds, "processor": time.process_time(), "peak": peak}), flush=True)
"""

BASE = "import PySide6"
PROGRAMS = {BASE: IMPORT, "empty window": EMPTY, "first window": WINDOW}


def run(program: str) -> dict[str, float]:
    command = [sys.executable, "-c", TELL + program, repr(time.time())]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=environment)
    told: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    measured: dict[str, list[dict[str, float]]] = {name: [] for name in PROGRAMS}
    for turn in range(runs + 1):
        for name, program in PROGRAMS.items():
            told = run(program)
            if turn:  # the first turn warms the file cache
                measured[name].append(told)
    print(
        f"{'':16} {'median':>8} {'min':>8} {'max':>8} {'/ import':>9} {'processor':>10} {'/ import':>9} {'peak MiB':>9}"
    )
    for name, runs_told in measured.items():
        seconds, processor, peak = ([told[what] for told in runs_told] for what in ("seconds", "processor", "peak"))
        ratios = [
            statistics.median(here[what] / base[what] for here, base in zip(runs_told, measured[BASE], strict=True))
            for what in ("seconds", "processor")
        ]
        print(
            f"{name:16} {statistics.median(seconds):8.3f} {min(seconds):8.3f} {max(seconds):8.3f} {ratios[0]:9.2f}"
            f" {statistics.median(processor):10.3f} {ratios[1]:9.2f} {statistics.median(peak):9.0f}"
        )


if __name__ == "__main__":
    main()
