"""When the causes of varying answers of a served model speak, and when they keep silent."""

from collections.abc import Callable, Iterator

import pytest
from support.evidence import evidence_of
from support.served import answer, drawn, near, served, trial, wide

from checks.causes.reproducibility.served_batch_dependence import served_batch_dependence
from checks.causes.reproducibility.served_cache_dependence import served_cache_dependence
from checks.causes.reproducibility.served_mode_broken import served_mode_broken
from checks.causes.reproducibility.served_replicas import served_replicas
from checks.causes.reproducibility.served_sampling import served_sampling
from checks.causes.reproducibility.served_seed_ignored import served_seed_ignored
from checks.causes.reproducibility.served_servers_differ import served_servers_differ
from checks.causes.reproducibility.served_varies_alone import served_varies_alone
from checks.facts import ServedAnswer, ServedFacts, ServedPair
from checks.facts.finding import Finding, Inconclusive, NotHere, Severity
from checks.knowledge.phrases import in_language, title_of

Check = Callable[[ServedFacts], Iterator[Finding]]
STEADY = trial("alone", compared=19)


def found(check: Check, facts: ServedFacts) -> Finding:
    (finding,) = check(facts)
    return finding


def said(finding: Finding, name: str) -> str:
    return in_language(finding.values[name], "en")


# --- sampling --------------------------------------------------------------------------------------------------------


def test_a_token_that_is_not_the_likeliest_was_drawn() -> None:
    finding = found(served_sampling, served(trial("alone", others=19, partings=(near(), drawn()))))
    assert finding.severity is Severity.WARNING
    assert finding.confidence >= 0.9
    assert evidence_of(finding)["served_behind"] == "1.2"


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(served(STEADY), id="the-same-each-time"),
        pytest.param(served(trial("alone", others=3, partings=(near(),))), id="a-near-tie"),
        pytest.param(served(trial("alone", others=3, partings=(wide(),))), id="the-likeliest-of-other-numbers"),
        pytest.param(
            served(trial("alone", others=3, partings=(drawn(below=0.06, drift=0.02),))), id="within-what-moves"
        ),
    ],
)
def test_no_drawing(facts: ServedFacts) -> None:
    assert list(served_sampling(facts)) == []


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param(served(STEADY, has_tops=False), "served-no-probabilities", id="no-probabilities"),
        pytest.param(served(trial("alone", unlikely=4)), "served-penalty", id="not-the-likeliest-but-steady"),
    ],
)
def test_whether_it_draws_is_open(facts: ServedFacts, reason: str) -> None:
    with pytest.raises(Inconclusive, match=reason):
        list(served_sampling(facts))


# --- alone -----------------------------------------------------------------------------------------------------------


def test_it_varies_alone() -> None:
    finding = found(served_varies_alone, served(trial("alone", others=2, partings=(near(),))))
    assert finding.severity is Severity.WARNING
    assert "does not repeat its answers" in title_of(finding, "en")
    assert "rounding decided" in said(finding, "closeness")


@pytest.mark.parametrize(
    ("gap", "drift", "words"),
    [
        pytest.param(0.4, 0.001, ("0.4 ahead", "1.49 times as likely", "at most 0.001"), id="far"),
        pytest.param(0.0015, None, ("0.0015 ahead", "1 times as likely", "no log probability"), id="close"),
    ],
)
def test_a_parting_that_leaves_rounding_open_tells_its_figures(gap: float, drift: float, words: tuple) -> None:
    parting = near(gap=gap, other_gap=gap, drift=drift, usual=" wide", other=" deep")
    told = said(found(served_varies_alone, served(trial("alone", others=2, partings=(parting,)))), "closeness")
    assert told.startswith("At token 5 (' wide' or ' deep')")
    assert all(word in told for word in words)


def test_where_no_probabilities_are_told_drawing_is_not_told_apart() -> None:
    finding = found(served_varies_alone, served(trial("alone", others=2), has_tops=False, has_tokens=False))
    assert finding.confidence < 0.8
    assert '"top_k": 1' in said(finding, "closeness")


def test_only_its_numbers_vary_alone() -> None:
    finding = found(served_varies_alone, served(trial("alone", drifted=5, drift=1e-4)))
    assert finding.severity is Severity.NOTE
    assert "only the probabilities" in said(finding, "closeness")


