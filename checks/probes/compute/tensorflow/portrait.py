"""Portraits of what TensorFlow computes, on the inputs of all frameworks (``compute.tensorflow.portrait``)."""

from ..bench import portrait_stage
from .bench import Computer


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    computer = Computer(argument["device"])
    yield from portrait_stage(computer, argument, clock, tuple(_settings(computer)))


def _settings(computer):
    if computer.is_processor:
        yield "threads-1"
        if computer.has_onednn:
            yield "mkldnn-off"
