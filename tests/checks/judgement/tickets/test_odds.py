"""Wordings and checks weighed together: which cause comes first, and how sure."""

import msgspec
import pytest

from checks.facts import (
    Facts,
    Frameworks,
    Gpu,
    Gpus,
    JetsonFacts,
    MachineFacts,
    NvidiaFacts,
    OsFacts,
    SentFile,
    TorchFacts,
)
from checks.facts.case import Answers
from checks.facts.finding import Evidence, Finding, Outcome, Severity, Status
from checks.judgement.judge import conclude, judged
from checks.judgement.tickets.odds import CERTAIN, MOST_BY_WORDS
from checks.knowledge.catalogue import Signature, cause_files
from checks.readers.tickets.other_machine import contradictions
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.readers.tickets.wording.signatures import Hit
from checks.remedies.plan import plan_remedies

NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
AMD_CARD = """torch.cuda.is_available() returns False on my machine with an AMD Radeon RX 6700 XT.
I did pip install torch.
>>> torch.__version__
'2.8.0+cu128'"""
OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"


def named(text: str) -> list[str]:
    return [finding.cause for finding in judged(read_ticket(pasted(text)), Answers(symptom=TICKET)).findings]


def played(monkeypatch: pytest.MonkeyPatch, *found: tuple[str, float, tuple[str, ...]]) -> list[tuple[str, float]]:
    """The answer where exactly these signatures stand in a text: (cause, certainty, over)."""
    stand = tuple(
        Hit("pasted", cause, Signature(any=("x",), matches=("x",), certainty=certainty, over=over), (1,), "x", {})
        for cause, certainty, over in found
    )
    monkeypatch.setattr("checks.judgement.tickets.odds.hits", lambda lines, told, origin: stand)
    facts = Facts(reported=True, logs=(pasted("x"),))
    return [(each.cause, each.confidence) for each in conclude(facts, ())[1]]


# --- the weighing itself ---------------------------------------------------------------------------------------------


def test_confidence_is_that_of_the_only_cause_in_question(monkeypatch: pytest.MonkeyPatch) -> None:
    (first, likely), (second, rest) = played(monkeypatch, ("gpu-out-of-memory", 0.4, ()))
    assert (first, second) == ("gpu-out-of-memory", "unknown")
    assert likely + rest == pytest.approx(1, abs=0.002)
    assert 0.5 < likely < 0.9


def test_doubt_is_not_named_where_there_is_hardly_any(monkeypatch: pytest.MonkeyPatch) -> None:
    ((first, sure),) = played(monkeypatch, ("gpu-out-of-memory", 0.95, ()))
    assert first == "gpu-out-of-memory"
    assert 0.95 < sure < 1


def test_two_causes_of_equal_weight_share(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = dict(played(monkeypatch, ("gpu-out-of-memory", 0.9, ()), ("driver-not-loaded", 0.9, ())))
    assert answer["gpu-out-of-memory"] == answer["driver-not-loaded"] < 0.5


def test_the_specific_beats_the_general(monkeypatch: pytest.MonkeyPatch) -> None:
    general = ("cuda-library-missing", 0.95, ())
    specific = ("tf-cuda-version-mismatch", 0.8, ("cuda-library-missing",))
    assert played(monkeypatch, general, specific)[0][0] == "tf-cuda-version-mismatch"


def test_two_that_claim_to_beat_each_other_are_told_apart_by_certainty(monkeypatch: pytest.MonkeyPatch) -> None:
    one = ("cuda-library-missing", 0.9, ("driver-not-loaded",))
    other = ("driver-not-loaded", 0.7, ("cuda-library-missing",))
    assert played(monkeypatch, one, other)[0][0] == "cuda-library-missing"


def test_a_weak_hint_alone_is_not_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    assert played(monkeypatch, ("gpu-out-of-memory", 0.05, ()))[0][0] == "unknown"


def test_the_surest_wording_counts_and_is_never_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    once = played(monkeypatch, ("gpu-out-of-memory", 0.8, ()))[0][1]
    twice = played(monkeypatch, ("gpu-out-of-memory", 0.8, ()), ("gpu-out-of-memory", 0.3, ()))[0][1]
    surely = played(monkeypatch, ("gpu-out-of-memory", 0.999999, ()))[0][1]
    assert once == twice < surely <= CERTAIN


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("asdf qwer zxcv uiop hjkl bnm, fdsa rewq vcxz", id="nonsense"),
        pytest.param("my dog likes to eat apples every day in the park and sleeps at night", id="off-topic"),
        pytest.param("GPUが認識されません。助けてください", id="thin-japanese"),
        pytest.param("显卡没有被使用，怎么办？", id="thin-chinese"),
        pytest.param("GPU is not used, what can I do?", id="thin-english"),
    ],
)
def test_what_does_not_tell_the_cause_is_unknown(text: str) -> None:
    (finding, *_) = judged(read_ticket(pasted(text)), Answers(symptom=TICKET)).findings
    assert finding.cause == "unknown"
    assert not finding.evidence


