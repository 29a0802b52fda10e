"""The verdict: one sentence that answers what the user asked, and says what it does not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from checks.analysis.models.repeats import ALL_ALIKE, RepeatedModels
from checks.analysis.numbers.side_by_side import Agreement, agreement, comparisons
from checks.facts.case import Case
from checks.facts.finding import MEASURED_MODEL, Finding, Outcome, Severity, Status
from checks.facts.model_verdicts import Outcome as Runs
from checks.facts.question import ABOUT_RESULTS, COMPARISON, MODELS
from checks.judgement.headline import SURE, Headline, Stance, headline
from checks.judgement.model_standing import SERIOUS, PerModel, Standing, path_of
from checks.judgement.ranking import can_explain
from checks.knowledge.catalogue import UNKNOWN
from checks.knowledge.phrases import in_language
from wizard.report.content.blocks import Verdict
from wizard.report.content.compared_machines import compared_with
from wizard.report.content.fact_sheet import label
from wizard.report.content.tested import is_tested, is_too_short, what_was_tested
from wizard.words import area, words

SYMBOLS = {"blocking": "×", "warning": "!", "clear": "✓", "incomplete": "?", "nothing-run": "–"}

# Reasons for which a check had nothing to look at, so that nothing is missing from the answer.
_NOT_MEASURED = "not-measured"
NOTHING_TO_CHECK = frozenset(
    {"not-installed", "not-on-this-system", "one-device", "none-given", "no-target", "not-asked"}
)
_EVEN = 0.5  # a cause that a text alone gives is as likely wrong as right; below, nothing is decided


def verdict_of(case: Case, titles: Sequence[str], language: str) -> Verdict:
    """The verdict on a case. ``titles`` are those of its findings, in their order and in the same language."""
    if case.facts.reported and case.findings:
        return _of_ticket(case, titles[0], language)
    if case.answers.symptom == MODELS and case.facts.models:
        return _of_models(case, titles, language)
    if case.answers.symptom == COMPARISON and case.facts.others:
        return _of_comparison(case, language)
    # A case of a newer version may name a symptom that has no sentences here.
    symptom = case.answers.symptom if f"clear-{case.answers.symptom}" in area("report") else "everything"
    answer = headline(case.facts, case.findings, symptom, case.answers.exactness)
    state = _state(case, answer, symptom)
    if answer.stance is Stance.COMPARED:
        return _of_comparison(case, language, state)
    title = titles[answer.spoken] if titles else ""
    numbers = {"count": answer.count, "steps": answer.steps, "varied": answer.varied, "tried": answer.tried}
    values = {"title": title, "model": answer.model, **numbers}
    return Verdict(
        state=state,
        word=words(f"report.verdict-word-{_word(case, state, answer.stance)}", language),
        symbol=SYMBOLS[state],
        sentence=words(f"report.{_sentence(case, state, symptom, answer)}", language, **values),
        scope=_scope(case, language),
    )


def _of_ticket(case: Case, title: str, language: str) -> Verdict:
    """The verdict on what somebody sent: its likeliest cause, whatever its severity, and how sure it is."""
    best = case.findings[0]
    is_decided = best.cause != UNKNOWN and best.confidence >= _EVEN
    state = {Severity.NOTE: "clear"}.get(best.severity, best.severity.value) if is_decided else "incomplete"
    if best.cause == UNKNOWN:
        key = "unknown" if any((log.text or "").strip() for log in case.facts.logs) else "empty"
    else:
        key = "found" if best.confidence >= SURE else "maybe" if is_decided else "hint"
    maybe = {"blocking": "possible"} if key == "maybe" else {}
    word = {"clear": "explained", "incomplete": "undecided", **maybe}.get(state, state)
    return Verdict(
        state=state,
        word=words(f"report.verdict-word-{word}", language),
        symbol=SYMBOLS[state],
        sentence=words(f"report.{key}-ticket", language, title=title),
        scope=_scope(case, language),
    )


_OF_COMPARISON = {  # what the comparison comes to -> the state of the whole
    Agreement.NOTHING: "nothing-run",
    Agreement.SAME: "clear",
    Agreement.EXPLAINED: "clear",
    Agreement.UNEXPLAINED: "warning",
    Agreement.BEYOND: "warning",
}


def _of_comparison(case: Case, language: str, alone: str = "clear") -> Verdict:
    """The verdict on two machines beside each other. ``alone``: the state of what was examined of this one."""
    came_to = agreement(comparisons(case.facts))
    compared = _OF_COMPARISON[came_to]
    state = alone if compared == "clear" else compared
    is_explained = state == "clear" and came_to is Agreement.EXPLAINED
    word = "differences-explained" if is_explained else _word(case, state)
    first, *more = compared_with(case, language)
    return Verdict(
        state=state,
        word=words(f"report.verdict-word-{word}", language),
        symbol=SYMBOLS[state],
        sentence=first,
        scope=(*more, *(line for line in _scope(case, language) if line not in (first, *more))),
    )


_OF_MODELS = {  # the worst file's standing -> the state of the whole
    Standing.UNREADABLE: "blocking",
    Standing.DOES_NOT_RUN: "blocking",
    Standing.ATTENTION: "warning",
    Standing.NO_PROGRAM: "incomplete",
    Standing.UNKNOWN: "incomplete",
    Standing.READ: "clear",
    Standing.SHOULD_RUN: "clear",
    Standing.RUNS: "clear",
}


def _of_models(case: Case, titles: Sequence[str], language: str) -> Verdict:
    """Whether the model files run here: of one file in a sentence, of many by their counts."""
    per_model = PerModel.of(case.findings, case.verdicts)
    standings = Counter(map(per_model.standing, case.facts.models))
    worst = next(standing for standing in Standing if standing in standings)
    shown = RepeatedModels.of(case.facts)
    if standings.total() == 1:
        key, values = _of_one_model(case, worst, titles, language)
        sentence = words(f"report.{key}", language, **values)
    else:
        parts = (
            words(f"report.models-many-{standing.value}", language, count=standings[standing])
            for standing in Standing
            if standings[standing]
        )
        sentence = words("report.models-many", language, counts=words("report.list-separator", language).join(parts))
        if shown.tested:
            repeated = words("report.models-many-repeated", language, count=len(shown.tested), same=len(shown.same))
            sentence = f"{sentence}{words('report.sentence-separator', language)}{repeated}"
    state = _OF_MODELS[worst]
    if state == "clear" and any(finding.severity is not Severity.NOTE for finding in case.findings):
        state = "warning"  # of what is installed, or of several files
    is_open = not case.complete or shown.is_open
    state = "incomplete" if is_open and state == "clear" else state
    return Verdict(
        state=state,
        word=words(f"report.verdict-word-{state}", language),
        symbol=SYMBOLS[state],
        sentence=sentence,
        scope=_scope(case, language),
    )


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
        texts = {name: in_language(finding.values.get(name, ""), language) for name in ("why", "seen")}
        values |= {"title": titles[index], **texts}
        return (_but(finding) if MEASURED_MODEL in finding.values and best else "found-models"), values
    if worst is not Standing.RUNS or best is None:
        return f"models-one-{worst.value}", values
    shown = RepeatedModels.of(case.facts)
    if shown.tested:
        return f"models-one-repeats{'-few' if shown.is_open else ''}", {**values, "count": shown.fewest}
    done = "loads" if best.outcome is Runs.LOADS else "runs"
    return f"models-one-{done}{'-not-repeated' if shown.is_open else ''}", values


def _but(finding: Finding) -> str:
    """The key of the sentence on a file that runs, and of which running it again showed something."""
    key = f"models-but-{finding.cause}"
    if key in area("report"):
        return key
    decided = next((evidence.value for evidence in finding.evidence if evidence.name == "decisions_alike"), ALL_ALIKE)
    return "models-but" if decided == ALL_ALIKE else "models-but-decides"


def _state(case: Case, answer: Headline, symptom: str) -> str:
    """That of the findings that can explain what was asked, else of all: the badge belongs to the sentence."""
    explaining = {finding.severity for finding in case.findings if can_explain(finding.cause, symptom)} - {
        Severity.NOTE
    }
    severities = explaining or {finding.severity for finding in case.findings}
    for severity in (Severity.BLOCKING, Severity.WARNING):
        if severity in severities:
            return severity.value
    endings = [outcome.status for outcome in case.outcomes]
    if not {Status.FOUND, Status.CLEAR} & set(endings):
        return "nothing-run"
    # What was not measured is judged by how much was, not by the number of checks that had nothing to look at.
    is_unrun = any(_is_missing(outcome) and outcome.reason != _NOT_MEASURED for outcome in case.outcomes)
    is_open = is_unrun or _counts(case)["crashed"] or _is_untested(case) or is_too_short(case) or answer.is_open
    return "incomplete" if not case.complete or is_open else "clear"


def _is_untested(case: Case) -> bool:
    """Whether the question is one that only computing answers, and nothing was computed."""
    return case.answers.symptom in ABOUT_RESULTS and not is_tested(case)


def _is_missing(outcome: Outcome) -> bool:
    """Whether it did not run although there was something to look at."""
    return outcome.status is Status.SKIPPED and outcome.reason not in NOTHING_TO_CHECK


# The word where something blocks; what else is said of it names a possible cause.
_OF_BLOCKING = {Stance.FOUND: "blocking", Stance.UNRELATED: "unrelated", Stance.UNKNOWN_HERE: "undecided"}


def _word(case: Case, state: str, stance: Stance = Stance.FOUND) -> str:
    """The key of the verdict's word: what is too short to tell is no examination that broke off.

    That the cause was found is said only where the sentence says so, too.
    """
    if state == "blocking":
        return _OF_BLOCKING.get(stance, "possible")
    return "too-short" if state == "incomplete" and _incomplete(case).startswith("short-") else state


def _sentence(case: Case, state: str, symptom: str, answer: Headline) -> str:
    if state == "nothing-run":
        return state
    if answer.stance in (Stance.UNKNOWN_HERE, Stance.INPUTS_REFUSED):
        return answer.stance.value
    if answer.stance is Stance.UNRELATED:
        return f"unrelated-{state}"
    if state == "incomplete" and not (answer.is_open and case.complete):
        return _incomplete(case)
    return f"{answer.stance.value}-{symptom}"


def _incomplete(case: Case) -> str:
    if not case.complete:
        return "incomplete-cancelled"
    if is_too_short(case):
        return f"short-{case.answers.symptom}"
    return "untested" if _is_untested(case) else "incomplete"


def _scope(case: Case, language: str) -> tuple[str, ...]:
    """How far the examination reached. What did not happen at all is not mentioned, but that nothing was decided is."""
    examined = _examined(case, language)
    counts = {name: count for name, count in _counts(case).items() if count or name == "decided"}
    parts = (words(f"report.scope-{name}", language, count=count) for name, count in counts.items())
    checked = words("report.scope", language, counts=words("report.list-separator", language).join(parts))
    given = (*case.facts.logs, *case.facts.scripts)
    models = words("report.models-read", language, count=len(case.facts.models)) if case.facts.models else ""
    unread = words("report.scope-unread", language) if any(not file.examined for file in given) else ""
    tested = () if case.facts.reported else what_was_tested(case, language)
    is_told = (
        case.facts.reported or case.answers.symptom == COMPARISON
    )  # a ticket computed nothing; the verdict says it
    compared = () if is_told else compared_with(case, language)
    return tuple(
        line for line in (*compared, examined, models, *tested, "" if case.facts.reported else checked, unread) if line
    )


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


def _counts(case: Case) -> dict[str, int]:
    """How many checks decided, stayed open, could not run, and failed by our own fault."""
    endings = [outcome.status for outcome in case.outcomes]
    missing = sum(map(_is_missing, case.outcomes))
    return {
        "decided": endings.count(Status.FOUND) + endings.count(Status.CLEAR),
        "open": endings.count(Status.INCONCLUSIVE),
        "not_run": missing,
        "no_need": endings.count(Status.SKIPPED) - missing,
        "crashed": endings.count(Status.CRASHED),
    }
