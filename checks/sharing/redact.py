"""What must not leave the machine: names, homes, hosts, addresses, serial numbers, keys.

Two passes. The first learns who and what is named anywhere in the case (a user from a home folder, a host from a shell
prompt); the second hides it everywhere, in every spelling, under one placeholder for the whole report (``<user-1>``).
The home folder of the examined interpreter's user becomes ``~``, which a command can still use. Fields of our own
words pass where they hold a word, groups pass by an allow list. Where a text cannot be redacted, it is dropped, never
kept.
"""

from __future__ import annotations

import getpass
import ipaddress
import logging
import platform
import re
import unicodedata
import urllib.parse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from checks.facts.case import Case
from checks.knowledge.phrases import phrases
from checks.knowledge.tickets.redaction import KnownWords

log = logging.getLogger(__name__)

DROPPED = "<dropped>"

# Fields of checks/facts/ and finding.py that hold ids and words of ours, or numbers and versions as text; and what
# such a value looks like, because a file that was sent, or a broken package, may hold anything there.
_WORD = re.compile(r"[\w.:+-]{0,64}", re.ASCII)
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
_PLACEHOLDER = re.compile(r"<([a-z]+)-(\d+)>")
_SPACED = "0-9A-Za-z\u00c0-\u024f\u0300-\u052f"  # digits; Latin, Greek and Cyrillic letters and their accents
_SEPARATOR = r"[\\/]+"
_NAME = r"[^\\/:*?\"'<>|\r\n\s;,)\]、。「」()]+"
# Where servers mount the homes: at most two folders before them, of which the first is none of the system's own.
_MOUNTED = r"(?<!:)/(?!/)(?!(?:opt|usr|lib|lib64|etc|proc|sys|dev|bin)/)[\w.-]+(?:/[\w.-]+)?"
# A home folder: its root at the beginning of a path, then one name. Spaces only count before a separator; a Latin name
# at the end of a path ends where Japanese text goes on.
_HOME = re.compile(
    r"(?:(?<![0-9A-Za-z_.~/\\-])(?<!-\d>)(?<!-\d\d>)|(?<=file://)|(?<=file:///)|(?<=file://localhost)|(?<=\\\\\?\\))"
    rf"(?P<root>(?:{_SEPARATOR}(?:mnt|cygdrive){_SEPARATOR}[a-z]|{_SEPARATOR}[a-z]|[a-z]:|{_SEPARATOR}wsl[$.\w]*"
    rf"{_SEPARATOR}[^\\/\s]+|{_SEPARATOR}(?:var|usr|export|data)|{_MOUNTED})?{_SEPARATOR}"
    rf"(?:home|users|documents and settings){_SEPARATOR})"
    rf"(?P<user>{_NAME}(?: {_NAME}){{0,3}}(?=[\\/])|[{_SPACED}_.~%+-]+|{_NAME})",
    re.IGNORECASE,
)

_MEDIA = re.compile(rf"(?<![\w.~/\\-])/(?:run/)?media/({_NAME})(?=/)")  # the drives that a user plugged in


