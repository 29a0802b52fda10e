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


# --- many numbers are added to few places -----------------------------------------------------------------------------


@operation("index-add", exact=True, terms=512)
def _index_add(on):
    rows = on.many(32768)
    source, index, base = on.reals(rows, 8), on.whole(rows, below=64), on.zeros(64, 8)
    return lambda: (base.index_add(0, index, source),)


@operation("scatter-add", exact=True, terms=1024)
def _scatter_add(on):
    count = on.many(65536)
    source, index, base = on.reals(count), on.whole(count, below=64), on.zeros(64)
    return lambda: (base.scatter_add(0, index, source),)


@operation("index-put-accumulate", exact=True, terms=1024)
def _index_put_accumulate(on):
    count = on.many(65536)
    source, index, base = on.reals(count), on.whole(count, below=64), on.zeros(64)
    return lambda: (base.index_put((index,), source, accumulate=True),)


@operation("embedding-backward", exact=True, terms=64)
def _embedding_backward(on):
    words, weight = on.whole(on.many(2048), below=32), on.reals(32, 64, grad=True)
    return on.gradients(lambda: on.nn.embedding(words, weight), weight)


@operation("conv2d-backward", exact=True, terms=4096, settings=CUDNN)
def _conv2d_backward(on):
    data, weight = on.reals(on.many(4), 16, 32, 32, grad=True), on.reals(32, 16, 3, 3, grad=True)
    return on.gradients(lambda: on.nn.conv2d(data, weight, padding=1), data, weight)


@operation("interpolate-bilinear-backward", terms=16)
def _interpolate_bilinear(on):
    data = on.reals(on.many(4), 8, 16, 16, grad=True)
    return on.gradients(lambda: on.nn.interpolate(data, size=(61, 61), mode="bilinear", align_corners=False), data)


@operation("ctc-loss-backward", terms=64)
def _ctc_loss_backward(on):
    steps, batch, labels = 64, on.many(16), 16
    data, targets = on.reals(steps, batch, 32, grad=True), on.whole(batch, labels, below=31).add(1)
    full = on.torch.full((batch,), steps, dtype=on.torch.long, device=on.device)
    lengths = on.torch.full((batch,), labels, dtype=on.torch.long, device=on.device)
    return on.loss(lambda: on.nn.ctc_loss(on.nn.log_softmax(data, 2), targets, full, lengths), data)


@operation("grid-sample-backward", terms=16)
def _grid_sample(on):
    batch = on.many(4)
    data, grid = on.reals(batch, 8, 8, 8, grad=True), on.reals(batch, 48, 48, 2, grad=True)
    return on.gradients(lambda: on.nn.grid_sample(data, grid, align_corners=False), data, grid)


SDPA = "nn.functional.scaled_dot_product_attention"  # 2.0


@operation("attention-backward", "float16", SDPA, terms=256, settings=("attention-math",))
def _attention_backward(on):
    made = [on.reals(on.many(2), 4, 256, 64, grad=True) for _ in range(3)]
    return on.gradients(lambda: on.nn.scaled_dot_product_attention(*made), *made)


def _recurrent(on, layer):
    """A layer of two levels, with portable weights."""
    layer = layer.to(device=on.device)
    with on.torch.no_grad():
        for weight in layer.parameters():
            weight.copy_(on.reals(*weight.shape) / 8)
    data = on.reals(16, on.many(8), 32, grad=True)
    return on.gradients(lambda: layer(data)[0], data, *layer.parameters())


@operation("lstm-backward", terms=128, settings=("cudnn-off",))
def _lstm_backward(on):
    return _recurrent(on, on.torch.nn.LSTM(32, 64, num_layers=2))


@operation("matmul", exact=True, terms=256)
def _matmul(on):
    left, right = on.reals(on.side(256), on.side(256)), on.reals(on.side(256), 256)
    return lambda: (left @ right,)


# What has one result in whatever order it is computed: if it varies, it is the device.


@operation("elementwise", terms=1)
def _elementwise(on):
    data = on.reals(on.many(131072))
    return lambda: (data.mul(1.5).add_(0.25).exp_(),)


@operation("integer-sum", "int64")
def _integer_sum(on):
    data = on.whole(on.many(512), 512, below=1 << 20)
    return lambda: (data.sum(), data.sum(0), data.sum(1))


