"""A throw-away copy of a Python environment, which may be changed in place of the user's.

An environment of moderate size, a virtual one or one of conda, is copied whole, in blocks that are shared where the
file system can (Btrfs, XFS). Any other, and a large one, gets an overlay: a new virtual environment whose own packages
stand in front of the user's on the search path. An overlay can add and replace packages, and cannot remove any.
"conda create --clone" would not do: it takes the packages from conda's cache, and leaves behind what is damaged here.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from checks.facts import InterpreterFacts
from checks.interpreters.disk import absolute
from checks.interpreters.installed.record import texts_with_prefix
from checks.interpreters.kind import is_conda
from checks.interpreters.layout import EXECUTABLE, read_config
from checks.proof.changes import NotTriable

MOST_COPIED = 12 << 30  # bytes; PyTorch with CUDA takes 5 to 8 GB, which a common disk copies in a minute or less
ROOM = 1 << 30  # bytes that stay free
KEPT = ".naosu"  # a folder of an environment: what is kept of remedies that were carried out there (checks/mending)
BESIDE_CONDA = frozenset(("envs", "pkgs", "locks"))  # in the folder of a conda: its other environments, and its cache
_MOST_LINKS = 8  # that lead to a program, one to the next
_FICLONE = 0x40049409  # Linux: ioctl_ficlone(2)
_LONGEST_SCRIPT = 1 << 16
_LONGEST_TEXT = 1 << 22
# The first line of a command, and the second one of those whose path is too long for the first, or has a space in it.
_STARTS = re.compile(r"\A#!.*(?:\n'''exec' .*)?")
_MAKING = 60.0  # seconds to make an empty environment


@dataclass(frozen=True)
class EnvironmentCopy:
    """``prefixes``: how the user's environment is named, by its path and by its real one; ``folder``: the copy's.

    ``room``: for what installers leave beside it; None: the folder around it. ``texts``: the files, inside of it, into
    which conda wrote the path of the environment.
    """

    users_python: str
    prefixes: tuple[str, ...]
    folder: Path
    python: Path
    is_overlay: bool
    copied_bytes: int
    room: Path | None = None
    texts: frozenset[str] = frozenset()

    @property
    def paths(self) -> tuple[str, ...]:
        """Where the copy and the user's own lie."""
        return (str(self.folder), *self.prefixes, str(self.folder.parent))

    @property
    def beside(self) -> Path:
        """Where installers may leave what is theirs."""
        return self.room or self.folder.parent

    @property
    def is_users_own(self) -> bool:
        """Whether it is no copy, and the user's environment itself is to be changed."""
        return str(self.folder) in self.prefixes

    def followed(self, program: str) -> str:
        """The program of the environment to which a link from outside leads, as pipx makes them; "" for others."""
        path = Path(program)
        for _ in range(_MOST_LINKS):
            try:
                path = absolute(path.parent / path.readlink())
            except OSError:
                break
            if any(path.is_relative_to(prefix) for prefix in self.prefixes):
                return "" if self.is_overlay else str(path)
        return ""

    def moved(self, text: str) -> str:
        """A word of a command or the value of a variable, with the copy in the place of the environment."""
        if self.is_overlay:
            return str(self.python) if text == self.users_python else text
        for prefix in self.prefixes:
            text = re.sub(rf"(?<![\w./\\-]){re.escape(prefix)}(?=[/\\:;]|$)", lambda _: str(self.folder), text)
        return text

    def named_by_user(self, text: str) -> str:
        """A text of the copy with the user's environment in its place."""
        return text.replace(str(self.python), self.users_python).replace(str(self.folder), self.prefixes[-1])

    def holds(self, path: str) -> bool:
        """Whether a path as a program names it lies in the copy."""
        return absolute(path).is_relative_to(self.folder)


def bytes_to_copy(target: InterpreterFacts) -> int | None:
    """How large the environment of an interpreter is; None where it is not copied whole."""
    prefix = Path(target.prefix) if target.prefix else None
    if prefix is None or not (_is_virtual(prefix) or is_conda(prefix)):
        return None
    size = _size(prefix)
    return size if size <= MOST_COPIED else None


def room_for(size: int | None) -> int:
    """The free bytes that a copy of so many wants, or an overlay: what is installed comes on top."""
    return 2 * (size or 0) + ROOM


