"""The report: everything that a print of a case shows, in words, with no decision left to the print.

No Qt here, and no judgement: the findings come ranked from checks/judgement/judge.py. What was not run is never
shown as passed; the five endings of a check (checks/facts/finding.py) stay five lists.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from checks import __version__
from checks.analysis.gpu.state import first_line
from checks.facts import Facts, ProbeRun
from checks.facts.case import Case
from checks.facts.finding import CLUE, FRAMEWORK, Evidence, Finding, Outcome, Status
from checks.facts.question import ABOUT_RESULTS, COMPARISON, MODELS, SymptomName
from checks.judgement.coverage import NOTHING_TO_CHECK
from checks.judgement.ranking import WORTH_READING, can_explain
from checks.judgement.tickets.reported_numbers import DIFFERENCE, NUMBERS
from checks.knowledge.age import knowledge_days
from checks.knowledge.catalogue import UNKNOWN, Question, cause_of
from checks.knowledge.formats.model_formats import format_named
from checks.knowledge.phrases import words_of
from checks.knowledge.templates import fill_sentence
from checks.languages import languages
from checks.remedies.plan import RemedyPlan, plan_remedies
from wizard.flow import computes
from wizard.report.content.advice import AdviceView, advice_view
from wizard.report.content.asking import QuestionView, is_about_results, questions_of, questions_worth_asking
from wizard.report.content.blocks import SYMBOLS, Item, MeasuredSection, Section, Verdict
from wizard.report.content.fact_sheet import FactSection, fact_sections, label
from wizard.report.content.findings.evidence_words import evidence_words, in_words
from wizard.report.content.findings.origins import lines_in_words, origin_in_words
from wizard.report.content.findings.together import Member, about_framework, members_of
from wizard.report.content.history import change_sections, not_kept
from wizard.report.content.measured.devices import MACHINES
from wizard.report.content.measured.line import computing_name
from wizard.report.content.measured.sections import measured_sections
from wizard.report.content.measured.served import served_facts
from wizard.report.content.models.compared import ComparisonView, comparison_views
from wizard.report.content.models.files import ModelView, model_views, names_of
from wizard.report.content.programs.local import local_program_sections
from wizard.report.content.programs.runs import has_failed, run_sections, statement_sections
from wizard.report.content.remedies.step_labels import is_address
from wizard.report.content.title import title_key
from wizard.report.content.verdict import verdict_of
from wizard.words import area, known, words

_LONGEST_SOURCE = 120  # characters
_WORTH_DOING = 0.3  # what to do about a cause of a ticket that is less likely, and not the first, helps nobody
_EVEN = 0.5  # of a ticket's cause that is less likely than not no line is said to show it


@dataclass(frozen=True)
class EvidenceRow:
    """One value that proves a finding: what it is, what it was, where it was read, and the link of a table's row."""

    label: str
    value: str
    origin: str = ""
    source: str = ""
    text: str = ""  # the name of the text that was sent, and
    lines: tuple[int, ...] = ()  # the numbers of its lines that show the value
    is_line: bool = False  # the value is such a line itself


@dataclass(frozen=True)
class FindingView:
    """One finding in words. ``severity`` is "blocking", "warning" or "note", for the colour; the rest is shown.

    Of what was mended here it is "clear"; ``remedies`` are those that mended it.
    """

    cause: str
    severity: str
    severity_word: str
    symbol: str
    title: str
    why: str
    explanation: str
    confidence: float
    confidence_words: str  # "very likely (90 %)"
    evidence: tuple[EvidenceRow, ...]
    remedies: tuple[RemedyPlan, ...]
    questions: tuple[str, ...]
    sources: tuple[str, ...]
    is_apart: bool = False  # a second trouble, that has nothing to do with the first
    is_mended: bool = False
    is_hint: bool = False  # too weak for its remedies to be shown
    numbers: str = ""  # what the differences can be that a sent text tells
    among: Member | None = None  # what it is among several notes of one cause, which are told together

    @property
    def proven(self) -> tuple[EvidenceRow, ...]:
        """What a check saw, other than lines that word a cause."""
        return tuple(row for row in self.evidence if not row.is_line)

    @property
    def quoted(self) -> tuple[str, ...]:
        """The parts of a sent text that show it: lines as they are, and values with their names."""
        rows = (row for row in self.evidence if row.lines)
        return tuple(row.value if row.is_line else f"{row.label}: {row.value}" for row in rows)


