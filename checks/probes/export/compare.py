"""How far an exported model is from the original: figures of outputs, and the first step at which the two part.

**What counts as rounding.** Two right implementations of one network differ by the order of their sums. How much that
matters depends on the network, so that the network itself is the measure: it is also computed in float64, and the
largest distance of its own float32 results from these, over a few inputs, times TIMES_ROUNDING, is allowed. Where it
cannot be computed in float64, the bound is that of a random walk: unit * scale * 2 * sqrt(terms * layers), with the
unit roundoff of the type (2**-24 for float32), the largest magnitude of the result, the terms of the longest sum of
products and the number of layers with one. To both come a few units. Whole numbers are to be equal.
"""

import itertools

UNITS = {"float64": 2.0**-53, "float32": 2.0**-24, "bfloat16": 2.0**-8, "float16": 2.0**-11}
TIMES_ROUNDING = 32  # five bits: another algorithm (Winograd, another blocking) may lose as much more than the first
LEAST_UNITS = 16  # of the last operations, which may be exact by chance in the original
# Units per root of how many numbers go in: a mean of all of them is nearly exact in a runtime that adds them in pairs,
# and not in one that adds them in a row.
UNITS_OF_MEAN = 0.5
MOST_BYTES = 1 << 30  # of values within the networks that are kept at once
MOST_IN_ONE = 20  # operations of the original that an exporter may put into one
LARGEST = 1.7976931348623157e308  # float64's: two finite numbers can be farther apart
MOST_ORDERS = 4  # axes up to which their order is tried


class Rounding:
    """How far a result may be from the original's by rounding alone. ``errors``: name -> distance from float64.

    ``size``: of the largest input, in elements.
    """

    def __init__(self, unit, terms, layers, errors, size=0):
        self.unit, self.terms, self.layers, self.errors = unit, terms, layers, errors
        self.least = LEAST_UNITS + UNITS_OF_MEAN * size**0.5

    def bound(self, numpy, name, reference):
        """The largest difference that is rounding, for one result of the original."""
        if reference.dtype.kind not in "fc":
            return 0.0
        unit = max(self.unit, UNITS.get(str(reference.dtype), 0.0))
        scale = magnitude(numpy, reference)
        if name in self.errors:
            return TIMES_ROUNDING * self.errors[name] + self.least * unit * scale
        return unit * scale * (self.least + 2.0 * (self.terms * self.layers) ** 0.5)


class Step:
    """One operation of a network that was run: its name and kind, the names of what it took and made.

    ``place``: the line of the user's Python that it comes from ("net.py:11"), where the file has it.
    """

    def __init__(self, name, op, inputs, outputs, place=""):
        self.name, self.op, self.place = name, op, place
        self.inputs, self.outputs = inputs, outputs


def magnitude(numpy, array):
    """The largest magnitude of what is finite in it."""
    finite = array[numpy.isfinite(array)]
    return float(numpy.abs(finite).max()) if finite.size else 0.0


def distance(numpy, reference, candidate):
    """(The differences where both are finite, elements of which only one is, or is another infinity)."""
    kind = numpy.complex128 if "c" in (reference.dtype.kind, candidate.dtype.kind) else numpy.float64
    first, second = reference.astype(kind), candidate.astype(kind)
    both = numpy.isfinite(first) & numpy.isfinite(second)
    same = (first == second) | (numpy.isnan(first) & numpy.isnan(second))
    with numpy.errstate(over="ignore"):
        apart = numpy.abs(first[both] - second[both])
    return apart, int((~both & ~same).sum())


def largest(apart):
    """The largest of the differences; 0 where there is nothing to differ. A finite number, as JSON has no other."""
    return min(float(apart.max()), LARGEST) if apart.size else 0.0


def share_beyond(apart, bound, nan, size):
    """The part of the elements that are farther apart than the bound."""
    return (int((apart > bound).sum()) + nan) / size if size else 0.0


