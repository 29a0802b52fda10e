"""`--apply` and `undo` on the command line: what was proven is carried out, checked, and taken back."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pypdf import PdfReader
from support.broken_environment import broken_environment, failed_case, killed_at, tree

from checks.facts.case import Case
from checks.facts.finding import Severity
from checks.history.remember import look_back
from checks.history.store import Store
from checks.judgement.headline import is_trouble
from checks.mending import permission
from checks.mending import undo as undo_module
from checks.mending.journal import journals
from checks.mending.mend import Doing
from checks.mending.undo import with_undone
from checks.proof.apply import Ground
from checks.proof.copies.environment_copy import Cancelled
from checks.sharing.case import decode
from wizard.cli import mending
from wizard.cli.command_line import run_command
from wizard.report.content.remedies import mendings as mending_words
from wizard.report.content.report import build
from wizard.report.pdf.document import to_pdf
from wizard.report.prints.json_report import to_json
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="remedies are carried out on Linux and macOS so far")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    return broken_environment(tmp_path, monkeypatch)


class Chosen:
    lang, yes, quiet, apply, no_history = "en", True, False, True, False


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


@pytest.mark.usefixtures("qapp")
def test_the_report_and_the_history_say_that_it_is_fixed_until_it_is_undone(
    environment: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "history"))
    failed = failed_case(environment)
    assert look_back(failed.facts, Store(tmp_path / "history")) is not None
    case = mending.carried_out(failed, Chosen, lambda: False)  # type: ignore[arg-type]
    assert not is_trouble(case.facts, case.findings, case.answers.symptom)
    assert [found.is_mended for found in case.findings] == [True]
    told = msgspec.structs.replace(failed.findings[0], is_mended=True, severity=Severity.NOTE)  # with that remedy
    shown = msgspec.structs.replace(case, findings=(told,))
    said = {
        "en": ("Fixed", "What was done", "before the remedy"),
        "ja": ("直りました", "実行した対処", "対処の前は失敗"),
    }
    for language, words in said.items():
        report, plain = build(shown, language), to_json(shown, language)
        pdf = "".join(page.extract_text() for page in PdfReader(io.BytesIO(to_pdf(report, plain))).pages)
        sent = msgspec.structs.replace(decode(plain), findings=(told,))  # as whoever gets it reads it
        opened = to_terminal(build(sent, language))
        for text in (to_terminal(report), to_markdown(report), "".join(pdf.split()), opened):
            for word in words:
                assert word in text or "".join(word.split()) in text
            assert "Blocking" not in text
            assert "動作不可" not in text
        found = json.loads(plain)
        assert found["verdict"]["state"] == "clear"
        assert [(finding["severity"], finding["is_mended"]) for finding in found["findings"]] == [("note", True)]
    capfd.readouterr()
    assert run_command(["history", "--json"]) == 0
    assert [one["worked"] for one in json.loads(capfd.readouterr().out)["examinations"]] == [True, False]
    undone = with_undone(case, case.facts.mendings[-1].id)
    assert [found.is_mended for found in undone.findings] == [False]
    assert is_trouble(undone.facts, undone.findings, undone.answers.symptom)
    capfd.readouterr()
    assert run_command(["--lang", "en", "diff", "last-working"]) == 1
    assert "six 2.0 → 1.0" in capfd.readouterr().out


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


@pytest.mark.parametrize("kind", ["venv", "system"])
def test_what_is_never_carried_out_here_is_said_before_it_is_tried(
    environment: Path, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    case = failed_case(environment)
    target = msgspec.structs.replace(case.facts.interpreters[0], kind=kind)
    facts = msgspec.structs.replace(case.facts, interpreters=(target,), proofs=())
    mending.tell_refusal(msgspec.structs.replace(case, facts=facts), Chosen)  # type: ignore[arg-type]
    said = capfd.readouterr().err
    assert ("belongs to the system" in said) == (kind == "system")


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


@pytest.mark.parametrize("moment", ["while it is changed", "while it is put back"])
@pytest.mark.parametrize(("language", "said"), [("en", "put back as before"), ("ja", "実行前の状態に戻しました")])
def test_whoever_is_impatient_is_told_what_became_of_his_files(
    environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    moment: str,
    language: str,
    said: str,
) -> None:
    """A second Ctrl+C: the installer is under way, or what it did is being put back."""
    case = failed_case(environment)
    (site,) = environment.glob("lib/python*/site-packages")
    real_apply, real_back, asked = Ground.apply, undo_module.put_back, []

    def applied(*given: Any) -> None:
        (site / "my_helper.py").write_text("mine")
        if moment == "while it is changed":
            raise KeyboardInterrupt
        real_apply(*given)
        raise Cancelled

    def put_back(*given: Any, **named: Any) -> tuple[str, ...]:
        back = real_back(*given, **named)
        if moment == "while it is put back" and not asked:
            asked.append(True)
            raise KeyboardInterrupt
        return back

    monkeypatch.setattr(Ground, "apply", applied)
    monkeypatch.setattr(undo_module, "put_back", put_back)
    monkeypatch.setattr(Chosen, "lang", language)
    with pytest.raises(KeyboardInterrupt):
        mending.carried_out(case, Chosen, lambda: False)  # type: ignore[arg-type]
    (aside,) = (environment / ".naosu").glob("*-moved-aside")
    assert (aside / site.relative_to(environment) / "my_helper.py").read_text() == "mine"
    told = capfd.readouterr().err
    assert said in told
    assert str(aside) in told


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
