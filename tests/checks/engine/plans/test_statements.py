"""Statements that are tried alone, in real interpreters with packages made for it."""

import sys
from pathlib import Path

import msgspec
import pytest

from checks.engine.job_runner import JobRunner
from checks.engine.plans.statements import statements_job, with_script_examined
from checks.engine.request import Request
from checks.facts import Facts, InterpreterFacts, Package, ProgramRun, SentFile


def _installed(folder: Path, name: str, source: str, *, requires: tuple[str, ...] = ("numpy",)) -> Package:
    """A package in a folder as an installer leaves it."""
    (folder / f"{name}.py").write_text(source)
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "RECORD").write_text(f"{name}.py,,\n{name}-1.0.dist-info/RECORD,,\n")
    return Package(name=name.replace("_", "-"), version="1.0", location=str(folder), requires=requires)


def _tried(
    packages: tuple[Package, ...], monkeypatch: pytest.MonkeyPatch, folder: Path, **request: object
) -> dict[str, ProgramRun]:
    monkeypatch.setenv("PYTHONPATH", str(folder))
    target = InterpreterFacts(path=sys.executable, packages=packages)
    job = statements_job(target, Request(**request))  # type: ignore[arg-type]
    assert job is not None
    runner = JobRunner(lambda: False)
    events = runner.results((job,))
    try:
        while True:
            next(events)
    except StopIteration as ended:
        return {run.statement: run for run in ended.value[0]}
    finally:
        runner.stop()


def test_an_import_that_fails_is_told_with_its_exception_and_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = _installed(tmp_path, "naosu_broken", "def part():\n    import nowhere_at_all\npart()")
    fine = _installed(tmp_path, "naosu_fine", "VALUE = 1")
    monkeypatch.setenv("NAOSU_BACKEND", "module://gone.backend")
    refusing = _installed(tmp_path, "naosu_refusing", "raise ValueError(\"'module://gone.backend' is no backend\")")
    runs = _tried((broken, fine, refusing), monkeypatch, tmp_path)
    assert runs["import naosu_refusing"].quoted_variables == {"NAOSU_BACKEND": "module://gone.backend"}
    failed = runs["import naosu_broken"]
    assert failed.failed
    assert failed.package == "naosu-broken"
    assert failed.raised is not None
    assert failed.raised.type == "ModuleNotFoundError"
    assert failed.raised.name == "nowhere_at_all"
    assert [frame.function for frame in failed.raised.frames] == ["<module>", "part"]
    assert failed.raised.frames[-1].code == "import nowhere_at_all"
    assert runs["import naosu_fine"].worked


def test_a_crash_is_told_of_the_statement_that_ended_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = (
        _installed(tmp_path, "naosu_a", ""),
        _installed(tmp_path, "naosu_b", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"),
        _installed(tmp_path, "naosu_c", ""),
    )
    runs = _tried(packages, monkeypatch, tmp_path)
    assert runs["import naosu_a"].worked
    assert runs["import naosu_c"].worked
    assert runs["import naosu_b"].signal == "SIGSEGV"
    assert runs["import naosu_b"].failed


def test_what_fails_only_behind_another_one_is_not_accused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _installed(tmp_path, "naosu_first", "import builtins; builtins.naosu_marked = True")
    second = _installed(tmp_path, "naosu_second", "import builtins; assert not hasattr(builtins, 'naosu_marked')")
    runs = _tried((first, second), monkeypatch, tmp_path)
    assert runs["import naosu_first"].worked
    assert runs["import naosu_second"].worked


def test_the_script_and_the_traceback_are_tried_before_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "prog.py"
    script.write_text("import naosu_own\nopen('ran', 'w')\n")
    (tmp_path / "naosu_own.py").write_text("")
    text = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    from json import nothing_like_it\n'
    runs = _tried(
        (_installed(tmp_path, "naosu_fine", ""),),
        monkeypatch,
        tmp_path,
        scripts=(SentFile(name="prog.py", kind="script", origin=str(script)),),
        logs=(SentFile(name="", kind="log", text=text),),
    )
    named = [name for name, run in runs.items() if not run.is_unasked]
    assert named == list(runs)[:2] == ["import naosu_own", "from json import nothing_like_it"]
    assert runs["import naosu_fine"].worked
    assert runs["import naosu_own"].worked
    assert not runs["import naosu_own"].package
    assert runs["from json import nothing_like_it"].failed
    assert not (tmp_path / "ran").exists(), "only its imports are tried, not the script"


def test_a_script_whose_imports_were_tried_is_judged() -> None:
    script = SentFile(name="main.py", kind="script", origin="/home/user/main.py")
    request = Request(scripts=(script,))
    tried = Facts(scripts=(script,), runs=(ProgramRun(command=("python",), statement="import numpy"),))
    assert [one.examined for one in with_script_examined(tried, request).scripts] == [True]
    of_packages = msgspec.structs.replace(tried, runs=(msgspec.structs.replace(tried.runs[0], package="peft"),))
    assert with_script_examined(of_packages, request) == of_packages
    assert with_script_examined(tried, Request()) == tried


def test_nothing_is_tried_where_nothing_is_there() -> None:
    assert statements_job(None, Request()) is None
    assert statements_job(InterpreterFacts(path=sys.executable, problem="missing"), Request()) is None
    plain = (Package(name="six", version="1.0", location="/nowhere", requires=()),)
    assert statements_job(InterpreterFacts(path=sys.executable, packages=plain), Request()) is None


def test_a_python_that_does_not_start_is_started_once(tmp_path: Path) -> None:
    started = tmp_path / "started"
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho >>"{started}"\necho "Fatal Python error: no encodings" >&2\nexit 1\n')
    python.chmod(0o755)
    target = InterpreterFacts(path=str(python), packages=(_installed(tmp_path, "naosu_fine", ""),))
    job = statements_job(target, Request())
    assert job is not None
    runner = JobRunner(lambda: False)
    try:
        list(runner.results((job,)))
    finally:
        runner.stop()
    assert started.read_text().count("\n") == 1
