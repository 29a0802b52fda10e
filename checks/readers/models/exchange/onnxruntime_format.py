"""ONNX Runtime's own format (.ort): a FlatBuffer "ORTM" with an optimised ONNX graph.

The schema: https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/flatbuffers/schema/ort.fbs
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass, field

from checks.facts import Binding, OperatorUse, TensorSpec
from checks.knowledge.formats.onnx_domains import onnx_domain
from checks.knowledge.formats.ort_format import least_onnxruntime
from checks.readers.containers.flatbuffer import IDENTIFIER, FlatBuffer, Table
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.exchange.onnx_graph import DTYPES
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader

MAGIC = b"ORTM"
_VALUE, _PARAM = 1, 2  # DimensionValueType
_TENSOR_TYPE = 1  # the member of the union TypeInfoValue
_DEEPEST = 30  # graphs within graphs
_MOST_VALUES = 1_000
_MOST_KINDS = 5_000  # of operators
_SHOWN = 200
_STANDARD = ("standard", "built-in", "internal")  # domains that ONNX Runtime computes by itself


@dataclass
class _Session(Reading):
    """A model of ONNX Runtime. ``nodes``: how many of each (domain, operator, version)."""

    ir: int = 0
    nodes: Counter[tuple[str, str, int]] = field(default_factory=Counter)


@file_reader("ort", rank=Rank.MAGIC)
def onnxruntime_format(source: Source, _beside: Folder) -> Reading | None:
    """One file."""
    if source.size < IDENTIFIER + len(MAGIC) or source.read(IDENTIFIER, len(MAGIC)) != MAGIC:
        return None
    session = _Session("ort", opsets={}, dtypes=Counter(), memory=0)
    with session.part():
        root = FlatBuffer(source).root()
        with session.part():
            session.version = root.text(0, 64) or None
        model = root.table(1)
        if model is not None:
            _read_model(model, session)
    least = least_onnxruntime(session.version or "")
    session.frameworks = (f"onnxruntime>={least}" if least else "onnxruntime",)
    session.operators = operators = _operators(session)
    session.bound_to = _bindings(session.version, operators)
    session.details["onnx-ir"] = str(session.ir or "")
    return session


def _read_model(model: Table, session: _Session) -> None:
    session.ir = model.integer(0, "q")
    session.producer, session.producer_version = model.text(2, _SHOWN), model.text(3, _SHOWN)
    opsets = session.opsets = {}
    with session.part():
        for table in model.tables(1, _MOST_VALUES):
            opsets[_domain(table.text(0, _SHOWN))] = table.integer(1, "q")
    graph = model.table(7)
    if graph is None:
        return
    with session.part():
        _read_graph(graph, session, 0)
    with session.part():
        _read_face(graph, session)


def _read_graph(graph: Table, session: _Session, depth: int) -> None:
    if depth > _DEEPEST:
        raise Damaged("flatbuffer-damaged", f"graphs within graphs, {depth} deep")
    for initializer in graph.tables(0):
        _add_tensor(initializer, session)
    for sparse in graph.tables(7):
        for number in (0, 1):
            part = sparse.table(number)
            if part is not None:
                _add_tensor(part, session)
    for node in graph.tables(2):
        kind = (_domain(node.text(2, _SHOWN)), node.text(5, _SHOWN), node.integer(3))
        if len(session.nodes) >= _MOST_KINDS and kind not in session.nodes:
            raise Damaged("too-large", f"more than {_MOST_KINDS} kinds of operators")
        session.nodes[kind] += 1
        for attribute in node.tables(10):
            within = attribute.table(7)
            for inner in (*((within,) if within else ()), *attribute.tables(12)):
                _read_graph(inner, session, depth + 1)


def _add_tensor(tensor: Table, session: _Session) -> None:
    name, bits = DTYPES.get(tensor.integer(3), (f"type {tensor.integer(3)}", 0))
    count = min(math.prod(max(length, 0) for length in tensor.integers(2, "q", most=64)), 1 << 48)
    size = tensor.span(4)[1]
    session.memory = (session.memory or 0) + size
    session.count(name, min(count, size * 8 // bits) if bits and size else count)


def _read_face(graph: Table, session: _Session) -> None:
    """Inputs and outputs; weights are not among them."""
    wanted = {number: list(itertools.islice(graph.texts(number), _MOST_VALUES)) for number in (5, 6)}
    names = {name for group in wanted.values() for name in group}
    types = {}
    for value in graph.tables(1):
        name = value.text(0)
        if name in names:
            types[name] = value.table(2)
    session.inputs, session.outputs = (
        tuple(_spec(name, types.get(name)) for name in wanted[number]) for number in (5, 6)
    )


def _spec(name: str, type_: Table | None) -> TensorSpec:
    tensor = type_.table(2) if type_ and type_.integer(1, "B") == _TENSOR_TYPE else None
    if tensor is None:
        return TensorSpec(name=name)
    number = tensor.integer(0)
    shape = tensor.table(1)
    axes = None if shape is None else tuple(_axis(table) for table in shape.tables(0))
    return TensorSpec(name=name, dtype=DTYPES[number][0] if number in DTYPES else f"type {number}", shape=axes)


def _axis(dimension: Table) -> int | str:
    value = dimension.table(0)
    kind = value.integer(0, "b") if value else 0
    if value is None or kind not in (_VALUE, _PARAM):
        return "?"
    return value.integer(1, "q") if kind == _VALUE else value.text(2, _SHOWN) or "?"


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def _operators(session: _Session) -> tuple[OperatorUse, ...]:
    ordered = sorted(session.nodes.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        OperatorUse(name=name, domain=domain, version=version or None, count=count, is_custom=_is_foreign(domain))
        for (domain, name, version), count in ordered
    )


def _is_foreign(domain: str) -> bool:
    row = onnx_domain(domain)
    return row is None or row.kind not in _STANDARD


def _bindings(version: str | None, operators: tuple[OperatorUse, ...]) -> tuple[Binding, ...]:
    foreign = sorted({operator.domain for operator in operators if operator.is_custom})
    rows = {operator.domain: onnx_domain(operator.domain) for operator in operators}
    internal = sorted(domain for domain, row in rows.items() if row and row.kind == "internal")
    values = {
        "ort-format": version or "",
        "cpu-of-optimisation": ", ".join(internal),
        "custom-operators": ", ".join(foreign)[:_SHOWN],
    }
    return tuple(Binding(kind=kind, value=value) for kind, value in values.items() if value)