@dataclass(frozen=True)
class NotRun:
    """Checks that did not run for one reason. ``applies`` False: there was nothing to check on this machine."""

    reason: str
    applies: bool
    statements: tuple[str, ...]


@dataclass(frozen=True)
class ProbeRow:
    """How one probe went. ``is_trouble`` where it did not end well; ``is_slow`` where it took ten seconds or more."""

    name: str
    status: str
    seconds: str
    detail: str
    is_trouble: bool
    is_slow: bool


@dataclass(frozen=True)
class Report:
    """A whole report in one language. Texts are plain: each print escapes them for itself."""

    language: str
    title: str
    created: str
    verdict: Verdict
    meta: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    exactness: str
    questions: tuple[str, ...]  # what to ask next, where a ticket does not say enough
    asking: tuple[QuestionView, ...]  # those of them that can be answered here, the best first
    findings: tuple[FindingView, ...]
    fine: tuple[str, ...]
    undecided: tuple[Item, ...]  # what a check would have confirmed, and why it could not
    not_run: tuple[NotRun, ...]
    crashed: tuple[Item, ...]
    probes: tuple[ProbeRow, ...]
    facts: tuple[FactSection, ...]
    runs: tuple[Section, ...] = ()  # of the user's own program
    statements: tuple[Section, ...] = ()  # that were tried alone
    changes: tuple[Section, ...] = ()  # since it worked
    is_about_changes: bool = False  # they were asked for
    models: tuple[ModelView, ...] = ()
    comparisons: tuple[ComparisonView, ...] = ()
    asked: tuple[MeasuredSection, ...] = ()  # of what was measured the answer to the question itself, to be read first
    measured: tuple[MeasuredSection, ...] = ()
    advice: AdviceView | None = None
    is_ticket: bool = False
    is_about_results: bool = False  # what was measured answers the question

    @property
    def is_answered(self) -> bool:
        """Whether the first finding is the answer, so that it is read before the story of the user's own program."""
        return bool(self.findings) and (self.findings[0].severity != "note" or has_failed(self.runs))

    @property
    def shown(self) -> tuple[FindingView, ...]:
        """The findings that a person reads: the first, and what is not all but ruled out.

        Of a ticket a mere hint behind the first is named without its remedies. That there is no cause to name is not
        said behind one that is named.
        """
        least = _WORTH_DOING if self.is_ticket else 0.0
        causes = (finding for finding in self.findings[1:] if finding.cause != UNKNOWN)
        further = (cause for cause in causes if cause.confidence >= WORTH_READING)
        return (
            *self.findings[:1],
            *(cause if cause.confidence >= least else replace(cause, remedies=(), is_hint=True) for cause in further),
        )


def build(case: Case, language: str) -> Report:
    """The report of a case in "en" or "ja"."""
    findings = _findings(case, language)
    asking = questions_worth_asking(case, language)
    measured = measured_sections(case, language)
    asked = tuple(section for section in measured if case.answers.symptom == COMPARISON and section.id == MACHINES)
    by_status: dict[Status, list[Outcome]] = defaultdict(list)
    for outcome in case.outcomes:
        # What a text does not mention was not examined, so a ticket's report lists no check as passed or as not run.
        if not case.facts.reported or outcome.status is Status.CRASHED:
            by_status[outcome.status].append(outcome)
    return Report(
        language=language,
        title=words(f"report.{title_key(case)}", language),
        created=moment(case.created, language),
        verdict=verdict_of(case, [finding.title for finding in findings], language),
        meta=_meta(case, language),
        notes=_notes(case, language),
        exactness=known(f"report.exactness-{_exactness(case)}", "", language),
        questions=questions_of(findings, asking, language, about_results=is_about_results(case))
        if case.facts.reported
        else (),
        asking=asking,
        findings=findings,
        fine=tuple(_statement(outcome.cause, language) for outcome in by_status[Status.CLEAR]),
        undecided=tuple(
            Item(_statement(outcome.cause, language), reason_of(outcome, language))
            for outcome in by_status[Status.INCONCLUSIVE]
        ),
        not_run=_not_run(by_status[Status.SKIPPED], case.answers.symptom, language),
        crashed=tuple(
            Item(_statement(outcome.cause, language), outcome.detail) for outcome in by_status[Status.CRASHED]
        ),
        probes=tuple(_probe(run, language) for run in (case.facts.probes.runs if case.facts.probes else ())),
        facts=(
            *fact_sections(case.facts, language),
            *local_program_sections(case.facts, language),
            *served_facts(case.facts, language),
        ),
        runs=run_sections(case, language),
        statements=statement_sections(case, language),
        changes=change_sections(case, language),
        is_about_changes=case.answers.symptom == SymptomName.AFTER_CHANGE,
        models=model_views(case, language),
        comparisons=comparison_views(case, language),
        asked=asked,
        measured=tuple(section for section in measured if section not in asked),
        advice=advice_view(case, language),
        is_ticket=case.facts.reported,
        is_about_results=computes(case.answers.symptom),
    )


