"""One TFLite model in LiteRT, or in TensorFlow's own interpreter: whether it loads and runs, and who took which nodes.

Argument: ``path``; ``runtime``, "litert" or "tensorflow"; ``format``, "tflite-edgetpu" for a model that is compiled for
the Edge TPU; ``seconds`` to spend on finding inputs.

TensorFlow's own interpreter runs any of TensorFlow's operations that a model brings along ("FlexWriteFile" writes a
file wherever the model says), and the name that the model gives them need not be the one that runs. A model with one
of them is not loaded there. LiteRT has none of them.
"""

import importlib
import importlib.util
import sys
import time

from . import kit as model_kit

PACKAGES = ("ai_edge_litert.interpreter", "tflite_runtime.interpreter")
# https://coral.ai/docs/edgetpu/tflite-python/
EDGE_TPU = {"darwin": "libedgetpu.1.dylib", "win32": "edgetpu.dll"}.get(sys.platform, "libedgetpu.so.1")
COMPILED = "edgetpu-custom-op"
FLEX = b"Flex"  # how the names of TensorFlow's operations begin
DELEGATE = "DELEGATE"  # the interpreter's name of the node that stands for all that a delegate took

RUNS = model_kit.Runs("litert")


def _interpreter(argument):
    if argument.get("runtime") == "tensorflow":
        import tensorflow as tf

        return tf.lite
    name = next(
        (package for package in PACKAGES if importlib.util.find_spec(package.split(".")[0]) is not None), PACKAGES[0]
    )
    return importlib.import_module(name)


def imported(argument):
    """Import the interpreter for real; its import loads the native part."""
    RUNS.runtime = argument.get("runtime") or RUNS.runtime
    _interpreter(argument)
    return {}


def inference(argument):
    """Load it and run it; a model that is compiled for the Edge TPU with that one's delegate."""
    is_compiled = argument.get("format") == "tflite-edgetpu"
    fact = RUNS.begin("Edge TPU" if is_compiled else "CPU")
    yield RUNS.answer
    model_kit.add_to_log(fact, model_kit.tried(fact, lambda: _try(fact, argument, is_compiled)))
    yield RUNS.answer


def _try(fact, argument, is_compiled):
    import numpy as np

    if argument.get("runtime") == "tensorflow" and model_kit.mentions(argument["path"], FLEX):
        raise model_kit.NotDrawn("loading-runs-code")
    module = _interpreter(argument)
    delegates = []
    if is_compiled:
        try:
            delegates = [_load_delegate(module, argument)]
        except (OSError, ValueError) as error:  # without its library or device
            fact["reason"] = "delegate-missing"
            fact["log"] = str(error)
    interpreter = module.Interpreter(model_path=argument["path"], experimental_delegates=delegates or None)
    details = interpreter.get_input_details()
    names = {detail["name"]: detail["index"] for detail in details}

    def run(inputs):
        for name, value in inputs.items():
            interpreter.resize_tensor_input(names[name], list(value.shape))
        interpreter.allocate_tensors()
        for name, value in inputs.items():
            interpreter.set_tensor(names[name], value)
        interpreter.invoke()

    interpreter.allocate_tensors()
    fact["loaded"] = True
    specs = [_spec(np, detail, "shape_signature") for detail in details]
    # A free axis has the length 1 as the file says; that is tried first, as whoever does not resize would run it.
    inputs, error = model_kit.first_that_runs(np, [_spec(np, detail, "shape") for detail in details], run, 0)
    if error is not None and any(model_kit.is_free(spec) for spec in specs):
        deadline = time.monotonic() + argument.get("seconds", 30.0)
        inputs, error = model_kit.first_that_runs(np, specs, run, deadline)
    if error is not None:
        fact.update(model_kit.refused(error, specs))
        return
    model_kit.ran(fact, lambda _: interpreter.invoke(), inputs)
    fact["shares"] = _shares(interpreter)


def _load_delegate(module, argument):
    if argument.get("runtime") == "tensorflow":
        return module.experimental.load_delegate(EDGE_TPU)
    return module.load_delegate(EDGE_TPU)


def _spec(numpy, details, key):
    kind = numpy.dtype(details["dtype"])
    shape = details.get(key, details["shape"])
    return {
        "name": details["name"],
        "dtype": "string" if kind.kind in "SUO" else kind.name,
        "shape": [int(axis) for axis in shape],
    }


def _shares(interpreter):
    """What each delegate took, and what is left to the interpreter's own code.

    The list of nodes has the model's own, and behind them a node for each part that a delegate took: that is what lies
    between its inputs and its outputs.
    """
    listed = getattr(interpreter, "_get_ops_details", None)
    if listed is None:
        return None
    nodes = listed()
    own = [node for node in nodes if node["op_name"] != DELEGATE]
    makers = {int(tensor): place for place, node in enumerate(own) for tensor in node["outputs"]}
    taken = {}
    for part in nodes:
        if part["op_name"] == DELEGATE:
            inside = _between(own, makers, part)
            names = [own[place]["op_name"] for place in inside]
            taken.update(dict.fromkeys(inside, "Edge TPU" if COMPILED in names else "XNNPACK"))
    shares = {}
    for place, node in enumerate(own):
        shares.setdefault(taken.get(place, "CPU"), []).append(node["op_name"])
    return [{"provider": name, "operators": model_kit.counted(names)} for name, names in shares.items()]


def _between(own, makers, part):
    border = {int(tensor) for tensor in part["inputs"]}
    waiting = [int(tensor) for tensor in part["outputs"]]
    inside, seen = set(), set()
    while waiting:
        tensor = waiting.pop()
        place = makers.get(tensor)
        if place is None or tensor in border or tensor in seen:
            continue
        seen.add(tensor)
        inside.add(place)
        waiting.extend(int(source) for source in own[place]["inputs"])
    return inside


STAGES = (imported, inference)
ESSENTIAL = ("imported",)
