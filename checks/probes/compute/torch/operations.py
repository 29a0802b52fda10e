"""The operations that are repeated, the most telling first.

``OPERATIONS``: for each its id (resources/knowledge/frameworks/computations.toml), its dtype, what of torch it needs,
whether its results are exact where its inputs are small whole numbers, and a function that draws the inputs and returns
what is to be repeated: a callable without arguments that returns the resulting tensors.

The suite is one table, and longer than other modules for that. Sizes provoke what is asked about: many numbers meet in
few places. They are of a processor; ``Drawn.scale`` multiplies the numbers that one call goes through.
"""

import math
import warnings

from ..bits import inputs

OPERATIONS = []
DRAWN = 1 << 16  # numbers that are drawn once; larger inputs hold them again and again
CUDNN = ("cudnn-deterministic", "cudnn-off")


class Operation:
    """One operation of the suite. ``terms``: how many numbers are added up for one element, at scale 1."""

    def __init__(self, name, dtype, make, needs, exact, terms, settings):
        self.name, self.dtype, self.make = name, dtype, make
        self.needs, self.exact, self.terms, self.settings = needs, exact, terms, settings


def operation(name, dtype="float32", needs="", exact=False, terms=None, settings=()):
    """Add a function to the suite. ``settings``: single ones that may mend it, beside the deterministic mode."""

    def added(make):
        OPERATIONS.append(Operation(name, dtype, make, needs, exact, terms, settings))
        return make

    return added


def forward(name, inputs, function, *dtype, **options):
    """Add an operation whose results are repeated. ``inputs(on)``: drawn; ``function(on, *inputs)``: the results."""

    def make(on):
        drawn = inputs(on)

        def call():
            results = function(on, *drawn)
            return results if isinstance(results, tuple) else (results,)

        return call

    operation(name, *dtype, **options)(make)


def backward(name, inputs, function, *dtype, **options):
    """Add an operation whose backward pass is repeated, by all inputs that get a gradient."""

    def make(on):
        drawn = inputs(on)
        leaves = [tensor for tensor in drawn if tensor.requires_grad]
        return on.gradients(lambda: function(on, *drawn), *leaves)

    operation(name, *dtype, **options)(make)


def loss(name, inputs, function, **options):
    """Add a loss, repeated with the gradient of its first input."""

    def make(on):
        drawn = inputs(on)
        return on.loss(lambda: function(on, *drawn), drawn[0])

    operation(name, **options)(make)


