"""The names of people and machines that a case told somewhere, found wherever they stand, in every spelling."""

from __future__ import annotations

import functools
import re
import unicodedata
import urllib.parse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import re2

from checks.knowledge.tickets.redaction import KnownWords
from checks.knowledge.vocabulary import vocabulary
from checks.readers.private.homes import SPACED, Home, homes
from checks.readers.private.scan import Hit, compiled

_PLACEHOLDER = re.compile(r"<([a-z]+)-(\d+)>")
_DOMAIN = r"(?:^|[^\w\\/:.])([\w-]{2,15})\\"  # of DOMAIN\\user; the user's pattern follows
_NUMBER = re.compile(r"\d{1,5}|[\d.]*\.[\d.]*")
_TELLING = re.compile(r"[\d-]")
_PARTS = re.compile(r"[^\W_]+")
_AT_ONCE = 400  # names in one pattern


def folded(name: str) -> str:
    """The form by which two spellings of a name are the same."""
    if name.isascii() and "%" not in name:
        return name.lower()
    return unicodedata.normalize("NFC", urllib.parse.unquote(name)).casefold()


def is_common_group(name: str) -> bool:
    """A group of the system, or one that is called like a plain account: it is named after nobody."""
    known = KnownWords.read()
    return name.casefold() in known.groups | known.words


@functools.lru_cache(1000)
def folded_root(root: str) -> str:
    """The form by which two spellings of a path are the same."""
    return re.sub(r"[\\/]+", "/", root).casefold()


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found in a text as it is: its homes, the last turn that finds nothing, the hits of the one after it."""

    quiet_until: int
    loud: int
    hits: tuple[Hit, ...]
    homes: tuple[Home, ...]


NOTHING_SEEN = Seen(0, 0, (), ())


@dataclass
class Names:
    """What was learned, and the placeholders that were given."""

    users: dict[str, str] = field(default_factory=dict)  # folded name -> as it was first seen
    hosts: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)  # what the user wants hidden
    secrets: dict[str, str] = field(default_factory=dict)
    homes: set[tuple[str, str]] = field(default_factory=set)  # folded (root, user) of the own home
    given: dict[tuple[str, str], str] = field(default_factory=dict)
    spelt: dict[str, str] = field(default_factory=dict)  # placeholder -> the value as it was first written
    kept: set[str] = field(default_factory=set)  # folded values that are not hidden
    last: Counter[str] = field(default_factory=Counter)
    seen: dict[str, Seen] = field(default_factory=dict)  # text -> what learning from it found

    def user(self, name: str) -> None:
        """Learn a user's name."""
        plain = folded(name.strip())
        is_short = "~" in plain and re.fullmatch(r".{1,6}~\d", plain) is not None
        is_open = name.startswith(("%", "$")) or "<" in name
        if len(plain) >= 2 and plain not in KnownWords.read().no_people and not is_short and not is_open:
            self.users.setdefault(plain, urllib.parse.unquote(name.strip()) if "%" in name else name.strip())

    def host(self, name: str) -> None:
        """Learn a host's name, and its first part where it is a full one."""
        for part in {name, name.partition(".")[0]}:
            plain = folded(part)
            if len(plain) >= 3 and not re.fullmatch(r"[\d.]*", plain) and "<" not in part:
                self.hosts.setdefault(plain, part)

    def group(self, name: str) -> None:
        """Learn the name of a group that may be called after people."""
        plain = folded(name)
        if len(plain) >= 3 and not is_common_group(name) and "<" not in name:
            self.groups.setdefault(plain, name)

    def secret(self, value: str) -> None:
        """Learn a secret, so that it is hidden where nothing tells that it is one, too; a word may not be one."""
        if 6 <= len(value) <= 200 and not value.isalpha() and not value.isdigit() and "<" not in value:
            self.secrets.setdefault(value, value)

    def word(self, word: str) -> None:
        """Learn what the user wants hidden."""
        if word.strip():
            self.words.setdefault(folded(word.strip()), word.strip())

    def keep(self, value: str) -> None:
        """Leave a value as it is, unless it is a secret."""
        self.kept.add(folded(value))

    def own_home(self, path: str) -> None:
        """Learn the home folder that commands will stand in."""
        for home in homes(f"{path}/".encode("utf-8", "replace")):
            if home.start == 0:
                self.homes.add((folded_root(home.root), folded(home.user)))
                self.user(home.user)

    def numbering_after(self, text: str) -> None:
        """Go on counting behind the placeholders of an earlier redaction."""
        for kind, number in _PLACEHOLDER.findall(text):
            self.last[kind] = max(self.last[kind], int(number[:9]))

    def counts(self) -> Counter[str]:
        """How many different values of each kind were hidden."""
        return Counter(kind for kind, _ in self.given)

    def placeholder(self, kind: str, value: str) -> str:
        """The placeholder of a value, the same wherever it stands."""
        if kind != "secret" and folded(value) in self.kept:
            return value
        key = (kind, unicodedata.normalize("NFC", value).casefold())
        if key not in self.given:
            self.last[kind] += 1
            self.given[key] = f"<{kind}-{self.last[kind]}>"
            self.spelt[self.given[key]] = value
        return self.given[key]

    def named(self, kind: str, value: str) -> str:
        """The placeholder of a value that may be met in another spelling: of whom it is."""
        known = {"user": self.users, "host": self.hosts, "group": self.groups}.get(kind)
        if known is None:
            return self.placeholder(kind, value)
        plain = folded(value)
        if plain not in known and "~" in plain:  # a short name: the first that it can stand for
            plain = self._by_start.get(plain.partition("~")[0], plain)
        if plain in self.kept:
            return value
        shown = self.placeholder(kind, plain)
        self.spelt[shown] = known.get(plain, value)
        return shown

    @functools.cached_property
    def _by_start(self) -> dict[str, str]:
        starts: dict[str, str] = {}
        for name in self.users:
            starts.setdefault(re.sub(r"[\s.]", "", name)[:6], name)
        return starts

    def hide(self, text: bytes) -> bytes:
        """The text without the names that were learned."""
        for kind, needed, pattern in self._patterns:
            if needed not in text:
                continue
            parts, place, search_from = [], 0, 0
            while (match := pattern.search(text, search_from)) is not None:
                group = match.lastindex
                start, end = match.span(group)
                parts += [text[place:start], self.named(kind, text[start:end].decode("utf-8", "replace")).encode()]
                place = search_from = end
            text = b"".join((*parts, text[place:])) if parts else text
        return text

    @functools.cached_property
    def _patterns(self) -> list[tuple[str, bytes, re2._Regexp]]:
        """The patterns of all names, with what a match holds. Each name was learned before the first text is hidden."""
        users, hosts = _rare(self.users), _rare(self.hosts)
        wanted = [
            ("secret", self.secrets),
            ("word", self.words),
            ("host", hosts),
            ("user", users),
            ("group", self.groups),
        ]
        return [
            (kind, needed, compiled(pattern))
            for kind, names in wanted
            for needed, patterns in ((b"\\", _domains(users) if kind == "host" else ()), (b"", _alternatives(names)))
            for pattern in patterns
        ]


