"""A model that was compiled for another chip: by its runtime's words, and by the chips that a Hailo file names."""

import pytest

from checks.causes.model.model_compiled_for_another_chip import model_compiled_for_another_chip
from checks.facts import Accelerator, Facts, MachineFacts, ModelFacts, ProgramRun, SentFile
from checks.facts.case import Answers
from checks.facts.finding import FAILED_RUN, Finding, NotHere, Severity
from checks.judgement.judge import judged
from checks.knowledge.errors.compiled_models import CompiledModels, refused_in

HAILO = "[HailoRT] [error] HEF format is not compatible with device. Device arch: HAILO8L, HEF arch: HAILO8"


def found(facts: Facts) -> list[Finding]:
    return list(model_compiled_for_another_chip(facts))


def values(finding: Finding) -> dict[str, str]:
    return {evidence.name: evidence.value for evidence in finding.evidence}


def test_the_runtime_of_a_failed_run_names_both_chips() -> None:
    run = ProgramRun(origin="watched", command=("python", "run.py"), exit_code=1, errors=f"{HAILO}\nstatus 26\n")
    (finding,) = found(Facts(runs=(run,)))
    assert (values(finding)["compiled_for"], values(finding)["accelerator"]) == ("HAILO8", "HAILO8L")
    assert finding.values[FAILED_RUN] == "python run.py"
    assert finding.severity is Severity.BLOCKING
    first = judged(Facts(runs=(run,)), Answers(symptom="does-not-start")).findings[0]
    assert first.cause == "model-compiled-for-another-chip"


def test_a_log_is_judged_too() -> None:
    log = SentFile(
        name="a.log", kind="log", text="rknn model target platform[0] is RK1806, while current platform is RK3399"
    )
    (finding,) = found(Facts(logs=(log,)))
    assert values(finding)["accelerator"] == "RK3399"


@pytest.mark.parametrize(
    ("runs_on", "accelerator", "is_found"),
    [
        ("Hailo-8", "Hailo-10H AI Processor", True),
        ("Hailo-10H", "Hailo-8 AI Processor", True),
        ("Hailo-15M, Hailo-15H, Hailo-10H", "Hailo-10H AI Processor", False),
        ("Hailo-8L, Hailo-8", "Hailo-8 AI Processor", False),
        ("Hailo-8", "Hailo-8 AI Processor", False),  # it may be a Hailo-8L; the bus does not tell
    ],
)
def test_a_hailo_file_and_the_card_on_the_bus(runs_on: str, accelerator: str, is_found: bool) -> None:
    model = ModelFacts(path="/m/a.hef", name="a.hef", format="hailo-hef", details={"hailo-runs-on": runs_on})
    machine = MachineFacts(accelerators=(Accelerator(bus="pci", name=accelerator),))
    assert bool(found(Facts(machine=machine, models=(model,)))) is is_found
    assert found(Facts(machine=MachineFacts(accelerators=()), models=(model,))) == [], "another machine may run it"


def test_what_is_only_too_old_or_not_there_is_another_cause() -> None:
    for line in ("E RKNN: Invalid RKNN model version 6", "Failed to open xclbin", "HAILO_INVALID_HEF(26)"):
        assert refused_in(line) is None


def test_nothing_to_judge() -> None:
    with pytest.raises(NotHere):
        found(Facts())


@pytest.mark.parametrize("row", CompiledModels.read().refusal, ids=lambda row: row.id)
def test_every_row_has_its_thread(row) -> None:
    assert row.sources
    assert 0 < row.certainty < 1