def _scatter_reduced(name, how):
    @operation(name, needs="Tensor.scatter_reduce_", terms=512)
    def _made(on):
        count = on.many(32768)
        index = on.whole(count, below=64)
        source = on.reals(count).mul(0.01).add(1) if how == "prod" else on.reals(count)
        base = on.zeros(64).add(1)
        return lambda: (base.scatter_reduce(0, index, source, how),)


_scatter_reduced("scatter-reduce-mean", "mean")
_scatter_reduced("scatter-reduce-prod", "prod")


def _bag(name, mode, terms):
    @operation(name, exact=True, terms=terms)
    def _made(on):
        words, weight = on.whole(on.many(256), 16, below=32), on.reals(32, 64, grad=True)
        return on.gradients(lambda: on.nn.embedding_bag(words, weight, mode=mode), weight)


_bag("embedding-bag-backward", "sum", 128)
_bag("embedding-bag-max-backward", "max", 32)


@operation("gather-backward", exact=True, terms=512)
def _gather_backward(on):
    index, data = on.whole(on.many(32768), below=64), on.reals(64, grad=True)
    return on.gradients(lambda: data.gather(0, index), data)


@operation("index-select-backward", exact=True, terms=512)
def _index_select_backward(on):
    index, data = on.whole(on.many(16384), below=32), on.reals(32, 8, grad=True)
    return on.gradients(lambda: data.index_select(0, index), data)


@operation("index-backward", exact=True, terms=512)
def _index_backward(on):
    index, data = on.whole(on.many(16384), below=32), on.reals(32, 8, grad=True)
    return on.gradients(lambda: data[index], data)


@operation("index-list-backward", exact=True, terms=256)
def _index_list_backward(on):
    rows, columns = on.whole(on.many(65536), below=32), on.whole(on.many(65536), below=8)
    data = on.reals(32, 8, grad=True)
    return on.gradients(lambda: data[rows, columns], data)


@operation("repeat-interleave-backward", exact=True, terms=512)
def _repeat_interleave(on):
    data, times = on.reals(32, 8, grad=True), on.whole(32, below=on.many(1024))
    return on.gradients(lambda: data.repeat_interleave(times, dim=0), data)


@operation("bincount-weights", exact=True, terms=1024)
def _bincount(on):
    count = on.many(65536)
    index, weights = on.whole(count, below=64), on.reals(count)
    return lambda: (on.torch.bincount(index, weights, minlength=64),)


@operation("histc")
def _histc(on):
    data = on.reals(on.many(65536))
    return lambda: (on.torch.histc(data, bins=64, min=-1, max=1),)


@operation("cumsum", terms=131072)
def _cumsum(on):
    data = on.reals(on.many(131072))
    return lambda: (data.cumsum(0),)


@operation("put-accumulate", exact=True, terms=512)
def _put_accumulate(on):
    count = on.many(32768)
    index, source, base = on.whole(count, below=64), on.reals(count), on.zeros(64)
    return lambda: (base.clone().put_(index, source, accumulate=True),)


def _sparse(on, *shape):
    """A sparse matrix, or a batch of them, many of whose places are drawn more than once."""
    count = on.many(16384)
    places = on.torch.stack([on.whole(count, below=side) for side in shape])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions say that they do not check the places
        return on.torch.sparse_coo_tensor(places, on.reals(count), shape).coalesce()


@operation("sparse-bmm", exact=True, terms=256)
def _sparse_bmm(on):
    sparse, dense = _sparse(on, 4, 256, 256), on.reals(4, 256, 16)
    return lambda: (on.torch.bmm(sparse, dense),)


@operation("sparse-mm", exact=True, terms=256)
def _sparse_mm(on):
    sparse, dense = _sparse(on, 256, 256), on.reals(256, 32)
    return lambda: (on.torch.sparse.mm(sparse, dense),)


# --- several values are written to one place --------------------------------------------------------------------------


@operation("index-copy")
def _index_copy(on):
    rows = on.many(16384)
    source, index, base = on.reals(rows, 8), on.whole(rows, below=64), on.zeros(64, 8)
    return lambda: (base.index_copy(0, index, source),)


