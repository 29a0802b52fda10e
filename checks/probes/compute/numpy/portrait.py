"""Portraits of what NumPy computes, on the inputs of all frameworks (``compute.numpy.portrait``)."""

from ..bench import portrait_stage
from ..runs import is_x86
from .bench import Computer


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    computer = Computer(argument["device"])
    yield from portrait_stage(computer, argument, clock, tuple(_settings()))


def _settings():
    yield "threads-1"
    if is_x86():
        yield "older-instructions"
