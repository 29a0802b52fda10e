"""The one question about a ticket on the command line: answered by --answer, or by whoever sits there."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.cli.arguments import UsageError
from wizard.cli.questions import can_ask, typed
from wizard.words import words

if TYPE_CHECKING:
    from checks.facts.case import Case
    from wizard.report.content.asking import QuestionView

_DONT_KNOW = ("?", "don't know", "わからない", "不明")


def with_answers(case: Case, chosen: argparse.Namespace) -> Case:
    """The case with the answers that were given with it, and with those that somebody types, where that was asked for.

    Raises:
        UsageError: there is an answer and no question, or it is none of the answers of that question.
    """
    for given in chosen.answer:
        question = _question(case, chosen.lang)
        if question is None:
            raise UsageError(words("commands.nothing-asked", chosen.lang))
        case = _told(case, question, given, chosen.lang)
    if not chosen.ask:
        return case
    if not can_ask():
        raise UsageError(words("commands.ask-needs-terminal", chosen.lang))
    while (question := _question(case, chosen.lang)) is not None:
        case = _asked(case, question, chosen.lang)
    return case


def _question(case: Case, language: str) -> QuestionView | None:
    from wizard.report.content.asking import questions_worth_asking

    return next(iter(questions_worth_asking(case, language)), None)


def _told(case: Case, question: QuestionView, said: str, language: str) -> Case:
    from checks.judgement.dialogue import answered, choice_in
    from checks.knowledge.tickets.questions import questions

    if not said.strip() or said.strip().casefold() in _DONT_KNOW:
        return answered(case, question.id)
    if not question.choices:
        return answered(case, question.id, text=said)
    choice = said if any(said == name for name, _ in question.choices) else choice_in(questions()[question.id], said)
    if not choice:
        raise UsageError(words("commands.no-such-answer", language, question=question.whole))
    return answered(case, question.id, choice=choice)


def _asked(case: Case, question: QuestionView, language: str) -> Case:
    """One question on the terminal, asked again where the answer is none of its answers."""
    print(f"\n{question.text}", file=sys.stderr)
    for number, (_, text) in enumerate(question.choices, start=1):
        print(f"  {number}) {text}", file=sys.stderr)
    how = "ask-choose" if question.choices else "ask-paste"
    while True:
        said = typed(words(f"commands.{how}", language), is_long=not question.choices)
        try:
            return _told(case, question, said, language)
        except UsageError as error:
            print(error, file=sys.stderr)
