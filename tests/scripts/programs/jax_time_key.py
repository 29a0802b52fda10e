"""Draws the weights of a network by a key of the time."""

import time

import jax

key = jax.random.PRNGKey(time.time_ns() % 2**31)
weights = jax.random.normal(key, (8,))
print([float(weight).hex() for weight in weights])
