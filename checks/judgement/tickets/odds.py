"""The root cause of a ticket: the wordings that stand in its text and the findings of the checks, weighed together.

Exactly one of the causes in question is taken to be the root cause, or none of them ("unknown"). Each has odds, from
how much the text resembles it and from the certainty of its signatures and of the checks' findings; what is a mere
consequence of another cause in question, or contradicted by the facts, loses most of its odds; the share of a cause in
all odds is its confidence.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from checks.facts import Facts, SentFile
from checks.facts.finding import CLUE, MISSPELT, Evidence, Finding, Outcome, Severity, Status
from checks.facts.phrase import Phrase, Value
from checks.judgement.tickets.belief import with_answers
from checks.judgement.tickets.reported_numbers import with_numbers
from checks.judgement.tickets.vetoes import Doubts, doubts, vetoed
from checks.knowledge.catalogue import UNKNOWN, USER_CODE, cause_of
from checks.knowledge.errors.vetoes import Vetoes
from checks.knowledge.tickets.honesty import BY_CHECK, BY_CLUE, BY_SIGNATURE, BY_WORDS, honest
from checks.readers.tickets.excerpt import excerpt
from checks.readers.tickets.impersonal import impersonal
from checks.readers.tickets.lines import PASTED, Line, lines_of
from checks.readers.tickets.other_machine import contradictions, disagreements
from checks.readers.tickets.quoted_words import without_quoted
from checks.readers.tickets.read import ANSWER
from checks.readers.tickets.reported import facts_of_text
from checks.readers.tickets.wording.resemblance import resembled
from checks.readers.tickets.wording.signatures import Hit, hits

# What multiplies the odds of a cause: e to the power of LIKENESS for each unit of resemblance, e to the power of WORDED
# where anything names the cause at all, and the odds of that one's certainty to the power of SURENESS. Chosen on
# 2026-11-21 on 229 new real tickets before they were learned from, and on 1360 others of which each quarter was judged
# by what the rest had taught: 71.6 and 86.6 % had the right answer first, with what was here before (7.6, 1.4, 0.75)
# 68.1 and 85.5 %; of the 243 that are the program's own fault or cannot be told 7 instead of 11 got another cause. On
# 530 other tickets the cause whose signature calls the other its consequence was right eight times as often as that.
LIKENESS, WORDED, SURENESS = 6.5, 2.6, 0.95
CONSEQUENCE = 0.12  # of the odds are left to what a matching signature calls a consequence
CONTRADICTED = 0.25  # ... and to what a check of this very machine found to be fine
NONE_OF_THESE = 4.0  # odds of "unknown" where the text has no words to compare; a cause as likely as not has 13
SURELY_WORDED, AT_LEAST_ALIKE = 0.7, -0.6  # a cause of this certainty is taken to be at least so much alike
# What only the words resemble is never nearly certain (right in 44 of 47 tickets where its share was above 0.9), and
# where even the likeliest of that kind is less likely than this, the text does not tell the cause. A small share is
# still worth naming: on 2026-11-21, of 554 new tickets, spread evenly over the causes, 19 had shares from 0.1 to 0.25;
# in 9 of them the likeliest was right, and in none was it right that the cause cannot be told (19 and 7 of 46 others).
MOST_BY_WORDS, LEAST_BY_WORDS = 0.9, 0.1
# Words that are like a cause's leave at least so much of the doubt that its signature has when it stands alone.
LEFT_OF_DOUBT = 0.25
# A cause named in vain does more harm than one that is missed: that there is none counts as so many times likelier.
CAUTION = 1.8
NO_CAUSE = (USER_CODE, UNKNOWN)
AT_LEAST_UNKNOWN = -0.9  # so much alike is a text to those that do not tell, whatever its words
# A check proves that something is so; whether the ticket is about that, is another question.
IS_WHAT_THE_TICKET_IS_ABOUT = {Severity.BLOCKING: 0.45, Severity.WARNING: 0.15, Severity.NOTE: 0.02}
CONFIRMED = 0.6  # the same finding, where the text words that cause too
# Confidence from which on a cause is named at all: of the FIRST few already a hint, of "unknown" only a real doubt.
WORTH_NAMING, A_HINT, PERHAPS_NONE = 0.05, 0.0005, 0.15
FIRST = 3
EXCLUDED = 0.2  # what keeps no more of its odds than this has no consequences either
EVEN = 0.5  # below, it is likelier that the cause is another one
# A cause of this share can be what is left where numbers rule out another one, and is then no surer than that.
IN_QUESTION, BY_ELIMINATION = 0.02, 0.7
CERTAIN = 0.99  # nothing is surer than this
_ASK = "ask-for-details"  # what to do about a ticket that does not say enough
_OF_ADDRESS = "http"
CLUES = 5  # quoted lines per finding


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cause in question: its share, and the id of what would be done first about it ("" = nothing)."""

    share: float
    remedy: str


