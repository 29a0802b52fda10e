"""What is installed in an environment, exactly: versions, sources and hashes, and what conda calls an explicit list."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_MOST_READ = 1 << 22  # bytes of a file


def freeze(prefix: Path) -> tuple[str, ...]:
    """One line for each distribution, as pip freezes it, with who installed it and the hash of its list of files."""
    folders = [str(folder) for pattern in ("lib*/python*/site-packages", "Lib/site-packages") for folder in
               prefix.glob(pattern) if not folder.parent.parent.is_symlink()]  # fmt: skip
    return tuple(sorted(_line(found) for found in importlib.metadata.distributions(path=sorted(folders))))


def _line(found: importlib.metadata.Distribution) -> str:
    name, version = found.metadata["Name"] or "?", found.version or "?"
    record = found.read_text("RECORD") or found.read_text("installed-files.txt") or ""
    told = [f"installed by {(found.read_text('INSTALLER') or '?').strip()}"]
    told.append(f"RECORD sha256:{hashlib.sha256(record.encode('utf-8', 'surrogateescape')).hexdigest()}")
    source: Any = {}
    with contextlib.suppress(ValueError):
        source = json.loads(found.read_text("direct_url.json") or "{}")
    url = source.get("url") if isinstance(source, dict) else None
    if isinstance(url, str):
        told.append(f"direct_url {json.dumps(source, sort_keys=True)}")
    return f"{name} @ {url}" * bool(url) + f"{name}=={version}" * (not url) + f"  # {', '.join(told)}"


def explicit(prefix: Path) -> tuple[str, ...]:
    """The packages of a conda environment by their addresses and hashes; none where it is no such environment."""
    return tuple(sorted(_explicit(prefix / "conda-meta")))


def _explicit(folder: Path) -> Iterator[str]:
    if not folder.is_dir():
        return
    for path in folder.glob("*.json"):
        with contextlib.suppress(OSError, ValueError):
            if path.stat().st_size <= _MOST_READ:
                found = json.loads(path.read_text("utf-8"))
                yield f"{found['url']}#{found['md5']}" if found.get("md5") else str(found["url"])
