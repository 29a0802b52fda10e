"""What must not leave the machine: names, homes, hosts, addresses, serial numbers, keys.

Two passes. The first learns who and what is named anywhere in the case (a user from a home folder, a host from a shell
prompt); the second hides it everywhere, in every spelling, under one placeholder for the whole report (``<user-1>``),
with all that has the form of a secret. The rules are a table, resources/knowledge/tickets/redaction.toml. The home
folder of the examined interpreter's user becomes ``~``, which a command can still use. Fields of our own words pass
where they hold a word, groups pass by an allow list. Where a text cannot be redacted, it is dropped, never kept.
"""

from __future__ import annotations

import functools
import getpass
import logging
import platform
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from checks.facts.case import Case
from checks.knowledge.phrases import phrases
from checks.knowledge.tickets.redaction import KnownWords
from checks.prepared import prepared
from checks.sharing.private import scan
from checks.sharing.private.chance import random_runs
from checks.sharing.private.homes import SPACED, Home, homes
from checks.sharing.private.names import NOTHING_SEEN, Names, Seen, folded, folded_root, is_common_group

log = logging.getLogger(__name__)

DROPPED = "<dropped>"

# Fields of checks/facts/ and finding.py that hold ids and words of ours, or numbers and versions as text; and what
# such a value looks like, because a file that was sent, or a broken package, may hold anything there.
_WORD = re.compile(r"[\w.:+-]{0,64}", re.ASCII)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
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
# Fields that hold versions: "12.4.5.8" is no address there.
_VERSIONS = re.compile(r"version|vbios|^requires|^tags$|^driver|jetpack|release|kernel|build|plugins|driver_min")
_RELEASED = ("package", "python", "system-package")  # kinds of changes that are from one release to another
_COMMANDS = ("command", "arguments")  # a list of words
_GPU_UUID = scan.compiled(r"(?i)\bGPU-([0-9a-f]{4,}[0-9a-f-]*)\b")
_SECRETS, _ADDRESSES, _PEOPLE = 2, 4, 5  # the turns of the rules that these are of


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


@dataclass(frozen=True)
class Own:
    """Names of the machine and the account under which Naosu runs."""

    user: str = ""
    home: str = ""
    host: str = ""


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


# --- the first pass --------------------------------------------------------------------------------------------------


def learned(texts: Iterable[str], target: str, own: Own) -> Names:
    """Who and what is named anywhere."""
    names = Names()
    names.own_home(target)
    names.own_home(own.home)
    names.user(own.user)
    names.host(own.host)
    for text in dict.fromkeys(texts):
        _learn(text, names)
    return names


def _learn(text: str, names: Names) -> None:
    """Who and what a text names. What is found until something will be hidden is kept: hiding need not look again."""
    names.numbering_after(text)
    data = text.encode("utf-8", "replace")
    found_homes = tuple(homes(data))
    for user in dict.fromkeys(home.user for home in found_homes):
        names.user(user)
        if (start := _latin_start(user)) != user:
            names.user(start)
    learn = {"user": names.user, "host": names.host, "secret": names.secret}
    quiet_until = loud = 0
    first: tuple[scan.Hit, ...] = ()
    for turn, scanner in scan.turns().items():
        if loud and turn not in scan.teaching_turns():
            continue
        hits = tuple(scanner.hits(data))
        for hit in hits:
            if hit.rule.teaches or hit.rule.kind == "secret":
                learn[hit.rule.kind](hit.value)
        if hits and not loud:
            loud, first = turn, hits
        elif not loud:
            quiet_until = turn
    if text.isascii() or data == text.encode("utf-8", "surrogatepass"):
        names.seen[text] = Seen(quiet_until, loud, first, found_homes)


def _latin_start(name: str) -> str:
    """The Latin letters that a name begins with: Japanese text may follow it without a space."""
    return re.match(f"[{SPACED}_.+-]*", name)[0]  # type: ignore[index]  # it always matches


