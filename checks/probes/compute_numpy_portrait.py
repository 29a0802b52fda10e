"""Portraits of what NumPy computes, on the inputs of all frameworks (``naosu_compute_numpy_portrait``)."""

from naosu_compute_bench import portrait_stage
from naosu_compute_numpy_bench import Computer
from naosu_compute_runs import is_x86


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    computer = Computer(argument["device"])
    yield from portrait_stage(computer, argument, clock, tuple(_settings()))


def _settings():
    yield "threads-1"
    if is_x86():
        yield "older-instructions"
