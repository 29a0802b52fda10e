"""`naosu programs`, and `naosu check --program`: what a user sees of Ollama and its like."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checks.engine import local_programs as engine
from checks.facts import LocalProgram
from wizard.cli.command_line import run_command

WHOLE = LocalProgram(
    name="Ollama",
    version="0.12.3",
    path="/usr/bin/ollama",
    log="/home/user/.ollama/logs/server.log",
    backend="cuda",
    runtime="cuda_v12",
    devices=("NVIDIA GeForce RTX 3060",),
    layers=33,
    layers_total=33,
)
SILENT = LocalProgram(name="LM Studio", path="/home/user/.lmstudio/bin/lms")


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[LocalProgram]:
    programs: list[LocalProgram] = []
    monkeypatch.setattr(engine, "local_programs", lambda *_: tuple(programs))
    return programs


def test_it_says_what_a_program_computes_on(found: list[LocalProgram], capsys: pytest.CaptureFixture[str]) -> None:
    found += [WHOLE, SILENT]
    assert run_command(["programs"]) == 0
    out = capsys.readouterr().out
    assert (
        "Ollama 0.12.3 put all 33 layers of its last model on the GPU (CUDA, cuda_v12, NVIDIA GeForce RTX 3060)." in out
    )
    assert "no log of it was found" in out
    assert "check --program 'LM Studio'" in out
    assert "check --program Ollama" not in out  # it is in order


def test_nothing_there_is_said(found: list[LocalProgram], capsys: pytest.CaptureFixture[str]) -> None:
    assert found == []
    assert run_command(["programs", "--lang", "ja"]) == 0
    assert "見つかりません" in capsys.readouterr().out


def test_json_is_redacted(found: list[LocalProgram], capsys: pytest.CaptureFixture[str]) -> None:
    found += [WHOLE]
    assert run_command(["programs", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["name"], listed["layers"], listed["layers_total"]) == ("Ollama", 33, 33)


def test_an_unknown_name_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["check", "--program", "chatterbox"]) == 2
    err = capsys.readouterr().err
    assert "chatterbox" in err
    assert "Ollama" in err


def test_check_of_a_program_answers_by_its_log(
    found: list[LocalProgram], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found += [WHOLE]
    report = tmp_path / "report.json"
    code = run_command(["check", "--program", "ollama", "--no-history", "--offline", "--json", str(report), "--quiet"])
    case = json.loads(report.read_text(encoding="utf-8"))
    assert case["facts"]["symptom"]["program"] == "Ollama"
    assert case["facts"].get("target") is None
    assert case["answers"]["symptom"] == "not-on-gpu"
    assert code in (0, 1)
    assert run_command(["show", str(report)]) in (0, 1)
    assert "put all 33 layers" in capsys.readouterr().out
