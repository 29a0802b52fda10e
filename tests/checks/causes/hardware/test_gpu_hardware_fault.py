"""When gpu-hardware-fault speaks, and when it keeps silent."""

import pytest
from support.evidence import evidence_of
from support.recorded_repeats import LARGE, left_out, repeat
from support.recorded_repeats import measurements as repeats

from checks.causes.hardware.gpu_hardware_fault import gpu_hardware_fault
from checks.facts import (
    EccCounts,
    EnvironmentVariables,
    ErrorText,
    FrameworkDevice,
    Frameworks,
    Gpu,
    GpuEvent,
    Gpus,
    Health,
    HealthSample,
    LogEntry,
    Measurements,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    RowRemaps,
    SystemLog,
    TorchFacts,
    WrongBits,
    XidEvent,
)
from checks.facts.finding import Finding, NotHere, Severity, Unread
from checks.knowledge.phrases import in_language

ADDRESS = "0000:01:00.0"


BARE = OsFacts(system="Linux", container="")


def findings(
    nvidia: NvidiaFacts | None,
    gpus: Gpus | None = None,
    frameworks: Frameworks | None = None,
    os: OsFacts | None = BARE,
    environment: EnvironmentVariables | None = None,
    measurements: Measurements | None = None,
    log: SystemLog | None = None,
) -> list[Finding]:
    return list(gpu_hardware_fault(nvidia, gpus, frameworks, os, environment, measurements, log))


def xids(*codes: int) -> NvidiaFacts:
    events = tuple(XidEvent(code=code, pci_address="0000:01:00.0") for code in codes)
    return NvidiaFacts(nvml="ok", devices=(card(),), xids=events)


def card(**more: object) -> NvidiaGpu:
    return NvidiaGpu(index=0, name="NVIDIA GeForce RTX 5080", pci_address="00000000:01:00.0", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("nvidia", "severity", "sign"),
    [
        pytest.param(xids(79, 154), Severity.BLOCKING, "Xid 79", id="fell-off-the-bus"),  # open-gpu-kernel-modules#1151
        pytest.param(xids(48, 63, 45), Severity.BLOCKING, "Xid 48", id="double-bit-error"),
        pytest.param(xids(95), Severity.BLOCKING, "Xid 95", id="uncontained"),
        pytest.param(xids(63), Severity.WARNING, "Xid 63", id="row-was-replaced"),
        pytest.param(xids(94, 94), Severity.WARNING, "Xid 94 (x2)", id="contained-twice"),
        pytest.param(
            NvidiaFacts(devices=(card(row_remaps=RowRemaps(failure=True)),)),
            Severity.BLOCKING,
            "row remap failure",
            id="remap-failed",
        ),
        pytest.param(
            NvidiaFacts(devices=(card(row_remaps=RowRemaps(pending=True)),)),
            Severity.WARNING,
            "pending",
            id="remap-waits",
        ),
        pytest.param(
            NvidiaFacts(devices=(card(retired_pages_pending=True),)),
            Severity.WARNING,
            "retired pages",
            id="retirement-waits",
        ),
        pytest.param(
            NvidiaFacts(devices=(card(ecc=EccCounts(uncorrected_volatile=3)),)),
            Severity.BLOCKING,
            "= 3",
            id="ecc-uncorrected",
        ),
        pytest.param(
            NvidiaFacts(devices=(card(recovery_action="reset"),)), Severity.WARNING, "reset", id="recovery-action"
        ),
        pytest.param(
            NvidiaFacts(nvml="ok", devices=(), device_errors={"0": "NVML_ERROR_GPU_IS_LOST"}),
            Severity.BLOCKING,
            "NVML_ERROR_GPU_IS_LOST",
            id="lost",
        ),
        pytest.param(
            NvidiaFacts(devices=(card(unread={"temperature": "NVML_ERROR_RESET_REQUIRED"}),)),
            Severity.BLOCKING,
            "NVML_ERROR_RESET_REQUIRED",
            id="reset-required-in-one-field",
        ),
    ],
)
def test_speaks(nvidia: NvidiaFacts, severity: Severity, sign: str) -> None:
    (finding,) = findings(nvidia)
    assert finding.severity is severity
    assert sign in evidence_of(finding)["signs"]


