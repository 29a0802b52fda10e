"""Whether plain data hold nothing that the redaction would hide, told without what it needs to tell what it is.

No rule of it speaks in any of the texts, none holds a home but the user's own, and none a name of this account or
machine. In doubt everything goes through checks/sharing/redact.py: what passes here is what that would give.
"""

from __future__ import annotations

import functools
import re
from pathlib import PurePath
from typing import Any

import re2

from checks.knowledge.tickets.redaction import KnownWords
from checks.readers.private.chance import random_runs
from checks.readers.private.hiding import Own
from checks.readers.private.homes import homes
from checks.readers.private.scan import compiled
from checks.sharing.redact import texts_of

_PLAIN = re.compile(r"(?:[A-Za-z0-9_.,:;/+~ ()-]|'[A-Za-z0-9_.]{1,80}'){0,600}")
_TELLING = re.compile(r"(?i:secret|passw|api.?key|bearer)|TOKEN|//|\bM[rs]s?\.")
_NO_PLAIN_TILDE = re.compile(r"\w~|~[^/: ),;]")  # a home of somebody else, or a short name of Windows
_GPU = re.compile(r"GPU-[0-9a-f]{4}", re.IGNORECASE)


def plainly_redacted(value: Any, own: Own) -> Any:
    """Plain data with the own home folder as "~"; None where one of its texts may hold something to hide."""
    texts = dict.fromkeys(text for _, text in texts_of(value))
    return None if any(_is_doubtful(_without_home(text, own), own) for text in texts) else _shown(value, own)


def names_somebody(text: str, own: Own) -> bool:
    """Whether a name of the own account or machine stands in it, were it within a word."""
    names = {own.user, own.host.partition(".")[0], PurePath(own.home).name} - {"root"}
    return any(len(name) > 1 and name.lower() in text.lower() for name in names)


def _is_doubtful(text: str, own: Own) -> bool:
    if _PLAIN.fullmatch(text) is None or any(form.search(text) for form in (_TELLING, _NO_PLAIN_TILDE, _GPU)):
        return True
    data = text.encode()
    return (
        names_somebody(text, own)
        or next(homes(data), None) is not None
        or any(rules.search(data) is not None for rules in _rules())
        or bool(random_runs(data))
    )


@functools.cache
def _rules() -> tuple[re2._Regexp, ...]:
    """All rules of a turn in one pattern, which tells whether any of them speaks: that is compiled soon."""
    rules = KnownWords.read().rules()
    turns = sorted({rule.turn for rule in rules})
    return tuple(
        compiled("|".join(f"(?:{rule.pattern})" for rule in rules if rule.turn == turn), captures=False)
        for turn in turns
    )


def _shown(value: Any, own: Own) -> Any:
    if isinstance(value, str):
        return _without_home(value, own)
    if isinstance(value, dict):
        return {_without_home(name, own): _shown(inner, own) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(inner, own) for inner in value]
    return value


def _without_home(text: str, own: Own) -> str:
    """With "~" for it where the redaction would write that: for a folder that is known to be somebody's home."""
    home = own.home.rstrip("/")
    if home not in text or next(homes(f"{home}/".encode()), None) is None:
        return text
    return re.sub(rf"(?<![\w./~-]){re.escape(home)}(?=[/:) ]|$)", "~", text)
