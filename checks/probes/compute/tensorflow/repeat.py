"""Operations of TensorFlow again and again.

Those that its documents on determinism name: RFC 20210119 "Enhancing determinism in TensorFlow", and the notes of the
releases 2.1, 2.7 and 2.8; and those that every network has.
"""

import functools

from .. import repeat
from ..bits import inputs

SEED = 20


def stage(argument, clock):
    """The facts of the kind "repeat"."""
    import tensorflow as tf

    device = argument["device"]
    named = {"framework": "tensorflow", "device": device, "setting": argument.get("setting", "default")}
    with tf.device("/" + device):
        yield from repeat.stage(named, _Operations(tf, device).all(), argument, clock)


class _Operations:
    """Each draws its inputs, and returns what is to be repeated."""

    def __init__(self, tf, device):
        self._tf, self._device, self._stream = tf, device, 0

    def all(self):
        """Id, dtype, terms, maker; the most telling first."""
        tf, numbers, places = self._tf, self._numbers, self._places
        # Id, terms, by how many of its last inputs the slopes are taken (0: it is no backward pass), inputs, function.
        for name, terms, leaves, draw, function in (
            ("unsorted-segment-sum", 1024, 0, lambda: (numbers(65536, 4), places(64, 65536)),
             lambda rows, to: tf.math.unsorted_segment_sum(rows, to, 64)),
            ("segment-sum", 1024, 0, lambda: (numbers(65536, 4), tf.sort(places(64, 65536))),
             tf.math.segment_sum),
            ("gather-backward", 512, 1, lambda: (places(64, 32768), numbers(64, 8)),
             lambda of, table: tf.gather(table, of)),
            ("scatter-add", 1024, 0, lambda: (numbers(65536), places(64, 65536, 1)),
             lambda rows, to: tf.scatter_nd(to, rows, (64,))),
            ("bias-add-backward", 65536, 1, lambda: (numbers(16, 64, 64, 8), numbers(8)),
             tf.nn.bias_add),
            ("conv2d-backward", 4096, 2, lambda: (numbers(4, 32, 32, 16), numbers(3, 3, 16, 16)),
             lambda pictures, kernel: tf.nn.conv2d(pictures, kernel, 1, "SAME")),
            ("interpolate-bilinear-backward", 16, 1, lambda: (numbers(2, 32, 32, 4),),
             lambda pictures: tf.image.resize(pictures, (128, 128), "bilinear")),
            ("interpolate-nearest-backward", 16, 1, lambda: (numbers(2, 32, 32, 4),),
             lambda pictures: tf.image.resize(pictures, (128, 128), "nearest")),
            ("crop-and-resize-backward", 64, 1, lambda: (tf.abs(numbers(64, 4)), places(2, 64), numbers(2, 32, 32, 4)),
             lambda boxes, which, pictures: tf.image.crop_and_resize(pictures, boxes, which, (16, 16))),
            ("depthwise-conv2d-backward", 4096, 2, lambda: (numbers(4, 32, 32, 16), numbers(3, 3, 16, 1)),
             lambda pictures, kernel: tf.nn.depthwise_conv2d(pictures, kernel, (1, 1, 1, 1), "SAME")),
            ("cross-entropy-backward", 256, 1, lambda: (places(256, 512), numbers(512, 256)),
             lambda digits, scores: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=digits, logits=scores)),
            ("sparse-mm", 256, 0, self._sparse_and_dense,
             tf.sparse.sparse_dense_matmul),
            ("max-pool2d-backward", 1, 1, lambda: (numbers(4, 32, 32, 16),),
             lambda pictures: tf.nn.max_pool2d(pictures, 3, 1, "SAME")),
            ("matmul", 256, 0, lambda: (numbers(256, 256), numbers(256, 256)), tf.matmul),
            ("sum", 262144, 0, lambda: (numbers(262144),), tf.reduce_sum),
            ("cumsum", 131072, 0, lambda: (numbers(131072),), tf.cumsum),
            ("dropout", None, 0, lambda: (numbers(65536),), self._dropout),
        ):  # fmt: skip
            yield name, "float32", terms, functools.partial(self._prepared, leaves, draw, function)

    def _prepared(self, leaves, draw, function):
        """What is to be repeated; what comes back from above into a backward pass is drawn, too."""
        tf, operands = self._tf, draw()
        if not leaves:
            return lambda: [function(*operands).numpy()]
        above = self._numbers(*function(*operands).shape)

        def call():
            with tf.GradientTape() as tape:
                tape.watch(operands[-leaves:])
                result = function(*operands)
            slopes = tape.gradient(result, operands[-leaves:], above)
            return [tf.convert_to_tensor(slope).numpy() for slope in slopes]

        return call

    def _numbers(self, *shape):
        self._stream += 1
        return inputs.tensorflow_uniform(self._tf, shape, "float32", self._stream, "/" + self._device)

    def _places(self, limit, *shape):
        self._stream += 1
        return inputs.tensorflow_integers(self._tf, shape, limit, self._stream, "/" + self._device, "int32")

    def _sparse_and_dense(self):
        tf, dense = self._tf, self._numbers(256, 64)
        filled = self._numbers(256, 256) * tf.cast(self._places(4, 256, 256) == 0, "float32")
        with tf.device("/CPU:0"):  # where there is no other kernel that finds what is not zero
            return tf.sparse.from_dense(filled), dense

    def _dropout(self, numbers):
        self._tf.random.set_seed(SEED)
        return self._tf.nn.dropout(numbers, 0.5)
