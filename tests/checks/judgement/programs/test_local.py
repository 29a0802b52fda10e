"""Why an AI program with a runtime of its own stays off the GPU: its own log, weighed with this machine's facts."""

from __future__ import annotations

import msgspec
import pytest

from checks.facts import Facts, Gpu, Gpus, InterpreterFacts, LocalProgram, MachineFacts, OsFacts, Symptom
from checks.facts.case import Answers
from checks.facts.finding import CLUE, Finding, Severity
from checks.facts.question import SymptomName
from checks.judgement.judge import judged
from checks.judgement.programs.seen_to_run import used_gpu
from checks.remedies.plan import plan_remedies
from checks.sharing.redact import redact

TOO_OLD = (
    'level=WARN source=cuda_compat.go:65 msg="NVIDIA driver too old" device="NVIDIA GeForce RTX 3060" compute=8.6 '
    'driver=12.2 required_driver="550 or newer"\nmsg="inference compute" id=cpu library=cpu compute=""'
)
CARD = Gpu(vendor_id="10de", product="GeForce RTX 3060", compute_capability="8.6")
MACHINE = MachineFacts(
    os=OsFacts(system="Linux", distribution="ubuntu", package_managers=("apt",)), gpus=Gpus(devices=(CARD,))
)
OLLAMA = LocalProgram(
    name="Ollama", path="/usr/bin/ollama", log="journalctl -u ollama", text=TOO_OLD, backend="cpu", devices=()
)


def findings(program: LocalProgram, *, asked: bool = True, machine: MachineFacts = MACHINE) -> list[Finding]:
    symptom = Symptom(name=SymptomName.NOT_ON_GPU.value, program="Ollama" if asked else "")
    facts = Facts(machine=machine, interpreters=(), local_programs=(program,), symptom=symptom, here=True)
    case = judged(facts, Answers(symptom=symptom.name))
    return [finding for finding in case.findings if finding.subject == program.name]


def test_the_words_of_its_log_are_the_reason() -> None:
    (finding,) = findings(OLLAMA)
    assert finding.cause == "driver-too-old-for-cuda"
    assert finding.severity is Severity.WARNING
    assert any(shown.name == CLUE and "too old" in shown.value for shown in finding.evidence)
    assert all(shown.origin == "journalctl -u ollama" for shown in finding.evidence)


def test_who_asked_about_something_else_is_told_in_a_note() -> None:
    (finding,) = findings(OLLAMA, asked=False)
    assert finding.severity is Severity.NOTE


def test_an_old_log_accuses_and_clears_nobody_unasked() -> None:
    old = msgspec.structs.replace(OLLAMA, is_old=True)
    assert findings(old, asked=False) == []
    assert len(findings(old)) == 1
    working = msgspec.structs.replace(OLLAMA, backend="cuda", devices=("RTX 3060",), layers=33, layers_total=33)
    symptom = Symptom(name=SymptomName.NOT_ON_GPU.value, program="Ollama")
    for program, is_seen in ((working, True), (msgspec.structs.replace(working, is_old=True), False)):
        assert used_gpu(Facts(local_programs=(program,), symptom=symptom)) is is_seen


def test_a_whole_model_on_the_gpu_is_no_trouble() -> None:
    working = msgspec.structs.replace(OLLAMA, backend="cuda", devices=("RTX 3060",), layers=33, layers_total=33)
    assert findings(working) == []


def test_a_program_that_found_its_card_through_cuda_misses_no_vulkan() -> None:
    text = (
        "ggml_cuda_init: found 1 CUDA devices:\n  Device 0: NVIDIA GeForce RTX 3060, compute capability 8.6\n"
        "ggml_vulkan: No devices found."
    )
    assert findings(msgspec.structs.replace(OLLAMA, backend="cuda", devices=("RTX 3060",), text=text)) == []


def test_a_part_of_a_model_on_the_gpu_is_too_little_memory() -> None:
    text = 'level=INFO source=ggml.go:494 msg="offloaded 20/33 layers to GPU"'
    partly = msgspec.structs.replace(OLLAMA, backend="cuda", text=text, layers=20, layers_total=33, devices=None)
    (finding,) = findings(partly)
    assert finding.cause == "gpu-out-of-memory"
    assert finding.remedies[0] == "fit-local-model-into-gpu"


