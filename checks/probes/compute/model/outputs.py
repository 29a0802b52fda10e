"""What a model gives, and how far two of its outputs are apart.

What proves nothing is never called the same: NaN beside NaN, nothing but 0, outputs without numbers, no outputs at all.
"""

from ..bits import difference, fingerprint

_LONGEST = 300  # characters of the names of outputs that are kept
MOST_CLASSES = 1000  # channels of a picture of scores
NO_OUTPUTS, EMPTY, NAN, SHAPES = "no-outputs", "outputs-empty", "nan-everywhere", "shapes-differ"
ZERO = "zero-everywhere"


def flattened(results):
    """Outputs by name as arrays: lists and dicts, as classifiers of other libraries give them, are taken apart."""
    import numpy as np

    found = {}
    for name, value in results.items():
        parts = list(value.values()) if isinstance(value, dict) else value
        if isinstance(parts, list) and parts and hasattr(parts[0], "dtype"):
            found.update(("%s[%d]" % (name, place), np.asarray(part)) for place, part in enumerate(parts))
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
    """Why outputs cannot show anything: there are none, they are empty, every number is NaN or is 0; "" where they can.

    Whole numbers alone may be 0: a class is one.
    """
    if not outputs:
        return NO_OUTPUTS
    if not any(output.size for output in outputs.values()):
        return EMPTY
    floats = [output for output in outputs.values() if output.dtype.kind in "fc" and output.size]
    if floats and all(bool(numpy.isnan(output).all()) for output in floats):
        return NAN
    is_zero = bool(floats) and not any(output.dtype.kind in "OSU" or output.any() for output in outputs.values())
    return ZERO if is_zero else ""


def _nan_in_both(numpy, reference, candidate):
    """How many elements are NaN in both: that these are alike proves nothing."""
    if reference.dtype.kind not in "fc" or candidate.dtype.kind not in "fc":
        return 0
    return int((numpy.isnan(reference) & numpy.isnan(candidate)).sum())


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
        distance = None if other is None else apart(numpy, value, other)
        if distance is None:
            odd.append(name)
            continue
        differing += bool(distance["differing"])
        same_nan = _nan_in_both(numpy, value, other)
        if same_nan:
            figures["nan_in_both"] = figures.get("nan_in_both", 0) + same_nan
            figures.setdefault("nan_output", name)
        bound = model.bound(value, (moved or {}).get(name))
        decided = decided_alike(numpy, value, other) if distance["differing"] else _nothing_decided(numpy, value)
        if decided is not None:
            decisions.append(decided)
        severity = severity_of(distance, bound)
        if worst is None or severity > worst[0]:
            worst = (severity, name, distance, bound)
    figures["outputs_apart"] = differing + len(odd)
    if odd:
        figures.update(reason=SHAPES, detail=", ".join(odd)[:_LONGEST])
    if worst is None:
        return figures
    _, name, distance, bound = worst
    figures.update(operation=name, dtype=str(reference[name].dtype), difference=distance)
    if bound is not None:
        figures["bound"] = bound
    if decisions:
        figures["decisions"] = min(decisions)
    return figures


def differs(figures):
    """Whether the figures of a comparison show a difference."""
    distance = figures.get("difference")
    return figures.get("reason") == SHAPES or bool(distance and distance["differing"])


def decided_alike(numpy, reference, candidate):
    """The share of what is decided alike; None where nothing is decided by an output.

    Scores of classes: where the largest stands, along the last axis, or of pictures along the channels. One score
    between 0 and 1: on which side of one half. Whole numbers and texts are decisions themselves. What is NaN in both
    decides nothing.
    """
    if reference.dtype.kind != "f":
        return None if reference.dtype.kind == "c" else float((reference == candidate).mean())
    pair = [_without_ones(array) for array in (reference, candidate)]
    shape = pair[0].shape
    if len(shape) == 4 and 1 < shape[1] <= MOST_CLASSES:
        pair = [numpy.moveaxis(scores, 1, -1) for scores in pair]
    elif len(shape) not in (1, 2, 3) or not shape or shape[-1] < 2:
        low, high = float(reference.min()), float(reference.max())
        return float(((reference > 0.5) == (candidate > 0.5)).mean()) if low >= 0.0 and high <= 1.0 else None
    tops = [scores.reshape(-1, scores.shape[-1]) for scores in pair]
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


def severity_of(distance, bound):
    """How bad a difference is, to find the worst: one that is no number, then in units of what rounding makes.

    Whole numbers that differ were decided by what is rounded: worse than that, and not than what no rounding makes.
    """
    size = distance.get("max_abs") or 0.0
    if bound is None:
        size = float(bool(distance["differing"]))
    return (
        distance.get("nan", 0) + distance.get("infinite", 0),
        size / bound if bound else size,
        distance["differing"],
    )


def is_beyond(distance, bound):
    """Whether a difference is more than rounding makes."""
    if distance.get("nan") or distance.get("infinite"):
        return True
    return bound is not None and (distance.get("max_abs") or 0.0) > bound


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
