"""Whether what a rule found is what it looks for: a value and no word, an address and no version, a name."""

from __future__ import annotations

import builtins
import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass

from checks.knowledge.packages.known_packages import is_known_package
from checks.knowledge.tickets.redaction import KnownWords
from checks.knowledge.vocabulary import vocabulary


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule found, with some text on both sides."""

    value: str
    before: str
    after: str


_PLACEHOLDER = re.compile(r"<[a-z]+-\d+>|<dropped>")
# Code that fetches a value, names a type or leaves it open.
_NO_VALUE = re.compile(
    r"[*•.x_\-#?]+$|[$%{<~]|-?\d{1,3}$|(?:os|self|args|config|settings|env|process|secrets|cls|request|options|kwargs|this)[.\[]"
    r"|(?:type|default|required|help|action|nargs|dest|metavar|choices|const|envvar|prompt|hide_input)="
    r"|[A-Za-z_][\w.]*\("
    r"|.*(?:\(|\.\.\.|…)$|(?-i:[A-Z_<>]*(?:KEY|TOKEN|SECRET|PASS|YOUR)[A-Z_]*$)"
    r"|(?:Optional|Union|List|Dict|Any|Secret\w*|Literal|Tuple|Callable)\b|str\b|N/?A\b",
    re.IGNORECASE,
)
_PASSWORD_BEFORE = re.compile(
    r"pass\w*|\bp(?:w|in)\b|パスワード|キー|\b(?:api|access|secret|license|activation|recovery)[ -]?(?:key|code)\b",
    re.IGNORECASE,
)
# What documentation of servers of models writes where none is asked for.
_STANDS_FOR_ONE = re.compile(
    r"not?[-_ ]?(?:needed|required|used|necessary|key|token|auth)"
    r"|(?:dummy|fake|mock|sample|placeholder)(?:[-_ ]?(?:api|key|token|secret|password|pass|value))*"
    r"|(?:(?:sk|hf|gsk|api|key|token)[-_])+(?:x+|dummy|fake|none|test|no-key-required|1234\d*|abc(?:123)?)"
)
_OWN_NAME = re.compile(r"[a-z_]*(?:api_?key|token|passw(?:or)?d|secret|credentials?|auth)[a-z_]*")
_BLOTTED = re.compile(r"x{6,}|[*•]{4,}|0{10,}", re.IGNORECASE)
_WORDS = re.compile(r"[A-Za-z]+(?:[-_./:'][A-Za-z]+)*[.:!?'\])]*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:[./]\w+)+[.:]?")
_RANDOM_ENOUGH = 0.4  # of disorder


# What stands right before a version: an operator, a hyphen; and of what it is one: a library, a package.
_VERSION_SIGN = re.compile(r"[=<>~!^]=?\s*[\"']?$|[-_(][\"']?$|(?<![a-z])v$")
_ADDRESS_SIGN = re.compile(
    r"(?:host|addr\w*|ip|server|client|connection|peer|gateway|proxy|master|endpoint|remote|dns|nameserver)[=(]\s*[\"']?$"
)
_LOGIN = re.compile(r"(?:^|[\s$#>])(?:ssh|scp|sftp|rsync|mosh)\s.*@$")
_HOP = re.compile(r"(?:^|\n)[ \t]*\d{1,2}[ \t]+(?:[\w.<>-]{1,255} [(\[])?$")
_TOOK = re.compile(r"(?: \([\d.]+\))?[)\]]?(?:[ \t]+(?:<?\d+(?:\.\d+)? ?ms|\*))")
_COUNTED = re.compile(
    r"(?i)(?:epochs?|steps?|iter(?:ation)?s?|folds?|rounds?|batch|checkpoint|ckpt|top|rank|recall|iou|trial|stage|k|v)"
    r"[-_]?\d+"
)
_PACKAGE = re.compile(r"lib[a-z]{3}|[a-z][a-z0-9]*(?:[-_][a-z0-9.]+)+$")


def disorder(text: str) -> float:
    """How little the letters and digits of a text look like words: 1 divided by the mean length of its pieces.

    A piece is a word with or without a capital, an abbreviation or a number. Random letters and digits have 0.55 to
    0.75, random hexadecimal digits about 0.5, words and identifiers 0.4 at most.
    """
    pieces = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", text)
    return len(pieces) / max(sum(map(len, pieces)), 1)


def is_value(found: Found) -> bool:
    """Something that is a value: no word that stands in its place, no variable, no call."""
    value = found.value.strip("\"'`")
    plain = value.casefold().strip(".,:;!?*_[]()")
    if len(plain) < 2 or plain in KnownWords.read().no_values or _NO_VALUE.match(value):
        return False
    # A key that is public, a name that stands for itself, a value that was blotted out.
    if found.before.endswith("GPG_KEY=") or _OWN_NAME.fullmatch(plain) or _BLOTTED.search(value):
        return False
    if _STANDS_FOR_ONE.fullmatch(plain):
        return False
    return not found.after.startswith(("(", "['", '["'))


def is_wordless(found: Found) -> bool:
    """A value that is no word either, nor a number, an address, the name of a layer or a path."""
    value = found.value.strip("\"'`.,:;!?)")
    if not is_value(found) or "://" in value or len(value) < 6 or value.isdigit() or not value.isascii():
        return False
    if _WORDS.fullmatch(value) and (not value.isalpha() or disorder(value) < _RANDOM_ENOUGH):
        return False
    if _DOTTED.fullmatch(value) or re.fullmatch(r"[A-Za-z]+[-_]?\d{1,4}[A-Za-z]?", value):
        return _is_password(found, value)
    if re.fullmatch(r"[0-9A-Fa-f]{16,}", value):
        return re.search(r"(?:kernel|module|cert\w*|public|primary|foreign|cache)[ _-]key\W*$", found.before) is None
    has_digit, has_letter = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    if not has_letter:
        return False
    return disorder(value) >= _RANDOM_ENOUGH or value.endswith("=") or (has_digit and _is_password(found, value))


def _is_password(found: Found, value: str) -> bool:
    """Behind "password is" a word with a number is one; behind "key:" it is the name of a layer."""
    word = _PASSWORD_BEFORE.search(found.before[-40:])
    return word is not None and any(map(str.isdigit, value))


def is_token(found: Found) -> bool:
    """Letters and digits mixed, or letters that are long enough to be no word."""
    value = found.value
    if _BLOTTED.search(value):
        return False
    longest = max(re.split(r"[^A-Za-z0-9]", value), key=len)
    return (any(map(str.isdigit, value)) and any(map(str.isalpha, value))) or len(longest) >= 16


_FOR_ALL = frozenset(
    (
        "git",
        "hg",
        "svn",
        "root",
        "noreply",
        "no-reply",
        "packages",
        "info",
        "support",
        "contact",
        "dev",
        "security",
        "help",
        *("opensource", "oss", "team", "community", "feedback"),
        *("build", "builds", "release", "releases", "archive", "packaging", "maintainers", "webmaster", "ftpmaster"),
        *("cudatools", "docker"),  # of the keys with which repositories are signed
    )
)


_LONGER_THAN_NAMES = 6  # Ray and Julia are packages, too
_EXAMPLES = frozenset(("name", "username", "me", "someone", "somebody", "email", "alias", "john", "jane", "john.doe"))


def is_email(found: Found) -> bool:
    """An address of somebody: no account of a server for programs, none of a known project, no example (RFC 2606)."""
    account, _, host = found.value.casefold().partition("@")
    if re.fullmatch(r"example\.(?:com|net|org)", host):
        return account not in KnownWords.read().words | KnownWords.read().no_values | _EXAMPLES
    is_projects = account in _FOR_ALL or (len(account) >= _LONGER_THAN_NAMES and is_known_package(account))
    return account not in ("git", "hg", "svn", "root", "noreply") and not (is_projects and is_public(host))


_FEW_SIGNS = 4  # of a UUID that is counted up or made of the place in a computer


def is_uuid(found: Found) -> bool:
    """Neither the empty one, nor a class of devices of Windows or of COM, nor one of a manual."""
    value = found.value.casefold()
    if re.fullmatch(r"[\da-f]{8}-0000-0000-[c0]000-0{10}46|12345678-1234-\S+", value):
        return False
    if re.search(r'Guid="\{?$|Referenced from: <$', found.before):  # of a provider of events, of a library's build
        return False
    return len(set(value)) > _FEW_SIGNS and not value.endswith("-e325-11ce-bfc1-08002be10318")


def is_serial(found: Found) -> bool:
    """A number, or letters and digits; no word."""
    return any(map(str.isdigit, found.value)) and not re.fullmatch(r"(?i)tty\w*|0+", found.value)


def is_address(found: Found) -> bool:
    """An address of the internet that is somebody's: none of this machine, none that is a version or a name of C++."""
    try:
        address = ipaddress.ip_address(found.value)
    except ValueError:
        return False
    is_nobodys = address.is_loopback or address.is_unspecified or address.is_multicast
    if is_nobodys or found.value.startswith(("0.", "255.")) or found.value in KnownWords.read().public_addresses:
        return False
    if address.version == 4 and _is_on_the_way(found):
        return address.is_private
    if address.version == 6:
        first, *others = [group for group in found.value.split(":") if group]
        return len(others) >= 2 or (len(others) == 1 and len(first) >= 3 and any(map(str.isdigit, first)))
    return not _is_version(found)


