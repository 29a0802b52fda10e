"""TensorFlow Lite / LiteRT: a FlatBuffer "TFL3", also compiled for the Edge TPU or a phone's NPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from checks.facts import Binding, NeededFile, OperatorUse, TensorSpec
from checks.facts.versions import release
from checks.knowledge.formats.edgetpu import EdgeTpuTable
from checks.knowledge.formats.tflite_operators import TfliteOperatorsTable, first_litert, first_tensorflow
from checks.readers.containers.flatbuffer import IDENTIFIER
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.devices.edgetpu import Compiled, Mappable, add_package, mappable
from checks.readers.models.reading import Reading, needed_file
from checks.readers.models.registry import Rank, file_reader
from checks.readers.models.tensorflow.tflite_graph import Code, Operator, Subgraph, Tensor, TfliteFile
from checks.readers.models.tensorflow.tflite_metadata import Notes, listed, read_notes
from checks.readers.models.tensorflow.tflite_weights import Weights

MAGIC = b"TFL3"
_MOST_VALUES = 1_000  # inputs, and outputs


@dataclass
class _Graphs:
    codes: tuple[Code, ...] | None = None
    operators: Counter[Code] = field(default_factory=Counter)
    count: int = 0
    inputs: tuple[TensorSpec, ...] | None = None
    outputs: tuple[TensorSpec, ...] | None = None
    weights: Weights = field(default_factory=Weights)
    compiled: Compiled = field(default_factory=Compiled)
    mappable: Mappable | None = None

    def uses(self, domain: str) -> bool:
        """Whether an operator of a domain is among those of the model."""
        return any(code.domain == domain for code in self.codes or ())


@file_reader("tflite", "tflite-edgetpu", rank=Rank.MAGIC)
def tflite(source: Source, beside: Folder) -> Reading | None:
    """One file, and the files of weights beside it."""
    if source.size < IDENTIFIER + len(MAGIC) or source.read(IDENTIFIER, len(MAGIC)) != MAGIC:
        return None
    file = TfliteFile(source)
    graphs = _Graphs()
    reading = Reading("tflite", version=str(file.root.integer(0, "I")))
    with reading.part():
        graphs.codes = file.codes()
        _read_graphs(file, graphs)
    notes = read_notes(file, reading)
    files = tuple(needed_file(beside, name, size) for name, size in sorted(graphs.weights.files.items())) or None
    reading.fail(next((Damaged("missing-part", file.name) for file in files or () if not _is_whole(file)), None))
    reading.files = files
    _describe(reading, graphs, notes)
    return reading


def _read_graphs(file: TfliteFile, graphs: _Graphs) -> None:
    """Sum up the graphs; of a file that ends too early, what lies before its end."""
    for table in file.subgraphs():
        graphs.count += 1
        tensors: list[Tensor] = []
        operators: list[Operator] = []
        rest = Reading("tflite")  # what follows the damage of one part is used, too
        with rest.part():
            tensors.extend(file.tensors(table))
        with rest.part():
            for operator in file.operators(table, graphs.codes or ()):
                graphs.operators[operator.code] += 1
                operators.append(operator)
        graph = Subgraph(tuple(tensors), tuple(operators), table.integers(1), table.integers(2))
        graphs.weights.add(graph)
        if graphs.count == 1:
            graphs.inputs = tuple(_spec(tensor) for tensor in graph.of(graph.inputs[:_MOST_VALUES]))
            graphs.outputs = tuple(_spec(item) for item in graph.of(graph.outputs[:_MOST_VALUES]))
            graphs.mappable = mappable(graph)
        for operator in operators:
            if operator.code.domain == "edgetpu" and (options := file.options(operator)):
                add_package(graphs.compiled, options)
        if rest.problem:
            raise rest.problem


def _spec(tensor: Tensor) -> TensorSpec:
    return TensorSpec(name=tensor.name, dtype=tensor.dtype, shape=tensor.shape)


def _is_whole(file: NeededFile) -> bool:
    return file.present is not False and (file.present_size is None or file.present_size >= (file.size or 0))


def _describe(reading: Reading, graphs: _Graphs, notes: Notes) -> None:
    compiled = graphs.compiled
    reading.producer, reading.producer_version = notes.producer, notes.producer_version
    reading.devices = (notes.npu,) if notes.npu else ()
    if graphs.uses("edgetpu"):
        reading.format = "tflite-edgetpu"
        reading.producer, reading.producer_version = "edgetpu_compiler", compiled.compiler
        reading.devices = ("edge tpu",)
    reading.frameworks = _frameworks(graphs)
    reading.operators = _operators(graphs)
    reading.memory = graphs.weights.size + compiled.kept + compiled.streamed
    reading.dependence = _dependence(graphs, notes)
    reading.bound_to = _bindings(graphs, notes)
    reading.inputs, reading.outputs = graphs.inputs, graphs.outputs
    reading.dtypes = graphs.weights.dtypes
    reading.quantization = graphs.weights.quantization
    reading.details = _details(graphs, notes)


def _operators(graphs: _Graphs) -> tuple[OperatorUse, ...] | None:
    if graphs.codes is None:
        return None
    return tuple(
        OperatorUse(
            name=code.name,
            domain="" if code.domain == "custom" else code.domain,
            version=code.version,
            count=count,
            is_custom=code.is_foreign,
        )
        for code, count in sorted(graphs.operators.items(), key=lambda item: (-item[1], item[0].name, item[0].version))
    )


def _frameworks(graphs: _Graphs) -> tuple[str, ...]:
    """The interpreters that run it, with the lowest release that has all its operators."""
    tensorflow = _newest(first_tensorflow(operator.name, operator.version) for operator in graphs.operators)
    of_tensorflow = f"tensorflow>={tensorflow}" if tensorflow else "tensorflow"
    if graphs.uses("tensorflow"):
        return (f"{of_tensorflow}{',' if tensorflow else ''}<{TfliteOperatorsTable.read().flex_before}",)
    litert = _newest(first_litert(operator.name, operator.version) for operator in graphs.operators)
    return (f"ai-edge-litert>={litert}" if litert else "ai-edge-litert", of_tensorflow)


def _newest(releases: Iterable[str | None]) -> str:
    return max((version for version in releases if version), key=release, default="")


def _dependence(graphs: _Graphs, notes: Notes) -> str | None:
    """More than a plain file's where not every interpreter runs it; None = as the format's."""
    if notes.npu or graphs.uses("npu"):
        return "high"
    is_more = graphs.uses("tensorflow") or any(operator.is_foreign for operator in graphs.operators)
    return "medium" if is_more and not graphs.uses("edgetpu") else None


def _bindings(graphs: _Graphs, notes: Notes) -> tuple[Binding, ...]:
    least = _newest(first_tensorflow(operator.name, operator.version) for operator in graphs.operators)
    flex = sorted(operator.name for operator in graphs.operators if operator.domain == "tensorflow")
    foreign = sorted(operator.name for operator in graphs.operators if operator.is_foreign)
    values = {
        "tflite-operator-versions": f"TensorFlow {least}" if least else "",
        "tflite-flex": listed(flex),
        "custom-operators": listed(foreign),
        "edgetpu-runtime": str(graphs.compiled.runtime or ""),
        "npu": notes.npu or ("?" if graphs.uses("npu") else ""),
    }
    return tuple(Binding(kind=kind, value=value) for kind, value in values.items() if value)


def _details(graphs: _Graphs, notes: Notes) -> dict[str, str]:
    return notes.details | {
        "subgraphs": str(graphs.count) if graphs.count > 1 else "",
        "quantization-grain": ", ".join(sorted(graphs.weights.grains)),
        **(_compiled(graphs) if graphs.uses("edgetpu") else _could_map(graphs)),
    }


def _compiled(graphs: _Graphs) -> dict[str, str]:
    compiled = graphs.compiled
    left = [(code.name, count) for code, count in graphs.operators.most_common() if code.domain != "edgetpu"]
    return {
        "edgetpu-parts": str(compiled.packages),
        "edgetpu-left": listed(f"{name} ×{count}" for name, count in left),
        "edgetpu-chip": ", ".join(sorted(compiled.chips)),
        "edgetpu-kept": str(compiled.kept),
        "edgetpu-streamed": str(compiled.streamed),
    }


def _could_map(graphs: _Graphs) -> dict[str, str]:
    """What the Edge TPU's compiler could make of it, if it is quantized at all."""
    found = graphs.mappable
    if found is None or not found.operators or not graphs.weights.computes_in_bytes:
        return {}
    in_the_way = listed(f"{name} ×{count}" for name, count in found.in_the_way.most_common())
    beyond = graphs.weights.size - EdgeTpuTable.read().sram_mb * MIB
    return {
        "edgetpu-mappable": f"{found.mapped} / {found.operators}",
        "edgetpu-in-the-way": in_the_way,
        "edgetpu-beyond-memory": str(beyond) if beyond > 0 else "",
    }
