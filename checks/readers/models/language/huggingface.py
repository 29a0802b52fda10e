"""Folders in the way of Hugging Face: weights, split or not, with a config.json that says what they are the weights of.

The format stays that of the weights. A folder is one model where all its weights are safetensors (or the older
pytorch_model.bin); one that holds other exports of the same model too is a folder of several.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

import msgspec

from checks.facts import NeededFile
from checks.facts.versions import release
from checks.prepared import prepared
from checks.readers.containers.folder import Folder, SubFolder, ZipFolder, inside
from checks.readers.containers.json_text import JSON_ERRORS
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.exchange.safetensors import read_header, reading_of
from checks.readers.models.language.hf_config import (
    MOST_LIST,
    NOTHING,
    decoded,
    described,
    number,
    read_config,
    small_file,
    text,
    texts,
)
from checks.readers.models.reading import Reading, needed_file
from checks.readers.models.registry import ArchiveReader, FileReader, Rank, file_reader, folder_reader, readers_of

_MOST_INDEX = 32 * MIB
_MOST_SHARDS = 10_000
_MOST_OPENED = 1000  # shards whose header is read
_PAIR = re.compile(rb'"((?:[^"\\]++|\\.)*+)"\s*+:\s*+"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_LISTS = re.compile(rb'"weight_map"\s*:\s*\{')
_INDEX = ".safetensors.index.json"
_BIN_INDEX = "pytorch_model.bin.index.json"
_WHOLE = ("model.safetensors", "adapter_model.safetensors", "diffusion_pytorch_model.safetensors")
_OLD = ("pytorch_model.bin", "adapter_model.bin", "diffusion_pytorch_model.bin")
_OF_TRAINING = re.compile(r"(?:^|/)(?:training_args\.bin|(?:optimizer|scheduler|scaler|rng_state\w*)\.(?:pth?|bin))$")
# A folder with one of these holds another model, or the same one in another form.
_OTHERS = re.compile(
    r"\.(?:onnx|gguf|h5|keras|tflite|msgpack|ot|pth?|bin|ckpt|mlmodel|engine|pte|pb|npz|t7|caffemodel|param|mnn|hef|pkl)$"
    r"|(?:^|/)openvino_\w+\.xml$",
    re.IGNORECASE,
)


class _Index(msgspec.Struct):
    weight_map: msgspec.Raw = NOTHING
    metadata: msgspec.Raw = NOTHING


class _IndexSize(msgspec.Struct):
    total_size: msgspec.Raw = NOTHING


@file_reader("safetensors", "torch-zip", "torch-legacy", rank=Rank.STRUCTURE)
def sharded(source: Source, beside: Folder) -> Reading | None:
    """The list of a set of shards: model.safetensors.index.json and the like."""
    is_named = source.name.endswith((_INDEX, _BIN_INDEX))
    if source.size < 2 or source.head.lstrip()[:1] != b"{" or not (is_named or _LISTS.search(source.head)):
        return None
    listed = small_file(source, _MOST_INDEX)
    index = decoded(listed, _Index)
    if index is None or bytes(index.weight_map)[:1] != b"{":
        return _unreadable(listed)
    size = decoded(bytes(index.metadata), _IndexSize) or _IndexSize()
    reading = _of_shards(_shards(bytes(index.weight_map)), beside, number(size.total_size))
    reading.size = source.size + sum(file.present_size or 0 for file in reading.files or ())
    return described(reading, beside)


@folder_reader("safetensors", "torch-zip", "torch-legacy")
def huggingface(folder: Folder) -> Reading | None:
    """A folder that is one model as a whole: of transformers, PEFT or diffusers."""
    if folder.size_of("model_index.json") is not None:
        return _pipeline(folder)
    if folder.size_of("config.json") is None and folder.size_of("adapter_config.json") is None:
        return None
    config = read_config(folder, "config.json") or read_config(folder, "adapter_config.json")
    if config is None or not (text(config.model_type) or texts(config.architectures) or text(config.peft_type)):
        return None
    weights = _weights(folder)
    if any(_OTHERS.search(name) and not _OF_TRAINING.search(name) for name in folder.names if name not in weights):
        return None
    reading = _read_weights(folder)
    return described(reading, folder) if reading else None


def _pipeline(folder: Folder) -> Reading | None:
    """A pipeline of diffusers: each component in a folder of its own."""
    try:
        with folder.file("model_index.json") as source:
            listed = small_file(source, MOST_LIST)
        index = msgspec.json.decode(listed, type=prepared(dict[str, msgspec.Raw]))
    except (Damaged, *JSON_ERRORS):
        return None
    name, version = text(index.get("_class_name", NOTHING)), text(index.get("_diffusers_version", NOTHING))
    if not name or not version or any(file.endswith((".onnx", ".xml")) for file in folder.names):
        return None
    components = {item: pair for item, raw in index.items() if len(pair := texts(raw)) == 2 and inside(item)}
    read, missing = [], []
    for component in sorted(components)[:_MOST_OPENED]:
        below = SubFolder(folder, component)
        if not below.names:
            missing.append(NeededFile(name=component, present=False))
        elif (reading := _read_weights(below)) is not None:
            read.append(reading)
    whole = _merged(read, tuple(missing))
    whole.producer, whole.producer_version = "diffusers", version
    whole.frameworks = (*whole.frameworks, "diffusers")
    whole.details |= {"architecture": name[:200], "components": ", ".join(sorted(components))[:500]}
    return whole


def _weights(folder: Folder) -> set[str]:
    """The names of the files that hold the weights, by the list of the shards or by the usual name."""
    named = {name for name in folder.names if "/" not in name and name.endswith(".safetensors")}
    if named:
        return named
    return {name for name in folder.names if re.fullmatch(r"(?:pytorch|adapter)_model[\w.-]*\.bin", name)}


def _read_weights(folder: Folder) -> Reading | None:
    """The weights of one folder: a list of shards, a file with the usual name, or the only one there."""
    files = [name for name in folder.names if "/" not in name]
    plain = [name for name in files if name.endswith(".safetensors")]
    index = next((name for name in sorted(files, key=len) if name.endswith((_INDEX, _BIN_INDEX))), None)
    usual = next((name for name in (*_WHOLE, *plain[:1]) if name in files and "-of-" not in name), None)
    if usual is not None and (usual in _WHOLE or len(plain) == 1):
        with folder.file(usual) as source:
            return reading_of(read_header(source))
    if index is not None:
        with folder.file(index) as source:
            source.name = PurePosixPath(index).name
            return sharded.gather(source, folder)
    old = next((name for name in _OLD if name in files), None)
    return _old_weights(folder, old) if old else None


def _old_weights(folder: Folder, name: str) -> Reading:
    with folder.file(name) as source:
        if source.size >= 4 and source.read(0, 4) == b"PK\x03\x04":
            archive = ZipFolder(source)
            readings = (reader.gather(archive) for reader in readers_of(ArchiveReader))
        else:
            readings = (reader.gather(source, folder) for reader in readers_of(FileReader))
        return next((reading for reading in readings if reading is not None), Reading("torch-zip"))


def _of_shards(names: tuple[str, ...], beside: Folder, total: int | None) -> Reading:
    """A set of shards: those that are there are read, those that are not are named."""
    files = tuple(needed_file(beside, name) for name in names)
    read: list[Reading] = []
    for file in files[:_MOST_OPENED]:
        if file.present and file.name.endswith(".safetensors"):
            with beside.file(file.name) as source:
                reading = reading_of(read_header(source))
            if reading.problem:
                reading.problem = Damaged(reading.problem.reason, f"{file.name}: {reading.problem.detail}")
            read.append(reading)
    whole = _merged(read, files)
    if not any(name.endswith(".safetensors") for name in names):
        whole.format, whole.dtypes = _pickled_format(files, beside), None
    if total is not None and len(read) < len(files):
        whole.memory = total
    return whole


def _pickled_format(files: tuple[NeededFile, ...], beside: Folder) -> str:
    for file in files:
        if file.present and (file.present_size or 0) >= 2:
            with beside.file(file.name) as source:
                return "torch-zip" if source.read(0, 2) == b"PK" else "torch-legacy"
    return "torch-zip"


def _merged(read: list[Reading], files: tuple[NeededFile, ...]) -> Reading:
    missing = [file.name for file in files if file.present is False]
    outside = [file.name for file in files if file.present is None]
    broken = next((reading for reading in read if reading.problem), None)
    problem = broken.problem if broken else None
    if missing:
        more = f" (+{len(missing) - 5})" if missing[5:] else ""
        problem = Damaged("missing-part", ", ".join(missing[:5]) + more)
    elif outside:
        problem = Damaged("outside", outside[0])
    first = read[0] if read else Reading("safetensors")
    is_complete = not missing and not outside and all(reading.memory is not None for reading in read)
    whole = replace(
        first,
        problem=problem,
        dtypes=Counter() if read else None,
        quantization=next((reading.quantization for reading in read if reading.quantization), None),
        frameworks=_highest([framework for reading in read for framework in reading.frameworks]),
        files=files or None,
        memory=sum(reading.memory or 0 for reading in read) if is_complete and read else None,
        details={key: value for key, value in first.details.items() if key != "tensors"},
    )
    for reading in read:
        for dtype, count in (reading.dtypes or {}).items():
            whole.count(dtype, count)
    return whole


def _highest(wishes: list[str]) -> tuple[str, ...]:
    """Of several wishes for one package the highest: "safetensors>=0.6.0" and not "safetensors" too."""
    highest: dict[str, str] = {}
    for wish in wishes:
        name, _, version = wish.partition(">=")
        if name not in highest or release(version) > release(highest[name].partition(">=")[2]):
            highest[name] = wish
    return tuple(highest.values())


def _shards(weight_map: bytes) -> tuple[str, ...]:
    """The files that a list names, each once."""
    names: dict[str, None] = {}
    for pair in _pairs(weight_map):
        names[pair] = None
        if len(names) > _MOST_SHARDS:
            raise Damaged("too-large", f"more than {_MOST_SHARDS} files")
    return tuple(sorted(names))


def _pairs(weight_map: bytes) -> Iterator[str]:
    known: dict[bytes, str] = {}
    for found in _PAIR.finditer(weight_map):
        value = found[2]
        if value not in known:
            if len(known) > _MOST_SHARDS:
                raise Damaged("too-large", f"more than {_MOST_SHARDS} files")
            known[value] = text(msgspec.Raw(b'"' + value + b'"')) or value.decode("utf-8", "replace")
            yield known[value][:1000]


def _unreadable(text: bytes) -> Reading:
    """A list of shards by its name that cannot be read as one."""
    is_open = text.rstrip()[-1:] != b"}"
    return Reading("safetensors", problem=Damaged("truncated" if is_open else "json-damaged"))
