"""A proven remedy is carried out in a real environment, what failed runs, and undo brings every byte back."""

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from support.broken_environment import broken_environment, failed_case, killed_at, tree

from checks.facts import Mending
from checks.facts.case import Case
from checks.mending import permission
from checks.mending.freeze import freeze
from checks.mending.journal import Stage, half_done, journals
from checks.mending.mend import Doing, Proposal, mend, proposal
from checks.mending.permission import NotMended
from checks.mending.undo import check_undo, tidy, undo

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="remedies are carried out on Linux and macOS so far")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    return broken_environment(tmp_path, monkeypatch)


def proposed(case: Case) -> Proposal:
    found = proposal(case)
    assert found is not None
    return found


def mended(case: Case, cancelled: Callable[[Doing | None], bool] = lambda _: False) -> Mending:
    now: list[Doing | None] = [None]
    steps = mend(case, proposed(case), cancelled=lambda: cancelled(now[0]))
    try:
        while True:
            now[0] = next(steps)
    except StopIteration as ended:
        return ended.value.facts.mendings[-1]


def test_what_was_proven_is_carried_out_checked_and_undone(environment: Path) -> None:
    case = failed_case(environment)
    before, frozen = tree(environment), freeze(environment)
    plan = proposed(case)
    assert plan.commands == (f"'{environment}/bin/python' -m pip install six==2.0",)
    mending = mended(case)
    assert mending.result == "fixed"
    assert [(change.name, change.version_after) for change in mending.changes] == [("six", "2.0"), ("wrapt", "1.0")]
    assert mending.before is not None
    assert mending.before.failed
    assert mending.after is not None
    assert mending.after.worked
    assert freeze(environment) != frozen
    (journal,) = journals()
    assert (journal.stage, journal.id, journal.files > 0) == (Stage.DONE, mending.id, True)
    assert undo(journal).lost == ()
    assert freeze(environment) == frozen
    assert tree(environment) == before
    assert journals() == ()


@pytest.mark.parametrize(("requirement", "result"), [("six==3.0", "other-failure"), ("six==4.0", "did-not-help")])
def test_what_fails_afterwards_is_not_called_fixed(environment: Path, requirement: str, result: str) -> None:
    case = failed_case(environment, requirement=requirement)
    before = tree(environment)
    assert mended(case).result == result
    undo(journals()[0])
    assert tree(environment) == before


def test_an_installer_that_fails_leaves_nothing(environment: Path) -> None:
    case = failed_case(environment, requirement="six==9.9")
    before = tree(environment)
    mending = mended(case)
    assert (mending.result, mending.stands) == ("not-applied", False)
    assert "No matching distribution found for six==9.9" in mending.said
    assert tree(environment) == before
    assert journals() == ()


@pytest.mark.parametrize("stage", ["control", "saving", "applying"])
def test_a_stop_at_any_stage_leaves_nothing(environment: Path, stage: str) -> None:
    case = failed_case(environment)
    before = tree(environment)
    mending = mended(case, lambda now: now is not None and now.stage == stage)
    assert (mending.result, mending.reason, mending.stands) == ("not-done", "stopped", False)
    assert tree(environment) == before
    assert journals() == ()


def test_a_stop_of_the_check_keeps_the_undo(environment: Path) -> None:
    mending = mended(failed_case(environment), lambda now: now is not None and now.stage == "checking")
    assert (mending.result, mending.reason, mending.stands) == ("not-checked", "stopped", True)


def test_what_does_not_fail_any_more_is_not_changed(environment: Path) -> None:
    case = failed_case(environment)
    (environment.parent / "project" / "prog.py").write_text("print('mended by hand')")
    mending = mended(case)
    assert (mending.result, mending.reason) == ("not-done", "fails-no-more")
    (environment.parent / "project" / "prog.py").write_text("import json\njson.nothing")
    assert mended(case).reason == "fails-otherwise"


def test_root_the_system_and_strangers_are_refused(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = failed_case(environment)
    sent = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, here=False))
    assert proposal(sent) is None
    target = msgspec.structs.replace(case.facts.interpreters[0], externally_managed=True)  # type: ignore[index]
    systems = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, interpreters=(target,)))
    with pytest.raises(NotMended, match="system"):
        proposal(systems)
    elsewhere = environment.parent / "elsewhere"
    elsewhere.mkdir()
    (environment / "link").symlink_to(elsewhere)
    with pytest.raises(NotMended, match="linked"):
        proposal(case)
    monkeypatch.undo()
    monkeypatch.setattr(permission, "is_administrator", lambda: True)
    with pytest.raises(NotMended, match="root"):
        proposal(case)


def test_what_others_changed_since_is_not_lost(environment: Path) -> None:
    mended(failed_case(environment))
    (site,) = environment.glob("lib/python*/site-packages")
    (journal,) = journals()
    (site / "unrelated.py").write_text("")
    (site / "__pycache__" / "six.cpython-312.pyc").write_bytes(b"compiled since")
    check_undo(journal)
    (site / "six.py").write_text("# changed by hand")
    with pytest.raises(NotMended) as refused:
        undo(journal)
    assert refused.value.reason == "changed-since"
    assert "six.py" in refused.value.values["paths"]
    assert "six==1.0" in refused.value.values["commands"]
    assert (site / "six.py").read_text() == "# changed by hand"


@pytest.mark.parametrize("stage", ["saving", "applying", "applied", "undoing"])
def test_what_a_kill_left_half_done_is_told_and_undone(environment: Path, stage: str) -> None:
    failed_case(environment)  # writes the program
    before = tree(environment)
    killed_at(stage, environment)
    tidy()
    left = half_done()
    assert len(left) == (stage != "saving")
    for journal in left:
        assert undo(journal).lost == ()
    assert tree(environment) == before
    assert journals() == ()