@pytest.mark.parametrize(
    ("nvidia", "gpu"),
    [
        pytest.param(None, Gpu(address=ADDRESS, vendor_id="10de", revision="ff"), id="registers-read-as-ff"),
        pytest.param(None, Gpu(address=r"PCI\VEN_10DE", vendor_id="10de", problem_code=43), id="windows-code-43"),
        pytest.param(
            NvidiaFacts(nvml="ok", devices=(), driver_version="570.86.16"),
            Gpu(address=ADDRESS, vendor_id="10de", die="GA102", driver="nvidia"),
            id="bound-but-not-in-nvml",
        ),
    ],
)
def test_the_bus_tells(nvidia: NvidiaFacts | None, gpu: Gpu) -> None:
    (finding,) = findings(nvidia, Gpus(devices=(gpu,)))
    assert finding.severity is Severity.BLOCKING


def test_the_error_of_a_program_tells() -> None:
    """vllm-project/vllm#5222."""
    error = ErrorText(type="RuntimeError", message="CUDA error: uncorrectable ECC error encountered")
    (finding,) = findings(None, None, Frameworks(torch=TorchFacts(cuda_error=error)))
    assert "214" in evidence_of(finding)["signs"]


@pytest.mark.parametrize(
    "nvidia",
    [
        pytest.param(xids(), id="nothing"),
        pytest.param(xids(13), id="programs-fault-13"),
        pytest.param(xids(31, 43, 45), id="programs-faults"),
        pytest.param(xids(154), id="only-a-consequence"),
        pytest.param(xids(999), id="unknown-code"),
        pytest.param(NvidiaFacts(devices=(card(ecc=EccCounts(uncorrected_aggregate=2)),)), id="errors-of-former-times"),
        pytest.param(NvidiaFacts(devices=(card(ecc=EccCounts(corrected_volatile=12)),)), id="corrected-errors"),
        pytest.param(
            NvidiaFacts(devices=(card(row_remaps=RowRemaps(correctable=1, pending=False)),)), id="remapped-and-done"
        ),
        pytest.param(NvidiaFacts(devices=(card(unread={"ecc": "NVML_ERROR_NOT_SUPPORTED"}),)), id="no-ecc"),
        pytest.param(NvidiaFacts(devices=(card(recovery_action="none"),)), id="no-recovery-action"),
    ],
)
def test_silent(nvidia: NvidiaFacts | None) -> None:
    assert findings(nvidia) == []


def test_a_machine_without_a_gpu_has_nothing_to_check() -> None:
    with pytest.raises(NotHere):
        list(gpu_hardware_fault(None, Gpus(), None, None, None, None, None))


def test_a_bus_that_was_not_read_is_not_called_healthy() -> None:
    with pytest.raises(Unread):
        list(gpu_hardware_fault(None, None, None, None, None, None, None))


@pytest.mark.parametrize(
    ("driver_version", "gpu"),
    [
        pytest.param(
            "590.44.01",
            Gpu(address=ADDRESS, vendor_id="10de", die="GP104", driver="nvidia"),
            id="dropped-by-the-driver",
        ),
        pytest.param(
            "570.86.16", Gpu(address=ADDRESS, vendor_id="10de", die="GA102", driver="vfio-pci"), id="given-away"
        ),
        pytest.param("570.86.16", Gpu(address=ADDRESS, vendor_id="10de", die="", driver="nvidia"), id="die-unknown"),
    ],
)
def test_silent_about_a_gpu_that_nvml_does_not_show(driver_version: str, gpu: Gpu) -> None:
    nvidia = NvidiaFacts(nvml="ok", devices=(), driver_version=driver_version)
    assert findings(nvidia, Gpus(devices=(gpu,))) == []


@pytest.mark.parametrize(
    ("os", "variables"),
    [
        # docker run --gpus device=0, and a pod with one of eight GPUs: the bus of the host is seen whole.
        pytest.param(OsFacts(system="Linux", container="docker"), {}, id="container-with-some-of-the-gpus"),
        pytest.param(OsFacts(system="Linux", container="kubernetes"), {}, id="pod-with-some-of-the-gpus"),
        # https://slurm.schedmd.com/cgroup.conf.html, ConstrainDevices
        pytest.param(BARE, {"SLURM_JOB_ID": "4711"}, id="job-of-a-scheduler"),
        pytest.param(OsFacts(system="Linux"), {}, id="not-known-whether-a-container"),
        pytest.param(None, {}, id="system-not-read"),
    ],
)
def test_who_is_handed_some_gpus_only_misses_none(os: OsFacts | None, variables: dict[str, str]) -> None:
    eight = Gpus(
        devices=tuple(
            Gpu(address=f"0000:{slot:02x}:00.0", vendor_id="10de", die="GH100", driver="nvidia") for slot in range(8)
        )
    )
    one = NvidiaGpu(index=0, pci_address="0000:03:00.0")
    nvidia = NvidiaFacts(nvml="ok", devices=(one,), driver_version="580.95.05")
    assert findings(nvidia, eight, None, os, EnvironmentVariables(values=variables)) == []


