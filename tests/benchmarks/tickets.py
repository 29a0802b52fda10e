"""How often the root cause of a ticket is named first, and how fast, over any file of labelled tickets.

    python tests/benchmarks/tickets.py FILE.jsonl [FILE.jsonl ...] [--wrong] [--rounds N]

Each line is an object with ``text`` and ``expected`` (ids that count as the right first answer); ``also_plausible``
(ids that are acceptable too) and ``id`` may be there.

Printed:
    top-1, top-3     share of tickets with an expected cause first, among the first three
    false alarms     of the tickets that are the user's own bug or cannot be told: share whose first answer is another
                     cause that nobody holds plausible
    calibration      per band of confidence: how many first answers, their mean confidence, the share that is right
    speed            tickets per second on one core after start-up, whole judgement, without the report's words

Goals: top-1 95 %, top-3 99 % on tickets that were seen while the signatures were written; 85 %, 95 % and at most 5 %
false alarms on tickets that were held back (tests/tickets/held_back); 200 tickets per second.
Expected before the held-back tickets were measured for the first time (2026-11-21): top-1 80 %, top-3 90 %, false
alarms 6 %, 300 tickets per second; of the answers given with 0.9 and more, 93 % right.
Measured on 2026-11-21 on one core of an Intel Xeon: 360 tickets per second of 540 characters, 380 of 410.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checks.facts.case import Answers
from checks.judgement.judge import judged
from checks.readers.tickets.read import TICKET, pasted, read_ticket

NO_CAUSE = {"user-code-error", "unknown"}
BANDS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)


@dataclass(frozen=True)
class Answer:
    """What one ticket got: (cause, confidence) in order."""

    ticket: dict[str, Any]
    named: tuple[tuple[str, float], ...]

    @property
    def first(self) -> str:
        """The first answer."""
        return self.named[0][0] if self.named else ""

    @property
    def is_right(self) -> bool:
        """Whether the first answer is an expected one."""
        return self.first in self.ticket["expected"]

    @property
    def is_among_three(self) -> bool:
        """Whether an expected cause is among the first three."""
        return any(cause in self.ticket["expected"] for cause, _ in self.named[:3])

    @property
    def is_without_cause(self) -> bool:
        """Whether the right answer is that it is the user's own bug, or cannot be told."""
        return set(self.ticket["expected"]) <= NO_CAUSE

    @property
    def is_false_alarm(self) -> bool:
        """Whether a cause was named where there is none."""
        accepted = {*self.ticket["expected"], *self.ticket.get("also_plausible", ()), *NO_CAUSE}
        return self.is_without_cause and self.first not in accepted


def diagnose(text: str) -> tuple[tuple[str, float], ...]:
    """Cause and confidence, the best first."""
    return tuple(
        (finding.cause, finding.confidence)
        for finding in judged(read_ticket(pasted(text)), Answers(symptom=TICKET)).findings
    )


def answers_of(tickets: Sequence[dict[str, Any]]) -> list[Answer]:
    """The answer to each ticket."""
    return [Answer(ticket, diagnose(ticket["text"])) for ticket in tickets]


def share(part: Sequence[object], whole: Sequence[object]) -> str:
    """A share with its counts."""
    return f"{100 * len(part) / len(whole):5.1f} %  ({len(part)} of {len(whole)})" if whole else "    -"


def report(answers: Sequence[Answer]) -> None:
    """Print the figures."""
    without = [answer for answer in answers if answer.is_without_cause]
    print(f"top-1         {share([answer for answer in answers if answer.is_right], answers)}")
    print(f"top-3         {share([answer for answer in answers if answer.is_among_three], answers)}")
    print(f"false alarms  {share([each for each in without if each.is_false_alarm], without)}")
    bands: dict[float, list[Answer]] = defaultdict(list)
    for answer in answers:
        confidence = answer.named[0][1] if answer.named else 0.0
        bands[max(low for low in BANDS if confidence >= low)].append(answer)
    print("calibration   confidence   answers   mean   right")
    for low, high in itertools.pairwise(BANDS):
        inside = bands[low]
        if inside:
            mean = sum(each.named[0][1] if each.named else 0.0 for each in inside) / len(inside)
            right = sum(each.is_right for each in inside) / len(inside)
            print(f"              {low:.2f}-{min(high, 1.0):.2f}    {len(inside):5d}    {mean:.2f}    {right:.2f}")


def speed(tickets: Sequence[dict[str, Any]], rounds: int) -> float:
    """Tickets per second of processor time, of the fastest round."""
    best = 0.0
    for _ in range(rounds):
        started = time.process_time()
        for ticket in tickets:
            diagnose(ticket["text"])
        best = max(best, len(tickets) / (time.process_time() - started))
    return best


def main() -> None:
    """Read the files, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="+", type=Path)
    parser.add_argument("--wrong", action="store_true", help="also print every ticket whose first answer is wrong")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of the speed figure; 0 leaves it out")
    chosen = parser.parse_args()
    tickets = [
        json.loads(line) for file in chosen.file for line in file.read_text(encoding="utf-8").splitlines() if line
    ]
    answers = answers_of(tickets)
    for answer in answers if chosen.wrong else ():
        if not answer.is_right:
            named = ", ".join(f"{cause} {confidence:.2f}" for cause, confidence in answer.named[:4])
            mark = "  " if answer.is_among_three else "! "
            print(f"{mark}{answer.ticket.get('id', '')}: {answer.ticket['expected']} <- {named}")
    report(answers)
    if chosen.rounds:
        print(f"speed         {speed(tickets, chosen.rounds):.0f} tickets/s")


if __name__ == "__main__":
    main()
