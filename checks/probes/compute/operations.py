"""The operations whose results are set beside those of other devices, settings and machines.

The shapes of their inputs are the same in every framework, so that their portraits can be compared. Random numbers have
no inputs but a seed: they are compared within one framework.
"""


class Operation:
    """One operation. ``inputs``: (shape, stream) of each, for inputs.py.

    ``terms``: how many numbers are added up for one element of the result, through all layers. ``products``: whether
    they are products, which a device may compute with fewer digits than its data type has. ``batch``: rows that are
    computed independently of each other, in front of the first ``batched`` inputs; 0 where there are none. ``orders``:
    groups of (input, axis) along which the terms lie: where all of a group are reordered alike, the same is added up in
    another order. ``ordered``: the axis of the result that is reordered with them.
    """

    def __init__(self, name, inputs, terms, products=False, batch=0, batched=1, orders=(), ordered=None):
        self.name = name
        self.inputs = tuple((shape, stream) for stream, shape in enumerate(inputs, 1000))
        self.terms = terms
        self.products = products
        self.batch = batch
        self._batched = batched
        self.orders, self.ordered = orders, ordered

    def rows(self, inputs, count):
        """The inputs for the first rows of the batch."""
        return [array[:count] if place < self._batched else array for place, array in enumerate(inputs)]

    def reordered(self, inputs, taken, drawn):
        """The inputs with their terms in another order, and what brings a result back into the usual one.

        ``taken(array, axis, order)``: an array reordered along an axis; ``drawn(length)``: an order, drawn at random.
        """
        inputs, order = list(inputs), None
        for group in self.orders:
            order = drawn(inputs[group[0][0]].shape[group[0][1]])
            for place, axis in group:
                inputs[place] = taken(inputs[place], axis, order)
        back = None if self.ordered is None else order.argsort()
        return inputs, lambda result: result if back is None else taken(result, self.ordered, back)


HEADS, TOKENS, WIDTH = 2, 64, 64  # of the attention
SIDE = 28  # of a picture
# Two convolutions of 5x5 and a dense layer, as in the second experiment, but smaller.
CHANNELS, CLASSES = (8, 16), 10
DENSE = CHANNELS[1] * SIDE * SIDE // 16
PICTURES = ("conv2d", "network")  # whose memory has several layouts

# Where the terms lie that are added up.
IN_BOTH = (((0, 1), (1, 0)),)  # the columns of the first factor, the rows of the second
IN_COLUMNS = (((0, 1), (1, 1)),)  # the columns of both, or their channels
IN_ROWS = (((0, 1),),)
IN_ALL = (((0, 0),),)

# The most telling first. Small, since inputs take longer to draw than to compute with; few enough terms that rounding
# order and shorter formats can be told apart by their sizes.
OPERATIONS = (
    Operation("matmul", ((64, 1024), (1024, 128)), terms=1024, products=True, batch=64, orders=IN_BOTH),
    Operation("conv2d", ((4, 32, SIDE, SIDE), (32, 32, 3, 3)), terms=288, products=True, batch=4, orders=IN_COLUMNS),
    Operation("sum", ((1 << 18,),), terms=1 << 18, orders=IN_ALL),
    Operation("linear", ((8, 1024), (256, 1024), (256,)), terms=1025, products=True, batch=8, orders=IN_COLUMNS),
    Operation(
        "attention",
        ((4, HEADS, TOKENS, WIDTH),) * 3,
        terms=WIDTH + TOKENS,
        products=True,
        batch=4,
        batched=3,
        orders=(((0, 3), (1, 3)), ((1, 2), (2, 2))),
    ),
    Operation("softmax", ((8, 4096),), terms=4096, batch=8, orders=IN_ROWS, ordered=1),
    Operation("layer-norm", ((8, 4096),), terms=4096, batch=8, orders=IN_ROWS, ordered=1),
    Operation("row-sum", ((16, 8192),), terms=8192, batch=16, orders=IN_ROWS),
    Operation(
        "network",
        ((8, 1, SIDE, SIDE), (CHANNELS[0], 1, 5, 5), (CHANNELS[1], CHANNELS[0], 5, 5), (CLASSES, DENSE)),
        terms=25 + CHANNELS[0] * 25 + DENSE,
        products=True,
        batch=8,
        orders=(((1, 0), (2, 1)),),  # of the first convolution's channels, which the second one adds up
    ),
    Operation("exp", ((8, 4096),), terms=1),
    Operation("tanh", ((8, 4096),), terms=1),
    Operation("erf", ((8, 4096),), terms=1),
)


class Stream:
    """Random numbers of a normal distribution from a seed: how many are drawn in one call."""

    terms = 1  # nothing is added up

    def __init__(self, name, count):
        self.name, self.count = name, count


SEED = 42
# PyTorch deals the numbers of one call out to as many threads as a CUDA GPU runs at once. Up to so many, every GPU
# draws the same; beyond them it depends on the number of its multiprocessors (ATen/native/cuda/DistributionTemplates.h,
# calc_execution_policy: 40,960 threads on a T4, 270,336 on an H100).
STREAMS = (Stream("random-normal", 1 << 14), Stream("random-normal-large", 1 << 20))
