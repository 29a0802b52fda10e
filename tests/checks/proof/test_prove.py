"""Remedies are tried on a real virtual environment with packages made for it, and the user's own stays as it is."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import msgspec
import pytest
from support.trials import Failed, proofs_of
from support.wheels import put, unpack, wheel

from checks.proof.copies import environment_copy
from checks.proof.copies.place import _NODE, trial_folder
from checks.proof.prove import Tried, prove
from checks.proof.trial import Trying
from checks.proof.witness import Witness

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="copies are made on Linux and macOS so far")


SIX = {"requirement": "six==2.0", "import_statement": "import six"}
RELEASE = "dependency-version-conflict"


@pytest.mark.usefixtures("pip_inside")
def test_what_failed_before_and_runs_after_is_proven(failed: Failed) -> None:
    case = failed(RELEASE, SIX, ("install-fitting-release", "update-package"), "import six")
    proofs = proofs_of(case)
    proof = proofs["install-fitting-release"]
    assert (proof.result, proof.reason, proof.way) == ("proven", "", "copy")
    assert [(change.name, change.version_before, change.version_after) for change in proof.changes] == [
        ("six", "1.0", "2.0")
    ]
    assert proof.commands[0].endswith("-m pip install six==2.0")
    assert proof.run is not None
    assert proof.run.worked
    assert "update-package" not in proofs, "nothing more is tried behind a proof"


def test_a_command_of_the_environment_is_run_in_the_copy(failed: Failed, environment: Path) -> None:
    command = (str(environment / "bin" / "command"),)
    case = failed(RELEASE, SIX, ("install-fitting-release",), command=command)
    assert proofs_of(case)["install-fitting-release"].result == "proven"


def test_a_link_to_a_command_of_the_environment_leads_to_the_copy(
    failed: Failed, environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As pipx and "uv tool" leave one in a folder on PATH."""
    (tmp_path / "bin").mkdir()
    link = tmp_path / "bin" / "command"
    link.symlink_to(environment / "bin" / "command")
    monkeypatch.setenv("PATH", os.pathsep.join((str(link.parent), os.environ["PATH"])))
    case = failed(RELEASE, SIX, ("install-fitting-release",), command=("command",))
    assert proofs_of(case)["install-fitting-release"].result == "proven"


@pytest.mark.parametrize(
    ("requirement", "result", "said"),
    [
        ("six==9.9", "not-applied", "No matching distribution found for six==9.9"),
        ("six==3.0", "other-failure", ""),
        ("regex==1.0", "not-applied", "nowhere-at-all"),
    ],
)
def test_a_wrong_remedy_is_not_called_proven(failed: Failed, requirement: str, result: str, said: str) -> None:
    values = {"requirement": requirement, "import_statement": "import six"}
    proof = proofs_of(failed(RELEASE, values, ("install-fitting-release",), "import six"))["install-fitting-release"]
    assert proof.result == result
    assert said in proof.said


def test_a_remedy_without_effect_did_not_help(failed: Failed) -> None:
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six\nimport json\njson.nothing_like_it")
    assert proofs_of(case)["install-fitting-release"].result == "other-failure"
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import json\njson.nothing_like_it")
    assert proofs_of(case)["install-fitting-release"].result == "did-not-help"


def test_what_is_done_only_in_part_is_not_said_to_be_of_no_help(failed: Failed) -> None:
    """The package is installed; to write its right name in the program is up to the user."""
    values = {"requirement": "six==2.0", "import_statement": "import six", "written_module": "sixx"}
    case = failed("package-not-installed", values, ("install-what-the-import-means",), "import sixx")
    proof = proofs_of(case)["install-what-the-import-means"]
    assert proof.result == "not-tried"
    assert proof.reason == "partly-by-hand"


