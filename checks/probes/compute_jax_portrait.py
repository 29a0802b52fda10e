"""Portraits of what JAX computes, on the inputs of all frameworks (``naosu_compute_jax_portrait``)."""

import naosu_compute_kit as compute
from naosu_compute_bench import portrait_stage
from naosu_compute_jax_bench import Computer
from naosu_compute_runs import is_x86


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    computer = Computer(argument["device"])
    yield from portrait_stage(computer, argument, clock, tuple(_settings(computer)))


def _settings(computer):
    if compute.is_processor(computer.device):
        yield "threads-1"
        if is_x86():
            yield "older-instructions"
