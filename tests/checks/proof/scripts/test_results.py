"""What two runs of a program have in common, and what no seed makes the same."""

import pytest

from checks.proof.scripts.results import Results, distinct, files_in, first_difference, results_of


def _printed(*lines: str) -> Results:
    return Results(lines)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("epoch 1 loss 0.5 (3.21 s)", "epoch 1 loss 0.5 (12.8 s)", id="seconds"),
        pytest.param("2026-11-24 03:10:11,123 INFO done", "2026-11-24 03:12:45,001 INFO done", id="date"),
        pytest.param("Elapsed time: 0.52", "Elapsed time: 0.61", id="named time"),
        pytest.param("<Net object at 0x7f3a2b1c>", "<Net object at 0x7f992b1c>", id="address"),
        pytest.param("8/8 [00:01<00:00, 5.3it/s] loss=0.4", "8/8 [00:02<00:00, 4.1it/s] loss=0.4", id="progress"),
        pytest.param("1/8 loss 3\r8/8 loss 1", "2/8 loss 2\r8/8 loss 1", id="overwritten"),
        pytest.param("saved to /tmp/tmpab12/model.pt", "saved to /tmp/tmpxy34/model.pt", id="temporary"),
    ],
)
def test_agree(one, other):
    assert distinct([_printed(one), _printed(other)]) == 1
    assert first_difference([_printed(one), _printed(other)]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("loss 0.5312", "loss 0.5313", id="last digit"),
        pytest.param("epoch 1 loss 0.5 (3 s)", "epoch 1 loss 0.6 (3 s)", id="beside a time"),
        pytest.param("steps 12", "steps 13", id="steps"),
        pytest.param("score 3", "score 3\nscore 4", id="longer"),
    ],
)
def test_differ(one, other):
    runs = [_printed(*one.splitlines()), _printed(*other.splitlines())]
    assert distinct(runs) == 2
    found = first_difference(runs)
    assert found is not None
    assert found.line == len(other.splitlines())


def test_files_that_were_written_count_and_logs_do_not(tmp_path):
    (tmp_path / "data.csv").write_text("1\n", encoding="utf-8")
    before = files_in(tmp_path)
    (tmp_path / "model.pt").write_bytes(b"\x01")
    (tmp_path / "metrics_20261124031100.csv").write_text("loss,0.5\n", encoding="utf-8")
    (tmp_path / "events.out.tfevents.1").write_bytes(b"\x02")
    run = results_of(b"", tmp_path, before)
    assert run.files.keys() == {"model.pt", "metrics_20261124031100.csv"}
    (tmp_path / "model.pt").write_bytes(b"\x03")
    other = results_of(b"", tmp_path, before)
    found = first_difference([run, other])
    assert found is not None
    assert (found.file, found.line) == ("model.pt", 0)
    assert Results().is_empty