@operation("index-put")
def _index_put(on):
    count = on.many(65536)
    source, index, base = on.reals(count), on.whole(count, below=64), on.zeros(64)
    return lambda: (base.index_put((index,), source),)


@operation("scatter")
def _scatter(on):
    count = on.many(65536)
    source, index, base = on.reals(count), on.whole(count, below=64), on.zeros(64)
    return lambda: (base.scatter(0, index, source),)


# --- products and convolutions ----------------------------------------------------------------------------------------

operation("matmul-float64", "float64", exact=True, terms=256)(_matmul)
for _dtype in ("float16", "bfloat16"):  # parts of sums may be rounded to so few digits: also those of whole numbers
    operation("matmul-" + _dtype, _dtype, terms=256)(_matmul)


@operation("matmul-tf32", exact=True, terms=256)
def _matmul_tf32(on):
    if not on.device.startswith("cuda"):
        raise NotImplementedError("TF32 is a format of CUDA devices")
    call, flags = _matmul(on), on.torch.backends.cuda.matmul

    def allowed():
        before, flags.allow_tf32 = flags.allow_tf32, True
        try:
            return call()
        finally:
            flags.allow_tf32 = before

    return allowed


@operation("matmul-batched", exact=True, terms=64)
def _matmul_batched(on):
    left, right = on.reals(on.many(16), 64, 64), on.reals(on.many(16), 64, 64)
    return lambda: (on.torch.bmm(left, right),)


@operation("linear-backward", exact=True, terms=512)
def _linear_backward(on):
    data, weight, bias = on.reals(on.many(512), 128, grad=True), on.reals(128, 128, grad=True), on.reals(128, grad=True)
    return on.gradients(lambda: on.nn.linear(data, weight, bias), data, weight, bias)


@operation("addmm", exact=True, terms=256)
def _addmm(on):
    left, right, base = on.reals(on.side(256), on.side(256)), on.reals(on.side(256), 128), on.reals(128)
    return lambda: (on.torch.addmm(base, left, right),)


@operation("einsum", exact=True, terms=32)
def _einsum(on):
    left, right = on.reals(on.many(8), 32, 4, 32), on.reals(on.many(8), 32, 4, 32)
    return lambda: (on.torch.einsum("bihd,bjhd->bhij", left, right),)


@operation("conv2d", exact=True, terms=144, settings=CUDNN)
def _conv2d(on):
    data, weight = on.reals(on.many(4), 16, 32, 32), on.reals(32, 16, 3, 3)
    return lambda: (on.nn.conv2d(data, weight, padding=1),)


def _convolved(name, function, data, weight, **more):
    @operation(name, exact=True, terms=4096, settings=CUDNN)
    def _made(on):
        given, kernel = on.reals(on.many(data[0]), *data[1:], grad=True), on.reals(*weight, grad=True)
        convolve = getattr(on.nn, function)
        return on.gradients(lambda: convolve(given, kernel, **more), given, kernel)


_convolved("conv1d-backward", "conv1d", (8, 16, 256), (32, 16, 5))
_convolved("conv3d-backward", "conv3d", (2, 4, 12, 12, 12), (8, 4, 3, 3, 3))
_convolved("conv-transpose1d-backward", "conv_transpose1d", (8, 16, 128), (16, 16, 4), stride=2)
_convolved("conv-transpose2d-backward", "conv_transpose2d", (4, 16, 16, 16), (16, 16, 4, 4), stride=2)
_convolved("conv-transpose3d-backward", "conv_transpose3d", (2, 4, 8, 8, 8), (4, 4, 3, 3, 3), stride=2)


# --- pixels: interpolation, pooling, padding --------------------------------------------------------------------------


def _of_pixels(name, shape, function, exact=True, needs=""):
    @operation(name, exact=exact, needs=needs, terms=64)
    def _made(on):
        data = on.reals(on.many(4), 8, *shape, grad=True)
        return on.gradients(lambda: function(on.nn, data), data)


