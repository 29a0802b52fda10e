"""The heads of patterns: a rule that is found by its head is found wherever its whole pattern is."""

import json
from pathlib import Path

import pytest
from support.walk import for_each

from checks.knowledge.tickets.redaction import KnownWords, RedactionRule
from checks.readers.private.heads import head
from checks.readers.private.scan import compiled

PLANTED = Path(__file__).parents[3] / "recordings" / "privacy" / "secrets.jsonl"
TEXT = "\n".join(json.loads(line)["text"] for line in PLANTED.read_text("utf-8").splitlines()).encode()


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        ("(abc[0-9a-f]{32})x", "(?:abc[0-9a-f]{8})"),
        (r"(?i)key\s*=\s*(\S+)", r"(?i)key\s*=\s*(?:\S{1})"),
        (r"([\w.]+@[\w.]+)\b", r"(?:[\w.]+@[\w.]+)\b"),
        (r"a|password: [^\n]{0,80}?x|b", "a|password: |b"),
        (r"(?m)^(?:\([^)]{1,40}\) )*me", r"(?m)^(?:\([^)]+\) )*me"),
        (r"secret(?:[_-]?key(?:_id)?)?=(?-i:A|b)", "secret(?:[_-]?key(?:_id)?)?=(?-i:A|b)"),
    ],
)
def test_a_head_ends_at_the_first_wide_repetition(pattern: str, shown: str) -> None:
    assert head(pattern) == shown


@for_each(KnownWords.read().rules(), lambda rule: rule.id)
def test_a_head_stands_wherever_its_pattern_does(rule: RedactionRule) -> None:
    begins = compiled(head(rule.pattern), captures=False)
    examples = "\n".join(rule.shown_as.format(value) for value in rule.hidden).encode()
    for text in (examples, TEXT):
        places = [found.start() for found in compiled(rule.pattern).finditer(text)]
        assert [place for place in places if begins.match(text, place) is None] == []
        assert places or text is TEXT
