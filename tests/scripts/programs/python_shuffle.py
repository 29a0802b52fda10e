"""Fits a line by steps over examples in a random order."""

import random

examples = [(x / 10, 0.3 * x + 1.0) for x in range(40)]
random.shuffle(examples)
slope, offset = 0.0, 0.0
for x, y in examples:
    error = slope * x + offset - y
    slope -= 0.01 * error * x
    offset -= 0.01 * error
print(slope.hex(), offset.hex())
