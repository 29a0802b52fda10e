"""Checkpoints, keys and spread arguments: what continues, what is used twice, what a dict holds."""

import pytest

from checks.analysis.scripts.scan import scan

TRAINS = """import torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 2)
{load}
optimiser = torch.optim.Adam(model.parameters())
{train}
torch.save({saved}, "last.pt")
"""
LOADS = 'if resume:\n    model.load_state_dict(torch.load("last.pt"))'
STEP = "model(torch.ones(2)).sum().backward()"


def rules(folder, text) -> set[str]:
    (folder / "train.py").write_text(text, encoding="utf-8")
    return {mark.rule for mark in scan([folder]).marks}


@pytest.mark.parametrize(
    ("load", "train", "saved", "expected"),
    [
        pytest.param(LOADS, STEP, "model.state_dict()", {"checkpoint-incomplete", "resume-incomplete"}, id="weights"),
        pytest.param(
            'if resume:\n    model = torch.load("last.pt")', STEP, "model",
            {"checkpoint-incomplete", "resume-incomplete"}, id="the whole model",
        ),
        pytest.param("resume = 0", STEP, "model", set(), id="never loaded"),
        pytest.param(LOADS, "print(model(torch.ones(2)))", "model.state_dict()", set(), id="asked"),
        pytest.param(
            "# to continue training\nmodel.load_state_dict(torch.load(path))", STEP, "model.state_dict()",
            {"checkpoint-incomplete", "resume-incomplete"}, id="as the help of an argument says",
        ),
        pytest.param("model.load_state_dict(torch.load(path))", STEP, "model.state_dict()", set(), id="fine-tuned"),
    ],
)  # fmt: skip
def test_what_a_program_goes_on_from(tmp_path, load, train, saved, expected):
    found = rules(tmp_path, TRAINS.format(load=load, train=train, saved=saved))
    assert found & {"checkpoint-incomplete", "resume-incomplete"} == expected


@pytest.mark.parametrize(
    ("body", "is_marked"),
    [
        pytest.param("f = lambda x: random.normal(key, x)\ny = random.uniform(key)", True, id="in a lambda"),
        pytest.param("f = lambda key: random.normal(key)\ny = random.uniform(key)", False, id="its own parameter"),
        pytest.param(
            "f = lambda x: random.normal(key, x)\nkey, k = random.split(key)\ny = random.uniform(key)",
            False,
            id="split",
        ),
    ],
)
def test_keys_of_jax(tmp_path, body, is_marked):
    text = f"from jax import random\n\nkey = random.key(0)\n{body}\nprint(f(1), y)\n"
    assert ("jax-key-reused" in rules(tmp_path, text)) is is_marked


@pytest.mark.parametrize(
    ("made", "is_marked"),
    [
        pytest.param("given = dict(num_workers=4)", True, id="dict()"),
        pytest.param('given = {"num_workers": 4}', True, id="literal"),
        pytest.param("given = dict(num_workers=0)", False, id="no workers"),
        pytest.param("given = dict(num_workers=4)\ngiven.update(more)", False, id="changed"),
        pytest.param("given = load()", False, id="unknown"),
    ],
)
def test_arguments_that_a_dict_holds(tmp_path, made, is_marked):
    text = f"from torch.utils.data import DataLoader\n\n{made}\nprint(DataLoader([1], shuffle=True, **given))\n"
    assert ("loader-workers-unseeded" in rules(tmp_path, text)) is is_marked
