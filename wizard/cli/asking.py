"""The one question about a ticket on the command line: answered by --answer, or by whoever sits there."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
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
        UsageError: there is an answer and no question, it fits none of those that are open, or more than one.
    """
    for given in chosen.answer:
        asking = _questions(case, chosen.lang)
        if not asking:
            raise UsageError(words("commands.nothing-asked", chosen.lang))
        question, said = _meant(asking, given, chosen.lang)
        case = _told(case, question, said, chosen.lang)
    if not chosen.ask:
        return case
    if not can_ask():
        raise UsageError(words("commands.ask-needs-terminal", chosen.lang))
    while asking := _questions(case, chosen.lang):
        case = _asked(case, asking[0], chosen.lang)
    return case


def _questions(case: Case, language: str) -> Sequence[QuestionView]:
    from wizard.report.content.asking import questions_worth_asking

    return questions_worth_asking(case, language)


def _meant(asking: Sequence[QuestionView], given: str, language: str) -> tuple[QuestionView, str]:
    """Which of the open questions is answered, and with what: the one that is named ("2=..."), else the one it fits."""
    name, sign, rest = given.partition("=")
    named = [one for place, one in enumerate(asking, start=1) if sign and name.strip() in (str(place), one.id)]
    if named:
        return named[0], rest.strip()
    if _is_unknown(given):
        return asking[0], given
    fitting = [question for question in asking if question.fits(given)]
    if not fitting:
        raise UsageError(words("commands.fits-no-question", language, questions=_listed(asking, language)))
    if len(fitting) > 1 and any(question.choices for question in fitting):
        raise UsageError(words("commands.fits-several", language, questions=_listed(asking, language)))
    return fitting[0], given


def _is_unknown(said: str) -> bool:
    return not said.strip() or said.strip().casefold() in _DONT_KNOW


def _listed(asking: Sequence[QuestionView], language: str) -> str:
    """The open questions, each under its number with what would fit."""
    lines = [f"  {number}  {_wanted(question, language)}" for number, question in enumerate(asking, start=1)]
    return "\n".join(("", *lines))


def _wanted(question: QuestionView, language: str) -> str:
    return question.whole if question.choices else words("commands.output-of", language, question=question.text)


def _told(case: Case, question: QuestionView, said: str, language: str) -> Case:
    from checks.judgement.tickets.dialogue import answered, choice_in
    from checks.knowledge.tickets.questions import questions

    if _is_unknown(said):
        return answered(case, question.id)
    if not question.fits(said):
        raise UsageError(words("commands.no-such-answer", language, question=_wanted(question, language)))
    if not question.choices:
        return answered(case, question.id, text=said)
    choice = said if any(said == name for name, _ in question.choices) else choice_in(questions()[question.id], said)
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