class Pool:
    """Portable numbers on one device, drawn once, since to draw takes longer than most operations."""

    def __init__(self, torch, device):
        self.torch, self.device = torch, device
        # Twice each, so that most inputs are one piece of them.
        self._reals = inputs.torch_uniform(torch, (DRAWN,), torch.float32, 1, device).repeat(2)
        self._whole = inputs.torch_integers(torch, (DRAWN,), 1 << 30, 2, device).repeat(2)

    def reals(self, shape, place):
        """Numbers from -1 to 1, from another place for each input."""
        return self._taken(self._reals, shape, place)

    def whole(self, shape, place):
        """Whole numbers from 0 to less than 2^30."""
        return self._taken(self._whole, shape, place)

    def _taken(self, drawn, shape, place):
        count = 1
        for length in shape:
            count *= length
        first = place * 7919 % DRAWN
        if first + count > len(drawn):
            drawn = drawn.repeat(-(-(first + count) // len(drawn)))
        return drawn[first : first + count].clone().reshape(shape)


class Drawn:
    """The inputs of one operation: portable ones, the same on every machine.

    ``exact``: whole numbers from -4 to 4 instead, so small that no sum of them is rounded: in whatever order they are
    added up, the result is the same.
    """

    def __init__(self, pool, scale=1.0, exact=False, dtype="float32"):
        self.torch, self.device, self.scale, self.exact, self.dtype = pool.torch, pool.device, scale, exact, dtype
        self._pool, self._place = pool, 0

    @property
    def nn(self):
        """The functions of torch.nn.functional."""
        return self.torch.nn.functional

    def many(self, count):
        """So many, as the scale wants them."""
        return max(1, int(count * self.scale))

    def side(self, count):
        """The length of one of two sides that grow together."""
        return max(1, int(count * math.sqrt(self.scale)))

    def reals(self, *shape, **more):
        """Numbers from -1 to 1 of the operation's dtype. ``grad``: they get a gradient."""
        self._place += 1
        if self.exact:
            drawn = self._pool.whole(shape, self._place).remainder(9).sub(4)
        else:
            drawn = self._pool.reals(shape, self._place)
        drawn = drawn.to(getattr(self.torch, self.dtype))
        return drawn.requires_grad_() if more.get("grad") else drawn

    def whole(self, *shape, **more):
        """Whole numbers from 0 to less than ``below``."""
        self._place += 1
        return self._pool.whole(shape, self._place).remainder(more["below"])

    def zeros(self, *shape):
        """Zeros of the operation's dtype."""
        return self.torch.zeros(shape, dtype=getattr(self.torch, self.dtype), device=self.device)

    def gradients(self, forward, *leaves):
        """What is to be repeated for a backward pass: forward, then the gradients of the leaves."""
        torch = self.torch
        with torch.no_grad():
            from_above = self.reals(*forward().shape)
        return lambda: torch.autograd.grad(forward(), leaves, from_above)

    def loss(self, forward, leaf):
        """What is to be repeated of a loss: its value and its gradient."""
        torch = self.torch

        def both():
            loss = forward()
            return (loss.detach(), *torch.autograd.grad(loss, (leaf,)))

        return both


# --- inputs of several operations -------------------------------------------------------------------------------------


def _few_places(count, *width):
    """Numbers, or rows of them, the places among 64 to which they go, and what is there."""
    return lambda on: (on.reals(on.many(count), *width), on.whole(on.many(count), below=64), on.zeros(64, *width))


def _weighted(count, below, *shape):
    return lambda on: (on.whole(on.many(count), below=below), on.reals(*shape, grad=True))


def _real(*shape, **more):
    return lambda on: (on.reals(on.many(shape[0]), *shape[1:], **more),)


def _whole(*shape, below=100):
    return lambda on: (on.whole(on.many(shape[0]), *shape[1:], below=below),)


def _squares(on):
    return on.reals(on.side(256), on.side(256)), on.reals(on.side(256), 256)


def _heads(grad=False):
    return lambda on: [on.reals(on.many(2), 4, 256, 64, grad=grad) for _ in range(3)]


SDPA = "nn.functional.scaled_dot_product_attention"  # 2.0

# --- many numbers are added to few places -----------------------------------------------------------------------------

forward(
    "index-add", _few_places(32768, 8), lambda _on, source, index, base: base.index_add(0, index, source), exact=True,
    terms=512
)  # fmt: skip
forward(
    "scatter-add", _few_places(65536), lambda _on, source, index, base: base.scatter_add(0, index, source), exact=True,
    terms=1024
)  # fmt: skip
forward(
    "index-put-accumulate", _few_places(65536),
    lambda _on, source, index, base: base.index_put((index,), source, accumulate=True), exact=True, terms=1024
)  # fmt: skip
backward(
    "embedding-backward", _weighted(2048, 32, 32, 64), lambda on, words, weight: on.nn.embedding(words, weight),
    exact=True, terms=64
)  # fmt: skip
backward(
    "conv2d-backward", lambda on: (on.reals(on.many(4), 16, 32, 32, grad=True), on.reals(32, 16, 3, 3, grad=True)),
    lambda on, data, weight: on.nn.conv2d(data, weight, padding=1), exact=True, terms=4096, settings=CUDNN
)  # fmt: skip
backward(
    "interpolate-bilinear-backward", _real(4, 8, 16, 16, grad=True),
    lambda on, data: on.nn.interpolate(data, size=(61, 61), mode="bilinear", align_corners=False), terms=16
)  # fmt: skip


@operation("ctc-loss-backward", terms=64)
def _ctc_loss_backward(on):
    steps, batch, labels = 64, on.many(16), 16
    data, targets = on.reals(steps, batch, 32, grad=True), on.whole(batch, labels, below=31).add(1)
    full = on.torch.full((batch,), steps, dtype=on.torch.long, device=on.device)
    lengths = on.torch.full((batch,), labels, dtype=on.torch.long, device=on.device)
    return on.loss(lambda: on.nn.ctc_loss(on.nn.log_softmax(data, 2), targets, full, lengths), data)


backward(
    "grid-sample-backward",
    lambda on: (on.reals(on.many(4), 8, 8, 8, grad=True), on.reals(on.many(4), 48, 48, 2, grad=True)),
    lambda on, data, grid: on.nn.grid_sample(data, grid, align_corners=False), terms=16
)  # fmt: skip
backward(
    "attention-backward", _heads(grad=True), lambda on, *heads: on.nn.scaled_dot_product_attention(*heads), "float16",
    SDPA, terms=256, settings=("attention-math",)
)  # fmt: skip


def _recurrent(name, layer):
    """A layer of two levels, with portable weights."""

    @operation(name, terms=128, settings=("cudnn-off",))
    def _make(on):
        recurrent = getattr(on.torch.nn, layer)(32, 64, num_layers=2).to(device=on.device)
        with on.torch.no_grad():
            for weight in recurrent.parameters():
                weight.copy_(on.reals(*weight.shape) / 8)
        data = on.reals(16, on.many(8), 32, grad=True)
        return on.gradients(lambda: recurrent(data)[0], data, *recurrent.parameters())


_recurrent("lstm-backward", "LSTM")
forward("matmul", _squares, lambda _on, left, right: left @ right, exact=True, terms=256)

# What has one result in whatever order it is computed: if it varies, it is the device.
forward("elementwise", _real(131072), lambda _on, data: data.mul(1.5).add_(0.25).exp_(), terms=1)
forward(
    "integer-sum", _whole(512, 512, below=1 << 20), lambda _on, data: (data.sum(), data.sum(0), data.sum(1)), "int64"
)


def _scatter_reduced(name, how):
    @operation(name, needs="Tensor.scatter_reduce_", terms=512)
    def _make(on):
        count = on.many(32768)
        index = on.whole(count, below=64)
        source = on.reals(count).mul(0.01).add(1) if how == "prod" else on.reals(count)
        base = on.zeros(64).add(1)
        return lambda: (base.scatter_reduce(0, index, source, how),)


_scatter_reduced("scatter-reduce-mean", "mean")
_scatter_reduced("scatter-reduce-prod", "prod")


def _bag(name, mode, terms):
    backward(
        name, lambda on: (on.whole(on.many(256), 16, below=32), on.reals(32, 64, grad=True)),
        lambda on, words, weight: on.nn.embedding_bag(words, weight, mode=mode), exact=True, terms=terms
    )  # fmt: skip


_bag("embedding-bag-backward", "sum", 128)
_bag("embedding-bag-max-backward", "max", 32)
backward(
    "gather-backward", _weighted(32768, 64, 64), lambda _on, index, data: data.gather(0, index), exact=True, terms=512
)
backward(
    "index-select-backward", _weighted(16384, 32, 32, 8), lambda _on, index, data: data.index_select(0, index),
    exact=True, terms=512
)  # fmt: skip
backward("index-backward", _weighted(16384, 32, 32, 8), lambda _on, index, data: data[index], exact=True, terms=512)
backward(
    "index-list-backward",
    lambda on: (on.whole(on.many(65536), below=32), on.whole(on.many(65536), below=8), on.reals(32, 8, grad=True)),
    lambda _on, rows, columns, data: data[rows, columns], exact=True, terms=256
)  # fmt: skip
backward(
    "repeat-interleave-backward", lambda on: (on.reals(32, 8, grad=True), on.whole(32, below=on.many(1024))),
    lambda _on, data, times: data.repeat_interleave(times, dim=0), exact=True, terms=512
)  # fmt: skip
forward(
    "bincount-weights", lambda on: (on.whole(on.many(65536), below=64), on.reals(on.many(65536))),
    lambda on, index, weights: on.torch.bincount(index, weights, minlength=64), exact=True, terms=1024
)  # fmt: skip
forward("histc", _real(65536), lambda on, data: on.torch.histc(data, bins=64, min=-1, max=1))
forward("cumsum", _real(131072), lambda _on, data: data.cumsum(0), terms=131072)
forward(
    "put-accumulate", lambda on: (on.whole(on.many(32768), below=64), on.reals(on.many(32768)), on.zeros(64)),
    lambda _on, index, source, base: base.clone().put_(index, source, accumulate=True), exact=True, terms=512
)  # fmt: skip


def _sparse(on, *shape):
    """A sparse matrix, or a batch of them, many of whose places are drawn more than once."""
    count = on.many(16384)
    places = on.torch.stack([on.whole(count, below=side) for side in shape])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions say that they do not check the places
        return on.torch.sparse_coo_tensor(places, on.reals(count), shape).coalesce()


forward(
    "sparse-bmm", lambda on: (_sparse(on, 4, 256, 256), on.reals(4, 256, 16)),
    lambda on, sparse, dense: on.torch.bmm(sparse, dense), exact=True, terms=256
)  # fmt: skip
forward(
    "sparse-mm", lambda on: (_sparse(on, 256, 256), on.reals(256, 32)),
    lambda on, sparse, dense: on.torch.sparse.mm(sparse, dense), exact=True, terms=256
)  # fmt: skip

# --- several values are written to one place --------------------------------------------------------------------------

forward("index-copy", _few_places(16384, 8), lambda _on, source, index, base: base.index_copy(0, index, source))
forward("index-put", _few_places(65536), lambda _on, source, index, base: base.index_put((index,), source))
forward("scatter", _few_places(65536), lambda _on, source, index, base: base.scatter(0, index, source))

# --- products and convolutions ----------------------------------------------------------------------------------------

forward("matmul-float64", _squares, lambda _on, left, right: left @ right, "float64", exact=True, terms=256)
for _dtype in ("float16", "bfloat16"):  # parts of sums may be rounded to so few digits: also those of whole numbers
    forward("matmul-" + _dtype, _squares, lambda _on, left, right: left @ right, _dtype, terms=256)


@operation("matmul-tf32", exact=True, terms=256)
def _matmul_tf32(on):
    if not on.device.startswith("cuda"):
        raise NotImplementedError("TF32 is a format of CUDA devices")
    (left, right), flags = _squares(on), on.torch.backends.cuda.matmul

    def allowed():
        before, flags.allow_tf32 = flags.allow_tf32, True
        try:
            return (left @ right,)
        finally:
            flags.allow_tf32 = before

    return allowed


forward(
    "matmul-batched", lambda on: (on.reals(on.many(16), 64, 64), on.reals(on.many(16), 64, 64)),
    lambda on, left, right: on.torch.bmm(left, right), exact=True, terms=64
)  # fmt: skip
backward(
    "linear-backward",
    lambda on: (on.reals(on.many(512), 128, grad=True), on.reals(128, 128, grad=True), on.reals(128, grad=True)),
    lambda on, data, weight, bias: on.nn.linear(data, weight, bias), exact=True, terms=512
)  # fmt: skip
forward(
    "addmm", lambda on: (on.reals(on.side(256), on.side(256)), on.reals(on.side(256), 128), on.reals(128)),
    lambda on, left, right, base: on.torch.addmm(base, left, right), exact=True, terms=256
)  # fmt: skip
forward(
    "einsum", lambda on: (on.reals(on.many(8), 32, 4, 32), on.reals(on.many(8), 32, 4, 32)),
    lambda on, left, right: on.torch.einsum("bihd,bjhd->bhij", left, right), exact=True, terms=32
)  # fmt: skip
forward(
    "conv2d", lambda on: (on.reals(on.many(4), 16, 32, 32), on.reals(32, 16, 3, 3)),
    lambda on, data, weight: on.nn.conv2d(data, weight, padding=1), exact=True, terms=144, settings=CUDNN
)  # fmt: skip


def _convolved(name, function, data, weight, **more):
    backward(
        name, lambda on: (on.reals(on.many(data[0]), *data[1:], grad=True), on.reals(*weight, grad=True)),
        lambda on, pictures, kernel: getattr(on.nn, function)(pictures, kernel, **more), exact=True, terms=4096,
        settings=CUDNN
    )  # fmt: skip


_convolved("conv1d-backward", "conv1d", (8, 16, 256), (32, 16, 5))
_convolved("conv3d-backward", "conv3d", (2, 4, 12, 12, 12), (8, 4, 3, 3, 3))
_convolved("conv-transpose1d-backward", "conv_transpose1d", (8, 16, 128), (16, 16, 4), stride=2)
_convolved("conv-transpose2d-backward", "conv_transpose2d", (4, 16, 16, 16), (16, 16, 4, 4), stride=2)
_convolved("conv-transpose3d-backward", "conv_transpose3d", (2, 4, 8, 8, 8), (4, 4, 3, 3, 3), stride=2)

# --- pixels: interpolation, pooling, padding --------------------------------------------------------------------------


def _of_pixels(name, shape, function, exact=True, needs=""):
    inputs = _real(4, 8, *shape, grad=True)
    backward(name, inputs, lambda on, data: function(on.nn, data), exact=exact, needs=needs, terms=64)


def _interpolated(mode, shape, size):
    _of_pixels(
        "interpolate-%s-backward" % mode, shape, lambda nn, data: nn.interpolate(data, size=size, mode=mode),
        exact=mode == "nearest"
    )  # fmt: skip


_interpolated("nearest", (16, 16), (61, 61))
_interpolated("linear", (256,), (1001,))
_interpolated("bicubic", (16, 16), (61, 61))
_interpolated("trilinear", (6, 6, 6), (17, 17, 17))

# Windows that overlap, so that several add to one pixel.
_of_pixels("adaptive-avg-pool2d-backward", (31, 31), lambda nn, data: nn.adaptive_avg_pool2d(data, 20), exact=False)
_of_pixels("adaptive-avg-pool3d-backward", (9, 9, 9), lambda nn, data: nn.adaptive_avg_pool3d(data, 7), exact=False)
_of_pixels("adaptive-max-pool2d-backward", (31, 31), lambda nn, data: nn.adaptive_max_pool2d(data, 20))
_of_pixels("avg-pool3d-backward", (9, 9, 9), lambda nn, data: nn.avg_pool3d(data, 3, 1), exact=False)
_of_pixels("max-pool2d-backward", (31, 31), lambda nn, data: nn.max_pool2d(data, 3, 1))
_of_pixels("max-pool3d-backward", (9, 9, 9), lambda nn, data: nn.max_pool3d(data, 3, 1))
_of_pixels("fractional-max-pool2d-backward", (31, 31), lambda nn, data: nn.fractional_max_pool2d(data, 3, 20))
_of_pixels("fractional-max-pool3d-backward", (9, 9, 9), lambda nn, data: nn.fractional_max_pool3d(data, 2, 6))
_of_pixels("reflection-pad1d-backward", (256,), lambda nn, data: nn.pad(data, (200, 200), "reflect"))
_of_pixels("reflection-pad2d-backward", (16, 16), lambda nn, data: nn.pad(data, (15,) * 4, "reflect"))
_of_pixels(
    "reflection-pad3d-backward", (6, 6, 6), lambda nn, data: nn.pad(data, (5,) * 6, "reflect"),
    needs="nn.ReflectionPad3d"
)  # fmt: skip
_of_pixels("replication-pad1d-backward", (64,), lambda nn, data: nn.pad(data, (300, 300), "replicate"))
_of_pixels("replication-pad2d-backward", (8, 8), lambda nn, data: nn.pad(data, (16,) * 4, "replicate"))
_of_pixels("replication-pad3d-backward", (4, 4, 4), lambda nn, data: nn.pad(data, (5,) * 6, "replicate"))
forward(
    "max-unpool2d", lambda on: on.nn.max_pool2d(on.reals(on.many(4), 8, 32, 32), 2, return_indices=True),
    lambda on, pooled, places: on.nn.max_unpool2d(pooled, places, 2)
)  # fmt: skip

# --- losses, norms, attention, recurrent layers -----------------------------------------------------------------------

loss(
    "nll-loss2d-backward",
    lambda on: (on.reals(on.many(4), 8, 32, 32, grad=True), on.whole(on.many(4), 32, 32, below=8)),
    lambda on, data, truth: on.nn.nll_loss(data, truth), terms=4096
)  # fmt: skip
loss(
    "cross-entropy-backward", lambda on: (on.reals(on.many(256), 256, grad=True), on.whole(on.many(256), below=256)),
    lambda on, data, truth: on.nn.cross_entropy(data, truth), terms=256
)  # fmt: skip
backward("softmax-backward", _real(512, 256, grad=True), lambda on, data: on.nn.softmax(data, 1), terms=256)
forward("log-softmax", _real(512, 256), lambda on, data: on.nn.log_softmax(data, 1), terms=256)


def _normed(name, shape, weights, function, terms, **options):
    backward(
        name,
        lambda on: (
            on.reals(on.many(shape[0]), *shape[1:], grad=True),
            *(on.reals(shape[1], grad=True) for _ in range(weights)),
        ),
        lambda on, data, *learned: function(on.nn, data, *learned),
        terms=terms,
        **options,
    )


_normed("layer-norm-backward", (512, 256), 2, lambda nn, data, w, b: nn.layer_norm(data, (256,), w, b), 512)
_normed(
    "batch-norm-backward", (8, 16, 24, 24), 2,
    lambda nn, data, w, b: nn.batch_norm(data, None, None, w, b, training=True), 4608, settings=("cudnn-off",)
)  # fmt: skip
_normed("group-norm-backward", (8, 16, 24, 24), 2, lambda nn, data, w, b: nn.group_norm(data, 4, w, b), 4608)
_normed(
    "rms-norm-backward", (512, 256), 1, lambda nn, data, w: nn.rms_norm(data, (256,), w), 512,
    needs="nn.functional.rms_norm"
)  # fmt: skip


def _attention(name, kernels):
    def attention(on, *heads):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        with sdpa_kernel(getattr(SDPBackend, kernels)), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # why a kernel was not used: nobody but us asked for this one
            return on.nn.scaled_dot_product_attention(*heads)

    backward(name, _heads(grad=True), attention, "float16", "nn.attention.SDPBackend." + kernels, terms=256)


_attention("attention-flash-backward", "FLASH_ATTENTION")
_attention("attention-efficient-backward", "EFFICIENT_ATTENTION")
_attention("attention-cudnn-backward", "CUDNN_ATTENTION")
_attention("attention-math-backward", "MATH")
forward(
    "attention", _heads(), lambda on, *heads: on.nn.scaled_dot_product_attention(*heads), "float16", SDPA, terms=256,
    settings=("attention-math",)
)  # fmt: skip
_recurrent("gru-backward", "GRU")

# --- reductions, order, scans -----------------------------------------------------------------------------------------

forward("sum", _real(512, 512), lambda _on, data: (data.sum(), data.sum(0), data.sum(1)), exact=True, terms=262144)
forward("mean-variance", _real(512, 256), lambda _on, data: (data.mean(), data.var(), data.var(0)), terms=131072)
forward("norm", _real(512, 512), lambda _on, data: (data.norm(), data.norm(dim=0)), terms=262144)
forward(
    "cumprod", lambda on: (on.reals(on.many(64), 1024).mul(0.01).add(1),), lambda _on, data: data.cumprod(1), terms=1024
)
# Of many equal numbers, the place that is reported may vary.
forward("sort", _whole(16384), lambda on, data: on.torch.sort(data), "int64")
forward("topk", _whole(32, 1024), lambda on, data: on.torch.topk(data, 16), "int64")
for _name, _width, _more in (("median", 1025, ()), ("kthvalue", 1024, (100,))):
    forward(
        _name, lambda on, width=_width: (on.whole(on.many(32), width, below=100).to(on.torch.float32),),
        lambda on, data, name=_name, more=_more: getattr(on.torch, name)(data, *more, 1)
    )  # fmt: skip
forward(
    "unique", _whole(16384), lambda on, data: on.torch.unique(data, return_inverse=True, return_counts=True), "int64"
)
backward(
    "cdist-backward", lambda on: (on.reals(on.many(64), 16, grad=True), on.reals(64, 16, grad=True)),
    lambda on, left, right: on.torch.cdist(left, right), terms=64
)  # fmt: skip

# --- transforms and linear algebra ------------------------------------------------------------------------------------

forward("fft", _real(8, 64, 64), lambda on, data: on.torch.fft.fft2(data), needs="fft.fft2", terms=4096)


def _linear_algebra(name, with_right=False):
    def inputs(on):  # well away from singular: symmetric, with a large diagonal
        data = on.reals(on.many(8), 24, 24)
        regular = data + data.transpose(-1, -2) + on.torch.eye(24, device=on.device) * 60
        return (regular, on.reals(on.many(8), 24, 4)) if with_right else (regular,)

    forward(
        "linalg-" + name, inputs, lambda on, *matrices: getattr(on.torch.linalg, name)(*matrices),
        needs="linalg." + name, terms=24
    )  # fmt: skip


for _name in ("svd", "eigh", "qr", "cholesky"):
    _linear_algebra(_name)
_linear_algebra("solve", with_right=True)

# --- chance, and the step of an optimizer -----------------------------------------------------------------------------

forward("dropout", _real(65536), lambda on, data: on.nn.dropout(data, 0.5))
forward("randn", lambda _on: (), lambda on: on.torch.randn(on.many(65536), device=on.device))


def _weights_and_gradients(on):
    return [[on.reals(on.many(4096), 4) for _ in range(8)] for _ in range(2)]


def _adam_step(on, weights, gradients):
    copies = [weight.clone() for weight in weights]
    for copy, gradient in zip(copies, gradients):
        copy.grad = gradient
    on.torch.optim.Adam(copies, lr=1e-3).step()
    return tuple(copies)


def _clipped(on, weights, gradients):
    copies = [gradient.clone() for gradient in gradients]
    for weight, copy in zip(weights, copies):
        weight.grad = copy
    return (on.torch.nn.utils.clip_grad_norm_(weights, 1.0), *copies)


forward("adam-step", _weights_and_gradients, _adam_step)
forward("gradient-clipping", _weights_and_gradients, _clipped, terms=131072)
