"""Notes of one cause told together: what each device or framework shows under one title, what it means once.

Of a fault each finding stays alone: each wants to be mended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checks.facts.finding import FRAMEWORK, MEASURED_MODEL, Finding, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.catalogue import cause_of, family_of
from checks.knowledge.phrases import words_of
from checks.knowledge.templates import fill_sentence, placeholders
from checks.remedies.plan import RemedyPlan
from wizard.report.content.findings.evidence_words import in_words
from wizard.report.content.measured.line import framework_name
from wizard.words import words


@dataclass(frozen=True)
class Member:
    """What tells a note from the others of its cause. ``label``: "cuda:0", where the title of them all names it."""

    title: str  # of them all
    label: str
    about: str  # whose its steps are


def members_of(findings: Sequence[Finding], language: str) -> tuple[Member | None, ...]:
    """For each finding what it is among the notes of its cause; None where it is the only one, or no note."""
    alike: dict[str, list[int]] = {}
    for place, finding in enumerate(findings):
        if _is_of_numbers(finding):
            alike.setdefault(finding.cause, []).append(place)
    members: dict[int, Member] = {}
    for places in alike.values():
        if len(places) > 1:
            of_cause = _members([findings[place] for place in places], language)
            members |= dict(zip(places, of_cause, strict=False))
    return tuple(members.get(place) for place in range(len(findings)))


def _is_of_numbers(finding: Finding) -> bool:
    """Whether it is a note about what was computed with operations; a model of the user is told for itself."""
    is_note = finding.severity is Severity.NOTE and not finding.apart
    return is_note and family_of(finding.cause) == "reproducibility" and MEASURED_MODEL not in finding.values


def _members(alike: Sequence[Finding], language: str) -> list[Member]:
    """Of several notes of one cause; empty where their title names what one of them does not tell."""
    template = cause_of(alike[0].cause).text.of(language).title
    named = sorted(placeholders(template))
    values = [in_words(words_of(finding, language), language) for finding in alike]
    if any(not given.keys() >= set(named) for given in values):
        return []
    separator = words("report.list-separator", language)
    title = fill_sentence(
        template, {name: separator.join(dict.fromkeys(given[name] for given in values)) for name in named}
    )
    frameworks = list(dict.fromkeys(finding.named(FRAMEWORK) for finding in alike))
    if len(frameworks) == 1 and frameworks[0]:
        title = about_framework(frameworks[0], title, language)
    # Which of them one is, a name says, as that of a device; what is told of it in words does not.
    names = [name for name in named if not any(isinstance(finding.values.get(name), Phrase) for finding in alike)]
    return [
        _member(title, finding, [given[name] for name in names], frameworks, language)
        for finding, given in zip(alike, values, strict=True)
    ]


def _member(title: str, finding: Finding, named: Sequence[str], frameworks: Sequence[str], language: str) -> Member:
    label = words("report.list-separator", language).join(named)
    name = framework_name(finding.named(FRAMEWORK), language)
    if label and len(frameworks) > 1:
        label = words("measurements.computing", language, framework=name, device=label)
    return Member(title, label, label or name)


def about_framework(framework: str, title: str, language: str) -> str:
    """A title with the framework that it is about, unless it says so itself."""
    name = framework_name(framework, language)
    return title if name in title else words("report.about-file", language, name=name, title=title)


def remedies_of(remedies: Sequence[tuple[RemedyPlan, ...]]) -> Iterator[tuple[int, tuple[int, ...], RemedyPlan]]:
    """(place among the remedies of a finding, the findings that have it, remedy): each remedy once.

    First what each of them says to do, then the other ways.
    """
    told: list[RemedyPlan] = []
    for place in range(max(map(len, remedies), default=0)):
        for plans in remedies:
            if place < len(plans) and plans[place] not in told:
                told.append(plans[place])
                owners = (number for number, others in enumerate(remedies) if plans[place] in others)
                yield place, tuple(owners), plans[place]