def _exactness(case: Case) -> str:
    """How exact the result must be; that it was not said matters only where results are the question."""
    return case.answers.exactness or ("unknown" if case.answers.symptom in ABOUT_RESULTS else "")


def _findings(case: Case, language: str) -> tuple[FindingView, ...]:
    return tuple(_distinguished(case.findings, _views(case, language), language))


def _distinguished(findings: Sequence[Finding], views: Sequence[FindingView], language: str) -> Iterator[FindingView]:
    """Each with the framework that it is about, where several have one title or several frameworks computed."""
    often = Counter(shown.title for shown in views)
    computed = {finding.named(FRAMEWORK) for finding in findings} - {""}
    for finding, view, among in zip(findings, views, members_of(findings, language), strict=True):
        framework = finding.named(FRAMEWORK)
        is_open = bool(framework) and (often[view.title] > 1 or len(computed) > 1)
        title = about_framework(framework, view.title, language) if is_open else view.title
        yield replace(view, title=title, among=among)


def _views(case: Case, language: str) -> tuple[FindingView, ...]:
    names = names_of(case.facts.models)
    if case.facts.reported or not any(log.text for log in case.facts.logs):
        return tuple(finding_view(finding, case.facts, language, names) for finding in case.findings)
    from checks.readers.tickets.other_machine import facts_of_other_machines, machine_of

    elsewhere = facts_of_other_machines(case.facts)
    return tuple(
        finding_view(finding, machine_of(finding, case.facts, elsewhere), language, names) for finding in case.findings
    )


def moment(created: str, language: str) -> str:
    """A case's moment in the reader's own time: "2026-11-21 09:13 UTC+09:00". What is none stays as it is."""
    try:
        when = dt.datetime.fromisoformat(created).astimezone()
    except (ValueError, OverflowError, OSError):  # the year 9999 in another zone; years that a system does not know
        return created
    zone = dt.timezone(when.utcoffset() or dt.timedelta())  # by its hours: names of zones are of the system's language
    return words("report.moment", language, when=when, zone=zone)


def reason_of(outcome: Outcome, language: str) -> str:
    """Why a check did not decide, in a sentence."""
    values = {name: str(value) for name, value in outcome.values.items()}
    for name in ("field", "fact"):
        if name in values:
            values[name] = label(values[name], language)
    known = area("reasons").get(outcome.reason)
    why = fill_sentence(known.of(language), values) if known else outcome.reason
    return words("report.with-detail", language, text=why, detail=values["why"]) if values.get("why") else why


def finding_view(finding: Finding, facts: Facts, language: str, names: Mapping[str, str]) -> FindingView:
    """One finding in words, with its remedies for the machine that the facts tell of; ``names`` of the model files."""
    cause = cause_of(finding.cause)
    values = in_words(words_of(finding, language), language)
    text = cause.text_with(values, language)
    severity = "clear" if finding.is_mended else finding.severity.value
    plans = plan_remedies(finding, facts, language)
    return FindingView(
        cause=finding.cause,
        severity=severity,
        severity_word=words(f"report.severity-{'mended' if finding.is_mended else severity}", language),
        symbol=SYMBOLS[severity],
        title=_titled(finding, fill_sentence(text.title, values), names, language),
        why=_why(finding, fill_sentence(text.why, values), facts, language),
        explanation=fill_sentence(text.explanation, values).strip(),
        confidence=finding.likelihood,
        is_apart=finding.apart > 0,
        confidence_words=_confidence(finding, facts, language),
        evidence=tuple(_evidence(evidence, language) for evidence in finding.evidence),
        remedies=tuple(plan for plan in plans if _mends(plan)) if finding.is_mended else plans,
        questions=()
        if finding.is_mended
        else tuple(
            fill_sentence(question.of(language), values) for question in cause.questions if _is_open(question, facts)
        ),
        sources=cause.sources,
        is_mended=finding.is_mended,
        numbers=values.get(NUMBERS, ""),
    )


