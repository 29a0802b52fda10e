"""The offered changes as a program reads then: in all places, and only where they are certain."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from checks.analysis.scripts.diff import patch
from checks.analysis.scripts.scan import Scan, scan
from checks.analysis.scripts.words import text_of
from wizard.cli.scan.outputs import as_text


def changed(folder, text, *, name="train.py") -> str:
    """The program with all changes, of which nothing may be left to change."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    for file, edits in scan([path]).offered(with_notes=True).items():
        diff = patch(path, edits, name)
        assert file == str(path)
        subprocess.run(["patch", "-p1", "-s"], cwd=folder, input=diff, text=True, check=True)
    assert not scan([path]).offered(with_notes=True)
    return path.read_text(encoding="utf-8")


NET = """import torch
from torch import nn


# The network
class Net(nn.Linear):
    pass


torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)
"""


def test_a_seed_stands_apart_from_the_class_behind_it(tmp_path):
    assert changed(tmp_path, NET).startswith(
        "import torch\nfrom torch import nn\n\ntorch.manual_seed(42)\n\n\n# The network\nclass Net"
    )


def test_an_import_goes_to_the_imports(tmp_path):
    text = NET.replace("SGD", "SGD").replace(
        "    pass", "    def forward(self, x):\n        return x.index_add(0, x, x)"
    )
    after = changed(tmp_path, text + "x = torch.ones(2, device='cuda').index_add(0, x, x)\n")
    assert after.startswith("import os\nimport torch\n")
    assert 'os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")\n' in after
    assert "torch.use_deterministic_algorithms(True, warn_only=True)\n" in after


def test_no_change_where_an_operation_has_no_form_that_repeats(tmp_path):
    path = tmp_path / "train.py"
    text = "import torch\n\nx = torch.ones(2, device='cuda')\nprint(torch.histc(x), x.index_add(0, x, x))\n"
    path.write_text(text, encoding="utf-8")
    marks = [mark for mark in scan([path]).marks if mark.rule == "nondeterministic-op"]
    assert len(marks) == 2
    assert not any(mark.edits for mark in marks)


def test_all_places_of_a_device_change_together(tmp_path):
    after = changed(tmp_path, "import torch\n\nprint(torch.ones(2).cuda(), torch.ones(2, device='cuda:1'))\n")
    assert after.endswith(
        'print(torch.ones(2).to("cuda" if torch.cuda.is_available() else "cpu"), torch.ones(2, '
        'device="cuda:1" if torch.cuda.is_available() else "cpu"))\n'
    )


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("torch.cuda.synchronize()", id="needs a GPU elsewhere"),
        pytest.param("torch.ones(2).cuda(1)", id="a place that cannot change"),
        pytest.param("torch.cuda.set_device(0)", id="the current device"),
    ],
)
def test_no_device_changes_alone(tmp_path, line):
    path = tmp_path / "train.py"
    path.write_text(f"import torch\n\nx = torch.ones(2).cuda()\n{line}\n", encoding="utf-8")
    marks = [mark for mark in scan([path]).marks if mark.rule == "device-hard-coded"]
    assert marks
    assert not any(mark.edits for mark in marks)


def test_the_workspace_is_set_before_cuda_starts(tmp_path):
    text = (
        'import os\nimport torch\n\nx = torch.ones(2).to("cuda")\nos.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"\n'
    )
    path = tmp_path / "train.py"
    path.write_text(text + "print(x)\n", encoding="utf-8")
    (mark,) = (mark for mark in scan([path]).marks if mark.rule == "cublas-workspace-late")
    after = patch(path, mark.edits, "train.py")
    assert '+os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"\n x = torch' in after


RESUMES = """import torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 2)
optimiser = torch.optim.Adam(model.parameters())
if resume:
    checkpoint = torch.load("last.pt")
    model.load_state_dict(checkpoint["model"])
model(torch.ones(2)).sum().backward()
torch.save({"epoch": 1, "model": model.state_dict()}, "last.pt")
"""


