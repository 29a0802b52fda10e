"""Machines as tests: every saved case of tests/cases/ must give the causes that are known to be true of it.

Each file is a case as `naosu check --json` writes it, so that it opens in the wizard, with one more table:

    "recorded": {
        "source": "the thread, repository or machine that states these facts",
        "how": "recorded" or "put together",
        "about": "what this machine is",
        "expect": ["the-cause", ...],   the first is the verdict; [] = no finding above note
        "may": ["a-consequence", ...]   causes above note that are allowed besides
    }
"""

import functools
import json
from pathlib import Path

from support.walk import for_each

from checks.facts import Facts
from checks.facts.case import Case
from checks.facts.finding import Severity, Status
from checks.sharing.case import decode

CASES = sorted((Path(__file__).parents[1] / "cases").glob("*.json"))


def stem(path: Path) -> str:
    return path.stem


@functools.cache
def read(path: Path) -> tuple[Case, dict[str, object]]:
    data = path.read_bytes()
    recorded: dict[str, object] = json.loads(data)["recorded"]
    return decode(data), recorded


@for_each(CASES, stem)
def test_gives_the_causes_that_are_true_of_it(path: Path) -> None:
    case, recorded = read(path)
    expect, may = recorded["expect"], recorded.get("may", [])
    assert isinstance(expect, list)
    assert isinstance(may, list)
    above_note = [finding.cause for finding in case.findings if finding.severity is not Severity.NOTE]
    assert set(expect) <= {finding.cause for finding in case.findings}
    assert set(above_note) <= {*expect, *may}
    if above_note:
        assert above_note[0] == expect[0]


@for_each(CASES, stem)
def test_crashes_no_check(path: Path) -> None:
    case, _ = read(path)
    assert [outcome for outcome in case.outcomes if outcome.status is Status.CRASHED] == []


@for_each(CASES, stem)
def test_names_its_source(path: Path) -> None:
    _, recorded = read(path)
    assert set(recorded) <= {"source", "how", "about", "expect", "may"}
    assert recorded["how"] in {"recorded", "put together"}
    assert len(str(recorded["source"])) > 10
    assert len(str(recorded["about"])) > 10


@for_each(CASES, stem)
def test_holds_only_fields_that_facts_have(path: Path) -> None:
    """A misspelt field would be read as unread, and the case would test nothing."""
    _same_keys(json.loads(path.read_bytes())["facts"], Facts, "facts")


def _same_keys(plain: object, kind: object, where: str) -> None:
    import typing

    import msgspec

    if isinstance(plain, list):
        (inner, *_) = typing.get_args(kind) or (object,)
        for index, each in enumerate(plain):
            _same_keys(each, inner, f"{where}[{index}]")
        return
    if not isinstance(plain, dict):
        return
    kinds = [kind, *typing.get_args(kind)]
    struct = next((each for each in kinds if isinstance(each, type) and issubclass(each, msgspec.Struct)), None)
    if struct is None:
        inner = next((each for each in kinds if typing.get_origin(each) is tuple), None)
        assert inner is None, where
        return
    hints = typing.get_type_hints(struct)
    for key, value in plain.items():
        assert key in hints, f"{where}.{key} is no field of {struct.__name__}"
        hint = hints[key]
        arms = [arm for arm in (hint, *typing.get_args(hint)) if typing.get_origin(arm) is tuple]
        _same_keys(value, arms[0] if arms and isinstance(value, list) else hint, f"{where}.{key}")


def test_there_are_enough() -> None:
    assert len(CASES) >= 40


def test_a_healthy_machine_gives_nothing_above_note() -> None:
    healthy = [path for path in CASES if json.loads(path.read_bytes())["recorded"]["expect"] == []]
    assert healthy, "no healthy machine among the cases"
