"""What the package index says about a remedy, in the report."""

import msgspec
import pytest

from checks.facts import Facts, MachineFacts, OsFacts, PackageChange, Proof, Resolution, ResolutionResult
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Severity
from checks.remedies.plan import PlannedStep, PlannedVerify, RemedyPlan, plan_remedies
from wizard.report.content.blocks import Items, Step
from wizard.report.content.findings.sections import remedy_blocks
from wizard.report.content.remedies.resolutions import resolution_words
from wizard.report.content.report import build
from wizard.words import area

CAUSE = "dependency-version-conflict"
REASONS = [key.removeprefix("reason-") for key in area("resolutions") if key.startswith("reason-")]


def resolution(result: str = "resolved", **more: object) -> Resolution:
    return Resolution(**{"cause": CAUSE, "remedy": "b", "result": result, "tool": "uv", **more})  # type: ignore[arg-type]


def texts(found: Resolution, tried: Proof | None = None, language: str = "en") -> str:
    step = PlannedStep(kind="command", code="pip install own", language="sh")
    verify = PlannedVerify(expect="it runs")
    plan = RemedyPlan(id="b", title="", steps=(step,), verify=verify, proof=tried, resolution=found)
    blocks = list(remedy_blocks(plan, language))
    items = [item.text for block in blocks if isinstance(block, Items) for item in block.items]
    return "\n".join([*(block.text for block in blocks if isinstance(block, Step)), *items])


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("conflicts", [(), ("a 1: b<2 (2)",)])
@pytest.mark.parametrize("result", [*ResolutionResult, "of-a-newer-version"])
def test_every_result_has_its_sentence(result: str, conflicts: tuple[str, ...], language: str) -> None:
    if conflicts and result != ResolutionResult.RESOLVED:
        return
    for reason in REASONS:
        values = {"seconds": "20", "setting": "target", "tool": "pixi"}
        found = resolution(result, conflicts=conflicts, reason=reason, values=values, said="Because ...")
        said = resolution_words(found, language)
        assert said
        assert "{" not in said


def test_what_it_changes_downloads_and_breaks() -> None:
    changes = (
        PackageChange(name="numpy", version_before="2.2.6", version_after="1.26.4"),
        PackageChange(name="six", version_before="1.0", version_after="1.0"),
        PackageChange(name="opencv-python", version_before="4.0"),
    )
    found = texts(resolution(changes=changes, download_bytes=18_252_005, unsized=1, conflicts=("scipy 1: numpy>=2",)))
    for words in ("numpy 2.2.6 → 1.26.4", "six 1.0 (the same again)", "opencv-python 4.0 (removed)", "18.3 MB"):
        assert words in found
    assert "(packages: 1)" in found
    assert "ensurepip" not in found
    assert "ensurepip" in texts(resolution(lacks_pip=True))
    assert "scipy 1: numpy>=2" in found
    assert "would no longer get what they require" in found


def test_what_was_tried_says_more_than_what_was_looked_up() -> None:
    changes = (PackageChange(name="numpy", version_before="2.2.6", version_after="1.26.4"),)
    tried = Proof(cause=CAUSE, remedy="b", result="proven", changes=changes, way="copy")
    assert "Looked up on" not in texts(resolution(changes=changes), tried)
    not_tried = Proof(cause=CAUSE, remedy="b", result="not-tried", reason="by-hand")
    assert "Looked up on" in texts(resolution(changes=changes), not_tried)


def finding(*remedies: str) -> Finding:
    values = {"requirement": "numpy<2", "package_name": "numpy"}
    return Finding(cause=CAUSE, severity=Severity.BLOCKING, confidence=0.9, values=values, remedies=remedies)


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ({}, {}, ["install-required-version", "update-package"]),
        ({"result": "no-solution"}, {}, ["update-package", "install-required-version"]),
        ({"result": "nothing-to-do"}, {}, ["update-package", "install-required-version"]),
        ({"result": "unreachable"}, {}, ["install-required-version", "update-package"]),
        ({"conflicts": ("x",)}, {}, ["update-package", "install-required-version"]),
        ({"conflicts": ("x",)}, {"conflicts": ("y",)}, ["install-required-version", "update-package"]),
    ],
)
def test_the_order_of_remedies(first: dict[str, object], second: dict[str, object], wanted: list[str]) -> None:
    found = (
        resolution(**{"remedy": "install-required-version", **first}),  # type: ignore[arg-type]
        resolution(**{"remedy": "update-package", **second}),  # type: ignore[arg-type]
    )
    facts = Facts(machine=MachineFacts(os=OsFacts(system="Linux")), target="/e/bin/python", resolutions=found)
    plans = plan_remedies(finding("install-required-version", "update-package"), facts, "en")
    assert [plan.id for plan in plans] == wanted


def test_a_report_says_that_nothing_was_looked_up() -> None:
    facts = Facts(machine=MachineFacts(os=OsFacts(system="Linux")), missing={"resolutions": "offline"})
    case = Case(created="", answers=Answers(), facts=facts, outcomes=(), findings=())
    assert any("--offline" in note for note in build(case, "en").notes)
    asked = msgspec.structs.replace(case, facts=msgspec.structs.replace(facts, missing={}))
    assert not any("--offline" in note for note in build(asked, "en").notes)
