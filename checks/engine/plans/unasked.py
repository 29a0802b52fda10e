"""What is tried in the target where nobody showed the program that fails, nor named a statement of it.

The first use of what is installed, the cheapest of Python itself before it, and the imports of the scripts that lie
beside the environment. None of them runs code of the user's own: that takes his word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from checks.engine.request import Request
from checks.facts import InterpreterFacts, Package
from checks.interpreters.disk import absolute, is_file, is_folder, names_in
from checks.interpreters.import_names import import_names, metadata_folders
from checks.knowledge.packages.ai_packages import framework_of_package, is_examined
from checks.knowledge.packages.first_uses import first_uses, uses_of_python
from checks.knowledge.packages.import_packages import distributions_of, is_named, is_standard
from checks.knowledge.packages.known_packages import is_known_package
from checks.knowledge.packages.names import PYTHON, releases_with
from checks.readers.scripts.imports import imports_of

MOST_PACKAGES = {"quick": 10, "standard": 40, "thorough": 200}  # whose first use is tried, by effort
MOST_SCRIPTS = 20  # of a project
MOST_IMPORTS = 60  # of all of them
# Parts of frameworks and of CUDA, which are nothing to import, and what installs packages.
_SKIPPED = re.compile(
    r"nvidia.*|cuda.*|triton.*|libcu.*|jax-(?:cuda|rocm).*|tensorflow-io-gcs.*|tensorboard-data.*|intel-openmp|pip|wheel|"
    r"setuptools|typing-extensions"
)
_NO_PROGRAM = re.compile(r"(?:setup|conftest|noxfile|test_\w*|\w*_test)\.py|\..*", re.IGNORECASE)
_IMPORT = re.compile(r"(?:import|from) (?P<module>[\w.]+)(?: import (?P<name>\w+))?")


def uses_of_packages(target: InterpreterFacts, request: Request) -> dict[str, str]:
    """Statements of the installed packages that stand around the frameworks, and of others that we know.

    Each with its package; "python" stands for Python itself, which is tried where anything is.
    """
    uses: dict[str, str] = {}
    most = MOST_PACKAGES[request.answers.effort]
    wanted = [package for package in target.packages or () if _is_tried(package)]
    for location in dict.fromkeys(package.location for package in wanted if package.location):
        folders = metadata_folders(location)
        here = [package for package in wanted if package.location == location]
        around = [package for package in here if _is_around(package)]
        others = [package for package in here if not _is_around(package)]
        for package in (*around[:most], *others[:most]):
            for name in import_names(package, folders)[:1]:
                uses.setdefault(first_uses().get(package.name, f"import {name}"), package.name)
    computes = any(package.name in framework_of_package() for package in target.packages or ())
    return {**dict.fromkeys(uses_of_python(), PYTHON), **uses} if uses or computes else {}


def imports_of_scripts(target: InterpreterFacts, request: Request) -> dict[str, str]:
    """The imports of the project's scripts that are not of its own modules, each with its script."""
    imports: dict[str, str] = {}
    for folder in project_folders(target, request):
        names = names_in(folder)
        own = {name.partition(".")[0] for name in names}
        for name in scripts_in(folder):
            for statement in imports_of(folder / name):
                if _is_of_others(statement, own, target):
                    imports.setdefault(statement, str(folder / name))
    return dict(list(imports.items())[:MOST_IMPORTS])


def scripts_in(folder: Path) -> list[str]:
    """The names of what may be programs in a folder."""
    names = sorted(names_in(folder))
    return [name for name in names if name.endswith(".py") and not _NO_PROGRAM.fullmatch(name)][:MOST_SCRIPTS]


def project_folders(target: InterpreterFacts, request: Request) -> Iterator[Path]:
    """The folder that was named as the target, and the one in which its environment lies; no home as a whole."""
    named = absolute(request.target) if request.target else None
    found = [named] if named is not None and is_folder(named) else []
    prefix = absolute(target.prefix) if target.prefix else None
    if prefix is not None and is_file(prefix / "pyvenv.cfg"):
        found.append(prefix.parent)
    for folder in dict.fromkeys(found):
        if folder != Path.home() and not is_file(folder / "pyvenv.cfg"):
            yield folder


def _is_of_others(statement: str, own: set[str], target: InterpreterFacts) -> bool:
    """Whether it imports a known package, or what Python itself dropped; frameworks as a whole have their probes."""
    found = _IMPORT.match(statement)
    if found is None:
        return False
    module, first = found["module"], found["module"].partition(".")[0]
    if first in own:
        return False
    if is_standard(first) or releases_with(PYTHON, module) is not None:
        return releases_with(PYTHON, module, found["name"] or "") is not None
    if any(name in framework_of_package() for name in distributions_of(first)) and statement == f"import {first}":
        return target.package(*distributions_of(first)) is None
    return is_public(first, target)


def is_public(module: str, target: InterpreterFacts) -> bool:
    """Whether a module is of Python, of a known package or of an installed one: no code that only the user has."""
    return is_standard(module) or is_named(module) or target.package(*distributions_of(module)) is not None


def _is_tried(package: Package) -> bool:
    """Frameworks have probes of their own."""
    is_known = _is_around(package) or is_known_package(package.name)
    return is_known and package.name not in framework_of_package() and not _SKIPPED.fullmatch(package.name)


def _is_around(package: Package) -> bool:
    return is_examined(package.name) or bool(package.requires)
