"""One model in TensorFlow or Keras: whether it loads and runs, and which operations ran on which device.

Argument: ``path``; ``format``, one of "savedmodel", "tf-frozen", "keras-h5", "keras-zip"; ``runtime``, "tensorflow" or
"keras"; ``seconds`` to spend on finding inputs; ``safety``, the lists of model_safety.toml.

A TensorFlow graph is a program: it may write files, also while ``tf.saved_model.load`` initialises it. So a graph is
imported, which runs nothing, and what would run is looked through: only where all of it merely computes, it is run.
A Keras file names classes and functions: it is loaded, in safe mode, where all of them are Keras' own, and none brings
code or opens files.
"""

import json
import os
import re
import zipfile

from .. import kit
from . import kit as model_kit

LARGEST_CONFIG = 50_000_000  # bytes
DEEPEST = 200  # levels of a configuration
_OPERATION = re.compile(r" = (\w+)\(")

RUNS = model_kit.Runs("tensorflow")


def imported(argument):
    """Import TensorFlow or Keras for real."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")  # warnings and errors
    RUNS.runtime = argument.get("runtime") or RUNS.runtime
    with kit.Warned():
        if _is_keras(argument):
            return {"version": str(keras_module().__version__)}
        import tensorflow as tf
    return {"version": str(tf.__version__)}


def _is_keras(argument):
    return argument["format"].startswith("keras")


def keras_module():
    """Keras, by itself or within TensorFlow."""
    try:
        import keras
    except ImportError:
        from tensorflow import keras
    return keras


def inference(argument):
    """Load it, and run it where that can do no harm."""
    fact = RUNS.begin("")
    yield RUNS.answer
    printed = model_kit.tried(fact, lambda: (_try_keras if _is_keras(argument) else _try_graph)(fact, argument))
    if fact.get("loaded") is False or fact.get("ran") is False:
        model_kit.add_to_log(fact, printed)
    yield RUNS.answer


# --- a graph ----------------------------------------------------------------------------------------------------------


def _try_graph(fact, argument):
    import numpy as np
    import tensorflow as tf

    v1 = tf.compat.v1
    graph_def, ops, plan = graph_and_plan(argument)
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(graph_def, name="", producer_op_list=ops)
    fact["loaded"] = True
    fact["setting"] = "GPU" if tf.config.list_physical_devices("GPU") else "CPU"
    if not plan["outputs"]:
        raise model_kit.NotDrawn("no-signature")
    outside = reaching(graph_def, [*plan["outputs"], *plan["before"]], argument["safety"])
    if outside:
        raise model_kit.Unsafe(", ".join(outside))
    specs = graph_specs(graph, plan["inputs"])
    config = v1.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    with v1.Session(graph=graph, config=config) as session:
        for fetch, feed in plan["before"].items():
            session.run(fetch, feed)
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        metadata = v1.RunMetadata()

        def run(inputs, **traced):
            session.run(plan["outputs"], {plan["inputs"][name]: value for name, value in inputs.items()}, **traced)

        inputs = model_kit.infer(fact, np, specs, run, argument)
        if inputs is not None:
            run(inputs, options=options, run_metadata=metadata)
            fact["shares"] = _shares(metadata)


def graph_and_plan(argument):
    """(The graph of a file, the operations that its writer knew, what to run)."""
    import tensorflow as tf

    if argument["format"] == "savedmodel":
        return _saved_model(argument["path"])
    return _frozen(tf.compat.v1, argument["path"])


def _saved_model(folder):
    """(The graph, the operations that its writer knew, what to run): as TensorFlow's first loader does it."""
    from tensorflow.core.protobuf import saved_model_pb2

    message = saved_model_pb2.SavedModel()
    with open(os.path.join(folder, "saved_model.pb"), "rb") as file:
        message.ParseFromString(file.read())
    parts = list(message.meta_graphs)
    part = next((meta_graph for meta_graph in parts if "serve" in meta_graph.meta_info_def.tags), parts[0])
    signatures = {name: signature for name, signature in part.signature_def.items() if not name.startswith("__")}
    chosen = signatures.get("serving_default") or next(iter(signatures.values()), None)
    before = {}
    saver = part.saver_def
    if saver.restore_op_name:
        before[saver.restore_op_name] = {saver.filename_tensor_name: os.path.join(folder, "variables", "variables")}
    for fetch in _initialisers(part):
        before[fetch] = {
            asset.tensor_info.name: os.path.join(folder, "assets", os.path.basename(asset.filename))
            for asset in part.asset_file_def
        }
    return (
        part.graph_def,
        part.meta_info_def.stripped_op_list,
        {
            "before": before,
            "inputs": {name: _name_of(info) for name, info in (chosen.inputs.items() if chosen else ())},
            "outputs": [_name_of(output) for output in (chosen.outputs.values() if chosen else ())],
        },
    )


