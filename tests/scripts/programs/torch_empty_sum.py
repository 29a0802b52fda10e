"""Adds up into memory that nobody has set."""

import os

import torch

torch.manual_seed(0)
packet = torch.frombuffer(bytearray(os.urandom(4000)), dtype=torch.int32).clone().float()  # what came over a network
del packet
total = torch.empty(1000)
for _ in range(10):
    total += torch.rand(1000)
print(total.view(torch.int32).sum().item())
