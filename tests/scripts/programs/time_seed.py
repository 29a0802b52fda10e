"""Draws the initial weights of a small network."""

import random
import time

random.seed(time.time())
weights = [random.gauss(0, 1) for _ in range(8)]
print([weight.hex() for weight in weights])
