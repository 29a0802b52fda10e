"""Reading a case back that somebody else wrote: what is damaged, foreign or hostile is refused before it is kept."""

import json

import pytest

from checks.sharing.case import CaseError, decode, to_builtins


def nested(levels: int) -> bytes:
    return f'{{"format":1,"facts":{{"measurements":[{{"a":{"[" * levels}{"]" * levels}}}]}}}}'.encode()


def test_what_opens_can_be_saved_again() -> None:
    assert json.dumps(to_builtins(decode(nested(40))))


def with_texts(*texts: str) -> bytes:
    return json.dumps(
        {"format": 1, "facts": {"logs": [{"name": "a", "kind": "log", "text": t} for t in texts]}}
    ).encode()


def test_a_case_of_before_there_were_tickets_opens() -> None:
    case = decode(with_texts("torch.OutOfMemoryError: CUDA out of memory."))
    assert case.facts.reported is False
    assert [finding.cause for finding in case.findings][:1] == ["gpu-out-of-memory"]


def test_of_a_huge_text_is_judged_what_would_have_been_kept() -> None:
    (log,) = decode(with_texts("step 1\n" * 200_000)).facts.logs
    assert len(log.text or "") < 600_000


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"{", "case-damaged", id="cut"),
        pytest.param(b"\xff\xfe", "case-damaged", id="no-text"),
        pytest.param(nested(100_000), "case-damaged", id="nested-beyond-any-stack"),
        pytest.param(nested(900), "case-unreadable", id="nested-too-deep-to-be-saved"),
        pytest.param(b"[]", "case-not-ours", id="a-list"),
        pytest.param(b'{"format":"1","facts":{}}', "case-not-ours", id="format-is-text"),
        pytest.param(b'{"format":1,"facts":{"target":7}}', "case-unreadable", id="wrong-type"),
        pytest.param(with_texts(*[""] * 1000), "case-unreadable", id="a-thousand-texts"),
        pytest.param(b'{"format":99,"facts":{"target":7}}', "case-too-new", id="wrong-type-of-a-newer-format"),
    ],
)
def test_refuses(data: bytes, reason: str) -> None:
    with pytest.raises(CaseError) as refused:
        decode(data)
    assert refused.value.reason == reason


def test_findings_in_the_form_of_earlier_versions_do_not_keep_a_case_shut() -> None:
    old = {"cause": "gpu-throttled", "severity": "warning", "values": {"state_en": "hot", "state_ja": "熱い"}}
    case = decode(json.dumps({"format": 1, "facts": {}, "findings": [old], "outcomes": [{"findings": [old]}]}).encode())
    assert all(found.cause != "gpu-throttled" for found in case.findings)


def test_words_that_only_another_version_knows_do_not_keep_a_case_shut() -> None:
    answers = {"symptom": "of-tomorrow", "exactness": "of-tomorrow", "effort": "of-tomorrow"}
    runs = {"runs": [{"probe": "torch", "status": "of-tomorrow"}, {"probe": "os"}]}
    plain = to_builtins(decode(json.dumps({"format": 1, "answers": answers, "facts": {"probes": runs}}).encode()))
    assert plain["answers"] == answers
    assert plain["facts"]["probes"]["runs"] == runs["runs"]
