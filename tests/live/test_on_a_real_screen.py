"""The real program on a real X server, walked through by keyboard alone, as a person would."""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest
from support.extent import some

from checks.history.cases import Cases
from wizard.words import words

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 40  # seconds after which a step counts as hung; on a quiet machine each takes a moment


@pytest.fixture
def screen() -> Iterator[str]:
    """The name of a display of its own."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"]
    with subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as told:
            number = told.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}"
        server.terminate()


@contextlib.contextmanager
def started(environment: Mapping[str, str], said: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The program. Where the walk fails, what it said and how it ended are printed beside the failure."""
    command = [sys.executable, "-X", "faulthandler", "-m", "wizard"]
    with said.open("wb") as stderr, subprocess.Popen(command, cwd=ROOT, env=environment, stderr=stderr) as program:
        try:
            yield program
        finally:
            print("ended with", program.poll(), "and said", said.read_text(errors="replace"))
            program.kill()
    assert "Traceback" not in said.read_text()


class Hand:
    """What a person does: wait until a page is there, and press keys."""

    def __init__(self, screen: str) -> None:
        self._environment = {**os.environ, "DISPLAY": screen}

    def wait_for(self, page: str, seconds: float = PATIENCE) -> None:
        """Until a window's title begins with the name of this page."""
        command = ["xdotool", "search", "--sync", "--onlyvisible", "--name", f"^{page}"]
        end = time.monotonic() + seconds
        while True:
            patience = max(0.1, end - time.monotonic())
            found = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=patience)
            if found.returncode == 0:
                break
            # xdotool gives up when a window that it looks at vanishes meanwhile, as those that only start up do.
            assert time.monotonic() < end, found.stderr
        window = found.stdout.split()[0]
        subprocess.run(
            ["xdotool", "windowfocus", "--sync", window], env=self._environment, check=True, timeout=PATIENCE
        )

    def press(self, *keys: str) -> None:
        """Keys one after the other, as xdotool names them."""
        subprocess.run(["xdotool", "key", *keys], env=self._environment, check=True, timeout=PATIENCE)

    def type(self, text: str) -> None:
        """Text into what has the keyboard."""
        subprocess.run(["xdotool", "type", text], env=self._environment, check=True, timeout=PATIENCE)

    def press_until(self, key: str, page: str) -> None:
        """A button that is not ready yet is pressed again, as people do."""
        for _ in range(PATIENCE):
            self.press(key)
            try:
                return self.wait_for(page, seconds=1)
            except subprocess.TimeoutExpired:
                continue
        pytest.fail(f"{page} did not come")


