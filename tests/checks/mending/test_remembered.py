"""Behind a remedy whatever had failed is started again, and the history remembers what was seen to run."""

import os
import sys
from collections.abc import Generator
from pathlib import Path

import msgspec
import pytest
from support.broken_environment import broken_environment, failed_case

from checks.facts import Mending
from checks.facts.case import Case
from checks.history.remember import look_back
from checks.history.store import Store
from checks.mending import permission
from checks.mending.journal import journals
from checks.mending.mend import Doing, mend
from checks.mending.proposal import Proposal, proposal
from checks.mending.undo import undo

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="remedies are carried out on Linux and macOS so far")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    return broken_environment(tmp_path, monkeypatch)


def proposed(case: Case) -> Proposal:
    found = proposal(case)
    assert found is not None
    return found


def carried_out(steps: Generator[Doing, None, Case]) -> Mending:
    try:
        while True:
            next(steps)
    except StopIteration as ended:
        return ended.value.facts.mendings[-1]


def test_whatever_else_failed_is_started_again_and_what_ran_is_remembered(environment: Path, tmp_path: Path) -> None:
    case = failed_case(environment)
    alone = msgspec.structs.replace(case.facts.runs[0], command=(), statement="import six", folder="")
    nowhere = msgspec.structs.replace(alone, statement="import nowhere_at_all")
    case = msgspec.structs.replace(
        case, facts=msgspec.structs.replace(case.facts, runs=(*case.facts.runs, alone, nowhere))
    )
    plan, store = proposed(case), Store(tmp_path / "history")
    assert [other.statement for other in plan.others] == ["import six", "import nowhere_at_all"]
    mending = carried_out(mend(case, plan, history=store.folder))
    assert [(run.statement, run.worked) for run in mending.others] == [
        ("import six", True),
        ("import nowhere_at_all", False),
    ]
    snapshot = next(store.newest_first())
    assert (snapshot.worked, snapshot.state["package"]["six"]) == (True, "2.0"), "the program ran"
    assert [seen.label for seen in snapshot.failed] == ["import nowhere_at_all"]


@pytest.mark.parametrize("requirement", ["six==3.0", "six==4.0"])
def test_what_was_not_seen_to_run_is_not_remembered_as_working(
    environment: Path, tmp_path: Path, requirement: str
) -> None:
    case = failed_case(environment, requirement=requirement)
    carried_out(mend(case, proposed(case), history=tmp_path / "history"))
    assert not Store(tmp_path / "history").numbers()


def test_a_history_that_is_off_or_cannot_be_written_changes_nothing(environment: Path, tmp_path: Path) -> None:
    case = failed_case(environment)
    (tmp_path / "history").write_text("a file")
    mending = carried_out(mend(case, proposed(case), history=tmp_path / "history"))
    assert mending.mended
    undo(journals()[0])
    store = Store(tmp_path / "off")
    store.switch(on=False)
    assert carried_out(mend(case, proposed(case), history=store.folder)).mended
    assert not store.numbers()


def test_what_was_put_back_is_not_said_to_be_older_than_what_worked(environment: Path, tmp_path: Path) -> None:
    """The files have the time that they had; that they are there again is seen by what was remembered of the undo."""
    (site,) = environment.glob("lib/python*/site-packages")
    (record,) = site.glob("six-*.dist-info/RECORD")
    os.utime(record, (10**9, 10**9))
    case, store = failed_case(environment), Store(tmp_path / "history")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("NAOSU_HISTORY", str(store.folder))
        carried_out(mend(case, proposed(case), history=store.folder))
        undo(journals()[0])
    history = look_back(case.facts, store, tmp_path)
    assert history is not None
    (change,) = [change for change in history.changes if change.name == "six"]
    assert (change.before, change.after) == ("2.0", "1.0")
    assert change.time >= history.worked
