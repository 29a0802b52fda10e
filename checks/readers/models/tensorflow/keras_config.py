"""A Keras model's description (JSON): its layers, what is not Keras's own, and what not every Keras reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.facts import OperatorUse, TensorSpec
from checks.knowledge.formats.loader_settings import risk_of_call
from checks.knowledge.formats.model_safety import ModelSafety
from checks.knowledge.formats.pickle_globals import DANGEROUS, what_it_does
from checks.knowledge.frameworks.keras import is_keras_class, refusable
from checks.readers.containers.json_text import decoded
from checks.readers.containers.source import MIB, Damaged

MOST_TEXT = 6 * MIB  # JSON of nothing but "{}" takes 24 times its size as objects
MOST_OBJECTS = 500_000
MOST_TENSORS = 256
MODELS = frozenset({"Functional", "Sequential", "Model"})
_OWN = frozenset({"keras", "tf_keras", "tensorflow", "builtins"})
_LONGEST = 200
_LAYER_KEYS = frozenset({"layer", "backward_layer", "forward_layer", "cell", "cells", "layers"})
_WRAPPED_KEYS = frozenset({"layer", "cell", "cells"})


@dataclass
class KerasModel:
    """What a description says."""

    layers: Counter[tuple[str, str, bool]] = field(default_factory=Counter)  # name, package, whether it is not Keras's
    others: Counter[str] = field(default_factory=Counter)  # objects that are no layers and not Keras's
    refusable: dict[str, None] = field(default_factory=dict)  # ids of keras.toml, in order
    policies: Counter[str] = field(default_factory=Counter)  # dtype policies
    inputs: list[TensorSpec] = field(default_factory=list)
    outputs: list[TensorSpec] = field(default_factory=list)
    functions: int = 0  # Python functions as code
    called: dict[str, str] = field(default_factory=dict)  # what is imported from elsewhere, or called: name -> risk
    quantization: str = ""

    @property
    def uses(self) -> tuple[OperatorUse, ...]:
        """The layers, the most used first."""
        rows = sorted(self.layers.items(), key=lambda item: (-item[1], item[0]))
        return tuple(
            OperatorUse(name=name, domain=package, count=count, is_custom=is_custom)
            for (name, package, is_custom), count in rows
        )


def parse_config(data: bytes) -> object:
    """JSON as plain objects. Raises Damaged: "too-large" or "json-damaged"."""
    if len(data) > MOST_TEXT:
        raise Damaged("too-large", f"{len(data)} bytes of JSON")
    return decoded(data, object)


def read_config(config: object, found: KerasModel) -> None:
    """Take in a model's description. Raises Damaged: "json-damaged" where it is none, "too-large"."""
    if not isinstance(config, dict) or not isinstance(config.get("class_name"), str):
        raise Damaged("json-damaged", "no class_name")
    for entry, key, parent in _objects(config):
        found.called |= _called(entry)
        if key in _LAYER_KEYS or entry is config:
            _layer(entry, key, parent, found, is_main=entry is config)
        else:
            _other(entry, found)
    _interface(config, found)


def _objects(config: dict[str, object]) -> Iterator[tuple[dict[str, object], str, str]]:
    """Every object that names its class, with the key under which it stands and the class that it is part of."""
    waiting: list[tuple[Iterator[tuple[str, object]], str]] = [(iter([("", config)]), "")]
    count = 0
    while waiting:
        inside, parent = waiting[-1]
        key, value = next(inside, ("", None))
        if value is None:
            waiting.pop()
            continue
        count += 1
        if count > MOST_OBJECTS:
            raise Damaged("too-large", f"more than {MOST_OBJECTS} objects")
        if isinstance(value, dict):
            name = value.get("class_name")
            if isinstance(name, str) and "config" in value:
                yield value, key, parent
            waiting.append((_within(value, key), name if isinstance(name, str) else parent))
        elif isinstance(value, list):
            waiting.append((iter([(key, item) for item in value if isinstance(item, (dict, list))]), parent))


def _within(value: dict[str, object], key: str) -> Iterator[tuple[str, object]]:
    """What an object holds, with the keys; a list of layers may stand in the place of the configuration."""
    for inner, item in value.items():
        if isinstance(item, (dict, list)) and inner not in ("inbound_nodes", "build_config"):
            yield key if inner == "config" and isinstance(item, list) else str(inner), item


def _layer(item: dict[str, object], key: str, parent: str, found: KerasModel, *, is_main: bool) -> None:
    name, package, is_custom = _identity(item)
    config = item.get("config")
    arguments = config if isinstance(config, dict) else {}
    if name in MODELS:
        if not is_main:
            found.refusable["nested-in-sequential" if parent == "Sequential" else "nested-in-functional"] = None
        if _is_flat(arguments.get("input_layers")):
            found.refusable["single-input-unlisted"] = None
    if not is_main or name not in MODELS:
        found.layers[name, package, is_custom] += 1
    if key in _WRAPPED_KEYS and "module" not in item:
        found.refusable["inner-layer-without-module"] = None
    if not is_custom:
        for row in refusable(name, (str(argument) for argument in arguments)):
            found.refusable[row.shown] = None
    if name == "MultiHeadAttention" and "query_shape" not in arguments:
        found.refusable["attention-without-shapes"] = None
    if name == "Lambda" and _is_flat(arguments.get("function")):  # bytecode, as Keras 2 writes it
        found.functions += 1
    _policy(arguments.get("dtype"), found)


