"""The articles' experiments in JAX."""

from .. import experiments
from ..bits import fingerprint
from . import device as jax_device


def stage(argument, clock):
    """The facts of the kind "experiment"."""
    import jax

    device = jax_device.of(jax, argument["device"])
    named = experiments.named("jax", argument)
    with jax_device.wide(jax):
        yield from experiments.sums(named, _ways(jax, device), clock)
    yield from experiments.network(named, lambda: Network(jax, device), clock)


def _ways(jax, device):
    import numpy as np

    jnp = jax.numpy
    for dtype in ("float64", "float32"):
        terms = jax.device_put(experiments.numpy_terms(np, dtype), device)
        yield "sum-of-squares", dtype, "", _of(jax, lambda terms: jnp.sum(terms * terms), terms)
        yield "sum-of-squares-dot", dtype, "", _of(jax, lambda terms: jnp.dot(terms, terms), terms)
        if device.platform != "cpu" and dtype == "float32":  # others may multiply with fewer digits unless told
            highest = _of(jax, lambda terms: jnp.dot(terms, terms, precision="highest"), terms)
            yield "sum-of-squares-dot", dtype, "precision-highest", highest
        yield "sum-of-squares-reversed", dtype, "", _of(jax, lambda terms: jnp.sum((terms * terms)[::-1]), terms)
        yield "sum-of-squares-running", dtype, "", _of(jax, lambda terms: jnp.cumsum(terms * terms)[-1], terms)


def _of(jax, function, terms):
    compiled = jax.jit(function)
    return lambda: float(compiled(terms))


class Network:
    """The network of JAX's own functions."""

    def __init__(self, jax, device, rate=experiments.RATE, seed=experiments.SEED):
        import numpy as np

        self._jax, self._numpy, self._rate, self._seed = jax, np, rate, seed
        self._put = lambda array: jax.device_put(array, device)
        self._weights = [self._put(numpy_weight) for numpy_weight in experiments.numpy_weights(np)]
        self._pictures, self._digits = self._set(experiments.PICTURES, 0)
        self._judged = self._set(experiments.VALIDATION, 1)
        self._learning = jax.jit(self._learned)
        self._judging = jax.jit(self._forward)

    def _set(self, count, which):
        pictures, digits = experiments.numpy_digits(self._numpy, count, which)
        return self._put(pictures), self._put(digits.astype("int32"))

    def begin(self):
        """As at the start of a program."""
        self._key = self._put(self._jax.random.PRNGKey(self._seed))
        self._now = self._weights
        self._moving = [self._jax.numpy.zeros_like(weight) for weight in self._weights]

    def step(self, number):
        """Learn from a batch; the loss."""
        chosen = experiments.batch(number)
        self._key, loss, self._now, self._moving = self._learning(
            self._key, self._now, self._moving, self._pictures[chosen], self._digits[chosen]
        )
        return float(loss)

    def judge(self):
        """Wrong digits, and the loss."""
        loss, scores = self._judging(self._now, *self._judged)
        wrong = self._numpy.argmax(self._numpy.asarray(scores), 1) != self._numpy.asarray(self._judged[1])
        return int(wrong.sum()), float(loss)

    def fingerprint(self):
        """Of all weights."""
        weights = self._numpy.concatenate([self._numpy.asarray(weight).ravel() for weight in self._now])
        return fingerprint.numpy_fingerprint(self._numpy, weights)

    def _learned(self, key, weights, moving, pictures, digits):
        key, mine = self._jax.random.split(key)
        (loss, _), slopes = self._jax.value_and_grad(self._forward, has_aux=True)(weights, pictures, digits, mine)
        moving = [experiments.MOMENTUM * move + slope for move, slope in zip(moving, slopes)]
        return key, loss, [weight - self._rate * move for weight, move in zip(weights, moving)], moving

    def _forward(self, weights, pictures, digits, key=None):
        jnp, nn = self._jax.numpy, self._jax.nn
        one = self._pooled(nn.relu(self._convolved(pictures, weights[0]) + weights[1]))
        two = self._pooled(nn.relu(self._convolved(one, weights[2]) + weights[3]))
        dense = nn.relu(two.reshape(len(pictures), -1) @ weights[4] + weights[5])
        if key is not None:
            kept = self._jax.random.bernoulli(key, 1 - experiments.DROPOUT, dense.shape)
            dense = jnp.where(kept, dense / (1 - experiments.DROPOUT), 0)
        scores = dense @ weights[6] + weights[7]
        likelihoods = jnp.take_along_axis(nn.log_softmax(scores), digits[:, None], 1)
        return -likelihoods.mean(), scores

    def _convolved(self, pictures, kernel):
        names = ("NHWC", "HWIO", "NHWC")
        return self._jax.lax.conv_general_dilated(pictures, kernel, (1, 1), "SAME", dimension_numbers=names)

    def _pooled(self, pictures):
        lax, tile = self._jax.lax, (1, 2, 2, 1)
        return lax.reduce_window(pictures, -self._jax.numpy.inf, lax.max, tile, tile, "VALID")
