"""The loss at each layer, measured: the quantised model beside the float one, and float layers in its stead."""

import os

from .. import onnx_cut, onnx_graph
from .. import onnxruntime as runtime
from ..minimal.values import Values
from ..outputs import compared, flattened
from ..ways import is_of_model, of_model
from .pairs import HALF, form_of, layers

MOST_WITHOUT = 12  # layers of which it is tried what the output is without their loss
LOST = -300.0  # dB, in the place of minus infinity, which JSON has not
LARGEST_HALF = 65504.0
LEAST_SHARE = 1e-9  # of the signal: less noise than that is float32's own
_PLAIN = "ORT_DISABLE_ALL"


def sqnr(numpy, wanted, found):
    """Signal to noise in dB; None where nothing is lost, or there is nothing to lose; LOST: not all of it is finite."""
    wanted, found = (numpy.asarray(array, dtype="float64").ravel() for array in (wanted, found))
    if wanted.size != found.size or not numpy.isfinite(wanted).all():
        return None
    if not numpy.isfinite(found).all():
        return LOST
    noise, signal = float(((wanted - found) ** 2).sum()), float((wanted**2).sum())
    if not signal or noise <= LEAST_SHARE * LEAST_SHARE * signal:
        return None
    return float(10 * numpy.log10(signal / noise))


