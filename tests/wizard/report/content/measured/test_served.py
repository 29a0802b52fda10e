"""The report of a served model, and of two: its verdict for every ending, in both languages, also of odd cases."""

from __future__ import annotations

import pytest
from support.served import answer, drawn, near, served, trial, wide

from checks.facts import Facts, OtherMachine, ServedAnswer, ServedFacts, ServedTrial, Symptom
from checks.facts.case import Answers, Case
from checks.facts.question import COMPARISON, SERVED
from checks.judgement.judge import judged
from checks.judgement.served import is_served_trouble
from wizard.report.content.document import document_of
from wizard.report.content.report import Report, build
from wizard.report.prints.terminal import to_terminal

STEADY = trial("alone", compared=19, fingerprints={"b1": 20})
COMPANY = trial("company")
CACHE = trial("cache", calls=12, prompt="long")


def case_of(facts: ServedFacts, *, complete: bool = True) -> Case:
    whole = Facts(served=facts, symptom=Symptom(name=SERVED), here=True)
    return judged(whole, Answers(symptom=SERVED), complete=complete)


def both(case: Case) -> tuple[Report, Report]:
    """In English and Japanese; nothing is left unfilled in either."""
    reports = build(case, "en"), build(case, "ja")
    for report in reports:
        text = to_terminal(report)
        assert "{" not in text.replace("{fresh}", "")
        assert document_of(report).sections
    return reports


ENDINGS = {
    "same": (served(STEADY, COMPANY, CACHE), "clear", "Every prompt got the same answer each time: 20 answers"),
    "few": (served(trial("alone", calls=4)), "incomplete", "there are only 4 of them"),
    "drawn": (
        served(trial("alone", others=15, partings=(drawn(),)), COMPANY),
        "warning",
        "this is why: The server draws tokens at random",
    ),
    "alone": (
        served(trial("alone", others=2, partings=(wide(),))),
        "warning",
        "does not repeat its answers. What makes",
    ),
    "rounding": (
        served(STEADY, trial("company", others=12, partings=(near(),))),
        "clear",
        "two words were almost equally likely, and rounding decided",
    ),
    "wide": (served(STEADY, trial("company", others=12, partings=(wide(),))), "warning", "this is why: Other requests"),
    "numbers": (served(STEADY, trial("company", drifted=12, drift=0.01)), "clear", "No answer had other words, but"),
    "claimed": (
        served(STEADY, trial("company", drifted=12, drift=0.01), is_claimed=True),
        "warning",
        "This may be why: The server's token probabilities vary although its deterministic mode is on",
    ),
    "open": (
        served(trial("alone", calls=4), trial("company", calls=4, others=1)),
        "incomplete",
        "could not be told from what was asked",
    ),
    "problem": (served(problem="no-server"), "nothing-run", "no server listens at this address"),
    "nothing": (served(trial("alone", calls=0, reason="time-out")), "nothing-run", "no prompt was asked again"),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_the_verdict_of_every_ending(name: str) -> None:
    facts, state, said = ENDINGS[name]
    english, japanese = both(case_of(facts))
    assert english.verdict.state == japanese.verdict.state == state
    assert said in english.verdict.sentence
    assert "llama.cpp, b1, tiny" in english.verdict.scope[0]


def test_that_another_model_answered_is_said_at_once() -> None:
    english, japanese = both(case_of(served(STEADY, model="nosuch", models=("tiny",), answered_as="tiny")))
    assert 'answered as "tiny", though "nosuch" was asked for' in english.verdict.scope[1]
    assert "nosuch" in japanese.verdict.scope[1]
    same, _ = both(case_of(served(STEADY, model="tiny", models=("tiny:latest",), answered_as="tiny:latest")))
    assert "though" not in " ".join(same.verdict.scope)


def test_a_place_that_leaves_rounding_open_is_in_the_headline() -> None:
    far = near(gap=0.4, other_gap=0.4, usual=" wide", other=" deep")
    english, japanese = both(case_of(served(trial("alone", others=2, partings=(far,)))))
    assert "At token 5 (' wide' or ' deep') the likeliest token is 0.4 ahead" in english.verdict.sentence
    assert "0.4" in japanese.verdict.sentence


@pytest.mark.parametrize("calls", [0, 20])
def test_a_fault_of_the_server_is_in_the_headline(calls: int) -> None:
    broken = trial("alone", calls=calls, failed=6, reason="fault", status="500", detail="CUDA out of memory")
    english, japanese = both(case_of(served(broken)))
    assert english.verdict.state == japanese.verdict.state == "warning"
    assert english.verdict.sentence.startswith("6 requests got no answer: the server reports a fault of its own")
    for report in (english, japanese):
        assert "500" in report.verdict.sentence
        assert "CUDA out of memory" in report.verdict.sentence


def test_a_case_of_an_earlier_version_has_no_empty_status() -> None:
    english, japanese = both(case_of(served(trial("alone", calls=0, reason="fault", detail="CUDA error"))))
    assert "of its own. CUDA error" in english.verdict.sentence
    assert "(" not in japanese.verdict.sentence


def test_what_one_server_never_answered_is_not_called_another_prompt() -> None:
    case = pair(answer(), answer())
    silent = OtherMachine(name="b.json", served=served(trial("alone", 0, reason="fault", status="500")))
    facts = Facts(served=case.facts.served, others=(silent,), symptom=Symptom(name=COMPARISON))
    english, _ = both(judged(facts, Answers(symptom=COMPARISON)))
    assert "there is no answer to them from b.json" in english.verdict.sentence


def test_a_cancelled_examination_is_not_called_whole() -> None:
    english, _ = both(case_of(served(STEADY), complete=False))
    assert english.verdict.state == "incomplete"
    assert "ended early" in english.verdict.sentence


def test_a_row_tells_the_place_and_why_it_ended() -> None:
    parted = trial("company", others=3, partings=(near(character=9),), at_once=8, reason="too-many", detail="slow down")
    english, _ = both(case_of(served(STEADY, parted)))
    (section,) = english.measured
    row = section.tables[0].rows[1]
    assert row.cells[:3] == ("with others, up to 8 at once", "sea", "3 / 20")
    assert "token 5" in row.cells
    assert "slow down" in row.cells[-1]
    assert "{" not in row.cells[-1]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        pytest.param({"has_tokens": False, "has_tops": False}, "tells no probabilities", id="no-probabilities"),
        pytest.param({"has_tops": False}, "not of the next likeliest", id="no-next"),
        pytest.param({"kind": ""}, "could not be told from outside", id="unknown-kind"),
        pytest.param({"kind": "sglang", "is_promised": True}, "--enable-deterministic-inference", id="sglang"),
    ],
)
def test_what_the_server_does_not_tell_is_said(more: dict, said: str) -> None:
    english, _ = both(case_of(served(STEADY, **more)))
    assert any(said in sentence for section in english.measured for sentence in section.sentences)