def test_what_breaks_another_package_is_not_proven(failed: Failed, environment: Path, tmp_path: Path) -> None:
    """wrapt 1.0 needs six below 2, which the program does not notice."""
    (site,) = environment.glob("lib/python*/site-packages")
    unpack(site, wheel(tmp_path, "wrapt", "1.0", {"wrapt.py": ""}, requires=("six<2",)))
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six")
    proof = proofs_of(case)["install-fitting-release"]
    assert proof.result == "conflicts"
    assert "wrapt 1.0" in proof.conflicts[0]
    assert proof.helped
    assert not proof.mended


def test_a_setting_is_tried_without_any_copy(failed: Failed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_LOGS", "verbose")
    source = "import os\nassert 'TORCH_LOGS' not in os.environ"
    case = failed("environment-variable-invalid", {"variable": "TORCH_LOGS"}, ("unset-environment-variable",), source)
    proof = proofs_of(case)["unset-environment-variable"]
    assert (proof.result, proof.way) == ("proven", "")


@pytest.mark.usefixtures("real_pip")
def test_a_large_environment_gets_an_overlay(failed: Failed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment_copy, "MOST_COPIED", 1000)
    proof = proofs_of(failed(RELEASE, SIX, ("install-fitting-release",), "import six"))["install-fitting-release"]
    assert (proof.result, proof.way) == ("proven", "overlay")


def test_what_starts_its_own_python_is_not_judged(failed: Failed, environment: Path, tmp_path: Path) -> None:
    script = tmp_path / "start.sh"
    script.write_text(f"#!/bin/sh\nexec '{environment}/bin/python' -c 'import six'\n")
    script.chmod(0o755)
    proof = proofs_of(failed(RELEASE, SIX, ("install-fitting-release",), command=(str(script),)))
    assert (proof["install-fitting-release"].result, proof["install-fitting-release"].reason) == (
        "not-tried",
        "other-python",
    )


def test_nothing_is_tried_of_a_case_from_elsewhere(failed: Failed) -> None:
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six")
    sent = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, here=False))
    assert not proofs_of(sent)


def test_what_a_killed_process_left_goes_with_the_next_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    left, other = (tmp_path / f"naosu-trial-{_NODE}-{pid}-abc" for pid in (ended.pid, os.getpid()))
    for folder in (left, other):
        (folder / "env").mkdir(parents=True)
    with trial_folder(0) as folder:
        assert folder.parent == tmp_path
        assert not left.exists()
        assert other.exists(), "another trial runs"
    assert not folder.exists()


def test_without_room_nothing_is_tried(failed: Failed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment_copy, "ROOM", 1 << 60)
    proof = proofs_of(failed(RELEASE, SIX, ("install-fitting-release",), "import six"))["install-fitting-release"]
    assert (proof.result, proof.reason) == ("not-tried", "no-room")


def test_a_failing_import_is_tried_where_no_program_was_run(failed: Failed) -> None:
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six")
    (run,) = case.facts.runs
    # As the probe of statements tells it: its folder is gone.
    tried = msgspec.structs.replace(run, command=(run.command[0],), statement="import six", folder="/nowhere/any/more")
    case = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, runs=(tried,)))
    proof = proofs_of(case)["install-fitting-release"]
    assert proof.result == "proven"
    assert proof.run is not None
    assert proof.run.command[1:] == ("-c", "import six")


def test_one_trial_serves_what_fails_alike(failed: Failed, environment: Path) -> None:
    """Another import fails for the same reason, and one for its own."""
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "upon_six.py").write_text("import six\nVALUE = six.VALUE")
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six")
    (run,) = case.facts.runs
    runs = tuple(
        msgspec.structs.replace(run, command=(run.command[0],), statement=f"import {name}", folder="")
        for name in ("six", "upon_six", "nowhere_at_all")
    )
    steps = list(prove(msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, runs=runs))))
    trials = [step.number for step in steps if isinstance(step, Trying) and step.stage == "applying"]
    assert len(trials) == len(("six", "nowhere_at_all"))
    (proof,) = {step.proof.remedy: step.proof for step in reversed(steps) if isinstance(step, Tried)}.values()
    assert proof.result == "proven"
    assert [(other.statement, other.worked) for other in proof.others] == [("import upon_six", True)]


