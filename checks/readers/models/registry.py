"""The readers of model formats: how one is declared, and how all of them are found.

A format, or a few that share their bytes, is one module of a folder here. It declares what it can recognise and read:

``@file_reader("onnx", rank=STRUCTURE)`` over ``read(source, beside) -> Reading | None``: a single file.
``@folder_reader("savedmodel")`` over ``read(folder) -> Reading | None``: a folder of the disk or in an archive.
``@archive_reader("keras-zip")`` over ``read(archive) -> Reading | None``: a zip file that is itself the model.

None means "not mine" and comes after reading as little as possible; once a reader is sure of its format, it reports
what is wrong with the rest by ``Damaged``. Readers set the ``format`` and what they read; name, path, size,
dependence and words are added by the caller. Nothing is registered anywhere else.
"""

from __future__ import annotations

import functools
import importlib
import logging
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from checks.facts import ModelFacts
from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.source import Source
from checks.readers.models.reading import Reading

log = logging.getLogger(__name__)


class Rank(IntEnum):
    """How sure a reader can be that a file is its own; the surest are asked first."""

    MAGIC = 0  # bytes that no other format has
    STRUCTURE = 1  # the first fields fit, and a little reading decides
    NAME = 2  # only the name and the size identify it


@dataclass(frozen=True)
class Reader:
    """A reader of one kind of model. ``formats``: the ids that it may give; ``gather``: the function that reads."""

    formats: tuple[str, ...]
    gather: Callable[..., Reading | None]
    rank: Rank = Rank.STRUCTURE

    def read(self, *given: Source | Folder) -> ModelFacts | None:
        """The facts of what ``gather`` takes as one model; None: it is none, or of another format."""
        reading = self.gather(*given)
        return reading.facts() if reading else None


class FileReader(Reader):
    """Reads single files: a source, and the folder in which it lies."""


class FolderReader(Reader):
    """Reads folders."""


class ArchiveReader(Reader):
    """Reads zip files that are one model."""


def file_reader(*formats: str, rank: Rank) -> Callable[[Callable[[Source, Folder], Reading | None]], FileReader]:
    """Declare a reader of single files."""
    return lambda function: FileReader(formats, function, rank)


def folder_reader(*formats: str) -> Callable[[Callable[[Folder], Reading | None]], FolderReader]:
    """Declare a reader of folders."""
    return lambda function: FolderReader(formats, function)


def archive_reader(*formats: str) -> Callable[[Callable[[ZipFolder], Reading | None]], ArchiveReader]:
    """Declare a reader of zip files."""
    return lambda function: ArchiveReader(formats, function)


@functools.cache
def all_readers() -> tuple[Reader, ...]:
    """Every reader of every module here, the surest first and then by module name."""
    from checks.readers import models

    found: list[Reader] = []
    modules = pkgutil.walk_packages(models.__path__, f"{models.__name__}.")
    for module in sorted(modules, key=lambda module: module.name.rpartition(".")[2]):
        try:
            loaded = importlib.import_module(module.name)
        except Exception:  # a library that does not load here must not take the other formats along
            log.exception("the reader %s could not be loaded", module.name)
            continue
        mine = [value for value in vars(loaded).values() if isinstance(value, Reader)]
        found.extend(reader for reader in mine if reader.gather.__module__ == loaded.__name__)
    return tuple(sorted(found, key=lambda reader: reader.rank))


def readers_of(kind: type[Reader]) -> tuple[Reader, ...]:
    """The readers of one kind, the surest first."""
    return tuple(reader for reader in all_readers() if isinstance(reader, kind))