def test_without_a_card_there_is_nothing_to_install() -> None:
    text = "ggml_vulkan: No devices found.\nwarning: no usable GPU found, --gpu-layers option will be ignored"
    program = msgspec.structs.replace(OLLAMA, text=text)
    bare = msgspec.structs.replace(MACHINE, gpus=Gpus(devices=()))
    facts = Facts(
        machine=bare,
        interpreters=(),
        local_programs=(program,),
        symptom=Symptom(name=SymptomName.NOT_ON_GPU.value, program="Ollama"),
        here=True,
    )
    case = judged(facts, Answers(symptom=SymptomName.NOT_ON_GPU.value))
    assert [finding.cause for finding in case.findings if finding.severity is not Severity.NOTE] == ["no-gpu-for-ai"]


def test_a_log_that_tells_nothing_accuses_nobody() -> None:
    silent = msgspec.structs.replace(
        OLLAMA, text="level=INFO source=routes.go:1 msg=listening", backend=None, devices=None
    )
    assert findings(silent) == []


def test_only_the_steps_of_the_program_are_shown() -> None:
    text = 'level=DEBUG source=server.go:259 msg="compatible gpu libraries" compatible=[]'
    (finding,) = findings(msgspec.structs.replace(OLLAMA, text=text))
    assert finding.cause == "damaged-installation"
    facts = Facts(machine=MACHINE, local_programs=(OLLAMA,), here=True)
    (plan,) = [plan for plan in plan_remedies(finding, facts, "en") if plan.id == "give-local-program-its-gpu-runtime"]
    steps = " ".join(step.text for step in plan.steps)
    assert "Ollama" in steps
    assert "LM Studio" not in steps


def test_of_many_and_long_logs_as_much_is_weighed_as_of_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sent report can hold any number: 50 of 100,000 characters took 46 s."""
    weighed = []
    monkeypatch.setattr("checks.judgement.programs.local.weighed", lambda facts, _: weighed.append(facts) or ())
    long = msgspec.structs.replace(OLLAMA, text="x" * 100_000)
    judged(Facts(machine=MACHINE, local_programs=(long,) * 20), Answers(symptom="not-on-gpu"))
    assert len(weighed) == 3


def test_a_log_shows_nothing_private() -> None:
    private = msgspec.structs.replace(
        OLLAMA,
        path="/home/alice/bin/ollama",
        log="/home/alice/.ollama/logs/server.log",
        text=f"{TOO_OLD}\nmodel=/home/alice/geheim/model.gguf token=sk-abcdefghijklmnopqrstuvwxyz012345",
    )
    case = redact(judged(Facts(local_programs=(private,)), Answers(symptom="not-on-gpu"))).case
    (shown,) = case.facts.local_programs or ()
    assert "alice" not in f"{shown.path}{shown.log}{shown.text}"
    assert "abcdefghijklmnop" not in shown.text
    assert "NVIDIA driver too old" in shown.text


def test_a_python_without_a_framework_is_not_why() -> None:
    symptom = Symptom(name=SymptomName.NOT_ON_GPU.value, program="Ollama")
    bare = InterpreterFacts(path="/usr/bin/python3", packages=())
    facts = Facts(
        machine=MACHINE, interpreters=(bare,), target=bare.path, local_programs=(OLLAMA,), symptom=symptom, here=True
    )
    grave = {finding.cause for finding in _grave(facts, symptom.name)}
    assert grave == {"driver-too-old-for-cuda"}
    unasked = msgspec.structs.replace(facts, symptom=Symptom(name=symptom.name))
    assert "framework-not-installed" in {finding.cause for finding in _grave(unasked, symptom.name)}


def _grave(facts: Facts, symptom: str) -> list[Finding]:
    found = judged(facts, Answers(symptom=symptom)).findings
    return [finding for finding in found if finding.severity is not Severity.NOTE]
