"""When gpu-out-of-memory speaks, and when it keeps silent."""

import pytest
from support.evidence import evidence_of

from checks.causes.hardware.gpu_out_of_memory import gpu_out_of_memory
from checks.facts import (
    ErrorText,
    Facts,
    FrameworkDevice,
    Frameworks,
    GpuProcess,
    KernelLaunch,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    ProgramRun,
    PythonProcess,
    Raised,
    SentFile,
    TorchFacts,
)
from checks.facts.finding import FAILED_RUN, Finding, Severity
from checks.facts.phrase import Phrase

GIB = 2**30
FAILED = Frameworks(
    torch=TorchFacts(
        devices=(
            FrameworkDevice(
                device="cuda:0",
                kernel=KernelLaunch(
                    ran=False,
                    error=ErrorText(
                        type="OutOfMemoryError", message="CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has ..."
                    ),
                ),
            ),
        )
    )
)


def card(free: float | None, total: float | None = 24, **more: object) -> NvidiaFacts:
    sizes = {
        "memory_free": None if free is None else int(free * GIB),
        "memory_total": None if total is None else int(total * GIB),
    }
    return NvidiaFacts(devices=(NvidiaGpu(index=0, name="NVIDIA GeForce RTX 3090", **sizes, **more),))  # type: ignore[arg-type]


def findings(nvidia: NvidiaFacts, frameworks: Frameworks | None = None, **more: object) -> list[Finding]:
    facts = Facts(machine=MachineFacts(nvidia=nvidia), frameworks=frameworks, **more)  # type: ignore[arg-type]
    return list(gpu_out_of_memory(facts))


@pytest.mark.parametrize(
    ("nvidia", "severity"),
    [
        pytest.param(card(2.3), Severity.WARNING, id="less-than-a-tenth"),
        pytest.param(card(3.9, 80), Severity.WARNING, id="less-than-4-gib-of-80"),
        pytest.param(card(0.3, 4), Severity.WARNING, id="small-card"),
    ],
)
def test_speaks(nvidia: NvidiaFacts, severity: Severity) -> None:
    (finding,) = findings(nvidia)
    assert finding.severity is severity


