"""A real virtual environment with a broken package, a shelf of wheels that mend it, and the case of its program."""

import hashlib
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from support.wheels import put, wheel

from checks.engine.watch.connection import Listened
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import Facts, MachineFacts, OsFacts, Proof
from checks.facts.case import Answers, Case
from checks.facts.finding import FAILED_RUN, Finding, Severity
from checks.facts.question import SymptomName
from checks.interpreters import read_interpreter

PIP = Path(sysconfig.get_path("purelib"), "pip")  # of the tests

CAUSE, REMEDY = "dependency-version-conflict", "install-fitting-release"


SMALL_PIP = """
import os, pathlib, shutil, sys, zipfile

site = pathlib.Path(__file__).parents[1]


def install(requirement):
    name, _, version = requirement.partition("==")
    found = sorted(pathlib.Path(os.environ["PIP_FIND_LINKS"]).glob(f"{name}-{version or '*'}-*.whl"))
    if not found:
        sys.exit(f"ERROR: No matching distribution found for {requirement}")
    for record in site.glob(f"{name}-*.dist-info/RECORD"):
        for line in record.read_text().splitlines():
            (site / line.split(",")[0]).unlink(missing_ok=True)
        shutil.rmtree(record.parent, ignore_errors=True)
    with zipfile.ZipFile(found[-1]) as wheel:
        wheel.extractall(site)
        metadata = next(entry for entry in wheel.namelist() if entry.endswith("METADATA"))
        for line in wheel.read(metadata).decode().splitlines():
            if line.startswith("Requires-Dist: "):
                install(line.partition(" ")[2])


if sys.argv[1] == "install":
    wanted = sys.argv[2:]
    if wanted[0] == "-r":
        wanted = pathlib.Path(wanted[1]).read_text().split()
    for requirement in wanted:
        if not requirement.startswith("-"):
            install(requirement)
"""


def see_pip(site: Path, folder: Path) -> None:
    """Let an environment see the pip of the tests, whose hundreds of files lie elsewhere and are not copied with it."""
    (folder / "pip of tests").mkdir()
    (folder / "pip of tests" / "pip").symlink_to(PIP, target_is_directory=True)
    (site / "pip_elsewhere.pth").write_text(f"{folder / 'pip of tests'}\n")


def broken_environment(folder: Path, monkeypatch: pytest.MonkeyPatch, *, real_pip: bool = False) -> Path:
    """Its folder: six 1.0 cannot be imported, 2.0 can, 3.0 fails in another way, and 4.0 as 1.0 does.

    Its pip is a few lines that unpack a wheel, which takes a tenth of the time, or that of the tests.
    """
    shelf, environment = folder / "shelf", folder / "my env"
    wheel(shelf, "six", "2.0", {"six.py": "VALUE = 2", "six_extra/__init__.py": ""}, requires=("wrapt",))
    wheel(shelf, "six", "3.0", {"six.py": "import nowhere_at_all"})
    wheel(shelf, "six", "4.0", {"six.py": "raise ImportError('six is broken')"})
    wheel(shelf, "wrapt", "1.0", {"wrapt/__init__.py": ""})
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    if real_pip:
        see_pip(site, folder)
    else:
        (site / "pip").mkdir()
        (site / "pip" / "__main__.py").write_text(SMALL_PIP)
    put(site, "six", "1.0", {"six.py": "raise ImportError('six is broken')"})
    (site / "paths.pth").write_text("# mine\n")
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(shelf),
        "XDG_DATA_HOME": str(folder / "data"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }.items():
        monkeypatch.setenv(name, value)
    return environment


def failed_case(environment: Path, source: str = "import six", requirement: str = "six==2.0") -> Case:
    """The case of a program that was run there and failed, whose remedy was proven."""
    folder = environment.parent / "project"
    folder.mkdir(exist_ok=True)
    (folder / "prog.py").write_text(source)
    python = str(environment / "bin/python")
    words = (python, "prog.py")
    run = watch_program(ProgramTask(command=words, folder=folder, named=words), Listened(lambda *_: None))
    assert run.failed
    proof = Proof(
        cause=CAUSE,
        remedy=REMEDY,
        result="proven",
        commands=(f"'{python}' -m pip install {requirement}",),
        way="copy",
        run=run,
    )
    finding = Finding(
        cause=CAUSE,
        severity=Severity.BLOCKING,
        confidence=0.9,
        values={"requirement": requirement, "import_statement": "import six", FAILED_RUN: run.label},
        remedies=(REMEDY,),
    )
    facts = Facts(
        machine=MachineFacts(os=OsFacts(system="Linux")),
        interpreters=(read_interpreter(python),),
        target=python,
        runs=(run,),
        proofs=(proof,),
        here=True,
    )
    answers = Answers(symptom=SymptomName.DOES_NOT_START)
    return Case(created="", answers=answers, facts=facts, outcomes=(), findings=(finding,))


def tree(folder: Path) -> dict[str, tuple[object, ...]]:
    """Every file, folder and link: kind and rights, time of change, content."""
    found: dict[str, tuple[object, ...]] = {}
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files, "."):
            path = Path(root, name)
            state = path.lstat()
            content = ""
            if path.is_symlink():
                content = str(path.readlink())
            elif path.is_file():
                content = hashlib.sha256(path.read_bytes()).hexdigest()
            found[os.path.normpath(path.relative_to(folder))] = (state.st_mode, state.st_mtime_ns, content)
    return found


_KILLED = """
import os, signal, sys
from pathlib import Path

stage, environment, *sys.path[:0] = sys.argv[1:]
from support.broken_environment import failed_case
from checks.mending import mend, permission, proposal, undo

permission.is_administrator = lambda: False
case = failed_case(Path(environment))


def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)


if stage == "saving":
    mend.freeze = killed
elif stage == "applied":
    mend.finish = killed
elif stage == "undoing":
    undo.discard = killed
elif stage == "applying":  # the installer lives on, as after any kill
    from checks.proof import apply
    start = apply.ProcessTree
    def started(command, **named):
        tree = start(command, **named)
        if "install" in command:
            killed()
        return tree
    apply.ProcessTree = started
try:
    steps = mend.mend(case, proposal.proposal(case))
    while True:
        next(steps)
except StopIteration as ended:
    undo.with_undone(ended.value, ended.value.facts.mendings[-1].id)
"""


def killed_at(stage: str, environment: Path, python: str) -> None:
    """Let a process of its own carry out the remedy, and be killed: while it saves, or with the package installed."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([python, "-c", _KILLED, stage, str(environment), str(root), str(root / "tests")])
    assert done.returncode == -9
