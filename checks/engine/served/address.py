"""The address of a server as its user writes it, and as it is asked."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

_API = "/v1"
_ENDPOINT = re.compile(r"/(?:chat/completions|completions|models|responses|embeddings)/?$")
_ODD = re.compile(r"[\s\x00-\x20\x7f-\uffff\\\"<>^`{|}]")


class RequestError(Exception):
    """What was named cannot be asked, or not with that. ``key``: of resources/words/served.toml."""

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


def understood(text: str) -> str:
    """The address of the API for what was written: scheme, host, port and path, with "/v1" where no path was named.

    "http://localhost:8000", "…/v1" and "…/v1/chat/completions" are the same; a path of one's own is kept.

    Raises:
        RequestError: it has no scheme or host, another scheme, a name and password, or what belongs into no address.
    """
    text = text.strip()
    if not text:
        raise RequestError("address-empty")
    if "://" not in text:
        raise RequestError("address-no-scheme", url=text)
    parts = _parts(text)
    if parts.scheme not in ("http", "https"):
        raise RequestError("address-scheme", url=text, scheme=parts.scheme)
    if parts.username is not None or parts.password is not None:
        raise RequestError("address-has-password")  # which is not repeated
    if parts.query or parts.fragment:
        raise RequestError("address-has-query")
    if not parts.hostname or _ODD.search(text):
        raise RequestError("address-unreadable", url=text)
    path = _ENDPOINT.sub("", parts.path).rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path or _API}"


def host_of(base: str) -> str:
    """Host and port of an address that was understood."""
    return urlsplit(base).netloc


def _parts(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        _ = parts.port  # which is only read when it is asked for
    except ValueError as error:
        raise RequestError("address-unreadable", url=text) from error
    return parts
