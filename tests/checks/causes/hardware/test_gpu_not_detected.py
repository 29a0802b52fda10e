"""When gpu-not-detected speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.gpu_not_detected import gpu_not_detected
from checks.facts import Gpu, Gpus, JetsonFacts, LibraryFile, NvidiaFacts, NvidiaGpu, OsFacts
from checks.facts.finding import Severity

HOST = OsFacts(system="Linux", container="", wsl=0, virtual_machine="")
INTEL = Gpus(devices=(Gpu(vendor_id="8086", product="UHD Graphics 630"),))
DRIVER = NvidiaFacts(modules_installed=("nvidia.ko",), libcuda=(LibraryFile(path="/usr/lib/libcuda.so.1"),))


@pytest.mark.parametrize(
    ("os", "nvidia", "remedy"),
    [
        pytest.param(HOST, DRIVER, "check-gpu-seating", id="driver-without-gpu"),
        pytest.param(HOST, NvidiaFacts(kernel_module_version="550.54.15"), "check-gpu-seating", id="module-loaded"),
        pytest.param(OsFacts(virtual_machine="kvm"), DRIVER, "check-gpu-in-virtual-machine", id="virtual-machine"),
    ],
)
def test_speaks(os: OsFacts, nvidia: NvidiaFacts, remedy: str) -> None:
    (finding,) = gpu_not_detected(INTEL, os, nvidia, None)
    assert (finding.severity, finding.remedies) == (Severity.WARNING, (remedy,))


@pytest.mark.parametrize("code", [22, 45, 47])
def test_a_gpu_that_windows_switched_off(code: int) -> None:
    gpus = Gpus(devices=(Gpu(vendor_id="10de", product="GeForce RTX 4070", problem_code=code),))
    (finding,) = gpu_not_detected(gpus, OsFacts(system="Windows"), None, None)
    assert (finding.severity, finding.remedies) == (Severity.BLOCKING, ("enable-device-in-windows",))


@pytest.mark.parametrize(
    ("gpus", "os", "nvidia", "jetson"),
    [
        pytest.param(INTEL, HOST, None, None, id="no-trace-of-a-driver"),
        pytest.param(INTEL, HOST, NvidiaFacts(modules_installed=(), libcuda=()), None, id="looked-and-nothing"),
        pytest.param(Gpus(devices=(Gpu(vendor_id="10de"),)), HOST, DRIVER, None, id="on-the-bus"),
        pytest.param(INTEL, HOST, NvidiaFacts(devices=(NvidiaGpu(index=0),)), None, id="in-nvml"),
        pytest.param(INTEL, OsFacts(container="docker"), DRIVER, None, id="libraries-of-an-image"),
        pytest.param(Gpus(), OsFacts(wsl=2), DRIVER, None, id="wsl"),
        pytest.param(Gpus(), HOST, DRIVER, JetsonFacts(soc="tegra234"), id="jetson"),
        pytest.param(
            INTEL,
            HOST,
            NvidiaFacts(libcuda=(LibraryFile(path="/usr/local/cuda/compat/libcuda.so.1"),)),
            None,
            id="compat-package",
        ),
        pytest.param(
            Gpus(devices=(Gpu(vendor_id="10de", problem_code=0),)), OsFacts(system="Windows"), None, None, id="works"
        ),
    ],
)
def test_silent(gpus: Gpus, os: OsFacts, nvidia: NvidiaFacts | None, jetson: JetsonFacts | None) -> None:
    assert list(gpu_not_detected(gpus, os, nvidia, jetson)) == []
