"""What a user saves into the folders of installers while a remedy is carried out, fails or is undone is never lost."""

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.broken_environment import broken_environment, failed_case, tree

from checks.facts import Mending, PackageChange
from checks.mending import permission, snapshot
from checks.mending.journal import Journal, Stage, journals
from checks.mending.mend import mend
from checks.mending.proposal import proposal
from checks.mending.snapshot import finish, hindrances, put_back, save, touch
from checks.mending.undo import moved_aside, undo, way_back, with_undone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="remedies are carried out on Linux and macOS so far")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    return broken_environment(tmp_path, monkeypatch)


def site_of(environment: Path) -> Path:
    return next(environment.glob("lib/python*/site-packages"))


def edited(path: Path, text: str) -> None:
    """As editors save: a new file takes the place of the old one."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text)
    new.replace(path)


def saved_by_user(environment: Path) -> None:
    site = site_of(environment)
    (site / "my_helper.py").write_text("a week of work")
    (environment / "bin" / "my-tool").write_text("#!/bin/sh\n")
    edited(environment / "bin" / "activate", "edited")
    edited(site / "six.py", "debugged by hand")


def check_is_safe(folder: Path, environment: Path) -> None:
    inside = site_of(environment).relative_to(environment)
    assert (folder / inside / "my_helper.py").read_text() == "a week of work"
    assert (folder / "bin" / "my-tool").read_text() == "#!/bin/sh\n"
    assert (folder / "bin" / "activate").read_text() == "edited"
    assert (folder / inside / "six.py").read_text() == "debugged by hand"


def check_is_as_before(environment: Path, before: dict[str, tuple[object, ...]]) -> None:
    """But for what was moved aside."""
    shutil.rmtree(environment / ".naosu")
    assert {**tree(environment), ".": ()} == {**before, ".": ()}


def carried_out(environment: Path, requirement: str, at: dict[str, Callable[[], None]]) -> Mending:
    case = failed_case(environment, requirement=requirement)
    proposed = proposal(case)
    assert proposed is not None
    steps = mend(case, proposed)
    try:
        while True:
            at.get(next(steps).stage, lambda: None)()
    except StopIteration as ended:
        return ended.value.facts.mendings[-1]


def test_nothing_is_put_back_through_a_link_that_came_later(tmp_path: Path) -> None:
    environment, elsewhere = tmp_path / "env", tmp_path / "elsewhere"
    (environment / "lib" / "a").mkdir(parents=True)
    module = environment / "lib" / "a" / "__init__.py"
    module.write_text("before")
    kept = save(environment, environment / ".naosu" / "1")
    edited(module, "after")
    kept = finish(environment, environment / ".naosu" / "1", kept)
    assert hindrances(environment, kept) == ()
    shutil.move(environment / "lib", elsewhere)
    (environment / "lib").symlink_to(elsewhere)
    assert hindrances(environment, kept) == ("lib/a",)


@pytest.mark.parametrize("stage", ["applying", "undoing"])
def test_what_is_saved_while_a_remedy_fails_is_moved_aside(environment: Path, stage: str) -> None:
    failed_case(environment)
    before = tree(environment)
    mending = carried_out(environment, "six==9.9", {stage: lambda: saved_by_user(environment)})
    assert mending.result == "not-applied"
    assert journals() == ()
    check_is_safe(Path(mending.moved_to), environment)
    check_is_as_before(environment, before)


def test_what_is_saved_while_a_remedy_is_carried_out_survives_its_undo(environment: Path) -> None:
    failed_case(environment)
    before = tree(environment)

    def save_mine() -> None:
        (site_of(environment) / "my_helper.py").write_text("mine")
        edited(environment / "bin" / "activate", "edited")

    mending = carried_out(environment, "six==2.0", {"applying": save_mine})
    assert (mending.result, mending.moved_to) == ("fixed", "")
    (journal,) = journals()
    inside = site_of(environment).relative_to(environment)
    assert moved_aside(journal) == ("bin/activate", str(inside / "my_helper.py"))
    (site_of(environment) / "my_helper.py").write_text("mine, and more of it")
    done = undo(journal)
    assert done.lost == ()
    assert done.aside is not None
    assert (done.aside / inside / "my_helper.py").read_text() == "mine, and more of it"
    assert (done.aside / "bin" / "activate").read_text() == "edited"
    check_is_as_before(environment, before)


def test_a_report_says_where_an_undo_moved_something(environment: Path) -> None:
    case = failed_case(environment)
    proposed = proposal(case)
    assert proposed is not None
    steps = mend(case, proposed)
    try:
        while True:
            if next(steps).stage == "applying":
                (site_of(environment) / "my_helper.py").write_text("mine")
    except StopIteration as ended:
        done = ended.value
    undone = with_undone(done, done.facts.mendings[-1].id).facts.mendings[-1]
    assert undone.is_undone
    assert (Path(undone.moved_to) / site_of(environment).relative_to(environment) / "my_helper.py").exists()


def test_what_was_saved_before_a_kill_is_not_taken_for_the_installers(environment: Path) -> None:
    before = tree(environment)
    store = environment / ".naosu" / "1"
    save(environment, store)
    saved_by_user(environment)
    touch(store)  # the installer went on behind it
    kept = snapshot.read_kept(store)
    assert kept is not None
    assert put_back(environment, store, kept, is_interrupted=True) == ()
    check_is_safe(snapshot.aside_of(store), environment)
    check_is_as_before(environment, before)


def test_what_is_saved_after_an_undo_was_interrupted_is_moved_aside(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mending = carried_out(environment, "six==2.0", {})
    site, store = site_of(environment), environment / ".naosu" / mending.id
    kept = snapshot.read_kept(store)
    assert kept is not None

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(snapshot, "_put_file", killed)
        with pytest.raises(KeyboardInterrupt):
            put_back(environment, store, kept)
    edited(site / "six.py", "debugged by hand")
    (site / "wrapt").mkdir()
    (site / "wrapt" / "mine.py").write_text("mine")
    assert put_back(environment, store, kept, is_interrupted=True) == ()
    aside = snapshot.aside_of(store) / site.relative_to(environment)
    assert (aside / "six.py").read_text() == "debugged by hand"
    assert (aside / "wrapt" / "mine.py").read_text() == "mine"
    assert (site / "six.py").read_text() == "raise ImportError('six is broken')"


def test_what_is_saved_in_the_moment_of_an_undo_is_moved_aside(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the look at what is there, and before it is removed or replaced."""
    mending = carried_out(environment, "six==2.0", {})
    site, store = site_of(environment), environment / ".naosu" / mending.id
    kept = snapshot.read_kept(store)
    assert kept is not None
    wanted = snapshot._wanted

    def saved(*given: object) -> object:
        edited(site / "six.py", "debugged by hand")
        edited(site / "wrapt" / "__init__.py", "edited")
        (site / "six_extra" / "mine.py").write_text("mine")
        return wanted(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(snapshot, "_wanted", saved)
    put_back(environment, store, kept)
    aside = snapshot.aside_of(store) / site.relative_to(environment)
    assert (aside / "six.py").read_text() == "debugged by hand"
    assert (aside / "wrapt" / "__init__.py").read_text() == "edited"
    assert (aside / "six_extra" / "mine.py").read_text() == "mine"
    assert not (site / "wrapt").exists()


def test_an_installed_file_is_no_work_of_the_user(environment: Path) -> None:
    mending = carried_out(environment, "six==2.0", {})
    (journal,) = journals()
    assert moved_aside(journal) == ()
    assert undo(journal).aside is None
    assert mending.moved_to == ""


def test_the_way_back_is_quoted() -> None:
    """Names and versions are what a package says of itself."""
    changes = (
        PackageChange(name="a", version_before="1; touch x"),
        PackageChange(name="b;touch y", version_after="1"),
    )
    journal = Journal(
        id="", stage=Stage.DONE, prefix="/p", python="/p/bin/python", title="", created="", changes=changes
    )
    uninstalled, installed = map(shlex.split, way_back(journal))
    assert uninstalled[-1] == "b;touch y"
    assert installed[-1] == "a==1; touch x"