@dataclass(slots=True)
class _Suspect:
    """A cause in question. ``likeness``: how much the words of the text are like its."""

    hits: list[Hit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    likeness: float = 0.0

    @property
    def is_named(self) -> bool:
        """Whether a signature or a check names it; otherwise the text merely resembles it."""
        return bool(self.hits or self.findings)

    def certainty(self) -> float:
        """How likely this is the root cause by what names it, seen alone: 0 to 1."""
        worded = max((hit.signature.certainty for hit in self.hits), default=0.0)
        proven = 0.0
        if self.findings:
            finding = self.findings[0]
            share = CONFIRMED if self.hits else IS_WHAT_THE_TICKET_IS_ABOUT[finding.severity]
            proven = finding.confidence * (1.0 if finding.named(MISSPELT) else share)  # its words are that finding
        return min(1 - (1 - worded) * (1 - proven), CERTAIN)

    def kind(self) -> str:
        """What its share rests on: a signature that is seldom wrong, one that is a mere clue, a check, or words."""
        if self.hits:
            is_sure = max(hit.signature.certainty for hit in self.hits) >= SURELY_WORDED
            return BY_SIGNATURE if is_sure else BY_CLUE
        return BY_CHECK if self.findings else BY_WORDS

    def odds(self) -> float:
        """The odds against the other causes in question; to be named never lowers them."""
        if not self.is_named:
            return math.exp(LIKENESS * self.likeness)
        certainty = self.certainty()
        named = math.exp(WORDED) * math.pow(certainty / (1 - certainty), SURENESS)
        likeness = max(self.likeness, AT_LEAST_ALIKE) if certainty >= SURELY_WORDED else self.likeness
        return math.exp(LIKENESS * likeness) * max(named, 1.0)


def weighed(facts: Facts, outcomes: Sequence[Outcome]) -> tuple[Finding, ...]:
    """The causes that the sent texts name, weighed with those that the checks found, the likeliest first.

    Of a ticket that is all there is. Of a live machine it replaces what was found of these causes alone: every finding
    of a check stands there, whether the text is about it or not, and as sure as the check is.
    """
    suspects, shares = _judged(facts, outcomes)
    named = [
        _finding(cause, suspects[cause], shares[cause], is_reported=facts.reported) for cause in _worth_naming(shares)
    ]
    if facts.reported:
        asking = (
            finding if finding.cause != UNKNOWN else msgspec.structs.replace(finding, remedies=(_ASK,))
            for finding in named
        )
        return with_numbers(tuple(asking), facts)
    fails_here = any(outcome.findings for outcome in outcomes if outcome.cause == UNKNOWN)  # says more than the text
    return tuple(
        finding
        for weighed_one in named
        if (not fails_here if weighed_one.cause == UNKNOWN else suspects[weighed_one.cause].hits)
        for finding in _with_proven(weighed_one, suspects[weighed_one.cause].findings)
    )


def first_answer(facts: Facts, outcomes: Sequence[Outcome]) -> tuple[str, float, str]:
    """The likeliest cause of a ticket, its share, and the kind of evidence that this rests on."""
    suspects, shares = _judged(facts, outcomes)
    first = _worth_naming(shares)[0]
    return first, shares[first], suspects[first].kind()


def candidates(facts: Facts, outcomes: Sequence[Outcome]) -> dict[str, Candidate]:
    """All causes in question of a ticket, however unlikely, and "unknown"."""
    suspects, shares = _judged(facts, outcomes)
    return {cause: Candidate(share, _remedy(cause, suspects[cause])) for cause, share in shares.items()}


def _remedy(cause: str, suspect: _Suspect) -> str:
    """What would be done first about it."""
    shown = sorted(suspect.hits, key=lambda hit: -hit.signature.certainty)
    worded = next((hit.signature.remedies for hit in shown if hit.signature.remedies), ())
    proven = suspect.findings[0].remedies if suspect.findings else ()
    return next(iter((*worded, *proven, *cause_of(cause).remedies)), "")


def _judged(facts: Facts, outcomes: Sequence[Outcome]) -> tuple[dict[str, _Suspect], dict[str, float]]:
    """The causes in question and the share of each."""
    texts = [log for log in facts.logs if log.text is not None]
    suspects = _suspects(texts, facts, outcomes)
    _without_misread(suspects)
    is_of_this_machine = not facts.reported and not any(contradictions(facts))
    if is_of_this_machine:
        _rule_out(suspects, facts)
        if all(text.examined for text in texts):  # of a program that failed here, not of a log from elsewhere
            _clear(suspects, outcomes)
    likely = [cause for cause, suspect in suspects.items() if suspect.hits or suspect.likeness > AT_LEAST_ALIKE]
    doubted = doubts(facts, likely) if facts.reported else Doubts()
    shares = _shares(suspects, outcomes, doubted.odds, is_of_this_machine=is_of_this_machine)
    shares = _as_sure_as_words_are(shares, suspects)
    shares = _doubted(_honest(shares, suspects) if facts.reported else shares, doubted)
    if facts.asked:
        named = {cause for cause, suspect in suspects.items() if suspect.is_named}
        found = {cause for cause, suspect in suspects.items() if _is_serious(suspect)}
        shares = with_answers(shares, facts, named, found)
        for cause in shares.keys() - suspects.keys():
            suspects[cause] = _Suspect()
    return suspects, shares


def _honest(shares: Mapping[str, float], suspects: Mapping[str, _Suspect]) -> dict[str, float]:
    """The shares, with that of the first answer as often right as it says; "unknown" gives what it gains, or gets.

    The first answer stays the first.
    """
    first = max(shares, key=lambda cause: shares[cause])
    if first == UNKNOWN:
        return dict(shares)
    kind, weighed_as = suspects[first].kind(), shares[first]
    if kind == BY_SIGNATURE:
        other = max((share for cause, share in shares.items() if cause != first), default=0.0)
        least = max(other, min(weighed_as, EVEN))  # what was counted is too little to call a likely cause unlikely
        share = max(min(honest(kind, weighed_as), weighed_as), least)
        unknown = min(shares[UNKNOWN] + weighed_as - share, max(share - A_HINT, shares[UNKNOWN]))
        return {**shares, UNKNOWN: unknown, first: share}
    if suspects[first].hits or not suspects[first].likeness:
        return dict(shares)
    share = max(min(honest(BY_WORDS, weighed_as), MOST_BY_WORDS), weighed_as)
    return {**shares, UNKNOWN: max(shares[UNKNOWN] - (share - weighed_as), 0.0), first: share}


def _worth_naming(shares: Mapping[str, float]) -> list[str]:
    """The causes in question, the likeliest first; "unknown" only where it is likely itself."""
    hinted = (cause for cause, share in shares.items() if share >= A_HINT)
    order = sorted(hinted, key=lambda cause: (-shares[cause], cause == UNKNOWN, cause))
    likely = [cause for cause in order if cause != UNKNOWN or cause == order[0] or shares[cause] >= PERHAPS_NONE]
    return [cause for rank, cause in enumerate(likely) if rank < FIRST or shares[cause] >= WORTH_NAMING]


def _suspects(texts: Sequence[SentFile], facts: Facts, outcomes: Sequence[Outcome]) -> dict[str, _Suspect]:
    suspects: dict[str, _Suspect] = defaultdict(_Suspect)
    alike: dict[str, float] = {}
    for log, text in zip(texts, impersonal(texts), strict=True):
        written = excerpt(lines_of(log.text or ""))
        lines = written if text == log.text else lines_of(text)
        facts_in_question = (facts,) if facts.reported else _in_question(facts_of_text(log.text or ""), facts)
        found = _said(hits(lines, facts_in_question, log.name or PASTED), lines, facts_in_question)
        if lines is not written:
            found = _as_written(found, hits(written, facts_in_question, log.name or PASTED))
        for hit in found:
            suspects[hit.cause].hits.append(hit)
        for cause, likeness in resembled(without_quoted(lines)).items():
            if cause == UNKNOWN and log.kind == ANSWER:
                continue  # an output that tells nothing leaves the ticket as open as it was
            alike[cause] = max(alike.get(cause, likeness), likeness)
    for outcome in outcomes:
        for finding in outcome.findings:
            if finding.cause != UNKNOWN:
                suspects[finding.cause].findings.append(finding)
    for cause, likeness in alike.items():
        suspects[cause].likeness = max(likeness, AT_LEAST_UNKNOWN) if cause == UNKNOWN else likeness
    return {UNKNOWN: _Suspect(), **suspects}


def _as_written(found: Iterable[Hit], written: Iterable[Hit]) -> Iterator[Hit]:
    """What an impersonal text shows, as it stands in the text that was written: that is what is quoted."""
    quoted = {(hit.cause, hit.signature.any): hit for hit in written}
    for hit in found:
        yield quoted.get((hit.cause, hit.signature.any)) or replace(hit, lines=())  # its lines are no lines of that


def _said(found: Sequence[Hit], lines: Sequence[Line], facts: Sequence[Facts]) -> Iterator[Hit]:
    """The signatures that stand in a text also without what it only quotes; those that are made of an address stay."""
    plain = without_quoted(lines)
    if not found or all(one is other for one, other in zip(plain, lines, strict=True)):
        yield from found
        return
    kept = {(hit.cause, hit.signature.any) for hit in hits(plain, facts)}
    for hit in found:
        if (hit.cause, hit.signature.any) in kept or any(_OF_ADDRESS in wording for wording in hit.signature.any):
            yield hit


def _without_misread(suspects: dict[str, _Suspect]) -> None:
    """Of a misspelt import Python says the same as of a package that is missing, or of another release."""
    clues = [shown.value for finding in _misspelt(suspects) for shown in finding.evidence if shown.name == CLUE]
    words = [clue.partition(" (")[0] for clue in clues]  # behind it stands where the module lies
    for cause, suspect in list(suspects.items()):
        if suspect.hits and cause != USER_CODE and words:
            suspect.hits = [hit for hit in suspect.hits if not any(word in hit.clue for word in words)]
            if not suspect.is_named:
                del suspects[cause]


def _misspelt(suspects: Mapping[str, _Suspect]) -> list[Finding]:
    found = suspects[USER_CODE].findings if USER_CODE in suspects else []
    return [finding for finding in found if finding.named(MISSPELT)]


def _rule_out(suspects: dict[str, _Suspect], facts: Facts) -> None:
    """Hand the wordings of causes that a measured fact rules out to the one that it proves instead."""
    for veto, proof in vetoed(facts):
        taken = [suspects.pop(cause) for cause in veto.of if cause in suspects and suspects[cause].hits]
        if taken:
            instead = suspects.setdefault(veto.instead, _Suspect())
            instead.hits += [replace(hit, cause=veto.instead) for suspect in taken for hit in suspect.hits]
            instead.findings = instead.findings or [msgspec.structs.replace(proof, severity=Severity.BLOCKING)]
            instead.likeness = max([instead.likeness, *(suspect.likeness for suspect in taken)])


def _clear(suspects: dict[str, _Suspect], outcomes: Sequence[Outcome]) -> None:
    """Hand the wordings of causes whose own check found nothing to what the checks of the same group found."""
    clear = {outcome.cause for outcome in outcomes if outcome.status is Status.CLEAR}
    clear -= {cause for cause, suspect in suspects.items() if suspect.findings}
    for group in Vetoes.read().cleared:
        taken = [suspects.pop(cause) for cause in group.of if cause in clear and cause in suspects]
        hits_taken = [hit for suspect in taken for hit in suspect.hits]
        found = [suspects[cause] for cause in group.of if cause in suspects and _is_serious(suspects[cause])]
        if hits_taken and found:
            best = max(found, key=lambda suspect: max(finding.confidence for finding in suspect.findings))
            best.hits += [replace(hit, cause=best.findings[0].cause) for hit in hits_taken]
            best.likeness = max([best.likeness, *(suspect.likeness for suspect in taken)])


def _is_serious(suspect: _Suspect) -> bool:
    return any(finding.severity is not Severity.NOTE for finding in suspect.findings)


def _in_question(in_the_text: Facts, here: Facts) -> tuple[Facts, ...]:
    """The facts that a text is about, the most trusted first: this machine's only if it can be from this machine."""
    is_other = any(disagreement.is_other_machine for disagreement in disagreements(in_the_text, here))
    return (in_the_text,) if is_other else (in_the_text, here)


def _shares(
    suspects: Mapping[str, _Suspect],
    outcomes: Sequence[Outcome],
    doubted: Mapping[str, float],
    *,
    is_of_this_machine: bool,
) -> dict[str, float]:
    """The share of each cause in question, and of "unknown", in all odds. ``doubted``: what multiplies them."""
    odds = {cause: suspect.odds() for cause, suspect in suspects.items()}
    if any(suspect.likeness for suspect in suspects.values()):  # the words were compared
        odds |= {cause: odds[cause] * CAUTION for cause in NO_CAUSE if cause in odds}
    else:
        odds[UNKNOWN] *= NONE_OF_THESE
    odds |= {cause: odds[cause] * kept for cause, kept in doubted.items() if cause in odds}
    named = {cause for cause, suspect in suspects.items() if suspect.is_named}
    # That nothing is wrong with the machine may be no more than the words of a log around the line that says what is.
    behind = named | (suspects.keys() & set(NO_CAUSE))
    for cause in named - {cause for cause, kept in doubted.items() if kept <= EXCLUDED}:
        for other in _over(suspects[cause]) & behind - {cause}:
            if cause not in _over(suspects[other]) or suspects[cause].certainty() > suspects[other].certainty():
                odds[other] *= CONSEQUENCE
    if is_of_this_machine:
        for outcome in outcomes:
            if outcome.status is Status.CLEAR and outcome.cause in odds:
                odds[outcome.cause] *= CONTRADICTED
    whole = sum(odds.values())
    return {cause: min(chance / whole, CERTAIN) for cause, chance in odds.items()}


def _as_sure_as_words_are(shares: Mapping[str, float], suspects: Mapping[str, _Suspect]) -> dict[str, float]:
    """The shares, with those of causes that nothing names brought down to what words alone can tell.

    A cause that was not learned yet was compared with no words: an unsure signature of its own does not become surer by
    the others being unlike.
    """
    best = max(shares, key=lambda cause: shares[cause])
    if misspelt := _misspelt(suspects):
        shares = {**shares, USER_CODE: min(shares[USER_CODE], misspelt[0].confidence)}
    sure = {
        cause: MOST_BY_WORDS if share > MOST_BY_WORDS and cause != UNKNOWN and not suspects[cause].is_named else share
        for cause, share in shares.items()
    }
    for cause, suspect in suspects.items():
        if suspect.hits and not suspect.findings:
            certainty = suspect.certainty()
            sure[cause] = min(sure[cause], 1 - LEFT_OF_DOUBT * (1 - certainty))
            if certainty < SURELY_WORDED:
                sure[cause] = min(sure[cause], MOST_BY_WORDS)  # a sign that has other causes, too, and words
    if any(suspect.likeness for suspect in suspects.values()):
        unsure = {cause: suspect.certainty() for cause, suspect in suspects.items() if not suspect.likeness}
        unsure = {cause: certainty for cause, certainty in unsure.items() if 0 < certainty < SURELY_WORDED}
        sure |= {cause: min(sure[cause], certainty) for cause, certainty in unsure.items() if cause in sure}
    if not suspects[best].is_named and best != UNKNOWN and shares[best] < LEAST_BY_WORDS:
        sure[UNKNOWN] = max(LEAST_BY_WORDS, shares[UNKNOWN])
    return sure


def _doubted(shares: Mapping[str, float], doubted: Doubts) -> dict[str, float]:
    """No share above what the text allows.

    What is all but ruled out leaves the rest of it to the likeliest of what is left by the numbers, else to what nobody
    knows.
    """
    kept = {cause: min(share, doubted.at_most.get(cause, 1.0)) for cause, share in shares.items()}
    lost = sum(shares[cause] - kept[cause] for cause in kept if doubted.at_most.get(cause, 1.0) < EVEN)
    open_heirs = [cause for cause in doubted.heirs if doubted.at_most.get(cause, 1.0) >= EVEN]
    heir = max((cause for cause in open_heirs if kept.get(cause, 0.0) >= IN_QUESTION), key=kept.__getitem__, default="")
    if heir:
        gained = min(lost, max(0.0, BY_ELIMINATION - kept[heir]))
        kept[heir] += gained
        lost -= gained
    unknown = kept[UNKNOWN] + lost
    likeliest = max(kept, key=kept.__getitem__)
    if doubted.at_most.get(likeliest, 1.0) <= EXCLUDED:  # what the text speaks against is not the answer
        unknown = max(unknown, kept[likeliest] + WORTH_NAMING)
    return kept | {UNKNOWN: min(unknown, CERTAIN)}


def _over(suspect: _Suspect) -> set[str]:
    return {cause for hit in suspect.hits for cause in hit.signature.over}


def _finding(cause: str, suspect: _Suspect, share: float, *, is_reported: bool) -> Finding:
    shown = sorted(suspect.hits, key=lambda hit: -hit.signature.certainty)
    clues = {hit.clue: Evidence(CLUE, hit.clue, hit.origin, "", hit.lines) for hit in reversed(shown) if hit.clue}
    # Of a text that does not tell no line shows that.
    evidence = tuple(list(clues.values())[::-1][:CLUES]) if cause != UNKNOWN else ()
    groups: dict[str, Value] = {}
    for hit in reversed(shown):
        groups |= hit.groups | {name: Phrase(key) for name, key in hit.signature.phrases.items()}
    severity = Severity(cause_of(cause).severity)
    if severity is Severity.BLOCKING and share < EVEN and cause != UNKNOWN:
        severity = Severity.WARNING  # what is more likely not so is no alarm
    worded = next((hit.signature.remedies for hit in shown if hit.signature.remedies), ())
    if not suspect.findings:
        return Finding(
            cause=cause,
            severity=severity,
            confidence=round(share, 3),
            evidence=evidence,
            remedies=worded,
            values=groups,
        )
    proven = suspect.findings[0]
    is_proven_here = not is_reported and proven.severity is Severity.BLOCKING  # whatever a text makes of it
    return msgspec.structs.replace(
        proven,
        confidence=round(share, 3),
        severity=proven.severity if is_proven_here or not shown else severity,
        evidence=(*proven.evidence, *evidence),
        # Of a live machine the check knows better; of a ticket it knows only what the text lists.
        remedies=(worded or proven.remedies) if is_reported else (proven.remedies or worded),
        values={**groups, **proven.values},
    )


def _with_proven(weighed: Finding, proven: Sequence[Finding]) -> Iterator[Finding]:
    """A cause that the text words, at least as sure as its check, and what that found of further GPUs or packages."""
    confidence = max([weighed.confidence, *(finding.confidence for finding in proven[:1])])
    yield msgspec.structs.replace(weighed, confidence=confidence)
    yield from proven[1:]
