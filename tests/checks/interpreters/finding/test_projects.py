"""Environments in projects below the home, in a traceback's paths, and in Naosu's own settings."""

import itertools
from pathlib import Path

import pytest
from support.built_machine import BuiltMachine

from checks.interpreters import Places, choice_among, find_interpreters
from checks.interpreters.finding.projects import interpreters_named_in, last_chosen, project_interpreters


@pytest.fixture
def linux(tmp_path: Path) -> BuiltMachine:
    return BuiltMachine(tmp_path)


def env(linux: BuiltMachine, folder: str) -> Path:
    return linux.venv(linux.home / folder, linux.root / "usr/bin/python3.11")


@pytest.mark.parametrize("name", [".venv", "venv", "env", ".env", "venv-gpu", "my-venv", "torch26"])
def test_several_levels_below_the_home(linux: BuiltMachine, name: str) -> None:
    linux.posix_python(linux.root / "usr", "3.11.2")
    python = env(linux, f"work/client/vision/{name}")
    assert list(project_interpreters(linux.home)) == [python]


@pytest.mark.parametrize(
    "folder", ["p/node_modules/x/.venv", ".cache/x/.venv", "p/.git/venv", "a/b/c/d/e/f/.venv", "Library/x/.venv"]
)
def test_what_is_not_entered(linux: BuiltMachine, folder: str) -> None:
    linux.posix_python(linux.root / "usr", "3.11.2")
    env(linux, folder)
    assert list(project_interpreters(linux.home)) == []


def test_no_link_is_followed_and_the_time_is_bounded(linux: BuiltMachine) -> None:
    linux.posix_python(linux.root / "usr", "3.11.2")
    python = env(linux, "p/.venv")
    (linux.home / "loop").symlink_to(linux.home)
    assert list(project_interpreters(linux.home)) == [python]
    clock = itertools.count(step=10.0)
    assert list(project_interpreters(linux.home, lambda: next(clock))) == []
    assert list(project_interpreters(linux.home / "none")) == []


def test_a_traceback_names_its_python(linux: BuiltMachine) -> None:
    linux.posix_python(linux.root / "usr", "3.11.2")
    python = env(linux, "p/.venv")
    text = f'''Traceback (most recent call last):
  File "{linux.home}/p/main.py", line 1, in <module>
  File "{linux.home}/p/.venv/lib/python3.11/site-packages/torch/__init__.py", line 2, in <module>
  File "/of/another/machine/lib/python3.9/site-packages/x.py", line 3
'''
    assert list(interpreters_named_in((text,))) == [python]
    places = Places(**{**linux.places.__dict__, "texts": (text,)})
    (found,) = (one for one in find_interpreters(places) if "traceback" in one.found_by)
    choice = choice_among((found,))
    assert (choice.offered, choice.named) == (found, None)  # whoever wrote the text starts nothing


def test_a_hostile_text_costs_nothing() -> None:
    assert list(interpreters_named_in(("/" * 100_000, '"' + "/a" * 100_000, '"/x/lib/python3.11/' * 10_000))) == []


def test_what_was_chosen_in_the_window(linux: BuiltMachine, tmp_path: Path) -> None:
    linux.posix_python(linux.root / "usr", "3.11.2")
    python, other = env(linux, "p/.venv"), env(linux, "q/.venv")
    settings = tmp_path / "naosu.ini"
    settings.write_text(f"[General]\nchosen={python}, {other.parents[1]}, relative/python\n")
    assert list(last_chosen(settings)) == [python, other]
    assert list(last_chosen(tmp_path / "none.ini")) == []
