"""YAML of a stranger as a tree with its tags: nothing is constructed, no alias is written out, all of it has a bound.

The document is read event by event: what is nested 10^5 deep would overflow the stack of the parser's own composer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from checks.readers.containers.source import Damaged

_DEEPEST = 100
_MOST = 200_000  # events


@dataclass
class Tagged:
    """A value with a tag of its own, with everything below it: ``value`` is a text, a list or a dictionary."""

    tag: str
    value: Any


@dataclass
class _Open:
    """A list or mapping whose end has not come yet."""

    value: list[Any] | dict[Any, Any]
    tag: str
    anchor: str
    keys: list[Any] = field(default_factory=list)  # the key that waits for its value


def documents(text: str) -> Iterator[Any]:
    """Each document as dictionaries, lists and texts, with ``Tagged`` in the place of what has a tag; keys are texts.

    Raises:
        Damaged: "yaml-damaged" or "too-large".
    """
    import yaml  # late: few models need it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    stack: list[_Open] = []
    anchors: dict[str, Any] = {}
    top: list[Any] = []
    try:
        for count, event in enumerate(yaml.parse(text, Loader=loader)):
            if count > _MOST or len(stack) > _DEEPEST:
                raise Damaged("too-large", f"more than {_MOST} values, or deeper than {_DEEPEST}")
            if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
                stack.append(_Open(value, _own(event.tag), event.anchor or ""))
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                ended = stack.pop()
                _put(stack, top, _tagged(ended.value, ended.tag), ended.anchor, anchors)
            elif isinstance(event, yaml.ScalarEvent):
                _put(stack, top, _tagged(event.value, _own(event.tag)), event.anchor or "", anchors)
            elif isinstance(event, yaml.AliasEvent):
                _put(stack, top, anchors.get(event.anchor, ""), "", anchors)
            elif isinstance(event, yaml.DocumentEndEvent):
                yield from top
                top, anchors = [], {}
    except (yaml.YAMLError, UnicodeError, ValueError) as error:
        raise Damaged("yaml-damaged", str(error)[:300]) from error


def _own(tag: str | None) -> str:
    """A tag that is none of YAML's own for plain values."""
    return "" if tag in (None, "!") or (str(tag).startswith("tag:yaml.org,2002:") and "/" not in str(tag)) else str(tag)


def _tagged(value: Any, tag: str) -> Any:
    return Tagged(tag, value) if tag else value


def _put(stack: list[_Open], top: list[Any], value: Any, anchor: str, anchors: dict[str, Any]) -> None:
    """A value that is complete, into what is open around it."""
    if anchor:
        anchors[anchor] = value
    if not stack:
        top.append(value)
        return
    around = stack[-1]
    if isinstance(around.value, list):
        around.value.append(value)
    elif not around.keys:
        around.keys.append(value)
    else:
        key = around.keys.pop()
        # A key that is no text is kept beside, so that nothing in it is lost.
        around.value[key if isinstance(key, str) else f"\0{len(around.value)}"] = (
            value if isinstance(key, str) else [key, value]
        )
