"""The JSON is a contract, and a case that opens again."""

import json
from collections.abc import Callable

import msgspec
import pytest

from checks.facts import Facts
from checks.facts.case import Case
from checks.sharing.case import FORMAT, decode
from wizard.report.prints import json_report
from wizard.report.prints.json_report import to_json


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_contract(case: Case, language: str) -> None:
    plain = json.loads(to_json(case, language))
    assert plain["format"] == FORMAT
    assert plain["naosu"] == case.naosu
    assert plain["language"] == language
    assert plain["verdict"]["state"] == "blocking"
    assert {"machine", "interpreters", "frameworks", "models", "scripts", "logs", "measurements"} <= plain[
        "facts"
    ].keys()
    assert [shown["cause"] for shown in plain["findings"]] == [shown.cause for shown in case.findings]
    for finding in plain["findings"]:
        assert finding["title"]
        assert finding["explanation"]
        assert {"name", "value"} <= finding["evidence"][0].keys()
        for remedy in finding["remedies"]:
            assert remedy["id"]
            assert remedy["steps"]
            assert remedy["verify"]["expect"]


def test_round_trip(case: Case) -> None:
    assert decode(to_json(case, "ja")).facts == case.facts
    assert without_times(decode(to_json(case, "en"))) == without_times(case)


def test_a_case_without_facts(make_case: Callable[..., Case]) -> None:
    case = make_case(only=Facts())
    plain = json.loads(to_json(case, "en"))
    assert plain["facts"]["machine"] is None
    assert plain["facts"]["logs"] == []
    assert decode(to_json(case, "en")).facts == case.facts


def test_of_many_findings_only_the_first_have_all_their_words(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of them would make a JSON that is too large to be opened again."""
    monkeypatch.setattr(json_report, "WORDED", 1)
    twice = msgspec.structs.replace(case, findings=(*case.findings, *case.findings))
    shown = json.loads(to_json(twice, "en"))["findings"]
    count = len(case.findings)
    assert all(finding["explanation"] for finding in shown[:count])
    assert all(finding["title"] and finding["why"] and not finding["explanation"] for finding in shown[count:])


def without_times(case: Case) -> Case:
    outcomes = tuple(msgspec.structs.replace(outcome, seconds=None) for outcome in case.outcomes)
    return msgspec.structs.replace(case, outcomes=outcomes)
