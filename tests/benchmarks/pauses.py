"""How long the window's event loop stands still while something large happens: python tests/benchmarks/pauses.py

A timer of 5 ms notes how late it comes. Goal: 100 ms at most, whatever is pasted, opened or examined.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["NAOSU_HISTORY"] = tempfile.mkdtemp()
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from PySide6.QtCore import QEventLoop, QMimeData, QTimer  # noqa: E402 - the screen and the path come first

from wizard.case_model import CaseModel  # noqa: E402 - the screen and the path come first
from wizard.desktop import garbage  # noqa: E402 - the screen and the path come first
from wizard.flow import Step  # noqa: E402 - the screen and the path come first
from wizard.jobs.background import Work  # noqa: E402 - the screen and the path come first
from wizard.pages.symptom import SymptomPage  # noqa: E402 - the screen and the path come first
from wizard.window.app import make_application  # noqa: E402 - the screen and the path come first
from wizard.window.main_window import Window  # noqa: E402 - the screen and the path come first

_LINE = "2026-11-23 10:00:{:02} worker {} step {} loss {:.6f} RuntimeError: CUDA error: device-side assert triggered\n"
_LIMIT = 120_000  # milliseconds


class Watch:
    """Notes the longest time between two turns of the loop."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.timeout.connect(self._turn)
        self._timer.start(5)

    def _turn(self) -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now


def until(condition: Callable[[], bool]) -> None:
    """Let the loop turn until something is so."""
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: condition() and loop.quit())
    timer.start(20)
    QTimer.singleShot(_LIMIT, loop.quit)
    loop.exec()


def measured(name: str, act: Callable[[], object], condition: Callable[[], bool]) -> None:
    """Print how long it took, and the longest pause in it."""
    watch, began = Watch(), time.perf_counter()
    QTimer.singleShot(30, act)
    until(condition)
    took = time.perf_counter() - began
    loop = QEventLoop()
    QTimer.singleShot(300, loop.quit)
    loop.exec()
    print(f"{name:45} {took:6.2f} s, longest pause {watch.longest * 1000:6.0f} ms")


def main() -> None:
    """All of them."""
    application = make_application()
    garbage.collect_here(application)
    case = CaseModel("en")
    work = Work(case)
    window = Window(case, work)
    window.show()
    window.prepare()
    until(lambda: not work._jobs)
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)

    def paste(text: str) -> None:
        data = QMimeData()
        data.setText(text)
        page.text.selectAll()
        page.text.insertFromMimeData(data)

    def reported() -> bool:
        return case.case is not None and not case.busy and window.step is Step.REPORT

    measured(
        "a first short text",
        lambda: paste("torch.cuda.OutOfMemoryError: CUDA out of memory"),
        reported,
    )
    for size in (100_000, 1_000_000, 10_000_000):
        lines = "".join(_LINE.format(i % 60, i % 8, i, 1 / (i + 1)) for i in range(size // 105))
        window.begin()
        measured(f"{size / 1e6:g} MB pasted", lambda lines=lines: paste(lines), reported)
    for name in sys.argv[1:]:
        window.begin()
        measured(f"opened: {Path(name).name}", lambda name=name: work.open(Path(name)), reported)
    window.begin()
    window.case.set_symptom("everything")
    window.go(Step.TARGET)
    until(lambda: bool(case.answers.target) and not case.busy)
    case.answer(effort="quick")
    measured("an examination, quick", window.run, lambda: reported() and not case.is_running)
    work.shutdown()


if __name__ == "__main__":
    main()
