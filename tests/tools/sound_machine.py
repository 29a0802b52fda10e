"""Examine a machine that is sound over and over, and count what is found above a note: each is a wrong accusation.

By hand, from the root of the repository, on a machine without known faults (an examination takes 15 seconds or more):

    python -m tests.tools.sound_machine TIMES [PYTHON]

``PYTHON``: the interpreter to examine (a virtual environment with frameworks); by default the one that runs this. The
exit status is 1 where anything above a note was found.
"""

import argparse
import sys
import time
from collections import Counter

from checks.engine.events import Finished
from checks.engine.examination import examine
from checks.engine.request import Request
from checks.facts.case import Answers, Case
from checks.facts.finding import Severity
from checks.interpreters import read_interpreter


def examined(python: str, symptom: str, effort: str) -> Case:
    """One examination to its end."""
    target = read_interpreter(python, found_by=("chosen",))
    request = Request(answers=Answers(symptom=symptom, effort=effort), target=target.path, interpreters=(target,))
    return next(event.case for event in examine(request) if isinstance(event, Finished))


def main() -> int:
    """Examine, print what each examination found above a note, and sum up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", type=int)
    parser.add_argument("python", nargs="?", default=sys.executable)
    parser.add_argument("--symptom", default="everything")
    parser.add_argument("--effort", default="quick")
    chosen = parser.parse_args()
    graver: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    accused = measured = 0
    for turn in range(1, chosen.times + 1):
        began = time.monotonic()
        case = examined(chosen.python, chosen.symptom, chosen.effort)
        above = [finding for finding in case.findings if finding.severity is not Severity.NOTE]
        graver.update(f"{finding.severity.value} {finding.cause} ({finding.subject})" for finding in above)
        notes.update(finding.cause for finding in case.findings if finding.severity is Severity.NOTE)
        accused += bool(above)
        measured += sum(not run.reason for run in case.facts.measurements)
        named = ", ".join(finding.cause for finding in above) or "-"
        print(f"{turn}: {time.monotonic() - began:.0f} s, above a note: {named}", flush=True)
    print(f"{accused} of {chosen.times} examinations found anything above a note ({measured} measurements in all)")
    for name, count in (*graver.most_common(), *((f"note {cause}", count) for cause, count in notes.most_common())):
        print(f"{count:5} {name}")
    return int(accused > 0)


if __name__ == "__main__":
    sys.exit(main())
