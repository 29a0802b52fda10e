"""What changed since it worked, as a section of the report and as rows of its JSON. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from checks.analysis.history.phrases import change_in_words, moment, name_of, shortened, value_in_words
from checks.analysis.history.ranking import Ranked, Relation, changes_of
from checks.facts import ChangeKind
from checks.facts.case import Case
from checks.facts.finding import Finding
from checks.facts.question import SymptomName
from checks.knowledge.phrases import in_language, phrase
from wizard.report.content.blocks import Block, Card, Detail, Paragraph, Row, Section, Table
from wizard.words import words

_MOST_ROWS = 30
_MOST_LATER = 8
_STATES = {Relation.LIKELY: "warning", Relation.POSSIBLE: "note", Relation.UNSURE: "open", Relation.UNRELATED: ""}
_NOT_KEPT = "snapshot"
_CAUSE = "changed-since-it-worked"


def change_sections(case: Case, language: str) -> tuple[Section, ...]:
    """The section; () where nothing is known of an earlier time, and nobody asked for it."""
    history = case.facts.history
    if history is None:
        return ()
    shown = changes_of(case.facts, _others(case))
    is_asked = case.answers.symptom == SymptomName.AFTER_CHANGE
    is_telling = any(one.relation in (Relation.LIKELY, Relation.POSSIBLE) for one in shown)
    is_failing = bool(history.what)
    if not history.worked and not (is_asked or (is_failing and is_telling)):
        return ()
    blocks: list[Block] = [Paragraph(sentence) for sentence in _sentences(case, shown, language)]
    if shown:
        blocks.append(table_of(shown, language))
        if len(shown) > _MOST_ROWS:
            blocks.append(Paragraph(words("history.left-out", language, count=len(shown) - _MOST_ROWS)))
    if history.later:
        later = [in_language(change_in_words(change), language) for change in history.later[:_MOST_LATER]]
        listed = words("report.list-separator", language).join((*later, *(["…"] if len(history.later) > 8 else [])))
        blocks.append(Paragraph(words("history.later", language, changes=listed)))
    title = words(f"history.heading{'' if history.worked else '-logged'}", language)
    detail = Detail.SUMMARY if is_asked or (is_failing and (shown or history.worked)) else Detail.FULL
    is_open = is_asked or (is_failing and is_telling)
    state = "warning" if is_failing and is_telling else "note"
    return (Section(title, tuple(blocks), id="changes", detail=detail, card=Card(state, is_open, len(shown))),)


def _others(case: Case) -> list[Finding]:
    return [finding for finding in case.findings if finding.cause != _CAUSE]


def not_kept(case: Case, language: str) -> tuple[str, ...]:
    """That this examination could not be remembered."""
    detail = case.facts.history.unread.get(_NOT_KEPT) if case.facts.history else None
    return (words("history.not-kept", language, detail=shortened(detail)),) if detail else ()


def _sentences(case: Case, shown: Sequence[Ranked], language: str) -> Iterator[str]:
    history = case.facts.history
    assert history is not None  # noqa: S101 - asked only then
    if history.worked:
        time = moment(history.worked)
        key = "worked" if history.what else "worked-all"
        yield words(f"history.{key}", language, number=history.number, time=time, what=shortened(history.what))
        if history.failing_since:
            yield words("history.failing-since", language, time=moment(history.failing_since))
    if not shown:
        yield words(f"history.{'nothing-changed' if history.worked else 'no-baseline-nothing'}", language)
        return
    if not history.worked:
        yield words("history.no-baseline", language)
    best = shown[0].relation
    failing = history.what or best is not Relation.UNSURE
    key = best.value if best in (Relation.LIKELY, Relation.POSSIBLE) else "unsure" if failing else "not-failing"
    yield words(f"history.{key}", language)


def table_of(shown: Sequence[Ranked], language: str, *, with_relation: bool = True) -> Table:
    """The changes, the likeliest first."""
    columns = ("what", "before", "after", "time", *(["relation"] if with_relation else []))
    rows = [
        Row(
            (*_cells(one, language), *([_relation(one, language)] if with_relation else [])),
            _STATES[one.relation] if with_relation else "",
        )
        for one in shown[:_MOST_ROWS]
    ]
    return Table("", tuple(words(f"history.column-{column}", language) for column in columns), tuple(rows))


def _cells(one: Ranked, language: str) -> tuple[str, ...]:
    change = one.change
    name = in_language(name_of(change), language)
    if change.kind in (ChangeKind.SYSTEM_PACKAGE, ChangeKind.PACKAGE) and change.source:
        name = f"{name} ({change.source})"
    before, after = (value_in_words(value) or "–" for value in (change.before, change.after))
    if change.kind == ChangeKind.PROGRAM:  # sums of contents tell nobody anything
        before, after = (value.partition(",")[0] for value in (before, after))
    return name, before, after, moment(change.time) or "–"


def _relation(one: Ranked, language: str) -> str:
    relation = words(f"history.relation-{one.relation.value}", language)
    if one.reason == "none":
        return relation
    why = in_language(phrase(f"change-why-{one.reason}"), language)
    return words("history.relation-why", language, relation=relation, why=why)


def changes_in_words(case: Case, language: str) -> list[dict[str, Any]]:
    """All changes for other programs, the likeliest first."""
    return [
        {
            "kind": one.change.kind,
            "name": one.change.name,
            "before": one.change.before,
            "after": one.change.after,
            "time": one.change.time,
            "source": one.change.source,
            "package": one.change.package,
            "relation": one.relation.value,
            "why": in_language(phrase(f"change-why-{one.reason}"), language),
        }
        for one in changes_of(case.facts, _others(case))
    ]
