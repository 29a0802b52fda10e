"""When accelerator-usb-or-pci-not-found speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.accelerator_usb_or_pci_not_found import accelerator_usb_or_pci_not_found
from checks.facts import Accelerator, DeviceNode, LiteRtFacts, MachineFacts, OsFacts
from checks.facts.finding import Finding, NotHere, Severity, Unread

HOST = OsFacts(system="Linux", container="")
DOCKER = OsFacts(system="Linux", container="docker")
STICK = Accelerator(bus="usb", vendor_id="1a6e", device_id="089a", name="Coral USB Accelerator", kind="edge tpu")
REFUSED = LiteRtFacts(edgetpu_delegate=False, edgetpu_error="Failed to load delegate from libedgetpu.so.1\n")
NO_LIBRARY = LiteRtFacts(
    edgetpu_delegate=False,
    edgetpu_error="libedgetpu.so.1: cannot open shared object file: No such file or directory",
)
WORKS = LiteRtFacts(edgetpu_delegate=True)


def pci(vendor: str, device: str, kind: str, nodes: tuple[DeviceNode, ...] | None) -> Accelerator:
    return Accelerator(bus="pci", vendor_id=vendor, device_id=device, name=kind, kind=kind, nodes=nodes)


def findings(
    *found: Accelerator, litert: LiteRtFacts | None = None, os: OsFacts = HOST, read: bool = True
) -> list[Finding]:
    machine = MachineFacts(os=os, accelerators=found if read else None)
    return list(accelerator_usb_or_pci_not_found(machine, litert))


@pytest.mark.parametrize(
    ("found", "litert", "os", "severity", "remedy"),
    [
        pytest.param(  # tensorflow/tensorflow#34135: the rules were not in force yet
            (STICK,), REFUSED, HOST, Severity.BLOCKING, "install-edgetpu-runtime", id="stick-refused"
        ),
        pytest.param(  # roflcoopter/viseron#173
            (STICK,), REFUSED, DOCKER, Severity.BLOCKING, "hand-accelerator-to-container", id="stick-changes-its-id"
        ),
        pytest.param((STICK,), NO_LIBRARY, HOST, Severity.WARNING, "install-edgetpu-runtime", id="library-missing"),
        pytest.param((), REFUSED, HOST, Severity.WARNING, "plug-accelerator-in-anew", id="not-on-the-bus"),
        pytest.param(
            (pci("1ac1", "089a", "edge tpu", ()),),
            None,
            HOST,
            Severity.WARNING,
            "install-accelerator-driver",
            id="card-without-driver",
        ),
        pytest.param(
            (pci("8086", "643e", "npu", ()),), None, HOST, Severity.NOTE, "install-npu-driver", id="npu-without-driver"
        ),
        pytest.param(
            (pci("1e60", "2864", "npu card", ()),),
            None,
            DOCKER,
            Severity.NOTE,
            "hand-accelerator-to-container",
            id="not-handed-in",
        ),
        pytest.param(
            (pci("1ac1", "089a", "edge tpu", (DeviceNode(path="/dev/apex_0", readable=False, group="apex"),)),),
            None,
            HOST,
            Severity.BLOCKING,
            "join-device-group",
            id="card-not-permitted",
        ),
    ],
)
def test_speaks(
    found: tuple[Accelerator, ...], litert: LiteRtFacts | None, os: OsFacts, severity: Severity, remedy: str
) -> None:
    (finding,) = findings(*found, litert=litert, os=os)
    assert finding.severity is severity
    assert finding.remedies[0] == remedy


@pytest.mark.parametrize(
    ("found", "litert"),
    [
        pytest.param((), None, id="nothing-there"),
        pytest.param((), NO_LIBRARY, id="neither-device-nor-library"),
        pytest.param((STICK,), None, id="stick-not-asked-for"),
        pytest.param((STICK,), WORKS, id="stick-works"),
        pytest.param(
            (pci("1ac1", "089a", "edge tpu", (DeviceNode(path="/dev/apex_0", readable=True, writable=True),)),),
            WORKS,
            id="card",
        ),
        pytest.param((pci("1ac1", "089a", "edge tpu", None),), None, id="device-files-unread"),
        pytest.param(
            (pci("8086", "643e", "npu", (DeviceNode(path="/dev/accel/accel0", readable=False),)),),
            None,
            id="npu-is-for-the-other-check",
        ),
        pytest.param((pci("1de0", "0000", "accelerator", None),), None, id="no-device-file-known"),
    ],
)
def test_silent(found: tuple[Accelerator, ...], litert: LiteRtFacts | None) -> None:
    assert findings(*found, litert=litert) == []


def test_a_bus_that_was_not_read_stays_open() -> None:
    with pytest.raises(Unread):
        findings(litert=REFUSED, read=False)
    with pytest.raises(Unread):
        findings(read=False)
    assert findings(litert=WORKS, read=False) == []


def test_nothing_to_check_on_a_mac() -> None:
    with pytest.raises(NotHere):
        findings(os=OsFacts(system="Darwin"), read=False)
