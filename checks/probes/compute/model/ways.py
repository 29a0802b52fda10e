"""A model, the ways to run it, and the bound of what is rounding.

A runtime's module (onnxruntime.py, torch.py) gives *ways*: a way runs the model on one device under one setting, and
can give out the values of nodes within it.

**What counts as rounding.** Two right ways differ by the order of their sums, and how much that matters depends on the
network. Each value may be off by the random walk of its own sums, unit * scale * 2 * sqrt(terms * layers), and by what
the network makes of a small error: its own change when every number of the inputs is moved by one unit, some times
over (export/compare.py has the factors). Whole numbers and shapes have no bound: where they differ, something was
decided otherwise, and what comes after is no longer a matter of rounding.
"""

import contextlib

from ...export import compare
from .. import kit as compute
from .outputs import flattened

COARSE, TIMES_COARSE = 2.0**-20, 8  # half precision is added up in float32: its algorithms lose fewer of its units
UNITS_OF_ONE = 4  # what numbers below 1 may be off at the least
MOST_FIGURE = 1e300  # figures are finite numbers


@contextlib.contextmanager
def of_model():
    """Mark what is raised meanwhile as the model's or its runtime's own: whatever else goes wrong is our fault."""
    try:
        yield
    except Exception as error:
        error.is_of_model = True
        raise


def is_of_model(error):
    """Whether the model or its runtime raised it."""
    return getattr(error, "is_of_model", False)


def _marked(function):
    def run(arrays):
        with of_model():
            return function(arrays)

    return run


class Way:
    """The model on a device under a setting. ``calls_before``: libraries choose their algorithms in the first calls."""

    def __init__(self, run, giving, device, setting="default", calls_before=1):
        self.run = _marked(run)  # inputs by name -> outputs by name
        self._giving = giving
        self.device, self.setting = device, setting
        self.calls_before = calls_before
        self.outputs = None  # of the first of its repetitions
        self.arrays = None  # the inputs that gave these
        self.shows = True  # whether there is anything in these that could differ
        self.failed = False
        self.varies = False

    def giving(self, names):
        """A function like run that gives the values of these names."""
        with of_model():
            return _marked(self._giving(names))

    def results(self, arrays):
        """The outputs that these inputs give, computed where they are not known."""
        if self.outputs is None or self.arrays is not arrays:
            self.outputs, self.arrays = flattened(self.run(arrays)), arrays
        return self.outputs


class Later(Way):
    """A way that is made when it is first run, so that a failure is reported like that of any run."""

    def __init__(self, make, device, setting="default", calls_before=1):
        super().__init__(self._run, lambda names: self._way().giving(names), device, setting, calls_before)
        self._make, self._built = make, None

    def _way(self):
        if self._built is None:
            self._built = self._make()
        return self._built

    def _run(self, arrays):
        return self._way().run(arrays)


class Rows:
    """Which axis counts what is computed side by side. ``inputs``: the name of each that has one -> the axis.

    ``outputs``: likewise, as far as the file has it; of others it is the axis that grows as the inputs do. ``reason``,
    ``detail``: why there is none.
    """

    def __init__(self, inputs, outputs=None, reason="batch-fixed", detail=""):
        self.inputs, self.outputs = inputs, outputs or {}
        self.reason, self.detail = reason, detail

    def count(self, arrays):
        """How many rows these inputs have; 1 where they do not agree."""
        counts = {arrays[name].shape[axis] for name, axis in self.inputs.items()}
        return counts.pop() if len(counts) == 1 else 1

    def first(self, arrays, count):
        """The first so many rows."""
        return {
            name: array[(slice(None),) * self.inputs[name] + (slice(count),)] if name in self.inputs else array
            for name, array in arrays.items()
        }

    def times(self, numpy, arrays, count):
        """So many times the rows, with numbers in another order each time."""
        several = dict(arrays)
        for name, axis in self.inputs.items():
            array = arrays[name]
            along = -1 if axis < array.ndim - 1 else 0
            several[name] = numpy.concatenate([numpy.roll(array, turn, along) for turn in range(count)], axis)
        return several


