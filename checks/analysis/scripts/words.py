"""What a mark says, in the words of its rule."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import msgspec

from checks.facts.scripts import ScriptMark
from checks.knowledge.phrases import in_language, phrase
from checks.knowledge.scripts.rules import RuleText, rule_ids, rule_of
from checks.knowledge.templates import fill_sentence
from checks.readers.scripts.project import Module


def severity_of(mark: ScriptMark) -> str:
    """That of the mark, else that of its rule."""
    return mark.severity or (rule_of(mark.rule).severity if mark.rule in rule_ids() else "note")


def text_of(mark: ScriptMark, language: str) -> RuleText:
    """The rule's words with the values of the mark; of a rule that this version does not know, its id."""
    if mark.rule not in rule_ids():
        return RuleText(title=mark.rule, explanation="", device="", advice="")
    text = rule_of(mark.rule).text.of(language)
    values = {"subject": mark.subject, **mark.values, "place": _other_place(mark.values, language)}
    return RuleText(**{name: fill_sentence(told, values) for name, told in msgspec.structs.asdict(text).items()})


def place_values(module: Module, node: ast.AST, beside: Module) -> dict[str, str]:
    """What a mark says of another place than its own, {place} in its texts. ``beside``: the module that is marked."""
    place = module.source.place(getattr(node, "lineno", 1), 0)
    found = {"place-line": str(place.line)}
    if place.cell:
        found["place-cell"] = str(place.cell)
    if module is not beside:
        found["place-file"] = module.path.name
    return found


def _other_place(values: Mapping[str, str], language: str) -> str:
    line = values.get("place-line") or values.get("draw_line") or values.get("line", "")  # as older cases have it
    parts = {"line": line, "cell": values.get("place-cell", ""), "file": values.get("place-file", "")}
    key = "script-place" + ("-in-cell" if parts["cell"] else "-in-file" if parts["file"] else "")
    return in_language(phrase(key, **parts), language)
