"""Naosu starts apart from PYTHONPATH and the current folder, and hands what the user had to the probes alone."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from support.extent import some
from support.hostile_folder import VARIABLES, HostileFolder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has its own scripts")

ROOT = Path(__file__).resolve().parents[2]
IDS = [" ".join(f"{name}={value}" for name, value in variables.items()) or "none" for variables in VARIABLES]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment as packaging/run makes it, which borrows the dependencies of the tests."""
    folder = tmp_path_factory.mktemp("prepared") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "naosu.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    stamp = '. packaging/common.sh; : >"$(stamp_of "")"'
    subprocess.run(["bash", "-c", stamp], cwd=ROOT, env={**os.environ, "NAOSU_VENV": str(folder)}, check=True)
    return folder


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


@pytest.mark.parametrize("variables", VARIABLES, ids=IDS)
def test_nothing_of_the_current_folder_is_imported(
    environment: Path, hostile: HostileFolder, variables: dict[str, str]
) -> None:
    """Neither as it starts, nor as it works: whatever is imported later is looked for in the same folders."""
    command = ["diagnose", "-"] if variables in some(VARIABLES, 3) else ["--help"]
    ended = start([ROOT / "packaging" / "run", *command], hostile.path, variables, environment)
    assert "Traceback" not in ended.stderr
    assert (ended.returncode, hostile.ran) == (0, []), ended.stderr


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
