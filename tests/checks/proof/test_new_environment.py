"""An environment to examine is made by uv where the user says; what fails leaves nothing."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from checks.proof import new_environment
from checks.proof.new_environment import FRAMEWORK, make_environment
from wizard.cli.command_line import run_command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for uv is a shell script")

UV = r"""#!/bin/sh
echo "$*|$UV_FIND_LINKS|$LD_LIBRARY_PATH" >>"$ASKED"
case "$1" in
  venv)
    mkdir -p "$6/bin"; cp "$0" "$6/bin/python"; printf 'home = /usr/bin\nuv = 0.13.9\nseed = true\n' >"$6/pyvenv.cfg" ;;
  -m) exit "${PIP_ENDS:-0}" ;;
esac
"""


@pytest.fixture
def variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Of a user whose pip looks into a folder; uv notes what it is asked."""
    uv = tmp_path / "uv"
    uv.write_text(UV)
    uv.chmod(0o755)
    monkeypatch.setattr(new_environment, "uv_program", lambda _: str(uv))
    aside = {"NAOSU_USERS_LD_LIBRARY_PATH": "/opt/users"}
    return {"PATH": "/usr/bin:/bin", "ASKED": str(tmp_path / "asked"), "PIP_FIND_LINKS": str(tmp_path), **aside}


def test_it_is_made_with_the_users_own_settings(tmp_path: Path, variables: dict[str, str]) -> None:
    folder = tmp_path / "made"
    assert make_environment(folder, variables) == folder / "bin" / "python"
    made, installed = (tmp_path / "asked").read_text().splitlines()
    assert made == f"venv --quiet --python >=3.11,<3.15 --seed {folder}|{tmp_path}|/opt/users"
    assert installed == f"-m pip install {FRAMEWORK} numpy||/opt/users"  # pip reads its settings itself


def test_it_is_a_plain_environment_whose_remedies_do_not_ask_for_uv(tmp_path: Path, variables: dict[str, str]) -> None:
    make_environment(tmp_path / "made", variables)
    assert (tmp_path / "made" / "pyvenv.cfg").read_text() == "home = /usr/bin\nseed = true\n"


def test_what_fails_leaves_nothing(tmp_path: Path, variables: dict[str, str]) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        make_environment(tmp_path / "made", {**variables, "PIP_ENDS": "2"})
    assert not (tmp_path / "made").exists()


def test_what_is_there_stays(tmp_path: Path, variables: dict[str, str]) -> None:
    (tmp_path / "theirs").mkdir()
    with pytest.raises(FileExistsError):
        make_environment(tmp_path / "theirs", variables)
    assert (tmp_path / "theirs").is_dir()
    assert not (tmp_path / "asked").exists()


def test_the_framework_is_the_version_that_naosu_is_tested_with() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))["project"]
    assert FRAMEWORK in project["dependencies"]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_command_says_how_to_examine_it(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(new_environment, "make_environment", lambda folder: folder / "bin" / "python")
    assert run_command(["envs", "--make", str(tmp_path / "my made"), "--lang", language]) == 0
    printed = capsys.readouterr()
    assert f"naosu check --target '{tmp_path / 'my made' / 'bin' / 'python'}'" in printed.out
    assert "torch==2.13.0" in printed.err


@pytest.mark.parametrize(
    ("error", "key"), [(FileExistsError(), "already"), (FileNotFoundError("uv"), "could not be made")]
)
def test_the_command_says_why_not(
    error: OSError, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: Path) -> Path:
        raise error

    monkeypatch.setattr(new_environment, "make_environment", fails)
    assert run_command(["envs", "--make", str(tmp_path / "x"), "--lang", "en"]) == 2
    assert key in capsys.readouterr().err
