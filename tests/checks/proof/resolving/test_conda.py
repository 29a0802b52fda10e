"""The answers of conda's dry run, as its issues record them (conda/conda 5825, 6641, 13475), and as 26.7 gives them."""

import json

import pytest

from checks.facts import ResolutionResult
from checks.proof.changes import Managed
from checks.proof.resolving.conda import conda_command, read_answer
from checks.proof.resolving.dry_run import NotResolved

LINK = {"base_url": None, "build_string": "py36_0", "channel": "defaults", "name": "pytest", "version": "3.3.1"}
UNLINK = {**LINK, "version": "3.3.0"}


@pytest.mark.parametrize("is_list", [True, False])
def test_what_it_would_do(is_list: bool) -> None:
    actions = {
        "FETCH": [{"name": "pytest", "size": 5000}, {"name": "py"}],
        "LINK": [LINK, {"name": "py", "version": "1.5"}],
        "UNLINK": [UNLINK, {"name": "gone", "version": "1"}],
        "PREFIX": "/e",
    }
    answer = {"actions": [actions] if is_list else actions, "dry_run": True, "success": True}
    found = read_answer("warning: x\n" + json.dumps(answer))
    assert found.there == {"pytest": "3.3.1", "py": "1.5", "gone": None}
    assert (found.download_bytes, found.unsized) == (5000, 1)


def test_nothing_to_do() -> None:
    assert not read_answer('{"message": "All requested packages already installed.", "success": true}').there


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("PackagesNotFoundError", ResolutionResult.NO_SOLUTION),
        ("PackagesNotFoundInChannelsError", ResolutionResult.NO_SOLUTION),
        ("LibMambaUnsatisfiableError", ResolutionResult.NO_SOLUTION),
        ("RattlerUnsatisfiableError", ResolutionResult.NO_SOLUTION),
        ("CondaHTTPError", ResolutionResult.UNREACHABLE),
        ("EnvironmentLocationNotFound", ResolutionResult.NOT_RESOLVED),
    ],
)
def test_why_it_fails(name: str, wanted: ResolutionResult) -> None:
    answer = {"error": f"{name}: ...", "exception_name": name, "message": "The following\n packages are not available"}
    with pytest.raises(NotResolved) as raised:
        read_answer(json.dumps(answer))
    assert raised.value.result == wanted
    assert raised.value.said == "The following packages are not available"


@pytest.mark.parametrize("text", ["", "Collecting ...", "{", '{"actions": 3}', "[]"])
def test_rubbish(text: str) -> None:
    with pytest.raises(NotResolved) as raised:
        read_answer(text)
    assert raised.value.reason == "unreadable"


def test_its_call() -> None:
    change = Managed("", "conda", "add", "/e", ("numpy<2",), ("install", "--prefix", "/e", "numpy<2"))
    named = {"CONDA_EXE": "/opt/conda/bin/conda", "PATH": "/nowhere"}
    asked = ("/opt/conda/bin/conda", "install", "--prefix", "/e", "numpy<2", "--dry-run", "--json", "--yes")
    assert conda_command(change, named) == asked
    with pytest.raises(NotResolved, match="no-conda"):
        conda_command(change, {"PATH": "/nowhere"})