def _ascii(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern whose words are made of ASCII: a key or an address may stand in Japanese text without a space."""
    return re.compile(pattern, flags | re.ASCII)


_NAMED_USER = _ascii(
    r"\b(?:USER|USERNAME|LOGNAME|SUDO_USER|CONDA_USER|SLURM_JOB_USER|JUPYTERHUB_USER|NB_USER|PBS_O_LOGNAME)[\"']?\s*[=:]\s*[\"']?([^\s\"';,/\\=:<>@]{2,64})|"
    r"\b(?i:user|username|login)=[\"']?([^\s\"';,/\\=:<>@]{2,64})|"  # of connection strings and key=value logs
    r"\b(?i:uid)=\d+\(([^)]{2,64})\)|"
    r"\bAzureAD\\([^\s\"'\\/]{2,64})|"
    r"(?m:^[-bcdlps][-rwxsStT]{9}[.+@]?\s+\d+\s+([^\s/:]{2,64})\s)"  # ls -l
)
# A login at another machine, "ssh alice@desk-01": user and host.
_LOGIN = _ascii(r"\b(?:ssh|scp|sftp|rsync)\s[^\n@]{0,200}?([\w.-]{2,64})@([\w.-]{2,255})")
_NAMED_HOST = _ascii(
    r"\b(?:HOSTNAME|COMPUTERNAME|USERDOMAIN|USERDNSDOMAIN|HOST|NODENAME|SLURMD_NODENAME|SLURM_SUBMIT_HOST|MASTER_ADDR)[\"']?\s*[=:]\s*[\"']?([\w.-]{2,64})|"
    r"\b(?i:host|server)=[\"']?([\w.-]{2,64})|"
    r"\b(?i:hostname|host name|computer name)\s*[:=]\s*([\w.-]{2,64})|"
    r"(?m:^[> \t]{0,8}(?:Computer|コンピューター):[ \t]{1,20}([\w.-]{2,64})\s*$)|<Computer>([\w.-]{2,64})</Computer>|"
    r"(?m:^(?:[A-Z][a-z]{2}\s+\d+\s+)?\d\d:\d\d:\d\d (?=\S+ (?:kernel|systemd|sshd|sudo))([\w.-]+) )|"
    r"(?m:^[A-Z][a-z]{2}\s+\d+ \d\d:\d\d:\d\d ([\w.-]+) [\w./-]+(?:\[\d+\])?:)|"
    r"\bLinux ([\w.-]+) \d+\.\d+\.\d+|"
    r"(?m:^([\w.-]{1,255}):\d+:\d+ \[\d+\] NCCL )"
)
_PROMPT = re.compile(r"(?m:^(?:\([^)\n]{1,40}\) ?)*\[?)([\w.-]+)@([\w.-]+)(?=(?::| )[^\n@]{0,200}?\]?[$#%](?: |$))")
_HOST_SHAPES = _ascii(
    r"\b(?:DESKTOP|LAPTOP|WIN)-[A-Z0-9]{6,12}\b"
    r"|(?<![\w-])[\w-]{1,40}(?:-|s )(?:MacBook|iMac|Mac-mini|Mac-Studio)[\w-]{0,40}(?:\.local)?\b"
    r"|(?<![\w.-])[a-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){0,6}\.(?:local|lan|internal|corp|intranet|localdomain)\b(?!\()"
    r"|\bip-\d+-\d+-\d+-\d+\b",
    re.IGNORECASE,
)
_UNC = _ascii(r"(?:(?<![\w\\:])\\\\(?![?.]\\|wsl)|(?<=\\\\\?\\UNC\\))([\w.-]{2,})(?=\\)", re.IGNORECASE)
_DOMAIN = r"(?<![\w\\/:.])[\w-]{2,15}(?=\\"  # of DOMAIN\\user; the user's pattern follows

_SECRETS = (
    _ascii(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    _ascii(
        r"\b(?:hf_[A-Za-z0-9]{16,}|sk-[A-Za-z0-9_-]{16,}|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}|gh[pousr]_[A-Za-z0-9]{16,}|"
        r"github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|AIza[\w-]{30,}|nvapi-[\w-]{16,}|"
        r"pypi-[\w-]{32,}|npm_[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|"
        r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|ssh-(?:rsa|ed25519) [A-Za-z0-9+/=]{20,})"
    ),
    _ascii(
        r"(?i)(?<=\bbearer )[^\s\"',;]{6,}|(?<=\bauthorization: basic )[^\s\"',;]{6,}|"
        r"(?<=\bauthorization: token )[^\s\"',;]{6,}|(?<=\bcookie: )[^\r\n]+"
    ),
    _ascii(
        r"(?i)(?:(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|secret[\w-]{0,40}|passw(?:or)?d|passphrase|パスワード|"
        r"(?:auth|access|refresh|hf|hub|github|gitlab|session|api|id|security|private)[_-]?token)|\btoken|\bpwd|"
        r"X-Amz-(?:Signature|Credential|Security-Token)|[?&](?:sig|signature|key|token|code))"
        r"[\"']?(?:\s*[=:：]\s*|\s+(?=[\"']))[\"']?(?P<value>(?!<)[^\s\"',;&]{4,})"
    ),
    _ascii(r"(?i)--(?:password|token|api-key|secret)[ =](?P<value>(?!<)[^\s\"']{3,})"),
    _ascii(r"(?:^|\s)(?:-u|--user|--proxy-user)[ =]?[\"']?(?P<value>(?!\d+:\d)[^\s:\"'<>]+:[^\s\"'<>]+)"),
    _ascii(r"\b(?:[A-Z_]*_)?(?:PASS|PASSWD|CREDENTIALS?)=[\"']?(?P<value>(?![<~/.])[^\s\"',;&]{3,})"),
    _ascii(r"(?<=/t/)(?P<value>[\w-]{8,})(?=/)"),  # conda: https://host/t/<token>/channel
    _ascii(r"(?i)\bapi key:?\s+[\"']?(?P<value>[\w-]{20,})"),
    _ascii(r"(?<=://)(?P<value>[^\s/@:<>]+:[^\s/<>]+|[^\s/@:<>]{12,})(?=@)"),
)
_EMAIL = _ascii(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.[^\W\d_]{2,24}\b")
_UUID = _ascii(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)
_GPU_UUID_PART = _ascii(r"(?<=\bGPU-)[0-9a-f]{4,}[0-9a-f-]*\b", re.IGNORECASE)
_SERIAL = _ascii(
    r"(?i)\b(?:S/N|serial)(?:[ _]?(?:number|no\.?|num))?[\"']?\s*[:=]\s*[\"']?(?P<value>(?!<|N/A|0\b)[\w-]{5,})"
)
_PNP = _ascii(r"(?i)(?<=[A-Z0-9_&])\\(?P<value>[0-9A-F]&[0-9A-F]+&[0-9A-F&]+)")
_MAC = _ascii(r"(?<![\w:-])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![\w:-])", re.IGNORECASE)
_IPV6 = _ascii(r"(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}(?:[0-9a-f]{0,4}|\d+\.\d+\.\d+\.\d+)(?![\w:])", re.IGNORECASE)
_IPV4 = _ascii(r"(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w]|\.\d)")
# What stands before a version number that looks like an address.
_BEFORE_VERSION = re.compile(
    r"(?:[=<>~!]=?\s*|\bv|\bversion\S*\s*[:=]?\s*|[\w.]+[-_][\w.-]+\s+|[-_(]|\b(?:cudnn|cublas|tensorrt|nvcc|driver|"
    r"build|release|cuda|nccl)\S*\s+|\bversion\s[\d.]{1,20}\s+(?:but\s+)?got\s+)$",
    re.IGNORECASE,
)


class Redacted(msgspec.Struct, frozen=True):
    """A case without what identifies people and machines. ``replaced``: kind -> number of different values hidden."""

    case: Case
    replaced: dict[str, int]


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


def redact(case: Case, own: Own | None = None) -> Redacted:
    """The case with everything hidden that must not leave the machine. Doing it twice changes nothing more."""
    own = this_machine() if own is None else own
    plain = msgspec.to_builtins(case)
    texts = list(_strings(plain))
    names = _learn((text for _, text in texts), case.facts.target or "", own)
    for field_name, text in texts:
        if field_name in ("group", "groups"):
            names.group(text)
    hidden = _replace(plain, "", names)
    return Redacted(case=msgspec.convert(hidden, Case), replaced=dict(names.counts()))


def _strings(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _strings(item, name if name == "unread" else str(key))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _strings(item, name)


def _replace(value: Any, name: str, names: _Names) -> Any:
    """The same plain data with every text redacted, by the name of its field."""
    if isinstance(value, str):
        is_ours = (name in _OURS and _WORD.fullmatch(value)) or (name == "key" and value in phrases())
        return value if is_ours else names.hide(value, name)
    if isinstance(value, (list, tuple)):
        return [_replace(item, name, names) for item in value]
    if isinstance(value, dict):
        return {
            key if _WORD.fullmatch(key) else names.hide(key, name): _replace(
                item, name if name == "unread" else key, names
            )
            for key, item in value.items()
        }
    return value


def _learn(texts: Iterable[str], target: str, own: Own) -> _Names:
    """Who and what is named anywhere."""
    names = _Names()
    names.own_home(target)
    names.own_home(own.home)
    names.user(own.user)
    names.host(own.host)
    for text in texts:
        names.numbering_after(text)
        for home in _HOME.finditer(text):
            names.user(home["user"])
            names.user(_latin_start(home["user"]))
        for named in _NAMED_USER.finditer(text):
            names.user(next(filter(None, named.groups())))
        for media in _MEDIA.finditer(text):
            names.user(media[1])
        for pattern in (_PROMPT, _LOGIN):
            for login in pattern.finditer(text):
                names.user(login[1])
                names.host(login[2])
        for pattern in (_NAMED_HOST, _UNC):
            for found in pattern.finditer(text):
                names.host(next(filter(None, found.groups())))
        for found in _HOST_SHAPES.finditer(text):
            names.host(found[0])
    return names


def _spellings(name: str) -> set[str]:
    """The forms in which one name appears: composed and decomposed, in an URL, as a DOS short name."""
    composed, decomposed = unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)
    forms = {re.escape(form) for form in (composed, decomposed)}
    forms |= {re.escape(urllib.parse.quote(form)) for form in (composed, decomposed)}
    compact = re.sub(r"[\s.]", "", composed)
    if len(compact) > 8 or compact != composed:
        forms.add(re.escape(compact[:6]) + r"~\d")
    return forms


@dataclass
class _Names:
    """What was learned, and the placeholders given so far."""

    users: dict[str, str] = field(default_factory=dict)  # folded name -> as it was first seen
    hosts: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    homes: set[tuple[str, str]] = field(default_factory=set)  # folded (root, user) of the own home
    given: dict[tuple[str, str], str] = field(default_factory=dict)
    last: Counter[str] = field(default_factory=Counter)
    _patterns: list[tuple[str, re.Pattern[str]]] | None = None

    def user(self, name: str) -> None:
        """Learn a user's name."""
        name = urllib.parse.unquote(name).strip()
        folded = _folded(name)
        if (
            len(folded) >= 2
            and folded not in KnownWords.read().no_people
            and not _is_short_name(name)
            and "<" not in name
        ):
            self.users.setdefault(folded, name)

    def host(self, name: str) -> None:
        """Learn a host's name, and its first part where it is a full one."""
        for form in {name, name.partition(".")[0]}:
            folded = _folded(form)
            is_number = re.fullmatch(r"[\d.]*", folded) is not None
            if len(folded) >= 3 and folded not in KnownWords.read().words and not is_number and "<" not in form:
                self.hosts.setdefault(folded, form)

    def group(self, name: str) -> None:
        """Learn the name of a group that may be called after people."""
        folded = _folded(name)
        if len(folded) >= 3 and folded not in KnownWords.read().groups and "<" not in name:
            self.groups.setdefault(folded, name)

    def own_home(self, path: str) -> None:
        """Learn the home folder that commands will stand in."""
        home = _HOME.match(path + "/")
        if home:
            self.homes.add((_folded_root(home["root"]), _folded(home["user"])))
            self.user(home["user"])

    def numbering_after(self, text: str) -> None:
        """Go on counting behind the placeholders of an earlier redaction."""
        for kind, number in _PLACEHOLDER.findall(text):
            self.last[kind] = max(self.last[kind], int(number))

    def counts(self) -> Counter[str]:
        """How many different values of each kind were hidden."""
        return Counter(kind for kind, _ in self.given)

    def placeholder(self, kind: str, value: str) -> str:
        """The placeholder of a value, the same wherever it stands."""
        key = (kind, _folded(value))
        if key not in self.given:
            self.last[kind] += 1
            self.given[key] = f"<{kind}-{self.last[kind]}>"
        return self.given[key]

    def hide(self, text: str, name: str) -> str:
        """One text, redacted. ``name``: its field."""
        try:
            return self._hidden(text, name)
        except Exception:  # whatever went wrong: a text that may hold a secret must not stay
            log.exception("a text of the field %s was dropped", name)
            return DROPPED

    def _hidden(self, text: str, name: str) -> str:
        if name in ("group", "groups"):
            return text if text.lower() in KnownWords.read().groups else self.placeholder("group", text)
        for pattern in _SECRETS:
            text = self._sub(pattern, "secret", text)
        text = self._sub(_EMAIL, "email", text)
        text = self._sub(_UUID, "uuid", text)
        text = _GPU_UUID_PART.sub(lambda found: self._uuid_part(found[0]), text)
        text = self._sub(_SERIAL, "serial", text)
        text = self._sub(_PNP, "serial", text)
        text = self._sub(_MAC, "mac", text)
        if not _VERSIONS.search(name):
            text = _IPV6.sub(self._address, text)
            text = _IPV4.sub(self._address, text)
        text = _HOME.sub(self._home, text)
        for kind, pattern in self._learned():
            text = self._sub(pattern, kind, text)
        return text

    def _sub(self, pattern: re.Pattern[str], kind: str, text: str) -> str:
        def hidden(found: re.Match[str]) -> str:
            if not (value := found.groupdict().get("value")):
                return self._named(kind, found[0])
            start, end = found.start("value") - found.start(), found.end("value") - found.start()
            return found[0][:start] + self._named(kind, value) + found[0][end:]

        return pattern.sub(hidden, text)

    def _named(self, kind: str, value: str) -> str:
        """A learned name may be met in another spelling: find whose it is."""
        known = {"user": self.users, "host": self.hosts, "group": self.groups}.get(kind)
        if known is None:
            return self.placeholder(kind, value)
        plain = _folded(urllib.parse.unquote(value))
        if plain not in known:  # a short name: the first that it can stand for
            start = plain.partition("~")[0]
            plain = next((name for name in known if re.sub(r"[\s.]", "", name).startswith(start)), plain)
        return self.placeholder(kind, plain)

    def _home(self, found: re.Match[str]) -> str:
        root, user = found["root"], found["user"]
        plain = _folded(urllib.parse.unquote(user))
        if plain in KnownWords.read().no_people:
            return found[0]
        if (_folded_root(root), plain) in self.homes:
            self.placeholder("user", plain)  # counted, although it is written as ~
            return "~"
        return root + self._named("user", user)

    def _uuid_part(self, part: str) -> str:
        """A shortened GPU UUID, as CUDA_VISIBLE_DEVICES takes it, has the placeholder of the whole one."""
        for (kind, value), placeholder in self.given.items():
            if kind == "uuid" and value.startswith(part.lower()):
                return placeholder
        return self.placeholder("uuid", part) if len(part) >= 8 else part

    def _address(self, found: re.Match[str]) -> str:
        text = found[0]
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return text
        if address.is_loopback or address.is_unspecified or (address.version == 4 and text.startswith("0.")):
            return text
        is_version = address.version == 4 and _BEFORE_VERSION.search(
            found.string[max(0, found.start() - 40) : found.start()]
        )
        return text if is_version and not address.is_private else self.placeholder("ip", text)

    def _learned(self) -> list[tuple[str, re.Pattern[str]]]:
        """The patterns of the learned names, the longest first."""
        if self._patterns is None:
            self._patterns = [
                *self._patterns_of("host", self.hosts),
                *self._patterns_of("user", self.users),
                *self._patterns_of("group", self.groups),
            ]
        return self._patterns

    def _patterns_of(self, kind: str, names: dict[str, str]) -> Iterator[tuple[str, re.Pattern[str]]]:
        for folded, name in sorted(names.items(), key=lambda pair: -len(pair[0])):
            if folded in KnownWords.read().words or (name.isascii() and len(folded) < 3):
                continue
            either = "|".join(sorted(_spellings(name), key=len, reverse=True))
            left, right = _boundary(name[0], "<!"), _boundary(name[-1], "!")
            if kind == "user":
                yield "host", re.compile(rf"{_DOMAIN}(?:{either}){right})", re.IGNORECASE)
            yield kind, re.compile(f"{left}(?:{either}){right}", re.IGNORECASE)


def _boundary(character: str, look: str) -> str:
    """The end of a word: no letter of a script with spaces follows one. Japanese may follow a name: "aliceさん"."""
    return f"(?{look}[{_SPACED}])" if re.match(f"[{_SPACED}]", character) else ""


def _latin_start(name: str) -> str:
    """The Latin letters that a name begins with: Japanese text may follow it without a space."""
    return re.match(f"[{_SPACED}_.+-]*", name)[0]  # type: ignore[index]  # it always matches


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _folded_root(root: str) -> str:
    return re.sub(r"[\\/]+", "/", root).casefold()


def _is_short_name(name: str) -> bool:
    return re.fullmatch(r".{1,6}~\d", name) is not None
