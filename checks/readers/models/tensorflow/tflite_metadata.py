"""What tools and authors have written into a TFLite model beside its graph."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from checks.readers.containers.flatbuffer import FlatBuffer
from checks.readers.containers.folder import ZipFolder
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading
from checks.readers.models.tensorflow.tflite_graph import TfliteFile

_END_OF_ZIP = b"PK\x05\x06"
_LONGEST_END = 22 + (1 << 16)
_MOST_METADATA = 1 << 20
_MOST_NAMES = 20
_SHOWN = 200  # characters of a text
_STAMP = 125  # bytes of a maker's name, and as many of a chip's

_TENSORFLOW = ("MLIR Converted.", "TOCO Converted.")  # what its converter writes, the newer and the older one

# ModelType and ModelOptimizationMode of conversion_metadata.fbs.
_CONVERTED_FROM = {
    1: "SavedModel", 2: "Keras", 3: "TensorFlow functions", 4: "GraphDef", 5: "TensorFlow session", 6: "JAX",
    7: "PyTorch",
}  # fmt: skip
_OPTIMISED_BY = {
    1001: "PTQ float16", 1002: "PTQ dynamic range", 1003: "PTQ full integer", 1004: "PTQ int16", 2000: "QAT",
    3001: "random sparsity", 3002: "block sparsity", 3003: "structured sparsity",
}  # fmt: skip


@dataclass
class Notes:
    """All of it. ``details`` are those of ModelFacts."""

    producer: str | None = None
    producer_version: str | None = None
    npu: str = ""  # the chip that parts of the model were compiled for
    details: dict[str, str] = field(default_factory=dict)


def read_notes(file: TfliteFile, reading: Reading) -> Notes:
    """Read it, each part on its own."""
    notes = Notes()
    for part in (_read_converter, _read_metadata, _read_signatures, _read_archive):
        with reading.part():
            part(file, notes)
    return notes


def listed(names: Iterable[str]) -> str:
    """Names in one line, the first twenty of them."""
    all_ = tuple(names)
    shown = ", ".join(name[:_SHOWN] for name in all_[:_MOST_NAMES])
    return f"{shown}, … ({len(all_)})" if len(all_) > _MOST_NAMES else shown


def _read_converter(file: TfliteFile, notes: Notes) -> None:
    description = file.root.text(3, MIB).strip()
    if description in _TENSORFLOW:
        notes.producer = "tensorflow"
    else:
        notes.details["description"] = description[:_SHOWN]


def _read_metadata(file: TfliteFile, notes: Notes) -> None:
    others = []
    for name, buffer in file.metadata():
        read = _KNOWN.get(name)
        if read is None:
            others.append(name)
        elif 0 < buffer.size <= _MOST_METADATA:
            with contextlib.suppress(Damaged):  # what a tool has added does not make the model a damaged one
                read(notes, file.source.part(buffer.at, buffer.size))
    notes.details["metadata"] = listed(others)


def _read_signatures(file: TfliteFile, notes: Notes) -> None:
    signatures = []
    for name, inputs, outputs in file.signatures():
        signatures.append(f"{name}({', '.join(inputs)}) → {', '.join(outputs)}")
        if len(signatures) == _MOST_NAMES:
            break
    notes.details["signatures"] = listed(signatures)


def _read_archive(file: TfliteFile, notes: Notes) -> None:
    """The names of the label files behind the model."""
    size = min(file.source.size, _LONGEST_END)
    if _END_OF_ZIP not in file.source.read(file.source.size - size, size):
        return
    try:
        notes.details["associated-files"] = listed(ZipFolder(file.source).names)
    except Damaged:  # weights may hold these four bytes too
        return


def _read_runtime(notes: Notes, source: Source) -> None:
    notes.details["declared-runtime"] = source.read(0, min(source.size, 16)).rstrip(b"\0").decode("ascii", "replace")


def _read_conversion(notes: Notes, source: Source) -> None:
    root = FlatBuffer(source).root()
    environment, options = root.table(0), root.table(1)
    if environment:
        notes.producer = "tensorflow"
        notes.producer_version = environment.text(0, 256) or None
        notes.details["converted-from"] = _CONVERTED_FROM.get(environment.integer(2), "")
    if options:
        modes = options.integers(0, most=100)
        notes.details["optimised-by"] = ", ".join(_OPTIMISED_BY.get(mode, str(mode)) for mode in modes)


def _read_description(notes: Notes, source: Source) -> None:
    """What the author says about the model; the fields of metadata_schema.fbs."""
    root = FlatBuffer(source).root()
    for key, number in (("title", 0), ("model-description", 1), ("model-version", 2), ("author", 4), ("license", 5)):
        notes.details[key] = " ".join(root.text(number).split())[:_SHOWN]


def _read_stamp(notes: Notes, source: Source) -> None:
    maker, chip = (source.read(at, _STAMP).split(b"\0")[0].decode("utf-8", "replace") for at in (0, _STAMP))
    notes.npu = f"{maker} {chip}".strip()


_KNOWN: dict[str, Callable[[Notes, Source], None]] = {
    "min_runtime_version": _read_runtime,
    "CONVERSION_METADATA": _read_conversion,
    "TFLITE_METADATA": _read_description,
    "LiteRtStamp": _read_stamp,
}