def _mends(plan: RemedyPlan) -> bool:
    """Whether it was carried out, and what had failed works behind it; also in a case that was opened."""
    return plan.mending is not None and plan.mending.is_fixed


def _is_open(question: Question, facts: Facts) -> bool:
    """Whether a ticket, or an examination, leaves the question open."""
    if not question.answered_by:
        return True
    from checks.readers.tickets.conditions import is_known

    return not all(is_known(name, facts) for name in question.answered_by)


def _why(finding: Finding, why: str, facts: Facts, language: str) -> str:
    """Why a cause is named; of a ticket no more is claimed than its words bear."""
    if (
        not facts.reported
        or finding.cause == UNKNOWN
        or any(evidence.name not in (CLUE, DIFFERENCE) for evidence in finding.evidence)
    ):
        return why
    if not any(evidence.name == CLUE for evidence in finding.evidence):
        return words("report.only-alike", language)
    return words("report.only-hinted", language) if finding.likelihood < _EVEN else why


def _titled(finding: Finding, title: str, names: Mapping[str, str], language: str) -> str:
    """The title, with the name of the model file that it is about: of many files each may have its own trouble."""
    path = finding.named("model_path")
    name = names.get(path) or path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return words("report.about-file", language, name=name, title=title) if name and name not in title else title


def _confidence(finding: Finding, facts: Facts, language: str) -> str:
    """How sure a finding is; that a ticket does not tell the cause is no cause to be sure of."""
    if finding.cause == UNKNOWN and facts.reported:
        return words("report.confidence-open", language)
    steps = ((0.95, "certain"), (0.8, "very-likely"), (0.6, "likely"), (0.3, "possible"), (0.0, "weak"))
    word = next(word for least, word in steps if finding.likelihood >= least)
    text = words(f"report.confidence-{word}", language)
    key = "confidence-apart" if finding.apart else "confidence"
    return words(f"report.{key}", language, word=text, percent=round(finding.likelihood * 100))


def _evidence(evidence: Evidence, language: str) -> EvidenceRow:
    text = evidence.origin if evidence.lines else ""
    origin = lines_in_words(text, evidence.lines, language) if text else origin_in_words(evidence.origin, language)
    source = evidence.source
    if not is_address(source) and len(source) > _LONGEST_SOURCE:  # what a table was made from, in a list
        source = f"{source[:_LONGEST_SOURCE].rsplit(' ', 1)[0]} …"
    value, is_line = _value(evidence, language), evidence.name == CLUE
    return EvidenceRow(label(evidence.name, language), value, origin, source, text, evidence.lines, is_line)


def _value(evidence: Evidence, language: str) -> str:
    """What was seen; in words where it is an id, or has a name in each language."""
    if evidence.name == "model_problem":
        return known(f"models.problem-{evidence.value}", evidence.value, language)
    if evidence.name == "model_format":
        return format_named(evidence.value, language)
    return evidence_words(evidence.name, evidence.value, language)


def _statement(cause: str, language: str) -> str:
    """What a check would confirm. A cause whose words are missing is shown by its id: no check leaves the report."""
    try:
        clear = cause_of(cause).clear
    except KeyError:
        return cause
    return clear.of(language) if clear else cause


def _not_run(outcomes: list[Outcome], symptom: str, language: str) -> tuple[NotRun, ...]:
    """The skipped checks by reason; first those that could have found something, then those with nothing to check.

    Of each reason what bears on the question comes first.
    """
    groups: dict[tuple[bool, str], list[str]] = defaultdict(list)
    for outcome in sorted(outcomes, key=lambda outcome: not can_explain(outcome.cause, symptom)):
        applies = outcome.reason not in NOTHING_TO_CHECK
        statement = _statement(outcome.cause, language)
        if applies:  # a reader who only skims must not take it for a result
            statement = words("report.not-confirmed", language, statement=statement)
        groups[applies, reason_of(outcome, language)].append(statement)
    return tuple(
        NotRun(reason, applies, tuple(statements))
        for (applies, reason), statements in sorted(groups.items(), key=lambda group: not group[0][0])
    )


