"""What often lies where a model should: nothing at all, a pointer of Git LFS, a web page."""

from __future__ import annotations

import re

from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader

_POINTER = b"version https://git-lfs.github.com/spec/"
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.{0,500}?-->\s*)?(?:<!doctype html|<html[\s>]|<head[\s>])", re.IGNORECASE | re.DOTALL
)
# Archives that are not opened here: what is in them, nobody has looked at.
_ARCHIVES = {b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar", b"\x28\xb5\x2f\xfd": "zstd", b"MSCF": "cab"}
# Files of other languages that run code when they are loaded, which nobody here reads: by their bytes, or by name where
# they are compressed. https://cran.r-project.org/doc/manuals/r-release/R-ints.html (CVE-2024-27322),
# https://docs.oracle.com/javase/8/docs/platform/serialization/spec/protocol.html, https://github.com/mozilla-ai/llamafile
_RUNS_CODE = {b"RDX": "R", b"RDA": "R", b"X\n\0\0\0": "R", b"\xac\xed\0\5": "Java"}
_RUNS_CODE_BY_NAME = {".rds": "R", ".rdata": "R", ".rda": "R", ".llamafile": "llamafile", ".jls": "Julia"}
_FOLLOWS = 1024  # bytes within which a page shows itself
# Files that are meant to be what they are.
_ITSELF = re.compile(r"\.(?:x?html?|svg|xml|md)$", re.IGNORECASE)


@file_reader(rank=Rank.MAGIC)
def not_a_model(source: Source, _beside: Folder) -> Reading | None:
    """Name what it is instead; the ``format`` stays open."""
    if source.size == 0:
        return Reading(problem=Damaged("empty"))
    beginning = source.read(0, min(_FOLLOWS, source.size))
    if beginning.startswith(_POINTER):
        size = re.search(rb"\nsize (\d{1,19})\n", beginning)
        return Reading(problem=Damaged("lfs-pointer", size[1].decode() if size else ""))
    archive = next((name for start, name in _ARCHIVES.items() if beginning.startswith(start)), None)
    if archive is not None:
        return Reading(problem=Damaged("archive-not-opened", archive))
    by_name = next((name for ending, name in _RUNS_CODE_BY_NAME.items() if source.name.lower().endswith(ending)), "")
    language = next((name for start, name in _RUNS_CODE.items() if beginning.startswith(start)), by_name)
    if language:
        return Reading(problem=Damaged("runs-code-unread", language))
    if _PAGE.match(beginning) and not _ITSELF.search(source.name):
        title = re.search(rb"<title[^>]*>([^<]{1,200})", beginning, re.IGNORECASE)
        return Reading(problem=Damaged("html-page", title[1].decode("utf-8", "replace") if title else ""))
    return None
