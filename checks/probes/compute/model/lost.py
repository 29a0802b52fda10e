"""Where numbers get lost: the operation that makes NaN or infinity of what is neither, and what went into it.

From an output the way leads back along the values that are lost, too. It ends at a node all of whose inputs are sound,
at a weight or at an input of the model. A node is named only after one more run in which what it takes and gives was
seen together: in a model that draws random numbers each run loses others.
"""

from .. import kit as compute
from .outputs import flattened
from .slices import Slices
from .ways import is_of_model

NAN, INFINITE = "nan", "infinite"
TRIES = 5  # runs in which a node is to show it
MOST_OPERANDS = 4
WITHIN = " > "
# What gives a number for each number: then the operands have one at the place of a lost result.
_ELEMENTWISE = frozenset((
    *("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "div", "divide", "true_divide", "exp", "exp2"),
    *("expm1", "pow", "sub", "rsub", "add", "mul", "acos", "asin", "atanh", "acosh", "cosh", "sinh", "tan", "square"),
    *("softplus", "cast", "to", "neg", "mod", "fmod", "remainder", "erfinv", "logit", "xlogy"),
))  # fmt: skip
_CHOOSING = frozenset(("argmax", "argmin", "topk"))


def counts(numpy, array):
    """How many elements are NaN, and how many infinite."""
    if array.dtype.kind not in "fc":
        return {NAN: 0, INFINITE: 0}
    nan = numpy.isnan(array)
    return {NAN: int(nan.sum()), INFINITE: int((numpy.isinf(array) & ~nan).sum())}


def lost_in(numpy, outputs):
    """What is lost of these outputs, as fields of the fact NumbersLost; None where nothing is."""
    floats = {name: array for name, array in outputs.items() if array.dtype.kind in "fc" and array.size}
    found = {name: counts(numpy, array) for name, array in floats.items()}
    nan, infinite = (sum(count[kind] for count in found.values()) for kind in (NAN, INFINITE))
    if not nan + infinite:
        return None
    kind = NAN if nan else INFINITE
    whole = [name for name in floats if sum(found[name].values()) == floats[name].size]
    return {
        "kind": kind,
        "nan": nan,
        "infinite": infinite,
        "elements": sum(array.size for array in floats.values()),
        "output": max(floats, key=lambda name: found[name][kind]),
        "outputs": len(floats),
        "outputs_whole": len(whole),
    }


def is_spoilt(numpy, outputs):
    """Whether an output holds NaN, or nothing that is finite: with such inputs little can be compared."""
    lost = lost_in(numpy, outputs)
    return lost is not None and bool(lost["nan"] or lost["outputs_whole"])


def facts(model, way, clock):
    """What is lost of the outputs of a way, and where, as a fact, which says nothing more where nothing is.

    Of drawn inputs, with which numbers got lost before others were found with which none do, those tell it.
    """
    numpy, arrays = model.numpy, model.spoiling or model.arrays
    if not any(output.size for output in (way.outputs or {}).values()):
        return
    try:
        outputs = flattened(way.run(arrays)) if model.spoiling else way.outputs
        figures = lost_in(numpy, outputs)
        for _ in range(TRIES if way.varies and figures is None else 0):
            figures = figures or lost_in(numpy, flattened(way.run(arrays)))
        is_chosen = figures is None and not any(array.dtype.kind in "fc" for array in outputs.values())
        if figures is None and not (is_chosen and outputs and model.nodes):
            yield model.facts(way, "lost")
            return
        yield compute.measuring(model.fact(way, "lost"))
        origin = _Origin(model, way, arrays, clock)
        figures = origin.of_choice() if is_chosen else dict(figures, **origin.of_outputs(figures["kind"]))
    except Exception as error:
        if not is_of_model(error):
            raise
        return  # what fails is told where it is compared
    if figures is not None:
        figures["finite_with"] = model.drawn_as if model.spoiling else ""
    yield model.facts(way, "lost", lost=figures)


class _Origin:
    def __init__(self, model, way, arrays, clock):
        self._model, self._way, self._arrays, self._clock = model, way, arrays, clock
        self._lost = {name: counts(model.numpy, array) for name, array in arrays.items()}
        self._makers = {name: node for node in model.nodes for name in node.outputs if name}
        self._stopped = ""

    def of_outputs(self, kind):
        """Where what comes out is lost, as fields of NumbersLost."""
        self._walk()
        ends = [name for name in self._model.ends if self._is_lost(name, kind)]
        if not ends:  # the names of what comes out are not known
            ends = [name for node in self._model.nodes for name in node.outputs if self._is_lost(name, kind)][-1:]
        return self._told(ends[0], kind) if ends else self._until()

    def of_choice(self):
        """Where that is lost of which the places come out, not the numbers; None where nothing is."""
        self._walk()
        for node in self._model.nodes:
            taken = [name for name in self._taken(node) if self._is_lost(name, NAN)]
            if _plain(node.op) in _CHOOSING and taken:
                size = self._sizes.get(taken[0], 0)
                fields = {"kind": NAN, "nan": self._lost[taken[0]][NAN], "elements": size}
                chosen = {"choice_node": node.label, "choice_op": node.op}
                return dict(fields, **chosen, **self._told(taken[0], NAN))
        return None

    def _walk(self):
        known = [*self._arrays.values(), *(self._way.outputs or {}).values()]
        self._sizes, slices = {}, Slices(self._model.nodes, known, self._clock)

        def take(start, end):
            names = [name for node in self._model.nodes[start:end] for name in node.outputs if name]
            for name, value in self._way.giving(names)(self._arrays).items():
                if hasattr(value, "dtype"):
                    slices.look(value)
                    self._lost[name], self._sizes[name] = counts(self._model.numpy, value), value.size

        self._stopped = slices.go(take)

    def _until(self):
        return {"searched_until": self._stopped} if self._stopped else {}

    def _told(self, name, kind):
        """The end of the way back from a value, with what went in there."""
        name, node = self._back(name, kind)
        if node is None:
            return {"source": "input" if name in self._arrays else "weight", "node": self._title(name)}
        values = self._together(node, kind)
        if values is None:
            return self._until()
        fields = {"source": "node", "node": node.label, "op": node.op}
        operands = [operand for operand in self._taken(node) if operand in values]
        result = next(name for name in node.outputs if name in values and counts(self._model.numpy, values[name])[kind])
        fields["operands"] = [
            self._operand(operand, values[operand], values[result], node, kind) for operand in operands[:MOST_OPERANDS]
        ]
        if _plain(node.op) in _ELEMENTWISE:
            fields["numbers"] = [repr(number) for number in getattr(node, "numbers", ())]
        fields["dtype"] = str(values[result].dtype)
        infinite = [operand for operand in operands if counts(self._model.numpy, values[operand])[INFINITE]]
        if kind == NAN and infinite:
            before, maker = self._back(infinite[0], INFINITE)
            fields.update(infinite_node=maker.label if maker else self._title(before))
            fields["infinite_op"] = maker.op if maker else ""
        return fields

    def _title(self, name):
        """A weight as the file calls it."""
        return self._model.titles.get(name, name)

    def _back(self, name, kind):
        """(The first value that is lost on the way back from one, the node that makes it; None: none does)."""
        seen = {name}
        while name in self._makers:
            node = self._makers[name]
            taken = [value for value in self._taken(node) if value not in seen]
            before = [value for value in taken if self._is_lost(value, kind)]
            if not before:  # the weights last: to read them takes the longest
                weights = self._weights([value for value in taken if value not in self._lost])
                before = [value for value, array in weights.items() if counts(self._model.numpy, array)[kind]]
                return (before[0], None) if before else (name, node)
            name = before[0]
            seen.add(name)
        return name, None

    def _taken(self, node):
        """The values that a node takes, and of those that are no arrays (lists) what they are made of."""
        found, waiting, seen = [], list(node.inputs), set()
        while waiting:
            name = waiting.pop(0)
            if not name or name in seen:
                continue
            seen.add(name)
            if name in self._model.parts:
                waiting = [*self._model.parts[name], *waiting]
            elif name in self._makers and name not in self._lost:
                waiting = [*self._makers[name].inputs, *waiting]
            else:
                found.append(name)
        return found

    def _is_lost(self, name, kind):
        return name in self._lost and bool(self._lost[name][kind])

    def _weights(self, names):
        """Those that the model can give out, by name."""
        try:
            values = self._model.held(names) if names else {}
        except Exception as error:
            if not is_of_model(error):
                raise
            parts = [self._weights([name]) for name in names] if len(names) > 1 else []
            return {name: value for part in parts for name, value in part.items()}
        return {name: value for name, value in values.items() if hasattr(value, "dtype")}

    def _together(self, node, kind):
        """What a node takes and gives, of one run in which it makes what is lost of what is not; None: not seen."""
        numpy, taken = self._model.numpy, self._taken(node)
        names = [name for name in (*taken, *node.outputs) if name in self._makers]
        run = self._way.giving(list(dict.fromkeys(names)))
        fixed = {name: array for name, array in self._arrays.items() if name in taken}
        fixed.update(self._weights([name for name in taken if name not in self._lost]))
        for _ in range(TRIES):
            values = {name: value for name, value in run(self._arrays).items() if hasattr(value, "dtype")}
            values = {**fixed, **values}
            lost = {name: counts(numpy, value)[kind] for name, value in values.items()}
            if any(lost.get(name) for name in node.outputs) and not any(lost.get(name) for name in taken):
                return values
        return None

    def _operand(self, name, array, result, node, kind):
        """One operand: its range, and where it has one its number at the place of the first lost result."""
        numpy = self._model.numpy
        fact = {"name": name, "dtype": str(array.dtype), "shape": list(array.shape), **counts(numpy, array)}
        finite = array[numpy.isfinite(array)] if array.dtype.kind in "fc" else array
        if finite.size and array.dtype.kind in "fiu":
            fact.update(lowest=float(finite.min()), highest=float(finite.max()))
        if _plain(node.op) in _ELEMENTWISE and array.dtype.kind in "fiub":
            is_lost = numpy.isnan(result) if kind == NAN else numpy.isinf(result)
            place = numpy.unravel_index(int(is_lost.argmax()), result.shape)
            try:
                fact["value"] = "%.6g" % numpy.broadcast_to(array, result.shape)[place]
            except ValueError:  # another shape
                return fact
        return fact


def _plain(operation):
    """An operator's own name: "log" of "aten::log_", "aten.log.default", "Log" and "If > Log"."""
    name = operation.rpartition(WITHIN)[2].lower()
    for prefix in ("aten::", "aten.", "prims."):
        name = name.removeprefix(prefix)
    return name.split(".")[0].rstrip("_")
