"""Compare examinations of this machine under planted variables, each with each: is what differs named rightly?

Every examination computes the portraits of PyTorch and NumPy under other environment variables, of which some change
bits there, some only those of other frameworks or of cards, and some none. Of each pair the causes are known. By hand,
from the root of the repository (an examination takes ten seconds or more):

    python -m tests.tools.planted_pairs PYTHON

The exit status is 1 where a pair was explained by what cannot have changed it.
"""

import itertools
import os
import sys
from collections import Counter
from dataclasses import replace

from checks.analysis.numbers.side_by_side import SEPARATOR, Comparison, NumberDifference, agreement, compare, side_of
from checks.engine.events import Finished
from checks.engine.examination import examine
from checks.engine.plans import compute as planning
from checks.engine.request import Request
from checks.facts import OtherMachine
from checks.facts.case import Answers
from checks.interpreters import read_interpreter

THREADS = {"OMP_NUM_THREADS": "1"}
IRRELEVANT = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8", "TF_ENABLE_ONEDNN_OPTS": "0", "XLA_FLAGS": "--xla_cpu_foo"}
PLANTED: dict[str, dict[str, str]] = {
    "plain": {},
    "threads": THREADS,
    "aten": {"ATEN_CPU_CAPABILITY": "default"},
    "onednn": {"ONEDNN_MAX_CPU_ISA": "SSE41"},
    "openblas": {"OPENBLAS_CORETYPE": "Prescott"},
    "irrelevant": IRRELEVANT,
    "threads-and-irrelevant": {**THREADS, **IRRELEVANT},
    "threads-and-aten": {**THREADS, "ATEN_CPU_CAPABILITY": "default"},
    "onednn-and-irrelevant": {"ONEDNN_MAX_CPU_ISA": "SSE41", **IRRELEVANT},
    "aten-and-openblas": {"ATEN_CPU_CAPABILITY": "default", "OPENBLAS_CORETYPE": "Prescott"},
}
# Part -> the variables that can be behind it in each framework, on a processor.
CAN = {
    "torch": {"threads": ("OMP_NUM_THREADS",), "variables": ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA")},
    "numpy": {"thread-variables": ("OMP_NUM_THREADS",), "variables": ("OPENBLAS_CORETYPE",)},
}
MATTERS = {name for by_part in CAN.values() for names in by_part.values() for name in names}


def examined(python: str, variables: dict[str, str]) -> OtherMachine:
    """This machine, with the portraits alone, under some variables."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        target = read_interpreter(python, found_by=("chosen",))
        answers = Answers(symptom="results-differ", effort="standard")
        request = Request(answers=answers, target=target.path, interpreters=(target,))
        return side_of(next(event.case.facts for event in examine(request) if isinstance(event, Finished)))
    finally:
        os.environ.clear()
        os.environ.update(before)


def standing(found: Comparison, difference: NumberDifference, changed: set[str]) -> str:
    """Whether one difference is "right" (proven, and planted), a "candidate" (planted), "open", or "wrong"."""
    planted = {
        part for part, variables in CAN[difference.pair.first.framework].items() if changed.intersection(variables)
    }
    if not difference.explained_by:
        return "wrong" if planted else "open"
    if difference.proven_by:
        return "right" if difference.explained_by[0] in planted else "wrong"
    named = {
        entry.partition("=")[0] for side in found.values("variables") for entry in side.split(SEPARATOR) if "=" in entry
    }
    is_sound = set(difference.explained_by) <= planted and named <= MATTERS
    return "candidate" if is_sound else "wrong"


def main() -> int:
    """Examine under each, compare each with each, and count."""
    python = sys.argv[1]
    planning.COMPUTATION_PROBES = tuple(
        replace(spec, kinds={"portrait": 1.0}, settings=spec.settings[:1])
        for spec in planning.COMPUTATION_PROBES
        if spec.framework in ("torch", "numpy")
    )
    sides = {name: examined(python, variables) for name, variables in PLANTED.items()}
    pairs, differences = Counter[str](), Counter[str]()
    for first, second in itertools.combinations(PLANTED, 2):
        mine, theirs = PLANTED[first], PLANTED[second]
        changed = {name for name in {*mine, *theirs} if mine.get(name) != theirs.get(name)}
        found = compare(sides[first], sides[second])
        standings = Counter(standing(found, difference, changed) for difference in found.apart)
        differences.update(standings)
        worst = next((one for one in ("wrong", "open", "candidate", "right") if standings[one]), "same")
        pairs[worst] += 1
        print(f"{first} / {second}: {agreement([found]).value}, {len(found.same)} same, {dict(standings)}", flush=True)
    print(f"{pairs.total()} pairs: {dict(pairs)}; {differences.total()} differences: {dict(differences)}")
    return int(pairs["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