def _other(item: dict[str, object], found: KerasModel) -> None:
    """An initialiser, an activation, a regulariser, an optimizer."""
    name, package, is_custom = _identity(item)
    if name == "__lambda__":
        found.functions += 1
    elif name.startswith("__"):  # tensors, tuples, numbers in the words of the description
        return
    elif name == "function":
        config = item.get("config")
        if item.get("module") == "builtins" and isinstance(config, str):
            found.others[config] += 1
    elif is_custom and "module" in item:
        found.others[f"{package}>{name}" if package else name] += 1
    else:
        config = item.get("config")
        arguments = config if isinstance(config, dict) else {}
        for row in refusable(name, (str(argument) for argument in arguments)):
            found.refusable[row.shown] = None


def _called(item: dict[str, object]) -> dict[str, str]:
    """What Keras imports for an object or function, or lets be called, with its risk; known harmless ones are left out.

    keras/src/saving/serialization_lib.py imports the module; keras/src/layers/core/tf_op_layer.py of Keras 2 follows
    any name below tf; keras/src/utils/torch_utils.py loads a pickle.
    """
    module, name, config = item.get("module"), str(item.get("class_name")), item.get("config")
    if name == "TorchModuleWrapper":
        return {"keras.layers.TorchModuleWrapper": DANGEROUS}
    if name == "TFOpLambda" and isinstance(config, dict) and isinstance(function := config.get("function"), str):
        reaches = any(word in function for word in ModelSafety.read().keras_functions)
        return {f"tf.{function}"[:_LONGEST]: DANGEROUS} if reaches else {}
    if not isinstance(module, str) or module.partition(".")[0] in _OWN - {"builtins"}:
        return {}
    path = f"{module}.{config if name == 'function' and isinstance(config, str) else name}"
    if module == "builtins" and not what_it_does(*path.split(".", 1)):
        return {}
    return {path[:_LONGEST]: risk_of_call(path)}


def _identity(item: dict[str, object]) -> tuple[str, str, bool]:
    """The name of a class, the package that it was registered for or comes from, and whether it is not Keras's own."""
    name = str(item.get("class_name"))
    module, registered = item.get("module"), item.get("registered_name")
    package, _, rest = name.partition(">")
    if rest:
        return rest, package, True
    if "module" in item:
        first = module.split(".")[0] if isinstance(module, str) else ""
        if first in _OWN:
            return name, "", False
        package = registered.partition(">")[0] if isinstance(registered, str) and ">" in registered else first
        return name, package, True
    return name, "", not is_keras_class(name)


def _policy(dtype: object, found: KerasModel) -> None:
    """How exact a layer computes: "float32", "mixed_bfloat16", "int8"."""
    if isinstance(dtype, str):
        found.policies[dtype] += 1
    if not isinstance(dtype, dict):
        return
    config = dtype.get("config")
    settings = config if isinstance(config, dict) else {}
    mode, name = settings.get("mode"), settings.get("name") or settings.get("source_name")
    if dtype.get("class_name") == "Policy":
        found.refusable["dtype-policy-of-keras-2"] = None
    if isinstance(mode, str):
        found.quantization = mode
    found.policies[str(mode or name or dtype.get("class_name"))] += 1


def _interface(config: dict[str, object], found: KerasModel) -> None:
    """The inputs of the outermost model, and the names of its outputs."""
    inner = config.get("config")
    if isinstance(inner, dict):
        layers = inner.get("layers")
        outputs = list(_names(inner.get("output_layers")))
    else:
        layers, outputs = inner, []  # Sequential in Keras before 2.2.3
    layers = [layer for layer in layers if isinstance(layer, dict)] if isinstance(layers, list) else []
    for number, item in enumerate(layers):
        settings = item.get("config")
        if not isinstance(settings, dict) or (item.get("class_name") != "InputLayer" and number):
            continue
        shape = settings.get("batch_shape", settings.get("batch_input_shape"))
        if isinstance(shape, list) and len(found.inputs) < MOST_TENSORS:
            dtype = settings.get("dtype")
            name = settings.get("name") if item.get("class_name") == "InputLayer" else f"{settings.get('name')}_input"
            axes = tuple(axis if isinstance(axis, int) else "?" for axis in shape[:32])
            spec = TensorSpec(name=str(name), dtype=dtype if isinstance(dtype, str) else None, shape=axes)
            found.inputs.append(spec)
    if not outputs and layers:
        last = layers[-1].get("config")
        outputs = [str(last["name"])] if isinstance(last, dict) and "name" in last else []
    found.outputs += [TensorSpec(name=name) for name in outputs[:MOST_TENSORS]]


def _names(value: object) -> Iterator[str]:
    """The layers' names of a list of outputs: ["name", 0, 0], or several of them, or by names of their own."""
    if _is_flat(value) and isinstance(value, list):
        yield value[0]
    elif isinstance(value, dict):
        yield from (str(name) for name in value)
    elif isinstance(value, list):
        yield from (item[0] for item in value if isinstance(item, list) and item and isinstance(item[0], str))


def _is_flat(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], str)
