"""Evaluates a network with dropout behind its training."""

import sys

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(128, 10)
y = x.sum(dim=1, keepdim=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def train():
    model.train()
    for _ in range(10):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train()
for _ in range(int(sys.argv[1])):  # as often as something else draws a number first
    torch.rand(1)
with torch.no_grad():
    result = nn.functional.mse_loss(model(x), y).item()
print(result.hex())
