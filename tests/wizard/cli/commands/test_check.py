"""What `naosu check` asks the engine for."""

import sys
from typing import Any

import pytest

from wizard.__main__ import main


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The requests that would be examined."""
    requests: list[Any] = []
    monkeypatch.setattr("wizard.cli.follow.examined", lambda request, *_: requests.append(request) or 0)
    return requests


@pytest.mark.parametrize(
    ("arguments", "computes"),
    [
        ([], False),  # whether everything is in order is answered in seconds
        (["--symptom", "everything"], False),
        (["--effort", "quick"], True),
        (["--load", "5"], True),
        (["--model", __file__], True),
    ],
)
def test_it_computes_only_where_that_was_asked_for(asked: list[Any], arguments: list[str], computes: bool) -> None:
    assert main(["check", "--target", sys.executable, *arguments]) == 0
    (request,) = asked
    assert request.compute is computes
    assert request.answers.effort in ("quick", "standard")
