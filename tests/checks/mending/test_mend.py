"""A proven remedy is carried out in a real environment, what failed runs, and undo brings every byte back."""

import dataclasses
import errno
import http.server
import os
import shutil
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
from support.broken_environment import broken_environment, failed_case, killed_at, tree
from support.wheels import wheel

from checks.facts import Mending
from checks.facts.case import Case
from checks.facts.remedies.mendings import fixed_by
from checks.mending import permission
from checks.mending import undo as undo_module
from checks.mending.freeze import freeze
from checks.mending.journal import Stage, half_done, journals, write
from checks.mending.mend import Doing, mend
from checks.mending.permission import NotMended
from checks.mending.proposal import Proposal, proposal
from checks.mending.undo import check_undo, moved_aside, tidy, undo
from checks.proof.changes import Variable
from checks.remedies.plan import plan_remedies
from checks.sharing.case import FORMAT, decode, to_builtins

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="remedies are carried out on Linux and macOS so far")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    return broken_environment(tmp_path, monkeypatch)


@pytest.fixture
def with_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    return broken_environment(tmp_path, monkeypatch, real_pip=True)


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


def carried_out(steps: Generator[Doing, None, Case]) -> Mending:
    try:
        while True:
            next(steps)
    except StopIteration as ended:
        return ended.value.facts.mendings[-1]


def test_what_was_proven_is_carried_out_checked_and_undone(with_pip: Path) -> None:
    case = failed_case(with_pip)
    before, frozen = tree(with_pip), freeze(with_pip)
    plan = proposed(case)
    assert plan.commands == (f"'{with_pip}/bin/python' -m pip install six==2.0",)
    mending = mended(case)
    assert mending.result == "fixed"
    assert [(change.name, change.version_after) for change in mending.changes] == [("six", "2.0"), ("wrapt", "1.0")]
    assert mending.before is not None
    assert mending.before.failed
    assert mending.after is not None
    assert mending.after.worked
    assert mending.left is not None
    assert mending.left.package("six").version == "2.0"  # type: ignore[union-attr]
    assert freeze(with_pip) != frozen
    (journal,) = journals()
    assert (journal.stage, journal.id, journal.files > 0) == (Stage.DONE, mending.id, True)
    assert undo(journal).lost == ()
    assert freeze(with_pip) == frozen
    assert tree(with_pip) == before
    assert journals() == ()


def test_of_two_proven_remedies_that_which_is_shown_first_is_carried_out(environment: Path) -> None:
    case = failed_case(environment)
    (finding,), (proof,) = case.findings, case.facts.proofs
    behind = msgspec.structs.replace(finding, cause="changed-since-it-worked", confidence=0.6)
    other = msgspec.structs.replace(proof, cause=behind.cause, commands=(proof.commands[0].replace("2.0", "1.0"),))
    facts = msgspec.structs.replace(case.facts, proofs=(proof, other))
    both = msgspec.structs.replace(case, facts=facts, findings=(finding, behind))
    assert proposed(both).proof == proof
    assert proposed(msgspec.structs.replace(both, findings=(behind, finding))).proof == other


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
    (site / "__pycache__").mkdir(exist_ok=True)
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
def test_what_a_kill_left_half_done_is_told_and_undone(environment: Path, naosu_python: str, stage: str) -> None:
    failed_case(environment)  # writes the program
    before = tree(environment)
    killed_at(stage, environment, naosu_python)
    tidy()
    left = half_done()
    assert len(left) == (stage != "saving")
    for journal in left:
        done = undo(journal)
        assert done.lost == ()
        if stage == "applying":  # the installer lived on: nobody knows that it was not the user
            shutil.rmtree(environment / ".naosu", ignore_errors=True)
            os.utime(environment, ns=(0, before["."][1]))  # type: ignore[arg-type]
        else:
            assert done.aside is None
    assert tree(environment) == before
    assert journals() == ()


def test_what_was_written_after_a_kill_is_named_and_moved_aside(environment: Path, naosu_python: str) -> None:
    failed_case(environment)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "edited.py").write_text("before")
    before = tree(environment)
    killed_at("applied", environment, naosu_python)
    (environment / "results.csv").write_text("a week of work")
    (site / "pandas").mkdir()
    (site / "pandas" / "__init__.py").write_text("installed by hand")
    (site / "new").write_text("edited by hand")
    (site / "new").replace(site / "edited.py")
    (journal,) = half_done()
    inside = site.relative_to(environment)
    assert moved_aside(journal) == (str(inside / "edited.py"), str(inside / "pandas/__init__.py"))
    done = undo(journal)
    assert done.lost == ()
    assert done.aside is not None
    assert (done.aside / inside / "edited.py").read_text() == "edited by hand"
    assert (done.aside / inside / "pandas/__init__.py").read_text() == "installed by hand"
    assert (environment / "results.csv").read_text() == "a week of work"
    shutil.rmtree(environment / ".naosu")
    (environment / "results.csv").unlink()
    assert {**tree(environment), ".": ()} == {**before, ".": ()}


