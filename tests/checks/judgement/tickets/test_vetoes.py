"""A measured fact overrules what a text suggests."""

import msgspec
import pytest

from checks.causes.registry import all_checks
from checks.facts import Facts, Gpu, Gpus, OsFacts, ProgramRun, PythonProcess, Raised, SentFile, Symptom
from checks.facts.case import Answers
from checks.facts.finding import Finding, Severity
from checks.facts.machine import MachineFacts
from checks.judgement.judge import judged
from checks.judgement.tickets.vetoes import vetoed
from checks.knowledge.catalogue import cause_files
from checks.knowledge.errors.vetoes import Vetoes
from checks.readers.tickets.read import pasted, read_ticket

NOT_COMPILED = "Traceback (most recent call last):\nAssertionError: Torch not compiled with CUDA enabled\n"
CARD = Gpu(vendor_id="10de", device_id="2684", product="NVIDIA GeForce RTX 4090")


def _facts(*gpus: Gpu, os: OsFacts | None = None, text: str = NOT_COMPILED) -> Facts:
    return Facts(
        machine=MachineFacts(os=os or OsFacts(system="Linux", architecture="x86_64"), gpus=Gpus(devices=gpus)),
        symptom=Symptom(name="does-not-start"),
        logs=(SentFile(name="", kind="log", text=text),),
    )


def _first(facts: Facts) -> Finding:
    return judged(facts, Answers(symptom="does-not-start")).findings[0]


def test_no_gpu_on_the_bus_overrules_a_build_without_cuda() -> None:
    first = _first(_facts())
    assert first.cause == "no-gpu-for-ai"
    assert first.severity is Severity.BLOCKING
    assert first.confidence >= 0.8
    assert any("not compiled with CUDA" in evidence.value for evidence in first.evidence), "the text is about that"
    assert not any("build" in remedy for remedy in first.remedies)


def test_where_a_card_is_there_or_nobody_knows_the_text_keeps_its_cause() -> None:
    assert _first(_facts(CARD)).cause == "framework-cpu-only-build"
    assert _first(_facts(os=OsFacts(system="Linux", wsl=2))).cause == "framework-cpu-only-build"
    ticket = msgspec.structs.replace(_facts(), reported=True)
    assert not list(vetoed(ticket))


def test_a_text_about_something_else_is_not_touched() -> None:
    first = _first(_facts(text="ImportError: libGL.so.1: cannot open shared object file: No such file or directory\n"))
    assert first.cause == "system-library-missing"


def test_the_table_names_causes_of_the_catalogue() -> None:
    for veto in Vetoes.read().veto:
        assert {*veto.of, veto.instead} <= cause_files().keys()
        assert veto.instead in all_checks()


def test_a_program_that_failed_here_without_a_gpu() -> None:
    """What a veto proved stays, also where its own check was not asked and found nothing."""
    raised = Raised(type="AssertionError", message="Torch not compiled with CUDA enabled")
    run = ProgramRun(command=("python", "train.py"), exit_code=1, pythons=(PythonProcess(pid=1, raised=raised),))
    facts = msgspec.structs.replace(_facts(), logs=(), runs=(run,))
    assert _first(facts).cause == "no-gpu-for-ai"


NAN_IN_ONE = {
    "numpy": "x and y nan location mismatch:\n x: array([0.1, 0.2, nan])\n y: array([0.1, 0.2, 0.3])",
    "numpy-2.4": "nan location mismatch:\n ACTUAL: array([0.1, 0.2, nan])\n DESIRED: array([0.1, 0.2, 0.3])",
    "torch": "Tensor-likes are not close!\nGreatest absolute difference: nan at index (2,) (up to 1e-05 allowed)",
}


@pytest.mark.parametrize("told", NAN_IN_ONE.values(), ids=NAN_IN_ONE)
def test_nan_on_one_side_is_no_rounding(told: str) -> None:
    """A compiler that reorders the arithmetic was named, and asked how large the difference is."""
    text = f"After torch.compile my model gives something else.\n\n{told}\n"
    facts = read_ticket(pasted(text))
    findings = judged(facts, Answers()).findings
    assert findings[0].cause == "non-finite-output"
    assert all(finding.confidence <= 0.1 for finding in findings if finding.cause == "compiled-graph-rounding")
    finite = text.replace("nan at", "0.1 at").replace("nan location ", "").replace("nan]", "0.4]")
    assert judged(read_ticket(pasted(finite)), Answers()).findings[0].cause != "non-finite-output"


def test_nan_on_one_side_is_no_mistake_of_the_line_that_compares() -> None:
    text = """Traceback (most recent call last):
  File "eval.py", line 9, in <module>
    np.testing.assert_allclose(gpu, cpu, rtol=1e-7)
AssertionError:
Not equal to tolerance rtol=1e-07, atol=0
nan location mismatch:
 ACTUAL: array([1., nan], dtype=float32)
 DESIRED: array([1., 2.], dtype=float32)
"""
    sent = SentFile(name="", kind="log", origin="pasted", text=text)
    first = judged(read_ticket(sent), Answers(symptom="ticket")).findings[0]
    assert first.cause == "non-finite-output"
