"""Two servers, or one before and after a restart, answer the same prompts differently.

Detects:      answers at temperature 0 to the same prompts in two saved examinations that part, or have other
              probabilities; beside it what the servers tell of themselves, and how many tokens they make of a prompt.
              Where one of them varies alone, only what parts before either varies by itself.
Why it bites: what was tested against the one does not hold for the other.
Blind spots:  what the servers do not tell: weights, quantisation, kernels, hardware. Answers in which something was
              hidden, and are equal otherwise.
Knowledge:    resources/knowledge/frameworks/served.toml
"""

from collections.abc import Iterator, Sequence

from checks.analysis.served.closeness import Closeness, gravest
from checks.analysis.served.two_servers import Compared, Different, compared, differences, told_by_one, varying_phrases
from checks.analysis.served.variation import SURE, closeness_phrase
from checks.causes.registry import check
from checks.facts import ServedFacts, ServedPair
from checks.facts.finding import FRAMEWORK, Evidence, Finding, Inconclusive, NotHere, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase

_ALIKE, _MANY_TIMES = 2.0, 8.0  # of what either server moves by itself: its order of additions, and more than that
_NOTES = ("served-pair-rounding", "served-pair-open", "served-pair-unmeasured")
_BEYOND = 0.75  # how sure a difference is, where a side varies by itself as well
_MOST_NAMED = 4  # differences in the sentence; the evidence has all


@check("served-servers-differ")
def served_servers_differ(served_pair: ServedPair) -> Iterator[Finding]:
    """One finding for the pair."""
    found = compared(served_pair)
    if not found:
        raise NotHere("served", "not-measured")
    apart = [one for one in found if one.parting is not None]
    drifted = [one for one in found if one.parting is None and one.drift]
    others = [one for one in found if one.is_prompt_other]
    if not apart and not drifted and not others:
        if any(one.is_hidden for one in found):
            raise Inconclusive("served-hidden")
        return
    sides = varying_phrases(served_pair)
    blamed = [one for one in apart if one.is_steady] if sides else apart
    if sides and not blamed and not others:
        raise Inconclusive("served-side-varies")
    explained = _explained(served_pair, found, blamed)
    is_note = explained.key in _NOTES and not others
    known = differences(served_pair)
    yield Finding(
        severity=Severity.NOTE if is_note else Severity.WARNING,
        confidence=_BEYOND if sides and not others else SURE,
        subject=" / ".join(served_pair.names),
        evidence=tuple(_evidence(found, known, served_pair.first.origin)),
        values={
            FRAMEWORK: served_pair.first.kind,
            "first": served_pair.names[0],
            "second": served_pair.names[1],
            "what": phrase("served-answers" if apart else "served-probabilities"),
            "others": str(len(apart) or len(drifted)),
            "calls": str(len(found)),
            "closeness": _beside_own(sides, explained, has_blamed=bool(blamed)),
            "beside": _beside(known, others, is_told_by_one=told_by_one(served_pair)),
        },
    )


def _beside_own(sides: tuple[Phrase, ...], explained: Phrase, *, has_blamed: bool) -> Phrase:
    """What they are apart by, behind what a side varies by itself."""
    if not sides:
        return explained
    if not has_blamed:
        return phrase("served-pair-within", sides=sides)
    return phrase("served-pair-beyond", sides=sides, closeness=explained)


def _explained(pair: ServedPair, found: Sequence[Compared], blamed: Sequence[Compared]) -> Phrase:
    """How far the servers are apart, beside how far either moves by itself in company or by its cache."""
    partings = [one.parting for one in blamed if one.parting is not None]
    closeness = gravest(partings)
    if closeness not in (None, Closeness.NEAR):
        return closeness_phrase(closeness, partings)
    apart = max((one.drift for one in found if one.drift), default=0.0)
    least, most = sorted((_moves(pair.first), _moves(pair.second)))
    if not least:
        return phrase("served-pair-unmeasured")
    size = "rounding" if apart <= _ALIKE * least else "open" if apart <= _MANY_TIMES * most else "coarser"
    return phrase(f"served-pair-{size}", drift=f"{apart:.2g}")


def _moves(served: ServedFacts) -> float:
    """The largest distance of logprobs that one server was seen to make at temperature 0."""
    return max((trial.drift or 0.0 for trial in served.trials if not trial.temperature), default=0.0)


def _evidence(found: Sequence[Compared], known: Sequence[Different], origin: str) -> Iterator[Evidence]:
    for one in found:
        if one.parting is not None:
            place, gap = one.parting.token, one.parting.gap
            name, at = ("parts_at_token", place) if place is not None else ("parts_at_character", one.parting.character)
            yield Evidence(name, f"{one.prompt}: {(at or 0) + 1}", origin)
            if gap is not None:
                yield Evidence("top_two_apart", f"{one.prompt}: {gap:.2g}", origin)
        if one.drift:
            yield Evidence("served_drift", f"{one.prompt}: {one.drift:.2g}", origin)
        if one.is_prompt_other:
            yield Evidence("prompt_tokens", f"{one.prompt}: {one.tokens[0]} / {one.tokens[1]}", origin)
    for part in known:
        name, setting = ("served_setting", part.name) if part.name.startswith("setting ") else (part.name, "")
        value = f"{part.first} / {part.second}"
        yield Evidence(name, f"{setting.removeprefix('setting ')}: {value}" if setting else value, origin)


def _beside(known: Sequence[Different], others: Sequence[Compared], *, is_told_by_one: bool) -> Phrase:
    """What is known to differ between them."""
    if others:
        return phrase("served-prompt-other", prompt=others[0].prompt)
    if known:
        return phrase("served-known-differences", named=tuple(map(_named, known[:_MOST_NAMED])))
    if is_told_by_one:
        return phrase("served-told-by-one")
    return phrase("served-nothing-known")


def _named(part: Different) -> Phrase:
    name, _, setting = part.name.partition(" ")
    return phrase(f"served-part-{name}", setting=setting, first=part.first, second=part.second)
