"""`naosu scan`: its exit status, its forms, and a line for each file that cannot be read."""

import json
import subprocess
import sys

import pytest

from wizard.cli.command_line import run_command

BAD = "import torch\n\ntorch.backends.cudnn.benchmark = True  # fast\n"


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(BAD, encoding="utf-8")
    return tmp_path / "train.py"


def test_found(program, capsys):
    assert run_command(["scan", "train.py", "--lang", "en"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("train.py:3:1: warning: torch.backends.cudnn.benchmark lets cuDNN choose")
    assert "Files read: 1. Warnings: 1, notes: 0." in out


def test_json(program, capsys):
    assert run_command(["scan", "--json", str(program.parent)]) == 1
    told = json.loads(capsys.readouterr().out)
    (finding,) = told["findings"]
    assert (finding["rule"], finding["cause"], finding["line"], finding["column"]) == (
        "cudnn-benchmark", "cudnn-autotune", 3, 1,
    )  # fmt: skip
    assert finding["fix"]["edits"][0]["text"] == "False"
    assert [script["file"] for script in told["scripts"]] == [str(program)]


def test_the_diff_applies_and_nothing_is_left(program, capsys):
    assert run_command(["scan", "--diff", "train.py"]) == 1
    diff = capsys.readouterr().out
    subprocess.run(["patch", "-p1", "-s"], input=diff, text=True, check=True)
    assert program.read_text(encoding="utf-8") == BAD.replace("True", "False")
    assert run_command(["scan", "--diff", "train.py"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("begin", [b"\xef\xbb\xbf", "# -*- coding: cp932 -*-  日本語\n".encode("cp932")])
def test_the_diff_is_of_the_bytes_that_the_file_has(program, capfdbinary, begin):
    program.write_bytes(begin + BAD.encode())
    assert run_command(["scan", "--diff", "train.py"]) == 1
    subprocess.run(["git", "apply"], input=capfdbinary.readouterr().out, check=True)
    assert program.read_bytes() == begin + BAD.replace("True", "False").encode()


def test_clear(tmp_path, capsys):
    (tmp_path / "a.py").write_text("print(1)\n", encoding="utf-8")
    assert run_command(["scan", str(tmp_path), "--lang", "en"]) == 0
    assert capsys.readouterr().out.startswith("Files read: 1. Nothing found")


def test_an_unreadable_file_has_a_line_and_the_others_go_on(program, capsys):
    (program.parent / "broken.py").write_text("def\n", encoding="utf-8")
    assert run_command(["scan", ".", "--lang", "en"]) == 2
    said = capsys.readouterr()
    assert "cudnn-benchmark" in said.out
    assert said.err.startswith("naosu: broken.py: line 1 is no Python")
    assert said.err.count("\n") == 1


def test_nothing_there(tmp_path, capsys):
    assert run_command(["scan", str(tmp_path), "--lang", "en"]) == 2
    assert "no Python file" in capsys.readouterr().err


def test_changes_of_notes_only_on_request(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = "import torch\n\ntorch.backends.cuda.matmul.allow_tf32 = True\n"
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    assert run_command(["scan", "--diff", "train.py"]) == 0
    assert capsys.readouterr().out == ""
    for more in (["--all"], ["--rule", "tf32-setting"]):
        assert run_command(["scan", "--diff", "train.py", *more]) == 0
        assert "+torch.backends.cuda.matmul.allow_tf32 = False" in capsys.readouterr().out


def test_one_rule(program, capsys):
    assert run_command(["scan", "train.py", "--rule", "tf32-setting", "--lang", "en"]) == 0
    assert "Nothing found" in capsys.readouterr().out
    assert run_command(["scan", "train.py", "--rule", "no-such-rule"]) == 2


def test_sarif(program, capsys):
    (program.parent / "broken.py").write_text("def\n", encoding="utf-8")
    assert run_command(["scan", "--sarif", "."]) == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["version"], len(told["runs"])) == ("2.1.0", 1)
    (run,) = told["runs"]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "cudnn-benchmark"
    place = result["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "train.py"}, "region": {"startLine": 3, "startColumn": 1}}
    (replaced,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replaced["insertedContent"]["text"] == "False"
    assert run["invocations"][0]["executionSuccessful"] is False


def test_prove_runs_what_was_named_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("import random, sys\n\nprint(sys.argv[1:], random.random())\n", encoding="utf-8")
    (tmp_path / "other.py").write_text("import random\nopen('ran', 'w')\nrandom.random()\n", encoding="utf-8")
    options = ["--runs", "2", "--target", sys.executable, "--lang", "en"]
    assert run_command(["scan", "--prove", "train.py", *options, "--", "--epochs", "1"]) == 1
    said = capsys.readouterr()
    assert "train.py: proven here. 2 runs gave 2 different results; with the offered changes 2 runs" in said.out
    assert "['--epochs', '1']" in said.out
    assert said.err.count("in a throw-away copy") == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.py", "train.py"]


@pytest.mark.parametrize(
    "arguments",
    [["--prove", "."], ["train.py", "--", "--epochs"], ["--prove", "--runs", "1", "train.py"]],
)
def test_prove_is_asked_for_rightly(program, capsys, arguments):
    assert run_command(["scan", *arguments, "--lang", "en"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
