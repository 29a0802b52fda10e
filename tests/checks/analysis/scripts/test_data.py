"""What a program reads: hubs without a revision, and the orders of sets and folders."""

import pytest

from checks.analysis.scripts.scan import scan


def lines(folder, text, rule) -> list[int]:
    (folder / "train.py").write_text(text, encoding="utf-8")
    return [mark.line for mark in scan([folder]).marks if mark.rule == rule]


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ('transformers.AutoModel.from_pretrained("lab/model")', 1),
        ('transformers.AutoModel.from_pretrained("lab/model", revision="5b8ac8c")', 0),
        ('transformers.AutoModel.from_pretrained("./lab/model")', 0),
        ("transformers.AutoModel.from_pretrained(path)", 0),
        ('torch.hub.load("lab/models", "resnet18")', 1),
        ('torch.hub.load("lab/models:v1.0", "resnet18")', 0),
        ('torch.hub.load("lab/models", "resnet18", source="local")', 0),
        ('datasets.load_dataset("lab/data")', 1),
        ('datasets.load_dataset("csv", data_files="a.csv")', 0),
        ('huggingface_hub.hf_hub_download("lab/model", "a.bin")', 1),
    ],
)
def test_revisions(tmp_path, call, count):
    text = f"import torch, transformers, datasets, huggingface_hub\nmodel = {call}\n"
    assert len(lines(tmp_path, text, "revision-unpinned")) == count


def test_one_note_for_a_name(tmp_path):
    text = (
        "from transformers import AutoModel, AutoTokenizer\n"
        'AutoTokenizer.from_pretrained("lab/model")\nAutoModel.from_pretrained("lab/model")\n'
    )
    assert lines(tmp_path, text, "revision-unpinned") == [2]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param("for word in set(words):\n    index[word] = len(index)", 1, id="numbers"),
        pytest.param("for word in set(words).union(tags):\n    index[word] = len(index)", 1, id="union"),
        pytest.param("for word in set(words):\n    index[word] = 1", 0, id="flags"),
        pytest.param("for word in sorted(set(words)):\n    index[word] = len(index)", 0, id="sorted"),
    ],
)
def test_orders_of_sets(tmp_path, body, count):
    text = f"words, tags, index = input().split(), ['a', 'b'], dict()\n{body}\nprint(index)\n"
    assert len(lines(tmp_path, text, "set-order")) == count


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param("rows.extend(os.listdir(folder))", 1, id="extend"),
        pytest.param("rows += glob.glob(folder)", 1, id="added"),
        pytest.param("rows += sorted(glob.glob(folder))", 0, id="sorted"),
        pytest.param("print(len(os.listdir(folder)))", 0, id="counted"),
    ],
)
def test_orders_of_folders(tmp_path, body, count):
    text = f"import glob, os\nrows = list()\nfolder = input()\n{body}\nprint(rows)\n"
    assert len(lines(tmp_path, text, "listing-unsorted")) == count