def _is_on_the_way(found: Found) -> bool:
    """A router in a row of traceroute: the number of the hop stands before it, how long it took behind."""
    return _HOP.search(found.before) is not None and _TOOK.match(found.after) is not None


def _is_version(found: Found) -> bool:
    if re.match(r":\d{2,5}\b|/\d{1,2}\b|\) at ", found.after):
        return False
    if re.match(r":[/~]", found.after) and not found.before.endswith(("-", "_")):  # no folder of a release in a list
        return False
    if re.match(r"[-+_][A-Za-z]", found.after):  # 6.6.87.2-microsoft-standard
        return True
    is_private = ipaddress.ip_address(found.value).is_private
    line = _PLACEHOLDER.sub("0", found.before[-80:].rpartition("\n")[2].casefold())  # where a value stood before
    if _ADDRESS_SIGN.search(line) or _LOGIN.search(line) or re.search(r"\d\d:\d\d \($", line):
        return False
    sign = _VERSION_SIGN.search(line)
    if sign is not None and not sign[0].startswith("("):
        return True
    words = re.findall(r"[^\s,;:=()\[\]\"']+", line)[-2 if is_private else -6 :]
    known = KnownWords.read()
    for word in reversed(words):
        parts = set(re.findall(r"[^\W\d_]+", word))
        if parts & known.network_words:
            return False
        is_host = word.count(".") >= 2 and word.rpartition(".")[2] in known.endings
        if parts & known.version_words or (_PACKAGE.match(word) and not is_host):
            return True
    return sign is not None  # "(10.1.243.0)" behind a name that nothing is known of


