"""Which interpreter may be started where the user names none, and whose they are."""

import os
import shutil
import sys
from pathlib import Path

import msgspec
import pytest
from support.built_machine import BuiltMachine, install
from support.owners import strange

from checks.facts import InterpreterFacts
from checks.interpreters import (
    Places,
    choice_among,
    find_interpreters,
    is_of_another,
    may_start,
    owner_of,
    read_interpreter,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners are those of POSIX")


@pytest.fixture
def linux(tmp_path: Path) -> BuiltMachine:
    machine = BuiltMachine(tmp_path)
    machine.posix_python(machine.root / "usr", "3.11.2")
    machine.path = [machine.root / "usr/bin"]
    machine.near = [machine.home / "sent"]
    return machine


def chosen(machine: BuiltMachine) -> tuple[str | None, str | None, str | None]:
    """The paths of the named one, the offered one, and of the one that belongs to somebody else."""
    choice = choice_among(find_interpreters(machine.places))
    both = (choice.named, choice.offered, choice.of_another)
    named, offered, of_another = (
        None if one is None else Path(one.path).relative_to(machine.root).as_posix() for one in both
    )
    return named, offered, of_another


@pytest.mark.parametrize("place", [".venv", "venv", "env", ".env", ".conda", "a/b", "../.venv"])
def test_what_lies_near_is_offered(linux: BuiltMachine, place: str) -> None:
    base = linux.root / "usr/bin/python3.11"
    folder = Path(os.path.normpath(linux.home / "sent" / place))
    linux.venv(folder, base)
    assert chosen(linux) == ("usr/bin/python", f"{folder.relative_to(linux.root).as_posix()}/bin/python", None)


def test_what_lies_elsewhere_is_offered_where_it_is_likelier(linux: BuiltMachine) -> None:
    linux.posix_python(linux.home / "miniconda3/envs/ai", "3.10.1")
    assert chosen(linux) == ("usr/bin/python", None, None)
    install(linux.home / "miniconda3/envs/ai/lib/python3.10/site-packages", "torch", "2.4.0")
    assert chosen(linux) == ("usr/bin/python", "home/aya/miniconda3/envs/ai/bin/python", None)
    install(linux.root / "usr/lib/python3.11/site-packages", "torch", "2.4.0")
    assert chosen(linux) == ("usr/bin/python", None, None)


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_active_environment_is_named(linux: BuiltMachine, variable: str) -> None:
    for place in ("active", "sent/.venv"):
        linux.venv(linux.home / place, linux.root / "usr/bin/python3.11")
    linux.environ[variable] = str(linux.home / "active")
    assert chosen(linux) == ("home/aya/active/bin/python", None, None)
    linux.environ[variable] = str(linux.home / "sent/.venv")
    assert chosen(linux) == ("home/aya/sent/.venv/bin/python", None, None)


def test_a_link_near_to_what_is_named_is_not_what_is_started(linux: BuiltMachine) -> None:
    """A stranger can lead it elsewhere in the meantime."""
    (linux.home / "sent").mkdir()
    (linux.home / "sent" / ".venv").symlink_to(linux.root / "usr")
    assert chosen(linux) == ("usr/bin/python", None, None)


def test_many_near_do_not_hide_what_the_user_named(linux: BuiltMachine) -> None:
    for number in range(310):
        linux.venv(linux.home / f"sent/{number}", linux.root / "usr/bin/python3.11")
    assert chosen(linux)[0] == "usr/bin/python"


PARTS = (
    "bin/python",
    "bin",
    "",
    "pyvenv.cfg",
    "lib",
    "lib/python3.11",
    "lib/python3.11/site-packages",
    "lib/python3.11/site-packages/sitecustomize.py",
)


@pytest.mark.parametrize("part", PARTS)
def test_what_another_user_owns_is_neither_named_nor_offered(
    linux: BuiltMachine, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    folder = linux.home / "sent/.venv"
    linux.venv(folder, linux.root / "usr/bin/python3.11")
    (folder / "lib/python3.11/site-packages/sitecustomize.py").touch()
    strange(monkeypatch, folder / part)
    expected = ("usr/bin/python", None, "home/aya/sent/.venv/bin/python")
    assert chosen(linux) == expected
    linux.environ["VIRTUAL_ENV"] = str(folder)
    assert chosen(linux) == expected
    assert owner_of(read_interpreter(folder)) == "4321"


def test_behind_the_links_of_an_environment(linux: BuiltMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = linux.home / "sent/.venv"
    linux.venv(linux.home / "far", linux.root / "usr/bin/python3.11")
    folder.parent.mkdir()
    folder.symlink_to(linux.home / "far")
    strange(monkeypatch, folder)
    assert chosen(linux)[1:] == (None, "home/aya/sent/.venv/bin/python")


def test_of_the_system_or_of_the_user_is_nobody_elses(linux: BuiltMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    own = read_interpreter(linux.venv(linux.home / "v", linux.root / "usr/bin/python3.11"))
    assert not is_of_another(own)
    assert owner_of(own)
    monkeypatch.setattr("os.geteuid", lambda: 1234)  # what the superuser owns is anybody's
    assert is_of_another(own) is (os.getuid() not in (0, 1234))
    assert (owner_of(InterpreterFacts(path="/gone/python")), is_of_another(InterpreterFacts(path="a\0b"))) == (
        "",
        False,
    )


def test_it_is_looked_at_again_at_the_moment_of_its_start(linux: BuiltMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = linux.home / "sent/.venv"
    linux.venv(folder, linux.root / "usr/bin/python3.11")
    offered = choice_among(find_interpreters(linux.places)).offered
    assert offered is not None
    assert may_start(offered)
    by_hand = msgspec.structs.replace(offered, found_by=("chosen",))
    with monkeypatch.context() as since:
        strange(since, folder / "lib/python3.11/site-packages")
        assert not may_start(offered), "somebody took the folder whose modules it imports"
        assert may_start(by_hand), "the user named the file itself"
    other = linux.home / "mallory"
    linux.venv(other, linux.root / "usr/bin/python3.11")
    (folder / "bin/python").unlink()
    (folder / "bin/python").symlink_to(other / "bin/python")
    with monkeypatch.context() as since:
        strange(since, other / "bin/python", folder / "bin/python")
        assert not may_start(offered), "its link leads elsewhere by now"
    shutil.rmtree(folder)
    assert not may_start(offered), "nobody knows whose it is"
    assert may_start(by_hand)


def test_what_cannot_be_seen_is_not_started(linux: BuiltMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = linux.home / "sent/.venv"
    offered = read_interpreter(linux.venv(folder, linux.root / "usr/bin/python3.11"))
    assert may_start(offered)

    def hidden(path: object, **more: object) -> os.stat_result:
        raise PermissionError(path)

    monkeypatch.setattr("os.lstat", hidden)
    assert not may_start(offered)


def test_naosus_own_runs_already(linux: BuiltMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = linux.home / "sent/.venv"
    own = linux.venv(folder, linux.root / "usr/bin/python3.11")
    install(folder / "lib/python3.11/site-packages", "torch", "2.4.0")
    strange(monkeypatch, folder)
    choice = choice_among(find_interpreters(Places(**{**linux.places.__dict__, "own": own})))
    assert choice.named is not None
    assert Path(choice.named.path) == linux.root / "usr/bin/python"  # ours comes last
    assert (choice.offered, choice.of_another) == (None, None)
