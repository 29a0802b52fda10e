"""When changed-since-it-worked speaks, and when it keeps silent; pairs of before and after: tests/checks/history."""

from typing import Any

import msgspec
import pytest
from support.runs import SITE, failed, frames_of

from checks.analysis.history.phrases import change_in_words
from checks.analysis.history.ranking import changes_of
from checks.analysis.history.state import differences
from checks.causes.environment.changed_since_it_worked import changed_since_it_worked
from checks.facts import Change, ChangeKind, Facts, History, InstalledFiles, Package, PackageChange, Proof, Raised
from checks.facts.case import Answers
from checks.facts.finding import FAILED_RUN, Finding, Inconclusive, NotHere, Severity
from checks.judgement.judge import judged
from checks.knowledge.phrases import in_language
from checks.remedies.plan import plan_remedies

NP_FLOAT = Raised(
    type="AttributeError",
    message="`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.",
    frames=frames_of("/home/user/app/train.py", f"{SITE}/numpy/__init__.py"),
)
NUMPY = Change(kind="package", name="numpy", before="1.26.4", after="2.0.2", time="2026-11-22T10:00:00+00:00")
CLICK = Change(kind="package", name="click", before="8.1.7", after="8.1.8")


def facts_with(*changes: Change, raised: Raised = NP_FLOAT, worked: str = "2026-11-20T08:00:00+00:00") -> Facts:
    packages = (Package(name="numpy", version="2.0.2"), Package(name="click", version="8.1.8"))
    facts = failed(raised, *packages)
    history = History(number=7, worked=worked, what=facts.runs[0].label, changes=changes)
    return msgspec.structs.replace(facts, history=history, here=True)


def findings(facts: Facts) -> list[Finding]:
    return list(changed_since_it_worked(facts.history, facts))


def test_names_the_change_that_the_failure_leads_to() -> None:
    (finding,) = findings(facts_with(CLICK, NUMPY))
    assert finding.subject == "numpy"
    assert finding.severity is Severity.BLOCKING
    assert finding.values[FAILED_RUN] == "/home/user/env/bin/python /home/user/app/train.py"
    assert finding.values["requirement"] == "numpy==1.26.4"
    assert {evidence.name: evidence.value for evidence in finding.evidence} == {
        "worked_at": "2026-11-20 08:00 UTC",
        "changed_at": "2026-11-22 10:00 UTC",
    }


@pytest.mark.parametrize(
    ("change", "proof", "is_shown"),
    [
        (CLICK, {"changes": (PackageChange(name="click", version_before="8.1.8", version_after="8.1.7"),)}, True),
        (CLICK, {"changes": (PackageChange(name="click", version_before="8.1.8", version_after="8.2.0"),)}, False),
        (
            CLICK,
            {
                "changes": (
                    PackageChange(name="click", version_before="8.1.8", version_after="8.1.7"),
                    PackageChange(name="numpy", version_before="2.0.2", version_after="1.26.4"),
                )
            },
            False,
        ),
        (Change(kind="variable", name="MPLBACKEND", after="x"), {"commands": ("unset MPLBACKEND",)}, True),
        (Change(kind="variable", name="MODE", after="x"), {"commands": ("unset MPLBACKEND",)}, False),
    ],
)
def test_a_change_that_was_taken_back_in_a_trial_is_shown(
    change: Change, proof: dict[str, Any], is_shown: bool
) -> None:
    facts = facts_with(
        change, raised=Raised(type="ValueError", message="no", frames=frames_of("/home/user/app/train.py"))
    )
    for result in ("proven", "did-not-help"):
        tried = Proof(cause="a", remedy="b", result=result, **proof)
        (one,) = changes_of(msgspec.structs.replace(facts, proofs=(tried,)))
        assert (one.reason == "proven") is (is_shown and result == "proven")