def copied(
    target: InterpreterFacts, place: Path, size: int | None, cancelled: Callable[[], bool] = lambda: False
) -> EnvironmentCopy:
    """Copy the environment of an interpreter into this folder, or make an overlay of it there.

    ``size``: of :func:`bytes_to_copy`.

    Raises:
        NotTriable: it cannot be copied, or there is no room for it.
        Cancelled: somebody asked to end.
    """
    prefix = Path(target.prefix) if target.prefix else None
    if prefix is None or sys.platform == "win32" or place.is_relative_to(os.path.realpath(prefix)):
        raise NotTriable("no-copy")
    free = shutil.disk_usage(place).free
    if size is not None and room_for(size) <= free:
        return _whole(target, prefix, place, cancelled)
    if free < room_for(None):
        raise NotTriable("no-room", folder=str(place))
    return _overlay(target, prefix, place)


class Cancelled(Exception):  # noqa: N818 - nothing went wrong
    """Somebody asked to end."""


def _is_virtual(prefix: Path) -> bool:
    return (prefix / "pyvenv.cfg").is_file()


def _size(folder: Path) -> int:
    """Bytes of all files below it, as far as it can be read."""
    return sum(entry.stat(follow_symlinks=False).st_size for entry in _files(folder))


def _left_out(prefix: Path) -> Callable[[str, list[str]], set[str]]:
    """What of the names in a folder of an environment is no part of it."""
    beside = BESIDE_CONDA if is_conda(prefix) else frozenset()

    def among(folder: str, names: list[str]) -> set[str]:
        return {name for name in names if name == KEPT or (name in beside and folder == str(prefix))}

    return among


def _files(prefix: Path) -> Iterator[os.DirEntry[str]]:
    waiting, left_out = [str(prefix)], _left_out(prefix)
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if left_out(folder, [entry.name]):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    yield entry


def _whole(target: InterpreterFacts, prefix: Path, place: Path, cancelled: Callable[[], bool]) -> EnvironmentCopy:
    folder = place / prefix.name
    copied_bytes = 0

    def copy(source: str, to: str) -> str:
        nonlocal copied_bytes
        if cancelled():
            raise Cancelled
        if stat.S_ISREG(os.lstat(source).st_mode):  # a pipe or a socket in it is nobody's package
            copied_bytes += _cloned(source, to)
        return to

    try:
        shutil.copytree(
            prefix,
            folder,
            symlinks=True,
            copy_function=copy,
            ignore=_left_out(prefix),
            ignore_dangling_symlinks=True,
        )
        _separate_links(folder, prefix)
        python = _python_in(folder, target, prefix)
        texts = frozenset(texts_with_prefix(prefix))
        made = EnvironmentCopy(target.path, _names(prefix), folder, python, False, copied_bytes, texts=texts)
        _relocate(made)
    except (OSError, shutil.Error) as error:
        raise NotTriable("copy-failed", detail=_first_line(error)) from error
    return made


def _separate_links(folder: Path, prefix: Path) -> None:
    """Let no link of the copy lead to the user's files, through which these would be written.

    Raises:
        NotTriable: a folder of the environment lies elsewhere.
        OSError: a link cannot be replaced.
    """
    real = Path(os.path.realpath(prefix))
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            link = Path(root, name)
            if not link.is_symlink():
                continue
            original = prefix / link.relative_to(folder)
            led = Path(os.path.realpath(original))
            if led.is_relative_to(real):
                if link.readlink().is_absolute():
                    link.unlink()
                    link.symlink_to(folder / led.relative_to(real))
            elif led.is_dir():
                raise NotTriable("linked", path=str(original))
            elif led.is_file():
                link.unlink()
                if EXECUTABLE.fullmatch(name) and original.parent.name == "bin":
                    link.symlink_to(led)  # the Python itself, which is started and not written
                else:
                    shutil.copy2(led, link)


def _first_line(error: OSError) -> str:
    """What a system call said; of many files that could not be copied, the first."""
    first = error.args[0][0][2] if isinstance(error, shutil.Error) and error.args and error.args[0] else error
    return str(first)