@pytest.mark.parametrize("language", some(["en", "ja"], 1, first=1))
def test_the_whole_walk_by_keyboard(screen: str, tmp_path: Path, language: str) -> None:
    steps = ("symptom", "evidence", "target", "run", "report")
    first, evidence, target, run, report = (re.escape(words(f"window.{step}-title", language)) for step in steps)
    environment = {**os.environ, "DISPLAY": screen, "QT_QPA_PLATFORM": "xcb", "NAOSU_LANG": language}
    # Only few interpreters are found, so that the walk is the same everywhere.
    environment |= {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    with started(environment, tmp_path / "said") as program:
        hand = Hand(screen)
        hand.wait_for(first)
        hand.press("Tab", "Tab", "Return")  # from the field over the choice of files to what starts the program
        hand.wait_for(evidence)
        hand.press("alt+n")
        hand.wait_for(target)
        hand.press_until("alt+r", f"({run}|{report})")
        hand.wait_for(report)
        probes = psutil.Process(program.pid).children(recursive=True)
        hand.press("ctrl+q")
        hand.wait_for(re.escape(words("window.quit-title", language)))  # the report is nowhere kept
        hand.press("alt+q")
        assert program.wait(PATIENCE) == 0
    assert probes == []


@pytest.mark.parametrize("language", some(["en", "ja"], 1))
def test_a_ticket_by_keyboard(screen: str, tmp_path: Path, language: str) -> None:
    first, report = (re.escape(words(f"window.{step}-title", language)) for step in ("symptom", "report"))
    environment = {**os.environ, "DISPLAY": screen, "QT_QPA_PLATFORM": "xcb", "NAOSU_LANG": language}
    environment |= {"HOME": str(tmp_path), "NAOSU_HISTORY": str(tmp_path / "kept")}
    with started(environment, tmp_path / "said") as program:
        hand = Hand(screen)
        hand.wait_for(first)
        hand.type("torch.OutOfMemoryError: CUDA out of memory.")
        hand.press_until("ctrl+Return", report)
        hand.press("ctrl+q")  # nothing is asked: the case has saved itself
        assert program.wait(PATIENCE) == 0
    assert [heading.is_ticket for heading in Cases(tmp_path / "kept" / "cases").headings()] == [True]


# --- as a screen reader sees it

SYSTEM = "/usr/bin/python3"  # the one that has gi
READER = ROOT / "tests" / "support" / "accessible_tree.py"
NAMED = {"push button", "check box", "radio button", "combo box", "text", "list", "table", "tree", "progress bar"}


@pytest.fixture
def bus() -> Iterator[str]:
    """The address of a session bus of its own."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().strip()
        daemon.terminate()


class Reader:
    """What assistive technology gets when it asks."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, what: str = "tree") -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def elements(self) -> list[dict[str, Any]]:
        waiting, found = [self.ask()], []
        while waiting:
            element = waiting.pop()
            found += [element] if element else []
            waiting += reversed(element.get("kids", ()))
        return found

    def wait_for(self, name: str) -> list[dict[str, Any]]:
        """Until an element has this name: the elements then."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            elements = self.elements()
            if any(element["name"] == name for element in elements):
                return elements
        pytest.fail(f"{name} did not come")


def check_names_and_roles(elements: list[dict[str, Any]], here: str) -> None:
    nameless = [element for element in elements if element["role"] in NAMED and not element["name"]]
    assert nameless == []
    boxes = [element["name"] for element in elements if element["role"] == "check box"]
    assert not [name for name in boxes if here in name]


@pytest.mark.parametrize("language", some(["en", "ja"], 1))
def test_what_is_read_and_reached(screen: str, bus: str, tmp_path: Path, language: str) -> None:
    environment = {**os.environ, "DISPLAY": screen, "QT_QPA_PLATFORM": "xcb", "NAOSU_LANG": language}
    environment |= {"HOME": str(tmp_path), "NAOSU_HISTORY": str(tmp_path / "kept"), "DBUS_SESSION_BUS_ADDRESS": bus}
    here = words("window.step-here", language)
    environment |= {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with (
        subprocess.Popen([sys.executable, "-m", "wizard"], cwd=ROOT, env=environment) as program,
        subprocess.Popen([SYSTEM, str(READER), str(program.pid)], env=environment, **pipe) as process,  # type: ignore[call-overload]
    ):
        try:
            reader, hand = Reader(process), Hand(screen)
            first = reader.wait_for(words("window.symptom-title", language))
            check_names_and_roles(first, here)
            assert [step["role"] for step in first if here in step["name"]] == ["push button"]
            hand.wait_for(re.escape(words("window.symptom-title", language)))
            hand.type("torch.OutOfMemoryError: CUDA out of memory.")
            hand.press("ctrl+Return")
            hand.wait_for(re.escape(words("window.report-title", language)))
            report = reader.wait_for(words("report.verdict-word-blocking", language))
            check_names_and_roles(report, here)
            told = "".join(element["name"] + element.get("text", "") for element in report)
            assert words("report.verdict-word-blocking", language) in told
            assert "nvidia-smi" in told
            reached: list[str] = []
            name = reader.ask("focus")[-1]["name"]
            while name not in reached[:1]:
                reached.append(name)
                assert len(reached) < 60, reached
                hand.press("Tab")
                end = time.monotonic() + PATIENCE
                while name == reached[-1]:
                    assert time.monotonic() < end, f"{name} holds the keyboard"
                    way = reader.ask("focus")
                    name = way[-1]["name"] if way else name
            buttons = {
                element["name"]
                for element in reader.elements()
                if element["role"] == "push button" and "enabled" in element["states"]
            }
            assert buttons <= {*reached}
        finally:
            process.kill()
            program.kill()