def test_what_came_before_the_last_start_is_less_grave() -> None:
    """Windows keeps the events of days; the card may sit in another slot by now."""
    past = XidEvent(code=79, pci_address=ADDRESS, before_start=True)
    (finding,) = findings(NvidiaFacts(nvml="ok", devices=(card(),), xids=(past,)))
    assert finding.severity is Severity.WARNING
    (again,) = findings(NvidiaFacts(nvml="ok", devices=(card(),), xids=(past, XidEvent(code=79, pci_address=ADDRESS))))
    assert again.severity is Severity.BLOCKING


def test_one_finding_per_gpu_with_all_its_signs() -> None:
    gpus = Gpus(devices=(Gpu(address=ADDRESS, vendor_id="10de", product="GeForce RTX 5080", revision="ff"),))
    nvidia = NvidiaFacts(xids=(XidEvent(code=79, pci_address=ADDRESS), XidEvent(code=48, pci_address="0000:41:00.0")))
    first, second = findings(nvidia, gpus)
    assert first.placeholders()["gpu"] == "GeForce RTX 5080"
    assert "Xid 79" in evidence_of(first)["signs"]
    assert "ff" in evidence_of(first)["signs"]
    assert "Xid 48" in evidence_of(second)["signs"]


# --- under load -------------------------------------------------------------------------------------------------------

WRONG = WrongBits(second=12.4, operation="matmul-float32", index=(3, 7), expected="41200000", found="41200010")
SEEN = HealthSample(second=20.0, checked=900, wrong=3)
LAUNCH_FAILED = ErrorText(type="RuntimeError", message="CUDA error: unspecified launch failure")
NO_KERNEL = ErrorText(
    type="RuntimeError", message="CUDA error: no kernel image is available for execution on the device"
)
BUSY = "CUDA error: CUDA-capable device(s) is/are busy or unavailable"
CARD = FrameworkDevice(device="cuda:0", name="NVIDIA GeForce RTX 5080", pci_address=ADDRESS)
OF_TORCH = Frameworks(torch=TorchFacts(devices=(CARD,)))

NO_WORKSPACE = ErrorText(
    type="RuntimeError", message="CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"
)


def load(device: str = "cuda:0", **facts: object) -> Measurements:
    made = {"checked": 900, "samples": (SEEN,), **facts}
    health = Health(framework="torch", operation="load", device=device, **made)  # type: ignore[arg-type]
    return Measurements(all=(health,))


@pytest.mark.parametrize(
    ("measured", "severity", "sign"),
    [
        pytest.param(load(wrong=(WRONG,)), Severity.WARNING, "wrong bits under load: 3/900", id="wrong-bits-once"),
        pytest.param(load(xid=(XidEvent(code=79),)), Severity.BLOCKING, "Xid 79 under load", id="xid"),
        pytest.param(
            load(xid=(XidEvent(code=31),), reason="failed", error=LAUNCH_FAILED),
            Severity.BLOCKING,
            "Xid 31 under load",
            id="xid-of-programs",
        ),
        pytest.param(load(xid=(XidEvent(code=63),)), Severity.WARNING, "Xid 63 under load", id="repaired"),
        pytest.param(load(ecc_uncorrected=1), Severity.BLOCKING, "ECC uncorrected under load = 1", id="ecc"),
        # Results were right all the same; only their rate tells of a failing memory.
        pytest.param(load(ecc_corrected=9), Severity.NOTE, "ECC corrected under load = 9", id="ecc-corrected"),
        pytest.param(
            load(ecc_corrected=9, remapped_rows=1), Severity.WARNING, "ECC corrected under load = 9", id="ecc-and-rows"
        ),
        pytest.param(load(remapped_rows=1), Severity.WARNING, "rows remapped under load = 1", id="remapped"),
        pytest.param(
            load(reason="failed", error=LAUNCH_FAILED),
            Severity.BLOCKING,
            "load ended: RuntimeError: CUDA error: unspecified launch failure",
            id="lost",
        ),
        pytest.param(
            load(reason="crashed", error=ErrorText(type="SIGBUS", message="the process ended by itself")),
            Severity.WARNING,  # a library may crash as well
            "load ended: SIGBUS",
            id="crashed",
        ),
    ],
)
def test_speaks_of_a_load(measured: Measurements, severity: Severity, sign: str) -> None:
    (finding,) = findings(None, frameworks=OF_TORCH, measurements=measured)
    assert finding.severity is severity
    assert finding.subject == "0:01:00"
    told = evidence_of(finding)
    assert told["gpu"] == "NVIDIA GeForce RTX 5080"
    assert sign in told["signs"]


