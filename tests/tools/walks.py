"""Walk through the window as two persons do, with a real mouse and keyboard, and count.

    /usr/bin/python3 tests/tools/walks.py NAOSU_PYTHON FOLDER [--language en] [--theme light] [--checkout DIR]

A developer whose program does not start lets Naosu start it, and exports the PDF. A supporter pastes three tickets,
answers each, exports the last, and opens the first again. Printed: clicks, keys, texts and seconds of each walk, and
the seconds that Naosu itself took; in FOLDER a picture of each step. The window, a session bus and the pointer are
real: Xvfb, AT-SPI and xdotool, by which the walk finds what it presses (Debian: xvfb, xdotool, xclip, imagemagick,
at-spi2-core, python3-gi, gir1.2-atspi-2.0). NAOSU_PYTHON: an interpreter that has Naosu's dependencies.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CARD = """Since I put the RTX 5080 in, every script ends with
RuntimeError: CUDA error: no kernel image is available for execution on the device
torch 2.4.1+cu121, Ubuntu 22.04, driver 580.65.06"""
_LIBRARY = """ImportError: libGL.so.1: cannot open shared object file: No such file or directory
when I import cv2 in our Docker image (python:3.11-slim)"""
_SEED = "My loss is not the same in two runs although I call torch.manual_seed(0). Is that a bug?"
TICKETS = (_CARD, _LIBRARY, _SEED)
PATIENCE = 60.0  # seconds for a step
_FRAMES = ("dialog", "file chooser", "frame", "filler")  # which have no such state
_MARK = re.compile(r"\(&.\)|&")
_KEY = re.compile(r"\([A-Z]\)")  # as it is read out


@dataclass
class Count:
    """What a person has done."""

    clicks: int = 0
    keys: int = 0
    texts: int = 0
    waited: float = 0.0


class Person:
    """A mouse and a keyboard at a real window, and eyes that find what is named."""

    def __init__(self, checkout: Path, language: str, folder: Path, prefix: str) -> None:
        table = tomllib.loads((checkout / "resources/words/window.toml").read_text(encoding="utf-8"))
        self._words = {key: entry[language] for key, entry in table.items()}
        self._folder, self._prefix, self._number = folder, prefix, 0
        self.count = Count()

    def word(self, key: str) -> str:
        """A text of the window, without its key."""
        return _MARK.sub("", self._words[key])

    # --- eyes

    def find(self, *names: str, role: str = "") -> Any:
        """The first thing on the screen with one of these names."""
        from gi.repository import Atspi

        for node in self.all(Atspi.get_desktop(0)):
            states = node.get_state_set()
            is_ready = states.contains(Atspi.StateType.SENSITIVE) or node.get_role_name() in _FRAMES
            if not (is_ready and states.contains(Atspi.StateType.SHOWING)):
                continue
            name = _KEY.sub("", node.get_name()).removesuffix(" — Naosu")  # as dialogs are called
            if name in names and (not role or node.get_role_name() == role):
                return node
        return None

    def all(self, node: Any) -> Iterator[Any]:
        from gi.repository import GLib

        try:
            yield node
            for index in range(min(node.get_child_count(), 400)):
                child = node.get_child_at_index(index)
                if child is not None:
                    yield from self.all(child)
        except GLib.Error:  # it has gone meanwhile
            return

    def wait(self, *names: str, role: str = "", what: Callable[[], Any] | None = None) -> Any:
        """Until it is there."""
        begun = time.monotonic()
        while time.monotonic() - begun < PATIENCE:
            found = what() if what is not None else self.find(*names, role=role)
            if found:
                self.count.waited += time.monotonic() - begun
                return found
            time.sleep(0.05)
        self.picture("stuck")
        sys.exit(f"after {PATIENCE:.0f} s there is no {names or what}")

    def picture(self, name: str) -> None:
        """What the screen shows."""
        self._number += 1
        path = self._folder / f"{self._prefix}-{self._number:02}-{name}.png"
        time.sleep(0.4)  # until it is painted
        subprocess.run(["import", "-window", "root", str(path)], check=True)

    # --- hands

    def click(self, *names: str, role: str = "") -> None:
        """Move the mouse to the middle of what is named, and click."""
        self.click_at(self.wait(*names, role=role))

    def click_at(self, node: Any) -> None:
        """The same for what was found."""
        from gi.repository import Atspi

        place = node.get_extents(Atspi.CoordType.SCREEN)
        _do("mousemove", str(place.x + place.width // 2), str(place.y + place.height // 2), "click", "1")
        self.count.clicks += 1

    def press(self, *keys: str) -> None:
        """Keys, one after the other."""
        _do("key", *keys)
        self.count.keys += len(keys)

    def type(self, text: str) -> None:
        """A line of text."""
        _do("type", "--delay", "4", text)
        self.count.texts += 1

    def paste(self, text: str) -> None:
        """What was copied in another program."""
        subprocess.run(["xclip", "-selection", "clipboard"], input=text.encode(), check=True)
        self.press("ctrl+v")


def _do(*arguments: str) -> None:
    subprocess.run(["xdotool", *arguments], check=True, timeout=PATIENCE)


def developer(person: Person, home: Path, pdf: Path) -> None:
    """Whose program does not start."""
    say = person.word
    project = home / "project"
    project.mkdir()
    (project / "train.py").write_text("import numpy\nimport torchvision_of_tomorrow\nprint('trained')\n")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(project / ".venv")], check=True)
    person.picture("first")
    person.click(say("symptom-watch"))
    person.wait(say("watch-start"), say("watch-title"))
    person.picture("program")
    person.click(say("watch-command"), role="text")
    person.type(f"{project}/.venv/bin/python {project}/train.py")
    person.click(say("watch-start"))
    person.wait(say("report-export"))
    person.picture("answer")
    export(person, pdf)


def supporter(person: Person, pdf: Path) -> None:
    """Who has a queue of tickets."""
    say = person.word
    person.picture("first")
    for number, ticket in enumerate(TICKETS, 1):
        person.paste(ticket)  # the field has the keyboard
        person.wait(say("report-reply"))
        person.picture(f"ticket-{number}")
        person.click(say("report-reply"))
        person.wait(say("reply-copy"))
        person.picture(f"reply-{number}")
        person.click(say("reply-copy"))
        person.wait(say("report-copied"))
        if number < len(TICKETS):
            person.click(say("report-next-ticket"))
            person.wait(say("symptom-text"))
    export(person, pdf)
    person.press("Escape")
    person.click_at(person.wait(what=lambda: _cases(person))[-1])
    person.wait(say("report-reply"))
    person.picture("first-again")


def _cases(person: Person) -> list[Any]:
    listed = person.find(person.word("cases-name"))
    return [node for node in person.all(listed) if node.get_role_name() == "list item"] if listed else []


def export(person: Person, pdf: Path) -> None:
    """As a PDF, under a name that is typed."""
    person.click(person.word("report-export"))
    person.wait(person.word("export-title"))
    person.picture("export")
    person.press("ctrl+a")
    person.type(str(pdf))
    person.press("Return")
    person.wait(what=lambda: pdf.exists() and pdf.stat().st_size)
    person.wait(person.word("show-folder"))
    person.picture("exported")


def walk(arguments: argparse.Namespace, who: str) -> None:
    """One walk in a window of its own."""
    import tempfile

    import gi

    gi.require_version("Atspi", "2.0")
    name = f"{who}-{arguments.language}-{arguments.theme}"
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        settings = home / ".config/naosu/naosu.ini"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"[window]\nlanguage={arguments.language}\ntheme={arguments.theme}\n")
        environment = {
            **os.environ,
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "QT_ACCESSIBILITY": "1",
            "PYTHONPATH": str(arguments.checkout),
        }
        begun = time.monotonic()
        command = [str(arguments.python), "-m", "wizard"]
        with subprocess.Popen(command, cwd=arguments.checkout, env=environment) as program:
            try:
                person = Person(arguments.checkout, arguments.language, arguments.folder, name)
                person.wait(person.word("symptom-title"))
                shown = time.monotonic() - begun
                person.count = Count()
                begun, pdf = time.monotonic(), arguments.folder / f"{name}.pdf"
                pdf.unlink(missing_ok=True)
                developer(person, home, pdf) if who == "developer" else supporter(person, pdf)
                spent, count = time.monotonic() - begun, person.count
                print(
                    f"{name}: window {shown:.1f} s; {count.clicks} clicks, {count.keys} keys, {count.texts} texts, "
                    f"{spent:.1f} s, of which Naosu took {count.waited:.1f} s",
                    flush=True,
                )
            finally:
                program.send_signal(signal.SIGTERM)
                program.wait(PATIENCE)


def main() -> None:
    """Both walks; this starts itself again in a session of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", default="en")
    parser.add_argument("--theme", default="light")
    parser.add_argument("--size", default="1024x700")
    parser.add_argument("--checkout", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--who", choices=("developer", "supporter"), help="within a session")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    arguments.folder = arguments.folder.resolve()
    if arguments.who:
        walk(arguments, arguments.who)
        return
    screen = ["xvfb-run", "-a", "-s", f"-screen 0 {arguments.size}x24 -nolisten tcp", "dbus-run-session", "--"]
    for who in ("developer", "supporter"):
        subprocess.run([*screen, sys.executable, *sys.argv, "--who", who], check=True)


if __name__ == "__main__":
    main()
