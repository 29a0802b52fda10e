"""What settings name that a loader calls: hydra and its like, tags of YAML, fiddle, Hugging Face, servers."""

from __future__ import annotations

import base64
import binascii
import contextlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from checks.facts import NamedClass
from checks.knowledge.formats.loader_settings import LoaderSettingsTable, risk_of_call
from checks.knowledge.formats.pickle_globals import DANGEROUS, KNOWN, UNKNOWN
from checks.readers.containers.pickles.read import read_pickle
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.containers.yaml_tree import Tagged, documents
from checks.readers.models.pytorch.pickled_objects import named_classes
from checks.readers.models.settings.templates import reaching_names

_LONGEST = 200  # characters of a name that is shown
_LONGEST_VALUE = 60  # ... of what it is called with
_MOST_VALUES = 500_000
_LONGEST_TEXT = 1 << 20
# Tags by which PyYAML's loaders call or import, and those of HyperPyYAML.
_CALLS = ("python/object/apply:", "python/object/new:", "python/object:", "python/name:", "python/module:")
_HYPER = ("!apply:", "!new:", "!name:", "!module:")
# Fiddle keeps what is made as {"type": "pyref", "module": ..., "name": ...}.
_PYREF = "pyref"
_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")


def called(value: Any) -> Iterator[NamedClass]:
    """Everything in a tree of settings that is imported, called, or loaded by its name."""
    waiting = [value]
    seen: set[int] = set()
    count = 0
    while waiting and count < _MOST_VALUES:
        count += 1
        here = waiting.pop()
        if isinstance(here, Tagged):
            yield from _by_tag(here)
            waiting.append(here.value)
        elif isinstance(here, dict) and id(here) not in seen:
            seen.add(id(here))  # aliases of YAML lead to one and the same again and again
            yield from _in_mapping(here)
            waiting += here.values()
        elif isinstance(here, list) and id(here) not in seen:
            seen.add(id(here))
            waiting += here


def called_in_texts(texts: Iterable[str]) -> tuple[NamedClass, ...]:
    """The same in settings that are values of other ones: JSON, or Python's own way to write them."""
    found: dict[str, NamedClass] = {}
    for text in texts:
        if "_target_" in text and len(text) <= _LONGEST_TEXT:
            with contextlib.suppress(Damaged):  # YAML reads both
                found |= {each.name: each for tree in documents(text) for each in called(tree)}
    return tuple(found.values())


def own_code(name: str) -> NamedClass:
    """Code of the model's own, of which nobody knows what it does."""
    return NamedClass(name=name[:_LONGEST], risk=UNKNOWN)


def _by_tag(here: Tagged) -> Iterator[NamedClass]:
    found = here.tag.removeprefix("tag:yaml.org,2002:")
    prefix = next((each for each in (*_CALLS, *_HYPER) if found.startswith(each)), None)
    if prefix is not None:
        yield from _named(found[len(prefix) :], here.value)


def _in_mapping(here: dict[Any, Any]) -> Iterator[NamedClass]:
    for row in LoaderSettingsTable.read().called_by:
        name = here.get(row.key)
        if isinstance(name, str) and _is_path(name) and (not row.with_ or here.keys() & set(row.with_)):
            found = _named(name, {key: each for key, each in here.items() if key != row.key})
            yield from (each for each in found if row.is_sure or each.risk == DANGEROUS)
    if here.get("type") == _PYREF and isinstance(here.get("module"), str) and isinstance(here.get("name"), str):
        yield from _named(f"{here['module']}.{here['name']}", None)
    if isinstance(here.get("__module__"), str) and isinstance(here.get("__class__"), str) and "__loader__" in here:
        yield from _in_skops(here)
    if isinstance(packed := here.get(":serialized:"), str):
        yield from _packed(packed)
    yield from _of_hugging_face(here)


def _is_path(name: str) -> bool:
    """A dotted name, or one that is put together while it is read."""
    return _PATH.fullmatch(name) is not None or "${" in name


def _named(path: str, given: Any) -> Iterator[NamedClass]:
    # A name that stands elsewhere is filled in by the loader: it can be any.
    risk = UNKNOWN if "${" in path or "!" in path else risk_of_call(path)
    if risk != KNOWN:
        yield NamedClass(name=path[:_LONGEST], risk=risk, given=_told(given) if risk == DANGEROUS else "")


def _told(given: Any) -> str:
    """What something is called with, in short."""
    if isinstance(given, dict):
        parts = [f"{key}={_text(each)}" for key, each in given.items() if not str(key).startswith("\0")]
    elif isinstance(given, list):
        parts = [_text(each) for each in given]
    else:
        return ""
    return ", ".join(parts)[:_LONGEST_VALUE]


def _text(value: Any, *, is_inner: bool = False) -> str:
    if isinstance(value, str):
        return repr(value[:_LONGEST_VALUE])
    if isinstance(value, list) and not is_inner:  # aliases can make a list of lists that never ends
        return "[" + ", ".join(_text(each, is_inner=True) for each in value[:4]) + "]"
    return "…"


def _in_skops(here: dict[Any, Any]) -> Iterator[NamedClass]:
    yield from _named(f"{here['__module__']}.{here['__class__']}", None)
    held = here.get("content")
    if isinstance(held, dict) and isinstance(held.get("module_path"), str):
        yield from _named(f"{held['module_path']}.{held.get('function')}", None)


def _packed(text: str) -> Iterator[NamedClass]:
    """A pickle as stable-baselines3 writes it into JSON."""
    try:
        data = base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return
    found = read_pickle(of_bytes(data, "data"))
    yield from (each for each in named_classes([found]) if each.risk != KNOWN)


def _of_hugging_face(here: dict[Any, Any]) -> Iterator[NamedClass]:
    table = LoaderSettingsTable.read()
    for named in _values(here.get("auto_map")):
        yield own_code(named)
    for pipeline in _values(here.get("custom_pipelines")):
        yield own_code(pipeline)
    mapping = here.get("auto_mapping")
    library = mapping.get("parent_library") if isinstance(mapping, dict) else None
    if isinstance(library, str) and library.partition(".")[0] not in table.libraries:
        yield from _named_module(library)
    if "_diffusers_version" in here:
        yield from _of_diffusers(here)
    for key in ("chat_template", "template"):
        if isinstance(text := here.get(key), str) and (names := reaching_names(text)):
            yield NamedClass(name="chat_template", risk=DANGEROUS, given=names)
    kind = here.get("type")
    if isinstance(kind, str) and {"idx", "path"} <= here.keys() and _is_path(kind):
        yield from _named(kind, None)


def _of_diffusers(here: dict[Any, Any]) -> Iterator[NamedClass]:
    """The parts of a pipeline: each [library, class], where a library that is none is a file of the folder."""
    known = LoaderSettingsTable.read().libraries
    for part, pair in here.items():
        is_pair = isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)
        if is_pair and (part == "_class_name" or pair[0].partition(".")[0] not in known):
            yield own_code(f"{pair[0]}.{pair[1]}")


def _named_module(module: str) -> Iterator[NamedClass]:
    risk = risk_of_call(f"{module}.import")
    yield NamedClass(name=module[:_LONGEST], risk=DANGEROUS if risk == DANGEROUS else UNKNOWN)


def _values(table: Any) -> Iterator[str]:
    """All texts of a table of texts, lists of texts, and tables with "impl"."""
    for value in table.values() if isinstance(table, dict) else ():
        held = value.get("impl") if isinstance(value, dict) else value
        yield from (each for each in (held if isinstance(held, list) else [held]) if isinstance(each, str))
