"""Each rule of what is hidden, by its own examples, and by what it must leave alone."""

import pytest
from support.walk import for_each

from checks.knowledge.tickets.redaction import KnownWords, RedactionRule
from checks.readers.private.hiding import Own, Redaction, learned

RULES = KnownWords.read().rules()


def shown(text: str) -> str:
    return Redaction(learned([text], "", Own())).hide(text, "text")


@for_each(RULES, lambda rule: rule.id)
def test_what_a_rule_is_for_is_hidden(rule: RedactionRule) -> None:
    assert rule.hidden
    for value in rule.hidden:
        for text in {rule.shown_as.format(value), f"2026-11-22 INFO\n{rule.shown_as.format(value)}\nand so on"}:
            assert value not in shown(text), f"{rule.id}: {text!r} -> {shown(text)!r}"


@for_each(RULES, lambda rule: rule.id)
def test_what_only_looks_like_it_stays(rule: RedactionRule) -> None:
    for text in rule.kept:
        assert shown(text) == text, rule.id


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_why(rule: RedactionRule) -> None:
    assert rule.why.endswith((".", "share."))
