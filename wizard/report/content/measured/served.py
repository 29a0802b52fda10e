"""A served model in words: which server it is, how often its answers varied and where, and two servers side by side."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from checks.analysis.numbers.power import CONFIDENCE, ENOUGH
from checks.analysis.served.closeness import Closeness, closeness
from checks.analysis.served.two_servers import Compared, compared
from checks.analysis.served.variation import described
from checks.engine.served.plan import ServedRequest, announced
from checks.facts import Facts, ServedAspect, ServedFacts, ServedPair, ServedParting, ServedTrial
from checks.facts.case import Case
from checks.judgement.served import Counts, ended_by, failures
from checks.knowledge.frameworks.served import server_of
from wizard.report.content.blocks import FactRow, MeasuredSection, Row, Table
from wizard.report.content.fact_sheet import FactSection
from wizard.report.content.measured.words import joined, percent
from wizard.words import known, words

_NONE = "–"
_STATUS = re.compile(r" ?\([^()]*\{status\}\)")
_MOST_SHOWN = 20  # models, and settings, of a server
_SENTENCES = "report.sentence-separator"
_OF_CLOSENESS = {Closeness.NEAR: "note", Closeness.UNTOLD: "note"}  # of the rest one has to know
_PAIRED = ("alone", "company")  # trials of which one answer is one repetition


def _words(key: str, language: str, /, **values: object) -> str:
    return words(f"served.{key}", language, **values)


def announcement(request: ServedRequest, language: str) -> Iterator[str]:
    """What is about to be sent, before anything is: how many requests of which size, to whom, and with which key."""
    plan = announced(request)
    yield _words(
        "announce",
        language,
        host=plan.host,
        requests=plan.requests,
        at_once=plan.at_once,
        prompts=plan.prompts,
        longest=plan.longest,
        max_tokens=plan.max_tokens,
        minutes=math.ceil(plan.seconds / 60),
    )
    if request.key_variable:
        is_safe = request.base.startswith("https:")
        yield _words("announce-key" if is_safe else "announce-key-open", language, variable=request.key_variable)


def problem_words(served: ServedFacts, language: str) -> str:
    """Why a server could not be asked, in one sentence; "" where it could."""
    return _problem(served.problem, language, served.problem_values) if served.problem else ""


def _problem(problem: str, language: str, values: dict[str, str]) -> str:
    text = known(f"served.problem-{problem}", _words("problem-unknown", language), language)
    if not values.get("status"):  # what an earlier version saved has none
        text = _STATUS.sub("", text)
    for name in ("status", "words", "seconds", "detail", "place", "size", "model", "models", "path", "variable"):
        text = text.replace(f"{{{name}}}", values.get(name, ""))
    return text.strip()


def _ended(trial: ServedTrial, language: str) -> str:
    """Why a trial ended early, or what failed in it."""
    values = {"words": trial.detail, "status": trial.status}
    return _problem(trial.reason, language, values) if trial.reason else ""


def failed_in_short(served: ServedFacts, language: str) -> tuple[str, ...]:
    """How many requests the server did not answer, and how it puts it."""
    ended = ended_by(served)
    if ended is None:
        return ()
    problem = _ended(ended, language).rstrip(".。")
    return (words("report.served-failed", language, count=failures(served), problem=problem),)


def asked_in_short(served: ServedFacts | None, language: str) -> tuple[str, ...]:
    """Which server was asked, and at which address."""
    if served is None:
        return ()
    asked = words("report.served-asked", language, server=described(served), url=served.url)
    return (asked, words("report.served-other-model", language, answered=served.answered_as, model=served.model))[
        : 1 + _is_other_model(served)
    ]


def _is_other_model(served: ServedFacts) -> bool:
    """Whether the answers name another model than was asked for; Ollama's "tiny:latest" is "tiny"."""
    answered, model = served.answered_as, served.model
    return bool(answered) and answered != model and model not in served.models and not answered.startswith(f"{model}:")


def served_facts(facts: Facts, language: str) -> tuple[FactSection, ...]:
    """What the server tells of itself."""
    served = facts.served
    if served is None:
        return ()
    row = server_of(served.kind)
    mode = {True: "mode-on", False: "mode-off"}.get(served.is_promised) if served.is_promised is not None else None
    if mode is None and served.is_claimed:
        mode = "mode-claimed"
    values = {
        "url": served.url,
        "kind": row.name if row else "",
        "version": served.version,
        "model": served.model,
        "answered": served.answered_as if served.answered_as != served.model else "",
        "models": joined(served.models[:_MOST_SHOWN], language),
        "endpoint": served.endpoint,
        "max_tokens": str(served.max_tokens or ""),
        "mode": _words(mode, language) if mode else "",
    }
    rows = [FactRow(_words(f"fact-{name}", language), value) for name, value in values.items() if value]
    rows += [FactRow(name, value) for name, value in list(served.settings.items())[:_MOST_SHOWN]]
    return (FactSection(_words("facts", language), tuple(rows)),)


def served_section(case: Case, language: str) -> MeasuredSection | None:
    """All trials of a served model, or the prompts of two beside each other."""
    pair = case.facts.served_pair
    if pair is not None:
        return _of_pair(pair, language)
    served = case.facts.served
    if served is None or not served.trials:
        return None
    return MeasuredSection(
        id="served",
        title=_words("section", language),
        sentences=tuple(_sentences(served, language)),
        tables=(_table(served, language),),
    )


