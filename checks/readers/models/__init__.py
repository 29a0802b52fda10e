"""Any model file or folder read into facts, without executing a byte of it. One module per format; see registry.py."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path, PurePosixPath

import msgspec

from checks.facts import ModelFacts
from checks.knowledge.formats.model_converters import way_out
from checks.knowledge.formats.model_formats import is_named_as_model, model_format
from checks.knowledge.formats.pickle_globals import DANGEROUS, KNOWN
from checks.readers.containers.folder import DiskFolder, Folder, SubFolder, ZipFolder
from checks.readers.containers.source import Cancelled, Damaged, Source, Stopped, never, opened, raise_if
from checks.readers.containers.tar import TarFolder, is_tar
from checks.readers.models.cut_archives import cut_archive
from checks.readers.models.installed import with_package
from checks.readers.models.links import with_links
from checks.readers.models.nested import UNREAD_SAID, NestedArchives, is_named_as_archive, may_hold_code
from checks.readers.models.registry import ArchiveReader, FileReader, FolderReader, Reader, readers_of

log = logging.getLogger(__name__)

UNKNOWN, NOTHING, EMPTY, CANCELLED = "unknown-format", "no-model-in-folder", "empty-folder", "cancelled"
LOCKED = "folder-unreadable"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # a member, or the end of an archive without any
_MOST_LEFT_OUT = 20  # folders that could not be listed are named, and links that lead out
_MOST_PLACES = 4000  # folders within a folder that are asked whether they are a model


def read_model(path: Path) -> ModelFacts:
    """The first model of a file or folder; see :func:`read_models`."""
    return read_models(path)[0]


def read_models(path: Path, cancelled: Cancelled = never) -> tuple[ModelFacts, ...]:
    """Everything that a file, folder or archive holds: at least one answer, and never an exception.

    Of a folder or archive the files that no reader knows are left out, those that belong to another model of it, and
    what cannot be read and is not named as a model either.
    A single file that nobody knows comes with ``format`` None and the ``problem`` "unknown-format".
    After a cancel it ends soon with what was read by then; what was cut off has the ``problem`` "cancelled".
    """
    try:
        found = _read_disk_folder(path, cancelled) if path.is_dir() else _read_path(path, cancelled)
        return tuple(with_package(with_links(facts)) for facts in found)
    except OSError as error:  # a name that is too long, a disk that went away
        problem = Damaged("unreadable", error.strerror or str(error))
    except Stopped:
        problem = Damaged(CANCELLED)
    return (_with_problem(ModelFacts(), problem, path.name, str(path)),)


def _read_disk_folder(path: Path, cancelled: Cancelled) -> tuple[ModelFacts, ...]:
    folder = DiskFolder(path, cancelled)
    found = _read_folder(folder, str(path), NestedArchives(cancelled))
    left_out = [_with_problem(ModelFacts(), Damaged("too-many-files"), path.name, str(path))] if folder.has_more else []
    unread = [(below, Damaged(LOCKED)) for below in folder.locked[:_MOST_LEFT_OUT]]
    said = {Path(model.path).parent / file.name for model in found for file in model.needs.files or () if file.present}
    links = [link for link in folder.links_out if path / link[0] not in said]  # the others are said with their model
    unread += [(link, Damaged("linked-outside", there)) for link, there in links[:_MOST_LEFT_OUT]]
    for below, problem in unread:
        here = path / below
        left_out.append(_with_problem(ModelFacts(), problem, here.name, str(here)))
    if not left_out:
        return found
    return (*(facts for facts in found if facts.problem not in (NOTHING, EMPTY)), *left_out)


def _read_path(path: Path, cancelled: Cancelled) -> tuple[ModelFacts, ...]:
    try:
        with opened(path, cancelled) as source:
            if source.size >= 4 and source.read(0, 4) in _ZIP:
                return _read_zip(source, str(path), NestedArchives(cancelled))
            facts = _read_file(source, DiskFolder(path.absolute().parent, cancelled, path), str(path))
            if facts.format is None and facts.problem == UNKNOWN and is_tar(source):
                with TarFolder(source, cancelled) as archive:
                    return _read_folder(archive, str(path), NestedArchives(cancelled))
    except Damaged as problem:
        return (_with_problem(ModelFacts(), problem, path.name, str(path)),)
    return (facts,)


def _read_zip(source: Source, shown: str, nested: NestedArchives) -> tuple[ModelFacts, ...]:
    """A zip file: a model itself, or an archive with models in it; of one that was cut off, what is left of them."""
    try:
        archive = ZipFolder(source)
        whole = _first(ArchiveReader, archive)
    except Damaged as problem:
        return _read_cut_zip(source, shown, problem, nested)
    if whole is not None:
        return (_finished(whole, source.name, shown, source.size),)
    return _read_folder(archive, shown, nested)


def _read_cut_zip(source: Source, shown: str, problem: Damaged, nested: NestedArchives) -> tuple[ModelFacts, ...]:
    refused = _with_problem(ModelFacts(), problem, source.name, shown)
    if problem.reason not in ("archive-damaged", "truncated"):
        return (refused,)
    try:
        facts, archive = cut_archive(source, lambda archive: _first(ArchiveReader, archive))
    except Damaged:
        return (refused,)
    if facts is not None:
        return (_finished(facts, source.name, shown, source.size),)
    return (*_models_of(_read_folder(archive, shown, nested)), refused)


def _models_of(found: Iterable[ModelFacts]) -> tuple[ModelFacts, ...]:
    """Without what says only that there is none."""
    return tuple(model for model in found if model.problem not in (NOTHING, EMPTY))


def _read_folder(folder: Folder, shown: str, nested: NestedArchives) -> tuple[ModelFacts, ...]:
    """The model that a folder is, or the models in it; after a cancel those that were read by then."""
    found: list[ModelFacts] = []
    parts: set[str] = set()
    problem = Damaged(NOTHING if folder.names else EMPTY)
    try:
        for facts, is_file in _models_in(folder, shown, parts, nested):
            found.append(facts)
            if is_file:
                beside = PurePosixPath(facts.path).parent
                parts.update(str(beside / file.name) for file in facts.needs.files or () if file.present)
    except Stopped:
        problem = Damaged(CANCELLED)
    whole_ones = tuple(model for model in found if _plain(model.path) not in parts or _may_run(model))
    return whole_ones or (_with_problem(ModelFacts(), problem, folder.name, shown),)


def _models_in(
    folder: Folder, shown: str, parts: Collection[str], nested: NestedArchives
) -> Iterator[tuple[ModelFacts, bool]]:
    """Each model, and whether it is a file; first those that are folders, of whose files none is another.

    ``parts``: the paths of files that belong to a model that came before. Of these, and of those that lie in a folder
    that is a model, only what would run something is said.
    """
    taken: set[str] = set()
    for place in _places(folder):
        raise_if(nested.cancelled)
        if _is_below(place, taken):
            continue
        here = SubFolder(folder, place) if place else folder
        whole = _first(FolderReader, here)
        if whole is not None:
            size = sum(here.size_of(name) or 0 for name in here.names)
            yield _finished(whole, here.name, f"{shown}/{place}" if place else shown, size), False
            taken.add(place)
    for name in folder.names:
        raise_if(nested.cancelled)
        path = f"{shown}/{name}"
        belongs = _plain(path) in parts or "" in taken or _is_below(name, taken)
        if belongs and not may_hold_code(folder, name):
            continue  # each of a thousand shards would be read, through the index that it shares with the others
        for facts in _member(folder, name, path, nested):
            if not belongs or _may_run(facts):
                yield facts, not belongs


def _may_run(facts: ModelFacts) -> bool:
    """Whether loading the file would run something, or nobody can tell."""
    return any(needed.risk != KNOWN for needed in facts.needs.classes or ()) or facts.problem in UNREAD_SAID


def _plain(path: str) -> str:
    """A path without what does not matter: "./model.onnx" and "model.onnx" are one."""
    return str(PurePosixPath(path))


def _is_below(name: str, taken: set[str]) -> bool:
    """Whether a file or folder lies in one of the folders that are taken."""
    return bool(taken) and any(str(parent) in taken for parent in PurePosixPath(name).parents)


def _places(folder: Folder) -> list[str]:
    """The folder itself ("") and those within it that hold files, the outer ones first."""
    places = {""}
    for name in folder.names:
        places.update(str(parent) for parent in PurePosixPath(name).parents if str(parent) != ".")
        if len(places) > _MOST_PLACES:
            break
    return sorted(places, key=lambda place: (place.count("/") if place else -1, place))


def _member(folder: Folder, name: str, shown: str, nested: NestedArchives) -> tuple[ModelFacts, ...]:
    """A file of a folder or archive as a model, or the models of an archive; () if no reader knows it."""
    plain = PurePosixPath(name).name
    try:
        with folder.file(name) as source:
            source.name = plain
            parent = str(PurePosixPath(name).parent)
            if source.size >= 4 and source.read(0, 4) in _ZIP:
                return _zipped_member(source, shown, nested)
            facts = _read_file(source, SubFolder(folder, parent) if parent != "." else folder, shown)
            if facts.format is None and facts.problem == UNKNOWN and is_tar(source):
                with nested.tar(source) as archive:
                    return _models_of(_read_folder(archive, shown, nested))
    except Damaged as problem:
        facts = _with_problem(ModelFacts(), problem, plain, shown)
    if facts.format is None and facts.problem == UNKNOWN and is_named_as_archive(name):
        facts = _with_problem(ModelFacts(), Damaged("archive-damaged", "no archive"), plain, shown)
    is_said = facts.problem in UNREAD_SAID or is_named_as_archive(name)
    is_silent = facts.problem == UNKNOWN or not (is_named_as_model(name) or is_said)
    return () if facts.format is None and is_silent else (facts,)


def _zipped_member(source: Source, shown: str, nested: NestedArchives) -> tuple[ModelFacts, ...]:
    """A zip file within a folder: a model itself, or an archive with models in it."""
    try:
        archive = ZipFolder(source)
    except Damaged as problem:
        facts = _read_cut_zip(source, shown, problem, nested)
        hostile = tuple(filter(_may_run, facts))
        if not hostile and (facts[-1].format is None or not is_named_as_model(source.name)):
            raise
        return hostile or facts[-1:]
    whole = _first(ArchiveReader, archive)
    if whole is not None:
        return (_finished(whole, source.name, shown, source.size),)
    with nested.opened(archive):
        return _models_of(_read_folder(archive, shown, nested))


def _read_file(source: Source, beside: Folder, shown: str) -> ModelFacts:
    facts = _first(FileReader, source, beside) or ModelFacts(problem=UNKNOWN)
    return _finished(facts, source.name, shown, source.size)


def _first(kind: type[Reader], *given: Source | Folder) -> ModelFacts | None:
    """What the first reader of a kind reads that takes it for its own; damage and our own faults become a problem."""
    for reader in readers_of(kind):
        named = reader.formats[0] if reader.formats else None
        try:
            facts = reader.read(*given)
        except Damaged as problem:
            return ModelFacts(format=named, problem=problem.reason, problem_detail=problem.detail)
        except Exception as error:
            log.exception("the reader of %s broke", named)
            return ModelFacts(format=named, problem="reader-broke", problem_detail=repr(error))
        if facts is not None:
            return facts
    return None


def _with_problem(facts: ModelFacts, problem: Damaged, name: str, shown: str) -> ModelFacts:
    found = msgspec.structs.replace(facts, problem=problem.reason, problem_detail=problem.detail)
    return _finished(found, name, shown, None)


def _finished(facts: ModelFacts, name: str, shown: str, size: int | None) -> ModelFacts:
    """What every reader leaves to us: where it lies, how large it is, how far its format is bound to a place."""
    row = model_format(facts.format) if facts.format else None
    bound = {item.kind: item for item in facts.bound_to}
    dependence = facts.dependence or (row.dependence if row else None)
    if dependence == "low" and any(needed.risk == DANGEROUS for needed in facts.needs.classes or ()):
        dependence = None  # nothing is said that sounds as if what runs code were fit to be moved
    past = {"retired": str(row.retired)} if row and row.retired else {}
    way = way_out(row.id) if row else None
    return msgspec.structs.replace(
        facts,
        origin=shown,
        path=shown,
        name=name,
        size=facts.size if facts.size is not None else size,
        dependence=dependence,
        bound_to=facts.bound_to
        + tuple(binding for binding in (row.bindings if row else ()) if binding.kind not in bound),
        details={**facts.details, **past, **(way.details if way else {})},
    )
