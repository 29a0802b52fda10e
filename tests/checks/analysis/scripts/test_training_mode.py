"""Models that are asked in training mode: what is offered never leaves one that trains on in the other mode."""

from pathlib import Path

import pytest

from checks.analysis.scripts.scan import scan

MODEL = """import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.ones(8, 4), torch.ones(8, 1)
model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train():
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()


"""
IN_EACH_EPOCH = (
    MODEL
    + """def evaluate():
    with torch.no_grad():
        return model(x).mean().item()


for epoch in range(3):
    train()
    print(evaluate())
"""
)
IN_THE_LOOP = (
    MODEL
    + """for epoch in range(3):
    train()
    with torch.no_grad():
        print(model(x).mean().item())
"""
)
BEHIND = (
    MODEL
    + """train()
with torch.no_grad():
    print(model(x).mean().item())
"""
)


@pytest.mark.parametrize(("program", "is_offered"), [(IN_EACH_EPOCH, False), (IN_THE_LOOP, False), (BEHIND, True)])
def test_a_change_is_offered_only_where_no_training_goes_on(tmp_path: Path, program: str, is_offered: bool) -> None:
    (tmp_path / "train.py").write_text(program)
    marks = [mark for mark in scan([tmp_path / "train.py"]).marks if mark.rule == "eval-missing"]
    assert len(marks) == 1
    assert bool(marks[0].edits) is is_offered