@pytest.mark.parametrize(
    ("wrong", "severity", "confidence", "words"),
    [
        pytest.param((WRONG,), Severity.BLOCKING, 0.95, "had wrong bits again", id="again"),
        pytest.param((), Severity.WARNING, 0.4, "in a new process had none", id="not-again"),
    ],
)
def test_wrong_bits_are_a_fault_where_a_new_process_gets_them_again(
    wrong: tuple[WrongBits, ...], severity: Severity, confidence: float, words: str
) -> None:
    again = load(setting="fresh-process", wrong=wrong, samples=())
    both = Measurements(all=(*load(wrong=(WRONG,)).all, *again.all))
    (finding,) = findings(None, frameworks=OF_TORCH, measurements=both)
    assert (finding.severity, finding.confidence) == (severity, confidence)
    assert words in in_language(finding.values["signs"], "en")


def test_a_processor_is_no_gpu() -> None:
    assert findings(None, ALONE, measurements=load("cpu", wrong=(WRONG,))) == []


@pytest.mark.parametrize(
    "measured",
    [
        pytest.param(load(wrong=(), ecc_corrected=0, ecc_uncorrected=0, remapped_rows=0, xid=()), id="sound"),
        pytest.param(
            load(reason="failed", error=ErrorText(type="OutOfMemoryError", message="CUDA out of memory.")), id="memory"
        ),
        pytest.param(load(reason="failed", error=NO_WORKSPACE), id="memory-for-the-workspace-of-cublas"),
        pytest.param(load(xid=(XidEvent(code=31),)), id="xid-of-another-program"),
        pytest.param(
            load(reason="failed", error=NO_KERNEL, checked=0), id="a-build-without-code-for-the-card-computes-nothing"
        ),
        pytest.param(
            load(reason="failed", error=ErrorText(type="RuntimeError", message=BUSY), checked=0), id="in-use-by-others"
        ),
        pytest.param(load(reason="no-time"), id="left-out"),
        pytest.param(load(reason="timed-out"), id="ended-by-us"),
    ],
)
def test_silent_after_a_load(measured: Measurements) -> None:
    assert findings(NvidiaFacts(nvml="ok", devices=(card(),)), frameworks=OF_TORCH, measurements=measured) == []


# --- the system's log ------------------------------------------------------------------------------------------------

RADEON = Gpu(address=ADDRESS, vendor_id="1002", product="Radeon RX 7900 XTX")
FELL_OFF = LogEntry(source="nvlddmkm", text="\\Device\\Video3\nGPU has fallen off the bus.", event_id=14)
EXCEPTION = LogEntry(
    source="nvlddmkm", text="\\Device\\Video3\nGraphics Exception: ESR 0x404490=0x80000001", event_id=13
)
RESET = LogEntry(source="nvlddmkm", text="\\Device\\Video3\nResetting TDR occurred on GPUID:100", event_id=153)
CLEANED_UP = LogEntry(source="kernel", text="NVRM: Xid (PCI:0000:01:00): 45, pid=77, name=python, Ch 00000008")
RESET_OF_ANOTHER = LogEntry(source="nvlddmkm", text="\\Device\\Video5\nResetting TDR occurred on GPUID:2b00")
TIMEOUT = LogEntry(source="Display", text="nvlddmkm", event_id=4101)
TIMEOUT_OF_RADEON = LogEntry(source="Display", text="amdwddmg", event_id=4101)
LIVE_DUMP = LogEntry(source="Windows Error Reporting", text="EventName=LiveKernelEvent\nP1=141", event_id=1001)
MACHINE_CHECK = LogEntry(source="Microsoft-Windows-WHEA-Logger", text="ErrorSource=1\nApicId=0", event_id=19)
ALONE = Gpus(devices=(Gpu(address="PCI\\VEN_10DE&DEV_2C02", vendor_id="10de", product="GeForce RTX 5080"),))
WITH_ANOTHER = Gpus(devices=(*ALONE.devices, Gpu(address="PCI\\VEN_8086&DEV_A780", vendor_id="8086")))


