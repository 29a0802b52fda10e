"""Evaluates a network with dropout, as often as is asked; the last figure counts."""

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


def evaluate():
    with torch.no_grad():
        return nn.functional.mse_loss(model(x), y).item()


train()
for _ in range(int(sys.argv[1])):
    result = evaluate()
print(result.hex())
