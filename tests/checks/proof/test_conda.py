"""An environment of conda is copied as it is, and conda works on the copy. conda's record is a real one."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from support.broken_environment import tree

from checks.facts import InterpreterFacts
from checks.proof.changes import Managed, NotTriable
from checks.proof.copies.environment_copy import EnvironmentCopy, bytes_to_copy, copied
from checks.proof.managed import check_tools, manage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="copies are made on Linux and macOS so far")
RECORD = Path(__file__).parents[2] / "recordings" / "conda" / "python-3.11.7-h1_0_cpython.json"
SETTINGS = "lib/python3.11/_sysconfigdata__linux_x86_64-linux-gnu.py"


@pytest.fixture
def target(tmp_path: Path) -> InterpreterFacts:
    """Of an environment in the folder of a conda, with other environments and its cache in it."""
    prefix = tmp_path / "conda"
    for folder in ("bin", "conda-meta", "lib/python3.11", "envs/other", "pkgs/python", "ssl"):
        (prefix / folder).mkdir(parents=True)
    shutil.copy(RECORD, prefix / "conda-meta")
    (prefix / SETTINGS).write_text(f"build_time_vars = {{'LDFLAGS': '-L{prefix}/lib', 'prefix': '{prefix}'}}\n")
    (prefix / "bin" / "idle3.11").write_text(f"#!{prefix}/bin/python3.11\n")
    (prefix / "bin" / "python").symlink_to(sys.executable)
    (prefix / "ssl" / "cert.pem").write_text("certificates")
    (prefix / "envs" / "other" / "large").write_bytes(bytes(10_000))
    return InterpreterFacts(origin="o", path=str(prefix / "bin" / "python"), prefix=str(prefix), kind="conda")


def copy_of(target: InterpreterFacts, tmp_path: Path) -> EnvironmentCopy:
    place = tmp_path / "place"
    place.mkdir()
    return copied(target, place, bytes_to_copy(target))


def test_the_copy_names_itself_and_is_whole_but_for_other_environments(
    target: InterpreterFacts, tmp_path: Path
) -> None:
    before = tree(Path(target.prefix or ""))
    assert (bytes_to_copy(target) or 0) < 10_000
    made = copy_of(target, tmp_path)
    assert not made.is_overlay
    assert (made.folder / SETTINGS).read_text() == (
        f"build_time_vars = {{'LDFLAGS': '-L{made.folder}/lib', 'prefix': '{made.folder}'}}\n"
    )
    assert (made.folder / "bin" / "idle3.11").read_text() == f"#!{made.folder}/bin/python3.11\n"
    assert {path.name for path in made.folder.iterdir()} == {"bin", "conda-meta", "lib", "ssl"}
    assert tree(Path(target.prefix or "")) == before


def test_conda_installs_into_the_copy_and_does_not_list_it(target: InterpreterFacts, tmp_path: Path) -> None:
    made = copy_of(target, tmp_path)
    words = ("install", "--prefix", str(target.prefix), "numpy<2")
    change = Managed("conda install", "conda", "add", str(target.prefix), ("numpy<2",), words)
    called = []
    check_tools([change])
    manage(change, made, {"CONDA_EXE": "/opt/conda/bin/conda"}, "", lambda *call: called.append(call))
    ((command, variables),) = called
    assert command == (
        *("/opt/conda/bin/conda", "install", "--prefix", str(made.folder), "numpy<2"),
        *("--yes", "--quiet"),
    )
    assert variables["CONDA_REGISTER_ENVS"] == "false"


def test_without_conda_or_a_whole_copy_it_is_not_tried(target: InterpreterFacts, tmp_path: Path) -> None:
    change = Managed("conda install", "conda", "add", "", ("numpy",), ("install", "numpy"))
    with pytest.raises(NotTriable) as raised:
        manage(change, copy_of(target, tmp_path), {"PATH": os.devnull}, "", lambda *_: None)
    assert raised.value.reason == "no-tool"
    overlay = EnvironmentCopy(target.path, (str(target.prefix),), tmp_path, tmp_path / "python", True, 0)
    with pytest.raises(NotTriable) as raised:
        manage(change, overlay, {}, "", lambda *_: None)
    assert (raised.value.reason, raised.value.values) == ("too-large-for-tool", {"tool": "conda"})
