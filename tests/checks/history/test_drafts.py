"""What was being examined when a window was killed is offered by the next, once."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import psutil
import pytest

from checks.history.drafts import Draft, Drafts

DRAFT = Draft(symptom="not-on-gpu", text="slow", files=(("/home/ai/train.py", "script"),), target="/venv/bin/python")


@pytest.fixture
def drafts(tmp_path: Path) -> Drafts:
    return Drafts(tmp_path / "drafts")


def killed(drafts: Drafts, draft: Draft, started: float = 1.0) -> None:
    """The note of a process that is there no more, whose number another one has now."""
    drafts.folder.mkdir(exist_ok=True)
    note = msgspec.json.encode(msgspec.structs.replace(draft, started=started))
    (drafts.folder / f"{os.getppid()}.draft").write_bytes(note)


def test_nothing_was_left(drafts: Drafts) -> None:
    assert drafts.left() is None


def test_what_ended_left_nothing(drafts: Drafts) -> None:
    drafts.note(DRAFT)
    drafts.done()
    assert drafts.left() is None
    assert list(drafts.folder.iterdir()) == []


def test_what_runs_is_nobody_elses(drafts: Drafts) -> None:
    drafts.note(DRAFT)
    assert drafts.left() is None
    assert len(list(drafts.folder.iterdir())) == 1


def test_what_was_killed_is_offered_once(drafts: Drafts) -> None:
    code = (
        "import os, sys; from pathlib import Path; from checks.history.drafts import Draft, Drafts\n"
        "Drafts(Path(sys.argv[1])).note(Draft(symptom='not-on-gpu', text='slow')); os._exit(9)"
    )
    root = Path(__file__).resolve().parents[3]
    subprocess.run([sys.executable, "-c", code, str(drafts.folder)], cwd=root, check=False)
    left = drafts.left()
    assert left is not None
    assert (left.symptom, left.text) == ("not-on-gpu", "slow")
    assert drafts.left() is None


def test_the_number_of_a_process_is_used_again(drafts: Drafts) -> None:
    killed(drafts, DRAFT)
    left = drafts.left()
    assert left is not None
    assert msgspec.structs.replace(left, started=0.0) == DRAFT
    killed(drafts, DRAFT, started=psutil.Process(os.getppid()).create_time())
    assert drafts.left() is None


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"[" * 100_000])
def test_a_damaged_note_is_removed(drafts: Drafts, data: bytes) -> None:
    drafts.folder.mkdir()
    (drafts.folder / "1.draft").write_bytes(data)
    assert drafts.left() is None