def test_words_alone_are_never_almost_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.judgement.tickets.odds.hits", lambda lines, told, origin: ())
    monkeypatch.setattr("checks.judgement.tickets.odds.resembled", lambda lines: {"rng-unseeded": 1.0, "unknown": -1.0})
    findings = conclude(Facts(reported=True, logs=(pasted("x"),)), ())[1]
    assert (findings[0].cause, findings[0].confidence) == ("rng-unseeded", MOST_BY_WORDS)


def test_what_words_hardly_tell_is_unknown_with_what_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.judgement.tickets.odds.hits", lambda lines, told, origin: ())
    likeness = dict.fromkeys(list(cause_files())[:40], -0.8) | {"unknown": -1.0}
    monkeypatch.setattr("checks.judgement.tickets.odds.resembled", lambda lines: likeness)
    first, *others = conclude(Facts(reported=True, logs=(pasted("x"),)), ())[1]
    assert first.cause == "unknown"
    assert others


def test_that_there_is_no_cause_is_the_cautious_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.judgement.tickets.odds.hits", lambda lines, told, origin: ())
    alike = {"rng-unseeded": 0.01, "user-code-error": 0.0, "unknown": -1.0}
    monkeypatch.setattr("checks.judgement.tickets.odds.resembled", lambda lines: alike)
    assert conclude(Facts(reported=True, logs=(pasted("x"),)), ())[1][0].cause == "user-code-error"


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (
            "RuntimeError: CUDA error: no kernel image is available for execution on the device",
            "build-lacks-newer-gpu-arch",
        ),
        ("OSError: libcublas.so.12: cannot open shared object file: No such file or directory", "cuda-library-missing"),
        ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "gpu-out-of-memory"),
        ("IndexError: list index out of range", "user-code-error"),
    ],
)
def test_the_log_of_a_training_around_an_error_does_not_make_it_the_programs_own(error: str, cause: str) -> None:
    log = [f"Epoch 1/10, step {step}, loss 0.{900 - step}, lr 1e-4, 0.31 s/it" for step in range(0, 600, 10)]
    assert judged(read_ticket(pasted("\n".join([*log, error]))), Answers(symptom=TICKET)).findings[0].cause == cause


def test_to_be_found_never_speaks_against_a_cause() -> None:
    told = "After about ten minutes each epoch takes twice as long, then it is quick again once the machine has rested."
    note = Finding(cause="gpu-throttled", severity=Severity.NOTE, confidence=0.8)
    outcome = Outcome(cause=note.cause, status=Status.FOUND, findings=(note,))
    facts = Facts(reported=True, logs=(pasted(told),))
    before, after = (
        next(each.confidence for each in conclude(facts, known)[1] if each.cause == note.cause)
        for known in ((), (outcome,))
    )
    assert after >= before


def test_without_a_text_the_checks_speak_for_themselves() -> None:
    finding = Finding(cause="driver-not-loaded", severity=Severity.BLOCKING, confidence=0.9)
    outcome = Outcome(cause="driver-not-loaded", status=Status.FOUND, findings=(finding,))
    assert conclude(Facts(), [outcome]) == ((outcome,), (finding,))