@pytest.mark.parametrize(
    ("measured", "severity", "sign"),
    [
        pytest.param(load(log=(FELL_OFF,)), Severity.BLOCKING, "Xid 79 under load", id="xid-of-windows"),
        pytest.param(
            load(log=(EXCEPTION,), reason="failed", error=LAUNCH_FAILED),
            Severity.BLOCKING,
            "Xid 13 under load",
            id="xid-of-programs",
        ),
        pytest.param(load(log=(RESET, RESET)), Severity.WARNING, "system log: reset (x2)", id="reset"),
        pytest.param(load(log=(TIMEOUT,)), Severity.WARNING, "system log: reset", id="reset-without-an-address"),
        pytest.param(load(log=(LIVE_DUMP,)), Severity.WARNING, "system log: reset", id="live-dump-of-no-vendor"),
        # NVML hears of it by the process that it takes away.
        pytest.param(
            load(xid=(), log=(FELL_OFF,), reason="crashed", error=ErrorText(type="SIGABRT", message="it ended")),
            Severity.BLOCKING,
            "Xid 79 under load",
            id="xid-after-the-process",
        ),
        pytest.param(
            load(xid=(), log=(FELL_OFF,), reason="timed-out"),
            Severity.BLOCKING,
            "Xid 79 under load",
            id="xid-of-a-load-that-hung",
        ),
        pytest.param(
            load(log=(RESET,), reason="timed-out"),
            Severity.WARNING,
            "system log: reset",
            id="reset-of-a-load-that-hung",
        ),
        # A library's fault ends a process, and accesses what is not its own, too.
        pytest.param(
            load(log=(EXCEPTION,), reason="crashed", error=ErrorText(type="SIGSEGV", message="it ended")),
            Severity.WARNING,
            "Xid 13 under load",
            id="xid-of-programs-with-a-crash",
        ),
    ],
)
def test_speaks_of_what_the_systems_log_got_under_load(measured: Measurements, severity: Severity, sign: str) -> None:
    (finding,) = findings(None, ALONE, OF_TORCH, measurements=measured)
    assert finding.severity is severity
    assert sign in evidence_of(finding)["signs"]


@pytest.mark.parametrize(
    ("measured", "gpus"),
    [
        pytest.param(load(log=()), ALONE, id="nothing"),
        pytest.param(load(log=(RESET_OF_ANOTHER,)), ALONE, id="of-another-card"),
        pytest.param(load(log=(TIMEOUT,)), WITH_ANOTHER, id="of-one-of-two-cards"),
        pytest.param(load(log=(EXCEPTION,)), ALONE, id="of-another-program"),
        pytest.param(load(log=(TIMEOUT_OF_RADEON,)), ALONE, id="of-another-makers-driver"),
        pytest.param(load(log=(MACHINE_CHECK,)), ALONE, id="the-processors"),
        pytest.param(load("cpu", log=(RESET, FELL_OFF)), ALONE, id="the-cards"),
        pytest.param(load(log=(CLEANED_UP,), reason="timed-out"), ALONE, id="what-ending-it-causes"),
        # NVML heard for this card; the log is for all of them.
        pytest.param(load(xid=(), log=(FELL_OFF,)), ALONE, id="nvml-heard-of-none"),
    ],
)
def test_silent_about_entries_of_others(measured: Measurements, gpus: Gpus) -> None:
    assert findings(NvidiaFacts(nvml="ok", devices=(card(),)), gpus, OF_TORCH, measurements=measured) == []


def test_what_only_follows_from_a_fault_is_no_second_one() -> None:
    """Xid 45: a channel is taken away, as is done with those of every process that ends badly."""
    measured = load(log=(CLEANED_UP,), reason="failed", error=LAUNCH_FAILED)
    (finding,) = findings(None, ALONE, OF_TORCH, measurements=measured)
    assert "Xid 45" not in evidence_of(finding)["signs"]


@pytest.mark.parametrize("kind", ["memory-uncorrected", "reset-failed"])
def test_speaks_of_errors_of_cards_of_other_makers(kind: str) -> None:
    log = SystemLog(events=(GpuEvent(kind=kind, pci_address=ADDRESS),))
    (finding,) = findings(None, Gpus(devices=(RADEON,)), log=log)
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["gpu"] == "Radeon RX 7900 XTX"


