"""What changed since it worked, judged: a change to which the failure leads is a finding, with the way back.

Nothing is concluded where it is not known that it worked, or nothing fails now. A change to which nothing of the
failure leads is shown beside the others, and never named as the cause.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from checks.analysis.history.observed import What, failing
from checks.analysis.history.phrases import change_in_words, moment, name_of, shortened
from checks.analysis.history.ranking import Ranked, Relation, ranked
from checks.facts import Change, ChangeKind, Facts, History
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Outcome, Severity
from checks.facts.phrase import Value
from checks.judgement.merging import with_findings_instead
from checks.judgement.ranking import rank
from checks.knowledge.frameworks.torch import index_of_build
from checks.knowledge.packages.import_packages import module_of_distribution
from checks.knowledge.packages.system_libraries import packages_of_libraries
from checks.knowledge.phrases import phrase

CAUSE = "changed-since-it-worked"
_MOST_FINDINGS = 2
_MOST_PACKAGES = 40  # that are put back together
_LEAST = 0.5


def with_changes(facts: Facts, known: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, with the changes to which the failure leads among them."""
    history = facts.history
    if history is None or not (history.changes or history.logged):
        return tuple(known)
    found = tuple(_findings(facts, history, rank(known)))
    return with_findings_instead(known, found) if found else tuple(known)


def changes_to_show(facts: Facts, findings: Sequence[Finding]) -> tuple[Ranked, ...]:
    """All changes of the time in which it stopped to work, the likeliest first."""
    history = facts.history
    if history is None:
        return ()
    return ranked((*history.changes, *history.logged), facts, [one for one in findings if one.cause != CAUSE])


def _findings(facts: Facts, history: History, others: Sequence[Finding]) -> Iterator[Finding]:
    likely = [one for one in changes_to_show(facts, others) if one.relation is Relation.LIKELY]
    for one in likely[:_MOST_FINDINGS]:
        if one.weight >= likely[0].weight - 12:
            yield _finding(one, facts, history)


def _finding(found: Ranked, facts: Facts, history: History) -> Finding:
    change = found.change
    failed = next((seen for seen in failing(facts)), None)
    run = next((run for run in facts.runs if run.failed and run.label == history.what), None)
    told = (
        phrase("worked-logged", source=change.source, time=moment(change.time))
        if change.source
        else phrase("worked-at", what=shortened(history.what), time=moment(history.worked))
    )
    values: dict[str, Value] = {
        "change_name": name_of(change),
        "change_why": phrase(f"change-why-{found.reason}"),
        "history_told": told,
        "change": change_in_words(change),
    }
    remedies, more = _way_back(change, facts, history)
    return Finding(
        cause=CAUSE,
        severity=Severity.BLOCKING if run or (failed and failed.what != What.STATEMENT) else Severity.WARNING,
        confidence=round(_LEAST + (found.weight - 60) / 110, 2),
        subject=change.name,
        evidence=(
            *([Evidence("worked_at", moment(history.worked), history.origin)] if history.worked else []),
            *([Evidence("changed_at", moment(change.time), change.source or "files")] if change.time else []),
        ),
        remedies=remedies,
        values={**values, **more, **({FAILED_RUN: run.label} if run else {})},
    )


def _way_back(change: Change, facts: Facts, history: History) -> tuple[tuple[str, ...], dict[str, Value]]:
    """The remedies that bring back what was there, the smallest first, and their values."""
    match change.kind:
        case ChangeKind.PACKAGE:
            return _of_package(change, history)
        case ChangeKind.FILE if change.package:
            values: dict[str, Value] = {
                "package_name": change.package,
                "import_names": module_of_distribution(change.package),
            }
            return ("reinstall-damaged-package",), values
        case ChangeKind.VARIABLE if change.before is None:
            return ("unset-environment-variable",), {"variable": change.name}
        case ChangeKind.VARIABLE:
            # What a report from elsewhere says of a variable is set by nobody.
            before = _expanded(change.before or "") if facts.here else ""
            return ("set-variable-back",), {"variable": change.name, "variable_before": before}
        case ChangeKind.PROGRAM | ChangeKind.MODEL:
            return ("return-own-file",), {"own_file": change.name}
        case ChangeKind.SYSTEM_PACKAGE:
            return _of_system_package(change)
        case ChangeKind.MACHINE if change.name == "kernel" and change.before:
            return ("start-earlier-kernel",), {"kernel_before": change.before}
        case ChangeKind.MACHINE if change.name in ("driver", "kernel-module") or change.name.startswith("gpu-driver"):
            return ("return-to-working-driver",), {}
    return ("return-what-changed",), {"part_before": change.before or ""}


def _of_package(change: Change, history: History) -> tuple[tuple[str, ...], dict[str, Value]]:
    if change.before is None:
        return (("remove-added-package",), {"added_package": change.name}) if not change.source else ((), {})
    release = _release(change)
    restored = [_release(one) for one in history.changes if one.kind == ChangeKind.PACKAGE and one.before]
    is_several = 1 < len(restored) <= _MOST_PACKAGES
    together: dict[str, Value] = {"restored_packages": " ".join(restored)} if is_several else {}
    after = ("return-all-packages",) if together else ()
    index = index_of_build(change.before)
    if index:
        return ("return-to-working-build",), {"requirement": release, "torch_index": index}
    if change.after is None:
        return ("install-removed-package-again", *after), {"removed_release": release, **together}
    return ("return-to-working-release", *after), {"requirement": release, **together}


def _release(change: Change) -> str:
    return f"{change.name}=={(change.before or '').partition(' ')[0]}"


def _of_system_package(change: Change) -> tuple[tuple[str, ...], dict[str, Value]]:
    name = change.name.partition(":")[0]
    if change.after is None and name in packages_of_libraries():
        return ("install-removed-system-package",), {"apt_package": name}
    if change.before and change.source == "apt":
        return ("return-system-package",), {"system_release": f"{change.name}={change.before}"}
    return ("return-what-changed",), {"part_before": change.before or ""}


def _expanded(value: str) -> str:
    """A value as it was: in what is kept, the home folder is written as "~"."""
    return os.pathsep.join(os.path.expanduser(part) for part in value.split(os.pathsep))  # noqa: PTH111 - as text