# --- texts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "torch", "cause"),
    [
        pytest.param("NVIDIA GeForce RTX 5070 Ti", "2.5.1+cu121", "build-lacks-newer-gpu-arch", id="too-new-a-card"),
        pytest.param("NVIDIA GeForce GTX 1080", "2.9.0+cu130", "build-dropped-older-gpu-arch", id="too-old-a-card"),
    ],
)
def test_one_error_text_has_opposite_causes(card: str, torch: str, cause: str) -> None:
    assert named(f"{NO_KERNEL}GPU: {card}\ntorch {torch}\n")[0] == cause


def test_the_lines_that_prove_it_are_named() -> None:
    (finding, *_) = judged(read_ticket(pasted(f"hello\n\n{OUT_OF_MEMORY}")), Answers(symptom=TICKET)).findings
    assert finding.cause == "gpu-out-of-memory"
    assert 3 in finding.evidence[0].lines
    assert finding.evidence[0].value == OUT_OF_MEMORY.strip()


def test_nothing_in_the_text_is_unknown_and_sure_of_it() -> None:
    assert named("") == ["unknown"]


def test_a_ticket_without_a_readable_text_is_unknown() -> None:
    picture = SentFile(name="screen.png", kind="log", unread={"text": "not-text"})
    case = judged(read_ticket(picture), Answers(symptom=TICKET))
    assert [finding.cause for finding in case.findings] == ["unknown"]


# --- a text and a live machine ---------------------------------------------------------------------------------------

DRIVER = Finding(
    cause="driver-too-old-for-cuda",
    severity=Severity.BLOCKING,
    confidence=0.95,
    evidence=(Evidence("driver_version", "470.82"),),
)
FOUND = Outcome(cause=DRIVER.cause, status=Status.FOUND, findings=(DRIVER,))


def live(text: str, **machine: object) -> Facts:
    known = {"os": OsFacts(system="Linux"), **machine}
    return Facts(
        machine=MachineFacts(**known),  # type: ignore[arg-type]
        frameworks=Frameworks(torch=TorchFacts(version="2.6.0+cu124")),
        logs=(SentFile(name="error.log", kind="log", text=text),),
    )


def test_what_a_check_found_stands_whatever_the_text_says() -> None:
    outcomes, findings = conclude(live(OUT_OF_MEMORY), [FOUND])
    assert {finding.cause for finding in findings} == {"driver-too-old-for-cuda", "gpu-out-of-memory"}
    assert next(finding for finding in findings if finding.cause == DRIVER.cause) == DRIVER
    assert {outcome.cause for outcome in outcomes} >= {"driver-too-old-for-cuda", "gpu-out-of-memory"}


def test_text_and_check_of_one_cause_are_one_finding() -> None:
    text = "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update"
    (finding, *others) = conclude(live(text), [FOUND])[1]
    assert finding.cause == DRIVER.cause
    assert {each.name for each in finding.evidence} == {"driver_version", "clue"}
    assert not [other for other in others if other.cause == DRIVER.cause]


def test_a_cause_that_the_text_words_too_is_no_less_sure_than_its_check() -> None:
    """Among other errors in the text it would lose nearly all of its share; the check has proven it all the same."""
    text = "The NVIDIA driver on your system is too old (found version 11040).\n"
    text += f"{OUT_OF_MEMORY}OSError: libcudart.so.12: cannot open shared object file\n"
    findings = conclude(live(text), [FOUND])[1]
    assert next(finding.confidence for finding in findings if finding.cause == DRIVER.cause) >= DRIVER.confidence


def test_what_a_check_found_of_every_gpu_stands() -> None:
    text = "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update"
    both = tuple(msgspec.structs.replace(DRIVER, subject=f"GPU {number}") for number in range(2))
    outcomes, findings = conclude(live(text), [msgspec.structs.replace(FOUND, findings=both)])
    assert [finding.subject for finding in findings] == ["GPU 0", "GPU 1"]
    assert [outcome.cause for outcome in outcomes] == [DRIVER.cause]


