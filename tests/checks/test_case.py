"""Reading a case back that somebody else wrote: what is damaged, foreign or hostile is refused before it is kept."""

import json

import pytest

from checks.case import CaseError, decode, to_builtins


def nested(levels: int) -> bytes:
    return f'{{"format":1,"facts":{{"measurements":[{{"a":{"[" * levels}{"]" * levels}}}]}}}}'.encode()


def test_what_opens_can_be_saved_again() -> None:
    assert json.dumps(to_builtins(decode(nested(40))))


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
        pytest.param(b'{"format":99,"facts":{"target":7}}', "case-too-new", id="wrong-type-of-a-newer-format"),
    ],
)
def test_refuses(data: bytes, reason: str) -> None:
    with pytest.raises(CaseError) as refused:
        decode(data)
    assert refused.value.reason == reason
