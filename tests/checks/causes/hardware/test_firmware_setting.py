"""When firmware-setting speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.firmware_setting import firmware_setting
from checks.facts import Accelerator, CpuFacts, Gpu, Gpus, MachineFacts, OsFacts
from checks.facts.finding import Finding, Severity

BARE = OsFacts(system="Linux", virtual_machine="", container="")
MIB = 2**20


def findings(
    *cards: Gpu, cpu: str | None = None, os: OsFacts = BARE, accelerators: tuple[Accelerator, ...] | None = ()
) -> list[Finding]:
    machine = MachineFacts(os=os, accelerators=accelerators)
    return list(firmware_setting(machine, Gpus(devices=cards), CpuFacts(name=cpu) if cpu else None))


@pytest.mark.parametrize(
    ("card", "severity", "remedy"),
    [
        pytest.param(
            Gpu(vendor_id="10de", product="Tesla P40", bar1_size=0, driver=""),
            Severity.BLOCKING,
            "enable-above-4g-decoding",
            id="no-room-on-linux",
        ),
        pytest.param(
            Gpu(vendor_id="10de", product="Tesla P40", problem_code=12),
            Severity.BLOCKING,
            "enable-above-4g-decoding",
            id="windows-code-12",
        ),
        pytest.param(
            Gpu(vendor_id="8086", device_id="56a0", product="Arc A770", bar1_size=256 * MIB),
            Severity.WARNING,
            "enable-resizable-bar",
            id="arc-with-a-small-window",
        ),
    ],
)
def test_speaks(card: Gpu, severity: Severity, remedy: str) -> None:
    (finding,) = findings(card)
    assert (finding.severity, finding.remedies) == (severity, (remedy,))


@pytest.mark.parametrize("cpu", ["Intel(R) Core(TM) Ultra 7 155H", "AMD Ryzen AI 9 HX 370 w/ Radeon 890M"])
def test_an_npu_that_does_not_show_is_a_note(cpu: str) -> None:
    (finding,) = findings(cpu=cpu)
    assert finding.severity is Severity.NOTE


@pytest.mark.parametrize(
    ("card", "os"),
    [
        pytest.param(Gpu(vendor_id="10de", bar1_size=256 * MIB), BARE, id="small-window-on-nvidia-is-usual"),
        pytest.param(
            Gpu(vendor_id="8086", device_id="56a0", bar1_size=16384 * MIB), BARE, id="arc-with-a-large-window"
        ),
        pytest.param(Gpu(vendor_id="8086", device_id="9a49", bar1_size=256 * MIB), BARE, id="integrated-graphics"),
        pytest.param(Gpu(vendor_id="10de", bar1_size=None), BARE, id="unread"),
        pytest.param(Gpu(vendor_id="10de", problem_code=0), BARE, id="windows-works"),
        pytest.param(Gpu(vendor_id="10de", bar1_size=0, driver="vfio-pci"), BARE, id="given-to-a-virtual-machine"),
        pytest.param(
            Gpu(vendor_id="8086", device_id="56a0", bar1_size=256 * MIB),
            OsFacts(virtual_machine="kvm"),
            id="in-a-virtual-machine",
        ),
    ],
)
def test_silent(card: Gpu, os: OsFacts) -> None:
    assert findings(card, os=os) == []


@pytest.mark.parametrize(
    ("cpu", "os", "accelerators"),
    [
        pytest.param("Intel(R) Core(TM) i7-12700H", BARE, (), id="no-npu-in-this-processor"),
        pytest.param(
            "Intel(R) Core(TM) Ultra 7 155H",
            BARE,
            (Accelerator(bus="pci", vendor_id="8086", kind="npu"),),
            id="npu-shows",
        ),
        pytest.param("Intel(R) Core(TM) Ultra 7 155H", OsFacts(virtual_machine="kvm"), (), id="virtual-machine"),
        pytest.param("Intel(R) Core(TM) Ultra 7 155H", BARE, None, id="bus-not-read"),
    ],
)
def test_silent_about_the_npu(cpu: str, os: OsFacts, accelerators: tuple[Accelerator, ...] | None) -> None:
    assert findings(cpu=cpu, os=os, accelerators=accelerators) == []
