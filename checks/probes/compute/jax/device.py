"""JAX's devices by their names, and its 64-bit numbers."""

import contextlib
import os


def of(jax, name):
    """The device "cpu:0", "gpu:1"."""
    platform, number = name.split(":")
    return next(device for device in jax.devices(platform) if device.id == int(number))


def chosen(jax, name):
    """The device by its name, from now on the one on which everything is made that names none.

    Else that is the first GPU, whatever is measured: one that is broken, full or another program's.
    """
    device = of(jax, name)
    if hasattr(jax.config, "jax_default_device"):  # older versions have no such thing
        jax.config.update("jax_default_device", device)
    return device


def only_the_processor(name):
    """Before JAX is imported: a process that measures the processor opens no GPU."""
    if name.partition(":")[0] == "cpu":
        os.environ["JAX_PLATFORMS"] = "cpu"


@contextlib.contextmanager
def wide(jax):
    """A ``with`` block in which 64-bit numbers keep their bits; outside, JAX makes them 32."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)
