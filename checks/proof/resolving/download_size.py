"""How many bytes the wheels of a lock file have: as the index tells it, else as the file or its server does."""

from __future__ import annotations

import http.client
import ssl
import urllib.request
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

_SECONDS = 3.0  # for the answer of a server
_AT_ONCE = 8
_MOST = 40  # servers' answers


def download_sizes(packages: Iterable[Mapping[str, object]], certificates: str = "") -> list[int | None]:
    """Of each package of a pylock.toml; None where nobody tells. ``certificates``: a file of them, "": the system's."""
    wheels = [_wheel(package) for package in packages]
    sizes = [_told(wheel) for wheel in wheels]
    unknown = [number for number, size in enumerate(sizes) if size is None][:_MOST]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        asked = pool.map(lambda number: _asked(wheels[number].get("url"), certificates), unknown)
        for number, size in zip(unknown, asked, strict=True):
            sizes[number] = size
    return sizes


def _wheel(package: Mapping[str, object]) -> Mapping[str, object]:
    """The wheel that is taken of those that fit, one for this platform before one for any; empty: there is none."""
    listed = package.get("wheels")
    wheels = [wheel for wheel in listed if isinstance(wheel, dict)] if isinstance(listed, list) else []
    special = [wheel for wheel in wheels if not str(wheel.get("url") or wheel.get("path")).endswith("-none-any.whl")]
    return max(special or wheels, key=lambda wheel: _told(wheel) or 0, default={})


def _told(wheel: Mapping[str, object]) -> int | None:
    size, url, path = wheel.get("size"), wheel.get("url"), wheel.get("path")
    if isinstance(size, int):
        return size
    if isinstance(url, str) and url.startswith("file:"):
        path = urllib.request.url2pathname(urlsplit(url).path)
    try:
        return Path(path).stat().st_size if isinstance(path, str) else None
    except OSError:
        return None


def _asked(url: object, certificates: str) -> int | None:
    if not isinstance(url, str) or urlsplit(url).scheme not in {"http", "https"}:
        return None
    request = urllib.request.Request(url, method="HEAD")  # noqa: S310 - the scheme was seen to
    try:
        trusted = ssl.create_default_context(cafile=certificates or None)
        with urllib.request.urlopen(request, timeout=_SECONDS, context=trusted) as answer:  # noqa: S310
            return int(answer.headers["Content-Length"])
    except (OSError, http.client.HTTPException, ValueError, TypeError):
        return None
