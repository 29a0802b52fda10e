"""Which files an installer listed: RECORD, pip's installed-files.txt, conda's records.

Formats: "Recording installed projects" on packaging.python.org; conda's conda-meta/*.json ("paths_data").
"""

from __future__ import annotations

import csv
import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import msgspec

from checks.interpreters.disk import start_of, text_of
from checks.prepared import prepared

_MOST_LIST = 32 * 2**20  # bytes of one list; torch's has 2
_MOST_LINES = 200_000
_MOST_URL = 64 * 1024  # bytes

# Files that no import needs. Slim environments leave them out: include/*.h, tests, texts, static libraries.
_UNNEEDED_SUFFIX = re.compile(
    r"py[ci]|pyx|pxd|pxi|h|hpp|hh|cuh|inc|inl|c|cc|cpp|cu|a|lib|pdb|f|f90|md|rst|txt|html?|css|ipynb|typed|cmake|pc|"
    r"map|log|po|pot|pth|orig|bak"
)
_UNNEEDED_FOLDERS = frozenset(
    (
        *("test", "tests", "doc", "docs", "example", "examples", "benchmark", "benchmarks", "include", "share"),
        *("__pycache__", "sample", "samples", "demo", "demos", "bin", "scripts"),
    )
)
_METADATA_FOLDER = re.compile(r"[^/](?:\.(?:dist|egg)-info|\.data)/")
_UNNEEDED_NAME = re.compile(
    r"(?:test_.*|.*_test|tests|conftest)\.py|(?:licen[cs]e|copying|notice|authors|readme|change|\.).*", re.DOTALL
)
CODE = re.compile(r"(?:\.pyw?|\.so|\.so\.[0-9.]+|\.pyd|\.dll|\.dylib)$", re.IGNORECASE)
LIBRARY = re.compile(r"(?:\.so|\.so\.[0-9.]+|\.pyd|\.dll|\.dylib)$", re.IGNORECASE)


class Listed(msgspec.Struct, frozen=True):
    """A file as it was installed; ``path`` is below the package's folder, with "/"."""

    path: str
    size: int | None = None
    digest: str = ""  # "sha256=..." in RECORD's base64 without padding, or a hexadecimal sha256


@dataclass
class Distribution:
    """One distribution with a list of its files; ``listed`` holds only those that an import may need."""

    name: str
    version: str
    folder: Path
    installer: str | None = None
    listed: list[Listed] = field(default_factory=list)
    project: str = ""  # the folder that pip linked instead of copying it ("pip install -e")
    top: tuple[str, ...] = ()  # of that: the modules that it brings
    entry: str = ""  # the name of its metadata folder


def is_needed(path: str) -> bool:
    """Whether an import of the package may need this file, so that its absence means something."""
    path = path.rpartition("site-packages/")[2]  # conda's paths begin at the prefix
    lower = path.lower()  # there are a hundred thousand of them: the cheapest question first
    _, dot, suffix = lower.rpartition(".")
    if dot and _UNNEEDED_SUFFIX.fullmatch(suffix):
        return False
    first, *_ = path.split("/", 1)
    is_below = "/" in path and (first.isidentifier() or first.endswith((".libs", ".dylibs")))
    if not is_below and ("/" in path or CODE.search(path) is None):
        return False
    *folders, name = lower.split("/")
    return not (
        path[1:3] == ":\\"
        or not _UNNEEDED_FOLDERS.isdisjoint(folders)
        or name == "__pycache__"  # virtualenv lists the folders that it makes
        or _METADATA_FOLDER.search(lower)
        or _UNNEEDED_NAME.fullmatch(name)
    )


def listed_in_record(metadata: str) -> list[Listed] | None:
    """The needed files of a .dist-info or .egg-info folder; None where it has no list."""
    data = start_of(f"{metadata}{os.sep}RECORD", _MOST_LIST)
    if data is not None:
        lines = data.decode("utf-8", "replace").splitlines()[:_MOST_LINES]
        return [listed for line in lines if (listed := _of_line(line)) is not None]
    text = text_of(f"{metadata}{os.sep}installed-files.txt", _MOST_LIST)
    if text is None:
        return None
    folder = Path(metadata).name
    paths = (posixpath.normpath(posixpath.join(folder, line.strip().replace("\\", "/"))) for line in text.splitlines())
    return [Listed(path) for path in paths if is_needed(path)]


