"""What pickles in model files hold, in the words of facts: names with their risk, weights, devices, trainers."""

from __future__ import annotations

import pickletools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from checks.facts import Binding, NamedClass
from checks.knowledge.formats.checkpoint_programs import CheckpointProgramsTable, program_of
from checks.knowledge.formats.pickle_globals import DANGEROUS, KNOWN, UNKNOWN, risk, weights_only_opcodes
from checks.knowledge.packages.import_packages import distributions_of
from checks.readers.containers.pickles.values import (
    CHANGED,
    COMPUTED,
    COMPUTED_PICKLE,
    RESULT_CALLED,
    Node,
    Pickle,
    Value,
)
from checks.readers.containers.torch.values import (
    Found,
    Storage,
    Tensor,
    bits,
    find_tensors,
    is_module,
    is_plain_dict,
    storages,
    tensor_of,
)

MOST_CLASSES = 300
_LONGEST = 200  # characters of a name or value that is shown
_ORDER = {DANGEROUS: 0, UNKNOWN: 1, KNOWN: 2}
_MOST_NUMBERS = 1 << 62  # what JSON readers take as a whole number
_MOST_SHOWN = 12
_MODULE = re.compile(r"[A-Za-z]\w{0,60}(?:\.|$)")
_HIDDEN = {COMPUTED, COMPUTED_PICKLE, RESULT_CALLED, CHANGED}
_NUMPY_2 = "numpy._core"
_NUMPY_WITH_NAME = "numpy>=1.26.1"  # the first that has a module of this name; 1.25.2 and 1.26.0 have none


def named_classes(pickles: Iterable[Pickle]) -> tuple[NamedClass, ...]:
    """Every name that the pickles would import, the most dangerous first."""
    names: dict[tuple[str, str], bool] = {}
    calls: dict[tuple[str, str], str] = {}
    for pickle in pickles:
        for name, is_called in pickle.names.items():
            names[name] = names.get(name, False) or is_called
        for name, given in pickle.calls.items():
            calls.setdefault(name, given)
    found = [_named(name, calls.get(name, ""), is_called=called) for name, called in names.items()]
    found.sort(key=lambda item: (_ORDER[item.risk], item.name))
    return tuple(found[:MOST_CLASSES])


def _named(name: tuple[str, str], given: str, *, is_called: bool) -> NamedClass:
    module, attribute = name
    found = _risk(module, attribute, is_called=is_called)
    path = f"{module}.{attribute}" if module else attribute
    return NamedClass(name=path[:_LONGEST], risk=found, given=given if found == DANGEROUS else "")


def _risk(module: str, name: str, *, is_called: bool) -> str:
    # What is not written in the stream is hidden on purpose: no pickler of Python's own computes a name or a pickle,
    # calls what it has made, or changes what it imports.
    return DANGEROUS if (module, name) in _HIDDEN else risk(module, name, is_called=is_called)


def packages_needed(pickles: Iterable[Pickle], first: str = "") -> tuple[str, ...]:
    """The distributions that bring the modules of the names, as requirements; that of ``first`` at the beginning."""
    modules = {module for pickle in pickles for module, _ in pickle.names if _MODULE.match(module)}
    found = {names[0] for module in modules if (names := distributions_of(module))}
    if any(module.startswith(_NUMPY_2) for module in modules):
        found = {_NUMPY_WITH_NAME if name == "numpy" else name for name in found}
    return tuple(sorted(found, key=lambda name: (name != first, name))[:_MOST_SHOWN])


def refused_opcode(pickles: Iterable[Pickle]) -> str:
    """The first opcode, by name, that torch.load does not follow by default since 2.6; "" where it follows all."""
    for pickle in pickles:
        foreign = sorted(pickle.opcodes - weights_only_opcodes() - {_STOP})
        if foreign:
            return next((row.name for row in pickletools.opcodes if ord(row.code) == foreign[0]), hex(foreign[0]))
    return ""


_STOP = ord(".")


@dataclass(frozen=True)
class Weights:
    """Weights of a file, counted. ``memory`` in bytes as stored; None where not everything could be followed."""

    parameters: int | None
    dtypes: dict[str, int] | None
    memory: int | None
    quantization: str
    kinds: tuple[str, ...]  # what else than plain tensors there is: "sparse", "nested", "subclass"


def counted(tensors: Iterable[Tensor], *, is_whole: bool = True) -> Weights:
    """Counts over tensors, those that share their numbers once."""
    dtypes: dict[str, int] = {}
    kept: dict[str, Storage] = {}
    seen: set[tuple[object, ...]] = set()
    kinds: set[str] = set()
    quantized: set[str] = set()
    memory = 0
    for tensor in tensors:
        if tensor.kind not in ("", "array", "quantized"):
            kinds.add(tensor.kind)
        if tensor.kind == "quantized" and tensor.dtype:
            quantized.add(tensor.dtype)
        if tensor.identity in seen:
            continue
        seen.add(tensor.identity)
        dtypes[tensor.dtype or "?"] = dtypes.get(tensor.dtype or "?", 0) + tensor.numbers
        if tensor.storage is not None:
            kept[tensor.storage.key] = tensor.storage
        elif tensor.kind != "meta":
            memory += tensor.numbers * bits(tensor.dtype or "") // 8
    memory += sum(storage.size for storage in kept.values())
    total = sum(dtypes.values())
    is_sound = is_whole and total < _MOST_NUMBERS and memory < _MOST_NUMBERS
    return Weights(
        parameters=total if is_sound else None,
        dtypes=dict(sorted(dtypes.items(), key=lambda item: -item[1])) if is_sound else None,
        memory=memory if is_sound else None,
        quantization=" ".join(sorted(quantized)),
        kinds=tuple(sorted(kinds)),
    )


