"""Count what known tickets and recorded machines answer: ``python -m tests.tools.learn_answers [--write]``.

Of each complaint (resources/knowledge/tickets/questions.toml) it counts the causes of the tickets that word it, and of
each question with choices the causes of those that word an answer; of a question for a paste, how many of the recorded
machines of tests/cases show their cause in what they would paste. The tickets are those of tests/tickets/known alone.
Without ``--write`` it says whether resources/learned/answers.json is what is counted; a release ends with status 0.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from checks.judgement.tickets.belief import matter_in
from checks.knowledge.tickets.questions import LEARNED, Learned, questions
from checks.readers.tickets.lines import lines_of
from tests.tools.answering import first_mail, machines, pasted_by, shown_in

KNOWN = Path(__file__).parents[1] / "tickets" / "known"
FEWEST = 2  # tickets of a cause that say the same; one may be an accident


def tickets() -> list[dict[str, Any]]:
    """The known tickets."""
    lines = (line for file in sorted(KNOWN.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines())
    return [msgspec.json.decode(line) for line in lines if line]


def counted(known: Iterable[dict[str, Any]], *, machines: bool = True) -> Learned:
    """What these tickets, and the recorded machines, tell."""
    complaints: dict[str, Counter[str]] = defaultdict(Counter)
    answers: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for ticket in known:
        text = "\n".join(line.text for line in lines_of(ticket["text"]))
        for cause in ticket["expected"][:1]:
            complaints[matter_in(text).complaint][cause] += 1
            for question in questions().values():
                told = [one.id for one in question.answer if one.is_in(text)]
                if len(told) == 1:  # who words two answers has told neither
                    answers[question.id][told[0]][cause] += 1
    return Learned(
        complaints={name: _kept(causes) for name, causes in sorted(complaints.items())},
        answers={
            name: {choice: _kept(causes) for choice, causes in sorted(of.items())}
            for name, of in sorted(answers.items())
        },
        shows=_shown() if machines else {},
    )


def _kept(causes: Counter[str]) -> dict[str, int]:
    return {cause: count for cause, count in sorted(causes.items()) if count >= FEWEST}


def _shown() -> dict[str, dict[str, tuple[int, int]]]:
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for machine in machines():
        for question in questions().values():
            text = pasted_by(machine.facts, question.id) if question.paste else ""
            shown = shown_in(first_mail(machine), text) if text else set()
            for cause in machine.causes if text else ():
                found[question.id][cause][1] += 1
                found[question.id][cause][0] += cause in shown
    return {
        name: {cause: (shown, whole) for cause, (shown, whole) in sorted(of.items())}
        for name, of in sorted(found.items())
    }


def main() -> int:
    """Count, and write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write what is counted")
    found = msgspec.json.format(msgspec.json.encode(counted(tickets())), indent=1) + b"\n"
    if parser.parse_args().write:
        LEARNED.write_bytes(found)
        return 0
    is_same = LEARNED.read_bytes() == found
    print("as counted" if is_same else "other counts: python -m tests.tools.learn_answers --write")
    return int(not is_same)


if __name__ == "__main__":
    sys.exit(main())