def figures(numpy, name, reference, candidate, rounding):
    """How one output of the export compares with the original's, as the fact OutputDifference."""
    fact = {"name": name, "dtype": str(reference.dtype), "shape": list(reference.shape)}
    if reference.dtype == object or candidate.dtype == object or reference.dtype.kind in "US":
        return dict(fact, equal=bool(numpy.array_equal(reference.astype(str), candidate.astype(str))))
    if str(candidate.dtype) != fact["dtype"]:
        fact["export_dtype"] = str(candidate.dtype)
    candidate = _as_complex(reference, candidate)
    if reference.shape != candidate.shape:
        return dict(fact, export_shape=list(candidate.shape))
    apart, nan = distance(numpy, reference, candidate)
    scale, bound = magnitude(numpy, reference), rounding.bound(numpy, name, reference)
    fact.update(max_abs=largest(apart), scale=scale, bound=bound, nan=nan)
    fact["share"] = share_beyond(apart, bound, nan, reference.size)
    if scale:
        fact["max_rel"] = min(fact["max_abs"] / scale, LARGEST)
    fact["equal"] = fact["max_abs"] == 0.0 and nan == 0
    if reference.dtype.kind in "fc" and candidate.dtype.kind in "fc":
        fact["nan_in_both"] = int((numpy.isnan(reference) & numpy.isnan(candidate)).sum())
    return dict(fact, **_decisions(numpy, reference, candidate))


def _as_complex(reference, candidate):
    """ONNX has no complex numbers that compute: an exporter makes a last axis of two of them."""
    is_split = reference.dtype.kind == "c" and candidate.dtype.kind == "f"
    if not is_split or candidate.shape != (*reference.shape, 2):
        return candidate
    return candidate[..., 0] + 1j * candidate[..., 1]


def _decisions(numpy, reference, candidate):
    """The cosine of the two, and in how many rows the largest number stands at the same place."""
    if reference.dtype.kind != "f" or not reference.size:
        same = float((reference == candidate).mean()) if reference.size else 1.0
        return {"same_share": same}
    first, second = (
        numpy.nan_to_num(side.astype(numpy.float64), posinf=0.0, neginf=0.0).ravel() for side in (reference, candidate)
    )
    scaled = [
        side / (numpy.abs(side).max() or 1.0) for side in (first, second)
    ]  # else squares of large numbers are infinite
    norms = float(numpy.linalg.norm(scaled[0]) * numpy.linalg.norm(scaled[1]))
    figures = {"cosine": float(scaled[0] @ scaled[1]) / norms} if norms else {}
    if reference.ndim and reference.shape[-1] > 1:
        tops = (numbers.reshape(-1, reference.shape[-1]).argmax(axis=1) for numbers in (first, second))
        figures["same_top"] = float(numpy.equal(*tops).mean())
    return figures


def is_rounding(fact):
    """Whether the figures of an output are within what rounding makes."""
    if "export_shape" in fact:
        return False
    if "max_abs" not in fact:
        return fact.get("equal", True)
    return fact["nan"] == 0 and fact["max_abs"] <= fact["bound"]


# --- the first step at which two networks part ------------------------------------------------------------------------


class Values:
    """The values that were seen in the original, found again by name or, under another name, by what they are."""

    def __init__(self, numpy, values, rounding):
        self._numpy, self._values, self._rounding = numpy, values, rounding
        self._alike = {}
        self._sums = {name: _sums(numpy, array) for name, array in values.items()}
        for name, array in values.items():
            self._alike.setdefault(_lengths(array), []).append(name)

    def match(self, name, array):
        """The name of the original's value that this one equals but for rounding; None where there is none."""
        names = self._alike.get(_lengths(array), ())
        sums = _sums(self._numpy, array)
        for known in sorted(names, key=lambda other: other != name):
            if self._may_be_same(known, sums, array.size) and self._is_same(known, array):
                return known
        return None

    def _may_be_same(self, name, sums, size):
        """Whether the sums are near enough, which are the same in every order of axes."""
        most = self._rounding.bound(self._numpy, name, self._values[name]) * size * (1 + 1e-6)
        return all(abs(first - second) <= most for first, second in zip(self._sums[name], sums))

    def apart(self, name, array):
        """How far an array is from the value of that name, in the one order of axes in which it is the nearest."""
        numpy, reference = self._numpy, self._values.get(name)
        if reference is None:
            return None
        bound = self._rounding.bound(numpy, name, reference)
        found = [
            {"max_abs": largest(apart), "bound": bound, "share": share_beyond(apart, bound, nan, array.size)}
            for apart, nan in self._distances(reference, array)
        ]
        return min(found, key=lambda figures: figures["share"], default=None)

    def _is_same(self, name, array):
        reference = self._values[name]
        bound = self._rounding.bound(self._numpy, name, reference)
        return any(nan == 0 and largest(apart) <= bound for apart, nan in self._distances(reference, array))

    def _distances(self, reference, array):
        for order in _orders(reference.shape, array.shape):
            yield distance(self._numpy, reference.transpose(order).reshape(array.shape), array)


