"""What one framework computes on one device, as portrait, precision and flip ask for it.

Each framework's folder holds a class ``Backend(device)`` in ``backend.py``. It computes:

- ``numbers``: NumPy or torch, of whose kind the results are; they lie in the processor's memory.
- ``available(operation)``: whether this version has it.
- ``inputs(operation, dtype)``: the portable inputs, as :meth:`result` takes them; ``host_inputs``: the same, in the
  processor's memory, where those of many operations are kept.
- ``result(operation, inputs, run, clock, timed=False)``: the result of a run, and where it is timed [the seconds of a
  warm call, the number of calls] (see timing.py). Raises NotTried.
- ``exact(inputs)``, ``truth(operation, exact, operand=None)``, ``conditions(operation, exact)``: the inputs and the
  result in float64, and how far rounding can move each element. ``operand`` changes each factor first.
- ``taken(array, axis, order)``, ``drawn(length, seed)``: an input or a result reordered, and an order, drawn at random.
- ``rounded(factor, of_bits)``: a factor with the bits of its float32 changed, in float64.
- ``wide(result)``, ``in_type(result, dtype)``, ``in_type_of(first, second)``: results in another type.
- ``stream(stream)``: random numbers of a Stream, drawn as users draw them, on the device and from a seed of their own;
  the program's generators stay as they are. In the processor's memory, of the type ``drawn_as``. Raises NotTried.
- ``difference(first, second)``, ``portrait(result)``: fields of the facts ArrayDifference and Portrait.

And it says what is worth trying: the methods below.
"""

from . import kit as compute
from .operations import OPERATIONS, STREAMS
from .runs import BATCH, DTYPES, FULL


class Backend:
    """What most frameworks have in common. A ``with`` block ends whatever was started for the measurements."""

    framework = ""
    operations = OPERATIONS
    streams = STREAMS
    dtypes = DTYPES
    drawn_as = FULL  # the type of random numbers where none is asked for
    telling = (BATCH,)  # the settings that most often change digits

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    @property
    def is_processor(self):
        """Whether the device is the processor."""
        return compute.is_processor(self.device)

    def condition(self, operation, exact):
        """How far rounding can move an element, at the most."""
        return float(self.conditions(operation, exact).max())

    def host_inputs(self, operation, dtype):
        """The inputs, in the processor's memory."""
        return self.inputs(operation, dtype)

    def named(self, kind, operation, dtype, **more):
        """The facts that name a measurement."""
        where = {"kind": kind, "framework": self.framework, "operation": operation.name, "device": self.device}
        return dict(where, dtype=dtype, terms=operation.terms, **more)

    def is_telling(self, setting):
        """Whether a setting is measured before the others."""
        return setting in self.telling

    def variables(self, _setting):
        """The environment variables with which another process must start for a setting; none: it holds at any time."""
        return {}

    def settings(self, operation, dtype):
        """The settings under which digits are measured beside the default; none of what rounds but once."""
        if operation.terms > 1:
            yield from (BATCH,) if operation.batch else ()
            yield from self.other_settings(operation, dtype)

    def matters(self, operation, _setting):
        """Whether a portrait under a setting other than the default can differ."""
        return operation.terms > 1

    def reviewed(self, facts):
        """Facts of a flip, with the reasons that only the framework's own errors tell."""
        return facts

    # other_settings(operation, dtype): those of a framework under which digits are measured.
    # pairs(): (operation, names of two runs, the two) whose results are compared, the most telling first.
    # suspects(operation, first, second): (id, how a run is with it set to the same in both), the likeliest first.
    # portraits(): the settings that most often tell two machines apart.
