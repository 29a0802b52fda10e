"""What a ticket tells is not asked for once more; what it does not tell is."""

import pytest

from checks.facts import Facts, Frameworks, MachineFacts, NvidiaFacts, NvidiaGpu, TorchFacts
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Severity
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from wizard.report.content.report import build

NVIDIA_SMI = """\
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|   0  NVIDIA A100-SXM4-40GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   34C    P0             55W /  400W |   39870MiB /  40960MiB |      0%      Default |
|    0   N/A  N/A     91245      C   python                                      39860MiB |
"""
COLLECT_ENV = """\
Collecting environment information...
PyTorch version: 2.4.1+cpu
CUDA used to build PyTorch: None
OS: Ubuntu 22.04.4 LTS (x86_64)
Python version: 3.10.12 (main, Sep 11 2024, 15:47:36) [GCC 11.4.0] (64-bit runtime)
Is CUDA available: False
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 3090
Nvidia driver version: 535.183.01
"""


def questions_of(cause: str, text: str) -> tuple[str, ...]:
    finding = Finding(cause=cause, severity=Severity.WARNING, confidence=0.6)
    case = Case(
        created="2026-11-21T09:30:00+00:00",
        answers=Answers(symptom=TICKET),
        facts=read_ticket(pasted(text)),
        outcomes=(),
        findings=(finding,),
    )
    return build(case, "en").questions


@pytest.mark.parametrize(
    ("cause", "text", "answered"),
    [
        ("unknown", NVIDIA_SMI, "nvidia-smi"),
        ("unknown", COLLECT_ENV, "collect_env"),
        ("gpu-out-of-memory", NVIDIA_SMI, "nvidia-smi"),
        ("framework-cpu-only-build", COLLECT_ENV, "is_available"),
        ("framework-cpu-only-build", COLLECT_ENV, "GPU in the machine"),
        ("driver-too-old-for-cuda", NVIDIA_SMI, "nvidia-smi"),
    ],
)
def test_what_a_ticket_tells_is_not_asked_for(cause: str, text: str, answered: str) -> None:
    left = questions_of(cause, text)
    assert left
    assert not any(answered in question for question in left)


def test_what_a_ticket_does_not_tell_is_asked_for() -> None:
    assert any("collect_env" in question for question in questions_of("unknown", NVIDIA_SMI))
    assert any("nvidia-smi" in question for question in questions_of("gpu-out-of-memory", COLLECT_ENV))


def test_what_an_examination_has_read_is_not_asked_for() -> None:
    gpu = NvidiaGpu(index=0, name="NVIDIA H100 80GB HBM3", compute_capability="9.0")
    nvidia = NvidiaFacts(driver_version="580.159.04", devices=(gpu,))
    torch = TorchFacts(version="2.11.0+cu130", build="cuda", cuda_version="13.0", cuda_available=True)
    finding = Finding(cause="framework-cpu-only-build", severity=Severity.NOTE, confidence=0.85, subject="onnxruntime")
    asked = {}
    for name, facts in (
        ("known", Facts(machine=MachineFacts(nvidia=nvidia), frameworks=Frameworks(torch=torch))),
        ("unknown", Facts(machine=MachineFacts())),
    ):
        created = "2026-11-22T23:21:00+00:00"
        case = Case(created=created, answers=Answers(), facts=facts, outcomes=(), findings=(finding,))
        (asked[name],) = (view.questions for view in build(case, "en").findings)
    assert asked["known"] == ("Which command installed the package?",)
    assert len(asked["unknown"]) == 3
