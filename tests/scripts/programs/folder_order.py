"""Trains on the files of a folder, one after the other."""

import os
import sys
from pathlib import Path

folder = Path(sys.argv[1])
weight = 0.0
for name in os.listdir(folder):
    weight += 0.1 * (float((folder / name).read_text()) - weight)
print(weight.hex())
