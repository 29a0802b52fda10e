"""What a fresh environment needs for the user's program: written down beside it, or seen in what is there."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from checks.facts import InterpreterFacts
from checks.interpreters.disk import absolute
from checks.knowledge.packages.import_packages import distributions_of, is_named
from checks.proof.changes import NewEnvironment, NotTriable
from checks.proof.copies.environment_copy import sees_system
from checks.readers.scripts.imports import imports_of

_INSTALLERS = frozenset(("pip", "setuptools", "wheel"))
_MADE_AGAIN = "recreate-environment"  # the remedy whose new environment has the same packages


def wanted_by(remedy: str, target: InterpreterFacts | None, command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """What a new environment needs: what is in one that is only made again, else what the program asks for.

    Raises:
        NotTriable: nobody knows.
    """
    return as_it_is(target) if remedy == _MADE_AGAIN else of_program(command, folder)


def made_as(new: NewEnvironment, remedy: str, target: InterpreterFacts | None) -> NewEnvironment:
    """How an environment is made: one that is only made again sees what the one of before saw."""
    prefix = Path(target.prefix) if target and target.prefix else None
    if remedy != _MADE_AGAIN or prefix is None or not sees_system(prefix):
        return new
    return dataclasses.replace(
        new, line=new.line.replace(" -m venv ", " -m venv --system-site-packages "), sees_system=True
    )


def as_it_is(target: InterpreterFacts | None) -> tuple[str, ...]:
    """The requirements that give the same packages in the same versions again.

    Raises:
        NotTriable: nobody knows what is there.
    """
    installed = (target.packages if target else None) or ()
    prefix = absolute(target.prefix) if target and target.prefix else None
    inside = [package for package in installed if prefix and absolute(package.location or "/").is_relative_to(prefix)]
    wanted = tuple(f"{package.name}=={package.version}" for package in inside if package.name not in _INSTALLERS)
    if not wanted:
        raise NotTriable("no-requirements")
    return wanted


def of_program(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The arguments for an installer: a requirements.txt beside the program, else the packages of its imports.

    Raises:
        NotTriable: there is neither, or a package of an import is not known by its name.
    """
    script = next((folder / word for word in command if word.endswith((".py", ".ipynb"))), None)
    for place in dict.fromkeys((script.parent if script else folder, folder)):
        if (place / "requirements.txt").is_file():
            return ("-r", str(place / "requirements.txt"))
    modules = [statement.split()[1] for statement in (imports_of(script) if script else ())]
    own = {path.stem for path in (script.parent.iterdir() if script and script.parent.is_dir() else ())}
    needed = [module for module in modules if module.partition(".")[0] not in own and distributions_of(module)]
    unknown = [module for module in needed if not is_named(module)]
    if not needed or unknown:
        raise NotTriable("no-requirements")
    return tuple(dict.fromkeys(distributions_of(module)[0] for module in needed))