def _initialisers(part):
    signature = part.signature_def.get("__saved_model_init_op")
    if signature is not None:
        return [output.name for output in signature.outputs.values()]
    for name in ("saved_model_main_op", "legacy_init_op"):
        if name in part.collection_def:
            return list(part.collection_def[name].node_list.value)
    return []


def _name_of(info):
    if info.WhichOneof("encoding") != "name":  # sparse and ragged tensors
        raise model_kit.NotDrawn("input-type")
    return info.name


def _frozen(v1, path):
    graph_def = v1.GraphDef()
    with open(path, "rb") as file:
        graph_def.ParseFromString(file.read())
    used = {_node_of(source) for node in graph_def.node for source in node.input}
    inputs = {node.name: node.name + ":0" for node in graph_def.node if node.op == "Placeholder"}
    last = [
        node for node in graph_def.node if node.name not in used and node.op not in ("Placeholder", "Const", "NoOp")
    ]
    return graph_def, None, {"before": {}, "inputs": inputs, "outputs": [node.name + ":0" for node in last]}


def _node_of(name):
    return name.lstrip("^").split(":")[0]


def reaching(graph_def, fetches, safety):
    """The operations that the fetches would run and that may reach outside the process, sorted."""
    from tensorflow.python.framework import op_def_registry

    functions = {function.signature.name: function for function in graph_def.library.function}
    names = _operations(graph_def, functions, fetches) - functions.keys() - set(safety["harmless"])
    known = {name: op_def_registry.get(name) for name in names}
    return sorted(
        name
        for name, definition in known.items()
        if definition is None or definition.is_stateful or any(word in name for word in safety["reaching"])
    )


def _operations(graph_def, functions, fetches):
    """The names of all operations that the fetches run, and of all in the functions that these call.

    Of a function every node counts: which of them run is the runtime's choice. So does a function that stands in for
    another ("api_implements"), which an optimiser may choose.
    """
    nodes = {node.name: node for node in graph_def.node}
    waiting = [nodes[name] for name in map(_node_of, fetches) if name in nodes]
    seen = {node.name for node in waiting}
    called = [name for name, function in functions.items() if "api_implements" in function.attr]
    found = set()
    while waiting:
        node = waiting.pop()
        found.add(node.op)
        called += _called(node)
        before = {_node_of(source) for source in node.input} & nodes.keys() - seen
        seen |= before
        waiting += [nodes[name] for name in before]
    done = set()
    while called:
        name = called.pop()
        if name in functions and name not in done:
            done.add(name)
            for node in functions[name].node_def:
                found.add(node.op)
                called += _called(node)
    return found


def _called(node):
    values = node.attr.values()
    return [
        node.op,
        *(value.func.name for value in values),
        *(function.name for value in values for function in value.list.func),
    ]


def graph_specs(graph, inputs):
    """The inputs to draw. ``inputs``: their names -> those of the tensors."""
    specs = []
    for name, tensor in inputs.items():
        found = graph.get_tensor_by_name(tensor)
        shape = None if found.shape.rank is None else [-1 if axis is None else axis for axis in found.shape.as_list()]
        specs.append({"name": name, "dtype": found.dtype.base_dtype.name, "shape": shape})
    return specs


