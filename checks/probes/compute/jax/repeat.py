"""Operations of JAX again and again.

Those that XLA compiles to scatters, of which its documents say that they vary on GPUs unless
``--xla_gpu_deterministic_ops`` is set, or whose algorithm it chooses by trying; and those that every network has.
"""

from .. import repeat
from ..bits import inputs
from . import device as jax_device

SEED = 20


def stage(argument, clock):
    """The facts of the kind "repeat"."""
    import jax

    named = {"framework": "jax", "device": argument["device"], "setting": argument.get("setting", "default")}
    operations = _Operations(jax, jax_device.of(jax, argument["device"])).all()
    yield from repeat.stage(named, operations, argument, clock)


class _Operations:
    """Each draws its inputs, and returns what is to be repeated."""

    def __init__(self, jax, device):
        self._jax, self._device, self._stream = jax, device, 0

    def all(self):
        """Id, dtype, terms, maker; the most telling first."""
        for name, terms, make in (
            ("segment-sum", 1024, self._segment_sum),
            ("scatter-add", 1024, self._scatter_add),
            ("gather-backward", 512, self._gather_backward),
            ("max-pool2d-backward", 9, self._pool_backward),
            ("conv2d-backward", 4096, self._conv2d_backward),
            ("interpolate-bilinear-backward", 16, lambda: self._resize_backward("bilinear")),
            ("interpolate-nearest-backward", 16, lambda: self._resize_backward("nearest")),
            ("bias-add-backward", 65536, self._bias_add_backward),
            ("cross-entropy-backward", 256, self._cross_entropy_backward),
            ("bincount-weights", 1024, self._bincount),
            ("matmul", 256, self._matmul),
            ("sum", 262144, self._sum),
            ("cumsum", 131072, self._cumsum),
            ("sort", None, self._sort),
            ("dropout", None, self._dropout),
        ):
            yield name, "float32", terms, make

    def _numbers(self, *shape):
        self._stream += 1
        return inputs.jax_uniform(self._jax, shape, "float32", self._stream, self._device)

    def _places(self, limit, *shape):
        self._stream += 1
        return inputs.jax_integers(self._jax, shape, limit, self._stream, self._device)

    def _forward(self, function, *operands):
        import numpy as np

        compiled = self._jax.jit(function)
        return lambda: [np.asarray(compiled(*operands))]

    def _backward(self, function, *operands):
        """The slopes of a function by each of these; what comes back from above is drawn, too."""
        import numpy as np

        above = self._numbers(*self._jax.eval_shape(function, *operands).shape)
        compiled = self._jax.jit(lambda above, *operands: self._jax.vjp(function, *operands)[1](above))
        return lambda: [np.asarray(each) for each in compiled(above, *operands)]

    def _segment_sum(self):
        places = self._places(64, 65536)
        return self._forward(
            lambda numbers: self._jax.ops.segment_sum(numbers, places, num_segments=64), self._numbers(65536, 4)
        )

    def _scatter_add(self):
        places = self._places(64, 65536)
        return self._forward(self._jax.numpy.zeros(64, "float32").at[places].add, self._numbers(65536))

    def _gather_backward(self):
        places = self._places(64, 32768)
        return self._backward(lambda table: table[places], self._numbers(64, 8))

    def _pool_backward(self):
        lax, least = self._jax.lax, -self._jax.numpy.inf
        return self._backward(
            lambda pictures: lax.reduce_window(pictures, least, lax.max, (1, 3, 3, 1), (1, 1, 1, 1), "SAME"),
            self._numbers(4, 32, 32, 16),
        )

    def _conv2d_backward(self):
        names = ("NHWC", "HWIO", "NHWC")
        return self._backward(
            lambda pictures, kernel: self._jax.lax.conv_general_dilated(
                pictures, kernel, (1, 1), "SAME", dimension_numbers=names
            ),
            self._numbers(4, 32, 32, 16),
            self._numbers(3, 3, 16, 16),
        )

    def _resize_backward(self, method):
        return self._backward(
            lambda pictures: self._jax.image.resize(pictures, (2, 128, 128, 4), method), self._numbers(2, 32, 32, 4)
        )

    def _bias_add_backward(self):
        pictures = self._numbers(16, 64, 64, 8)
        return self._backward(lambda bias: pictures + bias, self._numbers(8))

    def _cross_entropy_backward(self):
        jax, digits = self._jax, self._places(256, 512)

        def losses(scores):
            return -jax.numpy.take_along_axis(jax.nn.log_softmax(scores), digits[:, None], 1)[:, 0]

        return self._backward(losses, self._numbers(512, 256))

    def _bincount(self):
        places = self._places(64, 65536)
        return self._forward(lambda weights: self._jax.numpy.bincount(places, weights, length=64), self._numbers(65536))

    def _matmul(self):
        return self._forward(lambda left, right: left @ right, self._numbers(256, 256), self._numbers(256, 256))

    def _sum(self):
        return self._forward(lambda numbers: numbers.sum(), self._numbers(262144))

    def _cumsum(self):
        return self._forward(self._jax.numpy.cumsum, self._numbers(131072))

    def _sort(self):
        return self._forward(self._jax.numpy.argsort, self._numbers(65536))

    def _dropout(self):
        random = self._jax.random
        return self._forward(
            lambda numbers: numbers * random.bernoulli(random.PRNGKey(SEED), 0.5, numbers.shape), self._numbers(65536)
        )
