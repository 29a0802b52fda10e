"""main-memory-too-small: real programs, in a control group of 1.5 GiB and by what numpy, torch and Python refused."""

import msgspec
import pytest

from checks.causes.environment.process_limit_too_low import process_limit_too_low
from checks.causes.hardware.main_memory_too_small import main_memory_too_small
from checks.facts import (
    EnvironmentVariables,
    Facts,
    Frame,
    MachineFacts,
    MemoryFacts,
    OsFacts,
    ProgramRun,
    ProgramRuns,
    PythonProcess,
    Raised,
    SentFile,
)
from checks.facts.case import Answers
from checks.facts.finding import FAILED_RUN, Finding, Severity
from checks.facts.phrase import Phrase
from checks.judgement.judge import judged

GIB = 1024**3
MACHINE = MemoryFacts(total=25276514304, available=23396589568)
CONTAINER = msgspec.structs.replace(MACHINE, limit=1572864000)
LINUX, WINDOWS = OsFacts(system="Linux"), OsFacts(system="Windows")
NUMPY = Raised(
    type="numpy._core._exceptions._ArrayMemoryError",
    message="Unable to allocate 926. GiB for an array with shape (6794880, 36601) and data type float32",
)
TORCH = Raised(
    type="RuntimeError",
    message="[enforce fail at alloc_cpu.cpp:127] data. DefaultCPUAllocator: not enough memory: you tried to allocate "
    "1600000000000 bytes.",
)


def ran(*raised: Raised, **more: object) -> ProgramRuns:
    python = (PythonProcess(pid=1, raised=raised[-1], led_there=raised[:-1]),) if raised else ()
    run = ProgramRun(command=("python", "fill.py"), exit_code=1, pythons=python)
    return ProgramRuns(runs=(msgspec.structs.replace(run, **more),))


def killed(**more: object) -> ProgramRuns:
    return ran(exit_code=None, signal="SIGKILL", **more)


def found_in(
    runs: ProgramRuns, memory: MemoryFacts | None = MACHINE, os: OsFacts = LINUX, **limits: int
) -> list[Finding]:
    return list(main_memory_too_small(runs, memory, EnvironmentVariables(limits=limits), os))


def kind_of(finding: Finding) -> str:
    shortage = finding.values["shortage"]
    assert isinstance(shortage, Phrase)
    return shortage.key.removeprefix("shortage-")


def test_the_kernel_counted_it() -> None:
    (finding,) = found_in(killed(oom_kills=1, peak_memory=1525858304), CONTAINER)
    shown = finding.placeholders()
    assert (kind_of(finding), finding.confidence, finding.severity) == ("killed", 0.97, Severity.BLOCKING)
    assert (shown["main_memory"], shown["main_memory_peak"], shown["oom_kills"]) == ("1.5 GiB", "1.4 GiB", "1")
    assert finding.remedies == ("use-less-main-memory", "raise-memory-limit")
    assert FAILED_RUN in finding.values


@pytest.mark.parametrize(
    ("oom_kills", "peak", "confidence"),
    [
        (None, 24 * GIB, 0.85),  # seen to rise to the end of the memory
        (None, GIB, 0.4),  # nobody counted, nothing seen: a question
        (None, None, 0.4),
        (0, 24 * GIB, 0.6),  # not by the kernel
        (0, GIB, None),
    ],
)
def test_a_kill_alone_is_no_proof(oom_kills: int | None, peak: int | None, confidence: float | None) -> None:
    findings = found_in(killed(oom_kills=oom_kills, peak_memory=peak))
    assert [finding.confidence for finding in findings] == ([] if confidence is None else [confidence])
    if confidence == 0.4:
        assert findings[0].severity is Severity.WARNING
        assert findings[0].remedies[0] == "see-what-ended-program"


def test_another_signal_is_something_else() -> None:
    assert found_in(ran(exit_code=None, signal="SIGSEGV", oom_kills=0)) == []
    assert found_in(ran(exit_code=0, oom_kills=3)) == []  # it worked all the same


def test_a_helper_that_the_kernel_ended() -> None:
    pool = Raised(
        type="concurrent.futures.process.BrokenProcessPool",
        message="A process in the process pool was terminated abruptly while the future was running or pending.",
    )
    words = f"{pool.type}: {pool.message}"
    (finding,) = found_in(ran(pool, oom_kills=1, errors=words, peak_memory=1481494528), CONTAINER)
    assert kind_of(finding) == "helper-killed"
    assert found_in(ran(pool, oom_kills=0, errors=words), CONTAINER) == []


