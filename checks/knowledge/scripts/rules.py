"""What each rule says: resources/scripts/<rule>.toml, with a bad and a good example and its sources."""

import functools

import msgspec
import tomli

from checks.knowledge.catalogue import InLanguages
from checks.paths import ROOT
from checks.prepared import prepared

FOLDER = ROOT / "scripts"


class RuleText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule in one language; every text may name the values of its marks in {braces}.

    ``title``: what the line does. ``explanation``: what that means. ``device``: where it shows and how likely.
    ``advice``: what to write instead.
    """

    title: str
    explanation: str
    device: str
    advice: str


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule. ``cause``: of the catalogue. ``bad``: a program that it marks, ``good``: the same, in order."""

    rule: str
    cause: str
    severity: str
    sources: tuple[str, ...]
    bad: str
    good: str
    text: InLanguages[RuleText]


@functools.cache
def rule_of(name: str) -> Rule:
    """The words of a rule, by its id.

    Raises:
        FileNotFoundError: there is none.
        msgspec.ValidationError: the file does not follow the schema.
    """
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomli.loads(text), prepared(Rule))


@functools.cache
def rule_ids() -> tuple[str, ...]:
    """All rules, by name."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))