def _probe(run: ProbeRun, language: str) -> ProbeRow:
    computing = computing_name(run.probe, language)
    # A stage of other probes may fail by rights (a library is not there); of these it was measured or was not.
    failed = next((step for step in run.stages if step.error), None) if computing and run.status == "ok" else None
    stage = failed.name if failed else "" if run.status in ("ok", "not-python") else run.last_stage or ""
    ended_by_itself = run.signal is None and run.status not in ("crashed", "timed-out", "too-much-memory", "cancelled")
    details = [
        words("report.probe-stage", language, stage=known(f"window.run-stage-{stage}", stage, language))
        if stage
        else "",
        first_line(f"{failed.error.type}: {failed.error.message}") if failed and failed.error else "",
        run.signal or (words("report.probe-exit", language, code=run.exit_code) if run.exit_code else ""),
        (run.detail or "") if ended_by_itself else "",  # else the status says it all, in the reader's language
    ]
    return ProbeRow(
        name=computing or label(run.probe, language),
        status=known(f"report.probe-{run.status}", run.status, language),
        seconds="" if run.seconds is None else words("report.seconds", language, seconds=run.seconds),
        detail=words("report.list-separator", language).join(detail for detail in details if detail),
        is_trouble=run.status != "ok" or failed is not None,
        is_slow=not computing and (run.seconds or 0) >= 10,  # to compute takes the time that it was given
    )


def _meta(case: Case, language: str) -> tuple[tuple[str, str], ...]:
    oldest, newest = (day.isoformat() for day in knowledge_days())
    answers = case.answers
    rows = [
        ("meta-symptom", known(f"report.symptom-{answers.symptom}", answers.symptom, language)),
        ("meta-exactness", known(f"report.exactness-name-{answers.exactness}", answers.exactness, language)),
        (
            "meta-effort",
            "" if case.facts.reported else known(f"report.effort-{answers.effort}", answers.effort, language),
        ),
        ("meta-target", case.facts.target or ""),
        ("meta-created", moment(case.created, language)),
        ("meta-naosu", case.naosu),
        ("meta-knowledge", words("report.knowledge-days", language, oldest=oldest, newest=newest)),
    ]
    return tuple((words(f"report.{key}", language), value) for key, value in rows if value)


def _notes(case: Case, language: str) -> tuple[str, ...]:
    """What the reader must know about how this case came about."""
    is_elsewhere = case.answers.symptom == MODELS or case.facts.served is not None  # no machine is asked about
    keys = [
        ("note-newer-format", case.newer),
        ("note-judged-again", case.naosu != __version__),
        ("note-cancelled", not case.complete),
        ("note-shortened", case.shortened),
        ("note-offline", case.facts.missing.get("resolutions") == "offline"),
        ("note-no-machine", not is_elsewhere and (case.facts.machine is None or case.facts.reported)),
    ]
    partly = languages()[language].note if language in languages() else ""
    notes = [partly] if partly else []
    notes += [words(f"report.{key}", language, written=case.naosu, here=__version__) for key, holds in keys if holds]
    if case.facts.name and case.facts.others and case.facts.served is None:
        notes += [words("report.note-facts-of", language, first=case.facts.name, other=case.facts.others[0].name)]
    return (*notes, *_contradictions(case, language), *not_kept(case, language))


def _contradictions(case: Case, language: str) -> tuple[str, ...]:
    """That a pasted text is from another machine than the one examined, or from another day."""
    if case.facts.reported or not any(log.text for log in case.facts.logs):
        return ()
    from checks.readers.tickets.other_machine import contradictions

    found = contradictions(case.facts)
    if not found:
        return ()
    none = words("report.none", language)
    listed = words("report.list-separator", language).join(
        words(
            "report.told-otherwise",
            language,
            label=label(contradiction.fact, language),
            told=contradiction.reported,
            here=contradiction.here or none,
        )
        for contradiction in found
    )
    key = "note-other-machine" if any(contradiction.is_other_machine for contradiction in found) else "note-other-day"
    return (words(f"report.{key}", language, listed=listed),)
