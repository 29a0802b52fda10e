"""A requirement is changed in a copy of the project, and the project stays as it is. uv is the real one."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from support.wheels import wheel

from checks.engine.watch.connection import Listened
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import Facts, MachineFacts, OsFacts, ResolutionResult
from checks.facts.case import Answers, Case
from checks.facts.finding import FAILED_RUN, Finding, Severity
from checks.interpreters import read_interpreter
from checks.proof.changes import NotTriable
from checks.proof.managed import _copy_manifest
from checks.proof.prove import Tried, prove
from checks.proof.resolving.resolve import resolved
from checks.proof.resolving.resolver import uv_program

UV = uv_program(os.environ)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="copies are made on Linux and macOS so far")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of uv, whose environment holds a release of six that cannot be imported."""
    shelf = tmp_path / "shelf"
    wheel(shelf, "six", "1.0", {"six.py": "raise ImportError('six 1.0 is broken')"})
    wheel(shelf, "six", "2.0", {"six.py": "VALUE = 2"})
    folder = tmp_path / "project"
    folder.mkdir()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    (folder / "pyproject.toml").write_text(
        f'[project]\nname = "p"\nversion = "1"\nrequires-python = "=={version}.*"\ndependencies = ["six<2"]\n'
        f'[tool.uv]\nno-index = true\nfind-links = ["{shelf}"]\n'
    )
    (folder / "prog.py").write_text("import six\nprint(six.VALUE)\n")
    unset = ["VIRTUAL_ENV", "PYTHONPATH", "NAOSU_OFFLINE"]  # there is no index but the shelf
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))] + unset:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(UV).parent), os.environ["PATH"])))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_PYTHON", sys.executable)
    subprocess.run([UV, "sync", "--quiet"], cwd=folder, check=True)
    return folder


def failed(project: Path, requirement: str) -> Case:
    words = (UV, "run", "prog.py")
    run = watch_program(ProgramTask(command=words, folder=project, named=words), Listened(lambda *_: None))
    assert run.failed
    python = read_interpreter(str(project / ".venv/bin/python"))
    assert (python.package_manager, python.project) == ("uv", str(project))
    facts = Facts(
        machine=MachineFacts(os=OsFacts(system="Linux")),
        interpreters=(python,),
        target=python.path,
        runs=(run,),
        here=True,
    )
    finding = Finding(
        cause="dependency-version-conflict",
        severity=Severity.BLOCKING,
        confidence=0.9,
        values={"requirement": requirement, FAILED_RUN: run.label},
        remedies=("install-required-version",),
    )
    return Case(created="", answers=Answers(symptom="does-not-start"), facts=facts, outcomes=(), findings=(finding,))


def test_it_is_resolved_and_proven_and_the_project_stays(project: Path) -> None:
    kept = ("pyproject.toml", "uv.lock", ".venv/lib")
    before = {name: (project / name).read_bytes() for name in kept[:2]}
    case = failed(project, "six>=2")
    (resolution,) = resolved(
        case, {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(project.parent / "shelf")}
    ).facts.resolutions
    assert resolution.result == ResolutionResult.RESOLVED
    assert resolution.commands == (f"uv add --project {project} 'six>=2'",)
    steps = list(prove(case))
    (proof,) = [step.proof for step in steps if isinstance(step, Tried)]
    assert (proof.result, proof.reason, proof.said) == ("proven", "", "")
    assert proof.commands == (f"uv add --project {project} 'six>=2'",)
    assert [(change.name, change.version_before, change.version_after) for change in proof.changes] == [
        ("six", "1.0", "2.0")
    ]
    assert {name: (project / name).read_bytes() for name in before} == before
    assert read_interpreter(str(project / ".venv/bin/python")).package("six").version == "1.0"  # type: ignore[union-attr]


def test_a_release_that_is_not_there_is_not_applied(project: Path) -> None:
    (step,) = [step for step in prove(failed(project, "six>=7")) if isinstance(step, Tried)]
    assert step.proof.result == "not-applied"
    assert "six>=7" in step.proof.said


def test_parts_of_a_project_are_not_taken_apart(project: Path) -> None:
    case = failed(project, "six>=2")
    with (project / "pyproject.toml").open("a") as manifest:
        manifest.write('[tool.uv.sources]\nother = { path = "../other" }\n')
    (step,) = [step for step in prove(case) if isinstance(step, Tried)]
    assert (step.proof.result, step.proof.reason) == ("not-tried", "project")


@pytest.mark.parametrize(
    "wish",
    [
        '[tool.poetry.group.dev.dependencies]\nmine = { path = "../mine", develop = true }',
        '[tool.poetry.dependencies]\nmine = [{ path = "../mine", python = "<3.12" }]',
        '[tool.uv.sources]\nmine = [{ path = "../mine", marker = "x" }]',
        '[tool.uv]\ndev-dependencies = ["mine @ file:///x"]',
        '[project]\ndependencies = ["mine @ file:../mine"]',
        '[project]\ndependencies = ["mine@./mine"]',
        '[project.optional-dependencies]\ntest = ["mine @ ../mine"]',
        '[dependency-groups]\ndev = ["mine @ file:///x"]',
        '[tool.pdm.dev-dependencies]\ndev = ["-e file:///${PROJECT_ROOT}/sub"]',
        '[tool.pdm.dev-dependencies]\ndev = ["-e ./sub"]',
        '[build-system]\nrequires = ["mine @ file:///${PROJECT_ROOT}/mine"]',
    ],
)
def test_a_wish_for_a_file_beside_it_is_not_tried(wish: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(wish)
    with pytest.raises(NotTriable) as refused:
        _copy_manifest(tmp_path, tmp_path / "copy")
    assert (refused.value.reason, refused.value.values) == ("project", {"detail": "path"})


@pytest.mark.parametrize(
    "text",
    [
        "tool = 3", "[tool]\nuv = 3", "[tool.uv]\nsources = 3", "[tool.poetry]\ndependencies = [1, true]",
        'project = "x"\n[build-system]\nrequires = 3', "dependency-groups = 1.5",
        '[build-system]\nrequires = ["hatchling"]\nbackend-path = ["."]',
        '[project]\nreadme = "./README.md"\ndescription = "Opens file: addresses"',
        '[project]\nurls = { a = "https://x.org/@me/p" }\ndependencies = ["six>=2", "t @ https://x.org/t.whl"]',
        '[tool.ruff]\nsrc = ["./src"]\n[tool.uv]\nfind-links = ["/wheels"]',
    ],
)  # fmt: skip
def test_what_names_no_file_is_copied(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    _copy_manifest(tmp_path, tmp_path / "copy")
    assert (tmp_path / "copy/pyproject.toml").is_file()


def test_what_works_on_no_copy_is_said(project: Path) -> None:
    case = failed(project, "six>=2")
    (python,) = case.facts.interpreters or ()
    pixi = msgspec.structs.replace(python, package_manager="pixi")
    case = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, interpreters=(pixi,)))
    assert not list(prove(case)), "nothing can be tried, and so nothing is offered"
