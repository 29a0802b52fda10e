"""Frameworks whose results are arrays of NumPy, as compute_precision.py and compute_flip.py ask them.

``compute.bench``. A computer (compute_tensorflow_bench.py, compute_jax_bench.py) computes in this process; what a
framework reads once, when it starts, is computed by the same in a process with other variables.
"""

from . import difference, flip, portrait, precision
from . import kit as compute
from .numpy import operations as by_numpy
from .operations import PICTURES, portrait_entries
from .runs import FULL, NotTried, Run, thread_counts
from .worker import Workers


def precision_stage(computer, argument, clock, operations, dtypes, settings, telling):
    """The facts of the kind "precision"; ``settings`` as precision.entries wants it. ``telling``: what comes first."""
    with Bench(computer, clock) as bench:
        entries = precision.entries(
            bench, operations, dtypes, settings, lambda setting: precision.rank_among(telling, setting, computer)
        )
        yield from compute.measure_listed(entries, clock, precision.Precision(bench).measured, argument)


def pairs(computer, operations, compiling="", layouts=(), other="", at_once=0):
    """(operation, names of the two runs, the two): those of this process first, then those that need another.

    ``compiling``: the setting that compiles, or leaves that out; ``layouts``: of pictures, the usual one and the other;
    ``other``: the setting of a process that stands for another processor; ``at_once``: which number of threads comes
    with it where everything is different at once, as between two machines.
    """
    device, many = computer.device, [operation for operation in operations if operation.terms > 1]
    usual, processor = Run(device), computer.processor
    for operation in many:
        if not compute.is_processor(device):
            yield operation, (processor, device), Run(processor), usual
        if operation.batch:
            yield operation, ("batch-%d" % operation.batch, "batch-1"), usual, usual.changed(rows=1)
        if compiling:
            yield operation, ("default", compiling), usual, usual.with_setting(compiling)
        if layouts and operation.name in PICTURES:
            yield operation, layouts, usual, usual.with_setting(layouts[1])
    if compute.is_processor(device):
        yield from _pairs_of_processes(computer, many, other, at_once)


def _pairs_of_processes(computer, operations, other, at_once):
    """One kind after the other, since each has processes of its own."""
    usual, counts = Run(computer.device), ["threads-%d" % count for count in thread_counts(computer.threads)]
    changed = [("default", other)] if other else []
    changed += [("threads-%d" % computer.threads, count) for count in counts]
    for names in changed:
        for operation in operations:
            yield operation, names, usual, usual.with_setting(names[1])
    for operation in operations if other else ():
        if operation.batch:
            all_of_them = usual.with_setting(other).with_setting(counts[at_once]).changed(rows=1)
            yield operation, ("default", "%s+%s+batch-1" % (other, counts[at_once])), usual, all_of_them


def flip_stage(computer, clock, compared, suspects):
    """The facts of the kind "flip"; the compared pairs and the suspects as flip.stage wants them."""
    with Bench(computer, clock) as bench:
        yield from flip.stage(bench, compared, suspects, clock)


def portrait_stage(computer, argument, clock, settings):
    """The facts of the kind "portrait".

    ``settings``: those that most often tell two machines apart: where one machine's default is the other's result under
    one of them, that is the difference. They come last: a portrait without a partner helps nobody.
    """
    import numpy as np

    usual = argument.get("setting", "default")

    def measured(what, part):
        operation, setting = what
        given = bench.inputs(operation, FULL)
        run = Run(computer.device)
        try:
            result, _ = bench.result(operation, given, run if setting == usual else run.with_setting(setting), part)
        except NotTried as answer:
            return answer.told()
        condition = by_numpy.condition(np, operation, bench.exact(given))
        return dict(portrait.numpy_portrait(np, result), condition=condition)

    entries = [
        (named, (operation, setting))
        for setting in (usual, *(settings if usual == "default" else ()))
        for named, operation in portrait_entries(computer.framework, dict(argument, setting=setting), computer.names)
        if setting == usual or operation.terms > 1
    ]
    with Bench(computer, clock) as bench:
        yield from compute.measure_listed(entries, clock, measured, argument)


class Bench:
    """Computes operations on a device; results come back to the processor."""

    def __init__(self, computer, clock):
        import numpy as np

        self.framework, self.device = computer.framework, computer.device
        self.numbers = np
        self._computer, self._clock = computer, clock
        self._workers = Workers(computer.framework, computer.device)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """End the other processes."""
        self._workers.close()

    def available(self, operation):
        """Whether the framework has the operation."""
        return operation.name in self._computer.names

    def inputs(self, operation, dtype):
        """The portable inputs; of shorter types the nearest numbers."""
        return drawn(self.numbers, self._computer, operation, dtype)

    def exact(self, given):
        """The same numbers in float64."""
        return [self.wide(each) for each in given]

    def truth(self, operation, exact, operand=None):
        """The result in float64, of factors to which something was done."""
        return by_numpy.run(self.numbers, operation, exact, operand)

    def condition(self, operation, exact):
        """How far rounding can move an element, at the most."""
        return by_numpy.condition(self.numbers, operation, exact)

    def rounded(self, factor, of_bits):
        """A factor with the bits of its float32 changed."""
        bits = self.numbers.ascontiguousarray(factor, dtype="float32").view("int32")
        return of_bits(bits).astype("int32").view("float32").astype("float64")

    def wide(self, result):
        """In float64."""
        return result.astype("float64")

    def in_type(self, result, dtype):
        """A result in another type."""
        with self.numbers.errstate(all="ignore"):
            return result.astype(self._computer.type_named(dtype))

    def in_type_of(self, first, second):
        """The first in the type of the second."""
        with self.numbers.errstate(all="ignore"):
            return first.astype(second.dtype)

    def difference(self, first, second):
        """The fields of the fact ArrayDifference."""
        return difference.numpy_difference(self.numbers, first, second)

    def result(self, operation, given, run, _clock, timed=False):
        """What a run gives, and where it is timed how long it takes when everything is warm (see compute_timing).

        Raises:
            NotTried: it needs another process, and there is no time for one, or none that starts.
        """
        variables = {}
        for setting in run.settings:
            for name, value in self._computer.variables(setting).items():
                # Flags of XLA stand in one variable.
                variables[name] = variables[name] + " " + value if name in variables else value
        if not variables:
            return self._computer.result(operation, given, run, timed)
        if not self._workers.has(variables) and self._clock.left < self._computer.starts_in:
            raise NotTried("no-time")
        here = run.changed(settings=[each for each in run.settings if not self._computer.variables(each)])
        worker = self._workers.of(variables)
        bits, dtype, seconds = worker.result(operation.name, given[0].dtype.name, here, timed)
        return bits.view(self._computer.type_named(dtype)), seconds


def drawn(numpy, computer, operation, dtype):
    """The inputs of an operation in a type."""
    kind = computer.type_named(dtype)
    return [each.astype(kind) for each in by_numpy.inputs(numpy, operation)]
