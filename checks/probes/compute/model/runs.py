"""The user's own model run twice or more, and what is compared.

What knows a runtime lies beside this file.
"""

import time

from ... import kit
from ...model import kit as model_kit
from .. import kit as compute
from . import lost
from .outputs import EMPTY, NO_OUTPUTS, SHAPES, ZERO, aligned, code_of, compared, differs, flattened, nothing_in
from .search import Search
from .ways import Way, is_of_model

MOST = {"quick": 100, "standard": 300, "thorough": 3000}  # repetitions
ROWS = 30  # repetitions of some runs in a row
SURE = 30  # repetitions after which a model that varies needs no more
LEAST = 3
TRIES = 30  # runs in which a model that varies is to show it at some node
BATCH = 4
OF_THE_REST = 3  # a comparison gets this part of what time is left, the first one half of it
OF_REPEATING = 0.75  # of the time for repetitions; the rest is for the search
# What is done on the processor, in this order; a step in which a process ended is left out by the next.
STEPS = ("repeat", "lost", "mode", "level", "batch", "threads-1", "threads-2", "deterministic")


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
            alike = [known["decisions"] for known in (worst, figures) if known and "decisions" in known]
            worst = dict(figures if worst is None or _size(figures) > _size(worst) else worst)
            if alike:
                worst["decisions"] = min(alike)
        if len(found) > 1 and len(seconds) >= SURE:
            break
    result = {"repetitions": len(seconds), "distinct": len(found), "counts": counts[:20]}
    result.update(worst or compared(model, first, first), seconds=compute.median(seconds))
    return result, first


def _size(figures):
    distance = figures.get("difference") or {}
    lost = distance.get("nan", 0) + distance.get("infinite", 0)
    return figures.get("reason") == SHAPES, lost, distance.get("max_abs") or 0.0, distance.get("differing", 0)


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
        if search and differs(figures) and model.nodes and clock.left > 0:
            figures.update(Search(model, (way, model.arrays), (candidate, model.arrays), clock).walk())
    except Exception as error:
        yield compute.facts_of(dict(named, **failure(error)))
        return
    yield compute.facts_of(dict(named, **figures))


def is_varying(model, way, clock):
    """Whether a way gives other results in a few runs; what fails is reported where it is compared."""
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
        return error.fields
    if isinstance(error, model_kit.Unsafe):
        return {"reason": "not-run-unsafe", "detail": str(error)}
    reason = "no-memory" if model_kit.is_no_memory(error) else "failed" if is_of_model(error) else "own-error"
    return {"reason": reason, "error": kit.describe(error)}


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


def in_sequence(way, begin, setting):
    """Some runs of a way in a row as one, with ``begin()`` before them: whether each row gives the same answers."""

    def run(arrays):
        begin()
        return {
            "%s, run %d" % (name, place): output
            for place in range(1, LEAST + 1)
            for name, output in flattened(way.run(arrays)).items()
        }

    return Way(run, way.giving, way.device, setting)


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
    if nothing and nothing != ZERO:  # among others it may be another number
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
        if differs(figures) and model.nodes and clock.left > 0:
            figures.update(Search(model, (way, alone), (way, batch), clock, batch=times).walk())
    except Exception as error:
        yield compute.facts_of(dict(named, **failure(error)))
        return
    yield compute.facts_of(dict(named, **figures))


def comparisons(model, default, steps, devices, argument, clock):
    """Functions of a clock that yield facts, in the order in which they are worth the time.

    ``steps``: those on the processor, which come first, since a device may end the process. ``devices()``: (the name of
    each other device, a function of a clock). What ended a process before (``done``) is left out.
    """
    done = argument.get("done") or ()
    if done:
        is_varying(model, default, clock)
    yield from left(steps, done)
    if default.shows:
        yield from (compare for device, compare in devices() if device not in done)


def on_device(model, default, device, make, full, clock, most):
    """Whether another device repeats, and how far it is from the processor: ``full``: the way with all digits."""
    nowhere = Way(None, None, device)
    yield compute.measuring(model.fact(nowhere, "device", default.device))
    try:
        way = make()
    except Exception as error:
        yield model.facts(nowhere, "device", default.device, **failure(error))
        return
    yield from varies(model, way, clock.part(3), most)
    if default.failed:
        yield from lost.facts(model, way, clock.part(2))
    if not default.varies and not default.failed:  # many a type is computed by accelerators alone
        yield from against(model, default, way, "device", clock.part(2))
        if full is not None:
            yield from against(model, default, full, "device", clock)


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
    for place, comparison in enumerate(comparisons):
        if place and clock.left <= 0:
            yield compute.facts_of(dict(model.named, kind="model", aspect="rest", reason="no-time"))
            return
        is_short = True
        while is_short:
            is_short = False
            for fact in comparison(clock.part(OF_THE_REST if place else 2)):
                if compute.has_reason(fact, "no-memory") and halved(model, axes):
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