def is_machine(found: Found) -> bool:
    """The name of a machine; a log has the same places for other words, and a compiler for kinds of machines."""
    is_kind = re.search(r"^(?:x86_64|aarch64|arm64|ppc64le|i686)\b|-linux-gnu$", found.value) is not None
    if is_kind or (found.before.endswith("@") and _COUNTED.fullmatch(found.value)):  # loss on train@epoch5
        return False
    return is_name(found) and (
        re.search(r"[\d.-]", found.value) is not None or found.value.casefold() not in vocabulary().words
    )


def is_name(found: Found) -> bool:
    """A name that identifies somebody or one machine."""
    plain = found.value.casefold().strip(".")
    known = KnownWords.read()
    return (
        len(plain) >= 2
        and not found.after.startswith("://")
        and not plain.startswith(("%", "$"))
        and plain not in known.words
        and plain not in known.no_values
        and plain not in known.no_people
        and not is_public(plain)
        and not re.fullmatch(r"[\d.]*|git", plain)
        and not re.search(r"your|_of_|xxx|\.\.", plain)
        and not _PLACEHOLDER.search(found.value)
    )


_IMPORTED = re.compile(r"(?:import|from|module)\s+[\w.]*$|[.\w]$")
_HOUSE = frozenset(("local", "lan", "internal", "corp", "intranet", "localdomain", "arpa"))


def is_public(host: str) -> bool:
    """A host that everybody knows: one of the table, or the site of a project of this field, called like it."""
    parts = host.split(".")
    if len(parts) == 2 and parts[1] in ("org", "com", "ai", "io", "dev") and parts[0] in vocabulary().terms:
        return True
    return any(".".join(parts[start:]) in KnownWords.read().public_hosts for start in range(len(parts)))


def is_person(found: Found) -> bool:
    """Somebody's name: a value none of whose words is that of a company or a team."""
    words = set(re.findall(r"[^\W_]+", found.value.casefold()))
    if re.match(r"[\w.]*_[\w.]*$", found.value) and found.value.partition(".")[0].casefold() in vocabulary().terms:
        return False  # onnx.utils.extract_model
    return (
        "@" not in found.value and is_value(found) and not words & KnownWords.read().organisations and len(words) <= 6
    )


_DECORATORS = frozenset(dir(builtins)) | {
    *("overload", "dataclass", "dataclasses", "contextmanager", "asynccontextmanager", "wraps", "override", "final"),
    *("abstractmethod", "singledispatch", "cache", "cached_property", "lru_cache", "total_ordering", "jit", "njit"),
    *(
        "vectorize",
        "guvectorize",
        "vmap",
        "pmap",
        "fixture",
        "parametrize",
        "no_grad",
        "inference_mode",
        "task",
        "remote",
    ),
}
_DECORATED = re.compile(r"(?i)(?:decorat|wrapp|annotat|mark|compil|cach|guard|register|trac)\w{1,4} by[ :,]+@$")


