"""The user's own model run twice or more, and where two runs part (``compute.model.runs``).

Standard library only, Python 3.8 and later; NumPy comes as an argument. What knows a runtime lies beside this file in
compute_model_RUNTIME.py and gives *ways*: a way runs the model on one device under one setting, and can give out the
values of nodes within it.

**What counts as rounding.** Two right ways differ by the order of their sums, and how much that matters depends on the
network. Each value may be off by the random walk of its own sums, unit * scale * 2 * sqrt(terms * layers), and by what
the network makes of a small error: its own change when every number of the inputs is moved by one unit, some times
over (export.compare has the factors). Whole numbers and shapes have no bound: where they differ, something was
decided otherwise, and what comes after is no matter of rounding any more.

**What proves nothing.** NaN beside NaN, outputs without numbers, no outputs at all: none of these is called the same.
"""

import time

from ... import kit
from ...export import compare
from ...model import kit as model_kit
from .. import difference, fingerprint
from .. import kit as compute

MOST = {"quick": 100, "standard": 300, "thorough": 3000}  # repetitions
SURE = 30  # repetitions after which a model that varies needs no more
LEAST = 3
AT_ONCE = 32  # nodes whose values are given out by the first session, fewer where they are likely to be large
TIMES_LARGEST = 32  # what one value within is taken to have at the most, in sizes of the largest input or output
GROWTH = 8  # times as many by the next, where their values are small
MOST_BYTES = 256 << 20  # of values at once
MOST_TOLD = 200  # nodes that are told of one search
MOST_BEFORE = 3  # nodes before one that are looked at
TRIES = 30  # runs in which a model that varies is to show it at some node
BATCH = 4
COARSE, TIMES_COARSE = 2.0**-20, 8  # half precision is added up in float32: its algorithms lose fewer of its units
UNITS_OF_ONE = 4  # what numbers below 1 may be off at the least
MOST_FIGURE = 1e300  # figures are finite numbers
_LONGEST = 300  # characters of the names of outputs that are told
MOST_CLASSES = 1000  # channels of a picture of scores
OF_THE_REST = 3  # a comparison gets this part of what time is left, the first one half of it
OF_REPEATING = 0.75  # of the time for repetitions; the rest is for the search
# What is done on the processor, in this order; a step in which a process ended is left out by the next.
STEPS = ("repeat", "mode", "level", "batch", "threads-1", "threads-2", "deterministic")
NO_OUTPUTS, EMPTY, NAN, SHAPES = "no-outputs", "outputs-empty", "nan-everywhere", "shapes-differ"


class Way:
    """The model on a device under a setting. ``calls_before``: libraries choose their algorithms in the first calls."""

    def __init__(self, run, giving, device, setting="default", calls_before=1):
        self.run = run  # inputs by name -> outputs by name
        self.giving = giving  # names of values -> a function like run that gives these
        self.device, self.setting = device, setting
        self.calls_before = calls_before
        self.outputs = None  # of the first of its repetitions
        self.arrays = None  # the inputs that gave these
        self.shows = True  # whether there is anything in these that could differ
        self.failed = False
        self.varies = False

    def results(self, arrays):
        """The outputs that these inputs give, computed where they are not known."""
        if self.outputs is None or self.arrays is not arrays:
            self.outputs, self.arrays = flattened(self.run(arrays)), arrays
        return self.outputs


class Later(Way):
    """A way that is made when it is first run, so that what fails then is told as any run that fails."""

    def __init__(self, make, device, setting="default", calls_before=1):
        super().__init__(self._run, lambda names: self._way().giving(names), device, setting, calls_before)
        self._make, self._made = make, None

    def _way(self):
        if self._made is None:
            self._made = self._make()
        return self._made

    def _run(self, arrays):
        return self._way().run(arrays)


