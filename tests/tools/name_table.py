"""Make resources/knowledge/packages/names.toml of what tests/tools/public_names.py and stdlib_names.py wrote.

    python -m tests.tools.name_table FOLDER

What FOLDER says nothing of stays as it is.
A name is taken where it came or went while its module stayed; a module where it came or went while its package stayed.
What went and came back counts from its last coming on. Standard library: FOLDER/std-<version>.json.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "resources/knowledge/packages/names.toml"
HEAD = """\
# Made by tests/tools/name_table.py from the packages themselves; do not edit by hand. Names that no comparison shows
# (of compiled packages, of renamed ones) are in moved_names.toml.
# first: the oldest release read that has them, after one that had not; gone: the oldest release read without them,
# after one that had them. Of each minor version the last release was read. names: of this module; modules: whole
# modules; both with blanks between them, since TOML reads one long text many times faster than a list.
title = "Names that came to a package, or went, and with which release"
source = "the wheels of each release, read as syntax trees; the standard library of CPython 3.7 to 3.13"
checked = 2026-11-22
"""
# Modules whose names came later are worth a row, too: old releases are what users meet most with these.
NEW_NAMES = {
    "huggingface_hub": ("huggingface_hub", "huggingface_hub.utils", "huggingface_hub.errors"),
    "accelerate": ("accelerate", "accelerate.utils"),
    "jax": ("jax", "jax.tree_util", "jax.extend", "jax.sharding", "jax.tree"),
    "numpy": ("numpy", "numpy.exceptions", "numpy.lib", "numpy.linalg"),
    "timm": ("timm", "timm.layers", "timm.models"),
    "protobuf": ("google.protobuf", "google.protobuf.internal"),
    "flax": ("flax", "flax.linen", "flax.nnx"),
    "attrs": ("attr", "attrs"),
    "scikit-learn": ("sklearn.utils", "sklearn.metrics"),
    "sentence-transformers": ("sentence_transformers",),
}
ITSELF = (
    "transformers",
    "diffusers",
    "peft",
    "pydantic",
    "ml_dtypes",
    "typing_extensions",
    "trl",
    "optax",
    "gradio",
    "keras",
)
NEW_NAMES |= {package: (package,) for package in ITSELF}
ALL = "*"
Releases = list[tuple[str, dict[str, set[str]]]]  # version, module -> names; the oldest first


def turns(there: list[bool]) -> Iterator[tuple[str, int]]:
    """Where something came for the last time, and where it went for good: ("first" or "gone", place in the list)."""
    for at, (before, now) in enumerate(itertools.pairwise(there), start=1):
        if not before and now and not any(not one and other for one, other in itertools.pairwise(there[at:])):
            yield "first", at
        if before and not any(there[at:]):
            yield "gone", at


def changes(releases: Releases, new_names: tuple[str, ...]) -> dict[tuple[str, str, str], list[str]]:
    """(module or "", "first" or "gone", release) -> names, or modules where the module is ""."""
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for module in sorted({module for _, modules in releases for module in modules}):
        parent = module.rpartition(".")[0]
        for kind, at in turns([module in modules for _, modules in releases]):
            # Of a package that is new or gone as a whole its parts tell nothing, unless it came back without them.
            is_back = kind == "gone" and any(parent in modules for _, modules in releases[at:])
            if not parent or is_back or (parent in releases[at - 1][1]) == (parent in releases[at][1]):
                found["", kind, releases[at][0]].append(module)
        having = [(version, modules[module]) for version, modules in releases if module in modules]
        for name in sorted({name for _, names in having for name in names}):
            for kind, at in turns([name in names for _, names in having]):
                if kind == "gone" or module in new_names or ALL in new_names:
                    found[module, kind, having[at][0]].append(name)
    return found


def rows(package: str, releases: Releases, new_names: tuple[str, ...]) -> str:
    """The rows of one package."""
    lines = []
    for (module, kind, version), names in sorted(changes(releases, new_names).items()):
        listed = " ".join(names)
        where = f'module = "{module}", names = "{listed}"' if module else f'modules = "{listed}"'
        lines.append(f'    {{ {kind} = "{version}", {where} }},')
    if not lines:
        return ""
    oldest, newest = releases[0][0], releases[-1][0]
    head = ["", "[[package]]", f'name = "{package.replace("_", "-")}"', f'oldest = "{oldest}"', f'newest = "{newest}"']
    return "\n".join([*head, "change = [", *lines, "]", ""])


def _sets(modules: dict[str, list[str]]) -> dict[str, set[str]]:
    return {module: set(names) for module, names in modules.items()}


def main() -> None:
    """Write the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--into", type=Path, default=TARGET)
    given = arguments.parse_args()
    kept = _packages(given.into.read_text("utf-8")) if given.into.exists() else {}
    std = sorted(given.folder.glob("std-*.json"), key=lambda path: [int(part) for part in path.stem[4:].split(".")])
    releases = [(path.stem[4:].rpartition(".")[0], _sets(json.loads(path.read_text()))) for path in std]
    if releases:
        kept["python"] = rows("python", releases, (ALL,))
    for path in sorted((given.folder / "names").glob("*.json")):
        try:
            told = json.loads(path.read_text())
        except ValueError:
            continue
        releases = [(version, _sets(modules)) for version, modules in told["releases"]]
        if len(releases) > 1:
            package = told["package"]
            kept[package.replace("_", "-")] = rows(package, releases, NEW_NAMES.get(package, ()))
    order = sorted(kept, key=lambda package: (package != "python", package))
    given.into.write_text("".join((HEAD, *map(kept.__getitem__, order))), encoding="utf-8")


def _packages(table: str) -> dict[str, str]:
    """The rows of each package of a table that was made before."""
    found = (f"\n[[package]]\n{rows}" for rows in table.split("\n[[package]]\n")[1:])
    return {rows.split('name = "', 1)[1].partition('"')[0]: rows for rows in found}


if __name__ == "__main__":
    main()
