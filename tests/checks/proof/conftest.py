"""A real virtual environment with a broken package, and the case of a program that failed in it."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.broken_environment import PIP, SMALL_PIP, see_pip, tree
from support.new_environments import small_pip_in_new
from support.trials import Failed
from support.wheels import put, wheel

from checks.engine.watch.connection import Listened
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import Facts, MachineFacts, OsFacts
from checks.facts.case import Answers, Case
from checks.facts.finding import FAILED_RUN, Finding, Severity
from checks.facts.question import SymptomName
from checks.interpreters import read_interpreter


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheels and one source distribution, from which pip installs instead of from an index."""
    folder = tmp_path_factory.mktemp("shelf")
    wheel(folder, "six", "2.0", {"six.py": "VALUE = 2"})
    wheel(folder, "six", "3.0", {"six.py": "import nowhere_at_all"})
    wheel(folder, "regex", "1.0", {"regex.py": ""}, requires=("nowhere-at-all",))
    return folder


@pytest.fixture
def real_pip() -> None:
    """Wanted by tests of what pip itself does; the others have a few lines that unpack a wheel."""


@pytest.fixture
def pip_inside(real_pip: None) -> None:
    """Wanted by the test that also copies pip, with its hundreds of files; the others see one that lies elsewhere."""


@pytest.fixture
def small_pip_in_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new environment gets those few lines, too: its own pip takes 7 seconds, and a release's tests wait for it."""
    small_pip_in_new(monkeypatch)


@pytest.fixture
def environment(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A user's virtual environment, with six 1.0 and a command."""
    folder = tmp_path / "my env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    if "pip_inside" in request.fixturenames:
        shutil.copytree(PIP, site / "pip")
    elif "real_pip" in request.fixturenames:
        see_pip(site, tmp_path)
    else:
        (site / "pip").mkdir()
        (site / "pip" / "__main__.py").write_text(SMALL_PIP)
    put(site, "six", "1.0", {"six.py": "raise ImportError('six 1.0 is broken')"})
    # As pip writes it where the path has a space in it.
    start = f"#!/bin/sh\n'''exec' \"{folder}/bin/python\" \"$0\" \"$@\"\n' '''\n"
    (folder / "bin" / "command").write_text(start + "import six\nprint('fine')\n")
    (folder / "bin" / "command").chmod(0o755)
    return folder


@pytest.fixture
def failed(tmp_path: Path, environment: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Failed]:
    """A case of a program that was run and failed, with one finding of it; and pip has the shelf alone."""
    monkeypatch.delenv("NAOSU_OFFLINE", raising=False)  # there is no index but the shelf
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(shelf), "PYTHONDONTWRITEBYTECODE": "1"}.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "project"
    folder.mkdir()

    before = {}

    def failed(
        cause: str,
        values: dict[str, str],
        remedies: tuple[str, ...],
        source: str = "",
        command: tuple[str, ...] = (),
    ) -> Case:
        before.update(tree(environment))
        (folder / "prog.py").write_text(source)
        python = str(environment / "bin/python")
        words = command or (python, "prog.py")
        run = watch_program(ProgramTask(command=words, folder=folder, named=words), Listened(lambda *_: None))
        assert run.failed
        facts = Facts(
            machine=MachineFacts(os=OsFacts(system="Linux")),
            interpreters=(read_interpreter(python),),
            target=python,
            runs=(run,),
            here=True,
        )
        finding = Finding(
            cause=cause,
            severity=Severity.BLOCKING,
            confidence=0.9,
            values={**values, FAILED_RUN: run.label},
            remedies=remedies,
        )
        answers = Answers(symptom=SymptomName.DOES_NOT_START)
        return Case(created="", answers=answers, facts=facts, outcomes=(), findings=(finding,))

    yield failed
    assert tree(environment) == before, "the user's environment is as it was"
