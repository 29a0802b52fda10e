"""The float model quantised again by onnxruntime.quantization, with one thing changed each time: what mends it is seen.

The inputs are those for calibration, too, so both sides of each comparison are made here and differ in one thing alone.
"""

import os

from .. import onnxruntime as runtime
from ..outputs import compared, flattened
from .layers import sqnr
from .pairs import DYNAMIC, OPERATORS, QDQ

MOST_BYTES = 200 << 20  # of the float model: it is read, changed and written several times
MOST_TOGETHER = 4  # layers that are left out together
LEAST_GAIN = 3.0  # dB by which a layer has to spoil the output to be left out: half of the noise


def quantised(argument, parts, figures, arrays, whole, clock):
    """``tried``, or ``quantiser``: why nothing was."""
    form = figures["form"]
    if form not in (QDQ, OPERATORS, DYNAMIC):
        return {}
    if os.path.getsize(argument["first"]) > MOST_BYTES:
        return {"quantiser": "too-large-to-quantise"}
    try:
        from onnxruntime import quantization
    except Exception as error:  # it needs the onnx package; and another version of that may break it
        return {"quantiser": "no-quantiser", "detail": "%s: %s" % (type(error).__name__, str(error)[:200])}
    return {"tried": list(_Quantiser(quantization, argument, parts, figures, arrays, whole, clock).tried())}


class _Quantiser:
    def __init__(self, quantization, argument, parts, figures, arrays, whole, clock):
        self._q, self._argument, self._parts = quantization, argument, parts
        self._figures, self._arrays, self._whole, self._clock = figures, arrays, whole, clock
        self._wanted = whole.way().results(arrays)
        self._ops = {node.name: node.op for node in parts[0].nodes if node.name}

    def tried(self):
        """Each change as fields of TriedRemedy."""
        before = self._of({})
        if isinstance(before, str):
            yield {"what": "as-it-is", "error": before}
            return
        for what, nodes, options in self._changes():
            if self._clock.left <= 0:
                return
            after = self._of(options)
            fact = {"what": what, "nodes": nodes, "before": before[0], "decisions_before": before[1]}
            if isinstance(after, str):
                yield dict(fact, error=after)
            else:
                yield dict(fact, after=after[0], decisions_after=after[1])

    def _changes(self):
        """(What is changed, the nodes, the options of the quantiser), the likeliest to help first."""
        gain, whole = LEAST_GAIN, self._figures.get("sqnr")
        spoiling = [
            layer
            for layer in self._figures.get("layers", ())
            if layer.get("is_tried") and whole is not None and (layer.get("without") or 999.0) >= whole + gain
        ]
        spoiling.sort(key=lambda layer: -(layer.get("without") or 999.0))
        own = sorted(
            (layer for layer in self._figures.get("layers", ()) if layer.get("own") is not None),
            key=lambda layer: layer["own"],
        )
        worst = (spoiling or own[:1])[:MOST_TOGETHER]
        together = [worst[:1]] * bool(worst) + [worst] * (len(worst) > 1)
        for layers in together:
            names = self._named(name for layer in layers for name in layer["nodes"])
            around = self._named((*names, *(name for layer in layers for name in self._takers(layer["value"]))))
            for nodes in (names, around) if len(layers) == 1 else (around,):
                if nodes:
                    yield "exclude", nodes, {"nodes_to_exclude": self._as_quantised(nodes)}
        if not self._is_per_channel():
            yield "per-channel", [], {"per_channel": True}
        if self._figures["form"] != DYNAMIC:
            methods = self._q.CalibrationMethod
            yield "entropy", [], {"calibrate_method": methods.Entropy}
            yield "percentile", [], {"calibrate_method": methods.Percentile}
        yield "reduce-range", [], {"reduce_range": True}

    def _named(self, labels):
        """Those of these nodes that have a name, by which alone they can be left out."""
        return [label for label in dict.fromkeys(labels) if label in self._ops]

    def _takers(self, value):
        """The nodes that take a value: as long as one of them is quantised, the value is."""
        return [node.label for node in self._parts[0].nodes if value in node.inputs]

    def _as_quantised(self, nodes):
        """The names that they have when they are quantised: dynamic quantisation first makes two nodes of a Gemm."""
        if self._figures["form"] != DYNAMIC:
            return nodes
        return [*nodes, *(name + "_MatMul" for name in nodes if self._ops[name] == "Gemm")]

    def _is_per_channel(self):
        weights = self._parts[1].graph.weights
        shapes = [weights[name][1] for name in weights if name.endswith("_scale")]
        return any(shape and shape[0] > 1 for shape in shapes)

    def _kind(self, signed):
        kinds = self._q.QuantType
        return kinds.QInt8 if signed else kinds.QUInt8

    def _signs(self):
        """(Whether weights, and whether activations are signed), as in the user's model."""
        weights = self._parts[1].graph
        kinds = {name: self._parts[1].element(name) for name in weights.weights}
        of_weights = [kind for name, kind in kinds.items() if name.endswith("_quantized") and kind in ("int8", "uint8")]
        of_values = [layer["dtype"] for layer in self._figures.get("layers", ()) if layer.get("dtype")]
        return "int8" in of_weights or not of_weights, bool(of_values) and of_values[0] == "int8"

    def _of(self, changed):
        """(SQNR of the output, share decided alike) of the model quantised so; the error in words where that fails."""
        target = os.path.abspath("again.onnx")
        weights, activations = self._signs()
        options = {"weight_type": self._kind(weights), "per_channel": self._is_per_channel(), **changed}
        try:
            if self._figures["form"] == DYNAMIC:
                self._q.quantize_dynamic(self._argument["first"], target, **options)
            else:
                form = self._q.QuantFormat.QOperator if self._figures["form"] == OPERATORS else self._q.QuantFormat.QDQ
                options.update(quant_format=form, activation_type=self._kind(activations))
                self._q.quantize_static(self._argument["first"], target, self._reader(), **options)
            session = runtime.session_of(target, runtime.CPU, runtime.DEFAULT)
            names = [output.name for output in session.get_outputs()]
            found = dict(zip(names, session.run(names, self._arrays)))
        except Exception as error:  # what it cannot quantise, it says in its own words
            return "%s: %s" % (type(error).__name__, str(error)[:200])
        return self._measured(found)

    def _measured(self, found):
        import numpy as np

        from ..ways import Model

        names = [name for name in self._wanted if name in found and self._wanted[name].dtype.kind == "f"]
        if not names:
            return "no output of fractions"
        sides = [np.concatenate([side[name].ravel() for name in names]) for side in (self._wanted, found)]
        figures = compared(Model(np, {}, self._arrays), flattened(self._wanted), flattened(found))
        return sqnr(np, *sides), figures.get("decisions")

    def _reader(self):
        arrays = self._arrays

        class Reader(self._q.CalibrationDataReader):
            """The inputs, once."""

            def __init__(self):
                self._left = [arrays]

            def get_next(self):
                """The next inputs; None where there are no more."""
                return self._left.pop() if self._left else None

        return Reader()
