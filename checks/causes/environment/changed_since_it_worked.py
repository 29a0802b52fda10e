"""Something changed since the program worked, and the failure leads to it.

Detects:      of the differences to the last examination at which what fails now was seen to work, or of what the logs
              of installers tell of the time before, those to which the failure leads.
Why it bites: a program that worked does not stop by itself; what changed in between is the shortest list of suspects.
Blind spots:  what no examination looks at: data that the program reads, services, the network.
Knowledge:    resources/knowledge/errors/change_effects.toml
"""

from collections.abc import Iterator

from checks.analysis.history.observed import What, failing
from checks.analysis.history.phrases import change_in_words, moment, name_of, shortened
from checks.analysis.history.ranking import Ranked, Relation, changes_of
from checks.analysis.history.way_back import way_back
from checks.causes.registry import check
from checks.facts import Facts, History
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Inconclusive, NotHere, Severity
from checks.facts.phrase import Value
from checks.facts.question import SymptomName
from checks.knowledge.phrases import phrase

_MOST = 2  # findings
_NEAR = 12  # how much less a second change may tell than the first
_LEAST_SURE, _PER_WEIGHT = 0.5, 1 / 110


@check("changed-since-it-worked")
def changed_since_it_worked(history: History | None, facts: Facts) -> Iterator[Finding]:
    """One finding for each change to which the failure leads as surely as to any."""
    if history is None or not (history.worked or history.logged):
        raise NotHere("history", "no-earlier-examination")
    is_asked = facts.symptom is not None and facts.symptom.name == SymptomName.AFTER_CHANGE
    if not history.worked and not is_asked and not any(run.failed for run in facts.runs):
        # Nobody saw it work, nobody says that it did, and no failure leads anywhere.
        raise NotHere("history", "no-earlier-examination")
    changes = changes_of(facts)
    likely = [one for one in changes if one.relation is Relation.LIKELY]
    for one in likely[:_MOST]:
        if one.weight >= likely[0].weight - _NEAR:
            yield _finding(one, history, facts)
    if changes and not likely and history.what:
        raise Inconclusive("changes-lead-nowhere")


def _finding(found: Ranked, history: History, facts: Facts) -> Finding:
    change = found.change
    run = next((run for run in facts.runs if run.failed and history.what and run.label.startswith(history.what)), None)
    is_asked = facts.symptom is not None and facts.symptom.name == SymptomName.AFTER_CHANGE
    is_of_package = run.is_unasked if run else all(seen.what == What.STATEMENT for seen in failing(facts))
    values: dict[str, Value] = {
        "change_name": name_of(change),
        "change_why": phrase(f"change-why-{found.reason}"),
        "history_told": phrase("worked-logged", source=change.source, time=moment(change.time))
        if change.source
        else phrase("worked-at", what=shortened(history.what), time=moment(history.worked)),
        "change": change_in_words(change),
    }
    remedies, more = way_back(change, facts, history)
    worked = [Evidence("worked_at", moment(history.worked), history.origin)] if history.worked else []
    changed = [Evidence("changed_at", moment(change.time), change.source or "files")] if change.time else []
    return Finding(
        severity=Severity.WARNING if is_of_package and not is_asked else Severity.BLOCKING,
        confidence=round(_LEAST_SURE + (found.weight - 60) * _PER_WEIGHT, 2),
        subject=change.name,
        evidence=(*worked, *changed),
        remedies=remedies,
        values={**values, **more, **({FAILED_RUN: run.label} if run else {})},
    )
