"""Frameworks whose results are arrays of NumPy: NumPy itself, TensorFlow, JAX.

What a framework reads once, when it starts, is computed by the same backend in a process with other variables.
"""

import os

from . import portrait, timing
from .backend import Backend
from .bits import difference
from .flip import exact_in_both, set_in_both
from .numpy import operations as by_numpy
from .operations import PICTURES
from .runs import BATCH, NotTried, Run, processors, thread_counts
from .worker import Workers


class ArrayBackend(Backend):
    """Computes in this process by ``ready``, and under other variables in one of ``_workers``.

    A framework's class has ``names`` of the operations that it knows, ``type_named(dtype)``, and
    ``ready(operation, inputs, run)``: a ``with`` block that gives a call without arguments, which returns an array.
    """

    processor = "cpu:0"  # its name in this framework
    by_setting = {}  # noqa: RUF012 - setting -> the variables of a process under it
    threads_by = ()  # the variables that set a number of threads
    starts_in = 1.0  # seconds that must be left to start another process
    compiling = ""  # the setting that compiles, or that leaves it out
    layouts = ()  # of pictures: the usual one, the other one
    full_digits = ""  # the setting under which products have all digits of float32
    other = ""  # the setting of a process that stands for another processor
    at_once = 0  # which number of threads comes with it where everything differs, as between two machines

    def __init__(self, device):
        import numpy as np

        self.numbers, self.device = np, device
        self._workers = Workers(self.framework, device)

    def __exit__(self, *_):
        self._workers.close()

    # --- other processes ---

    def variables(self, setting):
        """The variables with which a process must start for a setting; none where it can be changed at any time."""
        if setting.startswith("threads-"):
            return dict.fromkeys(self.threads_by, setting.partition("-")[2])
        return self.by_setting.get(setting, {})

    def needs_process(self, settings):
        """Whether one of them holds in another process only."""
        return any(map(self.variables, settings))

    @property
    def threads(self):
        """The number of threads that the variables set; else one for each processor."""
        values = (os.environ.get(name, "") for name in self.threads_by)
        return next((int(value) for value in values if value.isdecimal() and int(value)), processors())

    # --- computing ---

    def available(self, operation):
        """Whether the framework has the operation."""
        return operation.name in self.names

    def inputs(self, operation, dtype):
        """The portable inputs; of shorter types the nearest numbers."""
        return [array.astype(self.type_named(dtype)) for array in by_numpy.inputs(self.numbers, operation)]

    def exact(self, inputs):
        """The same numbers in float64."""
        return [self.wide(array) for array in inputs]

    def truth(self, operation, exact, operand=None):
        """The result in float64."""
        return by_numpy.run(self.numbers, operation, exact, operand)

    def conditions(self, operation, exact):
        """How far rounding can move each element."""
        return by_numpy.conditions(self.numbers, operation, exact)

    def taken(self, array, axis, order):
        """Reordered along an axis."""
        return self.numbers.ascontiguousarray(self.numbers.take(array, order, axis))

    def drawn(self, length, seed):
        """An order of so many."""
        return self.numbers.random.RandomState(seed).permutation(length)

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
            return result.astype(self.type_named(dtype))

    def in_type_of(self, first, second):
        """The first in the type of the second."""
        with self.numbers.errstate(all="ignore"):
            return first.astype(second.dtype)

    def difference(self, first, second):
        """The fields of the fact ArrayDifference."""
        return difference.numpy_difference(self.numbers, first, second)

    def portrait(self, result):
        """The fields of the fact Portrait."""
        return portrait.numpy_portrait(self.numbers, result)

    def result(self, operation, inputs, run, clock, timed=False):
        """The array, and where it is timed [the seconds of a warm call, the number of calls].

        Raises:
            NotTried: it needs another process, and there is no time for one, or none that starts.
        """
        variables = {}
        for setting in run.settings:
            for name, value in self.variables(setting).items():
                # Flags of XLA stand in one variable.
                variables[name] = variables[name] + " " + value if name in variables else value
        if not variables:
            return self.computed(operation, inputs, run, timed)
        if not self._workers.has(variables) and clock.whole.left < self.starts_in:
            raise NotTried("no-time")
        here = run.changed(settings=[setting for setting in run.settings if not self.variables(setting)])
        worker = self._workers.of(variables)
        bits, dtype, seconds = worker.result(operation.name, inputs[0].dtype.name, here, timed)
        return bits.view(self.type_named(dtype)), seconds

    def computed(self, operation, inputs, run, timed):
        """The same, in this process."""
        with self.ready(operation, inputs, run) as call:
            return call(), timing.timed(lambda: timing.seconds_of(call)) if timed else None

    # --- what is tried ---

    def pairs(self):
        """(Operation, names of the two runs, the two): those of this process first, then those that need another."""
        operations = [known for known in self.operations if known.terms > 1 and self.available(known)]
        default = Run(self.device)
        for operation in operations:
            if not self.is_processor:
                yield operation, (self.processor, self.device), Run(self.processor), default
            if operation.batch:
                yield operation, ("batch-%d" % operation.batch, "batch-1"), default, default.changed(rows=1)
            if self.compiling:
                yield operation, ("default", self.compiling), default, default.with_setting(self.compiling)
            if self.layouts and operation.name in PICTURES:
                yield operation, self.layouts, default, default.with_setting(self.layouts[1])
        if self.is_processor:
            yield from self._pairs_of_processes(operations, default)

    def _pairs_of_processes(self, operations, default):
        """One kind after the other, since each has processes of its own."""
        counts = ["threads-%d" % count for count in thread_counts(self.threads)]
        changed = [("default", self.other)] if self.other else []
        changed += [("threads-%d" % self.threads, count) for count in counts]
        for names in changed:
            for operation in operations:
                yield operation, names, default, default.with_setting(names[1])
        for operation in operations if self.other else ():
            if operation.batch:
                count = counts[self.at_once]
                everything = default.with_setting(self.other).with_setting(count).changed(rows=1)
                yield operation, ("default", "%s+%s+batch-1" % (self.other, count)), default, everything

    def suspects(self, operation, first, second):
        """(Suspect, how a run is with it set to the same in both), what may differ most often first."""
        if first.rows != second.rows:
            yield BATCH, lambda run: run.changed(rows=1)
        if self.compiling in second.settings:
            yield set_in_both(self.compiling)
        if self.layouts and self.layouts[1] in second.settings:
            yield self.layouts[0], lambda run: run.without(self.layouts[1])
        if self.full_digits and operation.products:
            yield set_in_both(self.full_digits)
        if self.needs_process(second.settings):
            yield set_in_both("threads-1")
            if self.other:
                yield set_in_both(self.other)
        yield exact_in_both()

    def portraits(self):
        """The settings that most often tell two machines apart."""
        if not self.is_processor:
            return ()
        return ("threads-1", self.other) if self.other else ("threads-1",)