def test_a_checkpoint_keeps_the_optimiser_and_gives_it_back(tmp_path):
    after = changed(tmp_path, RESUMES)
    assert '"model": model.state_dict(), "optimizer": optimiser.state_dict()}' in after
    assert (
        '    if "optimizer" in checkpoint:  # an older checkpoint lacks it\n        optimiser.load_state_dict' in after
    )


def test_two_optimisers_leave_it_to_the_user(tmp_path):
    path = tmp_path / "train.py"
    text = RESUMES.replace("if resume", "other = torch.optim.SGD(model.parameters(), 1)\nif resume")
    path.write_text(text, encoding="utf-8")
    (mark,) = (mark for mark in scan([path]).marks if mark.rule == "checkpoint-incomplete")
    assert not mark.edits


def notebook(path, *cells):
    told = [{"cell_type": "code", "source": cell, "outputs": [], "metadata": {}} for cell in cells]
    path.write_text(json.dumps({"cells": told, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}), encoding="utf-8")
    return scan([path])


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(["import numpy as np\nx = np.random.rand(3)", "np.random.seed(1)"], id="seed"),
        pytest.param(["import jax\nk = jax.random.key(0)\nx = jax.random.normal(k)", "jax.random.normal(k)"], id="key"),
        pytest.param(
            ["import os, torch\nx = torch.ones(2).cuda()", 'os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"'],
            id="workspace",
        ),
    ],
)
def test_another_place_of_a_notebook_names_its_cell(tmp_path, cells):
    found = notebook(tmp_path / "a.ipynb", *cells)
    titles = [(text_of(mark, "en").title, text_of(mark, "ja").title) for mark in found.marks if mark.cell == 2]
    assert any(
        re.search("cell 1, line [23]", english) and re.search("セル1の[23]行目", japanese)
        for english, japanese in titles
    )


def test_a_place_in_another_file_names_it(tmp_path):
    (tmp_path / "data.py").write_text("import random\nvalue = random.random()\n", encoding="utf-8")
    (tmp_path / "train.py").write_text("import random\nimport data\nrandom.seed(1)\n", encoding="utf-8")
    (mark,) = (mark for mark in scan([tmp_path]).marks if mark.rule == "seed-after-use")
    assert "(data.py, line 2)" in text_of(mark, "en").title


def test_only_a_broken_cell_is_left_out(tmp_path):
    found = notebook(tmp_path / "a.ipynb", "import numpy as np\n!pip install a \\\n  b", "def f(:", "np.random.rand(3)")
    assert [(mark.rule, mark.cell) for mark in found.marks] == [("seed-missing", 3)]
    (unread,) = found.unread
    assert (unread.reason, unread.values["cell"], unread.values["line"]) == ("cell-left-out", "2", "1")


def test_a_notebook_of_broken_cells_is_not_read(tmp_path):
    found = notebook(tmp_path / "a.ipynb", "def f(:")
    assert not found.scripts
    assert [unread.reason for unread in found.unread] == ["syntax-in-cell"]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nothing_is_said_of_files_that_were_not_read(language):
    assert as_text(Scan(), language) == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses such names")
def test_a_name_is_no_line_of_a_diff(tmp_path, monkeypatch):
    """Else a name says which other file is changed."""
    folder = tmp_path / "a\n--- a" / "x\n+++ b"
    folder.mkdir(parents=True)
    (folder / "é \x1b.py").write_text("import torch\ntorch.backends.cudnn.benchmark = True\n")
    monkeypatch.chdir(tmp_path)
    (mark,) = [mark for mark in scan([Path()]).marks if mark.rule == "cudnn-benchmark"]
    told = patch(Path(mark.file), mark.edits)
    assert [line[:4] for line in told.split("\n")].count("+++ ") == 1
    assert not set(told) & {"\x1b"}
    done = subprocess.run(["git", "apply", "-"], input=told, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "benchmark = False" in (folder / "é \x1b.py").read_text()
