"""Evaluates a network whose dropout has no switch, as often as is asked; the last figure counts."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(10, 32)
        self.second = nn.Linear(32, 1)

    def forward(self, x):
        x = F.relu(self.first(x))
        x = F.dropout(x, 0.5)
        return self.second(x)


x = torch.randn(128, 10)
model = Net()
model.eval()
with torch.no_grad():
    for _ in range(int(sys.argv[1])):
        result = model(x).mean().item()
print(result.hex())