def test_a_statement_that_does_not_fail_proves_nothing(failed: Failed) -> None:
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six")
    (run,) = case.facts.runs
    tried = msgspec.structs.replace(run, command=(run.command[0],), statement="import json", folder="")
    assert not proofs_of(msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, runs=(tried,))))


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        (("uv", "run", "prog.py"), "uv"),
        (("/usr/bin/pixi", "run", "train"), "pixi"),
        (("uv", "run", "--no-sync", "prog.py"), ""),
        (("poetry", "run", "python", "prog.py"), ""),
        (("hatch", "run", "python", "prog.py"), ""),  # only when the dependencies of its project change
        (("python", "run"), ""),
    ],
)
def test_what_restores_a_lock_file_is_known(command: tuple[str, ...], tool: str) -> None:
    assert Witness(command, "").restoring_tool == tool


def test_an_installation_that_would_not_last_is_not_tried(failed: Failed) -> None:
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six")
    (run,) = case.facts.runs
    run = msgspec.structs.replace(run, command=("uv", "run", "prog.py"))
    proof = proofs_of(msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, runs=(run,))))
    assert proof["install-fitting-release"].reason == "restored"


ELSEWHERE = "import six, sys\nassert 'my env' not in sys.prefix"  # as what names a folder that is gone


@pytest.mark.usefixtures("small_pip_in_new_ones")
def test_an_environment_is_made_again_with_the_same_packages(failed: Failed, environment: Path) -> None:
    put(next(environment.glob("lib/python*/site-packages")), "six", "2.0", {"six.py": "VALUE = 2"})
    unlinked = next(environment.glob("lib/python*/site-packages/six-1.0.dist-info"))
    shutil.rmtree(unlinked)
    case = failed("interpreter-not-usable", {}, ("recreate-environment",), ELSEWHERE)
    proof = proofs_of(case)["recreate-environment"]
    assert (proof.result, proof.way, proof.said) == ("proven", "new", "")
    assert proof.commands[0] == "python3 -m venv new-env"
    assert proof.commands[1].startswith("new-env/bin/python -m pip install ")
    assert "six==2.0" in proof.commands[1]
    assert "six==2.0" in proof.releases


@pytest.mark.usefixtures("small_pip_in_new_ones")
def test_an_environment_that_sees_the_packages_of_its_python_sees_them_again(failed: Failed, environment: Path) -> None:
    (site,) = environment.glob("lib/python*/site-packages")
    put(site, "six", "2.0", {"six.py": "VALUE = 2"})
    shutil.rmtree(next(site.glob("six-1.0.dist-info")))
    config = environment / "pyvenv.cfg"
    config.write_text(config.read_text().replace("packages = false", "packages = true"))
    source = f"import os, sys\n{ELSEWHERE}\nassert 'true' in open(os.path.join(sys.prefix, 'pyvenv.cfg')).read()"
    proof = proofs_of(failed("interpreter-not-usable", {}, ("recreate-environment",), source))["recreate-environment"]
    assert (proof.result, proof.reason, proof.said) == ("proven", "", "")
    assert proof.commands[0] == "python3 -m venv --system-site-packages new-env"


@pytest.mark.usefixtures("small_pip_in_new_ones")
def test_a_fresh_environment_gets_what_the_program_asks_for(failed: Failed, tmp_path: Path) -> None:
    case = failed("damaged-installation", {}, ("make-fresh-environment",), ELSEWHERE)
    proof = proofs_of(case)["make-fresh-environment"]
    assert (proof.result, proof.reason) == ("other-failure", "")  # the newest six on the shelf is the broken one
    assert proof.commands[1] == "fresh-env/bin/python -m pip install six"
    (tmp_path / "project" / "requirements.txt").write_text("six==2.0\n")
    proof = proofs_of(case)["make-fresh-environment"]
    assert proof.result == "proven"
    assert proof.commands[1].endswith("requirements.txt'") or proof.commands[1].endswith("requirements.txt")


