"""The imports of a program, as its syntax tells them."""

import json
from pathlib import Path

from checks.readers.scripts.imports import MOST, imports_of, is_import

PROGRAM = """
from __future__ import annotations
import os, torch.nn as nn
from typing import TYPE_CHECKING
from .own import thing
if TYPE_CHECKING:
    import only_for_types
else:
    import real
try:
    import optional
except ImportError:
    optional = None
try:
    import needed
finally:
    print("x")
if __name__ == "__main__":
    from peft import LoraConfig, get_peft_model
def late():
    import in_a_function
"""


def _file(folder: Path, text: str, name: str = "prog.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_what_runs_at_the_start_is_told_in_order(tmp_path: Path) -> None:
    assert imports_of(_file(tmp_path, PROGRAM)) == (
        "import os",
        "import torch.nn",
        "from typing import TYPE_CHECKING",
        "import real",
        "import needed",
        "from peft import LoraConfig",
        "from peft import get_peft_model",
    )


def test_what_the_program_calls_at_its_start_counts(tmp_path: Path) -> None:
    program = """
def load():
    import cv2
    return cv2
def main():
    import yaml
    print(load(), lambda: never())
    main()
def never():
    import unused
class Net:
    def forward(self):
        never()
if __name__ == "__main__":
    main()
"""
    assert imports_of(_file(tmp_path, program)) == ("import yaml", "import cv2")


def test_a_notebook_is_its_code_cells_without_magic(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["import nothing"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "!pip install x\n", "import numpy"]},
        {"cell_type": "code", "source": "import jax"},
    ]
    assert imports_of(_file(tmp_path, json.dumps({"cells": cells}), "a.ipynb")) == ("import numpy", "import jax")


def test_what_is_no_program_has_none(tmp_path: Path) -> None:
    assert imports_of(tmp_path / "missing.py") == ()
    assert imports_of(tmp_path) == ()
    assert imports_of(_file(tmp_path, "import torch\nthis is no Python")) == ()
    assert imports_of(_file(tmp_path, "[" * 100_000)) == ()
    assert imports_of(_file(tmp_path, '{"cells": 3}', "b.ipynb")) == ()
    assert len(imports_of(_file(tmp_path, "\n".join(f"import m{number}" for number in range(MOST + 9))))) == MOST


def test_only_a_single_import_is_one() -> None:
    assert is_import("from torch import nn")
    assert is_import("  import torch.nn as nn ")
    assert not is_import("import torch; torch.load('x')")
    assert not is_import("from . import x")
    assert not is_import("from torch import (")
    assert not is_import("x = 1")


def test_what_is_imported_for_some_releases_or_systems_only_is_left_out(tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text(
        "import sys\nimport sklearn\nif sklearn.__version__ < '1.2':\n    from sklearn.datasets import load_boston\n"
        "if sys.platform == 'win32':\n    import winreg\nif True:\n    import numpy\n"
    )
    assert imports_of(program) == ("import sys", "import sklearn", "import numpy")
