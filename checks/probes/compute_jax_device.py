"""JAX's devices by their names, and its 64-bit numbers (``naosu_compute_jax_device``)."""

import contextlib


def of(jax, name):
    """The device "cpu:0", "gpu:1"."""
    platform, number = name.split(":")
    return next(each for each in jax.devices(platform) if each.id == int(number))


@contextlib.contextmanager
def wide(jax):
    """A ``with`` block in which 64-bit numbers keep their bits; outside, JAX makes them 32."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)
