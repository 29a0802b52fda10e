"""A program is started in a copy of its folder alone, and only what its runs show is said."""

import sys
from pathlib import Path

import pytest

from checks.analysis.scripts.scan import scan
from checks.proof.scripts.prove import Repeated, ScriptProof, ScriptTrial

DRAWS = "import random\n\nprint(random.random())\n"


def _proof(folder: Path, text: str, *, runs: int = 2, seconds: float = 20.0, edits=None) -> ScriptProof:
    program = folder / "train.py"
    program.write_text(text, encoding="utf-8")
    offered = scan([program]).offered() if edits is None else edits
    command = (sys.executable, "-S", str(program))
    return ScriptTrial(program, command, folder, offered, {}, runs, seconds).proof()


def test_proven_and_the_folder_of_the_user_stays_as_it_was(tmp_path):
    text = 'import random\n\nopen("kept.txt", "a").write("x")\nprint(random.random())\n'
    proof = _proof(tmp_path, text)
    assert (proof.outcome, proof.before, proof.after) == (Repeated.PROVEN, 2, 1)
    assert proof.difference is not None
    assert proof.difference.line == 1
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]
    assert (tmp_path / "train.py").read_text(encoding="utf-8") == text


def test_each_run_begins_anew(tmp_path):
    """What one run leaves, the next one does not go on from."""
    text = (
        "import os, random\n\n"
        'print(os.path.exists("state.txt"))\nopen("state.txt", "w").write("1")\nvalue = random.random()\n'
    )
    proof = _proof(tmp_path, text)
    assert (proof.outcome, proof.before, proof.after) == (Repeated.AGREED_BEFORE, 1, 1)


def test_what_varies_still_is_said(tmp_path):
    proof = _proof(tmp_path, DRAWS + "import os\nprint(os.urandom(4).hex())\n")
    assert (proof.outcome, proof.before, proof.after) == (Repeated.DIFFERS_STILL, 2, 2)
    assert proof.difference is not None
    assert proof.difference.line == 2


def test_a_program_that_fails_is_not_tried_further(tmp_path):
    proof = _proof(tmp_path, DRAWS + "raise ValueError('no data')\n")
    assert (proof.outcome, proof.failure, proof.after) == (Repeated.FAILED_BEFORE, "ValueError: no data", 0)


def test_silent_ones_prove_nothing(tmp_path):
    text = "import random\n\nvalue = random.random()\n"
    assert _proof(tmp_path, text).outcome == Repeated.NOTHING_TO_COMPARE


@pytest.mark.parametrize("edits", [{}, {"train.py": []}])
def test_nothing_runs_without_a_change(tmp_path, edits):
    proof = _proof(tmp_path, "open('ran', 'w')\n", edits=edits)
    assert (proof.outcome, proof.reason) == (Repeated.NOT_TRIED, "no-change")
    assert not (tmp_path / "ran").exists()
