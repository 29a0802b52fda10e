"""What harms whoever loads a file stands before every other finding, and before every other verdict on the file."""

import io
import zipfile
from pathlib import Path

import pytest
from support.hostile.assembler import EVIL

from checks.facts import Facts, InterpreterFacts, ModelFacts, ModelNeeds, NamedClass, Package, Symptom
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Outcome, Severity, Status
from checks.facts.models.verdicts import Outcome as Runs
from checks.facts.question import MODELS
from checks.judgement.judge import judged
from checks.judgement.models.standing import PerModel, Standing
from checks.judgement.ranking import rank
from checks.readers.models import read_models


def outcome(cause: str, severity: Severity, confidence: float) -> Outcome:
    finding = Finding(cause=cause, severity=severity, confidence=confidence)
    return Outcome(cause=cause, status=Status.FOUND, findings=(finding,))


def case_of(*models: ModelFacts, **more: object) -> Case:
    facts = Facts(models=models, symptom=Symptom(origin="user", name=MODELS), **more)  # type: ignore[arg-type]
    return judged(facts, Answers(symptom=MODELS))


def test_it_stands_before_what_is_surer() -> None:
    found = rank(
        [outcome("checkpoint-corrupt", Severity.BLOCKING, 1.0), outcome("pickle-runs-code", Severity.BLOCKING, 0.9)]
    )
    assert [finding.cause for finding in found] == ["pickle-runs-code", "checkpoint-corrupt"]


def test_functions_that_may_be_meant_well_do_not() -> None:
    found = rank(
        [outcome("pickle-runs-code", Severity.WARNING, 0.9), outcome("checkpoint-corrupt", Severity.BLOCKING, 0.5)]
    )
    assert [finding.cause for finding in found] == ["checkpoint-corrupt", "pickle-runs-code"]


def test_a_cut_file_is_dangerous_before_it_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(EVIL[:-1])
    case = case_of(*read_models(tmp_path / "a.pkl"))
    assert [finding.cause for finding in case.findings] == ["pickle-runs-code", "checkpoint-corrupt"]
    assert PerModel.of(case.findings, case.verdicts).standing(case.facts.models[0]) is Standing.RUNS_CODE


def test_no_program_is_said_not_to_run_it() -> None:
    model = ModelFacts(
        path="/m/a.pt",
        format="torch-zip",
        needs=ModelNeeds(classes=(NamedClass(name="os.system", risk="dangerous", given="'id'"),)),
    )
    target = InterpreterFacts(path="/v/bin/python", packages=(Package(name="torch", version="2.13.0"),))
    case = case_of(model, target=target.path, interpreters=(target,))
    (verdict,) = (found for found in case.verdicts if found.runtime == "torch")
    assert (verdict.outcome, verdict.reason) == (Runs.UNKNOWN, "dangerous")


def archive_of(content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("archive/data.pkl", content)
        archive.writestr("archive/version", "3\n")
    return made.getvalue()


@pytest.mark.parametrize(("content", "dependence"), [(EVIL, None), (b"\x80\x02}.", "low")])
def test_what_runs_code_is_not_called_fit_to_be_moved(content: bytes, dependence: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.pt").write_bytes(archive_of(content))
    assert read_models(tmp_path / "a.pt")[0].dependence in (dependence, "medium")
