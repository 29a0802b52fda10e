"""What a mark says, in the words of its rule."""

import msgspec

from checks.facts.scripts import ScriptMark
from checks.knowledge.scripts.rules import RuleText, rule_ids, rule_of
from checks.knowledge.templates import fill_sentence


def severity_of(mark: ScriptMark) -> str:
    """That of the mark, else that of its rule."""
    return mark.severity or (rule_of(mark.rule).severity if mark.rule in rule_ids() else "note")


def text_of(mark: ScriptMark, language: str) -> RuleText:
    """The rule's words with the values of the mark; of a rule that this version does not know, its id."""
    if mark.rule not in rule_ids():
        return RuleText(title=mark.rule, explanation="", device="", advice="")
    text = rule_of(mark.rule).text.of(language)
    values = {"subject": mark.subject, **mark.values}
    return RuleText(**{name: fill_sentence(told, values) for name, told in msgspec.structs.asdict(text).items()})
