"""`--apply` and `undo` on the command line: what was proven is carried out, checked, and taken back."""

import io
import json
import sys
from pathlib import Path

import pytest
from support.broken_environment import broken_environment, failed_case, killed_at, tree

from checks.facts.case import Case
from checks.mending import permission
from checks.mending.journal import journals
from checks.mending.mend import Doing
from wizard.cli import mending
from wizard.cli.command_line import run_command
from wizard.report.content.remedies import mendings as mending_words

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="remedies are carried out on Linux and macOS so far")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    return broken_environment(tmp_path, monkeypatch)


class Chosen:
    lang, yes, quiet, apply = "en", True, False, True


def test_a_yes_beforehand_does_it_and_undo_takes_it_back(
    environment: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    case = failed_case(environment)
    before = tree(environment)
    done = mending.carried_out(case, Chosen, lambda: False)  # type: ignore[arg-type]
    said = capfd.readouterr().err
    assert f"'{environment}/bin/python' -m pip install six==2.0" in said
    assert "works now" in said
    assert done.facts.mendings[-1].mended
    assert run_command(["undo", "--list", "--json", str(tmp_path / "list.json")]) == 0
    assert [change["id"] for change in json.loads((tmp_path / "list.json").read_text())] == [done.facts.mendings[-1].id]
    assert run_command(["undo", "no-such", "--yes"]) == 2
    assert run_command(["undo", "--lang", "en"]) == 2, "nobody can be asked"
    assert run_command(["undo", "--yes", "--json", str(tmp_path / "undone.json")]) == 0
    assert json.loads((tmp_path / "undone.json").read_text())["result"] == "undone"
    assert tree(environment) == before
    capfd.readouterr()
    assert run_command(["undo", "--lang", "ja"]) == 0
    assert "元に戻すものはありません" in capfd.readouterr().out


def test_what_did_not_help_is_undone_at_once(environment: Path, capfd: pytest.CaptureFixture[str]) -> None:
    case = failed_case(environment, requirement="six==4.0")
    before = tree(environment)
    done = mending.carried_out(case, Chosen, lambda: False)  # type: ignore[arg-type]
    assert done.facts.mendings[-1].is_undone
    assert "not fixed" in (said := capfd.readouterr().err)
    assert "undone again" in said
    assert tree(environment) == before


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_without_a_yes_nothing_happens(
    environment: Path, answer: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    case = failed_case(environment)
    before = tree(environment)
    monkeypatch.setattr(Chosen, "yes", False)
    monkeypatch.setattr("select.select", lambda *_: ([1], [], []))
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    asked: Case = mending.carried_out(case, Chosen, lambda: False)  # type: ignore[arg-type]
    assert asked is case
    assert "Nothing was changed" in capfd.readouterr().err
    assert tree(environment) == before


def test_root_is_refused_before_anything_is_started(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(permission, "is_administrator", lambda: True)
    started = tmp_path / "started"
    for words in (["run", "--apply", "--yes", "--", "touch", str(started)], ["check", "--apply", "--yes"]):
        assert run_command(["--lang", "en", *words]) == 2
        assert "nothing is carried out as root" in capfd.readouterr().err
    assert not started.exists()
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    assert run_command(["--lang", "en", "run", "--apply", "--", "touch", str(started)]) == 2
    assert "Add --yes" in capfd.readouterr().err
    assert not started.exists()


def test_the_next_start_tells_what_is_half_done(
    environment: Path, naosu_python: str, capfd: pytest.CaptureFixture[str]
) -> None:
    failed_case(environment)
    before = tree(environment)
    killed_at("applied", environment, naosu_python)
    mending.tell_half_done(Chosen)  # type: ignore[arg-type]
    assert f"undo {journals()[0].id}" in capfd.readouterr().err
    assert run_command(["undo", "--yes"]) == 0
    assert tree(environment) == before


def test_where_the_users_own_files_are_now_is_said(
    environment: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    case = failed_case(environment, requirement="six==4.0")
    (site,) = environment.glob("lib/python*/site-packages")
    real = mending_words.doing_words

    def saving(step: Doing, language: str) -> str:
        if step.stage == "applying":
            (site / "my_helper.py").write_text("mine")
        return real(step, language)

    monkeypatch.setattr(mending_words, "doing_words", saving)
    done = mending.carried_out(case, Chosen, lambda: False)  # type: ignore[arg-type]
    aside = done.facts.mendings[-1].moved_to
    assert (Path(aside) / site.relative_to(environment) / "my_helper.py").read_text() == "mine"
    assert f"moved to {aside}" in capfd.readouterr().err