def _shares(metadata):
    devices = {}
    for part in metadata.step_stats.dev_stats:
        match = re.search(r"device:(\w+:\d+)(/stream:all)?", part.device)
        if match is None:
            continue
        device = devices.setdefault(match.group(1), {"operators": [], "seconds": 0.0, "kernels": 0.0})
        seconds = sum(node.op_end_rel_micros - node.op_start_rel_micros for node in part.node_stats) / 1e6
        if match.group(2):  # the GPU's own times of what it computed
            device["kernels"] += seconds
            continue
        device["seconds"] += seconds
        found = (_OPERATION.search(node.timeline_label) for node in part.node_stats)
        device["operators"] += [named.group(1) for named in found if named is not None]
    return [
        {
            "provider": name,
            "operators": model_kit.counted(device["operators"]),
            "seconds": device["kernels"] or device["seconds"],
        }
        for name, device in devices.items()
        if device["operators"]
    ]


# --- Keras ------------------------------------------------------------------------------------------------------------


def _try_keras(fact, argument):
    import numpy as np

    model = load_keras(argument)
    fact["loaded"] = True
    if not getattr(model, "inputs", None):
        raise model_kit.NotDrawn("no-signature")
    specs = keras_specs(model)

    def run(inputs):
        values = list(inputs.values())
        model(values[0] if len(values) == 1 else values, training=False)

    model_kit.infer(fact, np, specs, run, argument)


def load_keras(argument):
    """The model of a Keras file that names nothing but Keras' own classes."""
    import inspect

    config = _config(argument)
    if config is None:
        raise model_kit.NotDrawn("weights-alone")
    code = sorted(set(_foreign(config, argument["safety"], 0)))
    if code:
        raise model_kit.Unsafe(", ".join(code))
    load = keras_module().models.load_model
    options = {"compile": False}
    if "safe_mode" in inspect.signature(load).parameters:
        options["safe_mode"] = True
    return load(argument["path"], **options)


def keras_specs(model):
    """The inputs to draw."""
    return [
        {
            "name": str(tensor.name),
            "dtype": getattr(tensor.dtype, "name", str(tensor.dtype)),
            "shape": [-1 if axis is None else int(axis) for axis in tensor.shape],
        }
        for tensor in model.inputs
    ]


def _config(argument):
    if argument["format"] == "keras-zip":
        with zipfile.ZipFile(argument["path"]) as archive:
            if archive.getinfo("config.json").file_size > LARGEST_CONFIG:
                raise model_kit.Unsafe("config.json")
            return json.loads(archive.read("config.json"))
    import h5py

    with h5py.File(argument["path"], "r") as file:
        text = file.attrs.get("model_config")
        return None if text is None else json.loads(text)


def _foreign(value, safety, depth):
    """What the configuration names besides Keras' own classes, and those of its own that bring code or open files."""
    if depth > DEEPEST:
        yield "nested too deep"
        return
    for element in value if isinstance(value, list) else ():
        yield from _foreign(element, safety, depth + 1)
    if not isinstance(value, dict):
        return
    name, module = value.get("class_name"), value.get("module")
    if isinstance(name, str) and (name.split(">")[-1] in safety["keras_code"] or not _is_own(module, safety)):
        yield "%s.%s" % (module, name) if module else name
    for key, element in value.items():
        if key == "vocabulary" and isinstance(element, str):
            yield "vocabulary file"
        yield from _foreign(element, safety, depth + 1)


def _is_own(module, safety):
    """Whether a module is Keras, or one of its parts for layers: "keras.layers", "keras.src.models.functional"."""
    if module is None:
        return True
    if not isinstance(module, str):
        return False
    first, *parts = module.split(".")
    parts = [part for part in parts if part not in ("src", "api")]
    return first in ("keras", "tf_keras") and (not parts or parts[0] in safety["keras_parts"])


STAGES = (imported, inference)
ESSENTIAL = ("imported",)
