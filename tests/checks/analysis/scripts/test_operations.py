"""Operations that vary on CUDA only where they are asked for something."""

from pathlib import Path

import pytest

from checks.analysis.scripts.scan import scan

TRAINING = """import torch
from torch import nn

torch.manual_seed(0)
SIZE = 1
model = nn.Sequential(nn.Conv2d(3, 8, 3), {pool}, nn.Flatten(), nn.Linear(8, 2)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(4, 3, 8, 8).cuda()
loss = {loss}
loss.backward()
optimizer.step()
"""
POOLED = "nn.functional.adaptive_avg_pool2d(model[0](x), {size}).sum()"


@pytest.mark.parametrize(
    ("size", "count"), [("1", 0), ("(1, 1)", 0), ("[1, 1]", 0), ("SIZE", 0), ("2", 1), ("(1, 7)", 1)]
)
@pytest.mark.parametrize("is_layer", [True, False])
def test_a_mean_over_everything_does_not_vary(tmp_path: Path, size: str, count: int, is_layer: bool) -> None:
    pool, loss = (f"nn.AdaptiveAvgPool2d({size})", "model(x).sum()") if is_layer else ("nn.ReLU()", POOLED)
    (tmp_path / "train.py").write_text(TRAINING.format(pool=pool, loss=loss.format(size=size)))
    marks = [mark for mark in scan([tmp_path / "train.py"]).marks if mark.rule == "nondeterministic-op"]
    assert len(marks) == count
