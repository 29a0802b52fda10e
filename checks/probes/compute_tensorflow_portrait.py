"""Portraits of what TensorFlow computes, on the inputs of all frameworks (``naosu_compute_tensorflow_portrait``)."""

from naosu_compute_bench import portrait_stage
from naosu_compute_tensorflow_bench import Computer


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    computer = Computer(argument["device"])
    yield from portrait_stage(computer, argument, clock, tuple(_settings(computer)))


def _settings(computer):
    if computer.is_processor:
        yield "threads-1"
        if computer.has_onednn:
            yield "mkldnn-off"