def _of_line(line: str) -> Listed | None:
    if '"' in line:
        try:
            fields = next(csv.reader([line]), [])
        except csv.Error:
            return None
    else:
        fields = line.rsplit(",", 2)
    if not fields or not fields[0] or "\0" in fields[0]:
        return None
    path = fields[0].replace("\\", "/")
    if not is_needed(path):
        return None
    if "//" in path or "./" in path or path.endswith((".", "/")):
        path = posixpath.normpath(path)
    digest, size = (*fields[1:], "", "")[:2]
    return Listed(path, int(size) if size.isdecimal() and len(size) < 16 else None, digest)


class _DirInfo(msgspec.Struct):
    editable: bool = False


class _DirectUrl(msgspec.Struct):
    url: str = ""
    dir_info: _DirInfo = msgspec.field(default_factory=_DirInfo)


def project_of(metadata: str) -> str:
    """The folder of a project that was installed to be edited in place, by its .dist-info; "" of any other package.

    Format: "Direct URL Data Structure" on packaging.python.org.
    """
    data = start_of(f"{metadata}{os.sep}direct_url.json", _MOST_URL)
    try:
        found = msgspec.json.decode(data or b"{}", type=prepared(_DirectUrl))
        parts = urlsplit(found.url)
        return url2pathname(parts.path) if found.dir_info.editable and parts.scheme == "file" else ""
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError):
        return ""


class _CondaPath(msgspec.Struct):
    path: str = msgspec.field(name="_path", default="")
    size: int | None = msgspec.field(name="size_in_bytes", default=None)
    sha256: str = ""
    sha256_in_prefix: str = ""
    prefix_placeholder: str | None = None
    file_mode: str = ""
    kind: str = msgspec.field(name="path_type", default="")


class _CondaPaths(msgspec.Struct):
    paths: list[_CondaPath] = []


class _CondaRecord(msgspec.Struct):
    name: str = ""
    version: str = ""
    files: list[str] = []
    paths_data: _CondaPaths | None = None


def _conda_record(path: Path) -> _CondaRecord | None:
    data = start_of(path, _MOST_LIST)
    try:
        return msgspec.json.decode(data or b"", type=prepared(_CondaRecord))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def texts_with_prefix(prefix: Path) -> Iterator[str]:
    """The texts into which conda wrote the path of an environment, by their paths inside of it."""
    for path in (prefix / "conda-meta").glob("*.json"):
        record = _conda_record(path)
        for listed in record.paths_data.paths if record is not None and record.paths_data else ():
            inside = posixpath.normpath(listed.path)
            if listed.prefix_placeholder and listed.file_mode == "text" and not inside.startswith(("/", "..")):
                yield inside


def conda_files(record: Path) -> Iterator[tuple[str, str, int | None]]:
    """What one file of conda-meta lists: paths in the environment, SHA-256 and size; "" and None where untold."""
    read = _conda_record(record)
    for listed in read.paths_data.paths if read is not None and read.paths_data else ():
        told = (listed.sha256_in_prefix, None) if listed.prefix_placeholder else (listed.sha256, listed.size)
        yield (posixpath.normpath(listed.path), *told)


def conda_distribution(record: Path, prefix: Path) -> Distribution | None:
    """What one file of conda-meta lists below ``prefix``; None where it cannot be read.

    Only Python modules count. conda rewrites files that hold a prefix, so that of these only the presence is known.
    """
    read = _conda_record(record)
    if read is None:
        return None
    paths = read.paths_data.paths if read.paths_data else [_CondaPath(path=path) for path in read.files]
    made = Distribution(read.name, read.version, prefix, "conda")
    for path in paths[:_MOST_LINES]:
        if "site-packages/" not in path.path or not is_needed(path.path) or "\0" in path.path:
            continue
        is_rewritten = bool(path.prefix_placeholder) or path.kind == "softlink"
        size = None if is_rewritten else path.size
        made.listed.append(Listed(posixpath.normpath(path.path), size, "" if is_rewritten else path.sha256))
    return made


def modules_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The top-level names under which these files are imported, each once, in their order."""
    names: dict[str, None] = {}
    for path in paths:
        if "site-packages/" in path:
            path = path.rpartition("site-packages/")[2]  # noqa: PLW2901 - conda's paths begin at the prefix
        first, slash, _ = path.partition("/")
        name = first if slash else first.partition(".")[0]
        if name.isidentifier():
            names.setdefault(name)
    return tuple(names)
