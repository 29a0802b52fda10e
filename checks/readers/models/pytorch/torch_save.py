"""Files of torch.save: the zip archive of today, the row of pickles before 1.6, the tar archive before that.

They are pickles: what would be imported and called is listed, nothing is loaded. Sizes, types and devices come from
the pickles; the numbers themselves are not read. The forms: torch/serialization.py of PyTorch.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from checks.knowledge.frameworks.torch_serialization import written_since
from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.pickles.read import begins_like_a_pickle
from checks.readers.containers.pickles.values import Blob, Node, Pickle, Value
from checks.readers.containers.pickles.whole import read_whole_pickle
from checks.readers.containers.source import Damaged, Source
from checks.readers.containers.torch.values import storages
from checks.readers.containers.torch.zip import TorchZip, hidden_pickles, packed_members
from checks.readers.models.pytorch.pickled_objects import (
    Contents,
    bindings,
    contents_of,
    devices_of,
    named_classes,
    packages_needed,
    refused_opcode,
)
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, archive_reader, file_reader

MAGIC = 0x1950A86A20F9469CFC6C  # the first pickle of the form before 1.6
_MAGIC_BYTES = MAGIC.to_bytes(10, "little")
_MAGIC_TEXT = str(MAGIC).encode()
_NOT_SAVED = ("constants.pkl", "bytecode.pkl", "archive_format", "serialized_exported_program.json")
_TAR_BLOCK = 512
_TAR_PARTS = {"sys_info", "pickle", "storages", "tensors"}
_MOST_TAR_MEMBERS = 64


@archive_reader("torch-zip")
def torch_zip(archive: ZipFolder) -> Reading | None:
    """A zip archive of torch.save (1.6 and later)."""
    files = TorchZip.with_member(archive, "data.pkl")
    if (
        files is None
        or any(name in files for name in _NOT_SAVED)
        or any(member.startswith("code/") for member in files.members)
    ):
        return None
    main = files.pickle("data.pkl")
    hidden = dict(hidden_pickles(archive, frozenset((f"{files.root}/data.pkl",))))
    reading = _reading("torch-zip", main, [main, *hidden.values()])
    reading.version = _short(files.version)
    order = files.text("byteorder") or ""
    reading.details |= {
        "written-since": written_since(frozenset(files.members)) or "",
        "hidden-pickles": ", ".join(sorted(hidden))[:300],
        "byteorder": order[:20] if order != "little" else "",
        "packed-members": str(packed_members(archive) or ""),
    }
    reading.problem = main.problem or _storage_problem(files, main)
    return reading


@file_reader("torch-legacy", rank=Rank.MAGIC)
def torch_legacy(source: Source, _beside: Folder) -> Reading | None:
    """A row of pickles (magic number, protocol, the system's types, the object, keys of storages) and the storages."""
    head = source.read(0, min(64, source.size))
    if not begins_like_a_pickle(head) and not head.startswith(b"L"):
        return None
    if _MAGIC_BYTES not in head and _MAGIC_TEXT not in head:
        return None
    rows = list(_row_of_pickles(source))
    if not rows or rows[0].root != MAGIC:
        return None
    if len(rows) < 4:
        classes = named_classes(rows)  # the first pickles are loaded before the end is missed
        return Reading("torch-legacy", problem=Damaged("truncated"), producer="pytorch", classes=classes)
    main = rows[3]
    reading = _reading("torch-legacy", main, rows)
    system = rows[2].root
    if isinstance(system, Node) and system.entries.get("little_endian") is False:
        reading.details["byteorder"] = "big"
    reading.details["source-file"] = _source_of(main)
    stored = sum(8 + storage.size for storage in storages(main.persistent).values())
    reading.problem = next((row.problem for row in rows if row.problem), None)
    if len(rows) < 5 or rows[4].end + stored > source.size:
        reading.fail(Damaged("truncated", f"{stored} bytes of weights, {source.size} bytes in all"))
    reading.version = _short(str(rows[1].root)) if isinstance(rows[1].root, int) else None
    return reading


@file_reader("torch-legacy", rank=Rank.STRUCTURE)
def torch_tar(source: Source, _beside: Folder) -> Reading | None:
    """A tar archive of the first releases: pickles named "sys_info" and "pickle", storages, tensors."""
    if source.size < _TAR_BLOCK:
        return None
    head = source.read(0, _TAR_BLOCK)
    if head[257:262] != b"ustar" and head[:100].rstrip(b"\0").decode("latin-1") not in _TAR_PARTS:
        return None
    parts = {name: (start, size) for name, start, size in _tar_members(source) if name in _TAR_PARTS}
    if "pickle" not in parts or "storages" not in parts:
        is_cut = head.startswith(b"sys_info\0")
        cut = Reading("torch-legacy", version="tar", producer="pytorch", problem=Damaged("truncated"))
        return cut if is_cut else None
    start, size = parts["pickle"]
    main = read_whole_pickle(source.part(start, size))
    start, size = parts["storages"]
    first = source.part(start, size)  # a count, and then key, device and class of each storage before its numbers
    rows = [read_whole_pickle(first)]
    rows.append(read_whole_pickle(first, rows[0].end))
    reading = _reading("torch-legacy", main, [main, *rows])
    key = rows[1].root
    device = key[1] if isinstance(key, tuple) and len(key) > 1 else ""
    reading.version = "tar"
    reading.devices = (device[:40],) if isinstance(device, str) and device not in ("", "cpu") else ()
    reading.details |= {"content": "", "weights-only-refuses": "tar"}
    reading.dtypes = reading.memory = None  # the shapes lie in the part "tensors", which is left unread
    reading.problem = main.problem
    return reading


def _reading(format_id: str, main: Pickle, pickles: list[Pickle]) -> Reading:
    """The reading of the pickles of a file, whatever it is wrapped in."""
    contents: Contents = contents_of(main)
    classes = named_classes(pickles)
    devices = devices_of(pickles)
    details = contents.details
    details["weights-only-refuses"] = refused_opcode(pickles[:1] if format_id == "torch-zip" else pickles)
    return Reading(
        format_id,
        producer=contents.producer or "pytorch",
        producer_version=contents.producer_version or None,
        bound_to=bindings(contents, devices, classes),
        dependence="medium" if contents.model_class or devices else None,
        dtypes=contents.weights.dtypes,
        quantization=contents.weights.quantization,
        details=details,
        frameworks=(
            "torch>=1.6" if format_id == "torch-zip" else "torch",
            *(package for package in packages_needed(pickles) if package != "torch"),
        ),
        classes=classes,
        devices=devices,
        memory=contents.weights.memory,
    )


def _short(version: str | None) -> str | None:
    return version[:20] if version else None


def _storage_problem(files: TorchZip, main: Pickle) -> Damaged | None:
    """A storage that the pickle names and that is not there, or is too short."""
    for key, storage in storages(main.persistent).items():
        size = files.size_of(f"data/{key}")
        if size is None:
            return Damaged("missing-part", f"data/{key}")
        if size < storage.size:
            return Damaged("truncated", f"data/{key}: {size} of {storage.size} bytes")
    return None


def _row_of_pickles(source: Source) -> Iterator[Pickle]:
    """The five pickles at the beginning, or as many as can be followed."""
    place = 0
    for _ in range(5):
        found = read_whole_pickle(source, place)
        yield found
        if found.problem:
            return
        place = found.end


def _source_of(main: Pickle) -> str:
    """The file of Python code of a whole module: the form kept its path, and its text, beside the class."""
    for persistent in main.persistent:
        if isinstance(persistent.id, tuple) and len(persistent.id) > 2 and persistent.id[0] == "module":
            name: Value = persistent.id[2]
            if isinstance(name, Blob) and name.short is not None:
                return name.short.decode("utf-8", "replace")
            return name[:200] if isinstance(name, str) else ""
    return ""


def _tar_members(source: Source) -> Iterator[tuple[str, int, int]]:
    """Name, start and size of the first members of a plain tar archive."""
    place = 0
    for _ in range(_MOST_TAR_MEMBERS):
        if place + _TAR_BLOCK > source.size:
            return
        head = source.read(place, _TAR_BLOCK)
        name = head[:100].partition(b"\0")[0].decode("utf-8", "replace")
        digits = struct.unpack_from("12s", head, 124)[0].strip(b" \0")
        if not name or not digits.isdigit() or set(digits) & set(b"89"):
            return
        size = int(digits, 8)
        if place + _TAR_BLOCK + size > source.size:
            return
        yield name.removeprefix("./"), place + _TAR_BLOCK, size
        place += _TAR_BLOCK + -(-size // _TAR_BLOCK) * _TAR_BLOCK
