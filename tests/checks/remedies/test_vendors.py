"""A remedy for one maker's GPUs is not offered to who has another's."""

import re

import pytest

from checks.facts import AppleFacts, Facts, Gpu, Gpus, MachineFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.catalogue import remedy_of
from checks.knowledge.gpu.vendors import vendor_names
from checks.paths import ROOT
from checks.readers.tickets.read import read_ticket
from checks.remedies.plan import plan_remedies
from checks.remedies.vendors import vendors_of

REMEDIES = sorted(path.stem for path in (ROOT / "remedies").glob("*.toml"))
# What only one maker's machines have: a remedy whose commands name it says for whom it is.
COMMANDS = {
    "nvidia": r"nvidia-driver|akmod-nvidia|nvidia-open|modprobe nvidia|nvidia-ctk|--gpus all|nvidia-persistenced",
    "amd": r"modprobe amdgpu|HSA_OVERRIDE|whl/rocm",
    "intel": r"intel-opencl-icd|libze1\b",
    "apple": r"softwareupdate",
}


def machine(*ids: str) -> Facts:
    return Facts(machine=MachineFacts(gpus=Gpus(devices=tuple(Gpu(vendor_id=each) for each in ids))))


def offered(finding: Finding, facts: Facts) -> list[str]:
    return [plan.id for plan in plan_remedies(finding, facts, "en")]


def found(cause: str, *evidence: Evidence) -> Finding:
    return Finding(cause=cause, severity=Severity.BLOCKING, confidence=0.9, evidence=evidence)


@pytest.mark.parametrize(
    ("facts", "is_offered"),
    [
        (machine("1002"), False),
        (machine("8086"), False),
        (machine("10de"), True),
        (machine("8086", "10de"), True),
        (machine(), True),
        (Facts(), True),
        (Facts(machine=MachineFacts(apple=AppleFacts(is_apple_silicon=True))), False),
    ],
)
def test_nvidias_driver_is_for_nvidias_cards(facts: Facts, is_offered: bool) -> None:
    assert ("install-nvidia-driver" in offered(found("driver-not-loaded"), facts)) is is_offered


def test_the_words_of_the_finding_go_before_the_machine() -> None:
    """A laptop's own Intel graphics do not make a text about NVIDIA's driver one about Intel's."""
    clue = Evidence("clue", "NVRM: API mismatch: the client has the version 550.54")
    assert "install-nvidia-driver" in offered(found("driver-not-loaded", clue), machine("8086"))


def test_the_text_of_an_amd_card_is_not_answered_with_nvidias_driver() -> None:
    from checks.facts import SentFile
    from checks.facts.case import Answers
    from checks.judgement.judge import judged

    text = "$ rocminfo\nROCk module is NOT loaded, possibly no GPU devices\nGPU: RX 7900 XTX\n"
    facts = read_ticket(SentFile(name="ticket", kind="log", text=text))
    assert vendors_of(facts) == {"amd"}
    best = judged(facts, Answers()).findings[0]
    assert (best.cause, offered(best, facts)) == ("driver-not-loaded", ["load-amdgpu-module"])


def test_every_remedy_of_one_maker_says_so() -> None:
    for name in REMEDIES:
        remedy = remedy_of(name)
        assert set(remedy.vendors) <= set(vendor_names()), name
        codes = "\n".join(step.code for step in remedy.step)
        for vendor, pattern in COMMANDS.items():
            others = [other for other, its in COMMANDS.items() if other != vendor and re.search(its, codes)]
            if re.search(pattern, codes) and not others:
                assert vendor in remedy.vendors, f"{name}: vendors = [{vendor!r}]"
