"""The report as one document: what is shown, and in which order, for every form of it."""

from __future__ import annotations

from collections.abc import Iterator

from checks.knowledge.catalogue import UNKNOWN
from wizard.report.content.blocks import (
    Block,
    Card,
    Code,
    Detail,
    Document,
    FactRow,
    FactSheet,
    Item,
    Items,
    Look,
    MeasuredSection,
    Pairs,
    Paragraph,
    Place,
    Section,
    SentText,
)
from wizard.report.content.bounds import bounded, first_of_each
from wizard.report.content.findings.marked_lines import marked_lines
from wizard.report.content.findings.sections import FindingBlocks, brief, items, remedy_section
from wizard.report.content.measured.models import OWN_MODELS
from wizard.report.content.models.blocks import model_sections
from wizard.report.content.programs.runs import has_failed
from wizard.report.content.report import NotRun, ProbeRow, Report
from wizard.words import words

_EVEN = 0.5  # below, nothing is called the cause
_MOST_OPEN = 4  # statements that were not confirmed, of which a first look shows so many


def document_of(report: Report) -> Document:
    """The document of a report: the answer, what to do, what was found and measured; then what is looked up."""
    builder = _Builder(report)
    return Document(
        language=report.language,
        title=report.title,
        created=report.created,
        subtitle="  ·  ".join([report.created, *(value for _, value in report.meta[:1])]),
        verdict=report.verdict,
        notes=report.notes,
        questions=bounded(builder.questions(), report.language),
        sections=bounded(builder.sections(), report.language),
        answer=tuple(builder.answer()),
    )


