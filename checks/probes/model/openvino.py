"""One model in OpenVINO: for each of its devices whether the model loads and runs there, and what of it.

Argument: ``path``; ``providers``, the devices to try (None: all that it finds); ``seconds`` to spend on finding inputs.
"""

import functools

from ..ask import openvino
from . import kit as model_kit

TYPES = {"bf16": "bfloat16", "boolean": "bool", "string": "string"}
for _bits in (8, 16, 32, 64):
    TYPES.update({"i%d" % _bits: "int%d" % _bits, "u%d" % _bits: "uint%d" % _bits, "f%d" % _bits: "float%d" % _bits})
NO_OPERATORS = ("Parameter", "Result", "Constant")

RUNS = model_kit.Runs("openvino")
GOOD = {}  # the inputs that the first device took


def imported(argument):
    """Import OpenVINO for real."""
    openvino.core()
    return {}


def on_devices(argument):
    """Load and run it on each device, the processor first."""
    core = openvino.core()
    wanted = argument.get("providers")
    names = [name for name in core.available_devices if wanted is None or name in wanted]
    for name in sorted(names, key=lambda name: name != "CPU"):
        fact = RUNS.begin(name)
        yield RUNS.answer
        model_kit.add_to_log(fact, model_kit.tried(fact, functools.partial(_try, fact, argument, core, name)))
        yield RUNS.answer


def _try(fact, argument, core, device):
    import numpy as np

    model = core.read_model(argument["path"])
    operators = [op for op in model.get_ops() if op.get_type_name() not in NO_OPERATORS]
    takes = core.query_model(model, device)
    left = [operator.get_type_name() for operator in operators if operator.get_friendly_name() not in takes]
    if left:
        fact["log"] = "%s does not take: %s" % (device, ", ".join(sorted(set(left))))
    compiled = core.compile_model(model, device, {"PERF_COUNT": "YES"})
    fact["loaded"] = True
    request = compiled.create_infer_request()
    specs = [_spec(place, port) for place, port in enumerate(model.inputs)]

    def run(inputs):
        request.infer({place: inputs[spec["name"]] for place, spec in enumerate(specs)})

    inputs = model_kit.infer(fact, np, specs, run, argument, good=GOOD)
    if inputs is None:
        return
    GOOD.update(inputs)
    seconds = sum(node.real_time.total_seconds() for node in request.get_profiling_info())
    counts = model_kit.counted(operator.get_type_name() for operator in operators)
    fact["shares"] = [{"provider": device, "operators": counts, "seconds": seconds}]


def _spec(place, port):
    kind = port.get_element_type().get_type_name()
    shape = port.get_partial_shape()
    names = sorted(port.get_names())
    return {
        "name": names[0] if names else "input %d" % place,
        "dtype": TYPES.get(kind, kind),
        "shape": None if shape.rank.is_dynamic else [axis.get_length() if axis.is_static else -1 for axis in shape],
    }


STAGES = (imported, on_devices)
ESSENTIAL = ("imported",)