def _interpolated(mode, shape, size):
    _of_pixels(
        "interpolate-%s-backward" % mode,
        shape,
        lambda nn, data: nn.interpolate(data, size=size, mode=mode),
        exact=mode == "nearest",
    )


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
    "reflection-pad3d-backward",
    (6, 6, 6),
    lambda nn, data: nn.pad(data, (5,) * 6, "reflect"),
    needs="nn.ReflectionPad3d",
)
_of_pixels("replication-pad1d-backward", (64,), lambda nn, data: nn.pad(data, (300, 300), "replicate"))
_of_pixels("replication-pad2d-backward", (8, 8), lambda nn, data: nn.pad(data, (16,) * 4, "replicate"))
_of_pixels("replication-pad3d-backward", (4, 4, 4), lambda nn, data: nn.pad(data, (5,) * 6, "replicate"))


@operation("max-unpool2d")
def _max_unpool2d(on):
    data = on.reals(on.many(4), 8, 32, 32)
    pooled, places = on.nn.max_pool2d(data, 2, return_indices=True)
    return lambda: (on.nn.max_unpool2d(pooled, places, 2),)


# --- losses, norms, attention, recurrent layers -----------------------------------------------------------------------


@operation("nll-loss2d-backward", terms=4096)
def _nll_loss2d(on):
    data, truth = on.reals(on.many(4), 8, 32, 32, grad=True), on.whole(on.many(4), 32, 32, below=8)
    return on.loss(lambda: on.nn.nll_loss(data, truth), data)


@operation("cross-entropy-backward", terms=256)
def _cross_entropy(on):
    data, truth = on.reals(on.many(256), 256, grad=True), on.whole(on.many(256), below=256)
    return on.loss(lambda: on.nn.cross_entropy(data, truth), data)


@operation("softmax-backward", terms=256)
def _softmax(on):
    data = on.reals(on.many(512), 256, grad=True)
    return on.gradients(lambda: on.nn.softmax(data, 1), data)


@operation("log-softmax", terms=256)
def _log_softmax(on):
    data = on.reals(on.many(512), 256)
    return lambda: (on.nn.log_softmax(data, 1),)


def _normed(name, shape, weights, function, terms, settings=(), needs=""):
    @operation(name, terms=terms, settings=settings, needs=needs)
    def _made(on):
        data = on.reals(on.many(shape[0]), *shape[1:], grad=True)
        learned = [on.reals(shape[1], grad=True) for _ in range(weights)]
        return on.gradients(lambda: function(on.nn, data, *learned), data, *learned)


_normed("layer-norm-backward", (512, 256), 2, lambda nn, data, w, b: nn.layer_norm(data, (256,), w, b), 512)
_normed(
    "batch-norm-backward",
    (8, 16, 24, 24),
    2,
    lambda nn, data, w, b: nn.batch_norm(data, None, None, w, b, training=True),
    4608,
    settings=("cudnn-off",),
)
_normed("group-norm-backward", (8, 16, 24, 24), 2, lambda nn, data, w, b: nn.group_norm(data, 4, w, b), 4608)
_normed(
    "rms-norm-backward",
    (512, 256),
    1,
    lambda nn, data, w: nn.rms_norm(data, (256,), w),
    512,
    needs="nn.functional.rms_norm",
)


def _attention(name, backend):
    @operation(name, "float16", "nn.attention.SDPBackend." + backend, terms=256)
    def _made(on):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        data = [on.reals(on.many(2), 4, 256, 64, grad=True) for _ in range(3)]
        chosen = getattr(SDPBackend, backend)

        def forward():
            with sdpa_kernel(chosen):
                return on.nn.scaled_dot_product_attention(*data)

        return on.gradients(forward, *data)


_attention("attention-flash-backward", "FLASH_ATTENTION")
_attention("attention-efficient-backward", "EFFICIENT_ATTENTION")
_attention("attention-cudnn-backward", "CUDNN_ATTENTION")
_attention("attention-math-backward", "MATH")


@operation("attention", "float16", SDPA, terms=256, settings=("attention-math",))
def _attention_forward(on):
    made = [on.reals(on.many(2), 4, 256, 64) for _ in range(3)]
    return lambda: (on.nn.scaled_dot_product_attention(*made),)


@operation("gru-backward", terms=128, settings=("cudnn-off",))
def _gru_backward(on):
    return _recurrent(on, on.torch.nn.GRU(32, 64, num_layers=2))


# --- reductions, order, scans -----------------------------------------------------------------------------------------


