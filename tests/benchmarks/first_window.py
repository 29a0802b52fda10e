"""Time to the first window, and the window's peak memory, beside importing PySide6 alone and an empty window.

    python tests/benchmarks/first_window.py [--runs 9]        (needs a display, for example: xvfb-run -a python ...)

Each run is a process of its own. Time is counted from before the process starts until the window has painted its first
frame with its contents and the event loop is idle. Printed: median, smallest and largest in seconds, the ratio to the
import alone, and the peak resident memory in MiB.

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
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
import wizard.window.app

class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget) and watched.isVisible():
            QApplication.instance().removeEventFilter(self)
            QTimer.singleShot(0, lambda: (tell(), QApplication.quit()))
        return False

watcher = Painted()
make = wizard.window.app.make_application

def made():
    application = make()
    application.installEventFilter(watcher)
    return application

wizard.window.app.make_application = made
import wizard.__main__
wizard.__main__.main([])
"""
TELL = """
import json, sys, time

def tell():
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": time.time() - float(sys.argv[1]), "peak": peak}), flush=True)
"""

PROGRAMS = {"import PySide6": IMPORT, "empty window": EMPTY, "first window": WINDOW}


def run(program: str) -> dict[str, float]:
    command = [sys.executable, "-c", TELL + program, repr(time.time())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=dict(os.environ))
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
    base = statistics.median(each["seconds"] for each in measured["import PySide6"])
    print(f"{'':16} {'median':>8} {'min':>8} {'max':>8} {'/ import':>9} {'peak MiB':>9}")
    for name, told_runs in measured.items():
        seconds = [told_run["seconds"] for told_run in told_runs]
        middle, peak = statistics.median(seconds), statistics.median(told_run["peak"] for told_run in told_runs)
        print(f"{name:16} {middle:8.3f} {min(seconds):8.3f} {max(seconds):8.3f} {middle / base:9.2f} {peak:9.0f}")


if __name__ == "__main__":
    main()