def test_what_is_drawn_is_told_by_its_own_cause() -> None:
    assert list(served_varies_alone(served(trial("alone", others=9, partings=(drawn(),))))) == []


def test_steady_alone() -> None:
    assert list(served_varies_alone(served(STEADY))) == []
    assert list(served_varies_alone(served(trial("alone", others=2, as_first=2)))) == []  # of a colder cache
    with pytest.raises(Inconclusive, match="too-few"):
        list(served_varies_alone(served(trial("alone", calls=3))))
    with pytest.raises(NotHere):
        list(served_varies_alone(served()))


# --- company ---------------------------------------------------------------------------------------------------------


def test_others_in_the_batch_change_answers() -> None:
    company = trial("company", others=12, partings=(near(),), at_once=8)
    finding = found(served_batch_dependence, served(STEADY, company))
    assert finding.severity is Severity.NOTE  # rounding
    assert finding.confidence >= 0.9
    assert evidence_of(finding)["served_in_company"] == "12 / 20"
    assert evidence_of(finding)["parts_at_token"] == "5"


def test_a_wide_parting_in_company_is_no_rounding() -> None:
    finding = found(served_batch_dependence, served(STEADY, trial("company", others=12, partings=(near(), wide()))))
    assert finding.severity is Severity.WARNING
    assert "rounding does not do that" in said(finding, "closeness")


def test_numbers_alone_move_in_company() -> None:
    finding = found(served_batch_dependence, served(STEADY, trial("company", drifted=15, drift=0.002)))
    assert finding.severity is Severity.NOTE
    assert "token probabilities" in title_of(finding, "en")


def test_one_of_few_is_only_a_question() -> None:
    finding = found(served_batch_dependence, served(trial("alone", calls=4), trial("company", calls=4, others=1)))
    assert finding.confidence < 0.5
    assert finding.severity is Severity.NOTE


@pytest.mark.parametrize(
    "company",
    [
        pytest.param(trial("company"), id="the-same"),
        pytest.param(trial("company", others=6, as_first=6), id="the-answer-of-a-cold-cache"),
        pytest.param(trial("company", others=6, prompt="varies"), id="of-a-prompt-that-varies-alone"),
    ],
)
def test_company_changes_nothing(company: object) -> None:
    facts = served(STEADY, trial("alone", others=5, prompt="varies"), trial("company", prompt="bridge"), company)
    facts = served(*facts.trials, trial("alone", prompt="bridge"))
    assert list(served_batch_dependence(facts)) == []


def test_what_varies_alone_shows_nothing_of_company() -> None:
    with pytest.raises(Inconclusive, match="varies-anyway"):
        list(served_batch_dependence(served(trial("alone", others=5), trial("company", others=9))))


# --- cache -----------------------------------------------------------------------------------------------------------


def test_a_cold_cache_changes_the_first_answer() -> None:
    cold = trial("cache", calls=8, others=3, partings=(near(),), cached_cold=4, cached_warm=700, prompt_tokens=712)
    finding = found(served_cache_dependence, served(STEADY, cold, trial("bypass", calls=8)))
    assert finding.confidence >= 0.9
    assert evidence_of(finding)["served_from_cache"] == "4 → 700 / 712"
    assert "all 8 tries were the same" in said(finding, "bypass")


@pytest.mark.parametrize(
    "more",
    [
        pytest.param((trial("bypass", calls=8, others=2, partings=(near(),)),), id="differs-without-it-as-well"),
        pytest.param((), id="the-server-took-nothing-from-it"),
    ],
)
def test_a_cache_that_is_not_shown_is_only_a_question(more: tuple) -> None:
    cached = {} if more else {"cached_cold": 4, "cached_warm": 4}
    finding = found(
        served_cache_dependence, served(trial("cache", calls=8, others=8, partings=(near(),), **cached), *more)
    )
    assert finding.confidence < 0.5


def test_the_cache_changes_nothing() -> None:
    assert list(served_cache_dependence(served(trial("cache", calls=8), trial("shared", calls=8)))) == []
    with pytest.raises(Inconclusive, match="varies-anyway"):
        list(served_cache_dependence(served(trial("cache", calls=8, others=3, control=1))))
    with pytest.raises(Inconclusive, match="too-few"):
        list(served_cache_dependence(served(trial("cache", calls=3))))


# --- seed ------------------------------------------------------------------------------------------------------------