def _cloned(source: str, to: str) -> int:
    """Copy a file; returns the bytes that took room."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError), open(source, "rb") as read, open(to, "xb") as written:
            fcntl.ioctl(written.fileno(), _FICLONE, read.fileno())
            shutil.copystat(source, to)
            return 0
    shutil.copy2(source, to)
    return Path(to).stat().st_size


def _names(prefix: Path) -> tuple[str, ...]:
    """The longest first, so that no other is a part of what was put in its place."""
    return tuple(sorted({str(prefix), os.path.realpath(prefix)}, key=len, reverse=True))


def _python_in(folder: Path, target: InterpreterFacts, prefix: Path) -> Path:
    for name in _names(prefix):
        with contextlib.suppress(ValueError):
            return folder / Path(target.path).relative_to(name)
    return folder / "bin" / "python"


def _relocate(made: EnvironmentCopy) -> None:
    """Let the commands and the path files of the copy name the copy: they hold the path of their environment."""
    commands, path_files = (made.folder / "bin").iterdir(), made.folder.glob("lib/python*/site-packages/*.pth")
    for path in {*commands, *path_files, *(made.folder / name for name in made.texts)}:
        relocate(path, made)


def relocate(path: Path, made: EnvironmentCopy) -> None:
    """Let one file of the copy name the copy, if it is such a file."""
    is_path_file = path.suffix == ".pth"
    is_of_conda = str(path.relative_to(made.folder)) in made.texts
    is_command = path.parent == made.folder / "bin"
    if not (is_path_file or is_command or is_of_conda) or path.is_symlink() or not path.is_file():
        return
    if path.stat().st_size > (_LONGEST_TEXT if is_of_conda else _LONGEST_SCRIPT):
        return
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    if is_of_conda:
        moved = text
        for prefix in made.prefixes:  # as conda itself wrote it there
            moved = moved.replace(prefix, str(made.folder))
    elif is_path_file:
        moved = "".join(line if line.startswith("import") else made.moved(line) for line in text.splitlines(True))
    else:
        moved = _STARTS.sub(lambda line: _shebang(line[0], made), text)
    if moved != text:
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
        path.write_bytes(moved.encode("utf-8", "surrogateescape"))


def _shebang(line: str, made: EnvironmentCopy) -> str:
    for prefix in made.prefixes:
        line = line.replace(f"{prefix}/", f"{made.folder}/")
    return line


def fresh(target: InterpreterFacts, place: Path, name: str, *, sees_system: bool = False) -> EnvironmentCopy:
    """A new and empty virtual environment of the same Python, with its pip.

    ``sees_system``: the packages of that Python count in it, too.

    Raises:
        NotTriable: it cannot be made.
    """
    if target.prefix is None or sys.platform == "win32":
        raise NotTriable("no-copy")
    minor = ".".join((target.version or "").split(".")[:2])
    base = Path(target.base_prefix or target.prefix, "bin", f"python{minor}")
    folder = place / name
    seen = ["--system-site-packages"] if sees_system else []
    _make([str(base), "-I", "-m", "venv", "--symlinks", *seen, str(folder)], place)
    return EnvironmentCopy(target.path, _names(Path(target.prefix)), folder, folder / "bin" / "python", False, 0)


def _overlay(target: InterpreterFacts, prefix: Path, place: Path) -> EnvironmentCopy:
    folder = place / "overlay"
    is_seen = not _is_virtual(prefix) or sees_system(prefix)
    options = ["--without-pip", "--symlinks", *(["--system-site-packages"] if is_seen else [])]
    _make([target.path, "-I", "-m", "venv", *options, str(folder)], place)
    (site,) = folder.glob("lib/python*/site-packages")
    theirs = next(iter(prefix.glob("lib/python*/site-packages")), None)
    if _is_virtual(prefix) and theirs is not None:
        # addsitedir: the path files of the environment count as they do in it.
        (site / "naosu_users.pth").write_text(f"import site; site.addsitedir({str(theirs)!r})\n", "utf-8")
    return EnvironmentCopy(target.path, _names(prefix), folder, folder / "bin" / "python", True, 0)


def _make(command: Sequence[str], place: Path) -> None:
    """Make an environment. Neither the user's folder nor variables for Pythons have a say in it.

    Raises:
        NotTriable: it cannot be made.
    """
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_MAKING, stdin=subprocess.DEVNULL, cwd=place)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise NotTriable("no-copy") from error


def sees_system(prefix: Path) -> bool:
    """Whether a virtual environment sees the packages of the Python that it was made of."""
    config = read_config(prefix / "pyvenv.cfg") or {}
    return config.get("include-system-site-packages", "").lower() == "true"


def trial_variables(made: EnvironmentCopy | None, variables: Mapping[str, str]) -> dict[str, str]:
    """The user's variables as they are in the copy.

    Where the program runs the user's own files, in an overlay or without any copy, nothing is compiled into them.
    """
    moved = {name: made.moved(value) if made else value for name, value in variables.items()}
    if made is None or made.is_overlay:
        moved["PYTHONDONTWRITEBYTECODE"] = "1"
    if made is not None and made.is_overlay:
        moved["PATH"] = os.pathsep.join((str(made.python.parent), variables.get("PATH", os.defpath)))
    return moved
