"""A stand-in for ONNX Runtime that computes a few operators with NumPy, and has the faults that a test needs.

With all optimisations it fuses an Add with the Tanh behind it, unless the value between them is given out, and what is
fused is off by a thousandth. With two threads "Bad" is refused, and with one "Abort" ends the process.
"""

import os
import sys

import numpy as np

__version__ = os.environ.get("NUMPY_RUNTIME", "1.99.0")
CPU = "CPUExecutionProvider"
_TYPES = {1: np.float32, 3: np.int8, 2: np.uint8, 6: np.int32, 7: np.int64}
_PARTS = next((name for name in ("naosu_probes", "checks.probes") if name in sys.modules), "checks.probes")


class GraphOptimizationLevel:
    """Its levels."""

    ORT_DISABLE_ALL, ORT_ENABLE_BASIC, ORT_ENABLE_EXTENDED, ORT_ENABLE_ALL = 0, 1, 2, 99


class SessionOptions:
    """What can be set."""

    graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
    intra_op_num_threads = 0
    log_severity_level = 2
    use_deterministic_compute = False


class _Value:
    def __init__(self, name, shape):
        self.name, self.shape, self.type = name, shape, "tensor(float)"


class _Meta:
    def __init__(self):
        self.custom_metadata_map = {}


def get_available_providers():
    """The processor alone."""
    return [CPU]


class InferenceSession:
    """A model whose operators are in ``_apply``."""

    def __init__(self, path, options=None, providers=(), enable_fallback=1):
        import importlib

        self._wire = importlib.import_module(_PARTS + ".compute.model.protobuf")
        graphs = importlib.import_module(_PARTS + ".compute.model.onnx_graph")
        self._options, self._graph = options or SessionOptions(), graphs.read(path)
        with open(path, "rb") as file:
            self._content = file.read()
        self._weights = dict(self._stored())
        if self._options.intra_op_num_threads == 2 and any(node.op == "Bad" for node in self._graph.nodes):
            raise RuntimeError("[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : no kernel for Bad(1) in '" + path + "'")

    def _stored(self):
        content, wire = self._content, self._wire
        for number, start, end in wire.messages(content, 0, len(content)):
            for inner, first, last in wire.messages(content, start, end) if number == 7 else ():
                if inner != 5:
                    continue
                shape, kind, name, raw = [], 1, "", b""
                for what, form, a, b in wire.fields(content, first, last):
                    if what == 1:
                        shape += [a] if form == 0 else list(content[a:b])
                    elif what == 2:
                        kind = a
                    elif what == 8:
                        name = wire.text(content, a, b)
                    elif what == 9:
                        raw = content[a:b]
                yield name, np.frombuffer(raw, _TYPES[kind]).reshape(shape)

    def get_inputs(self):
        """Those that are no weights."""
        return [_Value(name, None) for name in self._graph.inputs if name not in self._weights]

    def get_outputs(self):
        """All of them."""
        return [_Value(name, None) for name in self._graph.outputs]

    def get_providers(self):
        """The processor alone."""
        return [CPU]

    def get_modelmeta(self):
        """Nothing."""
        return _Meta()

    def run(self, names, feeds):
        """The values of these names."""
        values = {**self._weights, **feeds}
        is_fusing = self._options.graph_optimization_level == GraphOptimizationLevel.ORT_ENABLE_ALL
        sums = {node.outputs[0] for node in self._graph.nodes if node.op == "Add"} - set(self._graph.outputs)
        for node in self._graph.nodes:
            taken = [values[name] for name in node.inputs if name]
            found = self._apply(node, taken)
            if is_fusing and node.op == "Tanh" and node.inputs[0] in sums:
                found = found * np.float32(1.001)
            values[node.outputs[0]] = found
        return [values[name] for name in names or self._graph.outputs]

    def _apply(self, node, taken):
        if node.op == "Abort" and self._options.intra_op_num_threads == 1:
            os.abort()
        with np.errstate(all="ignore"):
            return {
                "MatMul": lambda: taken[0] @ taken[1],
                "Add": lambda: taken[0] + taken[1],
                "Tanh": lambda: np.tanh(taken[0]),
                "Log": lambda: np.log(taken[0]),
                "Identity": lambda: taken[0],
                "Relu": lambda: np.maximum(taken[0], 0),
                "QuantizeLinear": lambda: _codes(*taken),
                "DequantizeLinear": lambda: (taken[0].astype(np.float32) - taken[2]) * taken[1],
                "Bad": lambda: taken[0],
                "Abort": lambda: taken[0],
            }[node.op]()


def _codes(values, scale, zero):
    limits = np.iinfo(zero.dtype)
    return np.clip(np.rint(values / scale) + zero, limits.min, limits.max).astype(zero.dtype)
