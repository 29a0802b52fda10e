"""The judged programs fit the rules and the packages; two of the small programs are proven with every run of tests."""

import subprocess
import sys

import pytest

from checks.knowledge.scripts.rules import rule_ids
from tests.tools.real_scripts_download import distributions
from tests.tools.script_proof import PROGRAMS, programs
from tests.tools.script_table import Finding, Label, judged, scores
from wizard.cli.command_line import run_command


def test_what_is_judged_is_there():
    packages = {(package.name, package.version): package.folders for package in distributions()}
    for program in judged():
        folders = packages[program.package, program.version]
        assert any(folder == "." or program.file.startswith(f"{folder}/") for folder in folders), program.file
        assert {label.rule for label in (*program.applies, *program.unsure)} <= set(rule_ids()), program.file


def test_small_programs_are_there():
    assert {program.file for program in programs()} == {path.name for path in PROGRAMS.glob("*.py")}
    assert {program.rule for program in programs()} <= set(rule_ids())


def test_a_finding_is_right_wrong_or_unsure():
    label = Label("listing-unsorted", "", ("3", "4"), "")
    program = next(program for program in judged() if not program.applies)
    program = type(program)(program.package, program.version, "a.py", "", applies=(label,))
    said = [Finding(program.package, "a.py", "listing-unsorted", "os.listdir", line) for line in ("4", "9")]
    table, differs = scores(program, {(program.package, "a.py"): said})
    score = table["listing-unsorted"]
    assert (score.applies, score.met, score.right, score.wrong) == (1, 1, 1, 1)
    assert differs == [f"wrong   {said[1]}"]


@pytest.mark.parametrize("name", ["python_shuffle.py", "set_of_labels.py"])
def test_differs_before_and_not_after(tmp_path, monkeypatch, capfd, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    (tmp_path / name).write_bytes((PROGRAMS / name).read_bytes())

    def printed() -> set[str]:
        command = [sys.executable, "-S", name]
        return {subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(3)}

    assert len(printed()) > 1
    run_command(["scan", "--diff", name])
    subprocess.run(["patch", "-p1", "-s"], input=capfd.readouterr().out, text=True, check=True)
    assert len(printed()) == 1
