"""A finding and its remedies as blocks: what is wrong, what to do, how to see that it worked, what shows it.

What a reader must know before a command is decided here and nowhere else: the risk of a remedy stands before its
steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from checks.remedies.plan import PlannedStep, RemedyPlan
from wizard.report.content.blocks import (
    Badge,
    Block,
    Card,
    Code,
    Detail,
    FactRow,
    Item,
    Items,
    Look,
    Pairs,
    Paragraph,
    Place,
    Quote,
    Risk,
    Section,
    Sources,
    Step,
)
from wizard.report.content.findings.together import remedies_of
from wizard.report.content.remedies.mendings import mending_details, mending_step, setting_items
from wizard.report.content.remedies.proofs import proof_details, proven_commands, proven_releases, result_step
from wizard.report.content.remedies.resolutions import resolution_details, resolution_step
from wizard.report.content.remedies.step_labels import step_label, step_numbers, step_text
from wizard.report.content.report import FindingView
from wizard.words import words

LINES = 3  # quoted lines of a text that was sent
_WHOLE = 3  # findings of which a summary shows everything that is to be done


@dataclass
class FindingBlocks:
    """Findings one by one. A remedy is described once; further findings refer to it.

    ``findings``: all of them in their order. ``asked``: the questions that are asked at the top of the report.
    """

    findings: Sequence[FindingView]
    asked: Sequence[str]
    language: str
    is_answer: bool = True  # the first finding answers the question, so it is unfolded
    _described: list[RemedyPlan] = field(default_factory=list, init=False)
    _behind: list[RemedyPlan] = field(default_factory=list, init=False)  # described in the appendix

    def sections(self) -> Iterator[Section]:
        """A section for each finding, or for several notes of one cause; and in a summary the remark that it is one."""
        groups = list(_together(self.findings))
        for number, group in enumerate(groups):
            yield self._finding(number, group)
        if len(groups) > _WHOLE:
            yield brief(Paragraph(self._words("more-steps")))

    def _words(self, key: str, **values: object) -> str:
        return words(f"report.{key}", self.language, **values)

    def _finding(self, number: int, group: Sequence[FindingView]) -> Section:
        finding = min(group, key=lambda other: other.confidence)  # no more is said of all than of the least sure one
        sure = f"{self._words('confidence-label')}: {finding.confidence_words}"
        badge = Badge(finding.severity, finding.symbol, finding.severity_word, sure, finding.cause)
        is_whole = number < _WHOLE
        causes = (
            block for member in group for block in cause_blocks(member, self.language, self._label(member, group))
        )
        meanings = dict.fromkeys(block for member in group for block in explanation_blocks(member))
        return Section(
            finding.among.title if finding.among and len(group) > 1 else finding.title,
            (
                Section("", tuple(causes), detail=Detail.SUMMARY if is_whole else Detail.FULL),
                whole(*meanings),
                *self._remedies(group, is_whole=is_whole, is_first=not number),
                *(block for member in group for block in self._proof(member, is_first=member is group[0])),
            ),
            id=f"{finding.cause}/{number}",
            badge=badge,
            card=Card(finding.severity, is_open=self.is_answer and not number),
            is_folded=number > 0 and finding.severity == "note",
        )

    @staticmethod
    def _label(member: FindingView, group: Sequence[FindingView]) -> str:
        return member.among.label if member.among and len(group) > 1 else ""

    def _remedies(self, group: Sequence[FindingView], *, is_whole: bool, is_first: bool) -> Iterator[Section]:
        plans = list(remedies_of([member.remedies for member in group]))
        for number, owners, remedy in plans:
            finding = group[owners[0]]
            # What is no fault wants one way to do something about it; who looks for another finds it in the appendix.
            place = Place.APPENDIX if number and finding.severity == "note" and not self._is_needed(remedy) else None
            is_new = remedy not in (self._behind if place else self._described)
            if is_new:
                (self._behind if place else self._described).append(remedy)
            whose = dict.fromkeys(group[owner].among for owner in owners) if len(owners) < len(group) else {}
            names = dict.fromkeys(among.about for among in whose if among is not None)
            yield remedy_section(
                remedy,
                self.language,
                is_other=number > 0,
                about=self._words("list-separator").join(names),
                detail=Detail.FULL if number else Detail.SUMMARY,
                steps=Detail.SUMMARY if is_whole else Detail.FULL,
                place=place if place and is_new else Place.INLINE,
                elsewhere=self._words("remedy-behind") if place else "" if is_new else self._words("remedy-above"),
                is_done=finding.is_mended,
                is_folded=number > 0 or not is_first,
            )
        others = sum(number > 0 for number, _, _ in plans)
        if is_whole and others:
            yield brief(Paragraph(self._words("more-remedies", count=others)))
        if not plans and not group[0].is_hint and not group[0].is_mended:
            yield whole(Paragraph(self._words("no-remedy"), Look.STRONG))

    def _is_needed(self, remedy: RemedyPlan) -> bool:
        return any(
            remedy in (finding.remedies[:1] if finding.severity == "note" else finding.remedies)
            for finding in self.findings
        )

    def _proof(self, finding: FindingView, *, is_first: bool) -> Iterator[Section]:
        """What shows it; what to ask and where it is written with the first of several."""
        blocks: list[Block] = []
        if finding.evidence:
            what, value, origin = (self._words(f"column-{column}") for column in ("what", "value", "origin"))
            rows = tuple(FactRow(row.label, row.value, origin=row.origin) for row in finding.evidence)
            blocks.append(Pairs(rows, (what, value, origin)))
        questions = tuple(Item(question) for question in finding.questions if question not in self.asked)
        if questions and is_first:
            asked = Items(questions, "?", "question")
            blocks.append(Section(self._words("heading-questions"), (asked,), detail=Detail.FULL))
        sources = (*(finding.sources if is_first else ()), *(row.source for row in finding.evidence if row.source))
        if sources:
            blocks.append(Sources(self._words("sources"), tuple(dict.fromkeys(sources))))
        if blocks:
            apart = self._words("evidence-of", title=finding.title)
            title = self._words("heading-evidence")
            yield Section(title, tuple(blocks), detail=Detail.FULL, place=Place.APPENDIX, title_apart=apart)


def _together(findings: Sequence[FindingView]) -> Iterator[list[FindingView]]:
    """Notes of one cause in the place of the first of them, and every other finding alone."""
    alike: dict[object, list[FindingView]] = {}
    for place, finding in enumerate(findings):
        alike.setdefault(finding.cause if finding.among else place, []).append(finding)
    yield from alike.values()


def cause_blocks(finding: FindingView, language: str, label: str = "") -> Iterator[Block]:
    """Why a cause is named, and the lines of a text that show it. ``label``: which of several it is."""
    if finding.is_mended:
        yield Paragraph(words("report.was-so", language), Look.LEAD)
    yield Paragraph(f"{label}: {finding.why}" if label else finding.why, Look.LEAD)
    if finding.quoted:
        yield Quote(tuple(line for quoted in finding.quoted[:LINES] for line in quoted.splitlines()))
    if finding.numbers:
        yield Paragraph(finding.numbers)


def explanation_blocks(finding: FindingView) -> Iterator[Block]:
    """What a cause means."""
    if finding.explanation:
        yield Paragraph(finding.explanation)


def remedy_section(
    remedy: RemedyPlan,
    language: str,
    *,
    is_other: bool,
    about: str = "",
    detail: Detail = Detail.SUMMARY,
    steps: Detail = Detail.SUMMARY,
    place: Place = Place.INLINE,
    elsewhere: str = "",
    is_done: bool = False,
    is_folded: bool = False,
) -> Section:
    """A remedy. ``is_other``: another way than the one before. ``about``: which of several its steps are for.

    ``steps``: the forms that show more than its title.
    """
    label = words(f"report.heading-remedy{'-done' if is_done else '-other' if is_other else ''}", language)
    title = words("report.about-file", language, name=about, title=remedy.title) if about else remedy.title
    return Section(
        title,
        (Section("", tuple(remedy_blocks(remedy, language)), detail=steps),),
        label=label,
        detail=detail,
        place=place,
        elsewhere=elsewhere,
        title_apart=f"{label}: {title}",
        is_folded=is_folded,
    )


def remedy_blocks(remedy: RemedyPlan, language: str) -> Iterator[Block]:
    """What came of it here, what to know before the first step, the steps, and how to see that it worked."""
    proof, mending = remedy.proof, remedy.mending
    if mending:
        yield mending_step(mending, language)
        details = mending_details(mending, proof, language)
        if details:
            yield details
        if mending.is_fixed:  # its steps are done
            return
    if proof:
        yield result_step(proof, language)
    resolution = remedy.resolution if not (proof and (proof.helped or proof.refuted)) else None
    if resolution:
        yield resolution_step(resolution, language)
    if remedy.risk:
        yield Risk(words("report.heading-risk", language), remedy.risk)
    yield from _remedy_steps(remedy, language)
    found = (
        resolution_details(resolution, language) if resolution else None,
        proof_details(proof, language) if proof else None,
    )
    yield from filter(None, found)
    releases = proven_releases(proof, language) if proof else None
    if releases:
        yield whole(releases)
    verify = remedy.verify
    code = Code(verify.code, verify.language) if verify.code else None
    yield Step("✓", words("report.verify", language, expect=verify.expect), code=code, state="clear")


def _remedy_steps(remedy: RemedyPlan, language: str) -> Iterator[Block]:
    """The commands that were proven, else the steps; and where the variables are set that it changes."""
    commands = proven_commands(remedy.proof, language) if remedy.proof else None
    if commands:
        yield commands
    else:
        for mark, step in zip(step_numbers(remedy.steps), remedy.steps, strict=True):
            yield _step(mark, step, language)
    settings = setting_items(remedy.settings, language)
    if settings:
        yield settings


def _step(mark: str, step: PlannedStep, language: str) -> Step:
    return Step(
        mark,
        step_text(step, language),
        step_label(step, language),
        Code(step.code, step.language) if step.code else None,
        hint=words(f"window.report-step-{step.kind}", language),
    )


def brief(*blocks: Block) -> Section:
    """Blocks for the summary alone."""
    return Section("", blocks, detail=Detail.BRIEF)


def whole(*blocks: Block) -> Section:
    """Blocks for the whole report."""
    return Section("", blocks, detail=Detail.FULL)


def items(texts: Iterable[str], mark: str = "–", state: str = "open") -> Items:
    """A list of sentences."""
    return Items(tuple(map(Item, texts)), mark, state)
