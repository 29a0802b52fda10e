"""TensorFlow Lite / LiteRT: a FlatBuffer "TFL3", also compiled for the Edge TPU or a phone's NPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from checks.facts import Binding, ModelFacts, ModelNeeds, NeededFile, OperatorUse, TensorSpec
from checks.facts.versions import release
from checks.knowledge.formats.edgetpu import EdgeTpuTable
from checks.knowledge.formats.tflite_operators import TfliteOperatorsTable, first_litert, first_tensorflow
from checks.readers.containers.first_problem import Partly
from checks.readers.containers.flatbuffer import IDENTIFIER
from checks.readers.containers.folder import Folder, inside
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.devices.edgetpu import Compiled, Mappable, add_package, mappable
from checks.readers.models.registry import Rank, file_reader
from checks.readers.models.tensorflow.tflite_graph import Code, Operator, Subgraph, Tensor, TfliteFile
from checks.readers.models.tensorflow.tflite_metadata import Said, listed, read_said
from checks.readers.models.tensorflow.tflite_weights import Weights

MAGIC = b"TFL3"
_MOST_VALUES = 1_000  # inputs, and outputs


@dataclass
class _Graphs:
    """What was read of the graphs so far."""

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
def tflite(source: Source, beside: Folder) -> ModelFacts | None:
    """One file, and the files of weights beside it."""
    if source.size < IDENTIFIER + len(MAGIC) or source.read(IDENTIFIER, len(MAGIC)) != MAGIC:
        return None
    file = TfliteFile(source)
    graphs = _Graphs()
    partly = Partly()
    with partly():
        graphs.codes = file.codes()
        _read_graphs(file, graphs)
    said = read_said(file, partly)
    files = tuple(_needed(name, size, beside) for name, size in sorted(graphs.weights.files.items())) or None
    missing = next((Damaged("missing-part", each.name) for each in files or () if not _is_whole(each)), None)
    return _facts(file, graphs, said, files, partly.problem or missing)


def _read_graphs(file: TfliteFile, graphs: _Graphs) -> None:
    for table in file.subgraphs():
        graphs.count += 1
        tensors: list[Tensor] = []
        operators: list[Operator] = []
        partly = Partly()  # of a file that ends too early, what lies before its end
        with partly():
            tensors.extend(file.tensors(table))
        with partly():
            for operator in file.operators(table, graphs.codes or ()):
                graphs.operators[operator.code] += 1
                operators.append(operator)
        graph = Subgraph(tuple(tensors), tuple(operators), table.integers(1), table.integers(2))
        graphs.weights.add(graph)
        if graphs.count == 1:
            graphs.inputs = tuple(_spec(each) for each in graph.of(graph.inputs[:_MOST_VALUES]))
            graphs.outputs = tuple(_spec(each) for each in graph.of(graph.outputs[:_MOST_VALUES]))
            graphs.mappable = mappable(graph)
        for operator in operators:
            if operator.code.domain == "edgetpu" and (options := file.options(operator)):
                add_package(graphs.compiled, options)
        if partly.problem:
            raise partly.problem


def _spec(tensor: Tensor) -> TensorSpec:
    return TensorSpec(name=tensor.name, dtype=tensor.dtype, shape=tensor.shape)


def _needed(name: str, size: int, beside: Folder) -> NeededFile:
    there = beside.size_of(name)
    present = None if there is None and not inside(name) else there is not None
    return NeededFile(name=name, size=size, present=present, present_size=there)


def _is_whole(file: NeededFile) -> bool:
    return file.present is not False and (file.present_size is None or file.present_size >= (file.size or 0))


def _facts(
    file: TfliteFile, graphs: _Graphs, said: Said, files: tuple[NeededFile, ...] | None, problem: Damaged | None
) -> ModelFacts:
    is_edgetpu = graphs.uses("edgetpu")
    compiled = graphs.compiled
    return ModelFacts(
        format="tflite-edgetpu" if is_edgetpu else "tflite",
        version=str(file.version),
        producer="edgetpu_compiler" if is_edgetpu else said.producer,
        producer_version=(compiled.compiler or None) if is_edgetpu else said.producer_version,
        problem=problem.reason if problem else None,
        problem_detail=problem.detail if problem else "",
        needs=ModelNeeds(
            frameworks=_frameworks(graphs),
            operators=_operators(graphs),
            devices=("edge tpu",) if is_edgetpu else (said.npu,) if said.npu else (),
            files=files,
            memory=graphs.weights.size + compiled.kept + compiled.streamed,
        ),
        dependence=_dependence(graphs, said),
        bound_to=_bindings(graphs, said),
        inputs=graphs.inputs,
        outputs=graphs.outputs,
        parameters=sum(graphs.weights.dtypes.values()),
        dtypes=dict(graphs.weights.dtypes.most_common()),
        quantization=graphs.weights.quantization,
        details=_details(graphs, said),
    )


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
        for code, count in sorted(graphs.operators.items(), key=lambda each: (-each[1], each[0].name, each[0].version))
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
    return max((each for each in releases if each), key=release, default="")


def _dependence(graphs: _Graphs, said: Said) -> str | None:
    """More than a plain file's where not every interpreter runs it; None = as the format's."""
    if said.npu or graphs.uses("npu"):
        return "high"
    is_more = graphs.uses("tensorflow") or any(operator.is_foreign for operator in graphs.operators)
    return "medium" if is_more and not graphs.uses("edgetpu") else None


def _bindings(graphs: _Graphs, said: Said) -> tuple[Binding, ...]:
    least = _newest(first_tensorflow(operator.name, operator.version) for operator in graphs.operators)
    flex = sorted(operator.name for operator in graphs.operators if operator.domain == "tensorflow")
    foreign = sorted(operator.name for operator in graphs.operators if operator.is_foreign)
    values = {
        "tflite-operator-versions": f"TensorFlow {least}" if least else "",
        "tflite-flex": listed(flex),
        "custom-operators": listed(foreign),
        "edgetpu-runtime": str(graphs.compiled.runtime or ""),
        "npu": said.npu or ("?" if graphs.uses("npu") else ""),
    }
    return tuple(Binding(kind=kind, value=value) for kind, value in values.items() if value)


def _details(graphs: _Graphs, said: Said) -> dict[str, str]:
    details = said.details | {
        "subgraphs": str(graphs.count) if graphs.count > 1 else "",
        "quantization-grain": ", ".join(sorted(graphs.weights.grains)),
        **(_compiled(graphs) if graphs.uses("edgetpu") else _could_map(graphs)),
    }
    return {key: value for key, value in details.items() if value}


def _compiled(graphs: _Graphs) -> dict[str, str]:
    """What the Edge TPU's compiler made of the model."""
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
