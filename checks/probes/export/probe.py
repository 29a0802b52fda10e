"""One model exported by one exporter, and the export compared with the original on the same input.

Argument: ``path``; ``format``, an id of model_formats.toml; ``exporter``, one of exporters.toml; ``inputs``, the path
of an .npz or a picture of the user's (None: those that the file holds, else drawn ones); ``seconds`` to spend on
finding inputs; ``safety``, the lists of model_safety.toml. Everything that is written goes to the folder in which the
probe runs.

The stages: import the framework, load the original and run it, export it, run the export, and where the two differ by
more than rounding (export.compare), look for the first step at which they part.
"""

import os
import sys
import time

from .. import kit
from ..model import inputs as model_inputs
from ..model import kit as model_kit
from . import compare
from . import onnx as onnx_model

TORCH, TENSORFLOW = "torch", "tensorflow"
FRAMEWORK = {"torchscript": TORCH, "pt2": TORCH}  # all other formats are TensorFlow's
FOLDER = "exported"
KERNELS = ("BUILTIN_REF", "BUILTIN_WITHOUT_DEFAULT_DELEGATES")
OF_THE_RUNTIME = 0.25  # part of a difference that a runtime's own ways of computing make among each other
SHIFTS = (0, 1, 3)  # by which the input is turned for other inputs of the same kind

FACT = {}
STATE = {}


def imported(argument):
    """Import the framework for real."""
    FACT.update(exporter=argument["exporter"])
    with kit.Warned():
        if FRAMEWORK.get(argument["format"], TENSORFLOW) == TORCH:
            import torch

            return {"version": str(torch.__version__)}
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
        import tensorflow as tf

        return {"version": str(tf.__version__)}


def original(argument):
    """Load the original and run it."""
    yield from _noted(_original, argument)


def export(argument):
    """Let the exporter write it."""
    if "reference" in STATE:
        yield from _noted(_export, argument)


def comparison(argument):
    """Run what was written, with the same input, and compare."""
    if FACT.get("exported"):
        yield from _noted(_compare, argument)


def parting(argument):
    """The first step at which the export and the original part, where they do."""
    if not all(map(compare.is_rounding, FACT.get("outputs", ()))):
        yield from _noted(_part, argument)


def _noted(work, argument):
    """Tell what is known as the work begins and as it ends; an exception is the fact."""
    FACT["stage"] = work.__name__.strip("_")
    yield {"export": FACT}
    with kit.Captured() as captured, kit.Warned():
        try:
            work(argument)
        except model_kit.NotDrawn as reason:
            FACT.update(reason.fields)
        except model_kit.Reaching as reason:
            FACT.update(loaded=True, reason="reaches-outside", detail=str(reason))
        except model_kit.Unsafe as reason:
            FACT.update(reason="loading-runs-code", detail=str(reason))
        except (Exception, SystemExit) as error:
            FACT.update(_failed(work, error))
    if captured.text and "error" in FACT:
        FACT["log"] = captured.text
    yield {"export": FACT}


def _failed(work, error):
    """What an exception means where it came up. A search that fails leaves what was compared as it is."""
    if work is _part:
        return {"search": "failed", "search_detail": "%s: %s" % (type(error).__name__, error)}
    if work is _compare and FACT.get("ran"):  # what is compared is computed here
        return {"reason": "own-error", "error": kit.describe(error)}
    outcome = {_original: "loaded", _export: "exported", _compare: "ran"}[work]
    if work is _original and FACT.get("loaded"):
        return {"reason": "original-failed", "error": kit.describe(error)}
    return {outcome: False, "error": kit.describe(error)}


# --- the original -----------------------------------------------------------------------------------------------------


def _original(argument):
    import numpy as np

    if FRAMEWORK.get(argument["format"], TENSORFLOW) == TORCH:
        from . import torch as side
    else:
        from . import tensorflow as side

    model = side.load(argument)
    FACT["loaded"] = True
    STATE.update(model=model, exporters=side.EXPORTERS)
    arrays = _inputs(np, model, argument)
    FACT["inputs"] = model_kit.as_facts(arrays)
    reference, again = model.run(arrays), model.run(arrays)
    FACT["repeats"] = all(_is_equal(np, reference[name], again[name]) for name in again)
    STATE.update(arrays=arrays, reference=reference)
    unit, terms, layers = model.rounding_of()
    errors = {}
    try:
        for shift in SHIFTS:
            turned = {name: np.roll(array, shift, axis=-1) if array.ndim else array for name, array in arrays.items()}
            _raise_errors(np, errors, model, turned)
    except Exception:  # not every network can be had in float64; then the bound is computed
        errors = {} if shift == 0 else errors
    FACT["bound_by"] = "float64" if errors else "unit-roundoff"
    size = max((array.size for array in arrays.values()), default=0)
    STATE["rounding"] = compare.Rounding(unit, terms, layers, errors, size)


