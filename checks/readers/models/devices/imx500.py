"""Networks for Sony's IMX500 sensor: the converter's archive (packerOut.zip) and the camera's package (network.rpk).

The archive holds manifest.json (the converter's version, every part with its size), dnnParams.xml (tensors, and how the
sensor's memory is divided up) and the parts themselves. The package, made of it on a Raspberry Pi, is a row of blocks
for the sensor, each between "9464" and "3695", and then a cpio archive with network_info.txt and, where somebody added
it, network_intrinsics (what the programs of picamera2 want to know: task, labels, frame rate). The first block names
the converter's version and holds the tensors as a FlatBuffer, whose schema stands in modlib
(apParams.flatbuffers_generated.h); all words of 32 bits in it are turned round.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

import msgspec

from checks.facts import Binding, NeededFile, TensorSpec
from checks.readers.containers.flatbuffer import FlatBuffer, Table
from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.json_text import decoded
from checks.readers.containers.source import MIB, Damaged, Source, of_bytes
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, archive_reader, file_reader

_MANIFEST, _PARAMETERS = "manifest.json", "dnnParams.xml"
_MOST_XML = MIB
_MOST_TENSORS = 256

_BLOCK, _BLOCK_END = b"9464", b"3695"
_BLOCK_HEADER, _BLOCK_AROUND, _LOCKED = 60, 64, 32  # bytes; a locked block has 32 more
_MOST_BLOCKS = 256
_VERSION_AT, _PARAMETERS_AT = 48, 96  # in the first block
_MOST_PARAMETERS = 64 * 1024

_CPIO = b"070701"
_CPIO_HEADER = 110
_MOST_MEMBERS = 64
_MOST_MEMBER = MIB


@archive_reader("imx500-packer")
def imx500_packer(archive: ZipFolder) -> Reading | None:
    """What imxconv-pt or imxconv-tf wrote."""
    if archive.size_of(_MANIFEST) is None or archive.size_of(_PARAMETERS) is None:
        return None
    with archive.file(_MANIFEST) as source:
        manifest = _object(source.read(0, min(source.size, MIB)))
    if manifest.get("Target") != "IMX500" and manifest.get("Description") != "Created by Packer":
        return None
    version = _text(manifest.get("Release Version"))
    parts = tuple(_parts(manifest, archive))
    missing = [part.name for part in parts if not part.present or part.present_size != part.size]
    with archive.file(_PARAMETERS) as source:
        network = _parameters(source)
    details = {
        "network": _text(manifest.get("Network Name")),
        "exported": _text(manifest.get("Date Info")),
        **network.details,
    }
    return Reading(
        "imx500-packer",
        version=version or None,
        producer="imx500-converter",
        producer_version=version or None,
        frameworks=("imx500-tools",),
        devices=("imx500",),
        files=parts,
        memory=network.coefficients,
        bound_to=(Binding(kind="imx500"),),
        inputs=network.inputs,
        outputs=network.outputs,
        details=details,
        problem=Damaged("missing-part", ", ".join(missing[:5])) if missing else None,
    )


@file_reader("imx500-rpk", rank=Rank.MAGIC)
def imx500_rpk(source: Source, _beside: Folder) -> Reading | None:
    """What imx500-package wrote on the Raspberry Pi."""
    if source.size < _BLOCK_AROUND or source.read(0, 4) != _BLOCK:
        return None
    size = struct.unpack(">I", source.read(4, 4))[0]
    if size + _BLOCK_AROUND > source.size:
        if not source.name.lower().endswith(".rpk"):
            return None  # four digits alone prove nothing
    elif source.read(_BLOCK_HEADER + size, 4) != _BLOCK_END:
        return None
    problem = None
    info: dict[str, str] = {}
    intrinsics: dict[str, Any] = {}
    try:
        at = _end_of_blocks(source)
        for name, content in _members(source, at):
            if name == b"network_info.txt":
                lines = content.decode("ascii", "replace").splitlines()
                info = dict(line.split("=", 1) for line in lines if "=" in line)
            elif name == b"network_intrinsics":
                intrinsics = _object(content)
    except Damaged as damage:
        problem = damage
    version = _converter(source)
    inputs, outputs, network = _tensors(source, info)
    details = {
        "network": network,
        "input-format": info.get("inputTensorFormat", "").strip(),
        "task": _text(intrinsics.get("task")),
        "frame-rate": _text(intrinsics.get("inference_rate")),
        "classes": str(_labels(intrinsics) or ""),
        "package-version": info.get("version", "").strip(),
    }
    return Reading(
        "imx500-rpk",
        version=version,
        producer="imx500-converter",
        producer_version=version,
        frameworks=("imx500-firmware",),
        devices=("imx500",),
        inputs=inputs,
        outputs=outputs,
        details={key: value[:100] for key, value in details.items() if value},
        problem=problem,
    )


class _Network(msgspec.Struct):
    inputs: tuple[TensorSpec, ...] | None = None
    outputs: tuple[TensorSpec, ...] | None = None
    coefficients: int | None = None  # bytes
    details: dict[str, str] = {}


def _parts(manifest: dict[str, Any], archive: ZipFolder) -> Iterator[NeededFile]:
    """The files that the manifest lists; its size of the coefficients is that before they were rounded up."""
    for entry in list(manifest.values())[:_MOST_TENSORS]:
        if isinstance(entry, dict) and isinstance(name := entry.get("File"), str):
            size = entry.get("Size")
            there = archive.size_of(name)
            yield NeededFile(
                name=name[:100],
                size=size if isinstance(size, int) and 0 <= size < 1 << 40 else there,
                present=there is not None,
                present_size=there,
            )


def _parameters(source: Source) -> _Network:
    """Tensors and memory. The XML has no business with entities, so a file that declares some is not parsed."""
    text = source.read(0, min(source.size, _MOST_XML)).decode("utf-8", "replace")
    if "<!" in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL):
        raise Damaged("xml-damaged", f"{_PARAMETERS} declares entities")
    try:
        root = ET.fromstring(text)  # noqa: S314 - small, without entities, and text: no encoding of its own choice
    except (ET.ParseError, ValueError) as error:
        raise Damaged("xml-damaged", f"{_PARAMETERS}: {error}") from error
    memory = root.find("l2memory")
    attributes = dict(memory.attrib) if memory is not None else {}
    numbers = {key: int(value) for key, value in attributes.items() if value.isdecimal() and len(value) < 15}
    names = {
        "memory-total": numbers.get("totalSize"),
        "memory-coefficients": numbers.get("coefficientsSize"),
        "memory-reserved": numbers.get("reservedMemorySize"),
        "memory-working": numbers.get("networksRuntimeSize"),
    }
    return _Network(
        inputs=tuple(_xml_tensor(element) for element in _some(root.iter("inputTensor"))),
        outputs=tuple(_in_order(root.iter("outputTensor"))),
        coefficients=numbers.get("coefficientsSize"),
        details={key: str(value) for key, value in names.items() if value is not None},
    )


def _in_order(elements: Iterator[ET.Element]) -> Iterator[TensorSpec]:
    """The tensors in the order in which the sensor sends them, which is not that of the file."""
    found = list(_some(elements))
    for item in sorted(found, key=lambda element: _number(element.get("ordinal"))):
        yield _xml_tensor(item)


def _xml_tensor(element: ET.Element) -> TensorSpec:
    dimensions = sorted(_some(element.iter("dimension")), key=lambda item: _number(item.get("ordinal")))
    return TensorSpec(
        name=(element.get("name") or "")[:200],
        dtype=_dtype(_number(element.get("bitsPerElement")), is_signed=element.get("format") == "signed"),
        shape=tuple(_number(dimension.get("size")) for dimension in dimensions),
    )


def _end_of_blocks(source: Source) -> int:
    at = 0
    for _ in range(_MOST_BLOCKS):
        if at + 16 > source.size or source.read(at, 4) != _BLOCK:
            return at
        size = struct.unpack(">I", source.read(at + 4, 4))[0]
        is_locked = source.read(at + 14, 1)[0] & 1
        if source.read(at + _BLOCK_HEADER + size, 4) != _BLOCK_END:
            raise Damaged("truncated", f"no end of the block at {at}")
        at += size + _BLOCK_AROUND + (_LOCKED if is_locked else 0)
    raise Damaged("too-large", f"more than {_MOST_BLOCKS} blocks")


def _members(source: Source, at: int) -> Iterator[tuple[bytes, bytes]]:
    """The files of the cpio archive that begins at ``at``."""
    for _ in range(_MOST_MEMBERS):
        header = source.read(at, _CPIO_HEADER)
        if header[:6] != _CPIO:
            raise Damaged("archive-damaged", f"no member at {at}")
        if not re.fullmatch(rb"[0-9A-Fa-f]{104}", header[6:]):
            raise Damaged("archive-damaged", f"no number in the header at {at}")
        size, name_size = int(header[54:62], 16), int(header[94:102], 16)
        name = source.read(at + _CPIO_HEADER, min(name_size, 256)).rstrip(b"\0")
        if name == b"TRAILER!!!":
            return
        start = at + (_CPIO_HEADER + name_size + 3 & ~3)
        if size > _MOST_MEMBER:
            raise Damaged("too-large", f"{size} bytes of {name!r}")
        yield name, source.read(start, size)
        at = start + (size + 3 & ~3)
    raise Damaged("archive-damaged", "no end")


def _converter(source: Source) -> str | None:
    """The converter's version: two digits each for its three numbers, in words turned round ("7130 0010")."""
    if source.size < _VERSION_AT + 8:
        return None
    digits = _turned(source.read(_VERSION_AT, 8)).decode("ascii", "replace")
    if not digits.isdecimal() or not digits.isascii():
        return None
    return ".".join(str(int(digits[number : number + 2])) for number in (0, 2, 4))


