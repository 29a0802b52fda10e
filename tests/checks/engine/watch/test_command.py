"""What a user names as their program, and what is started for it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from checks.engine.watch.command import CommandError, python_of, understood, with_python
from checks.facts import InterpreterFacts, Package

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths and modes")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of all that a user may name."""
    (tmp_path / "train.py").write_text("print()")
    (tmp_path / "tool.py").write_text("#!/usr/bin/env python3\n")
    (tmp_path / "tool.py").chmod(0o755)
    (tmp_path / "start.sh").write_text("#!/bin/sh\nexec true\n")
    (tmp_path / "plain").write_text("echo x\n")
    (tmp_path / "plain").chmod(0o755)
    (tmp_path / "closed").write_text("#!/bin/sh\n")
    (tmp_path / "app.desktop").write_text('[Desktop Entry]\nName=A\nExec=sh -c "echo 50%%" %U\nPath=' + str(tmp_path))
    (tmp_path / "empty.desktop").write_text("[Desktop Entry]\nName=A\n")
    (tmp_path / "round.desktop").write_text("[Desktop Entry]\nExec=round.desktop\n")
    (tmp_path / "run.bat").write_text("echo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "elf").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(11) + b"\xb7\x00")
    (tmp_path / "riscv").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(11) + b"\xf3\x00")
    (tmp_path / "app.exe").write_bytes(b"MZ" + bytes(40))
    (tmp_path / "of-windows").write_bytes(b"#!/bin/sh\r\nexec true\r\n")
    (tmp_path / "orphan").write_text("#!/nowhere/python3\nprint(1)\n")
    for name in ("elf", "riscv", "app.exe", "of-windows", "orphan"):
        (tmp_path / name).chmod(0o755)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to(tmp_path / "nothing" / "python")
    return tmp_path


@pytest.mark.parametrize(
    ("given", "started"),
    [
        (("sh", "-c", "x"), ("sh", "-c", "x")),
        (("sh -c 'a b'",), ("sh", "-c", "a b")),
        (("$ sh start.sh",), ("sh", "start.sh")),
        (("(venv) $ sh start.sh",), ("sh", "start.sh")),
        (("start.sh", "--fast"), ("/bin/sh", "{folder}/start.sh", "--fast")),
        (("./plain",), ("/bin/sh", "{folder}/plain")),
        (("tool.py", "a"), ("tool.py", "a")),
        (("./tool.py", "a"), ("./tool.py", "a")),
        (("app.desktop",), ("sh", "-c", "echo 50%")),
        (("./gone", "x.py"), ("./gone", "x.py")),
    ],
)
def test_what_is_started(given: tuple[str, ...], started: tuple[str, ...], folder: Path) -> None:
    command = understood(given, folder)
    wanted = tuple(word.format(folder=folder) for word in started)
    assert (os.path.realpath(command.words[0]), *command.words[1:]) == (os.path.realpath(wanted[0]), *wanted[1:])


@pytest.mark.parametrize("line", ["A=1 sh -c x", "sh -c x | cat", "sh -c x && true", "sh *.sh", "echo $HOME"])
def test_what_only_a_shell_understands_is_for_the_shell(line: str, folder: Path) -> None:
    command = understood((line,), folder)
    assert Path(command.words[0]).name in {"bash", "sh"}
    assert command.words[1:] == ("-c", line)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ((), "nothing"),
        (("",), "nothing"),
        (("  ",), "nothing"),
        (("./none",), "not-found"),
        (("none",), "not-on-path"),
        (("plain",), "here-not-on-path"),
        (("folder",), "is-folder"),
        (("./folder",), "is-folder"),
        ((".",), "is-folder"),
        (("./closed",), "not-executable"),
        (("./pipe",), "no-program"),
        (("./riscv",), "other-architecture"),
        (("./app.exe",), "other-system"),
        (("./of-windows",), "windows-lines"),
        (("./orphan",), "first-line-names-nothing"),
        (("run.bat",), "for-windows"),
        (("empty.desktop",), "no-exec-line"),
        (("round.desktop",), "no-exec-line"),
        (("sh 'x",), "open-quote"),
        pytest.param(("x" * 5000,), "not-on-path", id="long"),
        pytest.param(("./" + "x" * 5000,), "not-found", id="long-path"),
    ],
)
def test_what_was_named_wrongly(given: tuple[str, ...], key: str, folder: Path) -> None:
    with pytest.raises(CommandError) as error:
        understood(given, folder, {"PATH": "/usr/bin:/bin"})
    assert error.value.key == key


def test_a_program_behind_a_folder_that_is_closed_to_this_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an environment whose Python lies in another user's home. The superuser may enter every folder."""
    closed, real = folder / "env/python", os.stat
    closed.parent.mkdir()
    closed.symlink_to("/root/bin/python")

    def denied(path: object, **more: object) -> os.stat_result:
        if path == closed and more.get("follow_symlinks", True):
            raise PermissionError(13, "Permission denied")
        return real(path, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("os.stat", denied)
    with pytest.raises(CommandError) as raised:
        understood((str(closed), "main.py"), folder)
    assert (raised.value.key, raised.value.values) == ("no-permission", {"path": str(closed)})


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no-folder"):
        understood(("sh",), tmp_path / "none")


def test_a_script_needs_its_python(folder: Path) -> None:
    command = understood(("train.py", "--x", "1"), folder)
    assert command.script == folder / "train.py"
    assert with_python(command, InterpreterFacts(path="/e/bin/python")).words == (
        "/e/bin/python",
        "train.py",
        "--x",
        "1",
    )


def notebook(folder: Path, text: str) -> Path:
    (folder / "n.ipynb").write_text(text)
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "jupyter-execute").touch()
    return folder / "bin" / "python"


GOOD = json.dumps({"cells": [], "metadata": {"kernelspec": {"name": "python3"}}})
BOTH = (Package(name="nbclient", version="1"), Package(name="ipykernel", version="1"))


def test_a_notebook_is_executed_by_its_python(folder: Path) -> None:
    python = InterpreterFacts(path=str(notebook(folder, GOOD)), packages=BOTH)
    command = with_python(understood(("n.ipynb",), folder), python)
    assert command.words == (python.path, str(folder / "bin" / "jupyter-execute"), "n.ipynb")


@pytest.mark.parametrize(
    ("text", "packages", "key"),
    [
        (GOOD, (), "no-notebook-runner"),
        (GOOD, BOTH[:1], "no-kernel"),
        ("{}", BOTH, "no-notebook"),
        ("no", BOTH, "no-notebook"),
        ("[" * 100_000, BOTH, "no-notebook"),
    ],
)
def test_a_notebook_that_nothing_runs(text: str, packages: tuple[Package, ...], key: str, folder: Path) -> None:
    python = InterpreterFacts(path=str(notebook(folder, text)), packages=packages)
    command = understood(("n.ipynb",), folder)
    with pytest.raises(CommandError, match=f"^{key}$"):
        with_python(command, python)


def test_the_python_of_an_entry_point(folder: Path) -> None:
    (folder / "entry").write_text("#!/e/bin/python3.11\nimport x\n")
    assert python_of(("./entry",), folder) == "/e/bin/python3.11"
    (folder / "python3.11").symlink_to("/usr/bin/python3")  # the environment was moved
    assert python_of(("./entry",), folder) == str(folder / "python3.11")
    assert python_of(("./start.sh",), folder) is None
    assert python_of(("none-at-all",), folder) is None
