"""The hostile samples of the tests really run something: each in a process of its own, in an empty folder."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.extent import ALL, some
from support.hostile.assembler import Hostile
from support.hostile.corpus import samples
from support.hostile.loaded_trees import loaded_trees, written

TESTS = Path(__file__).parents[1]
# Not all that they call is installed with the tests; with dill 0.4.1, pandas 3.1.1, PyYAML 6.0.3, py7zr 1.1.4 and Keras
# 3.15.1 beside it, every sample was proven.
_LIBRARIES = {"torch", "keras", "numpy", "joblib"}


def _is_there(sample: Hostile) -> bool:
    needed = {*sample.needs, *({sample.loader} & _LIBRARIES)}
    return all(importlib.util.find_spec(module) is not None for module in needed)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="they are written for Linux, and loaded after a fork")
@pytest.mark.parametrize("module", ["numpy", "torch"])
def test_they_run_something(module: str, tmp_path: Path, torch_python: str) -> None:
    of_module = [
        sample for sample in samples() if ("torch" in sample.needs) is (module == "torch") and _is_there(sample)
    ]
    chosen = some(of_module, 15)
    # One looks into the module in which Python starts, which is another one in a Python that has started already.
    python = sys.executable if ALL else torch_python
    wanted = []
    for index, sample in enumerate(chosen):
        path = tmp_path / str(index) / sample.file
        path.parent.mkdir()
        path.write_bytes(sample.content)
        wanted.append({"id": sample.id, "file": str(path.relative_to(tmp_path)), "loader": sample.loader})
    done = subprocess.run(
        [python, "-m", "support.hostile.proof", str(tmp_path), module],
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        timeout=600,
        check=True,
    )
    assert {sample.id for sample in chosen} - set(json.loads(done.stdout)) == set()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="they are written for Linux, and loaded after a fork")
def test_what_lies_beside_weights_runs_something(tmp_path: Path, torch_python: str) -> None:
    """With hydra-core 1.3.2, HyperPyYAML 1.2.3 and py7zr beside the tests, each was proven."""
    there = [tree for tree in loaded_trees() if all(map(importlib.util.find_spec, tree.needs))]
    wanted = []
    for index, tree in enumerate(some(there, 15)):
        path = written(tree, tmp_path / str(index))
        wanted.append({"id": tree.id, "file": str(path.relative_to(tmp_path)), "loader": tree.loader})
    done = subprocess.run(
        [sys.executable if ALL else torch_python, "-m", "support.hostile.tree_proof", str(tmp_path)],
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        timeout=600,
        check=True,
    )
    assert {each["id"] for each in wanted} - set(json.loads(done.stdout)) == set()
