"""`naosu run` in a process of its own: the program's output is its own, what we say goes beside it."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from checks.engine.watch.command import Command, CommandError
from wizard.cli.command_line import run_command
from wizard.cli.commands import run
from wizard.words import area

PYTHON = getattr(sys, "_base_executable", sys.executable)
Naosu = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands of POSIX")


@pytest.fixture
def naosu(naosu_python: str, tmp_path: Path) -> Naosu:
    root = str(Path(__file__).parents[4])
    few = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYENV_ROOT": ""}  # interpreters to be looked at

    def start(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [naosu_python, "-c", "import sys; from wizard.__main__ import main; sys.exit(main())", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **few, "PYTHONPATH": root, **variables},
        )

    return start


def test_a_program_that_fails_is_examined(naosu: Naosu, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text("print('its own line')\nimport no_such_module_of_mine")
    done = naosu("run", "--json", "case.json", "--", PYTHON, "prog.py", "--lang", "ja")
    assert done.stdout == "its own line\n"
    assert f"Naosu starts this command in {tmp_path}" in done.stderr
    assert "No module named 'no_such_module_of_mine'" in done.stderr
    assert "It failed: it ended after" in done.stderr
    case = json.loads((tmp_path / "case.json").read_text())
    assert case["answers"]["symptom"] == "does-not-start"
    assert case["facts"]["target"] == PYTHON
    (run,) = case["facts"]["runs"]
    assert run["command"] == [PYTHON, "prog.py", "--lang", "ja"]
    assert run["pythons"][0]["raised"]["name"] == "no_such_module_of_mine"
    again = naosu("show", "case.json", "--lang", "ja")
    assert "ここで起動" in again.stdout
    assert "no_such_module_of_mine" in again.stdout


def test_json_on_standard_output_leaves_it_to_the_json(naosu: Naosu, tmp_path: Path) -> None:
    done = naosu("run", "--quiet", "--json", "-", "--", "sh", "-c", "echo of the program")
    (run,) = json.loads(done.stdout)["facts"]["runs"]
    assert done.stderr == "of the program\n"
    assert run["errors"] == "of the program\n"
    assert "interpreter" not in run


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "what shall be started"),
        (["run", "--", "./none"], "there is no ./none"),
        (["run", "--", "/"], "is a folder"),
        (["run", "--cwd", "/none", "--", "sh"], "there is no folder /none"),
        (["run", "--timeout", "x", "--", "sh"], "--timeout"),
        (["run", "--lang", "ja", "--", "./none"], "./noneがありません"),
        (["--lang", "ja", "run", "--", "./none"], "./noneがありません"),
        (["run", "--", "./none", "--lang", "ja"], "there is no ./none"),
        (["run", "--target", "/none", "--", "x.py"], "there is no /none"),
    ],
)
def test_wrong_usage_is_one_clear_line(arguments: list[str], says: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(arguments) == 2
    out, error = capfd.readouterr()
    assert out == ""
    assert says in error
    assert error.count("\n") == 1


def test_no_python_is_chosen_silently_for_a_script(naosu: Naosu, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text("print('ran')")
    done = naosu("run", "--", "prog.py", PATH="/nowhere", HOME=str(tmp_path))
    assert "ran" not in done.stdout
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_every_wrong_name_has_its_sentence() -> None:
    source = Path(sys.modules[CommandError.__module__].__file__ or "").read_text()
    keys = {part.partition('"')[0] for part in source.split('CommandError("')[1:]}
    keys |= {"not-on-path", "is-folder", "here-not-on-path", "no-python"}
    assert len(keys) > 15
    assert keys <= {key.removeprefix("run-") for key in area("commands") if key.startswith("run-")}


def test_a_report_is_not_written_over_what_is_started(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "train.py"
    script.write_text("print('mine')\n")
    for option in ("--json", "--pdf", "--markdown"):
        assert run_command(["run", option, str(script), "--", sys.executable, str(script)]) == 2
        assert "would be overwritten" in capfd.readouterr().err
    assert script.read_text() == "print('mine')\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["--process", "no-program-is-called-so"], "no running program", id="none"),
        pytest.param(["--process", "1", "--", "python"], "takes no command", id="with-a-command"),
    ],
)
def test_a_running_program_that_is_wrongly_named(
    arguments: list[str], says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["run", *arguments]) == 2
    assert says in capfd.readouterr().err


def test_a_remedy_is_proven_and_the_report_says_so(naosu: Naosu, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text("print('it runs')")
    words = ("run", "--prove", "--json", "case.json", "--", PYTHON, "prog.py")
    done = naosu(*words, PYTHONHASHSEED="abc")
    assert "Trying in a throw-away copy: Remove the setting PYTHONHASHSEED - starting it again" in done.stderr
    assert "Proven here: the program failed before, and works with this" in done.stderr
    assert done.stdout == ""  # what it prints while it is tried is not for the user
    finding = json.loads((tmp_path / "case.json").read_text())["findings"][0]
    assert finding["remedies"][0]["proof"]["result"] == "proven"
    again = naosu("show", "case.json", "--lang", "ja")
    assert "ここで実証済み" in again.stdout


def test_where_nothing_failed_nothing_is_proven(naosu: Naosu, tmp_path: Path) -> None:
    done = naosu("run", "--prove", "--json", "case.json", "--", PYTHON, "-c", "print(1)")
    assert "throw-away" not in done.stderr
    assert "proofs" not in json.loads((tmp_path / "case.json").read_text())["facts"]


@pytest.mark.parametrize(
    ("symptom", "words", "read"),
    [
        ("results-change", ("python", "train.py", "--epochs", "1"), ["train.py"]),
        ("results-differ", ("train.py",), ["train.py"]),
        ("results-change", ("python", "-m", "train"), []),
        ("results-change", ("python", "other.py"), []),
        ("does-not-start", ("python", "train.py"), []),
    ],
)
def test_the_program_is_read_where_its_results_are_asked_for(
    tmp_path: Path, symptom: str, words: tuple[str, ...], read: list[str]
) -> None:
    (tmp_path / "train.py").write_text("print(1)\n", encoding="utf-8")
    chosen = argparse.Namespace(symptom=symptom, lang="en")
    assert [sent.name for sent in run._scripts_of(Command(words, tmp_path), chosen)] == read
