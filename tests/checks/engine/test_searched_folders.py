"""Modules that a run did not find and that lie near its program."""

import sys
from pathlib import Path

import pytest

from checks.engine.request import Request
from checks.engine.searched_folders import searched_of
from checks.facts import Facts, InterpreterFacts, ProgramRun, PythonProcess, Raised


@pytest.mark.parametrize(
    ("place", "is_found", "is_beside"),
    [
        ("scripts/helper.py", True, True),
        ("helper/core.py", True, False),
        ("src/helper/core.py", True, False),
        ("other/helper.py", False, False),
        ("helper/data.csv", False, False),
    ],
)
def test_where_a_module_is_looked_for(tmp_path: Path, place: str, is_found: bool, is_beside: bool) -> None:
    for path in (tmp_path / "scripts" / "main.py", tmp_path / place):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    raised = Raised(type="ModuleNotFoundError", message="No module named 'helper.core'", name="helper.core")
    run = ProgramRun(
        command=(sys.executable, "scripts/main.py"),
        folder=str(tmp_path),
        exit_code=1,
        pythons=(PythonProcess(pid=1, raised=raised),),
    )
    searched = searched_of(InterpreterFacts(path=sys.executable), Facts(runs=(run,)), Request())
    assert searched is not None
    assert [(own.module, own.is_beside_program) for own in searched.own_modules] == (
        [("helper", is_beside)] if is_found else []
    )


def test_a_package_from_whose_own_folder_it_was_started(tmp_path: Path) -> None:
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool" / "train.py").write_text("")
    said = "python: Error while finding module specification for 'tool.train' (ModuleNotFoundError: "
    run = ProgramRun(
        command=(sys.executable, "-m", "tool.train"),
        folder=str(tmp_path / "tool"),
        exit_code=1,
        errors=f"{said}No module named 'tool')",
    )
    searched = searched_of(InterpreterFacts(path=sys.executable), Facts(runs=(run,)), Request())
    assert searched is not None
    assert [(own.module, own.folder) for own in searched.own_modules] == [("tool", str(tmp_path))]