@pytest.mark.parametrize("requirement", ["six==2.0", "six==9.9"])
def test_what_the_user_saves_beside_it_meanwhile_stays(environment: Path, requirement: str) -> None:
    steps = mend((case := failed_case(environment, requirement=requirement)), proposed(case))
    for step in steps:
        if step.stage == "applying":
            (environment / "new_module.py").write_text("mine")
    for journal in journals():
        undo(journal)
    assert (environment / "new_module.py").read_text() == "mine"


def test_an_environment_in_the_folder_of_the_project_is_refused(environment: Path) -> None:
    case = failed_case(environment)
    (environment / "train.py").write_text("mine")
    with pytest.raises(NotMended, match="with-others") as refused:
        proposal(case)
    assert refused.value.values["names"] == "train.py"
    (environment / "train.py").rename(environment / "CACHEDIR.TAG")
    assert proposal(case)


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes | None], threading.Event]]:
    """An index that answers every question with the same bytes; None: that never answers. Tells when it was asked."""
    asked, over = threading.Event(), threading.Event()
    servers = []

    def started(answer: bytes | None) -> threading.Event:
        class Index(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.set()
                if answer is None:
                    over.wait()
                    return
                self.send_response(200)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.delenv("PIP_FIND_LINKS")
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/")
        return asked

    yield started
    over.set()
    for server in servers:
        server.shutdown()
        server.server_close()


def test_an_index_that_hangs_can_be_stopped(with_pip: Path, index: Callable[[bytes | None], threading.Event]) -> None:
    asked = index(None)
    case = failed_case(with_pip)
    before = tree(with_pip)
    mending = mended(case, lambda _: asked.is_set())
    assert (mending.result, mending.reason) == ("not-done", "stopped")
    assert tree(with_pip) == before
    assert journals() == ()


def test_an_index_that_returns_rubbish_leaves_nothing(
    with_pip: Path, index: Callable[[bytes | None], threading.Event]
) -> None:
    page = b'<a href="six-2.0-py3-none-any.whl">six-2.0-py3-none-any.whl</a>'
    index(page)  # the wheel has the same bytes, too
    case = failed_case(with_pip)
    before = tree(with_pip)
    mending = mended(case)
    assert mending.result in ("not-applied", "not-done")
    assert not mending.stands
    assert tree(with_pip) == before
    assert journals() == ()


def test_without_room_nothing_is_changed(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = failed_case(environment)
    before = tree(environment)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("checks.mending.snapshot.os.link", full)
        patched.setattr("checks.mending.snapshot.shutil.copy2", full)
        mending = mended(case)
    assert (mending.result, mending.reason) == ("not-done", "not-saved")
    assert "No space left" in mending.values["detail"]
    with monkeypatch.context() as patched:
        patched.setattr("checks.mending.journal.write_whole", full)
        assert mended(case).reason == "not-saved"
    with monkeypatch.context() as patched:  # with the package installed
        patched.setattr("checks.mending.mend.finish", full)
        assert mended(case).reason == "not-saved"
    assert tree(environment) == before
    assert journals() == ()


def test_what_wrote_in_place_is_named_and_not_called_undone(environment: Path) -> None:
    """No installer does that; a program that did would change what was kept as a link, too."""
    case = failed_case(environment)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "data.bin").write_bytes(b"before")
    now: list[str] = []
    steps = mend(case, proposed(case))
    try:
        while True:
            now.append(next(steps).stage)
            if now[-1] == "applying":
                (site / "data.bin").write_bytes(b"written in place")
    except StopIteration:
        pass
    assert undo(journals()[0]).lost == (str((site / "data.bin").relative_to(environment)),)


def test_two_at_once_and_an_older_one_first_are_refused(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = failed_case(environment)
    before = tree(environment)
    first = mended(case)
    (environment.parent / "project" / "prog.py").write_text("import six_extra, regex")
    wheel(environment.parent / "shelf", "regex", "1.0", {"regex.py": ""})
    mended(failed_case(environment, "import six_extra, regex", "regex==1.0"))
    newer, older = journals()
    assert older.id == first.id
    with pytest.raises(NotMended, match="newer"):
        undo(older)
    undo(newer)
    undo(older)
    assert tree(environment) == before
    write(msgspec.structs.replace(older, stage=Stage.CHANGING, process=os.getppid(), process_began=began(os.getppid())))
    older.store.mkdir(parents=True)
    assert mended(case).reason == "under-way"


def test_a_new_environment_of_which_no_releases_are_known_is_refused_with_its_reason(environment: Path) -> None:
    case = failed_case(environment)
    made = (f"'{environment}/bin/python' -m venv fresh-env", "fresh-env/bin/python -m pip install six")
    proof = msgspec.structs.replace(case.facts.proofs[0], commands=made, way="new")
    case = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, proofs=(proof,)))
    with pytest.raises(NotMended) as why:
        proposal(case)
    assert why.value.reason == "new-environment"


