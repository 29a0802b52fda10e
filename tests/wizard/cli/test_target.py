"""Which Python `naosu check` starts where none is named, and what it asks or says before it does."""

import io
import os
from pathlib import Path

import pytest

from checks.engine.request import Request
from checks.facts import InterpreterFacts, Package
from wizard.cli.command_line import run_command
from wizard.words import words

TORCH = (Package(name="torch", version="2.6.0"),)
QUOTED = "'/sent/x;id/.venv/bin/python'"  # it is there to be pasted
ON_PATH = InterpreterFacts(path="/usr/bin/python3", version="3.12.3", packages=(), found_by=("PATH",))
NEAR = InterpreterFacts(path="/sent/x;id/.venv/bin/python", version="3.11.1", packages=TORCH, found_by=("folder",))
ACTIVE = InterpreterFacts(path="/active/bin/python", version="3.10.1", packages=(), found_by=("VIRTUAL_ENV",))
QUICK = ["check", "--symptom", "not-on-gpu", "--effort", "quick", "--lang", "en"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[InterpreterFacts]:
    listed: list[InterpreterFacts] = []
    monkeypatch.setattr("checks.interpreters.find_interpreters", lambda places: tuple(listed))
    return listed


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The paths that belong to another user."""
    paths: set[str] = set()
    monkeypatch.setattr("checks.interpreters.target.is_of_another", lambda interpreter: interpreter.path in paths)
    monkeypatch.setattr("checks.interpreters.owner_of", lambda interpreter: "mallory")
    monkeypatch.setattr("checks.interpreters.may_start", lambda interpreter: interpreter.path not in paths)
    return paths


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    requests: list[Request] = []

    def examine(request: Request, chosen: object, then: object) -> int:
        requests.append(request)
        return 0

    monkeypatch.setattr("wizard.cli.follow.examined", examine)
    return requests


def targets(requests: list[Request]) -> list[str | None]:
    return [request.target for request in requests]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_without_a_terminal_what_was_only_found_is_not_started(
    found: list[InterpreterFacts],
    others: set[str],
    examined: list[Request],
    capfd: pytest.CaptureFixture[str],
    language: str,
) -> None:
    found += [NEAR, ON_PATH]
    assert run_command([*QUICK, "--lang", language]) == 2
    said = capfd.readouterr()
    why = words("commands.why-folder", language)
    sentence = words("commands.needs-yes", language, path=NEAR.path, owner="mallory", why=why)
    assert (said.out, said.err) == ("", sentence + "\n")
    assert examined == []


def test_a_yes_in_a_script(found: list[InterpreterFacts], others: set[str], examined: list[Request]) -> None:
    found += [NEAR, ON_PATH]
    assert run_command([*QUICK, "--yes"]) == 0
    assert targets(examined) == [NEAR.path]
    assert examined[0].interpreters == (NEAR, ON_PATH)


@pytest.mark.parametrize(
    ("answer", "target"),
    [
        ("y", NEAR.path),
        ("YES", NEAR.path),
        ("はい", NEAR.path),
        ("", ON_PATH.path),
        ("n", ON_PATH.path),
        ("no", ON_PATH.path),
        ("yesterday", ON_PATH.path),
        (None, ON_PATH.path),
    ],
)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_on_a_terminal_it_is_asked_with_path_and_owner(
    found: list[InterpreterFacts],
    others: set[str],
    examined: list[Request],
    monkeypatch: pytest.MonkeyPatch,
    answer: str | None,
    target: str,
    language: str,
) -> None:
    found += [NEAR, ON_PATH]
    asked = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal("" if answer is None else f"{answer}\n"))
    monkeypatch.setattr("sys.stderr", asked)
    assert run_command([*QUICK, "--lang", language]) == 0
    assert targets(examined) == [target]
    assert all(part in asked.getvalue() for part in (NEAR.path, "mallory", ON_PATH.path))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_became_another_users_while_somebody_answered_is_not_started(
    found: list[InterpreterFacts],
    others: set[str],
    examined: list[Request],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    language: str,
) -> None:
    found += [NEAR, ON_PATH]

    def agreed(*_: object) -> bool:
        others.add(NEAR.path)
        return True

    monkeypatch.setattr("wizard.cli.target.can_ask", lambda: True)
    monkeypatch.setattr("wizard.cli.target.is_agreed", agreed)
    assert run_command([*QUICK, "--lang", language]) == 2
    said = words("commands.not-started", language, path=NEAR.path, owner="mallory", quoted=QUOTED)
    assert said in capfd.readouterr().err
    assert examined == []


def test_what_is_active_or_named_is_not_asked_about(
    found: list[InterpreterFacts], others: set[str], examined: list[Request], capfd: pytest.CaptureFixture[str]
) -> None:
    found += [NEAR, ON_PATH, ACTIVE]
    assert run_command(QUICK) == 0
    found[:] = [ON_PATH]
    assert run_command(QUICK) == 0
    found[:] = []
    assert run_command(QUICK) == 0
    assert targets(examined) == [ACTIVE.path, ON_PATH.path, None]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("options", [[], ["--yes"]])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_belongs_to_another_user_is_never_started_unnamed(
    found: list[InterpreterFacts],
    others: set[str],
    examined: list[Request],
    capfd: pytest.CaptureFixture[str],
    options: list[str],
    language: str,
) -> None:
    found += [NEAR, ON_PATH]
    others.add(NEAR.path)
    assert run_command([*QUICK, *options, "--lang", language]) == 0
    assert targets(examined) == [ON_PATH.path]
    sentence = words("commands.not-started", language, path=NEAR.path, quoted=QUOTED, owner="mallory")
    assert capfd.readouterr().err == sentence + "\n"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_an_active_environment_of_another_user_ends_in_a_sentence(
    found: list[InterpreterFacts],
    others: set[str],
    examined: list[Request],
    capfd: pytest.CaptureFixture[str],
    language: str,
) -> None:
    """To check another one in its place would answer what nobody asked."""
    found += [ACTIVE, NEAR, ON_PATH]
    others.add(ACTIVE.path)
    assert run_command([*QUICK, "--yes", "--lang", language]) == 2
    sentence = words("commands.of-another-active", language, quoted=ACTIVE.path, owner="mallory")
    assert capfd.readouterr().err == sentence + "\n"
    assert examined == []


def test_a_command_is_looked_for_on_the_search_path_alone(
    examined: list[Request], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A file of that name in the current folder is not what a shell would start."""
    (tmp_path / "bin").mkdir()
    for place in ("python3.12", "python3.10", "bin/python3.12"):
        (tmp_path / place).write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join(("", ".", str(tmp_path / "bin"))))
    assert run_command([*QUICK, "--target", "python3.12"]) == 0
    assert run_command([*QUICK, "--target", "./python3.10"]) == 0
    assert targets(examined) == [str(tmp_path / "bin" / "python3.12"), "./python3.10"]
    assert run_command([*QUICK, "--target", "python3.10"]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_envs_says_what_would_be_started(
    found: list[InterpreterFacts], others: set[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = InterpreterFacts(path="/other/bin/python", found_by=("system",))
    monkeypatch.setattr("checks.interpreters.is_of_another", lambda interpreter: interpreter.path in others)
    found += [NEAR, ON_PATH, other]
    others.add(other.path)
    for language in ("en", "ja"):
        assert run_command(["envs", "--lang", language]) == 0
        printed = capfd.readouterr().out
        assert words("commands.likely-offered", language, owner="mallory") in printed
        assert words("commands.of-another", language, owner="mallory") in printed
        assert f"({words('commands.likely', language)})" not in printed


@pytest.mark.parametrize("finder", ["traceback", "last", "project"])
def test_what_was_found_elsewhere_says_why_and_waits_for_a_yes(
    found: list[InterpreterFacts],
    others: set[str],
    examined: list[Request],
    capfd: pytest.CaptureFixture[str],
    finder: str,
) -> None:
    found += [InterpreterFacts(path="/home/me/p/.venv/bin/python", packages=TORCH, found_by=(finder,)), ON_PATH]
    assert run_command(QUICK) == 2
    assert words(f"commands.why-{finder}", "en") in capfd.readouterr().err
    assert examined == []
    assert run_command([*QUICK, "--yes"]) == 0
    assert targets(examined) == ["/home/me/p/.venv/bin/python"]
