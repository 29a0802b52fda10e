"""The questions that are worth asking about a ticket, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checks.knowledge.catalogue import UNKNOWN, cause_of
from wizard.words import words

if TYPE_CHECKING:
    from checks.facts.case import Case
    from checks.judgement.tickets.questions import NextQuestion
    from wizard.report.content.report import FindingView

MOST_QUESTIONS = 2  # of one answer to a customer
_IN_QUESTION = 0.15  # a finding of a ticket that is surer is worth a question of its own
_SURE_ENOUGH = 0.9  # a finding of a ticket that is surer needs no further question
_PARTED = 3  # causes that are named
_LETTERS = "abcd"


@dataclass(frozen=True)
class QuestionView:
    """A question about a ticket. ``choices``: id and words of each answer; none where an output is to be pasted.

    ``gain``: how much surer the remedy is expected to become, 0 to 1. ``why``: what the answer decides, in a sentence.
    """

    id: str
    text: str
    choices: tuple[tuple[str, str], ...]
    gain: float
    why: str

    def is_in(self, question: str) -> bool:
        """Whether another question asks the same in other words."""
        from checks.knowledge.tickets.questions import pattern, questions

        asked = questions()[self.id].asked
        return bool(asked and pattern(asked).search(question))

    def fits(self, text: str) -> bool:
        """Whether a text can be its answer: one of the choices by id or in words, or what was to be pasted."""
        from checks.judgement.tickets.dialogue import fits
        from checks.knowledge.tickets.questions import questions

        return any(text == name for name, _ in self.choices) or fits(questions()[self.id], text)

    @staticmethod
    def tells(text: str) -> bool:
        """Whether a text that is no answer says something else to judge by."""
        from checks.judgement.tickets.dialogue import tells

        return tells(text)

    @property
    def whole(self) -> str:
        """The question with its answers in one paragraph, each under its letter, to be answered by mail."""
        lettered = (f"{letter}) {text}" for letter, (_, text) in zip(_LETTERS, self.choices, strict=False))
        return "  ".join((self.text, *lettered))


def questions_worth_asking(case: Case, language: str) -> tuple[QuestionView, ...]:
    """The questions about a ticket whose answers can change the remedy, the best first; none of an examined machine."""
    if not case.facts.reported or not any((log.text or "").strip() for log in case.facts.logs):
        return ()
    from checks.judgement.tickets.questions import next_questions  # late: what reads tickets loads much

    return tuple(_view(asked, language) for asked in next_questions(case)[:MOST_QUESTIONS])


def is_about_results(case: Case) -> bool:
    """Whether a ticket complains of results that change or differ."""
    from checks.judgement.tickets.belief import matter_of

    return matter_of(case.facts).complaint.startswith("results")


def questions_of(
    findings: Sequence[FindingView],
    asking: Sequence[QuestionView],
    language: str,
    *,
    about_results: bool = False,
) -> tuple[str, ...]:
    """What to ask next: what can change the remedy, then what else the likely causes want to know.

    ``about_results``: the ticket complains of numbers, and of nothing that failed. Nothing where the cause is as good
    as certain.
    """
    if findings and findings[0].confidence >= _SURE_ENOUGH and findings[0].cause != UNKNOWN:
        return ()
    is_open = about_results and bool(findings) and findings[0].cause == UNKNOWN
    least = 0.0 if is_open else _IN_QUESTION
    others = [finding for finding in findings[1:3] if finding.confidence >= least]
    are_unplaced = [finding for finding in findings[:1] if finding.numbers and finding.cause == UNKNOWN]
    asked = [words("report.question-of-numbers", language) for _ in are_unplaced]
    asked += [question.whole for question in asking]
    # Of one that tells no cause the error text is asked for, which numbers that differ do not have.
    own = [finding for finding in findings[:1] if finding.cause != UNKNOWN or not about_results]
    further = [question for finding in own for question in finding.questions]
    further += [question for other in others for question in other.questions[:1]]
    asked += [question for question in further if not any(one.is_in(question) for one in asking)]
    return tuple(dict.fromkeys(asked))[:MOST_QUESTIONS]


def _view(asked: NextQuestion, language: str) -> QuestionView:
    titles = [cause_of(cause).text_with({}, language).title for cause in asked.parts[:_PARTED]]
    causes = words("report.part-separator", language).join(titles)
    why = words(f"report.question-{'decides' if len(titles) > 1 else 'shows'}", language, causes=causes)
    choices = tuple((choice.id, choice.of(language)) for choice in asked.question.answer)
    return QuestionView(asked.question.id, asked.question.of(language), choices, asked.gain, why)
