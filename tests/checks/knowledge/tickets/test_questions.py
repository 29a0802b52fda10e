"""The table of questions: its causes exist, its shares are shares, its patterns can be searched."""

import math

from checks.facts import Facts
from checks.knowledge.catalogue import cause_files, family_of
from checks.knowledge.tickets.questions import (
    OTHER,
    Questions,
    choice_shares,
    learned,
    pattern,
    questions,
    shown_shares,
)
from checks.readers.tickets.conditions import is_known

TABLE = Questions.read()
CAUSES = set(cause_files())
FAMILIES = {family_of(cause) for cause in CAUSES}


def test_every_cause_that_it_names_is_in_the_catalogue() -> None:
    named = {cause for product in TABLE.product for cause in product.of}
    named |= {cause for complaint in TABLE.complaint for cause in complaint.oftener}
    for question in TABLE.question:
        named |= {*question.shows, *(cause for choice in question.answer for cause in choice.shares)}
    assert named - CAUSES - FAMILIES == set()


def test_a_question_has_answers_or_asks_for_an_output() -> None:
    for question in TABLE.question:
        assert bool(question.answer) != bool(question.paste), question.id
        assert bool(question.paste) == bool(question.shows), question.id
        assert 2 <= len(question.answer or (1, 2)) <= 4, question.id
        assert question.cost > 0
        assert 0 <= question.refused < 1
        if question.answer:
            assert math.isclose(sum(choice.usual for choice in question.answer), 1.0), question.id


def test_ids_are_unique_and_complaints_are_those_of_the_table() -> None:
    assert len(questions()) == len(TABLE.question)
    known = {complaint.id for complaint in TABLE.complaint} | {OTHER}
    assert {name for question in TABLE.question for name in question.for_complaints} <= known
    for question in TABLE.question:
        assert len({choice.id for choice in question.answer}) == len(question.answer)


def test_every_pattern_can_be_searched_and_no_condition_is_unknown() -> None:
    texts = [text for complaint in TABLE.complaint for text in (*complaint.all, complaint.none)]
    texts += [product.named for product in TABLE.product]
    texts += [text for question in TABLE.question for text in (question.known, question.needs, question.asked)]
    texts += [choice.named for question in TABLE.question for choice in question.answer]
    assert all(pattern(text).search("") is None for text in texts if text)
    assert not any(is_known(name, Facts()) for question in TABLE.question for name in question.known_when)


def test_the_answers_of_each_cause_make_a_whole() -> None:
    for question in TABLE.question:
        if question.answer:
            table = choice_shares(question.id)
            for cause in CAUSES:
                assert math.isclose(sum(table[choice][cause] for choice in table), 1.0, abs_tol=0.02)
        else:
            assert all(0 < share < 1 for share in shown_shares(question.id).values())


def test_what_is_counted_is_of_the_table() -> None:
    counts = learned()
    assert set(counts.complaints) <= {complaint.id for complaint in TABLE.complaint} | {OTHER}
    assert {cause for causes in counts.complaints.values() for cause in causes} <= CAUSES
    assert set(counts.answers) | set(counts.shows) <= set(questions())
    for name, answers in counts.answers.items():
        assert set(answers) <= {choice.id for choice in questions()[name].answer}


def test_the_stated_share_holds_where_nothing_is_counted() -> None:
    assert choice_shares("seeds")["all"]["rng-unseeded"] < 0.1 < choice_shares("seeds")["all"]["nondeterministic-op"]
    assert shown_shares("nvidia-smi")["driver-not-loaded"] > 0.8
    assert "tf32-enabled" not in shown_shares("nvidia-smi")
