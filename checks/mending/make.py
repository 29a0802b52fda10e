"""A new environment that was proven is made beside the user's program, to stay, with a lock file of what is in it.

It has the releases with which the program was seen to work in the trial. The environment of before stays as it is.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from checks.facts import InterpreterFacts, Proof
from checks.interpreters.layout import EXECUTABLE
from checks.mending import permission
from checks.mending.permission import NotMended
from checks.proof.apply import Ground
from checks.proof.changes import Installed, NewEnvironment, changes_in
from checks.proof.copies.environment_copy import fresh
from checks.proof.requirements import wanted_by
from checks.proof.resolving.pip_settings import for_uv, pip_settings
from checks.proof.resolving.resolver import uv_program
from checks.proof.trial import command_in
from checks.proof.witness import Witness

_LEAST = 2  # commands: it is made, and gets what the program asks for
_MOST_NAMES = 9
_HASHING = 120.0  # seconds


@dataclasses.dataclass(frozen=True)
class New:
    """What is to be made. ``change``: as it was proven; ``behind``: what is installed after the program's packages.

    ``command``: what failed, as it is started in it.
    """

    folder: Path
    change: NewEnvironment
    wanted: tuple[str, ...]
    behind: tuple[Installed, ...]
    releases: tuple[str, ...]
    command: tuple[str, ...] = ()

    @property
    def lock(self) -> Path:
        """The lock file: what is in it to the release, with the index's hashes, as pip and uv read it."""
        return self.folder.with_name(f"{self.folder.name}.lock.txt")

    @property
    def commands(self) -> tuple[str, ...]:
        """What is done, as its user would paste it in the folder of the program."""
        named = self.change.line.replace(self.change.folder, self.folder.name)
        return (named, f"{self.folder.name}/bin/python -m pip install -r {self.lock.name}")


def new_of(proof: Proof, target: InterpreterFacts | None, witness: Witness) -> New:
    """The environment that a proof made and threw away, in the folder in which the program is started.

    Raises:
        NotMended: it may not be made there, or a failure that came to light behind the first was mended with it.
        NotTriable: what it needs is not known any more.
    """
    if permission.is_administrator():
        raise NotMended("root")
    if sys.platform == "win32":
        raise NotMended("windows")
    lines = proof.commands
    (change, *_) = changes_in(lines[:1], target.path if target else "python")
    if not isinstance(change, NewEnvironment) or proof.then or not proof.releases or len(lines) < _LEAST:
        raise NotMended("new-environment")
    behind = changes_in(lines[2:], f"{change.folder}/bin/python")
    place = Path(witness.folder)
    if not place.is_dir() or place.stat().st_uid != os.geteuid() or not os.access(place, os.W_OK):
        raise NotMended("of-another", path=str(place), owner="?")
    folder = _free(place, change.folder)
    return New(
        folder=folder,
        change=change,
        wanted=wanted_by(proof.remedy, target, witness.command, place),
        behind=tuple(one for one in behind if isinstance(one, Installed)),
        releases=proof.releases,
        command=(_program_in(folder, witness, target), *witness.command[1:]),
    )


def _program_in(folder: Path, witness: Witness, target: InterpreterFacts | None) -> str:
    """What is started in a new environment: its Python, or its command of the same name."""
    program = Path(witness.command[0])
    is_of_old = target is not None and target.prefix is not None and program.is_relative_to(target.prefix)
    if EXECUTABLE.fullmatch(program.name):
        return str(folder / "bin" / "python")
    return str(folder / "bin" / program.name) if is_of_old else witness.command[0]


def _free(place: Path, name: str) -> Path:
    for number in range(1, _MOST_NAMES + 1):
        folder = place / (name if number == 1 else f"{name}-{number}")
        if not os.path.lexists(folder) and not os.path.lexists(folder.with_name(f"{folder.name}.lock.txt")):
            return folder
    raise NotMended("place-taken", path=str(place / name))


def make(
    new: New, target: InterpreterFacts, variables: Mapping[str, str], cancelled: Callable[[], bool], room: Path
) -> Ground:
    """Make it in its folder, which is there and holds nothing of a Python. ``room``: for what installers leave.

    Raises:
        NotApplied: an installer failed.
        NotTriable: it cannot be made, it took too long, or there is no room.
        Cancelled: somebody asked to end.
    """
    empty = fresh(target, new.folder.parent, new.folder.name, sees_system=new.change.sees_system)
    made = dataclasses.replace(empty, room=room)
    ground = Ground.new(made, variables, cancelled, target)
    limits = room / "releases.txt"
    limits.write_text("".join(f"{release}\n" for release in new.releases), "utf-8")
    limited = f"--constraint={limits}"
    ground.install((*new.wanted, limited), new.change)
    ground.apply(tuple(dataclasses.replace(one, arguments=(*one.arguments, limited)) for one in new.behind))
    return ground


def write_lock(new: New, ground: Ground, variables: Mapping[str, str], room: Path) -> None:
    """Write down what is in it, with the hashes that the index tells our own uv. ``room``: for what uv leaves.

    Raises:
        OSError: it cannot be written.
    """
    python = new.folder / "bin" / "python"
    listed, hashed = room / "installed.txt", room / "hashed.txt"
    listed.write_text("".join(f"{release}\n" for release in ground.releases()), "utf-8")
    options, named = for_uv(pip_settings(str(new.folder), variables))
    uv = uv_program(variables)
    command = (uv, "pip", "compile", str(listed), "--no-deps", "--generate-hashes", "--no-annotate", "--no-header")
    more = ("--quiet", "--python", str(python), "--index-strategy", "unsafe-best-match", "--output-file", str(hashed))
    plain = {name: value for name, value in variables.items() if not name.startswith("UV_")}
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        subprocess.run(
            (*command, *more, *options),
            env={**plain, **named, "UV_CACHE_DIR": str(room / "cache")},
            capture_output=True,
            check=True,
            timeout=_HASHING,
            stdin=subprocess.DEVNULL,
            cwd=room,
        )
    text = (hashed if hashed.is_file() else listed).read_text("utf-8")
    new.lock.write_text(f"# {python.resolve().name}\n{text}", "utf-8")


def witness_in(ground: Ground, witness: Witness, variables: Mapping[str, str]) -> Witness:
    """What failed, as it is started in the new environment. ``variables``: of the user."""
    assert ground.made is not None  # noqa: S101 - asked of new environments only
    command = command_in(ground.made, witness, variables)
    return dataclasses.replace(witness, command=command)
