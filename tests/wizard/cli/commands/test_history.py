"""`naosu history` and `naosu diff`: what is listed, forgotten and compared, in both languages, and their errors."""

import json
from pathlib import Path

import msgspec
import pytest
from support.runs import failed

from checks.analysis.history.observed import Observed
from checks.facts import Package, Raised
from checks.facts.case import Answers
from checks.history.remember import look_back
from checks.history.store import Snapshot, Store
from checks.judgement.judge import judged
from wizard.cli.command_line import run_command
from wizard.report.prints.json_report import to_json


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "history"))
    monkeypatch.chdir(tmp_path)
    return Store(tmp_path / "history")


def snapshot(worked: bool, numpy: str, key: str = "k") -> Snapshot:
    failure = "" if worked else "AttributeError: no\x1b[31m"
    return Snapshot(
        created="2026-01-01T10:00:00+00:00",
        key=key,
        target="~/env/bin/python",
        observed=(Observed(what="program", key="p", label="python train.py", worked=worked, failure=failure),),
        state={"package": {"numpy": numpy, "click": "8.1.7"}, "variable": {}, "machine": {"driver": numpy}},
    )


@pytest.fixture
def two(store: Store) -> Store:
    store.add(snapshot(True, "1.26.4"))
    store.add(snapshot(False, "2.0.2"))
    return store


@pytest.mark.parametrize(("language", "worked"), [("en", "worked"), ("ja", "動いた")])
def test_the_list(two: Store, capfd: pytest.CaptureFixture[str], language: str, worked: str) -> None:
    assert run_command(["history", "--lang", language]) == 0
    out = capfd.readouterr().out
    last, failure, first, where = out.splitlines()
    assert last.split()[0] == "2"
    assert "AttributeError" in failure
    assert worked in first
    assert str(two.folder) in where
    assert "\x1b" not in out


def test_a_failure_is_listed_with_its_numbers(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    token = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f"
    raised = Raised(type="RuntimeError", message=f"shapes cannot be multiplied (3x4 and 5x6) {token}")
    look_back(msgspec.structs.replace(failed(raised), here=True), store)
    assert run_command(["history", "--lang", "en"]) == 0
    assert "(3x4 and 5x6)" in capfd.readouterr().out
    assert run_command(["history", "--json"]) == 0
    (listed,) = json.loads(capfd.readouterr().out)["examinations"]
    (seen,) = listed["observed"]
    assert "(0x0 and 0x0)" in seen["failure"], "by which two failures are compared"
    assert "(3x4 and 5x6)" in seen["said"]
    assert token not in str(listed)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_an_empty_list_says_what_to_do(store: Store, capfd: pytest.CaptureFixture[str], language: str) -> None:
    assert run_command(["history", "--lang", language]) == 0
    assert "naosu check" in capfd.readouterr().out


def test_the_list_as_json(two: Store, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["history", "--json"]) == 0
    listed = json.loads(capfd.readouterr().out)
    assert [(one["number"], one["worked"]) for one in listed["examinations"]] == [(2, False), (1, True)]
    assert listed["on"]


def test_forgetting(two: Store) -> None:
    assert run_command(["history", "--forget", "1"]) == 0
    assert two.numbers() == (2,)
    assert run_command(["history", "--forget", "1"]) == 2
    assert run_command(["history", "--forget", "x"]) == 2
    assert run_command(["history", "--forget", "all"]) == 0
    assert two.numbers() == ()


def test_the_switch(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["history", "--keep", "off"]) == 0
    assert not store.is_on
    run_command(["history"])
    assert "--keep on" in capfd.readouterr().out
    assert run_command(["history", "--keep", "on"]) == 0
    assert store.is_on


def test_a_folder_that_cannot_be_changed_is_one_line(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    store.folder.write_text("a file")
    assert run_command(["history", "--keep", "off"]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_where_nothing_is_remembered(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("NAOSU_HISTORY", "off")
    assert run_command(["history"]) == 0
    assert run_command(["history", "--keep", "on"]) == 2
    assert run_command(["diff", "1", "2"]) == 2
    assert "NAOSU_HISTORY" in capfd.readouterr().err


@pytest.mark.parametrize(
    "given", [["last-working"], ["1", "2"], ["1"], ["last-working", "last"], ["last-working", "2"]]
)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_difference(two: Store, capfd: pytest.CaptureFixture[str], given: list[str], language: str) -> None:
    assert run_command(["diff", *given, "--lang", language]) == 1
    out = capfd.readouterr().out
    assert "numpy 1.26.4 → 2.0.2" in out
    assert ("the NVIDIA driver" if language == "en" else "NVIDIAドライバー") in out
    assert "click" not in out


def test_the_difference_as_json(two: Store, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["diff", "1", "2", "--json"]) == 1
    found = json.loads(capfd.readouterr().out)
    changed = {"kind": "package", "name": "numpy", "before": "1.26.4", "after": "2.0.2"}
    assert changed in found["changes"]


def test_no_difference(two: Store, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["diff", "2", "2"]) == 0
    assert "nothing" in capfd.readouterr().out


def test_the_last_that_worked_is_of_the_same_python(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    store.add(snapshot(True, "1.26.4", key="another"))
    store.add(snapshot(False, "2.0.2"))
    assert run_command(["diff", "last-working"]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(("language", "said"), [("en", "what it started worked"), ("ja", "動くことを確認しています")])
def test_where_the_last_one_worked_and_none_before_it_is_said(
    store: Store, capfd: pytest.CaptureFixture[str], language: str, said: str
) -> None:
    store.add(snapshot(False, "2.0.2"))
    store.add(snapshot(True, "1.26.4"))
    assert run_command(["--lang", language, "diff", "last-working"]) == 0
    assert said in capfd.readouterr().out


@pytest.mark.parametrize("given", [["1", "9"], ["nowhere.json", "1"], ["9" * 40, "1"], ["last-working", "9"]])
def test_what_is_not_there_is_one_line(two: Store, capfd: pytest.CaptureFixture[str], given: list[str]) -> None:
    assert run_command(["diff", *given]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_saved_cases_are_compared(store: Store, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name, version in (("a.json", "1.26.4"), ("b.json", "2.0.2")):
        facts = failed(Raised(type="ValueError", message="no"), Package(name="numpy", version=version))
        case = judged(msgspec.structs.replace(facts, here=True), Answers())
        (tmp_path / name).write_bytes(to_json(case, "en"))
    assert run_command(["diff", "a.json", "b.json"]) == 1
    assert capfd.readouterr().out.splitlines()[-1].strip() == "numpy 1.26.4 → 2.0.2"
