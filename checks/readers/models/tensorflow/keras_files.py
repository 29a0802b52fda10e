"""Keras: .h5 (a whole model, or its weights alone) and .keras, a zip with config.json and model.weights.h5.

https://keras.io/api/models/model_saving_apis/; the layout of .h5 is keras/src/legacy/saving/legacy_h5_format.py, that
of .keras keras/src/saving/saving_lib.py. Weights are counted by their shapes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

import msgspec

from checks.facts import NamedClass
from checks.facts.versions import major_number
from checks.knowledge.formats.pickle_globals import DANGEROUS, KNOWN
from checks.knowledge.frameworks.keras import least_keras_3
from checks.prepared import prepared
from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.hdf5 import SIGNATURE, Hdf5, Node, Value
from checks.readers.containers.json_text import JSON_ERRORS
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, archive_reader, file_reader
from checks.readers.models.tensorflow.keras_config import KerasModel, parse_config, read_config

H5, ZIP = "keras-h5", "keras-zip"
METADATA, CONFIG, WEIGHTS = "metadata.json", "config.json", "model.weights.h5"
_MODEL = "model_weights"  # the group of the weights in a file that holds more
_USER_BLOCKS = (0, 512, 1024, 2048, 4096, 8192)
_MOST_METADATA = 1 << 16
_SHOWN = 12  # names that a detail lists
_MOST_CLASSES = 300
_BITS = {"bool": 8, "float8_e4m3fn": 8, "float8_e5m2": 8, "int4": 4}
_NUMBER = re.compile(r"(\d+)$")
# Groups of a file that are not the model's weights.
_ASIDE = frozenset({"optimizer_weights", "optimizer", "metrics", "_metrics", "_loss_tracker", "loss_tracker"})


class _Metadata(msgspec.Struct):
    keras_version: str
    date_saved: str = ""


@file_reader(H5, rank=Rank.MAGIC)
def keras_h5(source: Source, _beside: Folder) -> Reading | None:
    """HDF5 with the attributes or the groups that Keras writes; other HDF5 files are not ours."""
    if not any(source.size >= at + 8 and source.read(at, 8) == SIGNATURE for at in _USER_BLOCKS):
        return None
    file = Hdf5(source)
    reading = Reading(H5, producer="keras")
    if file.is_truncated:
        reading.fail(Damaged("truncated", f"{source.size} bytes"))
    attributes: dict[str, Value] = {}
    links: dict[str, Node] = {}
    with reading.part():
        attributes = file.root.attributes
    with reading.part():
        links = file.root.links
    if not _is_keras(attributes, links):
        if reading.problem and source.name.lower().endswith((".h5", ".hdf5", ".keras")):
            raise reading.problem
        return None
    model = KerasModel()
    config = attributes.get("model_config")
    if isinstance(config, bytes):
        with reading.part():
            read_config(parse_config(config), model)
    top = links.get(_MODEL)
    _describe(reading, _version(attributes, top), model, is_model=isinstance(config, bytes))
    reading.details |= {"content": "" if config else "weights", "keras-backend": _text(attributes.get("backend"))}
    training = attributes.get("training_config")
    if isinstance(training, bytes):
        with reading.part():
            reading.details["optimizer"] = _optimizer(parse_config(training))
    if isinstance(config, bytes) and source.name.lower().endswith(".keras"):
        reading.details["named-keras"] = "yes"
    _read_weights(file.root, reading)
    return reading


@archive_reader(ZIP)
def keras_zip(archive: ZipFolder) -> Reading | None:
    """A zip with metadata.json, config.json and the weights."""
    if archive.size_of(CONFIG) is None or archive.size_of(METADATA) is None:
        return None
    metadata = _metadata(archive)
    if metadata is None:
        return None
    reading, model, optimizer = Reading(ZIP, producer="keras", dtypes=Counter(), memory=0), KerasModel(), ""
    with reading.part():
        config = parse_config(_content(archive, CONFIG))
        read_config(config, model)
        optimizer = _optimizer(config)
    _describe(reading, metadata.keras_version, model, is_model=True)
    reading.details |= {"saved-at": metadata.date_saved, "optimizer": optimizer}
    if archive.size_of(WEIGHTS) is None:
        if archive.size_of("model.weights.npz") is None:  # the other form in which Keras keeps weights
            reading.fail(Damaged("missing-part", WEIGHTS))
    else:
        with reading.part(), archive.file(WEIGHTS) as source:
            file = Hdf5(source)
            if file.is_truncated:
                reading.fail(Damaged("truncated", WEIGHTS))
            _read_weights(file.root, reading)
    return reading


def _is_keras(attributes: dict[str, Value], links: dict[str, Node]) -> bool:
    if attributes.keys() & {"keras_version", "model_config", "layer_names"}:
        return True
    return bool(links.keys() & {"layers", "_layer_checkpoint_dependencies", "vars"}) and _has_vars(links)


def _has_vars(links: dict[str, Node]) -> bool:
    """Whether the groups are those of save_weights in Keras 3: each layer with its "vars"."""
    try:
        if "vars" in links:
            return True
        layers = links.get("layers") or links.get("_layer_checkpoint_dependencies")
        return layers is not None and any("vars" in link.links for link in list(layers.links.values())[:8])
    except Damaged:
        return False


def _version(attributes: dict[str, Value], top: Node | None) -> str:
    version = _text(attributes.get("keras_version"))
    if version or top is None:
        return version
    try:
        return _text(top.attributes.get("keras_version"))
    except Damaged:
        return ""


def _describe(reading: Reading, version: str, model: KerasModel, *, is_model: bool) -> None:
    own = [f"{use.domain}>{use.name}" if use.domain else use.name for use in model.uses if use.is_custom]
    own += list(model.others)
    reading.producer_version = version
    reading.bind("keras-version", version)
    if own:
        reading.bind("custom-layers", ", ".join(own[:_SHOWN]))
    if model.functions:
        reading.bind("python-version")
        model.called["keras.layers.Lambda"] = DANGEROUS
    if foreign := {name: risk for name, risk in model.called.items() if risk != KNOWN}:
        reading.classes = [NamedClass(name=name, risk=risk) for name, risk in foreign.items()][:_MOST_CLASSES]
    if own or model.functions:
        reading.dependence = "high"
    if is_model:
        reading.inputs, reading.outputs = model.inputs, model.outputs
        reading.operators = model.uses if model.layers or reading.problem is None else None
    reading.quantization = model.quantization or None
    reading.frameworks = (_requirement(reading.format, version, model, is_model=is_model),)
    policies = [name for name, _ in model.policies.most_common()]
    reading.details |= {
        "custom-objects": ", ".join(own[:_SHOWN]),
        "code-in-layers": str(model.functions) if model.functions else "",
        "dtype-policies": ", ".join(policies[:_SHOWN]) if policies != ["float32"] else "",
        "keras-particular": ", ".join(model.refusable),
    }


def _requirement(format_id: str | None, version: str, model: KerasModel, *, is_model: bool) -> str:
    generation = major_number(version)
    if not is_model or generation < 2:
        return "keras"
    if generation == 2:
        return "keras>=2.12" if format_id == ZIP else "keras"
    return f"keras>={least_keras_3(model.refusable)}"


def _read_weights(root: Node, reading: Reading) -> None:
    reading.dtypes, reading.memory = Counter(), 0
    with reading.part():
        for _, node in weights_of(root):
            dtype = dtype_of(node)
            count = math.prod(node.shape or ())
            reading.count(dtype, count)
            reading.memory += (count * _bits(dtype) + 7) // 8


def weights_of(root: Node) -> Iterator[tuple[str, Node]]:
    """The weights of the model that a file or a group of it holds, by path."""
    for path, node in (root.links.get(_MODEL) or root).walk():
        if path.split("/", 1)[0] not in _ASIDE and node.dtype != "string":
            yield path, node


def dtype_of(node: Node) -> str:
    """What a dataset's numbers are; Keras itself notes it where HDF5 has no type for it."""
    return node.dtype or _text(node.attributes.get("dtype")) or "?"


def _bits(dtype: str) -> int:
    number = _NUMBER.search(dtype)
    return _BITS.get(dtype) or (int(number[1]) if number else 0)


def _metadata(archive: ZipFolder) -> _Metadata | None:
    """metadata.json; None where it is not Keras's."""
    try:
        return msgspec.json.decode(_content(archive, METADATA, _MOST_METADATA), type=prepared(_Metadata))
    except (*JSON_ERRORS, Damaged):
        return None


def _content(archive: ZipFolder, name: str, most: int = 64 << 20) -> bytes:
    with archive.file(name) as source:
        return source.read(0, min(source.size, most))


def _optimizer(config: object) -> str:
    """The class of the optimizer in a training configuration; "" where there is none."""
    compiled = config.get("compile_config", config) if isinstance(config, dict) else {}
    chosen = compiled.get("optimizer_config", compiled.get("optimizer")) if isinstance(compiled, dict) else None
    name = chosen.get("class_name") if isinstance(chosen, dict) else chosen
    return name if isinstance(name, str) else ""


def _text(value: Value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
