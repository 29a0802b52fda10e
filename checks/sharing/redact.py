"""What must not leave the machine: names, homes, hosts, addresses, serial numbers, keys.

The texts of a case are hidden together (checks/readers/private/hiding.py), so that a placeholder stands for the same
value in all of them. The rules are a table, resources/knowledge/tickets/redaction.toml. Fields of our own words pass
where they hold a word, groups pass by an allow list.
"""

from __future__ import annotations

import functools
import getpass
import platform
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from checks.facts.case import Case
from checks.knowledge.phrases import phrases
from checks.prepared import prepared
from checks.readers.private.hiding import Own, Redaction, learned
from checks.readers.private.names import Names

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
# Fields of checks/facts/ and finding.py that hold ids and words of ours.
_OURS = frozenset(
    (
        "cause",
        "severity",
        "status",
        "reason",
        "kind",
        "probe",
        "remedies",
        "subject",
        "symptom",
        "exactness",
        "effort",
        "created",
        "naosu",
        "nvml",
        "outcome",
        "runtime",
        "system",
        "distribution",
        "architecture",
        "package_manager",
        "package_managers",
        "installer",
        "implementation",
        "compute_mode",
        "field",
        "fact",
    )
)
_RELEASED = ("package", "python", "system-package")  # kinds of changes that are from one release to another
_COMMANDS = ("command", "arguments")  # a list of words


class Hidden(msgspec.Struct, frozen=True):
    """One value that is hidden. ``kind`` as in redaction.toml; ``value`` as it was first written; ``shown`` for it."""

    kind: str
    value: str
    shown: str


class Redacted(msgspec.Struct, frozen=True):
    """A case without what identifies people and machines."""

    case: Case
    hidden: tuple[Hidden, ...]

    @property
    def replaced(self) -> dict[str, int]:
        """Kind -> number of different values."""
        return dict(Counter(one.kind for one in self.hidden))


def this_machine() -> Own:
    """The names of this machine, as far as the system tells them."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):
        user = ""
    try:
        home = str(Path.home())
    except RuntimeError:
        home = ""
    return Own(user=user, home=home, host=platform.node())


def redact(case: Case, own: Own | None = None, words: Iterable[str] = (), keep: Iterable[str] = ()) -> Redacted:
    """The case with everything hidden that must not leave the machine.

    ``words`` are the user's own: a project, a customer. ``keep``: values that stay all the same, but for secrets.
    Doing it twice hides no more than doing it once.
    """
    own = this_machine() if own is None else own
    plain = msgspec.to_builtins(case)
    texts = list(texts_of(plain))
    names = learned((text for _, text in texts), case.facts.target or "", own)
    for field_name, text in texts:
        if field_name in ("group", "groups"):
            names.group(text)
    for word in words:
        names.word(word)
    for value in keep:
        names.keep(value)
    clean = _replace(plain, "", Redaction(names))
    hidden = tuple(Hidden(kind, names.spelt[shown], shown) for (kind, _), shown in names.given.items())
    return Redacted(msgspec.convert(clean, prepared(Case)), hidden)


def redacted_plain(plain: Any, target: str = "", own: Own | None = None) -> Any:
    """Plain data of ours that is no case, with the same hidden in it. ``target``: the examined Python's path."""
    own = this_machine() if own is None else own
    names = learned((text for _, text in texts_of(plain)), target, own)
    return _replace(plain, "", Redaction(names))


def redacted_texts(
    texts: Sequence[str], around: Iterable[str] = (), own: Own | None = None, words: Iterable[str] = ()
) -> tuple[str, ...]:
    """Some short texts with the same hidden in them.

    ``around``: the texts they are from, which tell whose names to hide. ``words``: the user's own.
    """
    names = learned((*texts, *around), "", this_machine() if own is None else own)
    for word in words:
        names.word(word)
    redaction = Redaction(names)
    return tuple(redaction.hide(text, "text") for text in texts)


def without_secrets(case: Case) -> Case:
    """The case for a terminal: its owner reads names and pastes paths, but what they copy holds no key or password."""
    return msgspec.convert(
        _replace(msgspec.to_builtins(case), "", Redaction(Names(), only_secrets=True)), prepared(Case)
    )


def secretless(text: str) -> str:
    """A text without keys and passwords; names and paths stay."""
    return Redaction(Names(), only_secrets=True).hide(text, "text")


def texts_of(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """All texts of plain data with the names of their fields; a command and a variable also as they are written."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in _fields():
                yield name, key
                if isinstance(inner, str) and _VARIABLE.fullmatch(key):
                    yield name, f"{key}={inner}"
            yield from texts_of(inner, name if name == "unread" else str(key))
    elif isinstance(value, (list, tuple)):
        if name in _COMMANDS:
            yield name, " ".join(map(str, value))
        for inner in value:
            yield from texts_of(inner, name)


def _replace(value: Any, name: str, redaction: Redaction) -> Any:
    """The same plain data with every text redacted, by the name of its field."""
    if isinstance(value, str):
        is_ours = (name in _OURS and redaction.is_plain(value)) or (name == "key" and value in phrases())
        return value if is_ours else redaction.hide(value, name)
    if isinstance(value, (list, tuple)) and name in _COMMANDS and all(isinstance(word, str) for word in value):
        return list(_command_line(value, redaction))
    if isinstance(value, (list, tuple)):
        return [_replace(inner, name, redaction) for inner in value]
    if isinstance(value, dict):
        as_version = ("before", "after") if value.get("kind") in _RELEASED else ()
        fields = ((key, "version" if key in as_version else key, inner) for key, inner in value.items())
        return dict(_replaced_entry(key, inner, name, redaction, as_field) for key, as_field, inner in fields)
    return value


def _command_line(words: Sequence[str], redaction: Redaction) -> Iterator[str]:
    """The words of a command: "--token" says what the next one is."""
    for before, word in zip(("", *words), words, strict=False):
        shown = redaction.hide(f"{before} {word}", "command") if before.startswith("-") else ""
        told = shown.startswith(f"{before} <") and not word.startswith("-")
        yield shown[len(before) + 1 :] if told else redaction.hide(word, "command")


def _replaced_entry(key: str, value: Any, name: str, redaction: Redaction, as_field: str) -> tuple[str, Any]:
    """An entry of a dictionary: a field of ours keeps its name, and the name of a variable tells what its value is."""
    shown = key if key in _fields() or redaction.is_plain(key) else redaction.hide(key, name)
    hidden = _replace(value, name if name == "unread" else as_field, redaction)
    if isinstance(hidden, str) and _VARIABLE.fullmatch(key):
        before, _, behind = redaction.hide(f"{key}={hidden}", key).partition("=")
        hidden = behind if before == key else hidden
    return shown, hidden


@functools.cache
def _fields() -> frozenset[str]:
    """The names of all fields of a case."""
    _, types = msgspec.json.schema_components([Case])
    return frozenset(name for type_ in types.values() for name in type_.get("properties", ()))
