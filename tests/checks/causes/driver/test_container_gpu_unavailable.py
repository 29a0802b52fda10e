"""When container-gpu-unavailable speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.container_gpu_unavailable import container_gpu_unavailable
from checks.facts import (
    AmdFacts,
    DeviceNode,
    Frameworks,
    Gpu,
    Gpus,
    LibraryFile,
    NvidiaFacts,
    OsFacts,
    Symptom,
    TorchFacts,
)
from checks.facts.finding import NotHere, Severity, Unread

CUDA = Frameworks(torch=TorchFacts(version="2.9.0", cuda_version="12.8", build="cuda"))
CPU_ONLY = Frameworks(torch=TorchFacts(version="2.9.0+cpu", cuda_version="", build="cpu"))
ROCM = Frameworks(torch=TorchFacts(version="2.9.0", cuda_version="", build="rocm"))
LINUX_LIBCUDA = (LibraryFile(path="/usr/lib/x86_64-linux-gnu/libcuda.so.1"),)

DOCKER = OsFacts(system="Linux", container="docker")
ON_THE_BUS = Gpus(devices=(Gpu(vendor_id="10de", product="GeForce RTX 3090", driver="nvidia"),))
NODES = (DeviceNode(path="/dev/nvidia0", writable=True), DeviceNode(path="/dev/nvidiactl", writable=True))


@pytest.mark.parametrize(
    ("nvidia", "gpus", "remedy"),
    [
        pytest.param(  # NVIDIA/nvidia-docker#1591: Docker from a snap, no toolkit
            NvidiaFacts(nvml="library-not-found", kernel_module_version="495.29.05", device_nodes=(), libcuda=()),
            ON_THE_BUS,
            "start-container-with-nvidia-gpu",
            id="started-without-gpus",
        ),
        pytest.param(
            NvidiaFacts(nvml="library-not-found", device_nodes=()),
            ON_THE_BUS,
            "start-container-with-nvidia-gpu",
            id="only-the-bus-tells",
        ),
        pytest.param(
            NvidiaFacts(nvml="ok", kernel_module_version="550.54.15", device_nodes=NODES, libcuda=()),
            None,
            "ask-container-for-compute-libraries",
            id="without-compute-capability",
        ),
    ],
)
def test_speaks(nvidia: NvidiaFacts, gpus: Gpus | None, remedy: str) -> None:
    (finding,) = container_gpu_unavailable(DOCKER, nvidia, None, gpus, CUDA, None)
    assert finding.severity is Severity.BLOCKING
    assert finding.remedies[0] == remedy


@pytest.mark.parametrize(
    ("os", "nvidia", "gpus"),
    [
        pytest.param(
            DOCKER,
            NvidiaFacts(nvml="ok", kernel_module_version="550.1", device_nodes=NODES, libcuda=LINUX_LIBCUDA),
            ON_THE_BUS,
            id="has-the-gpu",
        ),
        pytest.param(
            DOCKER,
            NvidiaFacts(nvml="library-not-found", kernel_module_version="", device_nodes=()),
            Gpus(),
            id="host-without-gpu",
        ),
        pytest.param(
            DOCKER,
            NvidiaFacts(nvml="library-not-found", kernel_module_version="", device_nodes=()),
            Gpus(devices=(Gpu(vendor_id="10de", driver="nouveau"),)),
            id="host-without-driver",
        ),
    ],
)
def test_silent(os: OsFacts, nvidia: NvidiaFacts, gpus: Gpus) -> None:
    assert list(container_gpu_unavailable(os, nvidia, None, gpus, CUDA, None)) == []


def test_nothing_to_check_outside_a_container() -> None:
    nvidia = NvidiaFacts(nvml="library-not-found", kernel_module_version="550.1")
    with pytest.raises(NotHere):
        list(container_gpu_unavailable(OsFacts(container=""), nvidia, None, ON_THE_BUS, CUDA, None))
    with pytest.raises(Unread):
        list(container_gpu_unavailable(OsFacts(), nvidia, None, ON_THE_BUS, CUDA, None))


@pytest.mark.parametrize(("symptom", "severity"), [("everything", Severity.NOTE), ("not-on-gpu", Severity.BLOCKING)])
def test_builds_for_the_processor_alone_miss_nothing(symptom: str, severity: Severity) -> None:
    nvidia = NvidiaFacts(nvml="library-not-found", kernel_module_version="550.1", device_nodes=(), libcuda=())
    (finding,) = container_gpu_unavailable(DOCKER, nvidia, None, ON_THE_BUS, CPU_ONLY, Symptom(name=symptom))
    assert finding.severity is severity


def test_container_without_the_amd_gpu() -> None:
    gpus = Gpus(devices=(Gpu(vendor_id="1002", product="Radeon RX 7900 XTX", driver="amdgpu"),))
    (finding,) = container_gpu_unavailable(DOCKER, None, AmdFacts(device_nodes=()), gpus, ROCM, None)
    assert finding.remedies == ("start-container-with-amd-gpu",)
    handed_in = AmdFacts(device_nodes=(DeviceNode(path="/dev/kfd"),))
    assert list(container_gpu_unavailable(DOCKER, None, handed_in, gpus, ROCM, None)) == []
    assert list(container_gpu_unavailable(DOCKER, None, AmdFacts(device_nodes=()), gpus, CPU_ONLY, None)) == []
