"""The wheel of a release runs outside a checkout: it holds every resource and nothing that only learning needs."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from support.extent import all_at_once
from support.hostile_folder import TOGETHER, VARIABLES, HostileFolder

from wizard.words import words

ROOT = Path(__file__).resolve().parents[2]
TICKET = """ImportError: libcuda.so.1: cannot open shared object file: No such file or directory
NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is
installed and running. It worked until the kernel was updated.
"""
# Shows the window as `naosu` does, names the page in its title, and closes it.
WINDOW = """
import sys
from PySide6.QtCore import QTimer
from wizard.window import app

make_application = app.make_application

def watched():
    application = make_application()
    def look():
        for window in application.topLevelWidgets():
            if window.isVisible():
                print(window.windowTitle())
                window.close()
    QTimer.singleShot(0, look)
    return application

app.make_application = watched
sys.exit(app.run_window(language="en"))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    (built,) = folder.glob("*.whl")
    return built


class Installed:
    """A virtual environment that holds the wheel, and borrows the dependencies of the tests."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        self._python = scripts / ("python.exe" if os.name == "nt" else "python")
        self.command = scripts / ("naosu.cmd" if os.name == "nt" else "naosu")
        _pip("--python", str(self._python), "install", "--no-deps", "--no-compile", str(wheel))
        self.packages = Path(self.python("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
        # A path in a .pth file does not start the .pth files there: an editable install of the checkout stays outside.
        (self.packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))

    def python(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return self._run(self._python, *arguments)

    def naosu(
        self, *arguments: str, stdin: str = "", folder: Path | None = None, **variables: str
    ) -> "subprocess.CompletedProcess[str]":
        return self._run(self.command, *arguments, stdin=stdin, folder=folder, **variables)

    def _run(
        self, program: Path, *arguments: str, stdin: str = "", folder: Path | None = None, **variables: str
    ) -> "subprocess.CompletedProcess[str]":
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment |= {"QT_QPA_PLATFORM": "offscreen", "NAOSU_LANG": "en"}
        environment |= {name: value.replace("$PWD", str(folder)) for name, value in variables.items()}
        command = [program, *arguments]
        return subprocess.run(
            command,
            cwd=folder or program.parent,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Installed:
    return Installed(tmp_path_factory.mktemp("bare") / "venv", wheel)


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
    environment = {**os.environ, "PIP_NO_INDEX": "1"}
    subprocess.run([*command, *arguments], env=environment, check=True, timeout=120)


def test_the_wheel_ships_what_runs_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if ".dist-info/" not in name}
        commands = {name for name in shipped if ".data/scripts/" in name}
        shipped -= commands
    resources = {
        f"checks/resources/{path.relative_to(ROOT / 'resources').as_posix()}"
        for path in (ROOT / "resources").rglob("*")
        if path.is_file() and "screenshots" not in path.parts
    }
    modules = {
        path.relative_to(ROOT).as_posix() for package in ("checks", "wizard") for path in (ROOT / package).rglob("*.py")
    }
    assert shipped - resources == modules
    assert {Path(name).name for name in commands} == {"naosu", "naosu.cmd"}
    assert resources <= shipped


def test_both_packages_come_from_the_wheel(installed: Installed) -> None:
    found = installed.python("-c", "import checks, wizard, checks.paths as p; print(checks, wizard, p.ROOT)")
    assert found.stdout.count(str(installed.packages)) == 3, found.stderr
    assert "No module named 'resources'" in installed.python("-c", "import resources").stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has its own command")
def test_the_command_imports_nothing_of_the_current_folder(installed: Installed, tmp_path: Path) -> None:
    def attempt(variables: dict[str, str]) -> None:
        hostile = HostileFolder(tmp_path / "sent", tmp_path / "ran")
        command = ("diagnose", "-") if variables else ("--help",)
        ended = installed.naosu(*command, folder=hostile.path, **variables)
        assert (ended.returncode, hostile.take_what_ran()) == (0, []), (variables, ended.stderr)

    attempt({})
    all_at_once(attempt, TOGETHER, VARIABLES)


@pytest.mark.skipif(os.name == "nt", reason="Windows has its own command")
def test_the_command_finds_its_python(installed: Installed, tmp_path: Path) -> None:
    """Behind links, as pipx makes them; on the search path; with a space in its folder."""
    (tmp_path / "my bin").mkdir()
    (tmp_path / "far").symlink_to(installed.command)
    (tmp_path / "my bin" / "naosu").symlink_to("../far")
    for command in ([tmp_path / "my bin" / "naosu"], ["env", f"PATH={tmp_path / 'my bin'}", "naosu"], ["./naosu"]):
        ended = subprocess.run([*command, "--version"], cwd=tmp_path / "my bin", capture_output=True, text=True)
        assert (ended.returncode, ended.stdout[:5]) == (0, "naosu"), ended.stderr


def test_help(installed: Installed) -> None:
    ended = installed.naosu("--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "diagnose" in ended.stdout


def test_check(installed: Installed, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "target"], check=True)
    python = next(tmp_path.glob("target/*/python*"))  # it has nothing that takes long to import
    ended = installed.naosu(
        "check", "--target", str(python), "--effort", "quick", "--symptom", "not-on-gpu", "--json", "-"
    )
    assert ended.returncode in {0, 1}, ended.stderr
    case = json.loads(ended.stdout)
    assert {outcome["status"] for outcome in case["outcomes"]} >= {"clear"}
    assert not [outcome for outcome in case["outcomes"] if outcome["status"] == "crashed"]


def test_diagnose(installed: Installed) -> None:
    ended = installed.naosu("diagnose", "--json", "-", "-", stdin=TICKET)
    assert ended.returncode == 1, ended.stderr
    assert json.loads(ended.stdout)["findings"][0]["cause"] == "driver-not-loaded"


def test_window(installed: Installed) -> None:
    ended = installed.python("-c", WINDOW)
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout.startswith(words("window.symptom-title", "en"))
