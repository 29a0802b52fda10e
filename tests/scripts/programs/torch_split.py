"""Splits a data set at random and looks at the validation part."""

import torch
from torch.utils.data import TensorDataset, random_split

dataset = TensorDataset(torch.arange(100.0))
training, validation = random_split(dataset, [80, 20])
print(validation.indices)