@pytest.mark.parametrize(
    ("raised", "asked"), [(NUMPY, "926.0 GiB"), (TORCH, "1490.1 GiB"), (Raised(type="MemoryError"), None)]
)
def test_memory_that_was_refused(raised: Raised, asked: str | None) -> None:
    (finding,) = found_in(ran(raised, peak_memory=10399744))
    assert kind_of(finding) == "refused"
    assert finding.placeholders().get("main_memory_asked") == asked
    # Where nobody knows how much it asked for, it may have been a limit: ulimit, prlimit, a job's.
    assert finding.confidence >= (0.85 if asked else 0.5)
    assert asked or finding.confidence <= 0.6


def test_what_would_have_fitted_was_refused_for_another_reason() -> None:
    small = msgspec.structs.replace(
        NUMPY, message="Unable to allocate 94.9 MiB for an array with shape (2160, 3840, 3)"
    )
    assert found_in(ran(small, peak_memory=GIB)) == []
    assert len(found_in(ran(small, peak_memory=23 * GIB))) == 1


def test_native_code_asks_for_nonsense_too() -> None:
    words = "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc"
    assert found_in(ran(errors=words, signal="SIGABRT", exit_code=None, peak_memory=GIB)) == []
    (finding,) = found_in(ran(errors=words, signal="SIGABRT", exit_code=None, peak_memory=22 * GIB))
    assert finding.confidence == 0.9


def test_a_low_limit_of_the_process_is_another_cause() -> None:
    fits = msgspec.structs.replace(NUMPY, message="Unable to allocate 5.22 GiB for an array with shape (700000000,)")
    words = f"{fits.type}: {fits.message}"
    runs = ran(fits, errors=words)
    assert found_in(runs, address_space=3072000000) == []
    environment = EnvironmentVariables(limits={"address_space": 3072000000})
    (limit,) = process_limit_too_low(environment, None, None, runs)
    assert limit.named(FAILED_RUN) == "python fill.py"
    assert len(found_in(ran(NUMPY), address_space=3072000000)) == 1  # no limit would help with that


def test_a_refusal_that_was_handled_did_not_end_it() -> None:
    own = Raised(type="KeyError", message="'a'", frames=(Frame(file="/app.py", code='{}["a"]'),))
    assert found_in(ran(NUMPY, own)) == []
    on_purpose = Raised(
        type="RuntimeError", message="too large", frames=(Frame(file="/app.py", code="raise RuntimeError("),)
    )
    assert len(found_in(ran(NUMPY, on_purpose))) == 1


def test_windows_has_a_page_file_to_enlarge() -> None:
    (finding,) = found_in(ran(TORCH), os=WINDOWS)
    assert finding.remedies[1] == "enlarge-page-file"
    paging = "OSError: [WinError 1455] The paging file is too small for this operation to complete."
    assert found_in(ran(errors=paging), os=WINDOWS) == []


def test_a_full_gpu_is_not_the_main_memory() -> None:
    gpu = Raised(type="torch.OutOfMemoryError", message="CUDA out of memory. Tried to allocate 2.00 GiB")
    assert found_in(ran(gpu, peak_memory=24 * GIB)) == []


def test_it_is_judged_first_and_without_the_machine_too() -> None:
    facts = Facts(machine=MachineFacts(memory=CONTAINER, os=LINUX), runs=killed(oom_kills=1).runs)
    assert judged(facts, Answers()).findings[0].cause == "main-memory-too-small"
    (finding,) = found_in(ran(NUMPY), None)
    assert finding.placeholders().get("main_memory") is None


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[1.2] Out of memory: Killed process 336943 (python) total-vm:20061840kB", "main-memory-too-small"),
        (f"RuntimeError: {TORCH.message}", "main-memory-too-small"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0)", "gpu-out-of-memory"),
        ("Killed", "unknown"),
    ],
)  # fmt: skip
def test_pasted(text: str, cause: str) -> None:
    facts = Facts(reported=True, logs=(SentFile(name="log", kind="log", text=text),))
    assert judged(facts, Answers()).findings[0].cause == cause


def test_a_kill_while_loading_is_likely_and_not_certain() -> None:
    text = "Loading model weights into RAM ...\ncontainer exited with code 137"
    facts = Facts(reported=True, logs=(SentFile(name="log", kind="log", text=text),))
    finding = judged(facts, Answers()).findings[0]
    assert (finding.cause, finding.confidence <= 0.9) == ("main-memory-too-small", True)
