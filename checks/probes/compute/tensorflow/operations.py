"""The operations of ..operations in TensorFlow."""

EPSILON = 1e-5  # of the layer norm, as in PyTorch


def ways(tf, is_channels_first=False):
    """Operation -> how TensorFlow computes it. Pictures come with their channels first, and are usual there last."""
    layout = "NCHW" if is_channels_first else "NHWC"

    def conv(pictures, kernels):
        return tf.nn.conv2d(pictures, tf.transpose(kernels, (2, 3, 1, 0)), 1, "SAME", data_format=layout)

    def pooled(pictures):
        return tf.nn.max_pool2d(tf.nn.relu(pictures), 2, 2, "VALID", data_format=layout)

    def into(pictures):
        return pictures if is_channels_first else tf.transpose(pictures, (0, 2, 3, 1))

    def back(pictures):
        return pictures if is_channels_first else tf.transpose(pictures, (0, 3, 1, 2))

    def attention(queries, keys, values):
        root = tf.sqrt(tf.cast(queries.shape[-1], queries.dtype))
        return tf.matmul(tf.nn.softmax(tf.matmul(queries, keys, transpose_b=True) / root), values)

    def layer_norm(row):
        mean, variance = tf.nn.moments(row, (-1,), keepdims=True)
        return (row - mean) / tf.sqrt(variance + EPSILON)

    def network(pictures, one, two, dense):
        kept = back(pooled(conv(pooled(conv(into(pictures), one)), two)))
        return tf.matmul(tf.reshape(kept, (kept.shape[0], -1)), dense, transpose_b=True)

    return {
        "matmul": tf.matmul,
        "conv2d": lambda pictures, kernels: back(conv(into(pictures), kernels)),
        "linear": lambda rows, weights, bias: tf.matmul(rows, weights, transpose_b=True) + bias,
        "attention": attention,
        "softmax": lambda row: tf.nn.softmax(row * 8),
        "layer-norm": layer_norm,
        "network": network,
        "sum": lambda row: tf.reshape(tf.reduce_sum(row), (1,)),
        "row-sum": lambda rows: tf.reduce_sum(rows, -1),
        "exp": lambda row: tf.exp(row * 8),
        "tanh": lambda row: tf.tanh(row * 8),
        "erf": lambda row: tf.math.erf(row * 4),
    }