def test_a_seed_that_does_nothing() -> None:
    finding = found(
        served_seed_ignored, served(STEADY, trial("seed", calls=10, others=9, distinct=10, temperature=1.0))
    )
    assert finding.severity is Severity.WARNING
    assert finding.confidence >= 0.9


def test_two_answers_with_a_seed_come_of_numbers_that_move() -> None:
    """llama.cpp's first answer with a seed met a cold cache; the nine behind it were all the same."""
    with pytest.raises(Inconclusive, match="seed-moved"):
        list(served_seed_ignored(served(STEADY, trial("seed", calls=10, others=1, distinct=2, drift=9e-4))))


def test_a_seed_that_holds() -> None:
    seeded = trial("seed", calls=10, other_seeds=3, other_texts=3, temperature=1.0)
    assert list(served_seed_ignored(served(STEADY, seeded))) == []


@pytest.mark.parametrize(
    ("trials", "reason"),
    [
        pytest.param((STEADY, trial("seed", other_seeds=3)), "seeds-alike", id="no-seed-does-anything"),
        pytest.param(
            (trial("alone", others=3), trial("seed", others=9, distinct=10)), "varies-anyway", id="numbers-vary"
        ),
        pytest.param((STEADY, trial("seed", calls=3, other_seeds=2, other_texts=2)), "too-few", id="too-few"),
    ],
)
def test_a_seed_that_shows_nothing(trials: tuple, reason: str) -> None:
    with pytest.raises(Inconclusive, match=reason):
        list(served_seed_ignored(served(*trials)))


# --- replicas, modes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("others", "severity"),
    [pytest.param(5, Severity.WARNING, id="varies"), pytest.param(0, Severity.NOTE, id="does-not")],
)
def test_two_builds_behind_one_address(others: int, severity: Severity) -> None:
    facts = served(trial("alone", others=others, fingerprints={"fp_1": 11, "fp_2": 9}))
    finding = found(served_replicas, facts)
    assert finding.severity is severity
    assert said(finding, "count") == "2"


def test_one_build() -> None:
    assert list(served_replicas(served(trial("alone", fingerprints={"fp_1": 20}, models={"tiny": 20})))) == []
    with pytest.raises(NotHere, match="not-told"):
        list(served_replicas(served(STEADY)))


@pytest.mark.parametrize(
    ("mode", "confidence", "told"),
    [
        pytest.param({"is_promised": True}, 0.95, "The server says", id="promised"),
        pytest.param({"is_claimed": True}, 0.75, "You said", id="claimed"),
    ],
)
def test_a_mode_that_does_not_hold(mode: dict, confidence: float, told: str) -> None:
    finding = found(served_mode_broken, served(STEADY, trial("company", drifted=2), kind="sglang", **mode))
    assert finding.confidence == confidence
    assert told in said(finding, "told")
    assert said(finding, "where") == "together with others"


def test_a_mode_that_holds() -> None:
    assert list(served_mode_broken(served(STEADY, trial("company"), is_promised=True))) == []
    with pytest.raises(NotHere, match="not-asked"):
        list(served_mode_broken(served(trial("alone", others=3), is_promised=False)))


# --- two servers -----------------------------------------------------------------------------------------------------


def pair(
    first: ServedAnswer, second: ServedAnswer, *, tokens: tuple[int, int] = (9, 9), **second_is: str
) -> ServedPair:
    sides = [
        served(trial("alone", answer=kept, prompt_tokens=count), **more)
        for kept, count, more in ((first, tokens[0], {}), (second, tokens[1], second_is))
    ]
    return ServedPair(first=sides[0], second=sides[1], names=("a.json", "b.json"))


def test_two_servers_part_at_a_near_tie() -> None:
    both = pair(answer(gap=0.0001), answer("the sea was wide", gap=0.0001, shift=1e-5), version="b2")
    (finding,) = served_servers_differ(both)
    assert finding.severity is Severity.NOTE
    assert evidence_of(finding)["parts_at_token"] == "sea: 3"
    assert "b1 / b2" in said(finding, "beside")


def test_two_servers_part_with_a_wide_margin() -> None:
    (finding,) = served_servers_differ(pair(answer(gap=3.0), answer("the sea was wide", gap=2.8)))
    assert finding.severity is Severity.WARNING
    assert "tell of themselves is the same" in said(finding, "beside")