def _sentences(served: ServedFacts, language: str) -> Iterator[str]:
    row = server_of(served.kind)
    yield row.of(language) if row else _words("kind-unknown", language)
    counts, alone = Counts.of(served), served.of(ServedAspect.ALONE)
    if counts.alone >= ENOUGH and not any(trial.others for trial in alone):
        yield _words("power", language, count=counts.alone, rate=counts.rate, sure=percent(CONFIDENCE))
    first = [trial.prompt for trial in alone if trial.first_differs and not trial.others]
    if first:
        yield _words("first-differs", language, prompts=joined(first, language))
    if not served.has_tokens:
        yield _words("no-tokens", language)
    elif not served.has_tops:
        yield _words("no-tops", language)
    for trial in served.of(ServedAspect.SEED):
        if trial.other_seeds:
            yield _words(
                "seeds-differ" if trial.other_texts else "seeds-alike",
                language,
                others=trial.other_texts,
                calls=trial.other_seeds,
                temperature=f"{trial.temperature:g}",
            )


def _table(served: ServedFacts, language: str) -> Table:
    columns = ("condition", "prompt", "others", "drifted", "parts", "gap", "drift", "why")
    return Table(
        title=_words("table", language),
        columns=tuple(_words(f"column-{column}", language) for column in columns),
        rows=tuple(_row(trial, language) for trial in served.trials),
        numeric=(2, 3, 5, 6),
        note=joined((_words("table-note", language), _words("groups-note", language)), language, _SENTENCES),
        is_whole=True,
    )


def _row(trial: ServedTrial, language: str) -> Row:
    first = min(trial.partings, key=lambda parting: parting.character, default=None)
    condition = known(f"served.condition-{trial.aspect}", trial.aspect, language)
    prompt = known(f"served.beginning-{trial.prompt}", trial.prompt, language)
    same = trial.repetitions - trial.others
    return Row(
        (
            condition.replace("{at_once}", str(trial.at_once)).replace("{temperature}", f"{trial.temperature:g}"),
            prompt,
            _words("of", language, others=trial.others, calls=trial.repetitions) if trial.repetitions else _NONE,
            _words("of", language, others=trial.drifted, calls=same) if trial.compared else _NONE,
            _place(first, language),
            _distance(first.gap if first else None),
            _distance(trial.drift),
            _ended(trial, language),
        ),
        _state(trial),
    )


def _state(trial: ServedTrial) -> str:
    if not trial.repetitions:
        return "absent"
    if trial.aspect == ServedAspect.SEED:
        return "note" if trial.others else "clear" if trial.other_texts else "open"
    if trial.others:
        grades = {_OF_CLOSENESS.get(closeness(parting), "warning") for parting in trial.partings}
        return "warning" if "warning" in grades else "note"
    return "note" if trial.drifted else "clear" if _is_enough(trial) else "open"


def _is_enough(trial: ServedTrial) -> bool:
    return trial.repetitions >= ENOUGH if trial.aspect in _PAIRED else trial.repetitions > 1


def _place(parting: ServedParting | None, language: str) -> str:
    if parting is None:
        return _NONE
    if parting.token is None:
        return _words("at-character", language, place=parting.character + 1)
    return _words("at-token", language, place=parting.token + 1)


def _distance(value: float | None) -> str:
    return _NONE if value is None else "0" if value == 0 else f"{value:.2g}"


# --- two servers -----------------------------------------------------------------------------------------------------


def pair_counts(pair: ServedPair) -> tuple[int, int]:
    """How many prompts have the same answer on both servers, of how many."""
    found = compared(pair)
    return sum(one.parting is None for one in found), len(found)


def _of_pair(pair: ServedPair, language: str) -> MeasuredSection | None:
    found = compared(pair)
    if not found:
        return None
    columns = ("prompt", "outcome", "parts", "gap", "drift", "tokens")
    table = Table(
        title=_words("table-pair", language),
        columns=tuple(_words(f"column-{column}", language) for column in columns),
        rows=tuple(_pair_rows(found, language)),
        numeric=(3, 4),
        note=_words("table-note", language),
        is_whole=True,
    )
    sides = zip(pair.names, (pair.first, pair.second), strict=True)
    sentences = tuple(f"{name}: {described(served)}" for name, served in sides)
    return MeasuredSection(id="served", title=_words("section-pair", language), sentences=sentences, tables=(table,))


def _pair_rows(found: Sequence[Compared], language: str) -> Iterator[Row]:
    for one in found:
        state, key = _pair_state(one)
        tokens = " / ".join(_NONE if count is None else str(count) for count in one.tokens)
        gap = _distance(one.parting.gap if one.parting else None)
        cells = (one.prompt, _words(key, language), _place(one.parting, language), gap, _distance(one.drift), tokens)
        yield Row(cells, state)


def _pair_state(one: Compared) -> tuple[str, str]:
    if one.parting is not None:
        return _OF_CLOSENESS.get(closeness(one.parting), "warning"), "apart"
    if one.is_hidden:
        return "open", "hidden"
    return ("note", "numbers") if one.drift else ("clear", "same")
