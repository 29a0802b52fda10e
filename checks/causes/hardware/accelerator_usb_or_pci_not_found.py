"""An AI accelerator (Edge TPU, NPU card, camera) is not there for programs.

Detects:      an accelerator on the bus whose device file is missing (no driver) or may not be opened; an Edge TPU
              library that finds no device, with and without one on the bus; a Coral USB stick in a container, which
              changes its id at first use.
Why it bites: the delegate or provider cannot start: "Failed to load delegate", "device not found".
Blind spots:  accelerators without a bus id of their own; the rights of USB devices, which only the failed start tells.
Knowledge:    resources/knowledge/gpu/usb_pci_accelerators.toml
"""

from collections.abc import Iterator, Mapping

from checks.analysis.gpu.state import NONE, first_line
from checks.analysis.models.tflite import lacks_edgetpu_library
from checks.causes.registry import check
from checks.facts import Accelerator, LiteRtFacts, MachineFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity, Unread
from checks.knowledge.gpu.usb_pci_accelerators import AcceleratorDevice, accelerator_of
from checks.knowledge.phrases import phrase

_CORAL_BEFORE_USE = ("1a6e", "089a")  # becomes 18d1:9302 when the library has loaded its firmware


@check("accelerator-usb-or-pci-not-found")
def accelerator_usb_or_pci_not_found(machine: MachineFacts, litert: LiteRtFacts | None) -> Iterator[Finding]:
    """One finding per accelerator, and one for an Edge TPU that is expected and not there."""
    if machine.accelerators is None:
        if litert is not None and litert.edgetpu_delegate:  # the one that is asked for works
            return
        is_refused = litert is not None and litert.edgetpu_delegate is False and not lacks_edgetpu_library(litert)
        if machine.os is not None and machine.os.system == "Darwin" and not is_refused:  # nobody looks for them there
            raise NotHere("accelerators")
        raise Unread("accelerators", machine.unread.get("accelerators", ""))
    in_container = bool(machine.os and machine.os.container)
    for accelerator in machine.accelerators:
        row = accelerator_of(accelerator.bus, accelerator.vendor_id or "", accelerator.device_id or "")
        yield from _by_its_files(accelerator, row, in_container=in_container)
    if litert is not None:
        yield from _edge_tpu(machine.accelerators, litert, in_container=in_container)


def _by_its_files(accelerator: Accelerator, row: AcceleratorDevice | None, *, in_container: bool) -> Iterator[Finding]:
    """What the device files tell. Those under /dev/accel belong to device-permission-denied."""
    if accelerator.nodes is None or row is None or not row.nodes:
        return
    denied = [node.path for node in accelerator.nodes if node.readable is False or node.writable is False]
    if not accelerator.nodes and in_container:
        yield _finding(accelerator, "accelerator-not-handed-in", Severity.NOTE, 0.8, ("hand-accelerator-to-container",))
    elif not accelerator.nodes:
        # Every new laptop has an NPU, and few use it; a card was bought to be used.
        severity = Severity.NOTE if accelerator.kind in ("npu", "cloud accelerator") else Severity.WARNING
        remedy = "install-npu-driver" if accelerator.kind == "npu" else "install-accelerator-driver"
        yield _finding(accelerator, "accelerator-without-driver", severity, 0.9, (remedy,), row=row)
    elif denied and not denied[0].startswith("/dev/accel"):
        group = next((node.group for node in accelerator.nodes if node.path == denied[0]), None)
        values = {"node_group": group} if group and group != "root" else {}
        remedies = ("join-device-group", "install-edgetpu-runtime")
        yield _finding(accelerator, "accelerator-not-permitted", Severity.BLOCKING, 0.9, remedies, values=values)


def _edge_tpu(found: tuple[Accelerator, ...], litert: LiteRtFacts, *, in_container: bool) -> Iterator[Finding]:
    """What the Edge TPU's own library says, held against the bus."""
    if litert.edgetpu_delegate is not False:
        return
    error = first_line(litert.edgetpu_error or "") or NONE
    stick = next((device for device in found if device.kind == "edge tpu"), None)
    if stick is None:
        if not lacks_edgetpu_library(litert):  # who has the library has, or had, the device
            absent = Accelerator(bus="usb", name="Edge TPU", kind="edge tpu", origin="/sys/bus")
            remedy = "hand-accelerator-to-container" if in_container else "plug-accelerator-in-anew"
            yield _finding(absent, "accelerator-not-on-bus", Severity.WARNING, 0.85, (remedy,), error)
    elif lacks_edgetpu_library(litert):
        yield _finding(
            stick, "accelerator-without-library", Severity.WARNING, 0.85, ("install-edgetpu-runtime",), error
        )
    elif in_container and (stick.vendor_id, stick.device_id) == _CORAL_BEFORE_USE:
        yield _finding(
            stick, "accelerator-changes-id", Severity.BLOCKING, 0.85, ("hand-accelerator-to-container",), error
        )
    elif stick.bus == "usb":
        remedies = ("install-edgetpu-runtime", "plug-accelerator-in-anew")
        yield _finding(stick, "accelerator-not-permitted", Severity.BLOCKING, 0.8, remedies, error)


def _finding(
    accelerator: Accelerator,
    state: str,
    severity: Severity,
    confidence: float,
    remedies: tuple[str, ...],
    error: str = NONE,
    *,
    row: AcceleratorDevice | None = None,
    values: Mapping[str, str] | None = None,
) -> Finding:
    number = f"{accelerator.vendor_id}:{accelerator.device_id}" if accelerator.vendor_id else NONE
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=f"{accelerator.bus} {number} {state}",
        evidence=(
            Evidence("accelerator", accelerator.name, accelerator.origin),
            Evidence("bus_id", f"{accelerator.bus} {number}", accelerator.origin),
            Evidence("device_nodes", ", ".join(node.path for node in accelerator.nodes or ()) or NONE, "/dev"),
            Evidence("delegate_error", error, "libedgetpu"),
        ),
        values={"state": phrase(state), **(values or {}), **({"module": row.module} if row and row.module else {})},
        remedies=remedies,
    )
