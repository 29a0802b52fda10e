"""An exported ONNX model in ONNX Runtime: its results, and those of its nodes."""

import os

from . import compare

AT_ONCE = 64  # values that one session gives out besides the outputs
OPTIMIZED, PLAIN = "ORT_ENABLE_ALL", "ORT_DISABLE_ALL"


def run(path, feeds, level, wanted=None):
    """The outputs by name, on the processor. ``feeds``: arrays in the order of the inputs, or by name."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = wanted or [get_output.name for get_output in session.get_outputs()]
    return dict(zip(names, session.run(names, matched(session.get_inputs(), feeds))))


def matched(inputs, feeds):
    """The arrays by the names of the inputs: by their own names, else in their order.

    An input that no node uses is left out of the file by some exporters, and of the rest only the names are known.
    """
    names = [argument.name for argument in inputs]
    if len(names) < len(feeds) or set(names) <= set(feeds):
        return {name: feeds[name] for name in names}
    return dict(zip(names, feeds.values()))


def version():
    """ONNX Runtime's version; None where it is not installed or cannot be imported."""
    try:
        import onnxruntime

        return str(onnxruntime.__version__)
    except Exception:  # a broken installation is reported by the probe of ONNX Runtime itself
        return None


def about(path):
    """(The opset of ai.onnx, bytes of the file and of what lies beside it)."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    opset = next((opset_id.version for opset_id in model.opset_import if opset_id.domain in ("", "ai.onnx")), None)
    folder = os.path.dirname(path)
    return opset, sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))


def steps_of(path):
    """The nodes of the main graph in order, as steps; without those that only compute with weights."""
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    weights = {initializer.name for initializer in graph.initializer}
    steps = []
    for node in graph.node:
        taken = [name for name in node.input if name and name not in weights]
        if not taken and not _has_graph(node):
            weights.update(node.output)
            continue
        steps.append(compare.Step(node.name, node.op_type, taken, [name for name in node.output if name]))
    return steps


def _has_graph(node):
    """Whether a node has a graph of its own (If, Loop), which may take more than it names."""
    return any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute)


def values_of(path, feeds, steps):
    """What every node gives, by name, as far as the memory allows: by sessions that give out some more each."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    own = [output.name for output in model.graph.output]
    names = [name for step in steps for name in step.outputs if name not in own]
    found, size = run(path, feeds, PLAIN), 0
    beside = os.path.join(os.path.dirname(path), "values.onnx")
    for start in range(0, len(names), AT_ONCE):
        part = names[start : start + AT_ONCE]
        del model.graph.output[:]
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in part)
        with open(beside, "wb") as file:
            file.write(model.SerializeToString())
        for name, value in run(beside, feeds, PLAIN, part).items():
            if hasattr(value, "shape") and size + value.nbytes < compare.MOST_BYTES:
                found[name] = value
                size += value.nbytes
    return found
