"""Files of any kind: encodings, notebooks, what is no Python; each a clear reason and never a crash."""

import json
import os

import pytest

from checks.analysis.scripts.diff import patch
from checks.analysis.scripts.scan import scan
from checks.readers.scripts.sources import Unreadable, read_source


def _notebook(*cells):
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return {"cells": [{"cell_type": "markdown", "source": ["# No code"]}, *code], "nbformat": 4}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"print 'hello'\n", "syntax", id="python-2"),
        pytest.param(b"x = " + b"[" * 100_000 + b"]" * 100_000, "syntax", id="brackets"),
        pytest.param(b"x = " + b"-" * 100_000 + b"1", "too-deep", id="signs"),
        pytest.param(b"x = a" + b".b" * 100_000, "too-deep", id="attributes"),
        pytest.param(b"x = 1\n" * 800_000, "too-large", id="large"),
        pytest.param(b"x = 1\0\n", "binary", id="null"),
        pytest.param(b"# coding: no-such\nx = '\xff\xfe\0'\n", "binary", id="unknown-encoding"),
    ],
)
def test_unreadable(tmp_path, data, reason):
    path = tmp_path / "bad.py"
    path.write_bytes(data)
    with pytest.raises(Unreadable) as raised:
        read_source(path)
    assert raised.value.reason == reason


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc-jp"])
def test_encodings(tmp_path, encoding):
    path = tmp_path / "program.py"
    declared = f"# coding: {encoding}\n" if encoding in ("cp932", "euc-jp") else ""
    path.write_bytes(f"{declared}# 乱数を使う\nimport random\nprint('乱数', random.random())\n".encode(encoding))
    marks = scan([path]).marks
    assert [(mark.rule, mark.column) for mark in marks] == [("seed-missing", 13)]


def test_bad_files_do_not_stop_the_others(tmp_path):
    (tmp_path / "bad.py").write_text("def\n", encoding="utf-8")
    (tmp_path / "good.py").write_text("import random\nprint(random.random())\n", encoding="utf-8")
    found = scan([tmp_path])
    assert [unread.reason for unread in found.unread] == ["syntax"]
    assert [mark.rule for mark in found.marks] == ["seed-missing"]


def test_cells_and_lines_of_a_notebook(tmp_path):
    path = tmp_path / "book.ipynb"
    cells = (
        ["%matplotlib inline\n", "!pip install numpy\n", "import numpy as np"],
        ["%%bash\n", "ls | sort\n"],
        ["names = !ls\n", "np?\n", "%time x = np.random.rand(3)\n", "print(x)"],
    )
    path.write_text(json.dumps(_notebook(*cells), indent=1), encoding="utf-8")
    (mark,) = scan([path]).marks
    assert (mark.rule, mark.cell, mark.line, mark.column) == ("seed-missing", 4, 3, 11)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("as_one", [True, False])
def test_a_changed_notebook_is_the_same_but_for_that(tmp_path, indent, as_one):
    path = tmp_path / "book.ipynb"
    lines = ["import torch\n", "print('é')\n", "torch.backends.cudnn.benchmark = True"]
    path.write_text(json.dumps(_notebook("".join(lines) if as_one else lines), indent=indent), encoding="utf-8")
    (mark,) = scan([path]).marks
    diff = patch(path, mark.edits)
    changed = [line for line in diff.splitlines() if line.startswith(("+", "-"))]
    assert len(changed) == 4
    assert "benchmark = False" in changed[-1]
    assert changed[-1][1:] == changed[-2][1:].replace("True", "False")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"cells": [{"cell_type": "code", "source": ["x = 1', "broken-notebook"),
        ("[1, 2]", "broken-notebook"),
        ('{"worksheets": []}', "not-notebook"),
        ("", "not-notebook"),
        ('{"cells": ' + "[" * 100_000, "broken-notebook"),
        (json.dumps(_notebook(["def\n"])), "syntax-in-cell"),
    ],
)
def test_broken_notebooks(tmp_path, text, reason):
    path = tmp_path / "book.ipynb"
    path.write_text(text, encoding="utf-8")
    assert [unread.reason for unread in scan([path]).unread] == [reason]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_that_is_imported_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "helper.py")
    (tmp_path / "main.py").write_text("import torch\nfrom helper import seed\nseed()\n")
    found = scan([tmp_path])
    assert [script.file for script in found.scripts] == [str(tmp_path / "main.py")]
