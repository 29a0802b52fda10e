"""Two models side by side: what differs in their structure, in words that a viewer of both would have to find by eye.

The order of what differs is that of its weight: a model of another format or with other inputs is another model, one
that another release wrote may be the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from checks.facts import ModelDifference, ModelFacts, OperatorUse, TensorSpec


def differences(first: ModelFacts, second: ModelFacts) -> tuple[ModelDifference, ...]:
    """What differs between two models, apart from the values of their weights."""
    return tuple(each for part in (_whole, _interfaces, _operators, _weights, _details) for each in part(first, second))


def _whole(first: ModelFacts, second: ModelFacts) -> Iterator[ModelDifference]:
    yield from _value("format", first.format, second.format)
    yield from _value("version", first.version, second.version)
    yield from _value("producer", _producer(first), _producer(second))
    yield from _mapping("opset", first.needs.opsets, second.needs.opsets)
    yield from _value("quantization", first.quantization, second.quantization)
    yield from _value("devices", _listed(first.needs.devices), _listed(second.needs.devices))


def _interfaces(first: ModelFacts, second: ModelFacts) -> Iterator[ModelDifference]:
    yield from _tensors("input", first.inputs, second.inputs)
    yield from _tensors("output", first.outputs, second.outputs)


def _tensors(
    what: str, first: Sequence[TensorSpec] | None, second: Sequence[TensorSpec] | None
) -> Iterator[ModelDifference]:
    """By name; where no name is common (exporters invent them), by position."""
    if first is None or second is None:
        return
    ours, theirs = {each.name: _shape(each) for each in first}, {each.name: _shape(each) for each in second}
    if ours.keys() & theirs.keys() or len(first) != len(second):
        yield from _mapping(what, ours, theirs)
        return
    for one, other in zip(first, second, strict=True):
        yield from _value(f"{what}-name", one.name, other.name)
        yield from _value(what, _shape(one), _shape(other), one.name)


def _operators(first: ModelFacts, second: ModelFacts) -> Iterator[ModelDifference]:
    if first.needs.operators is None or second.needs.operators is None:
        return
    yield from _mapping("operator", _counts(first.needs.operators), _counts(second.needs.operators))


def _weights(first: ModelFacts, second: ModelFacts) -> Iterator[ModelDifference]:
    yield from _value("parameters", first.parameters, second.parameters)
    yield from _mapping("dtype", first.dtypes, second.dtypes)


def _details(first: ModelFacts, second: ModelFacts) -> Iterator[ModelDifference]:
    if first.format == second.format:  # of another format other things are told
        yield from _mapping("detail", first.details, second.details)


def _value(what: str, first: object, second: object, name: str = "") -> Iterator[ModelDifference]:
    """A difference where both tell the value, and not the same one."""
    if first is not None and second is not None and first != second:
        yield ModelDifference(what=what, name=name, first=str(first), second=str(second))


def _mapping(
    what: str, first: Mapping[str, object] | None, second: Mapping[str, object] | None
) -> Iterator[ModelDifference]:
    """What one has and the other has not, or has otherwise."""
    if first is None or second is None:
        return
    for name in dict.fromkeys((*first, *second)):
        one, other = first.get(name), second.get(name)
        if one != other:
            texts = ["" if each is None else str(each) for each in (one, other)]
            yield ModelDifference(what=what, name=name, first=texts[0], second=texts[1])


def _producer(model: ModelFacts) -> str | None:
    return " ".join(filter(None, (model.producer, model.producer_version))) or None


def _listed(values: Sequence[str] | None) -> str | None:
    return None if values is None else ", ".join(values)


def _shape(tensor: TensorSpec) -> str:
    shape = "" if tensor.shape is None else f"[{', '.join(map(str, tensor.shape))}]"
    return " ".join(filter(None, (tensor.dtype, shape)))


def _counts(operators: Sequence[OperatorUse]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in operators:
        name = f"{each.domain}.{each.name}" if each.domain else each.name
        counts[name] = counts.get(name, 0) + each.count
    return counts
