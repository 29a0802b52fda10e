"""Are shares honest? Of answers with a share of 0.6, six in ten should be right, whatever they rest on.

    python -m tests.tools.calibrate judge FILE.json [--folds N]   judge the known tickets, each by what others taught
    python -m tests.tools.calibrate show FILE.json ...            the bins of each kind of evidence
    python -m tests.tools.calibrate held-back                     the same of tests/tickets/held_back
    python -m tests.tools.calibrate fit FILE.json                 rows of resources/knowledge/tickets/honesty.toml

The kinds of evidence are those of checks/knowledge/tickets/honesty.py. ``judge`` learns once per fold,
which takes minutes.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from checks.judgement.judge import judge_each
from checks.judgement.tickets import odds
from checks.knowledge.tickets.honesty import KINDS
from checks.readers.tickets.read import pasted, read_ticket
from checks.readers.tickets.wording import resemblance
from tests.tools import learn

TICKETS = Path(__file__).parents[1] / "tickets"
EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)
FEWEST = 20  # answers of a bin that tell anything
Row = dict[str, Any]


def tickets(folder: str) -> list[dict[str, Any]]:
    """The labelled tickets of a folder."""
    files = sorted((TICKETS / folder).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line]


def rows_of(ticket: dict[str, Any]) -> Row:
    """What the first answer rests on, its share as it was weighed, and whether it is right."""
    facts = read_ticket(pasted(ticket["text"]))
    outcomes = tuple(judge_each(facts))
    first, share, kind = odds.first_answer(facts, outcomes)
    return {"id": ticket.get("id", ""), "kind": kind, "share": share, "right": first in ticket["expected"]}


def judged(folds: int) -> Iterator[list[Row]]:
    """Each known ticket by what was learned without its fold, fold by fold."""
    known = tickets("known")
    every = learn.examples()
    for fold in range(folds):
        left_out = known[fold::folds]
        texts = {ticket["text"] for ticket in left_out}
        taught = learn.learn([example for example in every if example.text not in texts])
        resemblance._learned = functools.partial(lambda learned: learned, taught)  # type: ignore[assignment]
        print(f"fold {fold + 1} of {folds} has learned", file=sys.stderr, flush=True)
        yield [rows_of(ticket) for ticket in left_out]


def show(rows: Sequence[Row]) -> None:
    """The bins of each kind: how many, the mean share, how many are right, by how much that is off."""
    by_kind: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_kind[row["kind"]].append(row)
        by_kind["all"].append(row)
    for kind in (*KINDS, "all"):
        found = by_kind[kind]
        print(f"{kind}: {len(found)}, right {sum(row['right'] for row in found)}")
        for low, high in itertools.pairwise(EDGES):
            inside = [row for row in found if low <= row["share"] < high]
            if inside:
                mean = sum(row["share"] for row in inside) / len(inside)
                right = sum(row["right"] for row in inside) / len(inside)
                off = 100 * (right - mean)
                mark = "" if len(inside) < FEWEST else "ok" if abs(off) <= 5 else "OFF"
                print(
                    f"  {low:.2f}-{min(high, 1.0):.2f}  {len(inside):5d}  {mean:.3f}  {right:.3f}  {off:+6.1f}  {mark}"
                )


def fitted(rows: Sequence[Row]) -> dict[str, list[tuple[float, float]]]:
    """Of each kind the shares that are honest, as corners of a line that never falls (pool adjacent violators)."""
    found = {}
    for kind in KINDS:
        ordered = sorted((row for row in rows if row["kind"] == kind), key=lambda row: row["share"])
        step = max(FEWEST, len(ordered) // 12)
        pools: list[list[float]] = []  # count, sum of shares, sum of rights
        for start in range(0, len(ordered), step):
            part = ordered[start : start + step]
            pools.append([len(part), sum(row["share"] for row in part), sum(row["right"] for row in part)])
            while len(pools) > 1 and (
                pools[-2][2] / pools[-2][0] >= pools[-1][2] / pools[-1][0] or pools[-1][0] < FEWEST
            ):
                last = pools.pop()
                pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
        found[kind] = [(round(total / count, 3), round(right / count, 3)) for count, total, right in pools]
    return found


def main() -> int:
    """Judge, show or fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("judge", "show", "held-back", "fit"))
    parser.add_argument("file", nargs="*", type=Path)
    parser.add_argument("--folds", type=int, default=4)
    chosen = parser.parse_args()
    if chosen.what == "judge":
        found: list[Row] = []
        for fold in judged(chosen.folds):
            found += fold
            chosen.file[0].write_text(json.dumps(found), "utf-8")
        return 0
    rows: Iterable[Row] = (row for file in chosen.file for row in json.loads(file.read_text("utf-8")))
    if chosen.what == "fit":
        for kind, corners in fitted(list(rows)).items():
            print(f'[[row]]\nkind = "{kind}"\ncorners = {[list(corner) for corner in corners]}\n')
        return 0
    show([rows_of(ticket) for ticket in tickets("held_back")] if chosen.what == "held-back" else list(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