def test_names_who_holds_the_memory_the_largest_first() -> None:
    held = (
        GpuProcess(pid=7, name="Xorg", used_memory=GIB // 2),
        GpuProcess(pid=4711, name="python", used_memory=21 * GIB),
        GpuProcess(pid=9),
    )
    (finding,) = findings(card(1.0, processes=held), FAILED)
    assert finding.severity is Severity.BLOCKING
    assert evidence_of(finding)["gpu_processes"] == "python 21.0 GiB (4711), Xorg 0.5 GiB (7), PID (9)"


def test_only_the_error_tells() -> None:
    (finding,) = findings(card(20.0), FAILED)
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["cuda_error"].startswith("CUDA out of memory")


@pytest.mark.parametrize(
    "nvidia",
    [
        pytest.param(card(2.5), id="a-little-more-than-a-tenth"),
        pytest.param(card(4.1, 80), id="a-little-more-than-4-gib"),
        pytest.param(card(None), id="unread"),
        pytest.param(card(1.0, None), id="total-unread-as-on-shared-memory"),
        pytest.param(card(0.1, 80, mig_enabled=True), id="with-mig-every-instance-has-its-own"),
        pytest.param(NvidiaFacts(devices=()), id="no-gpu"),
    ],
)
def test_silent(nvidia: NvidiaFacts) -> None:
    assert findings(nvidia) == []


# As programs on an NVIDIA H100 said it on 2026-11-23 (tests/tools/gpu_environments.py), but for what is said otherwise.
H100 = NvidiaFacts(devices=(NvidiaGpu(index=0, name="H100", memory_total=85520809984, processes=()),))
TORCH = (
    "CUDA out of memory. Tried to allocate {asked}. GPU 0 has a total capacity of 79.18 GiB of which {free} is free. "
    "{others}Including non-PyTorch memory, this process has {own} memory in use. Of the allocated memory {allocated} "
    "is allocated by PyTorch, and {kept} is reserved by PyTorch but unallocated. If reserved but unallocated memory is"
)
MORE = TORCH.format(
    asked="100.00 GiB", free="78.63 GiB", others="", own="518.00 MiB", allocated="0 bytes", kept="0 bytes"
)
OTHERS = TORCH.format(
    asked="20.00 GiB", free="3.42 GiB", others="Process 11959 has 75.24 GiB memory in use. ", own="518.00 MiB",
    allocated="0 bytes", kept="0 bytes",
)  # fmt: skip
NEIGHBOUR = TORCH.format(
    asked="60.00 GiB", free="19.25 GiB", others="", own="59.92 GiB", allocated="0 bytes", kept="0 bytes"
)
OWN = TORCH.format(
    asked="448.00 MiB", free="231.12 MiB", others="", own="78.94 GiB", allocated="78.31 GiB", kept="1.06 MiB"
)
PIECES = TORCH.format(  # the figures are made
    asked="2.00 GiB", free="1.10 GiB", others="", own="78.00 GiB", allocated="70.00 GiB", kept="7.40 GiB"
)
IN_A_CONTAINER = (  # github.com/pytorch/pytorch, c10/cuda/CUDACachingAllocator.cpp; the figures are made
    "CUDA out of memory. Tried to allocate 2.25 GiB. GPU 0 has a total capacity of 15.77 GiB of which 1.10 GiB is "
    "free. Process 3121 has 14.60 GiB memory in use. Of the allocated memory 13.90 GiB is allocated by PyTorch, and "
    "310.00 MiB is reserved by PyTorch but unallocated."
)
CUPY = "Out of memory allocating 107,374,182,400 bytes (allocated so far: 0 bytes)."
JAX = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 149.01GiB with allocator GPU_0_bfc on device 0."
# github.com/pytorch/pytorch/issues/16417
OLD = (
    "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total capacity; 21.50 GiB already allocated; "
    "1.10 GiB free; 21.98 GiB reserved in total by PyTorch)"
)
LLAMA = "alloc_buffer: allocating 8192.00 MiB on device 0: cudaMalloc failed: out of memory"


def failed(message: str) -> ProgramRun:
    raised = Raised(type="torch.OutOfMemoryError", message=message)
    return ProgramRun(command=("python", "train.py"), exit_code=1, pythons=(PythonProcess(pid=7, raised=raised),))


@pytest.mark.parametrize(
    ("message", "state", "remedy"),
    [
        pytest.param(MORE, "memory-more", "use-less-gpu-memory", id="more-than-there-is"),
        pytest.param(OTHERS, "memory-others-unnamed", "free-gpu-memory", id="others-hold-it"),
        pytest.param(NEIGHBOUR, "memory-neighbour", "leave-memory-to-other-frameworks", id="jax-in-the-same-program"),
        pytest.param(OWN, "memory-own", "use-less-gpu-memory", id="its-own-need"),
        pytest.param(IN_A_CONTAINER, "memory-own", "use-less-gpu-memory", id="its-own-number-is-the-hosts"),
        pytest.param(PIECES, "memory-pieces", "let-memory-grow-in-segments", id="in-pieces"),
        pytest.param(CUPY, "memory-more", "use-less-gpu-memory", id="cupy"),
        pytest.param(JAX, "memory-more", "use-less-gpu-memory", id="jax"),
        pytest.param(OLD, "memory-own", "use-less-gpu-memory", id="older-pytorch"),
        pytest.param(LLAMA, "memory-unknown", "use-less-gpu-memory", id="llama-cpp"),
    ],
)
def test_the_figures_tell_who_holds_it(message: str, state: str, remedy: str) -> None:
    (finding,) = findings(H100, runs=(failed(message),))
    said = finding.values["state"]
    assert isinstance(said, Phrase)
    assert (said.key, finding.remedies[0]) == (state, remedy)
    assert finding.named(FAILED_RUN) == "python train.py"
    (of_text,) = findings(NvidiaFacts(), logs=(SentFile(name="log", kind="log", text=message),), reported=True)
    assert of_text.named(FAILED_RUN) == ""


def test_what_the_driver_lists_of_others_counts_where_the_text_does_not_tell() -> None:
    held = (GpuProcess(pid=4711, name="python", used_memory=75 * GIB), GpuProcess(pid=7, used_memory=GIB))
    full = NvidiaFacts(devices=(NvidiaGpu(index=0, name="H100", memory_total=85520809984, processes=held),))
    (finding,) = findings(full, runs=(failed(CUPY.replace("107,374,182,400", "10,737,418,240")),))
    assert finding.remedies[0] == "free-gpu-memory"


def test_a_text_about_main_memory_is_not_meant() -> None:
    text = "RuntimeError: [enforce fail at alloc_cpu.cpp:121] DefaultCPUAllocator: can't allocate memory: you tried to"
    assert findings(H100, logs=(SentFile(name="log", kind="log", text=text),)) == []


@pytest.mark.parametrize("size", ["2.0.0 GiB", "9" * 400 + " GiB"])
def test_a_figure_that_is_none_tells_nothing(size: str) -> None:
    assert findings(H100, runs=(failed(MORE.replace("100.00 GiB", size)),)) == []


def test_the_figures_of_another_gpu_are_not_taken() -> None:
    held = (GpuProcess(pid=4711, name="python", used_memory=75 * GIB),)
    two = (
        NvidiaGpu(index=0, name="H100", memory_total=85520809984, processes=held),
        NvidiaGpu(index=1, name="L4", memory_total=24 * GIB, processes=()),
    )
    text = CUPY.replace("107,374,182,400", "10,737,418,240")
    (finding,) = findings(NvidiaFacts(devices=two), runs=(failed(text),))
    assert finding.remedies[0] == "use-less-gpu-memory"
    assert "gpu" not in evidence_of(finding)


def test_a_text_from_anywhere_tells_nothing_of_who_holds_this_gpu_now() -> None:
    held = (GpuProcess(pid=4711, name="python", used_memory=75 * GIB),)
    full = NvidiaFacts(devices=(NvidiaGpu(index=0, name="H100", memory_total=85520809984, processes=held),))
    text = CUPY.replace("107,374,182,400", "10,737,418,240")
    (finding,) = findings(full, logs=(SentFile(name="log", kind="log", text=text),))
    assert finding.remedies[0] == "use-less-gpu-memory"