def test_the_way_back_is_a_command_for_this_python() -> None:
    facts = facts_with(CLICK, NUMPY)
    finding = next(found for found in judged(facts, Answers()).findings if found.cause == "changed-since-it-worked")
    first, second = plan_remedies(finding, facts, "en")
    assert first.steps[0].code == "/home/user/env/bin/python -m pip install numpy==1.26.4"
    assert second.steps[0].code == "/home/user/env/bin/python -m pip install click==8.1.7 numpy==1.26.4"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (Change(kind="package", name="numpy", before="1.26.4"), "python -m pip install numpy==1.26.4"),
        (Change(kind="package", name="numpy", after="2.0.2"), "python -m pip uninstall -y numpy"),
        (
            Change(kind="package", name="torch", before="2.4.0+cu121", after="2.5.0"),
            "python -m pip install torch==2.4.0+cu121 --index-url https://download.pytorch.org/whl/cu121",
        ),
        (Change(kind="variable", name="PYTHONPATH", after=f"{SITE}/numpy"), "unset PYTHONPATH"),
        (
            Change(kind="variable", name="PYTHONPATH", before="/opt/old lib", after=f"{SITE}/numpy"),
            "export PYTHONPATH='/opt/old lib'",
        ),
        (
            Change(kind="file", name="numpy/__init__.py", after="size 5", package="numpy"),
            "python -m pip install --force-reinstall --no-deps --no-cache-dir numpy==2.0.2",
        ),
    ],
    ids=["removed", "added", "build", "variable-set", "variable-changed", "file"],
)
def test_each_kind_has_its_way_back(change: Change, code: str) -> None:
    raised = Raised(
        type="ImportError", message="cannot import name 'x' from 'numpy', not 'torch'", frames=NP_FLOAT.frames
    )
    (finding,) = findings(facts_with(change, raised=raised))
    named = msgspec.structs.replace(finding, cause="changed-since-it-worked")
    plan = plan_remedies(named, facts_with(change, raised=raised), "en")[0]
    assert plan.steps[0].code.replace("/home/user/env/bin/", "") == code


def test_a_strangers_report_sets_no_variable() -> None:
    change = Change(kind="variable", name="LD_PRELOAD", before="/tmp/evil.so", after=f"{SITE}/numpy")
    facts = msgspec.structs.replace(facts_with(change), here=False)
    found = [one for one in judged(facts, Answers()).findings if one.cause == "changed-since-it-worked"]
    plans = [plan for one in found for plan in plan_remedies(one, facts, "en")]
    assert "evil" not in repr(plans)


def test_says_that_nothing_leads_to_a_change() -> None:
    with pytest.raises(Inconclusive, match="changes-lead-nowhere"):
        findings(facts_with(CLICK))


def test_is_silent_where_nothing_changed() -> None:
    assert findings(facts_with()) == []


@pytest.mark.parametrize("history", [None, History(), History(what="train.py")])
def test_without_an_earlier_examination_there_is_nothing_to_check(history: History | None) -> None:
    with pytest.raises(NotHere):
        list(changed_since_it_worked(history, facts_with()))


def test_an_installation_of_which_nothing_was_there_before_is_only_possible() -> None:
    facts = facts_with(worked="")
    pip = Change(kind="package", name="numpy", after="2.0.2", source="pip", time="2026-11-22T10:00:00+00:00")
    history = History(what="train.py", logged=(pip,))
    facts = msgspec.structs.replace(facts, history=history, installed=InstalledFiles())
    with pytest.raises(Inconclusive):
        findings(facts)


def test_an_empty_value_is_one() -> None:
    """CUDA_VISIBLE_DEVICES hides every GPU by it."""
    (change,) = differences({ChangeKind.VARIABLE: {}}, {ChangeKind.VARIABLE: {"CUDA_VISIBLE_DEVICES": ""}})
    assert (change.before, change.after) == (None, "")
    assert in_language(change_in_words(change), "en") == 'CUDA_VISIBLE_DEVICES "" is new'
    (back,) = differences({ChangeKind.VARIABLE: {"A": ""}}, {ChangeKind.VARIABLE: {}})
    assert in_language(change_in_words(back), "en") == 'A "" is gone'