@pytest.mark.parametrize("kind", ["reset", "machine-check", "of-a-newer-version"])
def test_silent_about_what_a_program_causes_too(kind: str) -> None:
    log = SystemLog(events=(GpuEvent(kind=kind, pci_address=ADDRESS),) * 3)
    assert findings(None, Gpus(devices=(RADEON,)), log=log) == []


def varying(*operations: str, again: int = 2) -> Measurements:
    """``again``: different results of each in a new process."""
    first = [repeat(operation, distinct=2, spread=LARGE) for operation in operations]
    fresh = [repeat(operation, "fresh-process", distinct=again) for operation in operations]
    return repeats(*first, repeat("topk"), *fresh)


@pytest.mark.parametrize(
    ("operations", "severity"),
    [
        pytest.param(("integer-sum",), Severity.BLOCKING, id="whole-numbers"),
        pytest.param(("fft", "matmul", "sum"), Severity.WARNING, id="three-operations"),
    ],
)
def test_speaks_of_results_that_vary_without_a_reason(operations: tuple[str, ...], severity: Severity) -> None:
    (finding,) = findings(None, frameworks=OF_TORCH, measurements=varying(*operations))
    assert finding.severity is severity
    assert finding.subject == "0:01:00"
    assert evidence_of(finding)["signs"] == f"results vary: {', '.join(operations)}"


@pytest.mark.parametrize("operations", [("integer-sum",), ("elementwise", "fft", "matmul", "sum")])
def test_silent_where_it_does_not_come_again(operations: tuple[str, ...]) -> None:
    nvidia = NvidiaFacts(nvml="ok", devices=(card(),))
    assert findings(nvidia, frameworks=OF_TORCH, measurements=varying(*operations, again=1)) == []
    untried = repeats(*(repeat(operation, distinct=2, spread=LARGE) for operation in operations))
    assert findings(nvidia, frameworks=OF_TORCH, measurements=untried) == []


def test_silent_where_only_the_first_call_differs() -> None:
    """A real run: one operation, 48 equal calls after it. It was called a fault that blocks."""
    nvidia = NvidiaFacts(nvml="ok", devices=(card(),))
    made = repeats(repeat("elementwise", n=48, warm_up="ff"), repeat("elementwise", "fresh-process", warm_up="ff"))
    assert findings(nvidia, frameworks=OF_TORCH, measurements=made) == []


@pytest.mark.parametrize("operations", [("fft",), ("index-add", "scatter-add", "histc"), ()])
def test_silent_where_one_operation_or_a_document_explains_it(operations: tuple[str, ...]) -> None:
    nvidia = NvidiaFacts(nvml="ok", devices=(card(),))
    assert findings(nvidia, frameworks=OF_TORCH, measurements=varying(*operations)) == []


def computed_until(message: str, *, before: int = 3) -> Measurements:
    """Operations of which one fails in a way that the next ones do, too."""
    sound = [repeat(name) for name in ("matmul", "sum", "sort")[:before]]
    error = ErrorText(type="AcceleratorError", message=message, traceback="")
    failed = [left_out(name, "default", "failed", error) for name in ("fft", "norm", "topk")]
    return repeats(*sound, *failed)


def test_a_device_that_is_lost_between_operations() -> None:
    (found,) = findings(None, measurements=computed_until("CUDA error: unspecified launch failure"))
    assert (found.severity, found.confidence) == (Severity.WARNING, 0.6)
    assert "fft" in found.evidence[1].value
    (found,) = findings(None, measurements=computed_until("CUDA error: uncorrectable ECC error encountered"))
    assert (found.severity, found.confidence) == (Severity.BLOCKING, 0.9)


@pytest.mark.parametrize(
    ("message", "before"),
    [
        ("CUDA out of memory. Tried to allocate 2.00 GiB", 3),
        ("CUDA error: CUDA-capable device(s) is/are busy or unavailable", 3),
        ("CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling cublasLtMatmul", 3),
        ("CUDA error: no kernel image is available for execution on the device", 0),
        ("expected scalar type Float but found Half", 3),
    ],
)
def test_silent_on_operations_that_failed_for_another_reason(message: str, before: int) -> None:
    sound = NvidiaFacts(nvml="ok", devices=(card(),))
    assert findings(sound, measurements=computed_until(message, before=before)) == []