def _rare(names: dict[str, str]) -> dict[str, str]:
    """The names that are no words of the field: called "580", a home would make the version of a driver vanish."""
    return {plain: name for plain, name in names.items() if not _is_of_the_field(plain)}


def _is_of_the_field(plain: str) -> bool:
    """A word of it, or words with dots and underscores between them; a short number, a version."""
    is_short = plain.isascii() and len(plain) < 3
    if is_short or plain in KnownWords.read().words or plain in vocabulary().terms or _NUMBER.fullmatch(plain):
        return True
    return not _TELLING.search(plain) and all(part in vocabulary().words for part in _PARTS.findall(plain))


def _spellings(name: str) -> set[str]:
    """The forms in which one name appears: composed and decomposed, in an address, as a DOS short name."""
    if name.isascii() and name.isalnum():  # most are
        return {name, name[:6] + r"~\d"} if len(name) > 8 else {name}
    composed, decomposed = unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)
    forms = {re2.escape(form) for form in (composed, decomposed)}
    forms |= {re2.escape(urllib.parse.quote(form)) for form in (composed, decomposed)}
    compact = re.sub(r"[\s.]", "", composed)
    if len(compact) > 8 or compact != composed:
        forms.add(re2.escape(compact[:6]) + r"~\d")
    return forms


def _alternatives(names: dict[str, str]) -> Iterator[str]:
    """Patterns of these names, the longest first, each between the ends of words.

    No letter of a script with spaces may stand beside one. Japanese may: "aliceさん".
    """
    by_ends: dict[tuple[bool, bool], dict[str, str]] = {}
    for plain, name in names.items():
        left, right = (re.match(f"[{SPACED}]", end) is not None for end in (name[0], name[-1]))
        by_ends.setdefault((left, right), {})[plain] = name
    for (left, right), alike in by_ends.items():
        for some in _in_parts(alike):
            before, behind = f"(?:^|[^{SPACED}])" if left else "", f"(?:$|[^{SPACED}])" if right else ""
            yield rf"(?i){before}({_either(some)}){behind}"


def _domains(users: dict[str, str]) -> Iterator[str]:
    r"""The domain in DOMAIN\user is a host."""
    for some in _in_parts(users):
        yield rf"(?i){_DOMAIN}(?:{_either(some)})(?:$|[^{SPACED}])"
    yield rf"{_DOMAIN}<user-\d+>"


def _in_parts(names: dict[str, str]) -> Iterable[list[str]]:
    ordered = [name for _, name in sorted(names.items(), key=lambda item: -len(item[0]))]
    return [ordered[start : start + _AT_ONCE] for start in range(0, len(ordered), _AT_ONCE)]


def _either(names: Iterable[str]) -> str:
    return "|".join(sorted({form for name in names for form in _spellings(name)}, key=len, reverse=True))