def _tensors(
    source: Source, info: dict[str, str]
) -> tuple[tuple[TensorSpec, ...] | None, tuple[TensorSpec, ...] | None, str]:
    """Inputs, outputs and the network's name from the first block, else from network_info.txt."""
    size = _number(info.get("apParamSize", "").strip()) or _MOST_PARAMETERS
    size = min(size + 3 & ~3, _MOST_PARAMETERS, max(0, source.size - _PARAMETERS_AT) & ~3)
    try:
        buffer = FlatBuffer(of_bytes(_turned(source.read(_PARAMETERS_AT, size))))
        network = next(iter(buffer.root().tables(0)))
        inputs = tuple(_table_tensor(table, is_input=True) for table in _some(network.tables(3)))
        outputs = sorted(_some(network.tables(4)), key=lambda item: item.integer(0, "B"))
        return inputs, tuple(_table_tensor(output, is_input=False) for output in outputs), network.text(1, most=200)
    except (Damaged, StopIteration):
        width, height = (_number(info.get(f"inputTensor{side}", "").strip()) for side in ("Width", "Height"))
        return (TensorSpec(name="input", shape=(height, width, "?")),) if width and height else None, None, ""


def _table_tensor(tensor: Table, *, is_input: bool) -> TensorSpec:
    dimensions = sorted(_some(tensor.tables(3)), key=lambda item: item.integer(0, "B"))
    bits, format = (8, 6) if is_input else (tensor.integer(4, "B"), 7)
    return TensorSpec(
        name=tensor.text(1, most=200),
        dtype=_dtype(bits, is_signed=tensor.integer(format, "B") == 0),
        shape=tuple(dimension.integer(1, "H") for dimension in dimensions),
    )


def _turned(data: bytes) -> bytes:
    """Every word of 32 bits the other way round."""
    return b"".join(data[at : at + 4][::-1] for at in range(0, len(data), 4))


def _labels(intrinsics: dict[str, Any]) -> int:
    classes = intrinsics.get("classes")
    labels = classes.get("labels") if isinstance(classes, dict) else intrinsics.get("labels")
    return len(labels) if isinstance(labels, list) else 0


def _dtype(bits: int, *, is_signed: bool) -> str | None:
    return f"{'int' if is_signed else 'uint'}{bits}" if bits in (8, 16, 32) else None


def _some(things: Iterator[Any]) -> Iterator[Any]:
    for number, thing in enumerate(things):
        if number >= _MOST_TENSORS:
            return
        yield thing


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 12 else 0


def _object(text: bytes) -> dict[str, Any]:
    found = decoded(text.rstrip(b"\0"), object)
    return found if isinstance(found, dict) else {}


def _text(value: object) -> str:
    return str(value)[:100] if isinstance(value, str | int | float) else ""
