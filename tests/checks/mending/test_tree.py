"""Where installers write in an environment: pip in known places, conda's packages at its top as well."""

import hashlib
import json
from pathlib import Path

import pytest
from support.broken_environment import tree

from checks.mending.snapshot import aside_of, finish, put_back, save


@pytest.mark.parametrize("is_finished", [True, False])
def test_what_a_conda_package_brings_and_changes_at_the_top_is_undone(tmp_path: Path, *, is_finished: bool) -> None:
    prefix, store = tmp_path / "e", tmp_path / "e" / ".naosu" / "1"
    for folder in ("conda-meta", "bin", "ssl", "pkgs", "envs/other"):
        (prefix / folder).mkdir(parents=True)
    (prefix / "ssl" / "openssl.cnf").write_text("old")
    (prefix / "pkgs" / "urls.txt").write_text("one")
    before = tree(prefix)
    kept = save(prefix, store)
    (prefix / "ssl" / "openssl.cnf").unlink()
    (prefix / "ssl" / "openssl.cnf").write_text("new, as its package has it")
    (prefix / "sbin").mkdir()
    (prefix / "conda-meta" / "history").write_text("==> 2026-11-24 04:00:00 <==\n")
    (prefix / "pkgs" / "urls.txt").write_text("one and two: conda's cache")
    if is_finished:
        kept = finish(prefix, store, kept)
    assert not put_back(prefix, store, kept)
    now = tree(prefix)
    assert (prefix / "pkgs" / "urls.txt").read_text() == "one and two: conda's cache"
    changing = {".", ".naosu", "pkgs/urls.txt", "conda-meta"}
    mine = [path for path in before.keys() | now.keys() if not path.startswith(".naosu") and path not in changing]
    assert [path for path in mine if before.get(path) != now.get(path)] == []


def test_what_conda_installed_is_removed_and_what_nobody_lists_is_moved_aside(tmp_path: Path) -> None:
    prefix, store = tmp_path / "e", tmp_path / "e" / ".naosu" / "1"
    (prefix / "conda-meta").mkdir(parents=True)
    (prefix / "conda-meta" / "history").write_text("==> 2026-11-24 03:51:00 <==\n")
    kept = save(prefix, store)
    (prefix / "sbin").mkdir()
    (prefix / "sbin" / "tool").write_text("a tool")
    (prefix / "sbin" / "mine").write_text("mine")
    digest = hashlib.sha256(b"a tool").hexdigest()
    listed = {"_path": "sbin/tool", "path_type": "hardlink", "sha256": digest, "size_in_bytes": 6}
    record = {"name": "tool", "version": "1", "files": ["sbin/tool"], "paths_data": {"paths": [listed]}}
    (prefix / "conda-meta" / "tool-1-0.json").write_text(json.dumps(record))
    with (prefix / "conda-meta" / "history").open("a") as history:
        history.write("==> 2026-11-24 04:00:00 <==\n+channel/linux-64::tool-1-0\n")
    kept = finish(prefix, store, kept)
    assert not put_back(prefix, store, kept)
    aside = aside_of(store)
    assert [str(path.relative_to(aside)) for path in aside.rglob("*") if path.is_file()] == ["sbin/mine"]
    assert [path.name for path in (prefix / "conda-meta").iterdir()] == ["history"]
    assert (prefix / "conda-meta" / "history").read_text() == "==> 2026-11-24 03:51:00 <==\n"
