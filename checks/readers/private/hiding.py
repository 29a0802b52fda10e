"""Hiding what is private in texts: names, homes, hosts, addresses, serial numbers, keys.

Two passes. The first learns who and what is named in any of the texts (a user from a home folder, a host from a shell
prompt); the second hides it everywhere, in every spelling, under one placeholder for all of them (``<user-1>``), with
all that has the form of a secret. The home folder of the examined interpreter's user becomes ``~``, which a command can
still use. Where a text cannot be redacted, it is dropped, never kept.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from checks.knowledge.tickets.redaction import KnownWords
from checks.readers.private import scan
from checks.readers.private.chance import random_runs
from checks.readers.private.homes import SPACED, Home, homes
from checks.readers.private.names import NOTHING_SEEN, Names, Seen, folded, folded_root, is_common_group

log = logging.getLogger(__name__)

DROPPED = "<dropped>"

# How a value of our own words looks: a file that was sent, or a broken package, may hold anything there.
_WORD = re.compile(r"[\w.:+-]{0,64}", re.ASCII)
# Fields that hold versions: "12.4.5.8" is no address there.
_VERSIONS = re.compile(r"version|vbios|^requires|^tags$|^driver|jetpack|release|kernel|build|plugins|driver_min")
_GPU_UUID = scan.compiled(r"(?i)\bGPU-([0-9a-f]{4,}[0-9a-f-]*)\b")
_SECRETS, _ADDRESSES, _PEOPLE = 2, 4, 5  # the turns of the rules that these are of


@dataclass(frozen=True)
class Own:
    """Names of the machine and the account under which Naosu runs."""

    user: str = ""
    home: str = ""
    host: str = ""


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
