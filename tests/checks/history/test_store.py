"""The snapshots: private, numbered, bounded, forgotten on a word; and nothing is lost where they cannot be written."""

import errno
import stat
import zlib
from pathlib import Path

import msgspec
import pytest
from support.runs import failed

from checks.analysis.history.observed import Observed
from checks.facts import Change, EnvironmentVariables, Facts, History, Package, Raised
from checks.facts.case import Answers
from checks.history import store as module
from checks.history.remember import NOT_KEPT, look_back
from checks.history.store import Snapshot, Store, default_folder
from checks.judgement.judge import judged
from checks.sharing.redact import redact
from wizard.report.content.report import build


def facts_here(**changed: object) -> Facts:
    return msgspec.structs.replace(failed(Raised(type="ValueError", message="no")), here=True, **changed)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data" / "history")


def snapshot(worked: bool = True, key: str = "k") -> Snapshot:
    return Snapshot(
        created="2026-01-01T00:00:00+00:00",
        key=key,
        observed=(Observed(what="program", key="p", label="train.py", worked=worked),),
        state={"package": {"numpy": "1.26.4"}},
    )


def test_a_snapshot_comes_back_and_is_for_its_owner_alone(store: Store) -> None:
    assert store.add(snapshot()) == 1
    assert store.add(snapshot(worked=False)) == 2
    assert [one.number for one in store.newest_first()] == [2, 1]
    assert store.read(1) == msgspec.structs.replace(snapshot(), number=1)
    files = list(store.folder.iterdir())
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "data",
    [b"", b"nothing of ours", zlib.compress(b"[1, 2"), zlib.compress(b'{"created": 5}'), zlib.compress(b"[" * 10**6)],
    ids=["empty", "other", "cut", "wrong", "deep"],
)
def test_a_damaged_one_is_passed_over(store: Store, data: bytes) -> None:
    store.add(snapshot())
    (store.folder / "000002.snapshot").write_bytes(data)
    assert [one.number for one in store.newest_first()] == [1]
    assert store.add(snapshot()) == 3


def test_a_bomb_is_not_unpacked(store: Store) -> None:
    store.add(snapshot())
    (store.folder / "000001.snapshot").write_bytes(zlib.compress(b" " * (64 * 2**20)))
    assert store.read(1) is None


def test_the_oldest_go_but_the_last_that_worked_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 4)
    store.add(snapshot())
    for _ in range(6):
        store.add(snapshot(worked=False))
    assert store.numbers() == (1, 5, 6, 7)


def test_all_are_forgotten(store: Store) -> None:
    store.add(snapshot())
    store.add(snapshot())
    assert store.forget(1)
    assert not store.forget(1)
    assert store.forget_all() == 1
    assert store.numbers() == ()


def test_it_can_be_switched_off(store: Store) -> None:
    store.switch(on=False)
    assert look_back(facts_here(), store) is None
    assert store.numbers() == ()
    store.switch(on=True)
    assert look_back(facts_here(), store) is not None
    assert store.numbers() == (1,)


@pytest.mark.parametrize("value", ["off", "OFF", "0", "no"])
def test_the_variable_switches_it_off(value: str) -> None:
    assert default_folder({"NAOSU_HISTORY": value}) is None


def test_the_variable_names_another_place(tmp_path: Path) -> None:
    assert default_folder({"NAOSU_HISTORY": str(tmp_path)}) == tmp_path
    folder = default_folder({"XDG_DATA_HOME": str(tmp_path)})
    assert folder is not None
    assert folder.parts[-2:] == ("naosu", "history")


def test_nothing_is_remembered_of_what_somebody_else_sent(store: Store) -> None:
    assert look_back(msgspec.structs.replace(facts_here(), here=False), store) is None
    assert look_back(msgspec.structs.replace(facts_here(), reported=True), store) is None
    assert store.numbers() == ()


def test_a_snapshot_holds_no_secret_and_no_home(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/hanako")
    token = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f"
    values = {"HF_HOME": "/home/hanako/models", "HF_ENDPOINT": f"https://user:geheim77@hub.example/{token}"}
    facts = facts_here(environment=EnvironmentVariables(values=values))
    run = msgspec.structs.replace(facts.runs[0], command=("/home/hanako/env/bin/python", "train.py", "--token", token))
    look_back(msgspec.structs.replace(facts, runs=(run,)), store)
    (kept,) = store.newest_first()
    text = repr(kept)
    assert token not in text
    assert "geheim77" not in text
    assert "hanako" not in text
    assert kept.state["variable"]["HF_HOME"] == "~/models"


def test_a_release_is_no_address(store: Store) -> None:
    """Also where the rest has to be redacted."""
    facts = facts_here(environment=EnvironmentVariables(values={"HF_ENDPOINT": "https://10.20.30.40/x"}))
    (target,) = facts.interpreters or ()
    packages = (Package(name="nvidia-cublas-cu12", version="12.4.5.8"), Package(name="numpy", version="2.0.2"))
    facts = msgspec.structs.replace(facts, interpreters=(msgspec.structs.replace(target, packages=packages),))
    look_back(facts, store)
    (kept,) = store.newest_first()
    assert kept.state["package"] == {"nvidia-cublas-cu12": "12.4.5.8", "numpy": "2.0.2"}
    assert "10.20.30.40" not in repr(kept)


def test_a_release_is_no_address_in_a_report_that_is_sent() -> None:
    change = Change(kind="package", name="nvidia-cublas-cu12", before="12.4.5.8", after="12.6.4.1")
    variable = Change(kind="variable", name="HF_ENDPOINT", before="http://10.20.30.40/x")
    facts = facts_here(history=History(changes=(change, variable)))
    history = redact(judged(facts, Answers())).case.facts.history
    assert history is not None
    assert history.changes[0] == change
    assert "10.20.30.40" not in repr(history)


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_loses_nothing_and_is_said_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    look_back(facts_here(), store)
    monkeypatch.setattr(module, "write_whole", _full)
    facts = facts_here()
    history = look_back(facts, store)
    assert history is not None
    assert history.unread[NOT_KEPT] == "No space left on device"
    assert store.numbers() == (1,), "no empty file stays behind"
    case = judged(msgspec.structs.replace(facts, history=history), Answers())
    for language in ("en", "ja"):
        notes = [note for note in build(case, language).notes if "No space left on device" in note]
        assert len(notes) == 1


def test_a_home_that_cannot_be_written_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    history = look_back(facts_here(), Store(tmp_path / "data" / "history"))
    assert history is not None
    assert history.unread[NOT_KEPT]
