"""The articles' experiments in NumPy, on the processor: what the other frameworks stand beside."""

import math

from .. import experiments
from ..bits import fingerprint


def stage(argument, clock):
    """The facts of the kind "experiment"."""
    import numpy as np

    named = experiments.named("numpy", argument)
    yield from experiments.sums(named, _ways(np), clock)
    yield from experiments.network(named, lambda: Network(np), clock)


def _ways(numpy):
    for dtype in ("float64", "float32"):
        terms = experiments.numpy_terms(numpy, dtype)
        yield "sum-of-squares", dtype, "", lambda terms=terms: float(numpy.sum(terms * terms))
        yield "sum-of-squares-dot", dtype, "", lambda terms=terms: float(numpy.dot(terms, terms))
        yield "sum-of-squares-reversed", dtype, "", lambda terms=terms: float(numpy.sum((terms * terms)[::-1].copy()))
        yield "sum-of-squares-running", dtype, "", lambda terms=terms: float(numpy.cumsum(terms * terms)[-1])
        # The squares are rounded as ever, their sum only once.
        yield (
            "sum-of-squares-exact",
            dtype,
            "",
            lambda terms=terms: float(terms.dtype.type(math.fsum((terms * terms).tolist()))),
        )


class Network:
    """The network by hand: NumPy knows no convolution and no derivative."""

    def __init__(self, numpy, rate=experiments.RATE, seed=experiments.SEED):
        self._numpy, self._rate, self._seed = numpy, numpy.float32(rate), seed
        self._momentum = numpy.float32(experiments.MOMENTUM)
        self._weights = list(experiments.numpy_weights(numpy))
        self._pictures, self._digits = experiments.numpy_digits(numpy, experiments.PICTURES, 0)
        self._judged = experiments.numpy_digits(numpy, experiments.VALIDATION, 1)

    def begin(self):
        """As at the start of a program."""
        self._random = self._numpy.random.RandomState(self._seed)
        self._now = self._weights
        self._moving = [self._numpy.zeros_like(weight) for weight in self._weights]

    def step(self, number):
        """Learn from a batch; the loss."""
        numpy = self._numpy
        chosen = experiments.batch(number)
        with numpy.errstate(all="ignore"):
            loss, slopes = self._slopes(self._pictures[chosen], self._digits[chosen])
            self._moving = [self._momentum * moving + slope for moving, slope in zip(self._moving, slopes)]
            self._now = [weight - self._rate * moving for weight, moving in zip(self._now, self._moving)]
        return loss

    def judge(self):
        """Wrong digits, and the loss."""
        numpy = self._numpy
        pictures, digits = self._judged
        with numpy.errstate(all="ignore"):
            weights, dense, *_ = self._layers(pictures)
            scores = dense @ weights[6] + weights[7]
            return int((scores.argmax(1) != digits).sum()), self._loss(scores, digits)[0]

    def fingerprint(self):
        """Of all weights."""
        weights = self._numpy.concatenate([weight.ravel() for weight in self._now])
        return fingerprint.numpy_fingerprint(self._numpy, weights)

    def _layers(self, pictures):
        weights = self._now
        first = self._patches(pictures)
        one = self._numpy.maximum(first @ weights[0].reshape(-1, 32) + weights[1], 0)
        pooled_one = self._pooled(one)
        second = self._patches(pooled_one)
        two = self._numpy.maximum(second @ weights[2].reshape(-1, 64) + weights[3], 0)
        pooled_two = self._pooled(two)
        flat = pooled_two.reshape(len(pictures), -1)
        dense = self._numpy.maximum(flat @ weights[4] + weights[5], 0)
        return weights, dense, flat, two, pooled_two, second, one, pooled_one, first

    def _slopes(self, pictures, digits):
        weights, dense, flat, two, pooled_two, second, one, pooled_one, first = self._layers(pictures)
        kept = (self._random.random_sample(dense.shape) >= experiments.DROPOUT).astype("float32")
        kept /= self._numpy.float32(1 - experiments.DROPOUT)
        dropped = dense * kept
        loss, back = self._loss(dropped @ weights[6] + weights[7], digits)
        slopes = [back.sum(0), dropped.T @ back]
        back = (back @ weights[6].T) * kept * (dense > 0)
        slopes += [back.sum(0), flat.T @ back]
        back = self._unpooled((back @ weights[4].T).reshape(pooled_two.shape), two, pooled_two) * (two > 0)
        slopes += [back.sum((0, 1, 2)), self._kernel_slope(second, back, weights[2].shape)]
        # The derivative by what goes in: a convolution with the kernel turned round.
        turned = weights[2][::-1, ::-1].transpose(0, 1, 3, 2).reshape(-1, 32)
        back = self._unpooled(self._patches(back) @ turned, one, pooled_one) * (one > 0)
        slopes += [back.sum((0, 1, 2)), self._kernel_slope(first, back, weights[0].shape)]
        return loss, slopes[::-1]

    def _loss(self, scores, digits):
        numpy = self._numpy
        lowered = scores - scores.max(1, keepdims=True)
        powers = numpy.exp(lowered)
        total = powers.sum(1, keepdims=True)
        chosen = (numpy.arange(len(digits)), digits)
        loss = float((numpy.log(total[:, 0]) - lowered[chosen]).mean())
        back = powers / total
        back[chosen] -= 1
        return loss, back / numpy.float32(len(digits))

    def _patches(self, pictures):
        """The 5 x 5 surroundings of every place, as (count, rows, columns, 25 * channels)."""
        numpy = self._numpy
        wide = numpy.pad(pictures, ((0, 0), (2, 2), (2, 2), (0, 0)), "constant")
        count, rows, columns, channels = pictures.shape
        a, b, c, d = wide.strides
        shape = (count, rows, columns, 5, 5, channels)
        seen = numpy.lib.stride_tricks.as_strided(wide, shape, (a, b, c, b, c, d), writeable=False)
        return seen.reshape(count, rows, columns, 25 * channels)

    def _kernel_slope(self, patches, back, shape):
        return (patches.reshape(-1, patches.shape[-1]).T @ back.reshape(-1, back.shape[-1])).reshape(shape)

    def _pooled(self, pictures):
        count, rows, columns, channels = pictures.shape
        return pictures.reshape(count, rows // 2, 2, columns // 2, 2, channels).max((2, 4))

    def _unpooled(self, back, pictures, pooled):
        """To where the maximum came from. Where several are equal, they are 0, and learn nothing in any case."""
        count, rows, columns, channels = pictures.shape
        tiles = pictures.reshape(count, rows // 2, 2, columns // 2, 2, channels)
        spread = (tiles == pooled[:, :, None, :, None, :]) * back[:, :, None, :, None, :]
        return spread.reshape(pictures.shape)
