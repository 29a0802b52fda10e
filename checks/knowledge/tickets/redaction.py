"""What is hidden in a report: forms of secrets, places that name people and machines; and what identifies nobody."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from checks.knowledge import Row, Table

# What the beginning of a token goes on with.
_ALPHABETS = {
    "alnum": "[A-Za-z0-9]",
    "base64": "[A-Za-z0-9+/=_-]",
    "dotted": "[A-Za-z0-9_.=-]",
    "hex": "[0-9A-Fa-f]",
    "hex-word": "[0-9A-Fa-f_-]",
    "lower": "[a-z0-9]",
    "percent": "[A-Za-z0-9%]",
    "signs": r"[^\s'\"<]",
    "upper": "[A-Z0-9]",
    "word": r"[\w-]",
}

# How a value must look: checks/readers/private/values.py has a function for each.
Looks = Literal[
    "any", "value", "wordless", "token", "email", "uuid", "serial", "address", "name", "machine", "host", "host-of-url",
    "host-with-port",
    "person", "mention", "account", "institution", "mac", "card",
]  # fmt: skip


class Token(Row):
    """The tokens of one vendor. ``of`` is one of the alphabets above, ``least`` the fewest characters of it."""

    vendor: str
    starts: tuple[str, ...]
    of: str
    least: int

    @property
    def pattern(self) -> str:
        """RE2, without a group."""
        starts = "|".join(re.escape(start) for start in self.starts)
        return f"(?:{starts}){_ALPHABETS[self.of]}{{{self.least},}}(?:[_-][A-Za-z0-9]{{8,}})?"


class RedactionRule(Row):
    """What is hidden where. The head of the rules in the table says what the fields hold."""

    id: str
    turn: int
    kind: str
    why: str
    pattern: str
    hidden: tuple[str, ...]
    looks: Looks = msgspec.field(name="is", default="any")
    shown_as: str = msgspec.field(name="as", default="{}")
    kept: tuple[str, ...] = ()
    teaches: bool = False


class KnownWords(Table):
    """resources/knowledge/tickets/redaction.toml; all words in lower case."""

    groups: frozenset[str]
    words: frozenset[str]
    no_people: frozenset[str]
    organisations: frozenset[str]
    public_hosts: frozenset[str]
    public_addresses: frozenset[str]
    endings: frozenset[str]
    version_words: frozenset[str]
    network_words: frozenset[str]
    no_values: frozenset[str]
    token: tuple[Token, ...]
    rule: tuple[RedactionRule, ...]

    def rules(self) -> tuple[RedactionRule, ...]:
        """All rules, the tokens of the vendors as one of the second turn before the others."""
        patterns = "|".join(token.pattern for token in self.token)
        examples = tuple(
            start + ("0123456789abcdef" * 4 if token.of != "upper" else "0123456789ABCDEF" * 4)[: token.least + 3]
            for token in self.token
            for start in token.starts
        )
        tokens = RedactionRule(
            id="token-of-a-vendor",
            turn=2,
            kind="secret",
            why="Vendors begin their tokens alike, so that they are found.",
            pattern=rf"\b({patterns})",
            hidden=examples,
            looks="token",
        )
        return (tokens, *self.rule)
