"""Operations of TensorFlow again and again.

Those that its documents on determinism name: RFC 20210119 "Enhancing determinism in TensorFlow", and the notes of the
releases 2.1, 2.7 and 2.8; and those that every network has.
"""

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
        for name, terms, make in (
            ("unsorted-segment-sum", 1024, self._unsorted_segment_sum),
            ("segment-sum", 1024, self._segment_sum),
            ("gather-backward", 512, self._gather_backward),
            ("scatter-add", 1024, self._scatter_add),
            ("bias-add-backward", 65536, self._bias_add_backward),
            ("conv2d-backward", 4096, self._conv2d_backward),
            ("interpolate-bilinear-backward", 16, lambda: self._resize_backward("bilinear")),
            ("interpolate-nearest-backward", 16, lambda: self._resize_backward("nearest")),
            ("crop-and-resize-backward", 64, self._crop_backward),
            ("depthwise-conv2d-backward", 4096, self._depthwise_backward),
            ("cross-entropy-backward", 256, self._cross_entropy_backward),
            ("sparse-mm", 256, self._sparse_product),
            ("max-pool2d-backward", 1, self._pool_backward),
            ("matmul", 256, self._matmul),
            ("sum", 262144, self._sum),
            ("cumsum", 131072, self._cumsum),
            ("dropout", None, self._dropout),
        ):
            yield name, "float32", terms, make

    def _numbers(self, *shape):
        self._stream += 1
        return inputs.tensorflow_uniform(self._tf, shape, "float32", self._stream, "/" + self._device)

    def _places(self, limit, *shape):
        self._stream += 1
        return inputs.tensorflow_integers(self._tf, shape, limit, self._stream, "/" + self._device, "int32")

    def _backward(self, function, *operands):
        """The slopes of a function by each of these, as arrays; what comes back from above is drawn, too."""
        tf = self._tf
        above = self._numbers(*function(*operands).shape)

        def call():
            with tf.GradientTape() as tape:
                tape.watch(operands)
                result = function(*operands)
            return [tf.convert_to_tensor(each).numpy() for each in tape.gradient(result, operands, above)]

        return call

    def _unsorted_segment_sum(self):
        numbers, places = self._numbers(65536, 4), self._places(64, 65536)
        return lambda: [self._tf.math.unsorted_segment_sum(numbers, places, 64).numpy()]

    def _segment_sum(self):
        numbers, places = self._numbers(65536, 4), self._tf.sort(self._places(64, 65536))
        return lambda: [self._tf.math.segment_sum(numbers, places).numpy()]

    def _gather_backward(self):
        places = self._places(64, 32768)
        return self._backward(lambda table: self._tf.gather(table, places), self._numbers(64, 8))

    def _scatter_add(self):
        numbers, places = self._numbers(65536), self._places(64, 65536, 1)
        return lambda: [self._tf.scatter_nd(places, numbers, (64,)).numpy()]

    def _bias_add_backward(self):
        pictures = self._numbers(16, 64, 64, 8)
        return self._backward(lambda bias: self._tf.nn.bias_add(pictures, bias), self._numbers(8))

    def _conv2d_backward(self):
        return self._backward(
            lambda pictures, kernel: self._tf.nn.conv2d(pictures, kernel, 1, "SAME"),
            self._numbers(4, 32, 32, 16),
            self._numbers(3, 3, 16, 16),
        )

    def _resize_backward(self, method):
        return self._backward(
            lambda pictures: self._tf.image.resize(pictures, (128, 128), method), self._numbers(2, 32, 32, 4)
        )

    def _crop_backward(self):
        boxes = self._tf.abs(self._numbers(64, 4))
        which = self._places(2, 64)
        return self._backward(
            lambda pictures: self._tf.image.crop_and_resize(pictures, boxes, which, (16, 16)),
            self._numbers(2, 32, 32, 4),
        )

    def _depthwise_backward(self):
        return self._backward(
            lambda pictures, kernel: self._tf.nn.depthwise_conv2d(pictures, kernel, (1, 1, 1, 1), "SAME"),
            self._numbers(4, 32, 32, 16),
            self._numbers(3, 3, 16, 1),
        )

    def _cross_entropy_backward(self):
        nn, digits = self._tf.nn, self._places(256, 512)
        return self._backward(
            lambda scores: nn.sparse_softmax_cross_entropy_with_logits(labels=digits, logits=scores),
            self._numbers(512, 256),
        )

    def _sparse_product(self):
        tf, dense = self._tf, self._numbers(256, 64)
        filled = self._numbers(256, 256) * tf.cast(self._places(4, 256, 256) == 0, "float32")
        with tf.device("/CPU:0"):  # where there is no other kernel that finds what is not zero
            sparse = tf.sparse.from_dense(filled)
        return lambda: [tf.sparse.sparse_dense_matmul(sparse, dense).numpy()]

    def _pool_backward(self):
        return self._backward(
            lambda pictures: self._tf.nn.max_pool2d(pictures, 3, 1, "SAME"), self._numbers(4, 32, 32, 16)
        )

    def _matmul(self):
        left, right = self._numbers(256, 256), self._numbers(256, 256)
        return lambda: [self._tf.matmul(left, right).numpy()]

    def _sum(self):
        numbers = self._numbers(262144)
        return lambda: [self._tf.reduce_sum(numbers).numpy()]

    def _cumsum(self):
        numbers = self._numbers(131072)
        return lambda: [self._tf.cumsum(numbers).numpy()]

    def _dropout(self):
        numbers = self._numbers(65536)

        def call():
            self._tf.random.set_seed(SEED)
            return [self._tf.nn.dropout(numbers, 0.5).numpy()]

        return call
