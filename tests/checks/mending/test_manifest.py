"""The files of a project that its tool changes are kept, put back, and never taken from who changed them since."""

from pathlib import Path

import pytest

from checks.mending import manifest
from checks.mending.permission import NotMended
from checks.proof.changes import Managed


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("before")
    (folder / "pyproject.toml").chmod(0o640)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    return folder


def kept(project: Path, store: Path) -> None:
    change = Managed("uv add six", "uv", "add", str(project), ("six",), ("add", "six"))
    files = manifest.manifests_of([change], "")
    assert {path.parent for path in files} == {project}
    manifest.save(files, store)


def changed(project: Path) -> None:
    (project / "pyproject.toml").write_text("after")
    (project / "uv.lock").write_text("lock")


def test_what_the_tool_wrote_is_put_back(project: Path, store: Path, tmp_path: Path) -> None:
    kept(project, store)
    before = (project / "pyproject.toml").stat()
    changed(project)
    manifest.finish(store)
    assert manifest.hindrances(store) == ()
    for _ in range(2):  # it may be done again
        manifest.put_back(store, tmp_path / "aside")
        (path,) = project.iterdir()
        assert (path.read_text(), path.stat().st_mode, path.stat().st_mtime_ns) == (
            "before", before.st_mode, before.st_mtime_ns,
        )  # fmt: skip
    assert not (tmp_path / "aside").exists()


def test_what_somebody_changed_since_hinders(project: Path, store: Path) -> None:
    kept(project, store)
    changed(project)
    manifest.finish(store)
    (project / "pyproject.toml").write_text("mine")
    assert manifest.hindrances(store) == (str(project / "pyproject.toml"),)
    (project / "pyproject.toml").write_text("before")
    assert manifest.hindrances(store) == ()


def test_what_was_left_half_done_is_moved_aside_and_put_back(project: Path, store: Path, tmp_path: Path) -> None:
    kept(project, store)
    changed(project)
    assert manifest.to_move_aside(store) == (str(project / "pyproject.toml"), str(project / "uv.lock"))
    manifest.put_back(store, tmp_path / "aside")
    assert [path.read_text() for path in project.iterdir()] == ["before"]
    assert (tmp_path / "aside/project/pyproject.toml").read_text() == "after"


def test_where_no_project_is_changed_nothing_is_kept(store: Path, tmp_path: Path) -> None:
    pipx = Managed("pipx inject a b", "pipx", "add", "a", ("b",), ("inject", "a", "b"))
    assert manifest.manifests_of([pipx], "") == ()
    manifest.save((), store)
    manifest.finish(store)
    manifest.put_back(store, tmp_path / "aside")
    assert list(store.iterdir()) == []


def test_a_link_is_not_written_through(project: Path, store: Path, tmp_path: Path) -> None:
    (project / "uv.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotMended) as refused:
        kept(project, store)
    assert refused.value.reason == "linked"


def test_the_files_of_another_user_are_not_changed(project: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: (project / "pyproject.toml").stat().st_uid + 1)
    with pytest.raises(NotMended) as refused:
        kept(project, store)
    assert refused.value.reason == "of-another"