def test_where_nobody_knows_what_the_program_needs_nothing_is_made(failed: Failed) -> None:
    source = "import no_such_module_of_anybody"
    proof = proofs_of(failed("damaged-installation", {}, ("make-fresh-environment",), source))["make-fresh-environment"]
    assert (proof.result, proof.reason) == ("not-tried", "no-requirements")


def test_a_link_out_of_the_environment_is_not_followed(failed: Failed, environment: Path, tmp_path: Path) -> None:
    (site,) = environment.glob("lib/python*/site-packages")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (site / "six.py").rename(elsewhere / "six.py")
    (site / "six.py").symlink_to(elsewhere / "six.py")
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six")
    assert proofs_of(case)["install-fitting-release"].result == "proven"
    assert "broken" in (elsewhere / "six.py").read_text()
    (site / "linked").symlink_to(elsewhere, target_is_directory=True)
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six")
    assert proofs_of(case)["install-fitting-release"].reason == "linked"


@pytest.mark.usefixtures("real_pip")
def test_a_setting_of_pip_that_leads_elsewhere_is_respected(
    failed: Failed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "target"))
    proof = proofs_of(failed(RELEASE, SIX, ("install-fitting-release",), "import six"))["install-fitting-release"]
    assert proof.reason == "pip-setting"
    assert not (tmp_path / "target").exists()


def test_what_fails_only_once_proves_nothing(failed: Failed, tmp_path: Path) -> None:
    source = "import os, pathlib\nseen = pathlib.Path('seen')\nif not seen.exists():\n    seen.touch()\n    import six"
    proof = proofs_of(failed(RELEASE, SIX, ("install-fitting-release",), source))["install-fitting-release"]
    assert (proof.result, proof.reason) == ("not-tried", "control")


def test_a_python_that_is_named_from_the_folder_is_the_copys(failed: Failed, environment: Path) -> None:
    command = (str(Path("..", environment.name, "bin", "python")), "prog.py")
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six", command)
    assert proofs_of(case)["install-fitting-release"].result == "proven"


@pytest.mark.usefixtures("real_pip")
def test_an_index_that_is_not_there_is_no_fault_of_the_remedy(failed: Failed, monkeypatch: pytest.MonkeyPatch) -> None:
    case = failed(RELEASE, SIX, ("install-fitting-release",), "import six")
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    proof = proofs_of(case)["install-fitting-release"]
    assert (proof.result, proof.reason) == ("not-tried", "hindered")


@pytest.mark.usefixtures("real_pip")
def test_what_needs_a_compiler_is_never_proven(
    failed: Failed, shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is source code alone, whose build asks for a compiler, and none is on PATH: the reason is in the proof."""
    folder = tmp_path / "tqdm-9.0"
    folder.mkdir()
    (folder / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: tqdm\nVersion: 9.0\n")
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n'
    )
    (folder / "own.py").write_text(
        "import shutil, sys\n"
        "def build_wheel(*_):\n"
        "    assert not shutil.which('gcc')\n"
        "    sys.exit(\"error: command 'gcc' failed: No such file or directory\")\n"
    )
    with tarfile.open(tmp_path / "tqdm-9.0.tar.gz", "w:gz") as archive:
        archive.add(folder, folder.name)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    case = failed(
        "dependency-version-conflict", {"requirement": "tqdm>=9"}, ("install-required-version",), "import six"
    )
    (proof,) = proofs_of(case).values()
    assert proof.result == "not-applied"
    assert proof.said.splitlines()[0] == "error: command 'gcc' failed: No such file or directory"
