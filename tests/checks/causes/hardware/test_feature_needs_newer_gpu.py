"""A feature that a GPU's generation lacks: proven by the GPU that was read, silent where that has it."""

from pathlib import Path

import msgspec
import pytest

from checks.causes.hardware.feature_needs_newer_gpu import feature_needs_newer_gpu
from checks.facts import Facts, MachineFacts, NvidiaFacts, NvidiaGpu, ProgramRun, PythonProcess, Raised, SentFile
from checks.facts.case import Answers
from checks.facts.finding import FAILED_RUN, Finding, NotHere, Severity, Unread
from checks.facts.programs.watched import Frame
from checks.judgement.judge import judged
from checks.knowledge.catalogue import remedy_of
from checks.knowledge.gpu.gpu_features import GpuFeatures, refusals_in
from checks.knowledge.phrases import words_of

RECORDINGS = Path(__file__).parents[3] / "recordings/runs"
FLASH = "FlashAttention only supports Ampere GPUs or newer."
CUBLAS = "CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasLtMatmulAlgoGetHeuristic( ltHandle, computeDesc)`"

BFLOAT16 = (
    "Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has compute "
    "capability 7.5."
)
QUANTIZED = (
    "The quantization method fp8 is not supported for the current GPU. Minimum capability: 90. Current capability: 86."
)
TRITON = (
    "Found Tesla P100-PCIE-16GB which is too old to be supported by the triton GPU compiler, which is used as the "
    "backend. Triton only supports devices of CUDA Capability >= 7.0, but your device is of CUDA capability 6.0"
)


def machine(*capabilities: str | None) -> MachineFacts:
    gpus = tuple(
        NvidiaGpu(index=at, name=f"GPU of {capability}", compute_capability=capability, origin="NVML")
        for at, capability in enumerate(capabilities)
    )
    return MachineFacts(nvidia=NvidiaFacts(nvml="ok", devices=gpus))


def facts(
    message: str, *capabilities: str | None, kind: str = "RuntimeError", frame: Frame | None = None, errors: str = ""
) -> Facts:
    raised = Raised(type=kind, message=message, frames=(frame,) if frame else ()) if message else None
    run = ProgramRun(
        origin="watched",
        command=("python", "prog.py"),
        exit_code=1,
        errors=errors,
        pythons=(PythonProcess(pid=1, raised=raised),) if raised else (),
    )
    return Facts(machine=machine(*capabilities), runs=(run,))


def found(known: Facts) -> list[Finding]:
    return list(feature_needs_newer_gpu(known))


def why(finding: Finding) -> str:
    values = words_of(msgspec.structs.replace(finding, cause="feature-needs-newer-gpu"), "en")
    return f"{values['feature']} needs {values['capability_needed']}, has {values['compute_capability']}"


LACKING = [
    (FLASH, "7.5", "FlashAttention needs compute capability 8.0 (Ampere) or newer, has 7.5 (Turing)"),
    (
        "FlashAttention3 requires compute capability >= 9, but found (8, 0) with compute capability 8.x",
        "8.0",
        "FlashAttention3 needs compute capability 9.0 (Hopper) or newer, has 8.0 (Ampere)",
    ),
    (
        "Unsupported compute capability. Supported: 9.x, 10.x, 11.x",
        "8.9",
        "FlashAttention 4 needs compute capability 9.x, 10.x, 11.x, has 8.9 (Ada Lovelace)",
    ),
    (
        BFLOAT16,
        "7.5",
        "bfloat16 needs compute capability 8.0 (Ampere) or newer, has 7.5 (Turing)",
    ),
    (
        "torch._scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9, or ROCm MI300+",
        "8.6",
        "FP8 (torch._scaled_mm) needs compute capability 8.9 (Ada Lovelace) or newer, has 8.6 (Ampere)",
    ),
    (
        "torch._grouped_mm is only supported on CUDA devices with compute capability = 9.0",
        "12.0",
        "torch._grouped_mm needs compute capability 9.0, has 12.0 (Blackwell)",
    ),
    (
        "Device compute capability 10.0 or higher required for NVFP4 execution.",
        "9.0",
        "NVFP4 needs compute capability 10.0 (Blackwell) or newer, has 9.0 (Hopper)",
    ),
    (
        QUANTIZED,
        "8.6",
        "fp8 needs compute capability 9.0 (Hopper) or newer, has 8.6 (Ampere)",
    ),
    (
        TRITON,
        "6.0",
        "torch.compile (Triton) needs compute capability 7.0 (Volta) or newer, has 6.0 (Pascal)",
    ),
    (
        "FP8 models require a GPU with Compute Capability 8.9 or higher (e.g., RTX 4090).",
        "8.6",
        "FP8 needs compute capability 8.9 (Ada Lovelace) or newer, has 8.6 (Ampere)",
    ),
]


@pytest.mark.parametrize(("message", "capability", "told"), LACKING)
def test_the_gpu_that_was_read_proves_it(message: str, capability: str, told: str) -> None:
    (finding,) = found(facts(message, capability))
    assert why(finding) == told
    assert finding.severity is Severity.BLOCKING
    assert finding.confidence >= 0.85
    assert finding.values[FAILED_RUN] == "python prog.py"


@pytest.mark.parametrize(("message", "capability", "told"), LACKING)
def test_silent_where_this_gpu_has_it(message: str, capability: str, told: str) -> None:
    has = "9.0" if "grouped_mm" in message else "10.0"
    assert found(facts(message, has)) == [], f"{capability} {told}"


def test_the_first_row_of_a_line_decides() -> None:
    """FP8 runs on an RTX 40: that the line also says "9.0" must not be read as its need."""
    assert found(facts(LACKING[4][0], "8.9")) == []