def _shadowed(environment: Path) -> tuple[Case, Path]:
    """The program fails because of a file of its own, which got another name in a copy."""
    project = environment.parent / "project"
    project.mkdir()
    (project / "six.py").write_text("raise ImportError('mine')")
    case = failed_case(environment, "import six")
    line = f"mv -n '{project}/six.py' '{project}/my_six.py'"
    proof = msgspec.structs.replace(case.facts.proofs[0], commands=(line,), way="program")
    return msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, proofs=(proof,))), project


def test_a_file_of_the_users_own_gets_its_new_name_and_the_old_one_back(environment: Path) -> None:
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "six.py").write_text("VALUE = 2")
    case, project = _shadowed(environment)
    before, env = tree(project), tree(environment)
    assert str(project / "six.py") in [str(path) for path in proposed(case).manifests]
    assert mended(case).result == "fixed"
    assert ((project / "my_six.py").read_text(), (project / "six.py").exists()) == ("raise ImportError('mine')", False)
    undo(journals()[0])
    assert ({**tree(project), ".": ()}, tree(environment)) == ({**before, ".": ()}, env)
    (project / "my_six.py").write_text("somebody's")
    with pytest.raises(NotMended, match="place-taken"):
        proposal(case)
    assert (project / "my_six.py").read_text() == "somebody's"


def test_what_works_only_with_a_setting_that_the_user_has_to_change_is_not_fixed(environment: Path) -> None:
    case = failed_case(environment, "import os, six; assert 'BAD' not in os.environ")
    unset = Variable("unset BAD", "BAD", None)
    plan = proposed(case)
    plan = dataclasses.replace(plan, changes=(*plan.changes, unset), settings=(unset,))
    mending = carried_out(mend(case, plan, {**os.environ, "BAD": "1"}))
    assert (mending.result, mending.values) == ("needs-setting", {"settings": "unset BAD"})
    assert not fixed_by((mending,))


def test_what_works_only_sometimes_is_not_fixed(environment: Path) -> None:
    """It works every second time with the package; without, it always fails."""
    count = environment.parent / "count"
    source = f"import six; p = open({str(count)!r}, 'a+'); p.write('x'); assert p.tell() % 2"
    mending = mended(failed_case(environment, source))
    assert (mending.result, mending.reason) == ("not-checked", "works-sometimes")
    assert mending.after is not None
    assert mending.after.failed


def test_what_is_closed_while_it_undoes_is_put_back(environment: Path) -> None:
    case = failed_case(environment, requirement="six==9.9")
    before = tree(environment)
    steps = mend(case, proposed(case))
    assert [next(steps).stage for _ in range(4)][-1] == "undoing"
    steps.close()
    assert tree(environment) == before
    assert journals() == ()


def test_an_environment_that_cannot_be_looked_at_is_not_forgotten(
    environment: Path, naosu_python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed_case(environment)
    killed_at("applied", environment, naosu_python)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "is_dir", denied)
        assert half_done() == ()
    assert len(half_done()) == 1


def denied(*_: object) -> bool:
    raise PermissionError(errno.EACCES, "Permission denied")


def test_of_two_that_began_at_once_the_later_withdraws(environment: Path) -> None:
    case = failed_case(environment)
    first, second = mend(case, proposed(case)), mend(case, proposed(case))
    for steps in (first, second):
        assert [next(steps).stage, next(steps).stage] == ["control", "saving"]
    assert next(first).stage == "applying"
    with pytest.raises(StopIteration) as ended:
        next(second)
    assert ended.value.value.facts.mendings[-1].reason == "under-way"
    assert [step.stage for step in first] == ["checking"]
    (journal,) = journals()
    assert journal.stage is Stage.DONE


def began(process: int) -> float:
    return psutil.Process(process).create_time()


def test_a_saved_case_tells_what_was_done_and_undoes_nothing(environment: Path) -> None:
    case = failed_case(environment)
    steps = mend(case, proposed(case))
    try:
        while True:
            next(steps)
    except StopIteration as ended:
        done: Case = ended.value
    opened = decode(msgspec.json.encode({"format": FORMAT, **to_builtins(done)}))
    assert [mending.result for mending in opened.facts.mendings] == ["fixed"]
    assert opened.facts.mendings[0].before == done.facts.mendings[0].before
    assert proposal(opened) is None
    plans = [plan for finding in opened.findings for plan in plan_remedies(finding, opened.facts, "en") if plan.mending]
    assert all(plan.mending is not None and not plan.mending.id for plan in plans)


def test_an_impatient_stop_still_puts_everything_back(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first Ctrl+C stops it, the second comes while everything is put back."""
    case = failed_case(environment)
    before = tree(environment)
    real, interrupted = undo_module.put_back, []

    def put_back(*given: Any, **named: Any) -> tuple[str, ...]:
        if not interrupted:
            interrupted.append(True)
            raise KeyboardInterrupt
        return real(*given, **named)

    monkeypatch.setattr(undo_module, "put_back", put_back)
    with pytest.raises(KeyboardInterrupt):
        mended(case, lambda now: now is not None and now.stage == "applying")
    assert tree(environment) == before
    assert journals() == ()
