"""How much a question is worth: first answers right at once, after one and after two answers.

    python -m tests.tools.ask_and_answer machines          the recorded machines of tests/cases
    python -m tests.tools.ask_and_answer threads [FILE ...] public threads in which somebody asked and was answered
    python -m tests.tools.ask_and_answer tickets FILE ...   how many are asked, and what

Of a machine the first mail is one of six plain sentences (tests/tools/answering.py); what its facts do not tell is
answered with "don't know". Of a thread the first mail is what the reporter wrote first; ``said`` are what they wrote
next, each behind the question that was asked of them; our question counts as answered where the thread asked the same.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.judgement.tickets.dialogue import answered, case_of_thread, choice_in, questions_in
from checks.judgement.tickets.questions import is_told, next_questions
from checks.knowledge.tickets.questions import TicketQuestion
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.readers.tickets.reported import facts_of_text
from checks.readers.tickets.threads import Mail
from tests.tools.answering import chosen_by, first_mail, machines, pasted_by

THREADS = Path(__file__).parents[1] / "tickets" / "threads"
ROUNDS = 2
Answerer = Callable[[Case, TicketQuestion], Case]


@dataclass
class Course:
    """What became of one ticket. ``right``: whether its first answer was right at once, after one, after two."""

    name: str
    right: list[bool] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    firsts: list[str] = field(default_factory=list)


def case_of(text: str) -> Case:
    """The case of a first mail."""
    return judged(read_ticket(pasted(text)), Answers(symptom=TICKET))


def course(name: str, case: Case, wanted: Sequence[str], answer: Answerer) -> Course:
    """Ask, take the answer, judge again."""
    found = Course(name)
    for _ in range(ROUNDS + 1):
        first = case.findings[0].cause if case.findings else ""
        found.firsts.append(f"{first} {case.findings[0].confidence:.2f}" if first else "")
        found.right.append(first in wanted)
        best = next(iter(next_questions(case)), None)
        if best is None or len(found.right) > ROUNDS:
            break
        found.asked.append(best.question.id)
        case = answer(case, best.question)
    found.right += [found.right[-1]] * (ROUNDS + 1 - len(found.right))
    return found


def of_machines() -> list[Course]:
    """The recorded machines that have a cause."""
    courses = []
    for machine in machines():
        if machine.causes:

            def answer(case: Case, question: TicketQuestion, machine: Any = machine) -> Case:
                text = pasted_by(machine.facts, question.id) if question.paste else ""
                choice = "" if question.paste else chosen_by(machine.facts, question.id)
                return answered(case, question.id, choice=choice, text=text)

            courses.append(course(machine.name, case_of(first_mail(machine)), machine.causes, answer))
    return courses


def read_threads(files: Iterable[Path]) -> list[dict[str, Any]]:
    """The threads of tests/tickets/threads."""
    return [msgspec.json.decode(line) for file in files for line in file.read_text("utf-8").splitlines() if line]


def of_thread(thread: dict[str, Any]) -> tuple[Course, Course]:
    """The thread as we would have gone about it, and the thread as it went."""

    def answer(case: Case, question: TicketQuestion) -> Case:
        for said in thread["said"]:
            if question.id in (said.get("question"), *(asked.id for asked in questions_in(said["asked"]))):
                return answer_by(case, question, said["text"])
        for said in thread["said"]:  # told all the same
            if is_told(question, facts_of_text(said["text"]), said["text"]):
                return answer_by(case, question, said["text"])
        return answered(case, question.id)

    ours = course(thread["id"], case_of(thread["text"]), thread["expected"], answer)
    mails = [Mail("reporter", thread["text"])]
    went = Course(thread["id"])
    for said in ({}, *thread["said"][:ROUNDS]):
        if said:
            mails += [Mail("maintainer", said["asked"]), Mail("reporter", said["text"])]
        case = case_of_thread(mails)
        first = case.findings[0].cause if case.findings else ""
        went.firsts.append(f"{first} {case.findings[0].confidence:.2f}" if first else "")
        went.right.append(first in thread["expected"])
    went.right += [went.right[-1]] * (ROUNDS + 1 - len(went.right))
    return ours, went


def answer_by(case: Case, question: TicketQuestion, text: str) -> Case:
    """The case once a customer has answered in words of their own."""
    if question.paste:
        return answered(case, question.id, text=text)
    return answered(case, question.id, choice=choice_in(question, text))


def printed(title: str, courses: Sequence[Course], *, show: bool) -> None:
    """The figures of one set."""
    count = len(courses) or 1
    print(f"{title}: {len(courses)}")
    for place, when in enumerate(("at once", "after one answer", "after two answers")):
        right = sum(course.right[place] for course in courses)
        print(f"  top-1 {when:<18} {100 * right / count:5.1f} %  ({right} of {len(courses)})")
    asked = [name for course in courses for name in course.asked]
    if asked:
        print(f"  questions per ticket {len(asked) / count:.2f}  {dict(Counter(asked).most_common())}")
    for course in courses if show else ():
        print(f"    {course.name}: {' -> '.join(course.firsts)}  asked {course.asked}  {course.right}")


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("machines", "threads", "tickets"))
    parser.add_argument("file", nargs="*", type=Path)
    parser.add_argument("--show", action="store_true", help="also print each ticket")
    chosen = parser.parse_args()
    if chosen.what == "machines":
        printed("recorded machines", of_machines(), show=chosen.show)
    elif chosen.what == "threads":
        threads = read_threads(chosen.file or sorted(THREADS.glob("*.jsonl")))
        found = [of_thread(thread) for thread in threads if thread["expected"]]
        printed("threads, with our questions", [ours for ours, _ in found], show=chosen.show)
        printed("threads, as they went", [went for _, went in found], show=chosen.show)
    else:
        tickets = read_threads(chosen.file)
        no_answer: Answerer = lambda case, question: answered(case, question.id)  # noqa: E731
        courses = [course(one.get("id", ""), case_of(one["text"]), one["expected"], no_answer) for one in tickets]
        for one in courses:
            del one.asked[1:]
        printed("tickets, first question", courses, show=chosen.show)
    return 0


if __name__ == "__main__":
    sys.exit(main())
