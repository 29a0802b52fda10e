"""The files themselves: YAML, JSON, templates, manifests and programs that lie beside weights.

None of it is a model, so a file that names nothing but what is known to be harmless is of no reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec

from checks.facts import NamedClass
from checks.knowledge.formats.loader_settings import LoaderSettingsTable, code_files
from checks.knowledge.formats.model_formats import SETTINGS
from checks.knowledge.formats.pickle_globals import DANGEROUS
from checks.readers.containers.folder import Folder
from checks.readers.containers.json_text import JSON_ERRORS
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.containers.yaml_tree import documents
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader
from checks.readers.models.settings.called import called, own_code
from checks.readers.models.settings.templates import reaching_names

_MOST = 4 * MIB  # bytes of settings
_MOST_SEARCHED = 64 * MIB  # ... of a larger file, in which only the signs are looked for
_MOST_CODE = MIB
_MOST_BRACKETS = 400_000
_MOST_CLASSES = 300
# What must stand in a file that cannot be read, for it to be said.
_SIGNS = re.compile(rb"_target_|_component_|python/object|!(?:apply|new|name|module):|auto_map|:serialized:")
_YAML, _JSON = (".yaml", ".yml"), (".json",)
_OF_CHATS = re.compile(r"chat[^/]*(?:/[^/]*)?$|(?:^|/)template\.jinja$", re.IGNORECASE)  # others write programs
_NO_SETTINGS = re.compile(r"(?:tokenizer|vocab|added_tokens|merges)\.json$|\.index\.json$")  # large, and only read


@file_reader(SETTINGS, rank=Rank.NAME)
def loader_settings(source: Source, beside: Folder) -> Reading | None:
    """Settings that name something of which it is not known that it is harmless."""
    name = PurePosixPath(source.name).name
    try:
        found = list(_found(source, name, beside))
    except Damaged as problem:
        return Reading(SETTINGS, problem=problem)
    if not found:
        return None
    unique = {(each.name, each.given): each for each in found}
    ordered = sorted(unique.values(), key=lambda each: (each.risk != DANGEROUS, each.name))
    return Reading(SETTINGS, classes=ordered[:_MOST_CLASSES])


def _found(source: Source, name: str, beside: Folder) -> Iterator[NamedClass]:
    ending = PurePosixPath(name).suffix.lower()
    if ending == ".jinja":
        if _OF_CHATS.search(f"{_place(beside)}{name}") and (names := reaching_names(_text(source, _MOST))):
            yield NamedClass(name=name, risk=DANGEROUS, given=names)
    elif ending == ".py":
        yield from _code(source, name, beside)
    elif name == "MLmodel":
        yield from _mlflow(_trees(source, is_yaml=True))
    elif ending in _YAML:
        for tree in _trees(source, is_yaml=True):
            yield from called(tree)
    elif (ending in _JSON and not _NO_SETTINGS.search(name)) or (
        name == "data" and source.size and source.read(0, 1) == b"{"
    ):
        for tree in _trees(source, is_yaml=False):
            yield from called(tree)
            if name == "MANIFEST.json":
                yield from _torchserve(tree)


def _trees(source: Source, *, is_yaml: bool) -> Iterator[Any]:
    """The settings in a file.

    Raises:
        Damaged: they cannot be read, and there are signs that something in them is called.
    """
    if source.size > _MOST:
        if source.size <= _MOST_SEARCHED and _SIGNS.search(source.read(0, source.size)):
            raise Damaged("too-large", f"{source.size} bytes of settings")
        return
    data = source.read(0, source.size)
    if not is_yaml and data.count(b"{") + data.count(b"[") > _MOST_BRACKETS:
        if _SIGNS.search(data):
            raise Damaged("too-large", f"more than {_MOST_BRACKETS} brackets")
        return
    try:
        yield from documents(data.decode("utf-8-sig")) if is_yaml else [_json(data)]
    except (Damaged, UnicodeDecodeError, *JSON_ERRORS, ValueError) as error:
        if _SIGNS.search(data):
            raise Damaged("yaml-damaged" if is_yaml else "json-damaged", str(error)[:300]) from error


def _json(data: bytes) -> Any:
    """As Python reads it, which takes NaN, too."""
    try:
        return msgspec.json.decode(data)
    except JSON_ERRORS:
        return json.loads(data)


def _text(source: Source, most: int) -> str:
    return source.read(0, min(source.size, most)).decode("utf-8", "replace")


def _code(source: Source, name: str, beside: Folder) -> Iterator[NamedClass]:
    """A program that a loader runs by the name of its file."""
    path = source.name if "/" in source.name else f"{_place(beside)}{name}"
    rows = [row for row in code_files() if row[0].search(path)]
    if rows:
        text = _text(source, _MOST_CODE)
        yield from (own_code(f"{name} ({loader})") for _, holds, loader in rows if holds.search(text))


def _place(beside: Folder) -> str:
    return f"{beside.name}/"


def _torchserve(tree: Any) -> Iterator[NamedClass]:
    model = tree.get("model") if isinstance(tree, dict) else None
    handler = model.get("handler") if isinstance(model, dict) else None
    if isinstance(handler, str) and handler not in LoaderSettingsTable.read().handlers:
        yield own_code(handler)


def _mlflow(trees: Iterator[Any]) -> Iterator[NamedClass]:
    for tree in trees:
        yield from called(tree)
        flavors = tree.get("flavors") if isinstance(tree, dict) else None
        flavor = flavors.get("python_function") if isinstance(flavors, dict) else None
        if not isinstance(flavor, dict):
            continue
        loader = flavor.get("loader_module")
        if isinstance(loader, str) and loader not in LoaderSettingsTable.read().mlflow_loaders:
            yield own_code(loader)
        for key in ("code", "model_code_path"):
            if isinstance(value := flavor.get(key), str):
                yield own_code(value)