# --- the second pass -------------------------------------------------------------------------------------------------


@dataclass
class Redaction:
    """Hiding text after text, with the same placeholder for the same value."""

    names: Names
    only_secrets: bool = False
    _done: dict[tuple[str, str], str] = field(default_factory=dict)
    _plain: dict[str, bool] = field(default_factory=dict)

    def hide(self, text: str, name: str) -> str:
        """One text, redacted. ``name``: its field."""
        key = (text, "group" if name in ("group", "groups") else "version" if _VERSIONS.search(name) else "")
        if key not in self._done:
            try:
                self._done[key] = self._hidden(text, key[1])
            except Exception:  # whatever went wrong: a text that may hold a secret must not stay
                log.exception("a text of the field %s was dropped", name)
                self._done[key] = DROPPED
        return self._done[key]

    def is_plain(self, word: str) -> bool:
        """Whether a word of ours, or the name of a variable, is nothing else: neither a key nor somebody's name."""
        if word not in self._plain:
            data = word.encode("utf-8", "replace")
            is_secret = next(iter(scan.turns()[_SECRETS].hits(data)), None) is not None or bool(random_runs(data))
            self._plain[word] = _WORD.fullmatch(word) is not None and not is_secret and self.names.hide(data) == data
        return self._plain[word]

    def _hidden(self, text: str, what: str) -> str:
        names = self.names
        if what == "group" and not self.only_secrets:
            return text if is_common_group(text) else names.placeholder("group", text)
        data = whole = text.encode("utf-8", "surrogatepass")
        seen = names.seen.get(text, NOTHING_SEEN)
        for turn, scanner in scan.turns().items():
            if self.only_secrets and turn > _SECRETS:
                break
            if turn == _PEOPLE:
                data = self._without_parts_of_uuids(data)
                data = self._without_homes(
                    data, seen.homes if data is whole and seen is not NOTHING_SEEN else homes(data)
                )
            is_quiet = turn <= seen.quiet_until and data is whole
            if not is_quiet and (turn != _ADDRESSES or what != "version"):
                hits = seen.hits if turn == seen.loud and data is whole else scanner.hits(data)
                data = scan.replaced(data, hits, names.named)
        data = names.hide(data)
        parts, place = [], 0
        for start, end in random_runs(data):
            parts += [data[place:start], names.placeholder("secret", data[start:end].decode()).encode()]
            place = end
        return b"".join((*parts, data[place:])).decode("utf-8", "surrogatepass")

    def _without_homes(self, text: bytes, found: Iterable[Home]) -> bytes:
        names, parts, place = self.names, [], 0
        for home in found:
            plain = folded(home.user)
            is_own = (folded_root(home.root), plain) in names.homes
            is_nobody = plain in KnownWords.read().no_people or (not is_own and plain in KnownWords.read().words)
            if is_nobody or "<" in home.user or plain.startswith(("%", "$")):
                continue
            if is_own:
                names.placeholder("user", plain)  # counted, although it is written as ~
                parts += [text[place : home.start], b"~"]
            else:
                parts += [text[place : home.user_start], names.named("user", home.user).encode()]
            place = home.end
        return b"".join((*parts, text[place:]))

    def _without_parts_of_uuids(self, text: bytes) -> bytes:
        """A shortened GPU UUID, as CUDA_VISIBLE_DEVICES takes it, has the placeholder of the whole one."""
        parts, place = [], 0
        for match in _GPU_UUID.finditer(text):
            start, end = match.span(1)
            part = text[start:end].decode()
            whole = next((shown for (kind, value), shown in self.names.given.items() if _is_of(kind, value, part)), "")
            if whole or len(part) >= 8:
                parts += [text[place:start], (whole or self.names.placeholder("uuid", part)).encode()]
                place = end
        return b"".join((*parts, text[place:])) if parts else text


def _is_of(kind: str, value: str, part: str) -> bool:
    return kind == "uuid" and value.startswith(part.lower())
