"""What the load of a device showed that no rounding explains: wrong bits, memory errors, Xid events, its loss."""

import re
from collections import Counter
from collections.abc import Iterator

from checks.facts import CpuFacts, Frameworks, GpuEvent, Gpus, Health, HealthSample, Measured, Measurements, XidEvent
from checks.facts.machine import canonical_pci_address
from checks.knowledge.errors.cuda_errors import cuda_error_in
from checks.knowledge.errors.hardware_errors import ClockReason, HardwareErrors
from checks.machine import system_log

CPU = "cpu"
_LOST_AFTER = 3  # measurements that end with the same error
_UNHEARD = ("crashed", "timed-out")  # ends that the process of a load does not live to tell of
# How PyTorch begins what the driver tells of a kernel that failed; not what a library does not do, or lacks memory for.
_OF_THE_DEVICE = re.compile(
    r"(?:CUDA|HIP|XPU) error: (?!out of memory|\w+_STATUS_(?:ALLOC|NOT|ARCH|INVALID)_)|CUBLAS_STATUS_EXECUTION_FAILED"
)

# Sent by somebody else: a user, a scheduler, the kernel that runs short of memory.
_FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU")
# An instruction that the processor has not: another cause's.
_OF_THE_BUILD = ("SIGILL", "STATUS_ILLEGAL_INSTRUCTION")


def loads(measurements: Measurements | None) -> tuple[Health, ...]:
    """The loads of all devices, also those that did not come to their end: they may tell the most."""
    return tuple(run for run in measurements.all if isinstance(run, Health)) if measurements else ()


def device_name(measured: Measured, frameworks: Frameworks | None, cpu: CpuFacts | None) -> str:
    """The device as its owner knows it ("NVIDIA GeForce RTX 5080"), or as the framework calls it."""
    if measured.device.lower().partition(":")[0] == CPU:
        return (cpu.name if cpu else "") or "CPU"
    known = dict(frameworks.each()).get(measured.framework) if frameworks else None
    devices = getattr(known, "devices", None) or ()
    return next(
        (device.name for device in devices if device.device == measured.device and device.name), measured.device
    )


def lost_while_computing(measurements: Measurements | None) -> Iterator[tuple[Measured, str, bool]]:
    """The first error of each device beside the load that speaks of the device, and whether it says so itself.

    Else it is one that others got, too, from some operation on that is computed elsewhere every day.
    """
    places: dict[tuple[str, str], list[Measured]] = {}
    for run in measurements.all if measurements else ():
        places.setdefault((run.framework, run.device), []).append(run)
    for here in places.values():
        errors = [(run, run.error) for run in here if run.reason == "failed" and run.error]
        failed = [(run, f"{error.type}: {error.message}") for run, error in errors]
        alike = Counter(message for _, message in failed) if any(not run.reason for run in here) else Counter()
        for measured, message in failed:
            known = cuda_error_in(message)
            says_so = known is not None and known.cause == "gpu-hardware-fault"
            is_lost = alike[message] >= _LOST_AFTER and known is None and _OF_THE_DEVICE.search(message)
            if (says_so or is_lost) and not isinstance(measured, Health):
                yield measured, message, says_so
                break


def ended_badly(health: Health) -> str:
    """The error by which the load ended where the device is a suspect; "" where it was ended, or had no room.

    A device that had not computed one product yet may have a build or a driver that is not made for it.
    """
    if not health.reason or health.error is None or health.error.type in (*_FROM_OUTSIDE, *_OF_THE_BUILD):
        return ""
    message = f"{health.error.type}: {health.error.message}"
    known = cuda_error_in(message)
    if health.reason == "crashed" or (known is not None and known.cause == "gpu-hardware-fault"):
        return message
    if not health.checked:
        return ""
    is_of_device = _OF_THE_DEVICE.search(message) if known is None else known.cause != "gpu-out-of-memory"
    return message if is_of_device else ""


def held_down(health: Health) -> Iterator[tuple[HealthSample, tuple[ClockReason, ...]]]:
    """The samples in which trouble held the clocks down, with NVML's reasons."""
    for sample in health.samples:
        mask = sample.throttle_mask or 0
        reasons = tuple(row for row in HardwareErrors.read().clock_reason if row.bit & mask and row.sign_of_trouble)
        if reasons:
            yield sample, reasons


def device_address(measured: Measured, frameworks: Frameworks | None) -> str:
    """The place on the bus of the device that was measured; "" where its framework does not tell."""
    torch = frameworks.torch if frameworks else None
    devices = (torch.devices if torch else None) or ()
    return canonical_pci_address(
        next((device.pci_address for device in devices if device.device == measured.device), None)
    )


def xids_under_load(health: Health, frameworks: Frameworks | None, gpus: Gpus | None) -> tuple[XidEvent, ...]:
    """The Xids during the load: those that NVML reported for this GPU, else those in the system's log.

    Where the load killed its process, NVML did not report the end.
    """
    heard = health.xid or ()
    if health.device == CPU or (health.xid is not None and health.reason not in _UNHEARD):
        return heard
    place = device_address(health, frameworks)
    logged = system_log.xids(health.log or ())
    return (*heard, *(event for event in logged if _is_of(event.pci_address, place, "10de", gpus)))


def events_under_load(health: Health, frameworks: Frameworks | None, gpus: Gpus | None) -> tuple[GpuEvent, ...]:
    """What else the system's log got meanwhile about the device that was under load."""
    place, found = device_address(health, frameworks), []
    for event in system_log.events(health.log or ()):
        if health.device == CPU or event.vendor == CPU:
            if health.device == event.vendor:
                found.append(event)
        elif _is_of(event.pci_address, place, event.vendor, gpus):
            found.append(event)
    return tuple(found)


def _is_of(address: str | None, place: str, vendor: str, gpus: Gpus | None) -> bool:
    """Whether an entry of the log is about the GPU at this place; one without an address, where there is only one."""
    if address and place:
        return canonical_pci_address(address) == place
    known = gpus.devices if gpus else ()
    return len(known) == 1 and vendor in ("", known[0].vendor_id)