def pair(first: ServedAnswer, second: ServedAnswer) -> Case:
    mine, theirs = (served(trial("alone", answer=kept)) for kept in (first, second))
    whole = Facts(
        served=mine,
        name="a.json",
        others=(OtherMachine(name="b.json", served=theirs),),
        symptom=Symptom(name=COMPARISON),
    )
    return judged(whole, Answers(symptom=COMPARISON))


@pytest.mark.parametrize(
    ("second", "state", "said"),
    [
        pytest.param(answer(), "clear", "gave the same answers to 1 of 1 prompts.", id="same"),
        pytest.param(answer(shift=1e-4), "clear", "neither shown nor ruled out", id="numbers"),
        pytest.param(answer("the sea is deep", gap=4.0), "warning", "rounding does not do that", id="wide"),
        pytest.param(answer(length=99), "incomplete", "gave the same answers to 1 of 1 prompts.", id="hidden"),
    ],
)
def test_the_verdict_on_two_servers(second: ServedAnswer, state: str, said: str) -> None:
    english, japanese = both(pair(answer(gap=4.0) if said.startswith("rounding") else answer(), second))
    assert english.verdict.state == japanese.verdict.state == state
    assert said in english.verdict.sentence


def test_that_a_server_varies_by_itself_stands_before_the_comparison() -> None:
    case = pair(answer(), answer("the sea was wide", gap=4.0))
    own = served(trial("alone", 18, 15, answer=answer(), partings=(drawn(character=4),)))
    facts = Facts(name="a.json", served=own, others=case.facts.others, symptom=Symptom(name=COMPARISON))
    english, japanese = both(judged(facts, Answers(symptom=COMPARISON)))
    assert english.verdict.state == japanese.verdict.state == "warning"
    assert english.verdict.sentence.startswith("a.json does not repeat itself")
    assert not [finding for finding in english.findings if "Bring both" in str(finding)]


def test_a_fault_of_one_of_two_servers_is_said_first_and_is_no_success() -> None:
    case = pair(answer(), answer())
    failing = served(trial("alone", 0, failed=2, reason="fault", status="500", detail="CUDA error"))
    facts = Facts(name="a.json", served=failing, others=case.facts.others, symptom=Symptom(name=COMPARISON))
    whole = judged(facts, Answers(symptom=COMPARISON))
    english, japanese = both(whole)
    assert english.verdict.state == japanese.verdict.state == "warning"
    assert english.verdict.sentence.startswith("a.json: 2 requests got no answer: ")
    assert is_served_trouble(whole)


def test_two_servers_that_were_asked_different_prompts() -> None:
    case = pair(answer(), answer())
    other = OtherMachine(name="b.json", served=served(trial("alone", prompt="other", answer=answer())))
    facts = Facts(served=case.facts.served, others=(other,), symptom=Symptom(name=COMPARISON))
    english, _ = both(judged(facts, Answers(symptom=COMPARISON)))
    assert english.verdict.state == "nothing-run"
    assert "not asked the same prompts" in english.verdict.sentence


ODD = [
    pytest.param(trial("alone", calls=-5, others=9, drift=-1.0), id="negative"),
    pytest.param(trial("dance", calls=20, others=30, reason="because", detail="{words} {x}"), id="unknown-words"),
    pytest.param(trial("company", calls=10**12, others=10**11, prompt="{at_once}\x1b[31m"), id="very-many"),
    pytest.param(trial("alone", answer=answer(ends=(9, 2, -4), length=-1)), id="odd-ends"),
    pytest.param(trial("seed", calls=5, others=1, temperature=1e300), id="hot"),
]


@pytest.mark.parametrize("odd", ODD)
def test_a_case_that_was_sent_may_hold_anything(odd: ServedTrial) -> None:
    facts = served(STEADY, odd, kind="{kind}", settings={f"{{a{index}}}": "x" for index in range(100)})
    case = case_of(facts)
    for language in ("en", "ja"):
        text = to_terminal(build(case, language))
        assert "\x1b[31m" not in text
    compared = Facts(served=facts, others=(OtherMachine(name="b", served=facts),), symptom=Symptom(name=COMPARISON))
    build(judged(compared, Answers(symptom=COMPARISON)), "en")
