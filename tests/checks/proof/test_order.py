"""Which remedies are tried first, what they share, and what is said of those that are not tried."""

import shutil
import sys
from pathlib import Path

import msgspec
import pytest
from support.broken_environment import tree
from support.trials import Failed, proofs_of

from checks.facts import History, Resolution
from checks.facts.case import Case
from checks.interpreters import read_interpreter
from checks.proof.candidates import in_order
from checks.proof.copies import reused_copy
from checks.proof.copies.reused_copy import ReusedCopy
from checks.proof.witness import Witness

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="copies are made on Linux and macOS so far")

RELEASE = "dependency-version-conflict"
INSTALL, UNSET = "install-fitting-release", "unset-environment-variable"
SIX = {"requirement": "six==2.0", "import_statement": "import six"}


def with_finding(case: Case, confidence: float, cause: str, remedy: str, **values: str) -> Case:
    """The same with another finding behind its own."""
    (first,) = case.findings
    values = {**first.values, **values}  # type: ignore[dict-item]
    other = msgspec.structs.replace(
        first, cause=cause, subject="another", confidence=confidence, remedies=(remedy,), values=values
    )
    return msgspec.structs.replace(case, findings=(first, other))


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Those that were made."""
    made: list[str] = []
    real = reused_copy.copied

    def copied(*given: object) -> object:
        made.append("made")
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(reused_copy, "copied", copied)
    return made


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often what failed was started again."""
    started: list[str] = []
    real = Witness.started

    def counted(*given: object) -> object:
        started.append("run")
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(Witness, "started", counted)
    return started


@pytest.mark.parametrize(("confidence", "tried"), [(0.85, [UNSET]), (0.6, [INSTALL, UNSET])])
def test_of_what_is_about_as_likely_the_cheap_is_tried_first(
    failed: Failed, copies: list[str], monkeypatch: pytest.MonkeyPatch, confidence: float, tried: list[str]
) -> None:
    monkeypatch.setenv("TORCH_LOGS", "verbose")
    source = "import os\nassert 'TORCH_LOGS' not in os.environ"
    case = failed(RELEASE, SIX, (INSTALL,), source)
    case = with_finding(case, confidence, "environment-variable-invalid", UNSET, variable="TORCH_LOGS")
    assert list(proofs_of(case)) == tried
    assert len(copies) == len(tried) - 1


def test_within_a_finding_the_better_goes_first_and_a_new_environment_last(failed: Failed) -> None:
    values = {**SIX, "variable": "TORCH_LOGS", "package_name": "six"}
    case = failed(RELEASE, values, ("make-fresh-environment", INSTALL, UNSET), "import six")
    order = [candidate.plan.id for candidate in in_order(case, "en", frozenset())]
    assert order == [INSTALL, UNSET, "make-fresh-environment"]


def test_of_two_packages_the_smaller_download_goes_first(failed: Failed) -> None:
    case = failed(RELEASE, {**SIX, "package_name": "six"}, ("update-package", INSTALL), "import six")
    sizes = {"update-package": 600 * 10**6, INSTALL: 18 * 10**6}
    resolutions = tuple(
        Resolution(cause=RELEASE, remedy=remedy, result="resolved", download_bytes=size)
        for remedy, size in sizes.items()
    )
    assert [one.plan.id for one in in_order(case, "en", frozenset())] == ["update-package", INSTALL]
    known = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, resolutions=resolutions))
    assert [one.plan.id for one in in_order(known, "en", frozenset())] == [INSTALL, "update-package"]


def test_what_does_not_resolve_goes_last(failed: Failed) -> None:
    case = failed(RELEASE, {**SIX, "package_name": "six"}, ("make-fresh-environment", INSTALL), "import six")
    unresolved = (Resolution(cause=RELEASE, remedy=INSTALL, result="no-solution"),)
    case = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, resolutions=unresolved))
    assert [one.plan.id for one in in_order(case, "en", frozenset())] == ["make-fresh-environment", INSTALL]


