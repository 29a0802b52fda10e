"""Make resources/knowledge/packages/names.toml of what tests/tools/public_names.py and stdlib_names.py wrote.

    python -m tests.tools.name_table FOLDER

A name is taken where it came or went while its module stayed; a module where it came or went while its package stayed.
What went and came back counts from its last coming on. Standard library: FOLDER/std-<version>.json.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "resources/knowledge/packages/names.toml"
HEAD = """\
# Made by tests/tools/name_table.py from the packages themselves; do not edit by hand. Names that no comparison shows (of
# compiled packages, of renamed ones) are in moved_names.toml.
# first: the oldest release read that has them, after one that had not; gone: the oldest release read without them, after
# one that had them. Of each minor version the last release was read. names: of this module; modules: whole modules; both with
# blanks between them, since TOML reads one long text many times faster than a list.
title = "Names that came to a package, or went, and with which release"
source = "the wheels of each release, read as syntax trees; the standard library of CPython 3.7 to 3.13"
checked = 2026-11-22
"""
# Modules whose names came later are worth a row, too: old releases are what users meet most with these.
NEW_NAMES = {
    "transformers": ("transformers",), "huggingface_hub": ("huggingface_hub", "huggingface_hub.utils", "huggingface_hub.errors"),
    "diffusers": ("diffusers",), "accelerate": ("accelerate", "accelerate.utils"), "peft": ("peft",), "datasets": ("datasets",),
    "typing_extensions": ("typing_extensions",), "jax": ("jax", "jax.tree_util", "jax.extend", "jax.sharding", "jax.tree"),
    "numpy": ("numpy", "numpy.exceptions", "numpy.lib", "numpy.linalg"), "ml_dtypes": ("ml_dtypes",), "pydantic": ("pydantic",), "trl": ("trl",), "timm": ("timm", "timm.layers", "timm.models"),
    "torchmetrics": ("torchmetrics",), "keras": ("keras",), "sentence-transformers": ("sentence_transformers",),
    "protobuf": ("google.protobuf", "google.protobuf.internal"), "flax": ("flax", "flax.linen", "flax.nnx"), "optax": ("optax",),
    "gradio": ("gradio",), "attrs": ("attr", "attrs"), "anyio": ("anyio",), "starlette": ("starlette",), "fastapi": ("fastapi",),
    "packaging": ("packaging",), "urllib3": ("urllib3",), "scikit-learn": ("sklearn.utils", "sklearn.metrics"), "onnx": ("onnx",),
}  # fmt: skip


def changes(
    releases: list[tuple[str, dict[str, set[str]]]], new_names: tuple[str, ...]
) -> dict[tuple[str, str, str], list[str]]:
    """(module or "", "first" or "gone", release) -> names, or modules where the module is ""."""
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    tops = {module.partition(".")[0] for _, modules in releases for module in modules}
    every = {module for _, modules in releases for module in modules}
    for module in sorted(every):
        has = [module in modules for _, modules in releases]
        parent = module.rpartition(".")[0]
        for (_, before), (version, after), had, has_it in zip(releases, releases[1:], has, has[1:]):
            # Of a package that is new or gone as a whole its parts tell nothing.
            whole = parent and (parent in before) != (parent in after)
            if had != has_it and not whole and (not has_it or _is_last(has, version, releases)):
                if not (had and any(has[[v for v, _ in releases].index(version) :])):
                    found["", "gone" if had else "first", version].append(module)
        names = {name for _, modules in releases for name in modules.get(module, ())}
        for name in sorted(names):
            there = [(version, name in modules[module]) for version, modules in releases if module in modules]
            for (_, had), (version, has_it) in zip(there, there[1:]):
                rest = [has for _, has in there[[v for v, _ in there].index(version) :]]
                if had and not has_it and not any(rest):
                    found[module, "gone", version].append(name)
                elif not had and has_it and (module in new_names or new_names == ("*",)) and not _comes_again(rest):
                    found[module, "first", version].append(name)
    return {key: value for key, value in found.items() if tops}


def _is_last(has: list[bool], version: str, releases: list[tuple[str, dict[str, set[str]]]]) -> bool:
    return not _comes_again(has[[v for v, _ in releases].index(version) :])


def _comes_again(rest: list[bool]) -> bool:
    return any(not one and other for one, other in zip(rest, rest[1:]))


def rows(package: str, releases: list[tuple[str, dict[str, set[str]]]], new_names: tuple[str, ...]) -> str:
    """The rows of one package."""
    lines = []
    known = changes(releases, new_names)
    # A module that went takes its names with it: they need no rows of their own.
    for (module, kind, version), names in sorted(known.items()):
        listed = " ".join(names)
        where = f'module = "{module}", names = "{listed}"' if module else f'modules = "{listed}"'
        lines.append(f'    {{ {kind} = "{version}", {where} }},')
    if not lines:
        return ""
    return (
        "\n".join(
            [
                f'\n[[package]]\nname = "{package.replace("_", "-")}"',
                f'oldest = "{releases[0][0]}"',
                f'newest = "{releases[-1][0]}"',
                "change = [",
                *lines,
                "]",
            ]
        )
        + "\n"
    )


def main() -> None:
    """Write the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--into", type=Path, default=TARGET)
    given = arguments.parse_args()
    out = [HEAD]
    std = sorted(given.folder.glob("std-*.json"), key=lambda path: [int(part) for part in path.stem[4:].split(".")])
    releases = [
        (path.stem[4:].rpartition(".")[0], {m: set(n) for m, n in json.loads(path.read_text()).items()}) for path in std
    ]
    out.append(rows("python", releases, ("*",)))
    for path in sorted((given.folder / "names").glob("*.json")):
        try:
            told = json.loads(path.read_text())
        except ValueError:
            continue
        releases = [(version, {m: set(n) for m, n in modules.items()}) for version, modules in told["releases"]]
        if len(releases) > 1:
            out.append(rows(told["package"], releases, NEW_NAMES.get(told["package"], ())))
    given.into.write_text("".join(out), encoding="utf-8")


if __name__ == "__main__":
    main()
