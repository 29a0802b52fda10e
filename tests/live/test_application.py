"""The real application, frozen and started without any Python around it. For a release: it takes minutes."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.extent import ALL

from checks import __version__

pytestmark = [
    pytest.mark.skipif(not ALL, reason="takes minutes: NAOSU_TESTS=all"),
    pytest.mark.skipif(importlib.util.find_spec("PyInstaller") is None, reason="needs the dependencies of build"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the folder is put together as on Linux"),
]
TICKET = "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory\n"


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that users get."""
    from application import __main__ as build
    from application import linux_forms

    folder = tmp_path_factory.mktemp("application")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "BUILD", folder / "build")
        return linux_forms.with_starter(build.freeze(), folder)


def start(application: Path, *arguments: str, home: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    variables = {"PATH": "/nowhere", "HOME": str(home), "LANG": "C.UTF-8", **more}
    command = [application / "naosu", *arguments]
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120)


def test_it_says_its_version_and_diagnoses(application: Path, tmp_path: Path) -> None:
    assert start(application, "--version", home=tmp_path).stdout == f"naosu {__version__}\n"
    (tmp_path / "ticket.txt").write_text(TICKET)
    ended = start(application, "diagnose", str(tmp_path / "ticket.txt"), "--json", "-", home=tmp_path)
    assert ended.returncode == 1, ended.stderr
    assert json.loads(ended.stdout)["findings"]


def test_it_examines_the_machine_itself_and_the_target_as_its_user_would_see_it(
    application: Path, tmp_path: Path
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "target"], check=True)
    python = tmp_path / "target" / "bin" / "python"
    ended = start(
        application, "check", "--target", str(python), "--json", "-", home=tmp_path, LD_LIBRARY_PATH="/opt/users"
    )
    assert ended.returncode in {0, 1}, ended.stderr
    case = json.loads(ended.stdout)
    assert not [outcome for outcome in case["outcomes"] if outcome["status"] == "crashed"]
    runs = case["facts"]["probes"]["runs"]
    interpreters = {run["probe"]: run["interpreter"] for run in runs}
    assert interpreters["machine"] == str(application / "app" / "naosu")
    assert interpreters["environment"] == str(python)
    assert {run.get("status", "ok") for run in runs} == {"ok"}
    assert case["facts"]["environment"]["values"]["LD_LIBRARY_PATH"] == "/opt/users"


def test_it_watches_a_program(application: Path, tmp_path: Path) -> None:
    ended = start(application, "run", "--json", "-", "--", sys.executable, "-c", "import no_such", home=tmp_path)
    assert ended.returncode == 1, ended.stderr
    assert "ModuleNotFoundError" in ended.stdout


def test_no_framework_travels_along(application: Path) -> None:
    names = {path.name for path in (application / "app" / "_internal").iterdir()}
    assert not names & {"torch", "scipy", "sympy", "pytest"}
    assert os.access(application / "app" / "_internal" / "bin" / "uv", os.X_OK)