def test_what_fails_here_for_no_known_reason_is_told_though_the_text_tells_nothing() -> None:
    evidence = (Evidence("error_text", "ImportError: DLL load failed"),)
    fails = Finding(cause="unknown", severity=Severity.BLOCKING, confidence=0.6, evidence=evidence)
    known = Outcome(cause="unknown", status=Status.FOUND, findings=(fails,))
    assert conclude(live("It does not work."), [known]) == ((known,), (fails,))
    (asked,) = conclude(live("It does not work."), [])[1]
    assert asked.cause == "unknown"


def test_what_the_machine_contradicts_is_less_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    played(monkeypatch, ("driver-not-loaded", 0.6, ()))
    fine = Outcome(cause="driver-not-loaded", status=Status.CLEAR)
    alone = conclude(live("x"), [])[1][0]
    contradicted = conclude(live("x"), [fine])[1][0]
    assert alone.cause == contradicted.cause == "driver-not-loaded"
    assert contradicted.confidence < alone.confidence - 0.1


def test_a_text_from_another_machine_is_said_to_be() -> None:
    here = live(f"{NO_KERNEL}GPU: NVIDIA GeForce RTX 3090\n", gpus=Gpus(devices=(Gpu(product="GeForce RTX 5070"),)))
    (told,) = [each for each in contradictions(here) if each.fact == "gpu"]
    assert told.is_other_machine
    assert "3090" in told.reported
    assert told.here == "GeForce RTX 5070"


def test_a_card_that_is_not_here() -> None:
    here = live(f"{NO_KERNEL}GPU: NVIDIA GeForce RTX 3090\n", gpus=Gpus())
    assert [(each.fact, each.here, each.is_other_machine) for each in contradictions(here)] == [("gpu", "", False)]


MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.120\n"


def test_a_driver_of_a_card_that_is_not_here() -> None:
    amd = Gpus(devices=(Gpu(vendor_id="1002", product="Radeon RX 7900 XTX"),))
    for gpus, named in ((Gpus(), ""), (amd, "Radeon RX 7900 XTX")):
        said = [(each.fact, each.reported, each.here) for each in contradictions(live(MISMATCH, gpus=gpus))]
        assert said == [("gpu", "NVIDIA", named)]
    nvidia = Gpus(devices=(Gpu(vendor_id="10de", product="GeForce RTX 3090"),))
    assert contradictions(live(MISMATCH, gpus=nvidia)) == ()
    assert contradictions(live(MISMATCH, gpus=Gpus(), jetson=JetsonFacts())) == ()  # whose GPU is on no bus
    assert contradictions(live(MISMATCH)) == ()  # nobody looked


def test_a_macbook_is_not_this_linux() -> None:
    text = "MacBook Pro M3, trying whisper\nNotImplementedError: not currently implemented for the MPS device."
    linux, mac = OsFacts(system="Linux"), OsFacts(system="Darwin")
    (told,) = contradictions(live(text, os=linux))
    assert (told.fact, told.reported, told.here, told.is_other_machine) == ("os", "macOS", "Linux", True)
    assert contradictions(live(text, os=mac)) == ()
    assert contradictions(live(f"{text}\nIt works on the server with the RTX 3090", os=linux)) == ()


def test_another_driver_is_another_day() -> None:
    here = live(f"Driver Version: 535.104.05\n{OUT_OF_MEMORY}", nvidia=NvidiaFacts(driver_version="570.124.06"))
    assert [(each.fact, each.is_other_machine) for each in contradictions(here)] == [("driver_version", False)]


def test_what_agrees_is_no_disagreement() -> None:
    devices = (Gpu(product="GeForce RTX 3090"),)
    text = f"GPU 0: NVIDIA GeForce RTX 3090\ntorch 2.6.0+cu124\n{OUT_OF_MEMORY}"
    assert contradictions(live(text, gpus=Gpus(devices=devices))) == ()


def test_a_ticket_alone_disagrees_with_nothing() -> None:
    assert contradictions(msgspec.structs.replace(live("RTX 3090"), reported=True)) == ()