def is_mention(found: Found) -> bool:
    """Somebody's name on a forum: neither a decorator of Python, nor behind a word for what decorators do."""
    return found.value not in _DECORATORS and not _DECORATED.search(found.before) and is_person(found)


def is_account(found: Found) -> bool:
    """The account behind a domain and a backslash: the domain is none of the registry, a bus or a folder."""
    domain = re.split(r"[^\w-]", found.before.rstrip("\\"))[-1].casefold()
    return (
        is_name(found)
        and domain not in vocabulary().words
        and not re.match(r"hk\w{2,3}$|pci|usb|acpi|root|swd|display", domain)
    )


def is_institution(found: Found) -> bool:
    """A host below the name of a company or a university, and none of the faces that those show to everybody."""
    first = found.value.casefold().partition(".")[0]
    is_face = first in (
        "www",
        "docs",
        "doc",
        "blog",
        "support",
        "developer",
        "developers",
        "download",
        "downloads",
        "forum",
        *("api", "app", "hooks", "files", "status", "community", "help", "login", "releases", "controlplane"),
    )
    return is_name(found) and not is_face and "_" not in found.value and not found.after.startswith(("(", "_"))


def is_hardware_address(found: Found) -> bool:
    """Neither nobody's nor everybody's."""
    return len(set(re.sub(r"[^0-9a-f]", "", found.value.casefold()))) > 1


def is_card(found: Found) -> bool:
    """Whether the check digit is right (ISO/IEC 7812-1, annex B)."""
    digits = [int(sign) for sign in found.value if sign.isdigit()]
    return sum(digit if place % 2 else digit * 2 - 9 * (digit > 4) for place, digit in enumerate(digits)) % 10 == 0


def is_host(found: Found) -> bool:
    """A name of a machine, and no module of a package: those have neither digit nor hyphen, or go on in brackets."""
    if _is_on_the_way(found) and found.value.rpartition(".")[2].casefold() not in _HOUSE:
        return False  # a router of the internet; one of the house is another rule's
    parts = found.value.casefold().split(".")
    if not is_name(found) or found.after.startswith(("(", "_", "/")):
        return False
    if len(parts) == 1:
        return True
    if parts[-1] not in KnownWords.read().endings and not re.match(r"ip-\d", found.value):
        return False
    if len(parts) == 2:  # nas.local, and neither threading.local nor torch.internal
        is_imported = _IMPORTED.search(found.before[-40:]) is not None
        return parts[1] in ("local", "lan", "localdomain") and "_" not in parts[0] and not is_imported
    telling = parts[:-1] if parts[-1] in _HOUSE else parts[:1]
    return any(re.search(r"[\d-]", part) for part in telling) and not any("_" in part for part in parts)


def is_host_with_port(found: Found) -> bool:
    """In an address with a port: any but the public ones and those of manuals (RFC 2606); numbers are an address."""
    is_example = re.search(r"(?:^|\.)example(?:\.\w+)?$", found.value) is not None
    return is_name(found) and not is_example and not re.fullmatch(r"[\d.]+", found.value)


def is_host_of_url(found: Found) -> bool:
    """In an address: a machine with one part, with the ending of a house, or with a number; no public one."""
    host = found.value.casefold().strip(".")
    parts = host.split(".")
    if not is_name(found) or "_" in host or re.fullmatch(r"[\d.]+", host):
        return False
    is_inside = bool(set(parts) & _HOUSE) or bool(set(parts) & {"intra", "intern", "ad", "hpc", "cluster"})
    return len(parts) == 1 or is_inside or (len(parts) > 2 and is_host(Found(host, "", "")))


CHECKS: dict[str, Callable[[Found], bool]] = {
    "any": lambda _: True,
    "value": is_value,
    "wordless": is_wordless,
    "token": is_token,
    "email": is_email,
    "uuid": is_uuid,
    "serial": is_serial,
    "address": is_address,
    "name": is_name,
    "machine": is_machine,
    "host": is_host,
    "host-of-url": is_host_of_url,
    "host-with-port": is_host_with_port,
    "person": is_person,
    "mention": is_mention,
    "account": is_account,
    "institution": is_institution,
    "mac": is_hardware_address,
    "card": is_card,
}


def is_right(looks: str, found: Found) -> bool:
    """Whether what was found is hidden: it looks as its rule wants it, and is no placeholder of an earlier turn."""
    return not _PLACEHOLDER.search(found.value) and CHECKS[looks](found)