class _Builder:
    def __init__(self, report: Report) -> None:
        self._report = report

    def _words(self, key: str, **values: object) -> str:
        return words(f"report.{key}", self._report.language, **values)

    def _means(self, key: str) -> str:
        return words(f"window.report-{key}-means", self._report.language)

    @property
    def _has_answer(self) -> bool:
        """Whether the first finding is likely enough to be acted on, and nothing else was asked for."""
        first = next(iter(self._report.shown), None)
        if first is None or self._is_open or self._report.asked:
            return False
        return not first.is_hint and first.confidence >= _EVEN

    @property
    def _is_open(self) -> bool:
        """Whether a ticket does not tell the cause: then there are questions, which stand above all else."""
        return self._report.is_ticket and any(finding.cause == UNKNOWN for finding in self._report.shown[:1])

    def answer(self) -> Iterator[Block]:
        """Why, and the first remedy."""
        if self._has_answer:
            first = self._report.shown[0]
            yield Paragraph(first.why, Look.LEAD)
            if first.numbers:
                yield Paragraph(first.numbers)
            if first.remedies and not first.is_mended:
                yield remedy_section(first.remedies[0], self._report.language, is_other=False)

    def questions(self) -> Iterator[Section]:
        """What to ask next, where a ticket does not say enough."""
        if self._report.questions:
            asked = items(self._report.questions, "?", "question")
            yield Section(self._words("heading-questions"), (asked,), id="questions")

    def sections(self) -> Iterator[Section]:
        """Everything below the verdict, in the order of reading."""
        report = self._report
        if report.exactness:
            exactness = Section(self._words("heading-exactness"), (Paragraph(report.exactness),), detail=Detail.FULL)
            yield exactness
        before, behind = self._around_findings()
        yield from before
        yield from model_sections(report)
        yield from self._texts()
        yield from self._measured(report.asked, "asked")
        yield from report.changes if report.is_about_changes else ()
        yield from self._findings()
        yield from behind
        yield from () if report.is_about_changes else report.changes
        yield from self._advice()
        yield from self._measured(report.measured, "measured")
        yield from self._rest()

    def _around_findings(self) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
        """What was run: the answer comes before the story behind it, and what worked behind what was found."""
        runs, statements = self._report.runs, self._report.statements
        early = (*(() if self._report.is_answered else runs), *(statements if has_failed(statements) else ()))
        return early, tuple(section for section in (*runs, *statements) if section not in early)

    def _texts(self) -> Iterator[Section]:
        is_open = self._report.is_ticket and not self._has_answer
        for number, section in enumerate(self._report.facts):
            if section.text:
                lines = marked_lines(self._report, section)
                marked = self._means("marked-in-script" if section.marked else "marked")
                means = marked if lines else self._means("text")
                text = SentText(section.title, section.text, lines, marked)
                marks = (Pairs(section.marks, are_words=True),) if section.marks else ()
                yield Section(
                    section.title,
                    (*marks, text),
                    id=f"text/{number}",
                    detail=Detail.FULL,
                    place=Place.PAGE,
                    card=Card("note", is_open=is_open and bool(lines), subtitle=means),
                )

    def _findings(self) -> Iterator[Section]:
        report = self._report
        if report.findings:
            # Where something else was asked for, its answer stands above and is unfolded.
            shown = first_of_each(report.shown)
            is_answer = not (report.asked or self._has_answer or self._is_open)
            found = FindingBlocks(shown, report.questions, report.language, is_answer=is_answer)
            more = len(report.shown) - len(shown)
            behind = (Paragraph(self._words("more-in-json", count=more), Look.STRONG),) if more else ()
            yield Section(self._words("heading-findings"), (*found.sections(), *behind), id="findings")

    def _advice(self) -> Iterator[Section]:
        advice = self._report.advice
        if advice is not None:
            blocks: list[Block] = [Paragraph(sentence) for sentence in advice.sentences[1:]]
            blocks += [
                Section(block.title, (Code(block.code, "python"), items(block.notes))) for block in advice.blocks
            ]
            card = Card("note" if advice.blocks else "clear", is_open=bool(advice.blocks))
            yield Section(advice.title, tuple(blocks), id="advice", note=advice.sentences[0], card=card, is_folded=True)

    def _measured(self, measured: tuple[MeasuredSection, ...], name: str) -> Iterator[Section]:
        if measured:
            is_open = name == "asked" or self._report.is_about_results
            sections = (
                Section(
                    section.title,
                    section.blocks,
                    id=f"measured/{section.id}",
                    note=next(iter(section.sentences), ""),
                    card=Card("note", is_open=is_open),
                    is_folded=name != "asked" and section.id != OWN_MODELS,
                )
                for section in measured
            )
            yield Section(self._words("heading-measured"), tuple(sections), id=name)

    def _rest(self) -> Iterator[Section]:
        report = self._report
        sections = (
            *self._list("fine", report.fine),
            *self._open("undecided", report.undecided, "?", "incomplete"),
            *self._not_run(),
            *self._open("crashed", report.crashed, "×", "crashed"),
            *self._probes(),
            *self._facts(),
            *self._about(),
        )
        title = words(f"window.report-{'rest' if report.findings else 'all'}", report.language)
        yield Section(title, sections, id="rest")

    def _list(self, key: str, statements: tuple[str, ...]) -> Iterator[Section]:
        if statements:
            yield Section(
                self._words(f"heading-{key}"),
                (items(statements, "✓", "clear"),),
                id=key,
                detail=Detail.FULL,
                place=Place.APPENDIX,
                card=Card("clear", count=len(statements), subtitle=self._means(key)),
            )

    def _open(self, key: str, questions: tuple[Item, ...], mark: str, state: str) -> Iterator[Section]:
        if questions:
            yield Section(
                self._words(f"heading-{key}"),
                (Items(questions, mark, state),),
                id=key,
                note=self._words(f"intro-{key}"),
                detail=Detail.FULL,
                card=Card(state, count=len(questions)),
            )

    def _not_run(self) -> Iterator[Section]:
        """What was left open, by reason; then of what there is nothing to check."""
        missing = [group for group in self._report.not_run if group.applies]
        if missing:
            yield Section(
                self._words("heading-not-run"),
                tuple(self._unconfirmed(missing)),
                id="not-run",
                note=self._words("intro-not-run"),
                place=Place.APPENDIX,
                card=Card("nothing-run", count=_count(missing)),
            )
        no_need = [group for group in self._report.not_run if not group.applies]
        if no_need:
            counted = (self._words("no-need", reason=group.reason, count=len(group.statements)) for group in no_need)
            yield Section(
                self._words("heading-no-need"),
                (items(counted),),
                id="no-need",
                detail=Detail.FULL,
                place=Place.APPENDIX,
                card=Card("nothing-run", count=_count(no_need), subtitle=self._means("not-needed")),
            )

    def _unconfirmed(self, groups: list[NotRun]) -> Iterator[Section]:
        """The first statements; the rest is folded, with its number."""
        left, behind = _MOST_OPEN, []
        for group in groups:
            first, more = group.statements[:left], group.statements[left:]
            left -= len(first)
            if first:
                note = self._words("more-unconfirmed", count=len(more))
                rest = (Section("", (items(more),), note=note, is_folded=True),) if more else ()
                yield Section(group.reason, (items(first), *rest))
            else:
                behind.append(group)
        if behind:
            note = self._words("unconfirmed", count=_count(behind), reasons=len(behind))
            sections = tuple(Section(group.reason, (items(group.statements),)) for group in behind)
            yield Section("", sections, note=note, is_folded=True)

    def _probes(self) -> Iterator[Section]:
        """How each probe went; a summary names those that went wrong or took long."""
        probes = self._report.probes
        unusual = tuple(self._probe(probe) for probe in probes if probe.is_trouble or probe.is_slow)
        if unusual:
            yield brief(Items(tuple(Item(f"{row.label}: {row.value}") for row in unusual), "!", "warning"))
        if probes:
            state = "warning" if any(probe.is_trouble for probe in probes) else "clear"
            yield Section(
                self._words("heading-probes"),
                (Pairs(tuple(map(self._probe, probes))),),
                id="probes",
                detail=Detail.FULL,
                place=Place.APPENDIX,
                card=Card(state, count=len(probes), subtitle=self._means("probes")),
            )

    def _probe(self, row: ProbeRow) -> FactRow:
        slow = f"{row.seconds} ({self._words('probe-slow')})" if row.is_slow else row.seconds
        status = f"× {row.status}" if row.is_trouble else row.status
        return FactRow(row.name, self._words("list-separator").join(filter(None, (status, slow, row.detail))))

    def _about(self) -> Iterator[Section]:
        yield Section(
            self._words("heading-about"),
            (Pairs(tuple(FactRow(label, value) for label, value in self._report.meta), are_words=True),),
            id="about",
            detail=Detail.FULL,
            place=Place.APPENDIX,
            card=Card("note", subtitle=self._report.created),
        )

    def _facts(self) -> Iterator[Section]:
        sections = [section for section in self._report.facts if section.rows or not section.text]
        if sections:
            pairs = ((section.title, Pairs(section.rows, are_settings=section.are_settings)) for section in sections)
            yield Section(
                words("window.report-facts", self._report.language),
                (FactSheet(tuple(pairs)),),
                id="facts",
                detail=Detail.FULL,
                place=Place.APPENDIX,
                card=Card("note", subtitle=self._means("facts")),
            )


def _count(groups: list[NotRun]) -> int:
    return sum(len(group.statements) for group in groups)
