"""Programs that worked and fail after a change, built really: what is named first, and the way back, tried.

More of them, with packages of an index, are built by hand: tests/tools/changed_pairs.py.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from support.broken_environment import SMALL_PIP
from support.wheels import put, wheel

from checks.analysis.history.ranking import Relation, changes_of
from checks.engine.installed_files import with_content_compared
from checks.engine.request import Request
from checks.engine.watch.connection import Listened
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import EnvironmentVariables, Facts, MachineFacts, OsFacts
from checks.facts.case import Answers, Case
from checks.facts.question import SymptomName
from checks.history.remember import look_back
from checks.history.store import Store
from checks.interpreters import read_interpreter
from checks.interpreters.installed import read_installed
from checks.judgement.judge import judged
from checks.proof.prove import prove
from wizard.report.content.report import build
from wizard.report.prints.json_report import to_json
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="copies are made on Linux and macOS so far")


class Place:
    """A project with an environment of its own, and what is remembered of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "project"
        self.folder.mkdir()
        env = root / "env"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True)
        (self.site,) = env.glob("lib/python*/site-packages")
        (self.site / "pip").mkdir()
        (self.site / "pip" / "__main__.py").write_text(SMALL_PIP)
        self.python = str(env / "bin/python")
        self.store = Store(root / "history")
        put(self.site, "six", "2.0", {"six.py": "VALUE = 2\n"})
        put(self.site, "regex", "1.0", {"regex.py": ""})

    def replaced(self, name: str, version: str, files: dict[str, str]) -> None:
        for path in [*self.site.glob(f"{name}-*.dist-info")]:
            shutil.rmtree(path)
        put(self.site, name, version, dict(files))

    def examined(self, **variables: str) -> Case:
        words = (self.python, "prog.py")
        run = watch_program(ProgramTask(command=words, folder=self.folder, named=words), Listened(lambda *_: None))
        target = read_interpreter(self.python)
        facts = Facts(
            machine=MachineFacts(os=OsFacts(system="Linux")),
            interpreters=(target,),
            target=self.python,
            environment=EnvironmentVariables(values=variables),
            installed=read_installed(target),
            runs=(run,),
            here=True,
        )
        facts = with_content_compared(facts, Request())
        facts = msgspec.structs.replace(facts, history=look_back(facts, self.store, self.root))
        return judged(facts, Answers(symptom=SymptomName.AFTER_CHANGE))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    shelf = tmp_path / "shelf"
    wheel(shelf, "six", "2.0", {"six.py": "VALUE = 2\n"})
    wheel(shelf, "regex", "1.0", {"regex.py": ""})
    monkeypatch.delenv("NAOSU_OFFLINE", raising=False)  # there is no index but the shelf
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(shelf), "PYTHONDONTWRITEBYTECODE": "1"}.items():
        monkeypatch.setenv(name, value)
    return Place(tmp_path)


def proven(case: Case) -> dict[str, str]:
    steps = prove(case)
    try:
        while True:
            next(steps)
    except StopIteration as ended:
        tried: Case = ended.value
    return {proof.remedy: proof.result for proof in tried.facts.proofs}


def first(case: Case) -> tuple[str, Relation]:
    best = changes_of(case.facts)[0]
    return best.change.name, best.relation


def way_back(case: Case) -> Case:
    """The case with nothing but the finding of what changed, so that its remedies are those that are tried."""
    return msgspec.structs.replace(
        case, findings=tuple(found for found in case.findings if found.cause == "changed-since-it-worked")
    )


def test_an_upgrade_is_named_and_the_way_back_proven(place: Place) -> None:
    (place.folder / "prog.py").write_text("import regex, six\nprint(six.VALUE)\n")
    assert place.examined().facts.runs[0].worked
    place.replaced("six", "3.0", {"six.py": "OTHER = 3\n"})
    place.replaced("regex", "1.1", {"regex.py": ""})
    case = place.examined()
    assert first(case) == ("six", Relation.LIKELY)
    assert proven(way_back(case)) == {"return-to-working-release": "proven"}


def test_a_removed_package_is_named_and_the_way_back_proven(place: Place) -> None:
    (place.folder / "prog.py").write_text("import six\nprint(six.VALUE)\n")
    place.examined()
    place.replaced("regex", "1.1", {"regex.py": ""})
    shutil.rmtree(next(place.site.glob("six-*.dist-info")))
    (place.site / "six.py").unlink()
    case = place.examined()
    assert first(case) == ("six", Relation.LIKELY)
    assert proven(way_back(case)) == {"install-removed-package-again": "proven"}


def test_an_edited_file_is_named_and_the_way_back_proven(place: Place) -> None:
    (place.folder / "prog.py").write_text("import six\nprint(six.VALUE)\n")
    place.examined()
    (place.site / "six.py").write_text("VALVE = 2\n")  # as long as before
    case = place.examined(OMP_NUM_THREADS="2")
    assert first(case) == ("six.py", Relation.LIKELY)
    assert proven(way_back(case)) == {"reinstall-damaged-package": "proven"}