def _sums(numpy, array):
    numbers = numpy.nan_to_num(array.astype(complex if array.dtype.kind == "c" else float), posinf=0.0, neginf=0.0)
    return numbers.sum(), numpy.abs(numbers).sum()


def _lengths(array):
    """What stays of a shape when its axes are put in another order and those of one are left out."""
    return (array.dtype.kind in "fc", tuple(sorted(length for length in array.shape if length != 1)))


def _orders(shape, wanted):
    """The orders of axes that turn one shape into the other: tensors of images are laid out in two ways."""
    bare = [length for length in wanted if length != 1]
    axes = range(len(shape))
    every = itertools.permutations(axes) if len(shape) <= MOST_ORDERS else [tuple(axes)]
    return [order for order in every if [shape[axis] for axis in order if shape[axis] != 1] == bare]


def first_parting(numpy, original, exported, values, outputs, rounding):
    """The first step of the export whose result the original does not have, as the fact NodeDifference; else None.

    ``original`` and ``exported``: their steps in order. ``values``: two dicts, name -> array. ``outputs``: the names in
    the export of the outputs that differ. A step counts only where a differing output comes from it by steps that the
    original does not have either: what an exporter splits up has parts that nobody else has, and comes right again.
    """
    reference, candidate = values
    known = Values(numpy, reference, rounding)
    matched = {}
    for step in exported:
        for name in step.outputs:
            if name in candidate:
                matched[name] = known.match(name, candidate[name])
    at_fault = _leading_to(exported, matched, outputs)
    for step in exported:
        parted = [name for name in step.outputs if name in at_fault]
        if parted:
            other = _counterpart(step, parted[0], candidate, original, matched, at_fault, known)
            return _as_fact(step, parted[0], *other)
    return None


def _leading_to(steps, matched, outputs):
    """The values from which a differing output comes, through values that the original does not have."""
    found = set(outputs)
    for step in reversed(steps):
        if found.intersection(step.outputs):
            found.update(name for name in step.inputs if name in matched and matched[name] is None)
    return found


def _counterpart(step, name, candidate, original, matched, at_fault, known):
    """(The step of the original that the export does not do right, how far its result is from the export's)."""
    there = {value for value in matched.values() if value is not None}
    missing = [candidate_step for candidate_step in original if not there.intersection(candidate_step.outputs)]
    taken = {matched.get(value) or value for value in step.inputs if value not in at_fault}
    named = [absent for absent in missing if set(step.outputs).intersection(absent.outputs)]
    users = [absent for absent in missing if taken.intersection(absent.inputs)]
    is_first = not any(matched.get(value) for value in step.inputs)  # it takes the inputs, which may have other names
    first = next(iter(named or users or (missing[:1] if is_first else ())), None)
    if name not in candidate:
        return first, {}
    figures = _apart(first, candidate[name], known) if first is not None else {}
    # An exporter puts several operations into one: then the last of them is the nearest.
    start = missing.index(first) if first is not None else len(missing)
    later = missing[start : start + MOST_IN_ONE]
    for absent in later:
        apart = _apart(absent, candidate[name], known)
        if apart and (not figures or apart["max_abs"] < figures["max_abs"] / 2):
            first, figures = absent, apart
    return first, figures


def _apart(step, array, known):
    found = (known.apart(name, array) for name in step.outputs)
    return next((apart for apart in found if apart is not None), {})


def _as_fact(step, name, counterpart, apart):
    fact = dict(apart, name=step.name or name, op=step.op, value=name)
    if counterpart is not None:
        fact.update(original_name=counterpart.name, original_op=counterpart.op, original_place=counterpart.place)
    return fact
