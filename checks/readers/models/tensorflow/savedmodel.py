"""TensorFlow SavedModel: a folder with saved_model.pb (or .pbtxt), variables/ and assets/.

https://www.tensorflow.org/guide/saved_model#the_savedmodel_format_on_disk
"""

from __future__ import annotations

import re
from collections import Counter

from checks.facts import NeededFile
from checks.readers.containers.folder import Folder
from checks.readers.containers.protobuf.text import read_text
from checks.readers.containers.protobuf.wire import BYTES, VARINT, Message
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading, incomplete_file, needed_file
from checks.readers.models.registry import Rank, file_reader, folder_reader
from checks.readers.models.tensorflow.checkpoint import Index, needed_shards, read_index
from checks.readers.models.tensorflow.graph import bound_by_operators, reaching_operators
from checks.readers.models.tensorflow.messages import VARIABLE_OPERATORS, MetaGraph, Signature, read_meta_graph
from checks.readers.models.tensorflow.text import read_text_meta_graph

FORMAT = "savedmodel"
BINARY, TEXT = "saved_model.pb", "saved_model.pbtxt"
INDEX = "variables/variables.index"
STEM = "variables/variables"
KERAS_METADATA = "keras_metadata.pb"
DEFAULT_SIGNATURE = "serving_default"
MOST_META_GRAPHS = 16
_TEXT_START = re.compile(rb"\s*(?:#[^\n]*\n\s*)*(?:saved_model_schema_version|meta_graphs)\s*[:{]")
_KERAS_VERSION = re.compile(rb'"keras_version"\s*:\s*"([\w.\-+]{1,40})"')
_METADATA_READ = MIB  # bytes of keras_metadata.pb; the version stands in its first layer


@folder_reader(FORMAT)
def savedmodel(folder: Folder) -> Reading | None:
    """A folder that holds saved_model.pb or saved_model.pbtxt."""
    name = BINARY if folder.size_of(BINARY) is not None else TEXT
    if folder.size_of(name) is None:
        return None
    with folder.file(name) as source:
        return read_saved_model(source, folder)


@file_reader(FORMAT, rank=Rank.STRUCTURE)
def saved_model_file(source: Source, beside: Folder) -> Reading | None:
    """The file saved_model.pb by itself; what belongs to it is looked for beside it."""
    is_named = source.name.lower() in (BINARY, TEXT)
    return read_saved_model(source, beside) if is_named or _is_binary(source) else None


def read_saved_model(source: Source, folder: Folder) -> Reading | None:
    """The facts of a SavedModel; None where the file is something else."""
    reading, graphs = _read(source)
    if not graphs:
        if reading.problem is None:
            return None
        raise reading.problem
    main = next((graph for graph in graphs if "serve" in graph.tags), graphs[0])
    for graph in graphs:
        reading.fail(graph.graph.problem)
    reading.producer_version = main.version
    if signature := _signature(main):
        reading.inputs, reading.outputs = signature.inputs, signature.outputs
    reading.frameworks = (main.graph.framework,)
    reading.operators = operators = main.graph.uses
    reading.classes = reaching_operators([name for graph in graphs for name in graph.graph.operators])
    reading.devices = main.graph.pinned_devices
    reading.dependence = "high" if any(operator.is_custom for operator in operators) else None
    reading.bind("tensorflow-version", main.version)
    reading.bound_to += bound_by_operators(operators)
    _read_files(folder, main, reading)
    reading.details = _details(graphs, main, folder)
    return reading


def largest_constant(source: Source) -> int:
    """How many numbers the largest constant within the graphs of a saved_model.pb holds."""
    _, graphs = _read(source)
    return max((graph.graph.largest_constant for graph in graphs), default=0)


def _is_binary(source: Source) -> bool:
    """Whether it begins as saved_model.pb does: the schema's version 1, and meta graphs with their tags first."""
    if source.size < 8 or source.read(0, 3) != b"\x08\x01\x12":
        return False
    try:
        fields = iter(Message(source))
        next(fields, None)
        graph = next(fields, None)
        first = next(iter(Message(source).message(graph)), None) if graph else None
        is_info = first is not None and first.number == 1 and first.wire == BYTES
        return first is not None and is_info and _has_version(source, first.start, first.size)
    except Damaged:
        return False


def _has_version(source: Source, start: int, size: int) -> bool:
    return any(
        field.number == 5 and field.wire == BYTES and field.size < 64 and source.read(field.start, 1).isdigit()
        for field in Message(source, start, size)
    )


def _read(source: Source) -> tuple[Reading, list[MetaGraph]]:
    reading = Reading(FORMAT, producer="tensorflow")
    graphs: list[MetaGraph] = []
    if source.name.lower() == TEXT or _TEXT_START.match(source.read(0, min(4096, source.size))):
        text, is_whole = read_text(source)
        found = read_text_meta_graph(text, ("meta_graphs",))
        if not is_whole:
            reading.problem = Damaged("too-large", f"{source.size} bytes of text")
        if not found.graph.operators and found.version is None:
            reading.problem = found.graph.problem or Damaged("truncated", "no graph")
            return reading, []
        reading.version = "1"
        return reading, [found]
    with reading.part():
        for field in Message(source):
            if field.number == 1 and field.wire == VARINT:
                reading.version = str(field.value)
            elif field.number == 2 and field.wire == BYTES and len(graphs) < MOST_META_GRAPHS:
                graphs.append(read_meta_graph(Message(source).message(field)))
    return reading, graphs


def _read_files(folder: Folder, main: MetaGraph, reading: Reading) -> None:
    index = Index()
    files: list[NeededFile] = []
    variables = needed_file(folder, INDEX)
    if variables.present:
        with reading.part(), folder.file(INDEX) as source:
            read_index(source, index)
        files += [variables, *needed_shards(folder, STEM, index)]
    elif VARIABLE_OPERATORS & main.graph.operators.keys():
        files.append(variables)
    files += [needed_file(folder, f"assets/{asset}") for asset in main.assets]
    reading.fail(incomplete_file(files))
    reading.files = files
    reading.dtypes, reading.memory = index.dtypes, index.memory


def _signature(main: MetaGraph) -> Signature | None:
    real = {name: signature for name, signature in main.signatures.items() if not name.startswith("__")}
    return real.get(DEFAULT_SIGNATURE) or next(iter(real.values()), None)


def _keras_version(folder: Folder, main: MetaGraph) -> str:
    """The Keras that saved it; "" where the file does not say so."""
    texts = [main.keras_metadata]
    size = folder.size_of(KERAS_METADATA)
    if size:
        with folder.file(KERAS_METADATA) as source:
            texts.append(source.read(0, min(size, _METADATA_READ)))
    found = next((found for found in map(_KERAS_VERSION.search, texts) if found), None)
    return found[1].decode() if found else ""


def _details(graphs: list[MetaGraph], main: MetaGraph, folder: Folder) -> dict[str, str]:
    names = [name for name in main.signatures if not name.startswith("__")]
    layers = Counter({name: count for name, count in main.classes.items() if name.startswith("_tf_keras_")})
    found = {
        "tags": "; ".join(", ".join(graph.tags) for graph in graphs),
        "signatures": ", ".join(names[:20]),
        "tensorflow-api": "2" if main.has_objects else "1",
        "keras-version": _keras_version(folder, main),
        "saved-by": "Keras 2" if layers or folder.size_of(KERAS_METADATA) is not None else "",
    }
    return {name: value for name, value in found.items() if value} | main.graph.details
