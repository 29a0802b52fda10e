"""The operations whose results are set beside those of other devices, settings and machines.

The shapes of their inputs are the same in every framework, so that their portraits can be compared.
"""


class Operation:
    """One operation. ``inputs``: (shape, stream) of each, for inputs.py.

    ``terms``: how many numbers are added up for one element of the result, through all layers. ``products``: whether
    they are products, which a device may compute with fewer digits than its data type has. ``batch``: rows that are
    computed independently of each other, in front of the first ``batched`` inputs; 0 where there are none.
    """

    def __init__(self, name, inputs, terms, products=False, batch=0, batched=1):
        self.name = name
        self.inputs = tuple((shape, stream) for stream, shape in enumerate(inputs, 1000))
        self.terms = terms
        self.products = products
        self.batch = batch
        self._batched = batched

    def rows(self, inputs, count):
        """The inputs for the first rows of the batch."""
        return [array[:count] if place < self._batched else array for place, array in enumerate(inputs)]


HEADS, TOKENS, WIDTH = 2, 64, 64  # of the attention
SIDE = 28  # of a picture
# Two convolutions of 5x5 and a dense layer, as in the second experiment, but smaller.
CHANNELS, CLASSES = (8, 16), 10
DENSE = CHANNELS[1] * SIDE * SIDE // 16
PICTURES = ("conv2d", "network")  # whose memory has several layouts

# The most telling first. Small, since inputs take longer to draw than to compute with; few enough terms that rounding
# order and shorter formats can be told apart by their sizes.
OPERATIONS = (
    Operation("matmul", ((64, 1024), (1024, 128)), terms=1024, products=True, batch=64),
    Operation("conv2d", ((4, 32, SIDE, SIDE), (32, 32, 3, 3)), terms=288, products=True, batch=4),
    Operation("sum", ((1 << 18,),), terms=1 << 18),
    Operation("linear", ((8, 1024), (256, 1024), (256,)), terms=1025, products=True, batch=8),
    Operation("attention", ((4, HEADS, TOKENS, WIDTH),) * 3, terms=WIDTH + TOKENS, products=True, batch=4, batched=3),
    Operation("softmax", ((8, 4096),), terms=4096, batch=8),
    Operation("layer-norm", ((8, 4096),), terms=4096, batch=8),
    Operation("row-sum", ((16, 8192),), terms=8192, batch=16),
    Operation(
        "network",
        ((8, 1, SIDE, SIDE), (CHANNELS[0], 1, 5, 5), (CHANNELS[1], CHANNELS[0], 5, 5), (CLASSES, DENSE)),
        terms=25 + CHANNELS[0] * 25 + DENSE,
        products=True,
        batch=8,
    ),
    Operation("exp", ((8, 4096),), terms=1),
    Operation("tanh", ((8, 4096),), terms=1),
    Operation("erf", ((8, 4096),), terms=1),
)
