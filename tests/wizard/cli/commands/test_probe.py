"""`naosu probe` writes the probe that runs on another machine; what that answers is a case for every command."""

import io
import json
import sys
from pathlib import Path

import pytest

from checks.engine.portable.archive import archive
from wizard.cli.command_line import run_command

RECORDED = Path(__file__).parents[3] / "recordings" / "portable" / "linux-torch-cpu.json"


def test_it_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "naosu-probe.pyz"
    assert run_command(["probe", str(path), "--lang", "en"]) == 0
    assert path.read_bytes() == archive()
    assert "python3 naosu-probe.pyz --compute quick -o naosu-answer.json" in capsys.readouterr().err
    assert run_command(["probe", str(tmp_path / "my probe.pyz"), "--lang", "en"]) == 0
    assert 'python3 "my probe.pyz" --compute' in capsys.readouterr().err  # as it is called there
    assert run_command(["probe", str(tmp_path / "none" / "x.pyz"), "--lang", "en"]) == 2


def test_into_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", stream)
    assert run_command(["probe", "-"]) == 0
    assert stream.buffer.getvalue() == archive()  # type: ignore[attr-defined]


def test_its_answer_is_shown_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.json"
    other.write_text(RECORDED.read_text().replace("naosu-answer", ""))
    assert run_command(["show", str(RECORDED), "--lang", "en"]) == 0
    assert "/home/user/venv/bin/python" in capsys.readouterr().out
    assert run_command(["compare", str(RECORDED), str(other), "--json", "--lang", "en"]) == 0
    assert json.loads(capsys.readouterr().out)["facts"]["others"]
