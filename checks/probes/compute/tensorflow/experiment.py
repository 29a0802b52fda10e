"""The articles' experiments in TensorFlow, about which they are."""

from .. import experiments
from ..bits import fingerprint


def stage(argument, clock):
    """The facts of the kind "experiment"."""
    import tensorflow as tf

    named = experiments.named("tensorflow", argument)
    with tf.device("/" + argument["device"]):
        yield from experiments.sums(named, _ways(tf), clock)
        yield from experiments.network(named, lambda: Network(tf), clock)


def _ways(tf):
    import numpy as np

    for dtype in ("float64", "float32"):
        terms = tf.constant(experiments.numpy_terms(np, dtype))
        yield "sum-of-squares", dtype, "", lambda terms=terms: float(tf.reduce_sum(terms * terms))
        yield "sum-of-squares-dot", dtype, "", lambda terms=terms: float(tf.tensordot(terms, terms, 1))
        yield "sum-of-squares-reversed", dtype, "", lambda terms=terms: float(tf.reduce_sum((terms * terms)[::-1]))
        yield "sum-of-squares-running", dtype, "", lambda terms=terms: float(tf.cumsum(terms * terms)[-1])


class Network:
    """The network of TensorFlow's own functions, on the device of the ``with`` block around it."""

    def __init__(self, tf, rate=experiments.RATE, seed=experiments.SEED):
        import numpy as np

        self._tf, self._numpy, self._rate, self._seed = tf, np, rate, seed
        self._weights = list(experiments.numpy_weights(np))
        self._now = [tf.Variable(weight) for weight in self._weights]
        self._moving = [tf.Variable(np.zeros_like(weight)) for weight in self._weights]
        self._pictures, self._digits = self._set(experiments.PICTURES, 0)
        self._judged = self._set(experiments.VALIDATION, 1)
        self._judging = tf.function(lambda: self._forward(*self._judged, training=False))

    def _set(self, count, which):
        return [self._tf.constant(numpy_digit) for numpy_digit in experiments.numpy_digits(self._numpy, count, which)]

    def begin(self):
        """As at the start of a program."""
        self._tf.random.set_seed(self._seed)
        for now, moving, weight in zip(self._now, self._moving, self._weights):
            now.assign(weight)
            moving.assign(self._numpy.zeros_like(weight))
        # Anew, since the random numbers of a function go on where its last call left them.
        self._learning = self._tf.function(self._learned)

    def step(self, number):
        """Learn from a batch; the loss."""
        chosen = experiments.batch(number)
        return float(self._learning(self._pictures[chosen], self._digits[chosen]))

    def judge(self):
        """Wrong digits, and the loss."""
        loss, scores = self._judging()
        wrong = self._numpy.argmax(scores.numpy(), 1) != self._judged[1].numpy()
        return int(wrong.sum()), float(loss)

    def fingerprint(self):
        """Of all weights."""
        weights = self._numpy.concatenate([weight.numpy().ravel() for weight in self._now])
        return fingerprint.numpy_fingerprint(self._numpy, weights)

    def _learned(self, pictures, digits):
        with self._tf.GradientTape() as tape:
            loss, _ = self._forward(pictures, digits, training=True)
        for weight, moving, slope in zip(self._now, self._moving, tape.gradient(loss, self._now)):
            moving.assign(experiments.MOMENTUM * moving + slope)
            weight.assign_sub(self._rate * moving)
        return loss

    def _forward(self, pictures, digits, training):
        nn, weights = self._tf.nn, self._now
        one = nn.relu(nn.bias_add(nn.conv2d(pictures, weights[0], 1, "SAME"), weights[1]))
        one = nn.max_pool2d(one, 2, 2, "SAME")
        two = nn.relu(nn.bias_add(nn.conv2d(one, weights[2], 1, "SAME"), weights[3]))
        two = nn.max_pool2d(two, 2, 2, "SAME")
        dense = nn.relu(nn.bias_add(self._tf.matmul(self._tf.reshape(two, (-1, 7 * 7 * 64)), weights[4]), weights[5]))
        dense = nn.dropout(dense, experiments.DROPOUT) if training else dense
        scores = nn.bias_add(self._tf.matmul(dense, weights[6]), weights[7])
        losses = nn.sparse_softmax_cross_entropy_with_logits(labels=digits, logits=scores)
        return self._tf.reduce_mean(losses), scores