def test_another_template_shows_in_the_tokens_of_the_prompt() -> None:
    (finding,) = served_servers_differ(pair(answer(gap=0.0001), answer("the sea was wide", gap=0.0001), tokens=(9, 31)))
    assert finding.severity is Severity.WARNING
    assert "chat template" in said(finding, "beside")


@pytest.mark.parametrize(
    ("shift", "own", "severity", "said_of_it"),
    [
        pytest.param(0.005, 0.004, Severity.NOTE, "another order of additions explains it", id="rounding"),
        pytest.param(0.0054, 0.0017, Severity.NOTE, "not so much that another order", id="without-flash-attention"),
        pytest.param(0.031, 0.0019, Severity.WARNING, "another precision of the weights", id="a-quantised-cache"),
        pytest.param(0.031, None, Severity.NOTE, "neither shown nor ruled out", id="not-measured"),
    ],
)
def test_two_servers_with_other_numbers(shift: float, own: float | None, severity: Severity, said_of_it: str) -> None:
    """llama.cpp by itself, beside one without flash attention, and beside one with a cache of 8 bits, as measured."""
    moved = trial("company", drifted=1, drift=own)
    sides = [served(trial("alone", answer=kept, prompt_tokens=9), moved) for kept in (answer(), answer(shift=shift))]
    (finding,) = served_servers_differ(ServedPair(first=sides[0], second=sides[1], names=("a", "b")))
    assert finding.severity is severity
    assert said(finding, "what") == "token probabilities"
    assert said_of_it in said(finding, "closeness")


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(answer(), id="the-same"),
        pytest.param(answer("the sea is", finish="length"), id="the-same-as-far-as-it-goes"),
    ],
)
def test_two_servers_that_answer_alike(second: ServedAnswer) -> None:
    assert list(served_servers_differ(pair(answer(), second))) == []


def beside_one_that_varies(second: ServedAnswer, *, character: int) -> ServedPair:
    """One server that drew 15 of 18 answers at random, and parted from itself at a character; one that repeats."""
    own = trial("alone", 18, 15, distinct=2, answer=answer(), partings=(drawn(character=character),), prompt_tokens=9)
    steady = trial("alone", 18, answer=second, prompt_tokens=9)
    return ServedPair(first=served(own), second=served(steady), names=("a", "b"))


def test_a_server_that_varies_by_itself_is_not_called_another_model() -> None:
    with pytest.raises(Inconclusive, match="side-varies"):
        list(served_servers_differ(beside_one_that_varies(answer("the sea was wide", gap=3.0), character=4)))


def test_what_parts_before_a_server_varies_by_itself_is_told_behind_that_it_varies() -> None:
    (finding,) = served_servers_differ(beside_one_that_varies(answer("my sea is wide", gap=3.0), character=12))
    assert said(finding, "closeness").startswith("a does not repeat itself: asked one after the other, 15 of its 18")
    assert "rounding does not do that" in said(finding, "closeness")
    assert finding.confidence < 0.8


def test_two_answers_of_each_show_nothing_beside_one_that_varies() -> None:
    sides = (trial("alone", 2, prompt="sea", answer=answer()), trial("alone", 20, 3, prompt="bridge"))
    other = trial("alone", 2, answer=answer("my sea is wide", gap=3.0))
    with pytest.raises(Inconclusive, match="side-varies"):
        list(served_servers_differ(ServedPair(first=served(*sides), second=served(other), names=("a", "b"))))


def test_what_only_one_server_tells_is_not_called_the_same() -> None:
    (finding,) = served_servers_differ(pair(answer(gap=3.0), answer("the sea was wide", gap=2.8), kind=""))
    assert "tells of itself what the other does not" in said(finding, "beside")


def test_a_server_that_moves_much_by_itself_is_not_blamed_on_a_precision() -> None:
    sides = [
        served(trial("alone", answer=kept), trial("company", drifted=1, drift=own))
        for kept, own in ((answer(), 0.03), (answer(shift=0.031), 0.001))
    ]
    (finding,) = served_servers_differ(ServedPair(first=sides[0], second=sides[1], names=("a", "b")))
    assert finding.severity is Severity.NOTE


def test_what_was_hidden_is_not_called_the_same() -> None:
    with pytest.raises(Inconclusive, match="hidden"):
        list(served_servers_differ(pair(answer(), answer(length=40))))