@pytest.mark.parametrize("capabilities", [(), (None,)])
def test_open_where_the_gpu_is_not_known(capabilities: tuple[str | None, ...]) -> None:
    with pytest.raises(Unread):
        found(facts(FLASH, *capabilities))


def test_where_nothing_was_read_the_line_itself_may_tell_the_gpu() -> None:
    (finding,) = found(facts(BFLOAT16))
    assert [evidence.value for evidence in finding.evidence if evidence.name == "gpu"] == ["Tesla T4"]
    assert finding.confidence < 0.9


def test_a_line_of_another_gpu_than_those_here_proves_nothing() -> None:
    assert found(facts(BFLOAT16, "6.1")) == []


def test_of_unlike_gpus_it_is_less_sure() -> None:
    (finding,) = found(facts(FLASH, "7.5", "8.6"))
    assert 0.5 <= finding.confidence < 0.75


@pytest.mark.parametrize(
    ("frame", "capability", "least", "most"),
    [
        (Frame(file="prog.py", code="y = torch.mm(a, b)"), "9.0", 0.0, 0.0),  # the words alone prove nothing
        (Frame(file="prog.py", code="y = torch._scaled_mm(a, b, s, s)"), "9.0", 0.5, 0.7),
        (Frame(file="prog.py", code="f(a)", arrays={"a": "torch.float4_e2m1fn_x2 cuda:0"}), "9.0", 0.9, 1.0),
        (Frame(file="prog.py", code="f(a)", arrays={"a": "torch.float4_e2m1fn_x2 cuda:0"}), "10.0", 0.0, 0.0),
        (Frame(file="prog.py", code="f(a)", arrays={"a": "torch.float8_e4m3fn cuda:0"}), "9.0", 0.0, 0.0),
        (Frame(file="prog.py", code="f(a)", arrays={"a": "torch.float8_e4m3fn cuda:0"}), "8.0", 0.8, 0.9),
    ],
)
def test_cublas_says_not_supported(frame: Frame, capability: str, least: float, most: float) -> None:
    """Of the types that the failing line names it depends what is lacking."""
    confidence = max((finding.confidence for finding in found(facts(CUBLAS, capability, frame=frame))), default=0.0)
    assert least <= confidence <= most


def test_four_bits_on_an_h100() -> None:
    """Recorded on a real H100."""
    known = msgspec.json.decode((RECORDINGS / "g22.json").read_bytes(), type=Facts)
    first = judged(known, Answers(symptom="does-not-start")).findings[0]
    assert first.cause == "feature-needs-newer-gpu"
    assert {"H100" in evidence.value for evidence in first.evidence if evidence.name == "gpu"} == {True}
    assert first.remedies[0] == "compute-in-wider-numbers"


def test_a_mere_warning_beside_another_error_is_not_the_cause() -> None:
    warning = "FP8 quantized models is only supported on GPUs with compute capability >= 8.9 (e.g 4090/H100)\n"
    assert found(facts("name", "8.0", kind="KeyError", errors=warning)) == []


def test_a_child_process_tells_it_on_standard_error() -> None:
    errors = f"ERROR engine.py:366] RuntimeError: Error in model execution: {FLASH}\n"
    (finding,) = found(facts("Engine core initialization failed.", "7.0", errors=errors))
    assert finding.subject == "FlashAttention"


def test_an_encoder_that_this_chip_has_not() -> None:
    line = "[h264_nvenc @ 0x55d0] No capable devices found\n"
    assert [finding.subject for finding in found(facts("", "9.0", errors=line))] == ["h264_nvenc"]
    assert found(facts("", "8.6", errors=line)) == [], "another reason: the driver is too old for this FFmpeg"


def test_what_is_made_for_older_ones_is_not_mended_by_a_newer_one() -> None:
    too_new = "requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)"
    (finding,) = found(facts(too_new, "12.0"))
    assert "run-on-newer-gpu" not in finding.remedies
    assert "run-on-newer-gpu" in found(facts(FLASH, "7.5"))[0].remedies


def test_a_log_of_this_machine_is_judged_by_its_gpu() -> None:
    """Its words alone mean a number format; the GPU that was read tells which and why."""
    log = SentFile(name="log.txt", kind="log", text=f"ValueError: {BFLOAT16}", examined=True)
    findings = judged(Facts(machine=machine("7.5"), logs=(log,)), Answers(symptom="does-not-start")).findings
    assert findings[0].cause == "feature-needs-newer-gpu"
    assert "quantization-unsupported" not in {finding.cause for finding in findings}


def test_nothing_to_judge() -> None:
    with pytest.raises(NotHere):
        found(Facts(machine=machine("7.5")))


def test_words_that_only_look_like_it() -> None:
    for line in ("RuntimeError: FlashAttention only supports head dimensions up to 256", "ValueError: needs Ampere"):
        assert refusals_in(line) == ()


@pytest.mark.parametrize("row", GpuFeatures.read().feature, ids=lambda row: row.id)
def test_every_row_needs_something_and_offers_something(row) -> None:
    in_words = any(f"(?P<{group}>" in row.pattern for group in ("least", "greatest", "only", "generation"))
    assert in_words or row.least or row.greatest or row.only
    assert row.sources
    assert all(remedy_of(remedy).step for remedy in row.remedies)
    assert 0 < row.certainty < 1


@pytest.mark.parametrize("word", ["needs with sm ", "requires only supports ", "a.b-c/d+", "quantization method "])
def test_a_hostile_line_is_read_in_few_steps(word: str) -> None:
    """Each line is bounded and no pattern starts over at each letter: many long lines end at once."""
    assert refusals_in("\n".join(f"ValueError: {word * 200}{number}" for number in range(200))) == ()
