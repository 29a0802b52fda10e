"""Parts of sentences that a finding chooses: where one cause has several faces, each with words of its own.

resources/words/phrases.toml holds one table per phrase. A finding carries only its key and its values
(checks/facts/phrase.py); the words are put in where a text is shown, in the reader's language.
"""

import functools
from collections.abc import Callable, Mapping

import msgspec
import tomli

from checks.facts.finding import Finding
from checks.facts.phrase import Phrase, Value
from checks.knowledge.catalogue import Words, cause_of
from checks.knowledge.frameworks.computations import operation_name
from checks.knowledge.frameworks.deterministic_replacements import replacement
from checks.knowledge.templates import fill_sentence, parts_of, placeholders
from checks.paths import ROOT
from checks.prepared import prepared

# Phrases whose words stand in a table of their own: their only value, ``id``, is a row of it.
_IN_TABLES: Mapping[str, Callable[[str, str], str]] = {"operation": operation_name, "replacement": replacement}
_NOTHING = "nothing"  # what stands for an empty row of words
_SEPARATORS = {
    "slash": (" / ", " / "),
    "semicolon": ("; ", "、"),
    "space": (" ", ""),
}  # English, Japanese; by what follows a name's colon
_COMMA = (", ", "、")


@functools.cache
def phrases() -> dict[str, Words]:
    """Every phrase by its key."""
    text = (ROOT / "words" / "phrases.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomli.loads(text), prepared(dict[str, Words]))


def phrase(key: str, **values: Value) -> Phrase:
    """A phrase with its values.

    Raises:
        KeyError: there is no such phrase, or it names a value that was not given.
    """
    missing = placeholders(phrases()[key].en) - values.keys()
    if missing:
        raise KeyError(f"{key}: {sorted(missing)}")
    return Phrase(key, values)


def operation_phrase(name: str) -> Phrase:
    """An operation of computations.toml in words; what is not of ours (a node of a model) keeps its name."""
    return Phrase("operation", {"id": name})


def replacement_phrase(name: str) -> Phrase:
    """What to take instead of an operation that deterministic mode refuses."""
    return Phrase("replacement", {"id": name})


def words_of(finding: Finding, language: str) -> dict[str, str]:
    """Every value that a text of this finding may name, in "en" or "ja"."""
    return {name: in_language(value, language) for name, value in finding.placeholders().items()}


def title_of(finding: Finding | str, language: str) -> str:
    """The title of a finding's cause with the values seen, or of a cause's id without any."""
    cause, values = (finding, {}) if isinstance(finding, str) else (finding.cause, words_of(finding, language))
    return fill_sentence(cause_of(cause).text_with(values, language).title, values)


def in_language(value: Value, language: str, separator: str = "") -> str:
    """A value of a finding in words. ``separator``: what stands between several, as a template names it.

    Raises:
        KeyError: there is no such phrase.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        between = _SEPARATORS.get(separator, _COMMA)[language == "ja"]
        return between.join(in_language(part, language) for part in value or (Phrase(_NOTHING),))
    if value.key in _IN_TABLES:
        return _IN_TABLES[value.key](in_language(value.values["id"], language), language)
    return "".join(
        literal + ("" if name is None else in_language(value.values[name], language, specification))
        for literal, name, specification in parts_of(phrases()[value.key].of(language))
    )