# --- what to do about it ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cause", "first"),
    [
        (
            "Linux pc 5.15.153.1-microsoft-standard-WSL2\nCommand 'nvidia-smi' not found, but can be installed with:",
            "wsl-gpu-unavailable",
            "update-windows-driver-for-wsl",
        ),
        (
            "NotImplementedError: The operator 'aten::_fft_c2c' is not currently implemented for the MPS device.",
            "onnx-runtime-op-unimplemented",
            "compute-unsupported-mps-steps-on-the-cpu",
        ),
        (
            "libcudnn_ops_infer.so.8: cannot open shared object file: No such file or directory",
            "cuda-library-missing",
            "install-cudnn-8",
        ),
        (
            "SecureBoot enabled\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
            "driver-not-loaded",
            "enrol-secure-boot-key",
        ),
        ("RuntimeError: CUDA error: device-side assert triggered", "user-code-error", "repeat-on-the-cpu"),
        (OUT_OF_MEMORY, "gpu-out-of-memory", "free-gpu-memory"),
        ("torch==2.5.1+cpu, GPU not used\nNVIDIA GeForce RTX 3060", "framework-cpu-only-build", "choose-torch-build"),
        (
            "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch",
            "build-lacks-newer-gpu-arch",
            "install-torch-for-newer-gpu",
        ),
        (NO_KERNEL, "build-lacks-newer-gpu-arch", "install-torch-for-newer-gpu"),  # nothing shows an extension
        (
            "llama.cpp, GeForce GTX 960M\nCUDA error: no kernel image is available for execution on the device",
            "build-dropped-older-gpu-arch",
            "make-local-model-program-serve-older-gpu",
        ),
        ("GTX 1080, torch 2.9.0+cu130\n" + NO_KERNEL, "build-dropped-older-gpu-arch", "install-torch-for-older-gpu"),
        ("Since the driver update PyTorch no longer finds my RTX 3080.", "driver-not-loaded", "restart-computer"),
        (
            AMD_CARD,
            "cuda-build-without-nvidia-gpu",
            "install-torch-for-amd",
        ),
    ],
)
def test_the_wording_decides_what_to_do_first(text: str, cause: str, first: str) -> None:
    case = judged(read_ticket(pasted(text)), Answers(symptom=TICKET))
    assert case.findings[0].cause == cause
    assert plan_remedies(case.findings[0], case.facts, "en")[0].id == first


@pytest.mark.parametrize("text", ["RTX 3070です。よろしくお願いいたします。", "GPU: RTX 3080, Windows 11. Thanks!"])
def test_a_text_that_only_names_a_card_shows_nothing(text: str) -> None:
    assert named(text) == ["unknown"]


def test_the_number_of_a_card_within_another_number_shows_nothing() -> None:
    shown = (
        "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\n"
    )
    text = f"INFO trainer step=3164 loss=1.5090\nlr 0.5090\n{shown}{NO_KERNEL}"
    case = judged(read_ticket(pasted(text)), Answers(symptom=TICKET))
    assert case.findings[0].cause == "build-lacks-newer-gpu-arch"
    assert {line for each in case.findings[0].evidence for line in each.lines or ()} == {3, 4}


@pytest.mark.parametrize(
    "text",
    [
        'How do I write a test?\n    raise RuntimeError("no kernel image is available for execution on the device")',
        "The link https://example.org/docs/cuda-driver-version-is-insufficient-for-cuda-runtime-version is dead, 404.",
        "https://example.org/12#nvidia-smi-has-failed-because-it-couldnt-communicate-with-the-nvidia-driver is gone",
        (
            'Traceback (most recent call last):\n  File "main.py", line 7, in <module>\n'
            '    assert len(gpus) == 4, "GPU has fallen off the bus"\nAssertionError: GPU has fallen off the bus'
        ),
    ],
)
def test_words_that_are_only_quoted_are_no_sign(text: str) -> None:
    first = conclude(read_ticket(pasted(text)), ())[1][0]
    assert first.cause in {"unknown", "user-code-error"} or first.confidence < 0.5


def test_what_a_program_printed_behind_such_code_is_one() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/usr/lib/python3/dist-packages/torch/cuda/__init__.py", line 9\n'
        '    raise AssertionError("Torch not compiled with CUDA enabled")\n'
        "AssertionError: Torch not compiled with CUDA enabled"
    )
    assert conclude(read_ticket(pasted(text)), ())[1][0].cause == "framework-cpu-only-build"
