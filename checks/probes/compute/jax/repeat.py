"""Operations of JAX again and again.

Those that XLA compiles to scatters, of which its documents say that they vary on GPUs unless
``--xla_gpu_deterministic_ops`` is set, or whose algorithm it chooses by trying; and those that every network has.
"""

import functools

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
        jax, jnp, lax, numbers, places = self._jax, self._jax.numpy, self._jax.lax, self._numbers, self._places
        channels_last, random = ("NHWC", "HWIO", "NHWC"), self._jax.random

        def losses(digits, scores):
            return -jnp.take_along_axis(jax.nn.log_softmax(scores), digits[:, None], 1)[:, 0]

        # Id, terms, how many of the first inputs are constants, whether the slopes by the others are taken, inputs,
        # function.
        for name, terms, fixed, is_backward, draw, function in (
            ("segment-sum", 1024, 1, False, lambda: (places(64, 65536), numbers(65536, 4)),
             lambda to, rows: jax.ops.segment_sum(rows, to, num_segments=64)),
            ("scatter-add", 1024, 1, False, lambda: (places(64, 65536), numbers(65536)),
             lambda to, rows: jnp.zeros(64, "float32").at[to].add(rows)),
            ("gather-backward", 512, 1, True, lambda: (places(64, 32768), numbers(64, 8)), lambda of, table: table[of]),
            ("max-pool2d-backward", 9, 0, True, lambda: (numbers(4, 32, 32, 16),),
             lambda pictures: lax.reduce_window(pictures, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 1, 1, 1), "SAME")),
            ("conv2d-backward", 4096, 0, True, lambda: (numbers(4, 32, 32, 16), numbers(3, 3, 16, 16)),
             lambda pictures, kernel: lax.conv_general_dilated(
                 pictures, kernel, (1, 1), "SAME", dimension_numbers=channels_last)),
            ("interpolate-bilinear-backward", 16, 0, True, lambda: (numbers(2, 32, 32, 4),),
             lambda pictures: jax.image.resize(pictures, (2, 128, 128, 4), "bilinear")),
            ("interpolate-nearest-backward", 16, 0, True, lambda: (numbers(2, 32, 32, 4),),
             lambda pictures: jax.image.resize(pictures, (2, 128, 128, 4), "nearest")),
            ("bias-add-backward", 65536, 1, True, lambda: (numbers(16, 64, 64, 8), numbers(8)),
             lambda pictures, bias: pictures + bias),
            ("cross-entropy-backward", 256, 1, True, lambda: (places(256, 512), numbers(512, 256)), losses),
            ("bincount-weights", 1024, 1, False, lambda: (places(64, 65536), numbers(65536)),
             lambda to, weights: jnp.bincount(to, weights, length=64)),
            ("matmul", 256, 0, False, lambda: (numbers(256, 256), numbers(256, 256)), lambda one, other: one @ other),
            ("sum", 262144, 0, False, lambda: (numbers(262144),), lambda row: row.sum()),
            ("cumsum", 131072, 0, False, lambda: (numbers(131072),), jnp.cumsum),
            ("sort", None, 0, False, lambda: (numbers(65536),), jnp.argsort),
            ("dropout", None, 0, False, lambda: (numbers(65536),),
             lambda row: row * random.bernoulli(random.PRNGKey(SEED), 0.5, row.shape)),
        ):  # fmt: skip
            yield name, "float32", terms, functools.partial(self._prepared, fixed, is_backward, draw, function)

    def _prepared(self, fixed, is_backward, draw, function):
        """What is to be repeated; what comes back from above into a backward pass is drawn, too."""
        import numpy as np

        drawn = draw()
        function, operands = functools.partial(function, *drawn[:fixed]), drawn[fixed:]
        if not is_backward:
            compiled = self._jax.jit(function)
            return lambda: [np.asarray(compiled(*operands))]
        above = self._numbers(*self._jax.eval_shape(function, *operands).shape)
        compiled = self._jax.jit(lambda above, *operands: self._jax.vjp(function, *operands)[1](above))
        return lambda: [np.asarray(slope) for slope in compiled(above, *operands)]

    def _numbers(self, *shape):
        self._stream += 1
        return inputs.jax_uniform(self._jax, shape, "float32", self._stream, self._device)

    def _places(self, limit, *shape):
        self._stream += 1
        return inputs.jax_integers(self._jax, shape, limit, self._stream, self._device)
