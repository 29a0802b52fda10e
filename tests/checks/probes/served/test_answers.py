"""Answers beside each other: where they part, what moved, and what a cold cache explains."""

import pytest

from checks.probes.served.answers import Tally, drift_of, parting_of
from checks.probes.served.protocol import Reply


def reply(text: str = "a b c", shift: float = 0.0, cached: int | None = None) -> Reply:
    """An answer of one token per word, each with the next likeliest token half as likely or so."""
    tokens = text.split(" ")
    logprobs = [-1.0 + shift for _ in tokens]
    tops = [[(token, value), ("z", value - 0.7)] for token, value in zip(tokens, logprobs, strict=True)]
    made = Reply(text, tokens, logprobs, tops, "stop")
    made.cached = cached
    return made


def tally(*replies: Reply, usual: Reply | None = None, first: Reply | None = None) -> dict:
    counted = Tally(usual, first)
    for one in replies:
        counted.add(one)
    return counted.facts


def test_where_two_answers_part() -> None:
    parting = parting_of(reply(), reply("a x c", shift=0.25))
    assert (parting["token"], parting["usual"], parting["other"]) == (1, "b", "x")
    assert parting["gap"] == pytest.approx(0.7)
    assert (parting["below"], parting["drift"]) == (0.0, 0.25)


def test_one_answer_that_ends_earlier_parts_behind_its_end() -> None:
    parting = parting_of(reply("a b"), reply("a b c"))
    assert (parting["token"], parting["usual"], parting["other"]) == (2, "", "c")


def test_only_the_tokens_that_both_begin_with_are_compared() -> None:
    assert drift_of(reply(), reply("a x c", shift=0.5)) == 0.5
    assert drift_of(reply(), reply("x b c", shift=0.5)) is None


def test_the_usual_answer_is_that_which_comes_most_often() -> None:
    facts = tally(reply("odd"), reply(), reply(shift=0.1), reply())
    assert (facts["others"], facts["distinct"]) == (1, 2)
    assert (facts["compared"], facts["drifted"]) == (2, 1)
    assert facts["partings"][0]["count"] == 1


def test_nothing_came() -> None:
    assert tally()["repetitions"] == 0


@pytest.mark.parametrize(
    ("came", "others", "explained", "drifted"),
    [
        pytest.param(reply("a x", cached=9), 1, 0, 0, id="another-text"),
        pytest.param(reply("first", cached=9), 1, 1, 0, id="the-very-first-again"),
        pytest.param(reply("a x", cached=2), 1, 1, 0, id="another-text-of-a-colder-cache"),
        pytest.param(reply(shift=0.1, cached=9), 0, 0, 1, id="other-numbers"),
        pytest.param(reply(shift=0.1, cached=2), 0, 0, 0, id="other-numbers-of-a-colder-cache"),
    ],
)
def test_what_a_cold_cache_explains_is_no_effect_of_company(
    came: Reply, others: int, explained: int, drifted: int
) -> None:
    facts = tally(came, usual=reply(cached=9), first=reply("first", cached=0))
    assert (facts["others"], facts["as_first"], facts["drifted"]) == (others, explained, drifted)