class Loss:
    """``first``, ``second``: onnx_cut.Parts of the float and of the quantised model; ``ways``: both of them.

    ``found``: the pairs of values; ``arrays``: the inputs.
    """

    def __init__(self, model, parts, ways, found, arrays, clock, folder):
        self._model, self._numpy, self._clock, self._folder = model, model.numpy, clock, folder
        self._first, self._second = parts
        self._arrays, self._pairs, self._form = arrays, found, form_of(parts[1].graph)
        self._outputs = [way.results(arrays) for way in ways]
        self._values = [
            Values(way, arrays, _wanted(part, names), outputs, clock.part(4))
            for way, part, names, outputs in zip(ways, parts, _names(found), self._outputs)
        ]

    def whole(self):
        """How far the outputs are apart, as fields of QuantisationLoss."""
        figures = compared(self._model, *map(flattened, self._outputs))
        fields = {key: figures[key] for key in ("difference", "decisions", "reason", "detail") if key in figures}
        return dict(fields, output=figures.get("operation", ""), sqnr=self._of_outputs(self._outputs[1]))

    def layers(self):
        """(The layers as fields of LayerLoss, how many nodes with weights are in none of them); None: too few are."""
        made, unmatched, count = layers(self._first, self._pairs)
        if unmatched > count / 2:
            return None
        told, rest = [], []
        for layer in made:
            if self._clock.left <= 0:
                break
            fact, float_result = self._layer(layer)
            told.append(fact)
            if float_result is not None and fact.get("own") is not None:
                rest.append((fact["own"], layer, fact, float_result))
        rest.sort(key=lambda each: each[0])
        for _, layer, fact, result in rest[:MOST_WITHOUT]:
            if self._clock.left > 0:
                fact["without"] = self._without(layer, result)
                fact["is_tried"] = True
        return told, unmatched

    def _layer(self, layer):
        numpy, pair = self._numpy, layer.pair
        fact = {"name": layer.node.label, "op": layer.node.op} if layer.node else {"name": pair.name}
        fact.update(value=pair.name, nodes=[self._first.nodes[place].label for place in layer.places])
        fact["held"] = self._first.weights_of(layer.places)
        wanted, found = self._float(pair.name), self._quantised(pair)
        if wanted is None or found is None or wanted.shape != found.shape or wanted.dtype.kind != "f":
            return fact, None
        fact.update(self._codes(pair, wanted))
        fact["here"] = sqnr(numpy, wanted, found)
        fact["lost"] = int((numpy.isfinite(wanted) & ~numpy.isfinite(found)).sum())
        result = self._in_float(layer)
        if result is not None and result.shape == wanted.shape:
            fact["before"], fact["own"] = sqnr(numpy, wanted, result), sqnr(numpy, result, found)
        return fact, result

    def _float(self, name):
        values = self._values[0].of([name])
        return values and values[name]

    def _quantised(self, pair):
        """The value that the quantised model computes with, as numbers."""
        values = self._values[1].of([pair.wanted])
        if values is None:
            return None
        return values[pair.wanted] if pair.given else self._decoded(pair, values[pair.wanted])

    def _decoded(self, pair, codes):
        scale, zero = self._constants(pair)
        if scale is None or scale.size != 1:
            return None
        return ((codes.astype("float64") - float(zero.ravel()[0])) * float(scale.ravel()[0])).astype("float32")

    def _constants(self, pair):
        scale = self._second.array(self._numpy, pair.scale)
        zero = self._second.array(self._numpy, pair.zero) if pair.zero else None
        if zero is None:
            zero = self._numpy.zeros(1, "uint8")
        return scale, zero

    def _codes(self, pair, wanted):
        """What the codes of a value can hold, and what share of the float model's numbers lies beyond that."""
        if self._form == HALF and wanted.dtype == "float32":
            return self._held(wanted, -LARGEST_HALF, LARGEST_HALF, 0.0)
        scale, zero = self._constants(pair) if pair.scale else (None, None)
        if scale is None or scale.size != 1 or zero.dtype.kind not in "iu":
            return {}
        step, shift, limits = float(scale.ravel()[0]), int(zero.ravel()[0]), self._numpy.iinfo(zero.dtype)
        held = self._held(wanted, (limits.min - shift) * step, (limits.max - shift) * step, step / 2)
        return dict(held, scale=step, zero_point=shift, dtype=str(zero.dtype))

    @staticmethod
    def _held(wanted, low, high, slack):
        beyond = (wanted < low - slack) | (wanted > high + slack)
        seen = [float(wanted.min()), float(wanted.max())]
        return {"reaches": [low, high], "seen": seen, "clipped": float(beyond.mean())}

    def _in_float(self, layer):
        """What the float layer gives of what the quantised model computed until then; None where that is not known."""
        if not layer.places:
            return self._arrays[layer.pair.name]
        taken = self._first.taken(layer.places)
        inputs = {}
        for name in taken:
            if name in self._arrays:
                inputs[name] = self._arrays[name]
            elif name in self._pairs:
                inputs[name] = self._quantised(self._pairs[name])
            else:
                inputs[name] = self._float(name)
            if inputs[name] is None:
                return None
        wanted = self._float(layer.pair.name)
        inputs = {name: self._as_float(name, array) for name, array in inputs.items()}
        return self._run(self._first, layer.places, inputs, {layer.pair.name: onnx_cut.element_of(wanted)}, _PLAIN)

    def _as_float(self, name, array):
        """In the type that the float model has it in."""
        wanted = self._float(name) if name in self._pairs else array
        return array if wanted is None else array.astype(wanted.dtype, copy=False)

    def _without(self, layer, result):
        """The SQNR of the output where this layer gives what it gives in float; None where that loses nothing."""
        second, pair = self._second, layer.pair
        put = list(pair.given) or [pair.codes]
        places = _behind(second, put)
        if not places:
            return self._of_outputs(dict(self._outputs[1], **{pair.name: result}))
        given = result if pair.given else self._encoded(pair, result)
        others = [name for name in second.taken(places) if name not in put]
        inputs = self._values[1].of(others)
        kinds = self._values[1].of(put[:1])
        if inputs is None or kinds is None or given is None:
            return None
        inputs.update((name, given.astype(kinds[put[0]].dtype)) for name in put if name in second.taken(places))
        outputs = {name: onnx_cut.element_of(array) for name, array in self._outputs[1].items()}
        made = {name for place in places for name in second.nodes[place].outputs}
        outputs = {name: kind for name, kind in outputs.items() if name in made}
        found = self._run(second, places, inputs, outputs, runtime.DEFAULT, whole=True)
        return None if found is None else self._of_outputs(dict(self._outputs[1], **found))

    def _encoded(self, pair, result):
        scale, zero = self._constants(pair)
        if scale is None or scale.size != 1:
            return None
        limits = self._numpy.iinfo(zero.dtype)
        codes = self._numpy.rint(result / float(scale.ravel()[0])) + float(zero.ravel()[0])
        return codes.clip(limits.min, limits.max).astype(zero.dtype)

    def _of_outputs(self, found):
        """SQNR of the outputs of fractions, all together."""
        numpy = self._numpy
        names = [name for name, array in self._outputs[0].items() if array.dtype.kind == "f" and name in found]
        if not names:
            return None
        sides = [
            numpy.concatenate([numpy.asarray(outputs[name], dtype="float64").ravel() for name in names])
            for outputs in (self._outputs[0], found)
        ]
        return sqnr(numpy, *sides)

    def _run(self, parts, places, inputs, outputs, setting, whole=False):
        kinds = {name: onnx_cut.element_of(array) for name, array in inputs.items()}
        path = os.path.join(self._folder, "layer.onnx")
        content = parts.cut(places, kinds, outputs)
        onnx_graph.look_for_room(len(content), self._folder)
        with open(path, "wb") as file:
            file.write(content)
        try:
            session = runtime.session_of(path, runtime.CPU, setting)
            with of_model():
                found = dict(zip(outputs, session.run(list(outputs), inputs)))
        except Exception as error:
            if not is_of_model(error):
                raise
            return None
        return found if whole else next(iter(found.values()))


def _names(found):
    """The names to be given out by the float model, and by the quantised one."""
    return set(found), {pair.wanted for pair in found.values()}


class _Wanted:
    def __init__(self, outputs):
        self.outputs, self.label = outputs, outputs[0]


def _wanted(parts, names):
    """The nodes that make values of these names, with no others."""
    kept = ([name for name in parts.nodes[place].outputs if name in names] for place in parts.steps)
    return [_Wanted(outputs) for outputs in kept if outputs]


def _behind(parts, names):
    """The places of the nodes that depend on these values, but for those that make them."""
    known, found = set(names), []
    for place in parts.steps:
        node = parts.nodes[place]
        if not set(node.outputs) & set(names) and known & set(node.inputs):
            found.append(place)
            known.update(node.outputs)
    return found