def _is_equal(numpy, first, second):
    return numpy.array_equal(first, second, equal_nan=first.dtype.kind in "fc")


def _raise_errors(numpy, errors, model, arrays):
    """How far results may be from the same in float64: by one more input, at the scale of the one that is compared."""
    exact, values = model.in_float64(arrays), model.run(arrays)
    for name, value in values.items():
        scale = compare.magnitude(numpy, value)
        part = _apart(numpy, exact[name], value) / scale if scale else 0.0
        reference = STATE["reference"][name]
        known = compare.magnitude(numpy, reference) if reference.dtype.kind in "fc" else 0.0
        errors[name] = max(errors.get(name, 0.0), part * known)


def _apart(numpy, exact, value):
    if exact.shape != value.shape or value.dtype.kind not in "fc":
        return 0.0
    return compare.largest(compare.distance(numpy, exact, value)[0])


def _inputs(numpy, model, argument):
    if argument.get("inputs"):
        arrays, origin = model_inputs.taken(numpy, model.specs, argument["inputs"], model.run)
        FACT.update(origin)
        return arrays
    held = model.example()
    if held is not None:
        FACT["inputs_from"] = "model"
        return held
    FACT["inputs_from"] = "drawn"
    specs = model.specs
    deadline = time.monotonic() + argument.get("seconds", 30.0)
    arrays, error = model_kit.first_that_runs(numpy, specs, model.run, deadline)
    if error is not None:
        lines = str(error).strip().splitlines() or [""]
        raise model_kit.NotDrawn("inputs-needed", "%s: %s" % (type(error).__name__, lines[-1][:300])) from error
    return arrays


# --- the export -------------------------------------------------------------------------------------------------------


def _export(argument):
    os.mkdir(FOLDER)
    started = time.perf_counter()
    STATE["exported"] = STATE["exporters"][argument["exporter"]](STATE["model"], STATE["arrays"], FOLDER)
    FACT.update(exported=True, seconds=time.perf_counter() - started)
    path = STATE["path"] = STATE["exported"][0]
    FACT["size"] = _size(path)
    if path.endswith(".onnx"):
        FACT["opset"] = onnx_model.about(path)[0]


def _size(path):
    if os.path.isfile(path):
        return sum(os.path.getsize(os.path.join(FOLDER, name)) for name in os.listdir(FOLDER))
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


# --- the comparison ---------------------------------------------------------------------------------------------------


def _compare(argument):
    import numpy as np

    runner = RUNNERS.get(os.path.splitext(STATE["path"])[1], _no_runner)
    results = runner()
    if results is None:
        return
    FACT["ran"] = True
    if not FACT["repeats"]:  # then what the export adds cannot be known
        FACT["reason"] = "original-varies"
        return
    reference = STATE["reference"]
    if len(results) != len(reference):
        FACT["outputs"] = [{"name": "", "shape": [len(reference)], "export_shape": [len(results)]}]
        return
    paired = zip(reference.items(), results.items())
    STATE["pairs"] = [(name, other, value, found) for (name, value), (other, found) in paired]
    FACT["outputs"] = [
        dict(compare.figures(np, name, value, np.asarray(found), STATE["rounding"]), export_name=other)
        for name, other, value, found in STATE["pairs"]
    ]


def _no_runner():
    FACT["reason"] = "no-runner"


def _by_onnxruntime():
    if onnx_model.version() is None:
        FACT["reason"] = "no-runner"
        return None
    FACT["runner"] = "onnxruntime %s" % onnx_model.version()
    return onnx_model.run(STATE["path"], STATE["arrays"], onnx_model.OPTIMIZED)


def _by_litert():
    FACT["runner"] = "LiteRT"
    return _in_litert(None)


