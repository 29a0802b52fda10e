"""The verdict in words: one sentence that answers what the user asked, and says what it does not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from checks.analysis.models.repeats import ALL_ALIKE, RepeatedModels
from checks.analysis.served.two_servers import unanswered, varying_phrases
from checks.facts import ModelFacts, ServedFacts, ServedPair
from checks.facts.case import Case
from checks.facts.finding import MEASURED_MODEL, Finding, Severity
from checks.facts.models.verdicts import Outcome as Runs
from checks.facts.phrase import Phrase
from checks.facts.question import COMPARISON, MODELS, SERVED, SymptomName
from checks.judgement.coverage import has_own_error, outcome_counts
from checks.judgement.headline import Stance, headline
from checks.judgement.models.standing import SERIOUS, PerModel, Standing, path_of
from checks.judgement.served import Counts, decide_served, decide_served_pair
from checks.judgement.tickets.reported_numbers import needs_no_bug
from checks.judgement.verdict import Decision, decide, decide_comparison, decide_models, decide_ticket
from checks.knowledge.formats.model_formats import SETTINGS
from checks.knowledge.phrases import in_language
from wizard.report.content.blocks import Verdict
from wizard.report.content.compared_machines import compared_with
from wizard.report.content.fact_sheet import label
from wizard.report.content.measured.served import asked_in_short, failed_in_short, pair_counts, problem_words
from wizard.report.content.models.quantised_pair import pair_in_short
from wizard.report.content.programs.local import programs_in_short
from wizard.report.content.programs.runs import in_short
from wizard.report.content.remedies.mendings import mendings_in_short
from wizard.report.content.remedies.proofs import proofs_in_short
from wizard.report.content.tested import what_was_tested
from wizard.words import area, words

_TOLD_AT_ONCE = ("served-open", "served-undrawn")  # how close it was, where that leaves the reason open
SYMBOLS = {"blocking": "×", "warning": "!", "note": "i", "clear": "✓", "incomplete": "?", "nothing-run": "–"}


def verdict_of(case: Case, titles: Sequence[str], language: str) -> Verdict:
    """The verdict on a case. ``titles`` are those of its findings, in their order and in the same language."""
    if case.facts.reported and case.findings:
        decision = decide_ticket(case)
        sentence = words(f"report.{decision.sentence}", language, title=titles[0])
        if needs_no_bug(case.findings[0], case.facts):
            parts = (words("report.no-bug-ticket", language), sentence)
            sentence = words("report.sentence-separator", language).join(parts)
        return _verdict(case, decision, sentence, language)
    if case.answers.symptom == MODELS and case.facts.models:
        return _of_models(case, titles, language)
    if case.answers.symptom == SERVED and case.facts.served is not None:
        return _of_served(case, case.facts.served, titles, language)
    if case.facts.served_pair is not None:
        return _of_served_pair(case, case.facts.served_pair, language)
    if case.answers.symptom == COMPARISON and case.facts.others:
        return _of_comparison(case, language)
    # A case of a newer version may name a symptom that has no sentences here.
    symptom = case.answers.symptom if f"clear-{case.answers.symptom}" in area("report") else "everything"
    answer = headline(case.facts, case.findings, symptom, case.answers.exactness)
    decision = decide(case, answer, symptom)
    if answer.stance is Stance.COMPARED:
        return _of_comparison(case, language, decision.state)
    title = titles[answer.spoken] if titles else ""
    numbers = {"count": answer.count, "steps": answer.steps, "varied": answer.varied, "tried": answer.tried}
    sentence = words(f"report.{decision.sentence}", language, title=title, model=answer.model, **numbers)
    return _verdict(case, decision, sentence, language)


def _verdict(
    case: Case, decision: Decision, sentence: str, language: str, scope: tuple[str, ...] | None = None
) -> Verdict:
    word = words(f"report.verdict-word-{decision.word}", language)
    scope = _scope(case, language) if scope is None else scope
    return Verdict(decision.state, word, SYMBOLS[decision.state], sentence, scope)


def _of_comparison(case: Case, language: str, alone: str = "clear") -> Verdict:
    first, *more = compared_with(case, language)
    decision = decide_comparison(case, alone)
    scope = (*more, *(line for line in _scope(case, language) if line not in (first, *more)))
    return _verdict(case, decision, first, language, scope)


def _of_served(case: Case, served: ServedFacts, titles: Sequence[str], language: str) -> Verdict:
    """How the answers of a served model vary, and why."""
    decision, spoken = decide_served(case, served)
    counts = Counts.of(served)
    sentence = words(
        f"report.{decision.sentence}",
        language,
        title="" if spoken is None else titles[case.findings.index(spoken)],
        problem=problem_words(served, language),
        count=counts.alone,
        company=counts.company,
        rate=counts.rate,
    )
    why = None if spoken is None else spoken.values.get("closeness")
    more = (in_language(why, language),) if isinstance(why, Phrase) and why.key in _TOLD_AT_ONCE else ()
    sentence = words("report.sentence-separator", language).join((*failed_in_short(served, language), sentence, *more))
    return _verdict(case, decision, sentence, language)


def _of_served_pair(case: Case, pair: ServedPair, language: str) -> Verdict:
    """Whether two servers answer alike."""
    decision = decide_served_pair(pair, case)
    same, count = pair_counts(pair)
    why = in_language(case.findings[0].values["closeness"], language) if case.findings else ""
    separator = words("report.sentence-separator", language)
    sides = separator.join(in_language(side, language) for side in varying_phrases(pair))
    silent = words("report.list-separator", language).join(unanswered(pair))
    counted = {"same": same, "count": count, "why": why, "sides": sides, "silent": silent}
    values = {"first": pair.names[0], "second": pair.names[1], **counted}
    failed = (
        words("report.served-failed-of", language, name=name, failed=sentence)
        for name, served in zip(pair.names, (pair.first, pair.second), strict=True)
        for sentence in failed_in_short(served, language)
    )
    return _verdict(
        case, decision, separator.join((*failed, words(f"report.{decision.sentence}", language, **values))), language
    )


def _of_models(case: Case, titles: Sequence[str], language: str) -> Verdict:
    """Whether the model files run here: of one file in a sentence, of many by their counts."""
    pair = pair_in_short(case, language)
    standings = Counter(map(PerModel.of(case.findings, case.verdicts).standing, case.facts.models))
    decision = decide_models(case, standings)
    if pair:
        return _verdict(case, decision, pair, language)
    if standings.total() == 1:
        key, values = _of_one_model(case, next(iter(standings)), titles, language)
        sentence = words(f"report.{key}", language, **values)
        if not key.startswith("models-but"):
            noted = (*_noted(case, language), *_values_unread(case, standings, language))
            sentence = words("report.sentence-separator", language).join((sentence, *noted))
        return _verdict(case, decision, sentence, language)
    parts = (
        words(f"report.models-many-{standing.value}", language, count=standings[standing])
        for standing in Standing
        if standings[standing]
    )
    sentence = words("report.models-many", language, counts=words("report.list-separator", language).join(parts))
    sentence = words("report.sentence-separator", language).join((sentence, *_values_unread(case, standings, language)))
    shown = RepeatedModels.of(case.facts)
    if shown.tested:
        repeated = words("report.models-many-repeated", language, count=len(shown.tested), same=len(shown.same))
        sentence = f"{sentence}{words('report.sentence-separator', language)}{repeated}"
    return _verdict(case, decision, sentence, language)


def _of_one_model(case: Case, worst: Standing, titles: Sequence[str], language: str) -> tuple[str, dict[str, object]]:
    """The key of the sentence on one file, and what it names."""
    model = case.facts.models[0]
    works = [
        verdict for verdict in case.verdicts if verdict.outcome in (Runs.RUNS, Runs.RUNS_WITH_FALLBACK, Runs.LOADS)
    ]
    best = min(
        works, key=lambda verdict: (verdict.outcome is Runs.LOADS, verdict.outcome is not Runs.RUNS), default=None
    )
    runtime = f"{label(best.runtime, language)} {best.version}".strip() if best else ""
    values: dict[str, object] = {"name": model.name, "runtime": runtime}
    about = [index for index, other in enumerate(case.findings) if path_of(other) == model.path]
    serious = next((index for index in about if case.findings[index].severity is not Severity.NOTE), None)
    if worst in SERIOUS and about:
        index = about[0] if serious is None else serious
        finding = case.findings[index]
        texts = {name: in_language(finding.values.get(name, ""), language) for name in ("why", "seen", "seeded")}
        values |= {"title": titles[index], **texts}
        return (_but(finding) if MEASURED_MODEL in finding.values and best else "found-models"), values
    if worst is not Standing.RUNS or best is None:
        return f"models-one-{worst.value}", values
    if has_own_error(case):
        return "models-one-own-error", values
    shown = RepeatedModels.of(case.facts)
    if shown.tested:
        key = "repeats-few" if shown.is_open else "repeats" if shown.same else "varies-elsewhere"
        return f"models-one-{key}", {**values, "count": shown.fewest}
    if shown.is_idle:
        return "models-one-idle", values
    done = "loads" if best.outcome is Runs.LOADS else "runs"
    return f"models-one-{done}{'-not-repeated' if shown.is_open else ''}", values


def _noted(case: Case, language: str) -> Iterator[str]:
    """What a tick must not be read without, although it is no fault."""
    for finding in case.findings:
        key = f"models-note-{finding.cause}"
        if MEASURED_MODEL in finding.values and key in area("report"):
            yield words(f"report.{key}", language, seen=in_language(finding.values.get("seen", ""), language))


def _values_unread(case: Case, standings: Counter[Standing], language: str) -> Iterator[str]:
    """That files were read, but not all numbers of their weights: else a tick says that they are sound."""
    unread = [model for model in case.facts.models if model.format and _has_unread_values(model)]
    if unread and standings[Standing.READ]:
        is_one = len(case.facts.models) == 1
        how = "-many" if not is_one else "-partly" if unread[0].weight_values else ""
        yield words(f"report.models-values-unread{how}", language, count=len(unread))


def _has_unread_values(model: ModelFacts) -> bool:
    if model.parameters == 0 or model.format == SETTINGS:
        return False
    return model.weight_values is None or model.weight_values.left_out > 0


def _but(finding: Finding) -> str:
    """The key of the sentence on a file that runs, and of which running it again showed something."""
    key = f"models-but-{finding.cause}"
    if key in area("report"):
        return key
    decided = next((evidence.value for evidence in finding.evidence if evidence.name == "decisions_alike"), ALL_ALIKE)
    return "models-but" if decided == ALL_ALIKE else "models-but-decides"


def _scope(case: Case, language: str) -> tuple[str, ...]:
    """How far the examination reached. What did not happen at all is not mentioned, but that nothing was decided is."""
    examined = _examined(case, language)
    counts = {name: count for name, count in outcome_counts(case).items() if count or name == "decided"}
    parts = (words(f"report.scope-{name}", language, count=count) for name, count in counts.items())
    checked = words("report.scope", language, counts=words("report.list-separator", language).join(parts))
    given = (*case.facts.logs, *case.facts.scripts)
    models = words("report.models-read", language, count=len(case.facts.models)) if case.facts.models else ""
    unread = words("report.scope-unread", language) if any(not file.examined for file in given) else ""
    tested = () if case.facts.reported else what_was_tested(case, language)
    is_named = (
        case.facts.reported or case.answers.symptom == COMPARISON
    )  # a ticket computed nothing; the verdict says it
    compared = () if is_named else compared_with(case, language)
    return tuple(
        line
        for line in (
            *in_short(case, language),
            *asked_in_short(None if case.facts.served_pair else case.facts.served, language),
            *programs_in_short(case.facts, language),
            *mendings_in_short(case.facts.mendings, language),
            *(() if any(one.stands for one in case.facts.mendings) else proofs_in_short(case.facts.proofs, language)),
            *compared,
            examined,
            _notes_below(case, language),
            models,
            *tested,
            "" if case.facts.reported else checked,
            unread,
        )
        if line
    )


def _notes_below(case: Case, language: str) -> str:
    """What the findings are where everything was asked about and nothing is wrong: else a tick above them puzzles."""
    left = [finding for finding in case.findings if not finding.is_mended]
    are_notes = bool(left) and all(finding.severity is Severity.NOTE for finding in left)
    is_asked = case.answers.symptom == SymptomName.EVERYTHING and not case.facts.reported
    return words("report.scope-notes", language) if are_notes and is_asked else ""


def _examined(case: Case, language: str) -> str:
    """Which interpreter was examined: a verdict on the wrong one misleads."""
    if not case.facts.target:
        return ""
    path = case.facts.target.encode(errors="replace").decode()  # a file name need not be Unicode
    target = case.facts.target_interpreter
    if case.answers.symptom == COMPARISON and case.facts.name:
        return words("report.examined-in", language, first=case.facts.name, path=path)
    own = target is not None and "naosu" in target.found_by and "chosen" not in target.found_by
    return words("report.examined-own" if own else "report.examined", language, path=path)
