"""The compilers and the CUDA toolkit that a build would find, in folders made for the test."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from checks.engine.catalogues.probes import PROBES
from checks.engine.processes import runner
from checks.facts import EnvironmentVariables

SPEC = next(each for each in PROBES if each.id == "environment")


def probe(environment: dict[str, str]) -> dict[str, Any]:
    task = runner.ProbeTask(
        "environment", SPEC.script, sys.executable, argument={"names": ["CUDA_HOME"]}, environment=environment
    )
    answer = runner.run_probe(task)
    assert answer.run.status == "ok"
    return answer.facts


def toolkit(folder: Path, version: str | None) -> Path:
    (folder / "bin").mkdir(parents=True)
    for name in ("nvcc", "nvcc.exe"):
        (folder / "bin" / name).touch()
    if version is not None:
        (folder / "version.json").write_text(json.dumps({"cuda": {"name": "CUDA SDK", "version": version}}))
    return folder


@pytest.mark.parametrize(
    ("name", "written", "read"),
    [
        pytest.param("toolkit", "12.4.131", "12.4", id="version-json"),
        pytest.param("cuda-11.0", None, "11.0", id="name-of-the-folder"),
    ],
)
def test_the_toolkit_is_read(tmp_path: Path, name: str, written: str | None, read: str) -> None:
    home = toolkit(tmp_path / name, written)
    facts = probe({"CUDA_HOME": str(home)})
    assert facts["cuda_home"] == str(home)
    assert facts["nvcc_version"] == read


def test_a_toolkit_that_does_not_tell_its_version_is_unread(tmp_path: Path) -> None:
    facts = probe({"CUDA_HOME": str(toolkit(tmp_path / "toolkit", None))})
    assert "nvcc_version" not in facts
    assert "nvcc_version" in facts["unread"]


def test_a_variable_that_leads_nowhere(tmp_path: Path) -> None:
    facts = probe({"CUDA_HOME": f":{tmp_path}"})
    assert facts["cuda_home"] == f":{tmp_path}"
    assert facts["nvcc"] == ""


def test_the_compilers_on_path(tmp_path: Path) -> None:
    compiler = tmp_path / ("gcc.exe" if sys.platform == "win32" else "gcc")
    compiler.touch(0o755)
    found = probe({"PATH": str(tmp_path)})["compilers"]
    assert Path(found["gcc"]) == compiler
    assert found["clang"] == ""
    assert set(EnvironmentVariables(compilers=found).compilers or ()) >= {"cc", "gcc", "clang", "cl"}
