"""Portraits of what JAX computes, on the inputs of all frameworks (``compute.jax.portrait``)."""

from .. import kit as compute
from ..bench import portrait_stage
from ..runs import is_x86
from .bench import Computer


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    computer = Computer(argument["device"])
    yield from portrait_stage(computer, argument, clock, tuple(_settings(computer)))


def _settings(computer):
    if compute.is_processor(computer.device):
        yield "threads-1"
        if is_x86():
            yield "older-instructions"
