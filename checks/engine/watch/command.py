"""What the user named, a command line, a script, a notebook or an entry of the desktop, as what is started for it.

It is read as a shell reads it. What cannot be started because it was named wrongly is a :class:`CommandError`; what the
system refuses although it was named rightly (a moved environment, a volume without execution) is a run that failed.
"""

from __future__ import annotations

import configparser
import contextlib
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from checks.facts import InterpreterFacts
from checks.interpreters.disk import absolute, is_folder, is_named
from checks.interpreters.layout import EXECUTABLE

_SHELL = re.compile(r"[|&;<>()$`*?~{}\n]|^\s*\w+=")  # only a shell knows what these mean
_PROMPT = re.compile(r"^\s*(?:\([^)]*\)\s*)?(?:\$|>|%|>>>)\s+")
_SCRIPTS = (".py", ".pyw", ".ipynb", ".sh", ".bash", ".command", ".bat", ".cmd", ".desktop")
_PYTHON = (".py", ".pyw")
_FIELD_CODE = re.compile(r"%[a-zA-Z]")  # of a .desktop file: what is put in their place is not there
_ELF_MACHINES = {"x86_64": (62, 3), "amd64": (62, 3), "i686": (3,), "aarch64": (183, 40), "armv7l": (40,)}
_ELF_NAMES = {3: "x86", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64", 21: "ppc64", 22: "s390x"}
_MACHO = (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_MOST_TEXT = 64 * 1024 * 1024  # bytes of a notebook


class CommandError(Exception):
    """It was named wrongly. ``key``: of resources/words/commands.toml, behind "run-"."""

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


@dataclass(frozen=True)
class Command:
    """What is started, and where. ``script``: a Python program or a notebook, which still needs its Python."""

    words: tuple[str, ...]
    folder: Path
    script: Path | None = None

    @property
    def is_notebook(self) -> bool:
        """Whether the script is a notebook."""
        return self.script is not None and self.script.suffix.lower() == ".ipynb"


def understood(words: tuple[str, ...], folder: Path, variables: Mapping[str, str] = os.environ) -> Command:
    """The command for what was named. One word with spaces in it is a whole command line.

    Raises:
        CommandError: there is no such thing, or it is nothing that can be started here.
    """
    if not folder.is_dir():
        raise CommandError("no-folder", path=str(folder))
    if len(words) == 1 and not is_named(folder / words[0].strip()):
        words = _split(words[0])
    if not words or not words[0].strip():
        raise CommandError("nothing")
    path = _file(words[0], folder, variables)
    if path.is_dir():
        raise CommandError("is-folder", path=words[0])
    kind = path.suffix.lower()
    rest = words[1:]
    if kind in (*_PYTHON, ".ipynb") and not (_runs_itself(path) and kind in _PYTHON and _has_folder(words[0])):
        return Command(words, folder, path)
    if kind in {".bat", ".cmd"}:
        if sys.platform != "win32":
            raise CommandError("for-windows", path=words[0])
        return Command((os.environ.get("COMSPEC", "cmd.exe"), "/c", str(path), *rest), folder)
    if kind == ".desktop":
        return _of_desktop(path, folder, variables)
    if kind in {".sh", ".bash", ".command"} and not _runs_itself(path):
        return Command((_shell(path), str(path), *rest), folder)
    _check_startable(path, words[0])
    if sys.platform != "win32" and _is_plain_text(path):
        return Command(("/bin/sh", str(path), *rest), folder)  # as a shell does with a script that names none
    is_relative = sys.platform == "win32" and _has_folder(words[0])  # there it would be looked for from our own folder
    return Command((str(path) if is_relative else words[0], *rest), folder)


def with_python(command: Command, python: InterpreterFacts) -> Command:
    """The command of a script, run by this Python.

    Raises:
        CommandError: it is a notebook, which this Python has nothing for, or that cannot be read.
    """
    assert command.script is not None  # noqa: S101 - asked only then
    if not command.is_notebook:
        return replace(command, words=(python.path, *command.words))
    kernel = _kernel_of(command.script)
    runner = Path(python.path).with_name("jupyter-execute.exe" if sys.platform == "win32" else "jupyter-execute")
    names = {package.name.lower().replace("_", "-") for package in python.packages or ()}
    if not runner.exists() or "nbclient" not in names:
        raise CommandError("no-notebook-runner", python=python.path, quoted=shlex.quote(python.path))
    own = python.prefix and (Path(python.prefix) / "share/jupyter/kernels" / kernel).is_dir()
    if "ipykernel" not in names and not own:
        raise CommandError("no-kernel", kernel=kernel, python=python.path, quoted=shlex.quote(python.path))
    start = (str(runner),) if sys.platform == "win32" else (python.path, str(runner))
    return replace(command, words=(*start, *command.words))


def python_of(command: tuple[str, ...], folder: Path, variables: Mapping[str, str] = os.environ) -> str | None:
    """The Python that a command would run by what it says, without starting it."""
    try:
        path = _file(command[0], folder, variables)
    except CommandError:
        return None
    if EXECUTABLE.fullmatch(path.name):
        return str(path)
    first = _first_bytes(path).partition(b"\n")[0].decode("utf-8", "replace")
    named = first[2:].strip().split(" ")[0] if first.startswith("#!") else ""
    if not EXECUTABLE.fullmatch(Path(named).name):
        return None
    beside = path.with_name(Path(named).name)  # of an environment that was moved, the script names the old place
    return str(beside) if not is_named(named) and is_named(beside) else named


def _split(line: str) -> tuple[str, ...]:
    """A command line as words; what only a shell understands is one for the shell."""
    line = _PROMPT.sub("", line).strip()
    if sys.platform == "win32":
        if re.search(r"[|&<>^%]", line):
            return (os.environ.get("COMSPEC", "cmd.exe"), "/c", line)
        return tuple(word.strip('"') for word in shlex.split(line, posix=False))
    if _SHELL.search(line):
        return (shutil.which("bash") or "/bin/sh", "-c", line)
    try:
        return tuple(shlex.split(line))
    except ValueError as error:
        raise CommandError("open-quote", command=line) from error


def _has_folder(word: str) -> bool:
    return os.sep in word or (os.altsep is not None and os.altsep in word)


def _file(word: str, folder: Path, variables: Mapping[str, str]) -> Path:
    """The file behind the first word: a path, a script in the folder, or a command on PATH."""
    beside = absolute(folder / word)  # not resolved: an environment's Python is a link
    try:
        if _has_folder(word):
            if not os.path.lexists(beside):
                raise CommandError("not-found", path=word)
            with contextlib.suppress(FileNotFoundError):  # a link to nothing: a moved environment, which is examined
                beside.stat()
            return beside
        if beside.suffix.lower() in _SCRIPTS and beside.is_file():
            return beside
    except PermissionError as error:
        raise CommandError("no-permission", path=word) from error
    except (OSError, ValueError) as error:  # a name that is too long, or holds a NUL
        raise CommandError("not-found", path=word) from error
    found = shutil.which(word, path=variables.get("PATH"))
    if found is None:
        key = "not-on-path" if not is_named(beside) else "is-folder" if is_folder(beside) else "here-not-on-path"
        raise CommandError(key, path=word)
    return Path(found)


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(512)
    except OSError:
        return b""


def _is_executable(path: Path) -> bool:
    """By its own mode: what a file system forbids is not the fault of the name."""
    return sys.platform == "win32" or bool(path.stat().st_mode & 0o111)


def _runs_itself(path: Path) -> bool:
    return sys.platform != "win32" and _is_executable(path) and _first_bytes(path).startswith(b"#!")


def _is_plain_text(path: Path) -> bool:
    head = _first_bytes(path)
    return bool(head) and not head.startswith((b"#!", b"\x7fELF", *_MACHO)) and b"\0" not in head


def _check_startable(path: Path, named: str) -> None:
    if not path.exists():  # a link to nothing: a moved environment, which is examined
        return
    if not path.is_file():
        raise CommandError("no-program", path=named)
    head = _first_bytes(path)
    if sys.platform == "win32":
        return
    if head.startswith(b"MZ") or (head.startswith(_MACHO) and sys.platform != "darwin"):
        raise CommandError("other-system", path=named)
    if head.startswith(b"\x7fELF"):
        machine = int.from_bytes(head[18:20], "little" if head[5:6] == b"\x01" else "big")
        fits = _ELF_MACHINES.get(os.uname().machine, (machine,))
        if machine not in fits and not _is_emulated():
            architecture = _ELF_NAMES.get(machine, str(machine))
            raise CommandError("other-architecture", path=named, architecture=architecture, here=os.uname().machine)
    if not _is_executable(path):
        raise CommandError("not-executable", path=named, quoted=shlex.quote(named))
    if head.startswith(b"#!"):
        _check_first_line(path, named, head.partition(b"\n")[0])


def _check_first_line(path: Path, named: str, line: bytes) -> None:
    """A script is run by what its first line names; a moved environment, whose commands name another, is examined."""
    program = next(iter(line[2:].split()), b"").decode("utf-8", "replace")
    if is_named(path.with_name(Path(program).name)):
        return
    if line.endswith(b"\r"):
        raise CommandError("windows-lines", path=named, quoted=shlex.quote(named))
    if program.startswith("/") and not is_named(Path(program)):
        raise CommandError("first-line-names-nothing", path=named, program=program)


def _is_emulated() -> bool:
    try:
        return any(Path("/proc/sys/fs/binfmt_misc").glob("qemu*"))
    except OSError:
        return False


def _shell(path: Path) -> str:
    """What runs a shell script that is not executable: what its first line names, else the usual shell."""
    first = _first_bytes(path).partition(b"\n")[0].decode("utf-8", "replace")
    named = first[2:].split()[-1:] if first.startswith("#!") else []
    for name in (*named, "bash", "sh"):
        found = shutil.which(name)
        if found:
            return found
    raise CommandError("no-shell", path=str(path))


def _of_desktop(path: Path, folder: Path, variables: Mapping[str, str]) -> Command:
    """What an entry starts, by https://specifications.freedesktop.org/desktop-entry-spec/latest/."""
    parser = configparser.RawConfigParser(strict=False, interpolation=None, delimiters=("=",))
    try:
        parser.read_string(path.read_text(encoding="utf-8", errors="replace")[: 1024 * 1024])
        line = parser.get("Desktop Entry", "Exec")
    except (OSError, configparser.Error) as error:
        raise CommandError("no-exec-line", path=str(path)) from error
    own = parser.get("Desktop Entry", "Path", fallback="")
    try:
        words = shlex.split(_FIELD_CODE.sub("", line.replace("%%", "\0")).replace("\0", "%"))
    except ValueError as error:
        raise CommandError("open-quote", command=line) from error
    if not words or words[0].endswith(".desktop"):
        raise CommandError("no-exec-line", path=str(path))
    return understood(tuple(words), Path(own) if own else folder, variables)


def _kernel_of(notebook: Path) -> str:
    try:
        with notebook.open("rb") as file:
            told = json.loads(file.read(_MOST_TEXT))
        if not isinstance(told["cells"], list):
            raise TypeError
        kernel = told.get("metadata", {}).get("kernelspec", {}).get("name", "python3")
    except (OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise CommandError("no-notebook", path=str(notebook)) from error
    return kernel if isinstance(kernel, str) and re.fullmatch(r"[\w.-]{1,100}", kernel) else "python3"