def test_a_variable_is_named_and_the_way_back_proven(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.folder / "prog.py").write_text('"""Usage."""\nimport six\nprint(__doc__.strip())\n')
    assert place.examined().facts.runs[0].worked
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    place.replaced("six", "2.1", {"six.py": "VALUE = 2\n"})
    case = place.examined(PYTHONOPTIMIZE="2", OMP_NUM_THREADS="2")
    assert first(case) == ("PYTHONOPTIMIZE", Relation.LIKELY)
    assert proven(way_back(case)) == {"unset-environment-variable": "proven"}


def test_a_path_file_is_named_and_the_way_back_proven(place: Place) -> None:
    (place.folder / "prog.py").write_text("import sys, six\nsys.exit(six.VALUE - 2)\n")
    assert place.examined().facts.runs[0].worked
    (place.root / "old").mkdir()
    (place.root / "old" / "six.py").write_text("VALUE = 1\n")
    (place.site / "zz.pth").write_text(f"import sys; sys.path.insert(0, {str(place.root / 'old')!r})\n")
    place.replaced("regex", "1.1", {"regex.py": ""})
    case = place.examined()
    assert first(case) == (str(place.site / "zz.pth"), Relation.UNSURE), "an exit code alone leads nowhere"
    assert not way_back(case).findings


def test_a_folder_that_pythonpath_has_lost_is_named(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.root / "own modules").mkdir()
    (place.root / "own modules" / "mine.py").write_text("")
    (place.folder / "prog.py").write_text("import mine\n")
    monkeypatch.setenv("PYTHONPATH", str(place.root / "own modules"))
    assert place.examined(PYTHONPATH=str(place.root / "own modules")).facts.runs[0].worked
    monkeypatch.delenv("PYTHONPATH")
    place.replaced("regex", "1.1", {"regex.py": ""})
    case = place.examined()
    assert first(case) == ("PYTHONPATH", Relation.LIKELY)
    assert proven(way_back(case)) == {"set-variable-back": "proven"}


def test_a_file_that_is_new_beside_the_program_is_named(place: Place) -> None:
    (place.folder / "prog.py").write_text("import six\nprint(six.VALUE)\n")
    assert place.examined().facts.runs[0].worked
    (place.folder / "six.py").write_text("OTHER = 1\n")
    place.replaced("regex", "1.1", {"regex.py": ""})
    case = place.examined()
    name, relation = first(case)
    assert name.endswith("project/six.py")
    assert relation is Relation.LIKELY


@pytest.mark.parametrize(
    ("before", "after", "called"),
    [
        ("def double(x):\n    return six.VALUE * x\n", "def double(x):\n    return six.VALUE * y\n", "double(2)"),
        ("def double(x, by=2):\n    return by * x\n", "def double(x):\n    return 2 * x\n", "double(2, by=3)"),
    ],
    ids=["inside", "where it is called"],
)
def test_the_users_own_edit_is_not_blamed_on_a_package(place: Place, before: str, after: str, called: str) -> None:
    (place.folder / "helper.py").write_text(f"import six\n{before}")
    (place.folder / "prog.py").write_text(f"import helper\nprint(helper.{called})\n")
    assert place.examined().facts.runs[0].worked
    (place.folder / "helper.py").write_text(f"import six\n{after}")
    place.replaced("six", "2.1", {"six.py": "VALUE = 2\n"})
    case = place.examined()
    best, second = changes_of(case.facts)
    assert best.change.name.endswith("helper.py")
    assert (best.relation, second.relation) == (Relation.LIKELY, Relation.UNSURE)


Printed = Callable[[Case, str], str]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "printed",
    [
        lambda case, language: to_terminal(build(case, language)),
        lambda case, language: to_markdown(build(case, language)),
        lambda case, language: to_json(case, language).decode(),
    ],
    ids=["terminal", "markdown", "json"],
)
def test_every_form_of_the_report_says_it(place: Place, printed: Printed, language: str) -> None:
    (place.folder / "prog.py").write_text("import regex, six\nprint(six.VALUE)\n")
    place.examined()
    place.replaced("six", "3.0", {"six.py": "OTHER = 3\n"})
    place.replaced("regex", "1.1", {"regex.py": ""})
    text = printed(place.examined(), language)
    assert "six==2.0" in text
    assert "regex" in text
    assert "Phrase(" not in text


@pytest.mark.parametrize("language", ["en", "ja"])
def test_that_nothing_changed_is_said(place: Place, language: str) -> None:
    (place.folder / "prog.py").write_text("open('data.txt')\n")
    (place.folder / "data.txt").write_text("")
    place.examined()
    (place.folder / "data.txt").unlink()
    case = place.examined()
    assert not changes_of(case.facts)
    assert not [found for found in case.findings if found.cause == "changed-since-it-worked"]
    assert ("has changed since" if language == "en" else "変化はありません") in to_terminal(build(case, language))
