"""A folder from a stranger with an environment in it: what starts there is what the user named, and nothing else."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the environments are those of POSIX")

ROOT = Path(__file__).resolve().parents[2]
CHECK = ["check", "--symptom", "not-on-gpu", "--effort", "quick", "--quiet"]
PLACES = (".venv", "venv", "env", ".env", "below/.venv", "../.venv", "../../.venv")

# The command, which examines no other Python for real: that takes long, and says nothing about this one.
STARTS_OTHERS_NOT = """
import os, sys
from checks.engine import examination, job_runner
from wizard.__main__ import main

run = job_runner.run_probe

def only_below(task, **more):
    if os.path.abspath(task.interpreter).startswith(os.getcwd() + os.sep):
        return run(task, **more)
    raise OSError("not examined")

job_runner.run_probe = only_below
examination.installed_of = lambda target, request: None
sys.exit(main())
"""


class Sent:
    """The folder, and whether its environments ran."""

    def __init__(self, naosu_python: str, folder: Path, places: tuple[str, ...] = (".venv",)) -> None:
        self._naosu = naosu_python
        self.path = folder / "a" / "b" / "sent"
        self.path.mkdir(parents=True)
        self._witness = folder / "witness"
        for place in places:
            venv.EnvBuilder(symlinks=True).create(self.path / place)
            (site,) = (self.path / place).glob("lib/python*/site-packages")
            (site / "sitecustomize.py").write_text(f"open({str(self._witness)!r}, 'a').write('ran')\n")
        self.python = self.path / places[0] / "bin" / "python"

    @property
    def ran(self) -> bool:
        return self._witness.exists()

    def naosu(self, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        clean = {name: value for name, value in os.environ.items() if name not in {"VIRTUAL_ENV", "CONDA_PREFIX"}}
        return subprocess.run(
            [self._naosu, "-c", STARTS_OTHERS_NOT, *arguments],
            cwd=self.path,
            env={**clean, "PYTHONPATH": str(ROOT), "NAOSU_LANG": "en", **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )


def test_what_lies_near_is_not_started(naosu_python: str, tmp_path: Path) -> None:
    sent = Sent(naosu_python, tmp_path, PLACES)
    ended = sent.naosu(*CHECK)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n"), sent.ran) == (2, "", 1, False)
    assert str(sent.python) in ended.stderr
    for command in (["envs"], ["envs", "--near", "."], ["inspect", "."], ["diagnose", "-"]):
        sent.naosu(*command)
    assert not sent.ran


def test_it_is_started_after_a_yes(naosu_python: str, tmp_path: Path) -> None:
    sent = Sent(naosu_python, tmp_path)
    ended = sent.naosu(*CHECK, "--yes", "--no-redact", "--json", "-")
    assert ended.returncode in {0, 1}, ended.stderr
    assert (json.loads(ended.stdout)["facts"]["target"], sent.ran) == (str(sent.python), True)


def test_it_is_started_where_it_is_active(naosu_python: str, tmp_path: Path) -> None:
    sent = Sent(naosu_python, tmp_path)
    ended = sent.naosu(*CHECK, VIRTUAL_ENV=str(sent.python.parents[1]))
    assert (ended.returncode in {0, 1}, sent.ran) == (True, True), ended.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser can give files away")
@pytest.mark.parametrize("part", ["", "bin", "bin/python", "pyvenv.cfg"])
def test_not_even_the_superuser_starts_what_another_user_owns(naosu_python: str, tmp_path: Path, part: str) -> None:
    sent = Sent(naosu_python, tmp_path)
    os.chown(sent.path / ".venv" / part, 4321, 4321, follow_symlinks=False)
    ended = sent.naosu(*CHECK, "--yes", "--no-redact", "--json", "-")
    assert ended.returncode in {0, 1}, ended.stderr
    assert json.loads(ended.stdout)["facts"]["target"] != str(sent.python)
    assert "(4321)" in ended.stderr
    ended = sent.naosu(*CHECK, "--yes", VIRTUAL_ENV=str(sent.path / ".venv"))
    assert (ended.returncode, ended.stderr.count("\n"), sent.ran) == (2, 1, False)
