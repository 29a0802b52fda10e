"""The last net: letters and digits in such disorder that nobody wrote them, and nothing of this field prints them."""

from __future__ import annotations

import re

from checks.readers.private.scan import compiled
from checks.readers.private.values import disorder

_LEAST = 20  # letters and digits without a sign between them
_RUN = compiled(rf"([A-Za-z0-9]{{{_LEAST},}})")
_SIGNS = re.compile(rb"[A-Za-z0-9+/_-]*")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]*={0,2}")
_DISORDER = 0.46
# Before it: hashes of wheels and locks, mangled names of C++ and Rust, data in an address, picture data.
_HARMLESS_BEFORE = re.compile(
    r"(?:sha\d{1,3}|md5|integrity|digest|hash|checksum)[\"']?[=:\s-]\s*[\"']?$|[?@$]$|base64,\s*$", re.IGNORECASE
)
_MANGLED = re.compile(r"_{0,3}Z[A-Z0-9]|_R[A-Z]")


def random_runs(text: bytes) -> list[tuple[int, int]]:
    """Where random letters and digits stand, with the signs of base64 around them, as (start, end) in bytes."""
    found: list[tuple[int, int]] = []
    place = 0
    while (match := _RUN.search(text, place)) is not None:
        start, place = match.span(1)
        if not _is_random(text[start:place].decode("ascii")):
            continue
        behind = found[-1][1] if found else 0
        start -= len(_SIGNS.match(text[behind:start][::-1][:200])[0])  # type: ignore[index]  # it always matches
        place += len(_BASE64.match(text[place : place + 4096])[0])  # type: ignore[index]
        before = text[max(0, start - 24) : start].decode("utf-8", "ignore")
        if not (
            _MANGLED.match(text[start:place].decode("ascii"))
            or _HARMLESS_BEFORE.search(before)
            or text[place : place + 1] == b"@"
        ):
            found.append((start, place))
    return found


def _is_random(part: str) -> bool:
    """Small letters, capitals and digits, and in disorder."""
    return (
        any(map(str.isdigit, part))
        and any(map(str.isupper, part))
        and any(map(str.islower, part))
        and disorder(part) >= _DISORDER
    )
