"""Naosu starts in surroundings that keep other programs from starting, and hands them on untouched."""

import functools
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from support.extent import all_at_once

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux's loader, limits and mounts")

ROOT = Path(__file__).resolve().parents[2]
PYTHON = getattr(sys, "_base_executable", sys.executable)  # in which little is installed
GIGABYTE = 10**9
QUICK = ("--symptom", "not-on-gpu", "--effort", "quick", "--quiet", "--lang", "en")


@pytest.fixture(params=["run", "installed", "module"])
def program(request: pytest.FixtureRequest, environment: Path) -> list[str]:
    starts = {
        "run": [str(ROOT / "packaging/run")],
        "installed": ["sh", str(environment / "bin/naosu")],
        "module": [str(environment / "bin/python"), "-m", "wizard"],
    }
    return starts[request.param]


def start(
    program: list[str], venv: Path, *arguments: str, limit: tuple[int, int] | None = None, **variables: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*program, *arguments],
        cwd=ROOT,
        env={**os.environ, "NAOSU_VENV": str(venv), **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=(lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))) if limit else None,
    )


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A stand-in for the user's Python that notes the variables that it gets."""
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\nenv >"{tmp_path}/seen"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def strange_library(tmp_path: Path) -> Path:
    """A folder with a C++ runtime in which nothing is that a program asks for."""
    folder = tmp_path / "old libraries"
    folder.mkdir()
    (folder / "libstdc++.so.6").write_bytes(b"\x7fELF of another machine")
    return folder


SURROUNDINGS = (
    {"LC_ALL": "xx_YY.none", "LANG": "??"},
    {"HOME": "/proc/none", "TMPDIR": "/proc/none"},
    {"PYTHONPATH": "$FOREIGN"},
    {"LD_LIBRARY_PATH": "$LIBRARY"},
    {"LD_PRELOAD": "$LIBRARY/libstdc++.so.6"},
    {"PYTHONEXECUTABLE": "/nowhere/python"},
)


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder of packages that bear the names of ours and cannot be used."""
    for name in ("numpy", "msgspec", "re2", "packaging"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit(77)\n")
    return tmp_path


def test_every_start_lives_with_them_and_hands_them_on(
    program: list[str], environment: Path, target: Path, foreign: Path, strange_library: Path
) -> None:
    def attempt(variables: dict[str, str]) -> None:
        folders = (("$FOREIGN", foreign), ("$LIBRARY", strange_library))
        given = {
            name: functools.reduce(lambda text, known: text.replace(known[0], str(known[1])), folders, value)
            for name, value in variables.items()
        }
        ended = start(program, environment, "check", "--target", str(target), *QUICK, **given)
        assert ended.returncode in {0, 1}, (variables, ended.stderr)
        assert "Traceback" not in ended.stderr, (variables, ended.stderr)
        seen = (target.parent / "seen").read_text().splitlines()
        assert {f"{name}={value}" for name, value in given.items()} <= set(seen)
        assert not [line for line in seen if line.startswith("NAOSU_USERS_")]

    together = {name: value for variables in SURROUNDINGS for name, value in variables.items()}
    all_at_once(attempt, together, SURROUNDINGS)


@pytest.mark.parametrize("variables", [{"PYTHONHOME": "/nowhere"}, {"PYTHONHASHSEED": "abc"}], ids=str)
def test_what_keeps_python_from_starting_is_named(environment: Path, variables: dict[str, str]) -> None:
    """The machine is examined all the same, by a Python of ours that the variable does not reach."""
    command = ("check", "--target", PYTHON, *QUICK, "--no-redact", "--json", "-")
    ended = start([str(ROOT / "packaging/run")], environment, *command, **variables)
    found = json.loads(ended.stdout)["findings"]
    assert found[0]["cause"] == "environment-variable-invalid"
    assert next(iter(variables)) in found[0]["title"]
    assert "driver-not-responding" not in [finding["cause"] for finding in found]


def test_two_gigabytes_of_address_space_and_a_locale_without_letters_are_enough(environment: Path) -> None:
    limit = (resource.RLIMIT_AS, 2 * GIGABYTE)
    command = [str(environment / "bin/python"), "-m", "wizard"]  # the scripts print no letters
    ended = start(command, environment, "diagnose", "-", "--lang", "ja", limit=limit, LC_ALL="C")
    assert (ended.returncode, "Traceback" in ended.stderr) == (0, False), ended.stderr
    window = start([str(environment / "bin/python"), "-I", "-c", WINDOW], environment, limit=limit)
    assert window.returncode == 0, window.stderr


WINDOW = """
import os
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
QTimer.singleShot(0, lambda: QTimer.singleShot(0, QApplication.quit))
from wizard.window.app import run_window
raise SystemExit(run_window(language="en"))
"""


def test_without_a_place_for_temporary_files_it_says_so(
    environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(**_: object) -> None:
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr("checks.engine.processes.own_folder.tempfile.TemporaryDirectory", refuse)
    from wizard.cli.command_line import run_command

    assert run_command(["check", *QUICK]) == 2
    said = capsys.readouterr().err
    assert said.startswith("naosu: there is no place")
    assert said.count("\n") == 1