def two_releases(failed: Failed, first: str) -> Case:
    case = failed(RELEASE, {**SIX, "requirement": first}, (INSTALL,), "import six")
    return with_finding(case, 0.85, "protobuf-conflict", "install-required-version", **SIX)


@pytest.mark.usefixtures("real_pip")
def test_the_second_trial_takes_the_copy_of_the_first(failed: Failed, copies: list[str], runs: list[str]) -> None:
    proofs = proofs_of(two_releases(failed, "six==3.0"))
    assert [proof.result for proof in proofs.values()] == ["other-failure", "proven"]
    (change,) = proofs["install-required-version"].changes
    assert (change.version_before, change.version_after) == ("1.0", "2.0")
    assert copies == ["made"]
    assert len(runs) == 4, "it is seen to fail once; then one run of the first, two of the second"


def test_a_copy_that_cannot_be_made_as_it_was_is_made_anew(
    failed: Failed, copies: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reused_copy, "_brought_back", lambda *_: False)
    proofs = proofs_of(two_releases(failed, "six==3.0"))
    assert [proof.result for proof in proofs.values()] == ["other-failure", "proven"]
    assert len(copies) == 2


def test_what_a_trial_changed_is_put_back_in_the_copy(environment: Path) -> None:
    copy = ReusedCopy(read_interpreter(str(environment / "bin" / "python")), bool)
    made = copy.make(copy.size())
    before = tree(made.folder)
    (site,) = made.folder.glob("lib/python*/site-packages")
    (site / "six.py").write_text("changed in place")
    (site / "new").mkdir()
    (site / "new" / "file.py").touch()
    shutil.rmtree(site / "pip")
    (made.folder / "bin" / "command").unlink()
    (made.folder / "bin" / "activate").unlink()
    (made.folder / "bin" / "activate").mkdir()
    (made.folder / "bin" / "python3").unlink()
    (made.beside / "printed").touch()
    assert copy.again() is made
    now = tree(made.folder)
    assert now.keys() == before.keys()
    assert {path: (state[0], state[2]) for path, state in now.items()} == {
        path: (state[0], state[2]) for path, state in before.items()
    }
    assert [path.name for path in made.beside.iterdir()] == [made.folder.name]
    copy.drop()
    assert not made.folder.exists()


def test_a_copy_of_what_the_user_changed_meanwhile_is_not_used_again(environment: Path) -> None:
    copy = ReusedCopy(read_interpreter(str(environment / "bin" / "python")), bool)
    made = copy.make(copy.size())
    (made_site,) = made.folder.glob("lib/python*/site-packages")
    (site,) = environment.glob("lib/python*/site-packages")
    (made_site / "six.py").unlink()
    (site / "six.py").write_text("raise ImportError('six 1.1 is broken')")
    assert copy.again() is None
    assert not made.folder.exists()


@pytest.mark.parametrize("by_variable", [False, True])
def test_offline_nothing_is_downloaded(
    failed: Failed, copies: list[str], monkeypatch: pytest.MonkeyPatch, by_variable: bool
) -> None:
    monkeypatch.setenv("TORCH_LOGS", "verbose")
    case = failed(RELEASE, SIX, (INSTALL, "make-fresh-environment"), "import six")
    case = with_finding(case, 0.85, "environment-variable-invalid", UNSET, variable="TORCH_LOGS")
    if by_variable:
        monkeypatch.setenv("NAOSU_OFFLINE", "1")
    proofs = proofs_of(case, offline=not by_variable)
    assert {name: (proof.result, proof.reason) for name, proof in proofs.items()} == {
        INSTALL: ("not-tried", "offline"),
        "make-fresh-environment": ("not-tried", "offline"),
        UNSET: ("did-not-help", ""),
    }
    assert copies == []


