"""Naosu starts apart from PYTHONPATH and the current folder, and hands what the user had to the probes alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.extent import all_at_once
from support.hostile_folder import TOGETHER, VARIABLES, HostileFolder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has its own scripts")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def hostile(tmp_path: Path) -> HostileFolder:
    return HostileFolder(tmp_path / "sent", tmp_path / "ran")


def start(
    program: list[str | Path], folder: Path, variables: dict[str, str], venv: Path
) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    given = {name: value.replace("$PWD", str(folder)) for name, value in variables.items()}
    return subprocess.run(
        program,
        cwd=folder,
        env={**kept, "NAOSU_LANG": "en", "NAOSU_VENV": str(venv), **given},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_nothing_of_the_current_folder_is_imported(environment: Path, tmp_path: Path) -> None:
    """Neither as it starts, nor as it works: whatever is imported later is looked for in the same folders."""
    run = ROOT / "packaging" / "run"

    def attempt(variables: dict[str, str]) -> None:
        hostile = HostileFolder(tmp_path / "sent", tmp_path / "ran")
        command = ("diagnose", "-") if variables else ("--help",)
        ended = start([run, *command], hostile.path, variables, environment)
        seen = ended.returncode, "Traceback" in ended.stderr, hostile.take_what_ran()
        assert seen == (0, False, []), (variables, ended.stderr)

    attempt({})
    all_at_once(attempt, TOGETHER, VARIABLES)


def test_the_probes_see_what_the_user_set(environment: Path, hostile: HostileFolder, tmp_path: Path) -> None:
    seen, target = tmp_path / "seen", tmp_path / "python"
    target.write_text(
        f'#!/bin/sh\nprintf "<%s>\\n" "$PYTHONPATH" "$PYTHONSAFEPATH" "$PYTHONUSERBASE" "$PYTHONEXECUTABLE" >{seen}\n'
    )
    target.chmod(0o755)
    variables = {"PYTHONPATH": ":/opt/x:lib:", "PYTHONSAFEPATH": "", "PYTHONUSERBASE": "/home/me/base"}
    variables["PYTHONEXECUTABLE"] = "/home/me/python"  # which macOS heeds in spite of -I
    command = ["check", "--target", str(target), "--symptom", "not-on-gpu", "--effort", "quick", "--quiet"]
    ended = start([ROOT / "packaging" / "run", *command], hostile.path, variables, environment)
    assert ended.returncode in {0, 1}, ended.stderr
    assert seen.read_text() == "<:/opt/x:lib:>\n<>\n</home/me/base>\n</home/me/python>\n"


def test_the_module_leaves_the_current_folder_when_it_starts(environment: Path, tmp_path: Path) -> None:
    """What `python -m wizard` imports before our first line is decided by that Python alone."""
    hostile = HostileFolder(tmp_path / "sent", tmp_path / "ran")
    for name in ("sitecustomize", "usercustomize", "wizard", "re", "encodings/__init__"):
        (hostile.path / f"{name}.py").unlink()
    variables = {"PYTHONPATH": f"{ROOT}::/opt/x"}
    ended = start(
        [environment / "bin" / "python", "-m", "wizard", "diagnose", "-"], hostile.path, variables, environment
    )
    assert (ended.returncode, hostile.ran) == (0, []), ended.stderr
