"""Trains six epochs, at one go or going on from a checkpoint after three."""

import sys
import tempfile
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 4)
y = x.sum(dim=1, keepdim=True)


def run(first, last, path):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    if path.exists():
        checkpoint = torch.load(path)
        model.load_state_dict(checkpoint["model"])
    else:
        nn.init.zeros_(model.weight)
        nn.init.zeros_(model.bias)
    for epoch in range(first, last):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.save({"epoch": epoch, "model": model.state_dict()}, path)
    return loss.item()


with tempfile.TemporaryDirectory() as folder:
    checkpoint_path = Path(folder) / "checkpoint.pt"
    if sys.argv[1] == "interrupted":
        run(0, 3, checkpoint_path)
        result = run(3, 6, checkpoint_path)
    else:
        result = run(0, 6, checkpoint_path)
print(result.hex())
