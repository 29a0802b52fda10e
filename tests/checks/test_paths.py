"""Where what a user keeps of Naosu lies: one folder for snapshots and for what was carried out."""

import os
import sys
from pathlib import Path

import pytest

from checks.history.store import default_folder
from checks.mending import journal
from checks.paths import data_folder


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these have other places")
def test_a_place_that_is_no_whole_path_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for chosen in ("", "share", "~/share"):
        assert data_folder({"XDG_DATA_HOME": chosen}) == tmp_path / ".local/share/naosu"
    assert data_folder({"XDG_DATA_HOME": "/srv/x"}) == Path("/srv/x/naosu")


def test_snapshots_and_journals_lie_beside_each_other() -> None:
    history = default_folder({name: value for name, value in os.environ.items() if name != "NAOSU_HISTORY"})
    assert history is not None
    assert history.parent == journal._folder().parent == data_folder()


def test_without_a_home_nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    if sys.platform != "win32":
        assert default_folder({}) is None