@operation("sum", exact=True, terms=262144)
def _sum(on):
    data = on.reals(on.many(512), 512)
    return lambda: (data.sum(), data.sum(0), data.sum(1))


@operation("mean-variance", terms=131072)
def _mean_variance(on):
    data = on.reals(on.many(512), 256)
    return lambda: (data.mean(), data.var(), data.var(0))


@operation("norm", terms=262144)
def _norm(on):
    data = on.reals(on.many(512), 512)
    return lambda: (data.norm(), data.norm(dim=0))


@operation("cumprod", terms=1024)
def _cumprod(on):
    data = on.reals(on.many(64), 1024).mul(0.01).add(1)
    return lambda: (data.cumprod(1),)


# Of many equal numbers, which place is told is what may vary.
@operation("sort", "int64")
def _sort(on):
    data = on.whole(on.many(16384), below=100)
    return lambda: tuple(on.torch.sort(data))


@operation("topk", "int64")
def _topk(on):
    data = on.whole(on.many(32), 1024, below=100)
    return lambda: tuple(on.torch.topk(data, 16))


@operation("median")
def _median(on):
    data = on.whole(on.many(32), 1025, below=100).to(on.torch.float32)
    return lambda: tuple(on.torch.median(data, 1))


@operation("kthvalue")
def _kthvalue(on):
    data = on.whole(on.many(32), 1024, below=100).to(on.torch.float32)
    return lambda: tuple(on.torch.kthvalue(data, 100, 1))


@operation("unique", "int64")
def _unique(on):
    data = on.whole(on.many(16384), below=100)
    return lambda: tuple(on.torch.unique(data, return_inverse=True, return_counts=True))


@operation("cdist-backward", terms=64)
def _cdist_backward(on):
    left, right = on.reals(on.many(64), 16, grad=True), on.reals(64, 16, grad=True)
    return on.gradients(lambda: on.torch.cdist(left, right), left, right)


# --- transforms and linear algebra ------------------------------------------------------------------------------------


@operation("fft", needs="fft.fft2", terms=4096)
def _fft(on):
    data = on.reals(on.many(8), 64, 64)
    return lambda: (on.torch.fft.fft2(data),)


def _linear_algebra(name, with_right=False):
    @operation("linalg-" + name, needs="linalg." + name, terms=24)
    def _made(on):
        # Well away from singular: symmetric, with a large diagonal.
        data = on.reals(on.many(8), 24, 24)
        given = [data + data.transpose(-1, -2) + on.torch.eye(24, device=on.device) * 60]
        given += [on.reals(on.many(8), 24, 4)] if with_right else []
        function = getattr(on.torch.linalg, name)

        def computed():
            result = function(*given)
            return (result,) if isinstance(result, on.torch.Tensor) else tuple(result)

        return computed


for _name in ("svd", "eigh", "qr", "cholesky"):
    _linear_algebra(_name)
_linear_algebra("solve", with_right=True)


# --- chance, and the step of an optimizer -----------------------------------------------------------------------------


@operation("dropout")
def _dropout(on):
    data = on.reals(on.many(65536))
    return lambda: (on.nn.dropout(data, 0.5),)


@operation("randn")
def _randn(on):
    count = on.many(65536)
    return lambda: (on.torch.randn(count, device=on.device),)


@operation("adam-step")
def _adam_step(on):
    weights = [on.reals(on.many(4096), 4) for _ in range(8)]
    gradients = [on.reals(on.many(4096), 4) for _ in range(8)]

    def step():
        copies = [weight.clone() for weight in weights]
        for copy, gradient in zip(copies, gradients):
            copy.grad = gradient
        on.torch.optim.Adam(copies, lr=1e-3).step()
        return tuple(copies)

    return step


@operation("gradient-clipping", terms=131072)
def _gradient_clipping(on):
    weights = [on.reals(on.many(4096), 4) for _ in range(8)]
    gradients = [on.reals(on.many(4096), 4) for _ in range(8)]

    def clip():
        copies = [gradient.clone() for gradient in gradients]
        for weight, copy in zip(weights, copies):
            weight.grad = copy
        norm = on.torch.nn.utils.clip_grad_norm_(weights, 1.0)
        return (norm, *copies)

    return clip
