"""What a folder may hold beside programs, and programs that no person wrote: a line for each, the others go on."""

import json
import os
import sys

import pytest

from checks.analysis.scripts.scan import scan
from wizard.cli.command_line import run_command

DRAW = "print(random.random())\n"


@pytest.mark.parametrize(
    "deep",
    [
        pytest.param("x = " + "+".join(["1"] * 500), id="sum"),
        pytest.param("x = a" + ".b()" * 500, id="calls"),
        pytest.param("x = " + "lambda: " * 500 + "1", id="lambdas"),
        pytest.param("if a == 0:\n    pass\n" + "elif a:\n    pass\n" * 500, id="branches"),
    ],
)
def test_depth_ends_no_scan(tmp_path, deep):
    (tmp_path / "deep.py").write_text(f"import random\n{deep}\n{DRAW}", encoding="utf-8")
    (tmp_path / "good.py").write_text(f"import random\n{DRAW}", encoding="utf-8")
    found = scan([tmp_path])
    assert [unread.reason for unread in found.unread] == ["too-deep"]
    assert [mark.file for mark in found.marks] == [str(tmp_path / "good.py")]


@pytest.mark.parametrize("levels", [60, 600])
def test_functions_that_call_one_another(tmp_path, levels):
    calls = "".join(f"def f{at}():\n    return f{at + 1}()\n" for at in range(levels))
    text = f"import random\n{calls}def f{levels}():\n    return random.random()\nprint(f0())\n"
    (tmp_path / "calls.py").write_text(text, encoding="utf-8")
    found = scan([tmp_path])
    assert not found.unread
    assert len(found.marks) <= 1


@pytest.mark.parametrize("newer", ["try:\n    pass\nexcept A, B:\n    pass\n", "x = t'{a}'\n", "exec 'x'\n"])
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python knows it")
def test_syntax_of_another_python(tmp_path, newer):
    (tmp_path / "other.py").write_text(newer, encoding="utf-8")
    assert [unread.reason for unread in scan([tmp_path]).unread] == ["syntax"]


@pytest.mark.parametrize("form", ["--json", "--sarif", "--diff"])
def test_bytes_of_two_encodings_come_out(tmp_path, capfdbinary, form):
    (tmp_path / "mixed.py").write_bytes(
        b"import random\n# \x83\x65\x83X\nx = '\xe3\x82\xb9\xff'\nprint(random.random())\n"
    )
    assert run_command(["scan", form, str(tmp_path)]) == 1
    out = capfdbinary.readouterr().out
    assert b"random.seed" in out
    if form != "--diff":
        json.loads(out)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_folder_of_no_files(tmp_path):
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "dangling.py").symlink_to("nowhere")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "fifo.py")
    (tmp_path / "good.py").write_text(f"import random\n{DRAW}", encoding="utf-8")
    assert [mark.file for mark in scan([tmp_path]).marks] == [str(tmp_path / "good.py")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets not everybody make links")
def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "elsewhere.py").write_text(f"import random\n{DRAW}", encoding="utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "main.py").write_text(f"import random\n{DRAW}", encoding="utf-8")
    (folder / "out.py").symlink_to(tmp_path / "elsewhere.py")
    (folder / "within.py").symlink_to("main.py")
    found = scan([folder])
    assert [script.file for script in found.scripts] == [str(folder / name) for name in ("main.py", "within.py")]
    assert [script.file for script in scan([folder / "out.py"]).scripts] == [str(folder / "out.py")]  # which is named


def test_files_that_import_one_another(tmp_path):
    (tmp_path / "a.py").write_text(
        f"import random\nfrom b import *\nimport b\nif __name__ == '__main__':\n    {DRAW}    b.f()\n", encoding="utf-8"
    )
    (tmp_path / "b.py").write_text("from a import *\nimport a\ndef f():\n    return f() or a.f()\n", encoding="utf-8")
    assert [mark.rule for mark in scan([tmp_path]).marks] == ["seed-missing"]


@pytest.mark.parametrize("cell", [5, None, {"cell_type": "code", "source": 7}, {"cell_type": 3, "source": None}])
def test_cells_that_are_none(tmp_path, cell):
    good = {"cell_type": "code", "source": ["await f()\n", "import random\n", DRAW]}
    for name, cells in (("bad", [cell, good]), ("good", [{"cell_type": "code"}, good])):
        (tmp_path / f"{name}.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    found = scan([tmp_path])
    assert [unread.reason for unread in found.unread] == ["broken-notebook"]
    assert [(mark.rule, mark.cell, mark.line) for mark in found.marks] == [("seed-missing", 2, 3)]
