"""A requirement is changed in a copy of the project, and the project stays as it is. uv is the real one."""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import msgspec
import pytest
from support.broken_environment import tree
from support.wheels import wheel

from checks.engine.watch.connection import Listened
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import Facts, MachineFacts, OsFacts, Proof, ResolutionResult
from checks.facts.case import Answers, Case
from checks.facts.finding import FAILED_RUN, Finding, Severity
from checks.interpreters import read_interpreter
from checks.mending import permission
from checks.mending.journal import journals
from checks.mending.mend import mend
from checks.mending.permission import NotMended
from checks.mending.proposal import proposal
from checks.mending.undo import undo
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
    python = str(project / ".venv/bin/python")
    case = case_of((UV, "run", "prog.py"), project, python, requirement)
    assert (case.facts.interpreters or ())[0].project == str(project)
    return case


def case_of(words: tuple[str, ...], project: Path, program: str, requirement: str) -> Case:
    run = watch_program(ProgramTask(command=words, folder=project, named=words), Listened(lambda *_: None))
    assert run.failed
    python = read_interpreter(program)
    assert python.package_manager in ("uv", "pipx")
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


def test_what_was_proven_is_carried_out_in_the_project_and_undone(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    case = failed(project, "six>=2")
    line = f"uv add --project {project} 'six>=2'"
    proof = Proof(
        cause="dependency-version-conflict",
        remedy="install-required-version",
        result="proven",
        commands=(line,),
        run=case.facts.runs[0],
    )
    case = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, proofs=(proof,)))
    before = tree(project)
    proposed = proposal(case)
    assert proposed is not None
    assert proposed.commands == (line,)
    assert {path.name for path in proposed.manifests if path.exists()} == {"pyproject.toml", "uv.lock"}
    (mending,) = ended(mend(case, proposed)).facts.mendings
    assert mending.result == "fixed"
    manifest = project / "pyproject.toml"
    assert "six>=2" in manifest.read_text()
    changed = manifest.read_text()
    manifest.write_text(changed + "# mine")
    with pytest.raises(NotMended, match="changed-since"):
        undo(journals()[0])
    manifest.write_text(changed)
    assert undo(journals()[0]).key == "line"
    after = tree(project)
    for found in (before, after):
        found.pop(".")  # its time, since something was written in it
        for name in [name for name in found if "__pycache__" in name]:  # which Python writes anew, and uv removes
            found.pop(name)
    assert after == before


PIPX = """#!{python}
import json, os, pathlib, subprocess, sys
verb, *words = sys.argv[1:]
force, name, wanted = words
place = pathlib.Path(os.environ["PIPX_HOME"], "venvs", name)
assert (verb, force) == ("inject", "--force") and place.is_dir(), sys.argv
uv = [{uv!r}, "pip", "install", "--quiet", "--python", str(place / "bin/python"), wanted]
code = subprocess.run(uv).returncode
receipt = place / "pipx_metadata.json"
receipt.write_text(json.dumps({{**json.loads(receipt.read_text()), "injected": wanted}}))
sys.exit(code)
"""


def test_pipx_works_in_a_home_of_its_own_and_then_in_the_users(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's pipx is a few lines that do what it does; the environment has no pip, as its newer ones."""
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    place = tmp_path / "home" / "venvs" / "tool"
    place.parent.mkdir(parents=True)
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, str(place)], check=True)
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path / "shelf"))
    subprocess.run([UV, "pip", "install", "--quiet", "--python", str(place / "bin/python"), "six<2"], check=True)
    (place / "pipx_metadata.json").write_text("{}")
    (tmp_path / "bin").mkdir()
    pipx = tmp_path / "bin" / "pipx"
    pipx.write_text(PIPX.format(python=sys.executable, uv=UV))
    pipx.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(pipx.parent), os.environ["PATH"])))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    case = case_of((str(place / "bin/python"), "prog.py"), project, str(place / "bin/python"), "six>=2")
    before = tree(place)
    proven = ended(prove(case))
    (proof,) = proven.facts.proofs
    assert (proof.result, proof.reason, proof.commands) == ("proven", "", ("pipx inject --force tool 'six>=2'",))
    assert tree(place) == before
    proposed = proposal(proven)
    assert proposed is not None
    (mending,) = ended(mend(proven, proposed)).facts.mendings
    assert mending.result == "fixed"
    assert (place / "pipx_metadata.json").read_text() != "{}"
    assert undo(journals()[0]).key == "line", "what pipx notes is not taken for the user's own"
    assert tree(place) == before


def ended(steps: Generator[object, None, Case]) -> Case:
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