class Model:
    """What every run has in common: the file, the inputs, and how its numbers are rounded."""

    def __init__(self, numpy, named, arrays, nodes=(), unit=compare.UNITS["float32"], weights=None):
        self.numpy, self.named = numpy, named
        self.arrays, self.nodes, self.unit = arrays, list(nodes), unit
        self.weights = weights or {}
        self.size = max((array.size for array in arrays.values()), default=0)
        self.shrunk = 0
        self.spoiling, self.drawn_as = None, ""  # drawn inputs with which numbers get lost, and how the others are
        self.ends = ()  # the names of the values that come out, where they are known
        self.parts = {}  # name of a value that is no array -> the names of those that it is made of
        self.held = lambda _: {}  # names of weights -> these
        self.titles = {}  # what the file calls a weight, where its value in the program has another name

    def nudged(self, arrays):
        """The inputs with each number moved up or down by one unit; None where they hold no such numbers."""
        numpy = self.numpy
        moved, found = {}, False
        for name, array in arrays.items():
            if array.dtype.kind == "f" and array.size:
                signs = 1 - 2 * (numpy.arange(array.size, dtype="int64") * 2654435761 >> 16 & 1)
                unit = max(self.unit, compare.UNITS.get(str(array.dtype), self.unit))
                factor = (1.0 + 2 * unit * signs).reshape(array.shape)  # a product without axes is no longer an array
                moved[name] = numpy.asarray(array.astype("float64") * factor).astype(array.dtype)
                found = True
            else:
                moved[name] = array
        return moved if found else None

    def bound(self, reference, moved, terms=None, layers=None):
        """The largest difference of a value that is rounding; None for whole numbers."""
        if reference.dtype.kind not in "fc":
            return None
        unit = max(self.unit, compare.UNITS.get(str(reference.dtype), 0.0))
        scale = compare.magnitude(self.numpy, reference)
        terms, layers = (self.terms, self.layers) if terms is None else (terms, layers)
        walk = compare.LEAST_UNITS + compare.UNITS_OF_MEAN * self.size**0.5 + 2.0 * (terms * layers) ** 0.5
        bound = unit * scale * walk
        if scale < 1:  # a sigmoid computed by a tanh has the digits of 1, however small it is
            bound = max(bound, UNITS_OF_ONE * unit)
        if moved is not None and moved.shape == reference.shape:
            times = compare.TIMES_ROUNDING if unit < COARSE else TIMES_COARSE
            bound += times * compare.largest(compare.distance(self.numpy, reference, moved)[0])
        return min(bound, MOST_FIGURE)

    @property
    def terms(self):
        """The terms of the longest sum of products."""
        return max((terms_of(node, self.weights) for node in self.nodes), default=0) or 1024

    @property
    def layers(self):
        """The nodes with such sums."""
        return sum(bool(terms_of(node, self.weights)) for node in self.nodes) or 16

    def facts(self, way, aspect, other="", **figures):
        """What a stage yields of one comparison."""
        return compute.facts_of(self.fact(way, aspect, other, **figures))

    def fact(self, way, aspect, other="", **figures):
        """The fact of one comparison."""
        fact = dict(self.named, kind="model", aspect=aspect, device=way.device, setting=way.setting, other=other)
        if self.shrunk:
            fact["shrunk"] = self.shrunk
        return dict(fact, **{name: value for name, value in figures.items() if value not in (None, "")})


def terms_of(node, weights):
    """How many products are added up for one number of a node with weights; 0 for a node without."""
    found = 0
    for name in node.inputs:
        shape = weights.get(name, ("", ()))[1]
        if len(shape) > 1 and shape[0]:
            count = 1
            for axis in shape:
                count *= axis
            found = max(found, count // shape[0], shape[0] if len(shape) == 2 else 0)
    return found
