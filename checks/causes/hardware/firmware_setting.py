"""A setting of the firmware (BIOS, UEFI) stands in the way of the GPU or NPU.

Detects:      a GPU that got no memory window (a BAR of 0 bytes, Windows code 12): Above 4G decoding is off; an Intel
              Arc card with a window of 256 MiB: Resizable BAR is off; a processor whose NPU does not show.
Why it bites: without its window the driver cannot start the GPU; Arc cards are slow without Resizable BAR.
Blind spots:  IOMMU and ACS settings, which slow transfers between GPUs, do not show in the facts. A small window on
              other cards costs next to nothing when computing, and is not reported.
Knowledge:    resources/knowledge/errors/windows_device_problems.toml, cpus_with_npu.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, gpu_name, is_given_away
from checks.causes.registry import check
from checks.facts import CpuFacts, Gpus, MachineFacts, OsFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.errors.windows_device_problems import DeviceProblems, device_problem
from checks.knowledge.gpu.cpus_with_npu import CpusWithNpu, npu_of_cpu
from checks.knowledge.gpu.gpu_architectures import intel_platform
from checks.knowledge.phrases import phrase

CAUSE = "firmware-setting"

_SMALL_WINDOW = 256 * 2**20  # what a card gets without Resizable BAR


@check(CAUSE)
def firmware_setting(machine: MachineFacts, gpus: Gpus | None, cpu: CpuFacts | None) -> Iterator[Finding]:
    """One finding per device."""
    if gpus is not None:
        yield from _windows(gpus)
        yield from _arc(gpus, machine.os)
    if cpu is not None:
        yield from _npu(machine, cpu)


def _windows(gpus: Gpus) -> Iterator[Finding]:
    for gpu in gpus.devices:
        problem = device_problem(gpu.problem_code)
        has_no_room = gpu.bar1_size == 0 and not gpu.integrated and not is_given_away(gpu)
        if not has_no_room and not (problem and problem.cause == CAUSE):
            continue
        origin = DeviceProblems.read().title if problem else gpu.origin
        yield Finding(
            severity=Severity.BLOCKING,
            confidence=0.85,
            subject=gpu.address or gpu_name(gpu),
            evidence=(
                Evidence("device", gpu_name(gpu), gpu.origin),
                Evidence("sign", problem.name if problem else f"BAR = {gpu.bar1_size} B", origin),
            ),
            values={"firmware_setting": phrase("setting-above-4g")},
            remedies=("enable-above-4g-decoding",),
        )


def _arc(gpus: Gpus, os: OsFacts | None) -> Iterator[Finding]:
    if os and os.virtual_machine:
        return
    for gpu in gpus.intel:
        platform = intel_platform(gpu.device_id or "")
        if platform is None or platform.integrated or gpu.bar1_size is None or not 0 < gpu.bar1_size <= _SMALL_WINDOW:
            continue
        yield Finding(
            severity=Severity.WARNING,
            confidence=0.9,
            subject=gpu.address or gpu_name(gpu),
            evidence=(
                Evidence("device", gpu_name(gpu), gpu.origin),
                Evidence("sign", f"BAR = {gpu.bar1_size // 2**20} MiB", gpu.origin),
            ),
            values={"firmware_setting": phrase("setting-resizable-bar")},
            remedies=("enable-resizable-bar",),
        )


def _npu(machine: MachineFacts, cpu: CpuFacts) -> Iterator[Finding]:
    os = machine.os
    if machine.accelerators is None or not cpu.name or os is None or os.virtual_machine != "" or os.container:
        return
    row = npu_of_cpu(cpu.name)
    if row is None or any(
        accelerator.bus == "pci" and accelerator.vendor_id == row.vendor for accelerator in machine.accelerators
    ):
        return
    yield Finding(
        severity=Severity.NOTE,
        confidence=0.6,
        subject="npu",
        evidence=(
            Evidence("device", f"NPU ({cpu.name})", cpu.origin or CpusWithNpu.read().title),
            Evidence("sign", f"PCI {row.vendor}:* = {NONE}", "/sys/bus/pci/devices"),
        ),
        values={"firmware_setting": phrase("setting-npu")},
        remedies=("enable-npu",),
    )
