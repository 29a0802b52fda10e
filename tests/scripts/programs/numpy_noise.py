"""Fits a line to noisy measurements."""

import numpy as np

x = np.linspace(0, 1, 50)
y = 2 * x + 0.1 * np.random.randn(50)
slope, offset = np.polyfit(x, y, 1)
print(float(slope).hex(), float(offset).hex())