def test_a_stop_names_what_was_not_tried(failed: Failed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > 5

    case = two_releases(failed, "six==3.0")
    proofs = proofs_of(case, cancelled=cancelled)
    assert {name: (proof.result, proof.reason) for name, proof in proofs.items()} == {
        INSTALL: ("not-tried", "stopped"),
        "install-required-version": ("not-tried", "stopped"),
    }
    assert not list(place.iterdir())


def test_a_stop_before_the_first_statement_names_it_too(failed: Failed) -> None:
    case = failed(RELEASE, SIX, (INSTALL,), "import six")
    (run,) = case.facts.runs
    tried = msgspec.structs.replace(run, command=(run.command[0],), statement="import six", folder="")
    case = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, runs=(tried,)))
    (proof,) = proofs_of(case, cancelled=lambda: True).values()
    assert (proof.result, proof.reason) == ("not-tried", "stopped")


@pytest.mark.parametrize("worked", ["2026-11-20T10:00:00+00:00", ""])
def test_the_way_back_is_tried_besides_where_it_was_seen_to_work(failed: Failed, worked: str) -> None:
    case = failed(RELEASE, SIX, (INSTALL,), "import six")
    case = with_finding(case, 0.6, "changed-since-it-worked", "return-to-working-release", **SIX)
    facts = msgspec.structs.replace(case.facts, history=History(origin="snapshots", worked=worked))
    proofs = proofs_of(msgspec.structs.replace(case, facts=facts))
    expected = {INSTALL: "proven", **({"return-to-working-release": "proven"} if worked else {})}
    assert {name: proof.result for name, proof in proofs.items()} == expected


def shadowed(failed: Failed, environment: Path, *files: str) -> tuple[Case, Path]:
    """The case of a program beside which lies a file of the name of a module."""
    folder = environment.parent / "project"
    for file in files:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text("")
    hiding = folder / "colorsys.py"
    hiding.write_text("import nothing_like_it")
    values = {"hiding_path": str(hiding), "renamed_path": str(folder / "my_colorsys.py"), "hiding_name": "colorsys.py"}
    values |= {"import_names": "colorsys", "hiding": "", "package_name": "colorsys", "renamed_name": "my_colorsys.py"}
    source = "import colorsys\nprint(colorsys.rgb_to_hsv(0, 0, 0))"
    return failed("shadowing-file", values, ("rename-shadowing-file",), source), folder


def test_a_file_that_hides_a_module_is_renamed_in_a_copy_of_the_program(failed: Failed, environment: Path) -> None:
    case, folder = shadowed(failed, environment, ".git/config", "data/numbers.txt")
    before = tree(folder)
    (proof,) = proofs_of(case).values()
    assert (proof.result, proof.reason, proof.way) == ("proven", "", "program")
    assert proof.commands == (f"mv -n {folder}/colorsys.py {folder}/my_colorsys.py",)
    assert proof.run is not None
    assert proof.run.folder == str(folder)
    assert tree(folder) == before


def test_a_large_folder_is_not_copied(failed: Failed, environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case, folder = shadowed(failed, environment, *(f"{number}.txt" for number in range(20)))
    monkeypatch.setattr("checks.proof.copies.program_copy.MOST_FILES", 10)
    (proof,) = proofs_of(case).values()
    assert (proof.result, proof.reason, proof.values) == ("not-tried", "program-large", {"folder": str(folder)})


def test_a_program_that_leaves_the_copy_proves_nothing(failed: Failed, environment: Path) -> None:
    case, folder = shadowed(failed, environment)
    (folder / "prog.py").write_text(f"import sys; sys.path.insert(0, {str(folder)!r}); import colorsys")
    (proof,) = proofs_of(case).values()
    assert (proof.result, proof.reason) == ("not-tried", "program-elsewhere")


def test_the_folder_of_the_script_is_copied_where_that_in_which_it_is_started_is_large(
    failed: Failed, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, folder = shadowed(failed, environment)
    (run,) = case.facts.runs
    run = msgspec.structs.replace(
        run, command=(run.command[0], "project/prog.py"), started=(), folder=str(folder.parent)
    )
    case = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, runs=(run,)))
    monkeypatch.setattr("checks.proof.copies.program_copy.MOST_FILES", 5)
    (proof,) = proofs_of(case).values()
    assert (proof.result, proof.reason) == ("proven", "")
