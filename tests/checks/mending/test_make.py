"""A new environment that was proven is made on a word, the program is seen to run in it, and undo removes it."""

import sys
from pathlib import Path

import msgspec
import pytest
from support.broken_environment import broken_environment, failed_case, tree
from support.new_environments import small_pip_in_new

from checks.facts import Mending
from checks.facts.case import Case
from checks.mending import mend as module
from checks.mending import permission
from checks.mending.journal import Stage, half_done, journals, write
from checks.mending.mend import Doing, mend
from checks.mending.permission import NotMended
from checks.mending.proposal import proposal
from checks.mending.undo import tidy, undo, with_undone
from wizard.report.content.remedies.mendings import plan_words

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="remedies are carried out on Linux and macOS so far")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    small_pip_in_new(monkeypatch)
    return broken_environment(tmp_path, monkeypatch)


def case_of(environment: Path, wanted: str = "six==2.0", source: str = "import six\nprint(six.VALUE)") -> Case:
    """The program worked in a new environment that was thrown away."""
    case = failed_case(environment, source)
    (environment.parent / "project" / "requirements.txt").write_text(f"{wanted}\n")
    made = (f"'{environment}/bin/python' -m venv fresh-env", "fresh-env/bin/python -m pip install -r requirements.txt")
    releases = (wanted, "wrapt==1.0")
    proof = msgspec.structs.replace(
        case.facts.proofs[0], remedy="make-fresh-environment", commands=made, way="new", releases=releases
    )
    return msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, proofs=(proof,)))


def mended(case: Case) -> tuple[Case, Mending, list[str]]:
    plan = proposal(case)
    assert plan is not None
    stages: list[Doing] = []
    steps = mend(case, plan)
    try:
        while True:
            stages.append(next(steps))
    except StopIteration as ended:
        return ended.value, ended.value.facts.mendings[-1], [step.stage for step in stages]


def test_it_is_made_beside_the_program_with_a_lock_file_and_goes_on_a_word(environment: Path) -> None:
    case, before = case_of(environment), tree(environment)
    project = environment.parent / "project"
    there = tree(project)
    after, mending, stages = mended(case)
    assert (mending.result, mending.reason, stages) == ("made", "", ["control", "making", "checking"])
    made = project / "fresh-env"
    assert mending.values["command"].startswith(f"{made}/bin/python")
    assert mending.after is not None
    assert (mending.after.worked, mending.after.output) == (True, "2\n")
    assert (project / "fresh-env.lock.txt").read_text().splitlines()[1:] == ["six==2.0", "wrapt==1.0"]
    assert tree(environment) == before, "the user's own stays as it is"
    assert [finding.severity.value for finding in after.findings] == [one.severity.value for one in case.findings]
    (made / "notes.txt").write_text("mine")
    (site,) = made.glob("lib/python*/site-packages")
    (site / "__pycache__").mkdir()
    (site / "__pycache__" / "six.cpython-312.pyc").write_bytes(b"compiled since")
    undone = with_undone(after, mending.id)
    assert undone.facts.mendings[-1].is_undone
    assert [path.name for path in made.rglob("*")] == ["notes.txt"], "what is somebody's own stays"
    (made / "notes.txt").unlink()
    made.rmdir()
    assert {**tree(project), ".": ()} == {**there, ".": ()}


def test_the_plan_names_the_python_that_is_started_then(environment: Path) -> None:
    plan = proposal(case_of(environment))
    assert plan is not None
    (line,) = (line for line in plan_words(plan, "en") if line.startswith("Afterwards this is started again"))
    assert str(environment.parent / "project" / "fresh-env" / "bin" / "python") in line
    assert str(environment) + "/" not in line


def test_nothing_of_it_is_left_where_the_program_does_not_run_in_it(environment: Path) -> None:
    case = case_of(environment, "six==3.0")
    project = environment.parent / "project"
    there = tree(project)
    _, mending, _ = mended(case)
    assert (mending.result, mending.reason, mending.stands) == ("not-done", "not-in-new", False)
    assert {**tree(project), ".": ()} == {**there, ".": ()}
    assert journals() == ()


def test_an_installer_that_fails_leaves_nothing(environment: Path) -> None:
    _, mending, _ = mended(case_of(environment, "six==9.9"))
    assert mending.result == "not-applied"
    assert not (environment.parent / "project" / "fresh-env").exists()
    assert journals() == ()


def test_nothing_is_overwritten(environment: Path) -> None:
    project = environment.parent / "project"
    (project / "fresh-env").mkdir(parents=True)
    plan = proposal(case_of(environment))
    assert plan is not None
    assert plan.prefix == project / "fresh-env-2"
    assert plan.commands[0].endswith("-m venv fresh-env-2")


def test_root_makes_none(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permission, "is_administrator", lambda: True)
    with pytest.raises(NotMended, match="root"):
        proposal(case_of(environment))


def test_what_a_kill_left_is_told_and_removed(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed with the packages installed: the journal is as it was written before, and its process is gone."""
    project = environment.parent / "project"

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    case = case_of(environment)
    there = tree(project)
    with monkeypatch.context() as patched:
        patched.setattr(module, "finish", killed)
        patched.setattr(module, "put_back_surely", lambda _: None)
        with pytest.raises(Killed):
            mended(case)
    assert (project / "fresh-env" / "bin" / "python").exists()
    (journal,) = journals()
    write(msgspec.structs.replace(journal, process=2**22 + 1))
    tidy()
    (left,) = half_done()
    assert left.stage is Stage.CHANGING
    assert undo(left).lost == ()
    assert {**tree(project), ".": ()} == {**there, ".": ()}
