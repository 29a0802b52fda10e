"""Whether a text plainly holds nothing that the redaction would hide, told without loading its hundreds of patterns.

In doubt it does not: then everything goes through checks/sharing/redact.py. What passes here are names and releases of
packages, plain words and numbers, paths outside of anybody's home but the user's own, and the commonest errors.
"""

from __future__ import annotations

import re
from typing import Any

from checks.sharing.redact import Own

_WORDS = re.compile(r"[A-Za-z0-9_.,:;/+~ ()-]{0,600}")
_ERROR = re.compile(
    r"(?:ModuleNotFoundError: )?No module named '[\w.]{1,80}'"
    r"|(?:ImportError: )?cannot import name '\w{1,80}' from '[\w.]{1,80}' \([\w./~-]{1,300}\)"
    r"|AttributeError: module '[\w.]{1,80}' has no attribute '\w{1,80}'"
)
_RUN = re.compile(r"[A-Za-z0-9]{16,}")  # the last net of the redaction begins at 20
_DIGEST = re.compile(r"(?:\d{1,15} bytes, )?(?:[0-9a-f]{16}|\d{1,12})")  # ours
_PATH = re.compile(r"[\w.+~-]*(?:/[\w.+~-]+)*/?")
_PEOPLE = re.compile(
    r"(?:^|[/\\])(?:home|users|user|export|u|nfs|net|mnt|media|vol\w*)(?:[/\\]|$)|@|://|\\", re.IGNORECASE
)
_OPTION = re.compile(r"(?:^|\s)-{1,2}[A-Za-z]|(?i:token|secret|passw|api.?key|auth|bearer)")


def plainly_redacted(value: Any, own: Own) -> Any:
    """Plain data with the own home folder as "~"; None where one of its texts may hold something to hide."""
    try:
        return _shown(value, own)
    except _Doubt:
        return None


class _Doubt(Exception):  # noqa: N818 - it says that the other way is to be taken
    pass


def _shown(value: Any, own: Own) -> Any:
    if isinstance(value, str):
        return _text(value, own)
    if isinstance(value, dict):
        return {_text(name, own): _shown(inner, own) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(inner, own) for inner in value]
    return value


def _text(text: str, own: Own) -> str:
    if _DIGEST.fullmatch(text) or _ERROR.fullmatch(text):
        return _without_home(text, own)
    shown = _without_home(text, own)
    if _WORDS.fullmatch(shown) is None or _PEOPLE.search(shown) or _OPTION.search(shown):
        raise _Doubt
    if any(map(_is_mixed, _RUN.findall(shown))) or _names_somebody(shown, own):
        raise _Doubt
    if "/" in shown and not all(map(_is_plain_path, re.split(r"[:;, ]", shown))):
        raise _Doubt
    return shown


def _without_home(text: str, own: Own) -> str:
    home = own.home.rstrip("/")
    return re.sub(rf"(?<![\w./-]){re.escape(home)}(?=/|:|$)", "~", text) if len(home) > 1 else text


def _is_mixed(run: str) -> bool:
    return any(map(str.isdigit, run)) and any(map(str.isalpha, run))


def _names_somebody(text: str, own: Own) -> bool:
    plain = text.lower()
    return any(len(name) > 1 and name.lower() in plain for name in (own.user, own.host) if name != "root")


def _is_plain_path(part: str) -> bool:
    """A word, or a path without an option, a value or an address in it; nobody's home is among them by now."""
    return "/" not in part or _PATH.fullmatch(part) is not None