class Rows:
    """Which axis counts what is computed side by side. ``inputs``: the name of each that has one -> the axis.

    ``outputs``: likewise, as far as the file tells; of others it is the axis that grows as the inputs do. ``reason``,
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
            name: each[(slice(None),) * self.inputs[name] + (slice(count),)] if name in self.inputs else each
            for name, each in arrays.items()
        }

    def times(self, numpy, arrays, count):
        """So many times the rows, with numbers in another order each time."""
        made = dict(arrays)
        for name, axis in self.inputs.items():
            each = arrays[name]
            along = -1 if axis < each.ndim - 1 else 0
            made[name] = numpy.concatenate([numpy.roll(each, shift, axis=along) for shift in range(count)], axis=axis)
        return made


class Model:
    """What is told of every run: the file, the inputs, and how its numbers are rounded."""

    def __init__(self, numpy, named, arrays, nodes=(), unit=compare.UNITS["float32"], weights=None):
        self.numpy, self.named = numpy, named
        self.arrays, self.nodes, self.unit = arrays, list(nodes), unit
        self.weights = weights or {}
        self.size = max((array.size for array in arrays.values()), default=0)
        self.shrunk = 0

    def nudged(self, arrays):
        """The inputs with each number moved up or down by one unit; None where they hold no such numbers."""
        numpy = self.numpy
        moved, found = {}, False
        for name, array in arrays.items():
            if array.dtype.kind == "f" and array.size:
                signs = 1 - 2 * (numpy.arange(array.size, dtype="int64") * 2654435761 >> 16 & 1)
                unit = max(self.unit, compare.UNITS.get(str(array.dtype), self.unit))
                factor = (1.0 + 2 * unit * signs).reshape(array.shape)  # a product without axes is no array any more
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
        return max((_terms(node, self.weights) for node in self.nodes), default=0) or 1024

    @property
    def layers(self):
        """The nodes with such sums."""
        return sum(bool(_terms(node, self.weights)) for node in self.nodes) or 16

    def told(self, way, aspect, other="", **figures):
        """What a stage yields of one comparison."""
        return compute.facts_of(self.fact(way, aspect, other, **figures))

    def fact(self, way, aspect, other="", **figures):
        """The fact of one comparison."""
        fact = dict(self.named, kind="model", aspect=aspect, device=way.device, setting=way.setting, other=other)
        if self.shrunk:
            fact["shrunk"] = self.shrunk
        return dict(fact, **{name: value for name, value in figures.items() if value not in (None, "")})


def _terms(node, weights):
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


def flattened(results):
    """Outputs by name as arrays: lists and dicts, as classifiers of other libraries give them, are taken apart."""
    import numpy as np

    found = {}
    for name, value in results.items():
        parts = list(value.values()) if isinstance(value, dict) else value
        if isinstance(parts, list) and parts and hasattr(parts[0], "dtype"):
            found.update(("%s[%d]" % (name, place), np.asarray(each)) for place, each in enumerate(parts))
        elif isinstance(parts, list) and parts and isinstance(parts[0], dict):
            found[name] = np.asarray([list(part.values()) for part in parts])
        elif parts is not None:
            found[name] = np.asarray(parts)
    return found


def code_of(numpy, outputs):
    """One fingerprint of all outputs."""
    return fingerprint.combined([_code(numpy, output) for output in outputs.values()])


def _code(numpy, array):
    if array.dtype.kind in "OSU":
        return fingerprint.combined([repr(array.shape), *map(repr, array.ravel().tolist())])
    return fingerprint.numpy_fingerprint(numpy, array)


def apart(numpy, reference, candidate):
    """How far two arrays are from each other, as the fact ArrayDifference; None where they cannot be compared."""
    if reference.shape != candidate.shape:
        return None
    if reference.dtype.kind in "OSU" or candidate.dtype.kind in "OSU":
        return {"elements": reference.size, "differing": int((reference != candidate).sum())}
    return difference.numpy_difference(numpy, reference, candidate)


def nothing_in(numpy, outputs):
    """Why outputs cannot show anything: there are none, they are empty, every number is NaN; "" where they can."""
    if not outputs:
        return NO_OUTPUTS
    if not any(output.size for output in outputs.values()):
        return EMPTY
    floats = [output for output in outputs.values() if output.dtype.kind in "fc" and output.size]
    return NAN if floats and all(bool(numpy.isnan(each).all()) for each in floats) else ""


def _nan_in_both(numpy, reference, candidate):
    """How many elements are NaN in both: that these are alike proves nothing."""
    if reference.dtype.kind not in "fc" or candidate.dtype.kind not in "fc":
        return 0
    return int((numpy.isnan(reference) & numpy.isnan(candidate)).sum())


# --- outputs of two runs ----------------------------------------------------------------------------------------------


def compared(model, reference, found, moved=None):
    """The figures of one comparison: of the output that is the farthest apart, and the decisions of all."""
    numpy = model.numpy
    figures = {"outputs": len(reference)}
    nothing = nothing_in(numpy, reference)
    if nothing and nothing == nothing_in(numpy, found):
        return dict(figures, reason=nothing)
    worst, decisions, differing, odd = None, [], 0, []
    for name, value in reference.items():
        other = found.get(name)
        told = None if other is None else apart(numpy, value, other)
        if told is None:
            odd.append(name)
            continue
        differing += bool(told["differing"])
        same_nan = _nan_in_both(numpy, value, other)
        if same_nan:
            figures["nan_in_both"] = figures.get("nan_in_both", 0) + same_nan
            figures.setdefault("nan_output", name)
        bound = model.bound(value, (moved or {}).get(name))
        decided = decided_alike(numpy, value, other) if told["differing"] else _nothing_decided(numpy, value)
        if decided is not None:
            decisions.append(decided)
        measure = _measure(told, bound)
        if worst is None or measure > worst[0]:
            worst = (measure, name, told, bound)
    figures["outputs_apart"] = differing + len(odd)
    if odd:
        figures.update(reason=SHAPES, detail=", ".join(odd)[:_LONGEST])
    if worst is None:
        return figures
    _, name, told, bound = worst
    figures.update(operation=name, dtype=str(reference[name].dtype), difference=told)
    if bound is not None:
        figures["bound"] = bound
    if decisions:
        figures["decisions"] = min(decisions)
    return figures


def _differs(figures):
    told = figures.get("difference")
    return figures.get("reason") == SHAPES or bool(told and told["differing"])


def decided_alike(numpy, reference, candidate):
    """The share of what is decided alike; None where nothing is decided by an output.

    Scores of classes: where the largest stands, along the last axis, or of pictures along the channels. One score
    between 0 and 1: on which side of one half. Whole numbers and texts are decisions themselves. What is NaN in both
    decides nothing.
    """
    if reference.dtype.kind != "f":
        return None if reference.dtype.kind == "c" else float((reference == candidate).mean())
    pair = [_without_ones(each) for each in (reference, candidate)]
    shape = pair[0].shape
    if len(shape) == 4 and 1 < shape[1] <= MOST_CLASSES:
        pair = [numpy.moveaxis(each, 1, -1) for each in pair]
    elif len(shape) not in (1, 2, 3) or not shape or shape[-1] < 2:
        low, high = float(reference.min()), float(reference.max())
        return float(((reference > 0.5) == (candidate > 0.5)).mean()) if low >= 0.0 and high <= 1.0 else None
    tops = [each.reshape(-1, each.shape[-1]) for each in pair]
    odd = [numpy.isnan(top).any(axis=1) for top in tops]
    alike = (tops[0].argmax(axis=1) == tops[1].argmax(axis=1)) & ~(odd[0] | odd[1])
    decided = ~(odd[0] & odd[1])
    return float(alike[decided].mean()) if decided.any() else None


def _without_ones(array):
    """Scores of classes as some networks give them: [1, 1000, 1, 1]."""
    while array.ndim > 2 and array.shape[-1] == 1:
        array = array[..., 0]
    return array


def _nothing_decided(numpy, reference):
    """The same bits are the same decisions, unless they are those of NaN."""
    if not reference.size or reference.dtype.kind == "c":
        return None
    return None if reference.dtype.kind == "f" and numpy.isnan(reference).all() else 1.0


def _measure(told, bound):
    """How bad a difference is, to find the worst: one that is no number, then in units of what rounding makes.

    Whole numbers that differ were decided by what is rounded: worse than that, and not than what no rounding makes.
    """
    size = told.get("max_abs") or 0.0
    if bound is None:
        size = float(bool(told["differing"]))
    return (told.get("nan", 0) + told.get("infinite", 0), size / bound if bound else size, told["differing"])


def is_beyond(told, bound):
    """Whether a difference is more than rounding makes."""
    if told.get("nan") or told.get("infinite"):
        return True
    return bound is not None and (told.get("max_abs") or 0.0) > bound


# --- the same again and again -----------------------------------------------------------------------------------------


def repeated(model, way, clock, most):
    """The figures of one way, run again and again with the same inputs; and its results."""
    numpy = model.numpy
    for _ in range(way.calls_before):
        way.run(model.arrays)
    first, found, counts, seconds, worst = None, [], [], [], None
    while len(seconds) < most and (clock.left > 0 or len(seconds) < LEAST):
        started = time.perf_counter()
        results = way.run(model.arrays)
        seconds.append(time.perf_counter() - started)
        outputs = flattened(results)
        code = code_of(numpy, outputs)
        if first is None:
            first = outputs
        if code in found:
            counts[found.index(code)] += 1
            continue
        found.append(code)
        counts.append(1)
        if len(found) > 1:
            figures = compared(model, first, outputs)
            alike = [each["decisions"] for each in (worst, figures) if each and "decisions" in each]
            worst = dict(figures if worst is None or _size(figures) > _size(worst) else worst)
            if alike:
                worst["decisions"] = min(alike)
        if len(found) > 1 and len(seconds) >= SURE:
            break
    told = {"repetitions": len(seconds), "distinct": len(found), "counts": counts[:20]}
    told.update(worst or compared(model, first, first), seconds=compute.median(seconds))
    return told, first


def _size(figures):
    told = figures.get("difference") or {}
    lost = told.get("nan", 0) + told.get("infinite", 0)
    return figures.get("reason") == SHAPES, lost, told.get("max_abs") or 0.0, told.get("differing", 0)


# --- the first node at which two runs part ----------------------------------------------------------------------------


class Search:
    """Walks through the nodes in their order with two ways, in slices whose values fit in memory.

    ``first`` and ``second``: (a way, its inputs). ``again``: how often the second is run where the same way is to show
    that it varies. ``batch``: the second has so many times the rows, of which the first are compared.

    A runtime fuses nodes, and does not where the value between them is given out. So a difference that a fused node
    makes is seen only behind the slice that holds it: then single nodes are given out, by halves, back to where it
    begins.
    """

    def __init__(self, model, first, second, clock, again=1, batch=1):
        self._model, self._first, self._second = model, first, second
        self._clock, self._again, self._batch = clock, again, batch
        self._sums = []  # (terms, layers) up to each node
        self._most_bytes = 1  # of the values of a node, so far
        self._slices = []  # where each begins
        self.nodes, self.figures = [], {}

    def walk(self):
        """The figures of the first node whose bits differ and of the first that is beyond rounding."""
        nodes, place, count = self._model.nodes, 0, self._first_count()
        terms = layers = 0
        for node in nodes:
            mine = _terms(node, self._model.weights)
            terms, layers = max(terms, mine), layers + bool(mine)
            self._sums.append((max(1, terms), max(1, layers)))
        while place < len(nodes):
            if self._clock.left <= 0:
                self.figures["searched_until"] = nodes[place].label
                break
            self._slices.append(place)
            self._compare(place, min(place + count, len(nodes)))
            place += count
            count = max(1, min(count * GROWTH, MOST_BYTES // self._most_bytes))
        else:
            if self._again == 1:
                self._look_between()
        self.figures["searched"] = len(self.nodes)
        self.figures["nodes"] = _thinned(list(self.nodes))
        return {name: value for name, value in self.figures.items() if name != "first_place"}

    def _first_count(self):
        """How many nodes are given out at first, when nobody knows how large their values are."""
        way, arrays = self._first
        known = [*arrays.values(), *(way.outputs or {}).values()]
        largest = max((each.nbytes for each in known), default=0)
        return max(1, min(AT_ONCE, MOST_BYTES // max(1, TIMES_LARGEST * largest)))

    def _compare(self, start, end):
        """One slice; where a session cannot give these out, its halves."""
        part = self._model.nodes[start:end]
        try:
            values = self._values([name for node in part for name in node.outputs if name])
        except Exception:  # a value that cannot be given out, or too little memory for all of them at once
            if len(part) > 1 and self._clock.left > 0:
                half = (start + end) // 2
                self._compare(start, half)
                self._compare(half, end)
            return
        for place, node in enumerate(part, start):
            found = self._apart(place, values)
            if found is not None:
                self.nodes.append(_as_node(node, *found[:2]))
                self._note(place, *found)

    def _look_between(self):
        """Back to the slice before the first difference, or through all where giving values out made it vanish."""
        found = self.figures.get("first_place")
        high = len(self._model.nodes) - 1 if found is None else found
        starts = [start for start in self._slices if start <= high]
        low = starts[-2] - 1 if found is not None and len(starts) > 1 else -1
        if found is not None and len(starts) == 1:
            return  # all before it was given out, and was the same
        last = None
        if found is None:
            last = self._alone(high)
            if last is None:
                return
        elif not any(self._alone(place) for place in self._before(found)):
            return  # what it takes is the same, although nothing else was given out
        while high - low > 1 and self._clock.left > 0:
            middle = (low + high) // 2
            seen = self._alone(middle)
            if seen is None:
                low = middle
            else:
                high, last = middle, seen
        if last is not None:
            for name in ("first_node", "first_op", "first_difference", "first_place"):
                self.figures.pop(name, None)
            self._note(high, *last)

    def _before(self, place):
        """The places of some nodes whose results a node takes, or of that before it."""
        taken = set(self._model.nodes[place].inputs)
        found = [each for each in range(place) if taken & set(self._model.nodes[each].outputs)]
        return found[-MOST_BEFORE:] or [place - 1]

    def _alone(self, place):
        """How far one node is apart where no other is given out; None where it is not."""
        try:
            found = self._apart(place, self._values([name for name in self._model.nodes[place].outputs if name]))
        except Exception:  # it cannot be given out
            return None
        return found if found is not None and found[0]["differing"] else None

    def _values(self, names):
        """(Of the first way, of its inputs nudged, of the second), each by name."""
        way, arrays = self._first
        run = way.giving(names)
        reference = run(arrays)
        nudged = self._model.nudged(arrays)
        moved = run(nudged) if nudged else {}
        other, others = self._second
        if other is not way or self._again == 1:
            run = None  # what it holds goes before the next is made: a large model is in memory once less
            run = other.giving(names)
        found = run(others)
        for _ in range(self._again - 1):
            if any(not _is_same(self._model.numpy, reference.get(name), found.get(name)) for name in names):
                break
            found = run(others)
        return reference, moved, found

    def _apart(self, place, values):
        """(The difference of a node, what rounding makes of it, whether it is of bytes), of its worst result."""
        numpy, worst = self._model.numpy, None
        for name in self._model.nodes[place].outputs:
            reference, moved, found = (value.get(name) for value in values)
            if not hasattr(reference, "dtype") or not hasattr(found, "dtype"):
                continue
            self._most_bytes = max(self._most_bytes, reference.nbytes)
            found = aligned(reference, found, self._batch)
            told = apart(numpy, reference, found) if found is not None else None
            is_other = told is None and self._batch == 1
            if is_other:  # how many there are was decided otherwise
                told = {"elements": reference.size, "differing": max(1, reference.size)}
            if told is None:
                continue
            if self._batch > 1 and reference.dtype.kind not in "fc":  # lengths of axes are among them
                continue
            bound = None if is_other else self._model.bound(reference, moved, *self._sums[place])
            measure = _measure(told, bound)
            if worst is None or measure > worst[0]:
                worst = (measure, told, bound, reference.dtype.kind in "iu" and reference.dtype.itemsize == 1)
        return worst and worst[1:]

    def _note(self, place, told, bound, is_bytes):
        """What a node says of where the two part. Quantised to bytes, a number may be rounded to the next step."""
        if not told["differing"]:
            return
        node, figures = self._model.nodes[place], self.figures
        is_first = "first_node" not in figures
        if is_first:
            figures.update(first_node=node.label, first_op=node.op, first_difference=told, first_place=place)
        if "choice_node" in figures or "beyond_node" in figures:
            return
        is_wrong = is_first and is_bytes and (told.get("max_abs") or 0) > 1
        if bound is None and not is_wrong:
            figures.update(choice_node=node.label, choice_op=node.op)
        elif is_wrong or is_beyond(told, bound):
            figures.update(beyond_node=node.label, beyond_op=node.op, beyond_difference=told)


def _is_same(numpy, first, second):
    if not hasattr(first, "dtype") or first.dtype.kind in "OSU" or first.shape != second.shape:
        return True
    return first.tobytes() == second.tobytes()


def aligned(reference, found, batch, axis=None):
    """The first rows of what was computed in a batch; None where the two are not comparable.

    ``axis``: that of the rows, where it is known. What has the same shape in both, has no rows, and is given as it is.
    """
    if reference.shape == found.shape:
        return found
    if batch == 1 or len(found.shape) != len(reference.shape):
        return None
    grown = [place for place, length in enumerate(reference.shape) if found.shape[place] != length]
    if len(grown) != 1 or (axis is not None and grown != [axis]):
        return None
    rows = reference.shape[grown[0]]
    if found.shape[grown[0]] != rows * batch:
        return None
    return found[(slice(None),) * grown[0] + (slice(rows),)]


def _as_node(node, told, bound):
    """One node of the plot: how far apart, and what is rounding, in units of its largest number."""
    scale = told.get("scale") or 0.0
    fact = {"name": node.label, "op": node.op}
    if told.get("max_abs") is not None:
        fact["apart"] = _relative(told["max_abs"], scale)
    if bound is not None and scale:
        fact["bound"] = _relative(bound, scale)
    if told.get("nan") or told.get("infinite"):
        fact["odd"] = told.get("nan", 0) + told.get("infinite", 0)
    return fact


def _relative(size, scale):
    """In units of the largest number, where there is one."""
    return min(size / max(scale, 1 / MOST_FIGURE), MOST_FIGURE) if scale else size


def _thinned(nodes):
    """At most so many nodes, of neighbours the one that is the farthest apart."""
    step = -(-len(nodes) // MOST_TOLD)
    if step <= 1:
        return nodes
    return [
        max(nodes[place : place + step], key=lambda each: (each.get("odd", 0), each.get("apart", 0.0)))
        for place in range(0, len(nodes), step)
    ]


# --- what is compared -------------------------------------------------------------------------------------------------


def against(model, reference, candidate, aspect, clock, search=True):
    """One way beside another, as facts: the outputs, and where they differ the nodes."""
    way = reference
    named = model.fact(candidate, aspect, other=_other(way, candidate))
    if way.varies:
        yield compute.facts_of(dict(named, reason="not-repeatable"))
        return
    yield compute.measuring(named)
    try:
        outputs = way.results(model.arrays)
        for _ in range(candidate.calls_before - 1):  # as many as the other had
            candidate.run(model.arrays)
        found = flattened(candidate.run(model.arrays))
        nudged = model.nudged(model.arrays)
        moved = flattened(way.run(nudged)) if nudged else None
        figures = compared(model, outputs, found, moved)
        if search and _differs(figures) and model.nodes and clock.left > 0:
            figures.update(Search(model, (way, model.arrays), (candidate, model.arrays), clock).walk())
    except Exception as error:
        yield compute.facts_of(dict(named, **failure(error)))
        return
    yield compute.facts_of(dict(named, **figures))


def is_varying(model, way, clock):
    """Whether a way gives other results in a few runs, one at the least; what fails is told where it is compared."""
    try:
        codes, count = {code_of(model.numpy, way.results(model.arrays))}, 0
        while not count or (count < LEAST and clock.left > 0):
            codes.add(code_of(model.numpy, flattened(way.run(model.arrays))))
            count += 1
    except Exception:
        way.failed = True
        return False
    way.varies = len(codes) > 1
    return way.varies


def failure(error):
    """The fields of a fact of what did not work."""
    if isinstance(error, model_kit.NotDrawn):
        return error.told
    return {"reason": "no-memory" if model_kit.is_no_memory(error) else "failed", "error": kit.describe(error)}


def _other(way, candidate):
    return way.device if way.device != candidate.device else way.setting


def varies(model, way, clock, most, aspect="repeat"):
    """One way again and again, as facts; its first results stay with it."""
    named = model.fact(way, aspect, other=way.setting)
    yield compute.measuring(named)
    try:
        figures, outputs = repeated(model, way, compute.Clock(clock.left * OF_REPEATING), most)
        if figures["distinct"] > 1 and model.nodes:
            ways = (way, model.arrays)
            figures.update(Search(model, ways, ways, clock, again=TRIES).walk())
    except Exception as error:
        way.failed = True
        yield compute.facts_of(dict(named, **failure(error)))
        return
    way.outputs, way.arrays, way.varies = outputs, model.arrays, figures["distinct"] > 1
    way.shows, way.failed = figures.get("reason") not in (NO_OUTPUTS, EMPTY), False
    yield compute.facts_of(dict(named, **figures))


def in_batch(model, way, clock, axes):
    """The first row alone, and in a batch."""
    named = dict(model.fact(way, "batch", other="batch-%d" % BATCH), setting="batch-1")
    if not axes.inputs:
        yield compute.facts_of(dict(named, reason=axes.reason, detail=axes.detail))
        return
    yield compute.measuring(named)
    rows = axes.count(model.arrays)
    count = BATCH
    while True:
        alone, batch = _alone_and_in_batch(model, axes, rows, count)
        times = rows if rows > 1 else count
        try:
            single, many = flattened(way.run(alone)), flattened(way.run(batch))
            break
        except Exception as error:
            if model_kit.is_no_memory(error) and count > 2 and rows == 1:
                count //= 2
                continue
            reason = {"reason": "batch-fixed", "error": kit.describe(error)} if rows == 1 else failure(error)
            yield compute.facts_of(dict(named, **reason))
            return
    nothing = nothing_in(model.numpy, single)
    if nothing:
        yield compute.facts_of(dict(named, reason=nothing))
        return
    found = {
        name: aligned(value, many[name], times, axes.outputs.get(name))
        for name, value in single.items()
        if name in many and many[name].shape != value.shape
    }
    found = {name: value for name, value in found.items() if value is not None}
    if not found:
        yield compute.facts_of(dict(named, reason="no-rows"))
        return
    named = dict(named, other="batch-%d" % times)
    try:
        nudged = model.nudged(alone)
        moved = flattened(way.run(nudged)) if nudged else None
        figures = compared(model, {name: single[name] for name in found}, found, moved)
        if _differs(figures) and model.nodes and clock.left > 0:
            figures.update(Search(model, (way, alone), (way, batch), clock, batch=times).walk())
    except Exception as error:
        yield compute.facts_of(dict(named, **failure(error)))
        return
    yield compute.facts_of(dict(named, **figures))


def _alone_and_in_batch(model, axes, rows, count):
    """(The first row alone, the batch): of given rows all, of a drawn one some that differ from it."""
    if rows > 1:
        return axes.first(model.arrays, 1), dict(model.arrays)
    return dict(model.arrays), axes.times(model.numpy, model.arrays, count)


def halved(model, axes):
    """Make the batch of the given inputs smaller, where there is one; whether that was possible."""
    rows = axes.count(model.arrays) if axes.inputs else 1
    if rows < 2:
        return False
    model.arrays = axes.first(model.arrays, rows // 2)
    model.named = dict(model.named, inputs=model_kit.as_facts(model.arrays))
    model.shrunk += 1
    return True


def plan(model, comparisons, clock, axes):
    """Make the comparisons in turn, each with a part of the time; what there is no memory for with fewer rows."""
    for place, each in enumerate(comparisons):
        if place and clock.left <= 0:
            yield compute.facts_of(dict(model.named, kind="model", aspect="rest", reason="no-time"))
            return
        is_short = True
        while is_short:
            is_short = False
            for fact in each(clock.part(OF_THE_REST if place else 2)):
                if _is_short(fact) and halved(model, axes):
                    is_short = True
                    break
                yield fact


def left(pairs, done):
    """Of (a step, its function) the functions of those steps behind that in which a process before this one ended.

    ``done``: such steps, or devices, which come behind all steps.
    """
    begin = STEPS.index(done[-1]) + 1 if done and done[-1] in STEPS else len(STEPS) if done else 0
    for step, function in pairs:
        if STEPS.index(step) >= begin:
            yield function


def _is_short(fact):
    return any(each.get("reason") == "no-memory" for each in fact.get("measurements+", ()))
