"""TensorFlow graphs in one file: frozen ones (weights inside) in Protocol Buffers, and graphs as text (.pbtxt)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from checks.facts import Binding, NamedClass, OperatorUse
from checks.knowledge.formats.model_safety import ModelSafety
from checks.knowledge.formats.pickle_globals import DANGEROUS, UNKNOWN
from checks.knowledge.frameworks.tensorflow import tensorflow_of_graph
from checks.readers.containers.folder import Folder
from checks.readers.containers.protobuf.text import read_text
from checks.readers.containers.protobuf.wire import BYTES, Message
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader
from checks.readers.models.tensorflow.messages import Graph, read_graph
from checks.readers.models.tensorflow.text import read_text_graph

FORMAT = "tf-frozen"
_OPERATOR = re.compile(rb"[A-Za-z_][A-Za-z0-9_>.]{0,200}")
_NODE_FIELDS = range(1, 8)
_ATTRIBUTE = 5
_TEXT_NODE = re.compile(rb"(?:\s*#[^\n]*\n)*\s*node:?\s*\{\s*name:\s*\"")
_TEXT_OPERATOR = re.compile(rb"\n\s*op:\s*\"")
_HEAD = 1 << 16
_LONGEST_NAME = 4096


@file_reader(FORMAT, rank=Rank.STRUCTURE)
def graph_file(source: Source, _beside: Folder) -> Reading | None:
    """A GraphDef: its first field is a node that has a name and an operator."""
    if not _is_graph(source):
        return None
    graph = Graph()
    read_graph(Message(source), graph)
    if graph.problem is None and graph.unfinished:
        graph.problem = Damaged("truncated", f"{graph.unfinished[:200]} is missing")
    return _reading(graph)


@file_reader(FORMAT, rank=Rank.STRUCTURE)
def text_graph_file(source: Source, _beside: Folder) -> Reading | None:
    """A GraphDef as text."""
    head = source.read(0, min(_HEAD, source.size))
    if not _TEXT_NODE.match(head) or not _TEXT_OPERATOR.search(head):
        return None
    text, is_whole = read_text(source)
    graph = read_text_graph(text)
    if not is_whole:
        graph.problem = Damaged("too-large", f"{source.size} bytes of text")
    return _reading(graph)


def _is_graph(source: Source) -> bool:
    if source.size < 8 or source.read(0, 1) != b"\n":
        return False
    try:
        message = Message(source)
        first = next(iter(message), None)
        return first is not None and first.wire == BYTES and _is_node(message.message(first))
    except Damaged:
        return False


def _is_node(message: Message) -> bool:
    """Whether a message has the fields of a NodeDef: a name, an operator's name, and attributes with their keys.

    Graphs of MediaPipe are laid out alike; their nodes have calculators, and texts where attributes would stand.
    """
    texts = {}
    for field in message:
        if field.number not in _NODE_FIELDS or field.wire != BYTES:
            return False
        if field.number in (1, 2) and field.size < _LONGEST_NAME:
            texts[field.number] = message.data(field)
        if field.number == _ATTRIBUTE and message.source.read(field.start, min(1, field.size)) != b"\n":
            return False
    operator = texts.get(2, b"")
    return bool(texts.get(1)) and _OPERATOR.fullmatch(operator) is not None and not operator.endswith(b"Calculator")


def _reading(graph: Graph) -> Reading:
    weights = graph.constants
    return Reading(
        FORMAT,
        producer="tensorflow",
        producer_version=tensorflow_of_graph(graph.producer),
        problem=graph.problem,
        inputs=graph.inputs,
        outputs=graph.outputs,
        dtypes=weights,
        frameworks=(graph.framework,),
        operators=graph.uses,
        classes=reaching_operators(graph.operators),
        devices=graph.pinned_devices,
        bound_to=bound_by_operators(graph.uses),
        dependence="high" if any(use.is_custom for use in graph.uses) else None,
        details=graph.details,
    )


def reaching_operators(operators: Iterable[str]) -> tuple[NamedClass, ...] | None:
    """The operators that write files, and those that call Python; None where there are none."""
    table = ModelSafety.read()
    risks = {**dict.fromkeys(table.graph_writing, DANGEROUS), **dict.fromkeys(table.graph_python, UNKNOWN)}
    found = [NamedClass(name=f"tf.raw_ops.{name}", risk=risks[name]) for name in operators if name in risks]
    return tuple(sorted(found, key=lambda each: (each.risk != DANGEROUS, each.name))) or None


def bound_by_operators(operators: tuple[OperatorUse, ...]) -> tuple[Binding, ...]:
    """That a graph needs libraries for operators that TensorFlow itself has not got."""
    own = [operator.name for operator in operators if operator.is_custom]
    return (Binding(kind="custom-operators", value=", ".join(own[:10])),) if own else ()