def _in_litert(way):
    """The outputs by name; ``way``: a name of OpResolverType, None for the usual one."""
    found = _litert()
    if found is None:
        FACT["reason"] = "no-runner"
        return None
    options = {"experimental_op_resolver_type": getattr(found[1], way)} if way else {}
    interpreter = found[0](model_path=STATE["path"], **options)
    interpreter.allocate_tensors()
    for detail, array in _taking(interpreter.get_input_details(), STATE["arrays"]):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    return {detail["name"]: interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()}


def _taking(details, arrays):
    """The inputs and what each takes: by name where the converter has kept them ("serving_default_NAME:0")."""
    named = {detail["name"].replace("serving_default_", "").split(":")[0]: detail for detail in details}
    if set(arrays) <= set(named):
        return [(named[name], array) for name, array in arrays.items()]
    return list(zip(details, arrays.values()))


def _litert():
    """(The interpreter's class, the names of its sets of kernels); None where there is neither."""
    try:
        from ai_edge_litert import interpreter
    except ImportError:
        try:
            from tensorflow.lite.python import interpreter
        except ImportError:
            return None
    return interpreter.Interpreter, interpreter.OpResolverType


def _by_torch():
    FACT["runner"] = "torch"
    from . import torch as side

    return side.run_program(STATE["exported"][1], STATE["arrays"])


def _by_coreml():
    """Only a Mac computes a Core ML model."""
    if sys.platform != "darwin":
        FACT["reason"] = "needs-mac"
        return None
    FACT["runner"] = "coremltools"
    STATE["rounding"].unit = compare.UNITS["float16"]  # what it computes in by default
    STATE["rounding"].errors.clear()
    return STATE["exported"][1].predict(STATE["arrays"])


RUNNERS = {".onnx": _by_onnxruntime, ".tflite": _by_litert, ".pt2": _by_torch, ".mlpackage": _by_coreml}


# --- where they part --------------------------------------------------------------------------------------------------


def _part(argument):
    import numpy as np

    if STATE["path"].endswith(".tflite"):
        _compare_kernels(np)
        return
    if not STATE["path"].endswith(".onnx") or "pairs" not in STATE:
        FACT["search"] = "not-for-this-format"
        return
    path, arrays = STATE["path"], STATE["arrays"]
    plain = onnx_model.run(path, arrays, onnx_model.PLAIN)
    rounding = STATE["rounding"]
    differing = [
        other
        for name, other, value, _ in STATE["pairs"]
        if not compare.is_rounding(compare.figures(np, name, value, plain[other], rounding))
    ]
    FACT["differs_unoptimized"] = bool(differing)
    if not differing:
        FACT["search"] = "optimizer"
        return
    by_nodes = STATE["exported"][1] or STATE["model"].steps_and_values
    steps, values = by_nodes(arrays)
    _add_errors(np, rounding, values, by_nodes)
    nodes = onnx_model.steps_of(path)
    seen = onnx_model.values_of(path, arrays, nodes)
    found = compare.first_parting(np, steps, nodes, (values, seen), differing, rounding)
    if found is None:
        FACT["search"] = "not-found"
    else:
        FACT["first_difference"] = found


def _compare_kernels(numpy):
    """Whether LiteRT's own sets of kernels agree about the file: if not, the exporter is not the one at fault."""
    FACT["search"] = "not-for-this-format"
    for way in KERNELS:
        others = _in_litert(way)
        for name, other, value, found in STATE["pairs"]:
            is_right = compare.is_rounding(compare.figures(numpy, name, value, others[other], STATE["rounding"]))
            apart = compare.largest(compare.distance(numpy, value, found)[0])
            among = compare.largest(compare.distance(numpy, others[other], found)[0])
            if apart > STATE["rounding"].bound(numpy, name, value) and (is_right or among > apart * OF_THE_RUNTIME):
                FACT.update(search="runtime", differs_unoptimized=False)
                return


def _add_errors(numpy, rounding, values, by_nodes):
    """How far each value within the original is from the same in float64."""
    if not rounding.errors:
        return
    try:
        exact = by_nodes(STATE["arrays"], float64=True)[1]
    except Exception:  # the outputs could be had in float64, its parts not: their bounds are computed
        return
    rounding.errors.update((name, _apart(numpy, exact[name], value)) for name, value in values.items() if name in exact)


STAGES = (imported, original, export, comparison, parting)
ESSENTIAL = ("imported",)
