"""What is run again behind a remedy: a program that fails, or one that stays off the GPU."""

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from checks.engine.watch.connection import Listened
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import (
    EnvironmentVariables,
    Facts,
    FrameworkDevice,
    Frameworks,
    Gpu,
    Gpus,
    KernelLaunch,
    MachineFacts,
    OsFacts,
    ProgramEnd,
    Proof,
    Symptom,
    TorchFacts,
)
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Severity
from checks.facts.question import SymptomName
from checks.interpreters import read_interpreter
from checks.proof.prove import PATIENCE, is_worth_trying, prove, seconds_for
from checks.proof.witness import witnesses_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows which files are open")

# What PyTorch tells of the memory that it allocated, of a module that allocates none.
TORCH = """import os
def is_initialized(): return os.environ.get("CUDA_VISIBLE_DEVICES") != ""
def device_count(): return 1
def memory_stats(index): return {"allocated_bytes.all.peak": 512}
"""
OnProcessor = Callable[..., Case]


@pytest.fixture
def on_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OnProcessor:
    """The case of a program that takes the processor, for CUDA_VISIBLE_DEVICES hides the GPU."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("class Tensor: pass\nfrom torch import cuda\n")
    (tmp_path / "torch" / "cuda.py").write_text(TORCH)

    def case(source: str, *variables: str, symptom: SymptomName = SymptomName.NOT_ON_GPU) -> Case:
        (tmp_path / "prog.py").write_text(source)
        words = (sys.executable, "prog.py")
        run = watch_program(ProgramTask(command=words, folder=tmp_path, named=words), Listened(lambda *_: None))
        assert run.worked
        facts = Facts(
            machine=MachineFacts(os=OsFacts(system="Linux")),
            interpreters=(read_interpreter(sys.executable),),
            target=sys.executable,
            environment=EnvironmentVariables(values={"CUDA_VISIBLE_DEVICES": ""}),
            runs=(run,),
            symptom=Symptom(name=symptom.value),
            here=True,
        )
        findings = tuple(
            Finding(
                cause="gpu-hidden-by-environment",
                severity=Severity.WARNING,
                confidence=0.9,
                subject=variable,
                values={"variable": variable},
                remedies=("unset-device-variable",),
            )
            for variable in variables
        )
        answers = Answers(symptom=symptom)
        return Case(created="", answers=answers, facts=facts, outcomes=(), findings=findings)

    return case


def proofs_of(case: Case) -> list[Proof]:
    steps = prove(case)
    try:
        while True:
            next(steps)
    except StopIteration as ended:
        return list(ended.value.facts.proofs)


def test_what_computes_on_the_gpu_afterwards_is_proven(on_processor: OnProcessor) -> None:
    proofs = proofs_of(on_processor("import torch", "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES"))
    assert [(proof.subject, proof.result, proof.of_gpu) for proof in proofs] == [
        ("CUDA_DEVICE_ORDER", "did-not-help", True),
        ("CUDA_VISIBLE_DEVICES", "proven", True),
    ]


def test_what_fails_on_the_gpu_is_told(on_processor: OnProcessor) -> None:
    source = "import os, torch\nif 'CUDA_VISIBLE_DEVICES' not in os.environ: raise RuntimeError('no kernel image')"
    (proof,) = proofs_of(on_processor(source, "CUDA_VISIBLE_DEVICES"))
    assert proof.result == "other-failure"


def test_a_program_on_the_processor_is_no_failure_where_nobody_asked(on_processor: OnProcessor) -> None:
    case = on_processor("import torch", "CUDA_VISIBLE_DEVICES", symptom=SymptomName.DOES_NOT_START)
    assert not witnesses_of(case.facts)
    assert not is_worth_trying(case)


def test_a_framework_that_reaches_no_gpu_is_tried_by_a_statement(on_processor: OnProcessor) -> None:
    facts = on_processor("import torch").facts
    torch = TorchFacts(imported=True)
    machine = MachineFacts(gpus=Gpus(devices=(Gpu(vendor_id="10de"),)))
    facts = msgspec.structs.replace(facts, runs=(), machine=machine, frameworks=Frameworks(torch=torch))
    (witness,) = witnesses_of(facts)
    assert witness.statement == "import torch; torch.ones(1, device='cuda').sum().item()"
    assert not witnesses_of(msgspec.structs.replace(facts, machine=MachineFacts(gpus=Gpus())))
    devices = (FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=True)),)
    reached = Frameworks(torch=msgspec.structs.replace(torch, devices=devices))
    assert not witnesses_of(msgspec.structs.replace(facts, frameworks=reached))


def test_a_remedy_that_one_statement_does_not_bear_on_is_tried_with_another(on_processor: OnProcessor) -> None:
    """The import of what is not installed fails whether the GPU is hidden or not."""
    case = on_processor("import torch", "CUDA_VISIBLE_DEVICES", symptom=SymptomName.DOES_NOT_START)
    (run,) = case.facts.runs
    hidden = "import os; assert 'CUDA_VISIBLE_DEVICES' not in os.environ"
    runs = tuple(
        msgspec.structs.replace(run, command=(sys.executable,), statement=statement, exit_code=1, folder="")
        for statement in ("import nowhere_at_all", hidden)
    )
    case = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, runs=runs))
    (proof,) = proofs_of(case)
    assert proof.result == "proven"
    assert proof.run is not None
    assert proof.run.statement == hidden


def test_a_program_without_end_is_watched_no_longer_than_before(on_processor: OnProcessor) -> None:
    case = on_processor("import torch", "CUDA_VISIBLE_DEVICES")
    (run,) = case.facts.runs
    watched = msgspec.structs.replace(run, end=ProgramEnd.WATCHED, exit_code=None, seconds=15.0)
    assert seconds_for(watched, 0.0) == 15
    assert seconds_for(watched, 20.0) == 20
    assert seconds_for(run, 20.0) == PATIENCE