@dataclass(slots=True)
class Contents:
    """What a pickled value is, as a model."""

    kind: str  # "state_dict", "module", "checkpoint", "tensor", "arrays", "object"
    found: Found
    weights: Weights
    model_class: str = ""
    producer: str = ""
    producer_version: str = ""
    details: dict[str, str] = field(default_factory=dict)


def contents_of(pickle: Pickle) -> Contents:
    """What the value of a pickle is."""
    root = pickle.root
    found = find_tensors(root)
    keys = tuple(entry for entry in root.entries if isinstance(entry, str)) if isinstance(root, Node) else ()
    kind = _kind(root, found)
    chosen, place = _weights_of(root, found) if kind == "checkpoint" else (found.tensors, "")
    is_whole = pickle.is_whole and pickle.problem is None and found.is_whole
    contents = Contents(kind, found, counted(chosen, is_whole=is_whole))
    contents.model_class = _model_class(found)
    contents.details["content"] = kind
    if kind == "checkpoint":
        contents.details["keys"] = _listed(keys)
        if place:
            contents.details["weights-under"] = place
        _add_program(contents, root, keys)
    if found.tensors:
        contents.details["tensors"] = str(len(chosen))
    if contents.model_class:
        contents.details["model-class"] = contents.model_class
    if contents.weights.kinds:
        contents.details["tensor-kinds"] = ", ".join(contents.weights.kinds)
    return contents


def devices_of(pickles: Iterable[Pickle]) -> tuple[str, ...]:
    """The devices on which the storages lay, but for the processor, the most used first."""
    count: dict[str, int] = {}
    for pickle in pickles:
        for storage in storages(pickle.persistent).values():
            if storage.device and storage.device not in ("cpu", "meta"):
                count[storage.device[:40]] = count.get(storage.device[:40], 0) + 1
    return tuple(sorted(count, key=lambda device: (-count[device], device)))[:_MOST_SHOWN]


def bindings(contents: Contents, devices: tuple[str, ...], classes: tuple[NamedClass, ...]) -> tuple[Binding, ...]:
    """What a file that torch.save wrote is bound to."""
    foreign = [needed.name for needed in classes if needed.risk != KNOWN and not needed.name.startswith("(")]
    found = []
    if contents.model_class or foreign:
        found.append(Binding(kind="python-classes", value=contents.model_class or _listed(foreign)))
    elif contents.kind in ("state_dict", "checkpoint"):
        found.append(Binding(kind="model-source"))
    if devices:
        found.append(Binding(kind="torch-device", value=_listed(devices)))
    return tuple(found)


def _kind(root: Value, found: Found) -> str:
    if tensor_of(root) is not None:
        return "tensor"
    if not isinstance(root, Node):
        return "object"
    if is_module(root):
        return "module"
    if not is_plain_dict(root):
        return "module" if found.modules and root.kind == "made" else "object"
    values = list(root.entries.values())
    tensors = sum(1 for value in values if tensor_of(value) is not None)
    if tensors and not any(is_plain_dict(value) for value in values) and tensors * 2 >= len(values):
        return "arrays" if all(tensor.kind == "array" for tensor in found.tensors) else "state_dict"
    return "checkpoint" if found.tensors or found.modules else "object"


def _weights_of(root: Value, found: Found) -> tuple[list[Tensor], str]:
    """The tensors of a checkpoint that are its weights, and the key under which they lie."""
    keys = CheckpointProgramsTable.read().keys
    for key in keys.weights:
        inner = root.entries.get(key) if isinstance(root, Node) else None
        if isinstance(inner, Node):
            chosen = [tensor for tensor in found.tensors if tensor.name.startswith(f"{key}.")]
            if chosen:
                return chosen, key
    return [tensor for tensor in found.tensors if tensor.name.partition(".")[0] not in keys.beside], ""


def _model_class(found: Found) -> str:
    """The class of the outermost module; of several that of "model"."""
    if not found.modules:
        return ""
    _, maker = min(found.modules, key=lambda item: (item[0].count(".") + bool(item[0]), item[0] != "model"))
    return maker[:_LONGEST]


def _add_program(contents: Contents, root: Value, keys: tuple[str, ...]) -> None:
    """Which trainer wrote the checkpoint."""
    program = program_of(keys)
    if program is None:
        return
    contents.producer = program.name
    contents.producer_version = _text_at(root, program.version_key)
    if date := _text_at(root, program.date_key):
        contents.details["saved-at"] = date


def _text_at(root: Value, path: str) -> str:
    value = root
    for part in filter(None, path.split("/")):
        value = value.entries.get(part) if isinstance(value, Node) else None
    return value[:_LONGEST] if path and isinstance(value, str) else ""


def _listed(values: Iterable[str]) -> str:
    return ", ".join(_shortened(list(values)))


def _shortened(values: list[str]) -> Iterator[str]:
    yield from (value[:_LONGEST] for value in values[:_MOST_SHOWN])
    if len(values) > _MOST_SHOWN:
        yield "…"
