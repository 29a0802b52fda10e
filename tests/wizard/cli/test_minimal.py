"""`--minimal` on the terminal: which Python is the second one, and one line about what came of it."""

import argparse
from pathlib import Path

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.facts import Facts, MinimalGraph
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from wizard.cli import minimal
from wizard.words import words

(RECORDED,) = measurements("model-onnxruntime-1.32.0-minimal-layer-norm")


def chosen(folder: Path, language: str = "en", **more: object) -> argparse.Namespace:
    named = {"minimal": str(folder), "beside": None, "target": "python", "lang": language, "quiet": False, **more}
    return argparse.Namespace(**named)


def test_the_folder_of_an_environment_is_its_python(tmp_path: Path) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(Path("/bin/sh"))
    (tmp_path / "venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.0\n")
    named = chosen(tmp_path / "out", beside=str(tmp_path / "venv"))
    assert minimal.check_minimal(named) == str(python)


def lines(language: str = "en", **more: object) -> list[str]:
    assert isinstance(RECORDED, MinimalGraph)
    facts = Facts(measurements=(msgspec.structs.replace(RECORDED, **more),))
    case: Case = judged(facts, Answers(symptom="models"))
    return list(minimal.outcome(case, language))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_one_line_says_what_came_of_it(language: str) -> None:
    (written,) = lines(language, folder="/home/user/out")
    assert written.startswith(words("commands.written", language, path="/home/user/out"))
    assert "159" in written
    (same,) = lines(language, reason="no-difference")
    assert words("graphs.reason-no-difference", language) in same
    (failed,) = lines(language, reason="python-not-started", detail="bin: Permission denied")
    assert "bin: Permission denied" in failed
    (often,) = lines(language, folder="", again=0)
    assert words("graphs.minimal-again", language, again=0, checks=3) in often


def test_a_line_compares_the_part_with_the_whole() -> None:
    (written,) = lines(folder="/home/user/out", shows="beyond")
    assert "in this part, and" in written
