"""What several checks ask of the facts about GPUs."""

import pytest

from checks.analysis.gpu.state import (
    LINE,
    cuda_computes,
    first_line,
    gib,
    gpu_name,
    in_nvml,
    seen_cuda_errors,
)
from checks.facts import (
    ErrorText,
    FrameworkDevice,
    Frameworks,
    Gpu,
    KernelLaunch,
    NvidiaFacts,
    NvidiaGpu,
    OnnxRuntimeFacts,
    ProviderStart,
    TorchFacts,
)
from checks.facts.machine import canonical_pci_address

RAN = (FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=True, correct=True)),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("0000:01:00.0", "0:01:00", id="sysfs"),
        pytest.param("00000000:01:00.0", "0:01:00", id="nvml"),
        pytest.param("0000:01:00", "0:01:00", id="xid-line"),
        pytest.param("00010000:C1:00.0", "10000:c1:00", id="domain-above-65535"),
        pytest.param(None, "", id="none"),
    ],
)
def test_one_spelling_of_an_address(text: str | None, expected: str) -> None:
    assert canonical_pci_address(text) == expected


@pytest.mark.parametrize(
    ("frameworks", "works"),
    [
        pytest.param(None, False, id="nothing-probed"),
        pytest.param(Frameworks(torch=TorchFacts(cuda_version="12.8", devices=RAN)), True, id="torch-computed"),
        pytest.param(
            Frameworks(torch=TorchFacts(cuda_version="", build="rocm", devices=RAN)), False, id="rocm-is-not-cuda"
        ),
        pytest.param(
            Frameworks(
                onnxruntime=OnnxRuntimeFacts(providers=(ProviderStart(name="CUDAExecutionProvider", started=True),))
            ),
            True,
            id="onnxruntime-computed",
        ),
        pytest.param(
            Frameworks(
                onnxruntime=OnnxRuntimeFacts(
                    providers=(ProviderStart(name="CUDAExecutionProvider", started=True, fell_back=True),)
                )
            ),
            False,
            id="fell-back-to-the-cpu",
        ),
    ],
)
def test_cuda_works(frameworks: Frameworks | None, works: bool) -> None:
    assert cuda_computes(frameworks) is works


def test_errors_are_found_at_the_start_and_at_the_kernel() -> None:
    torch = TorchFacts(
        cuda_error=ErrorText(type="RuntimeError", message="... Error 802: system not yet initialized"),
        devices=(
            FrameworkDevice(
                device="cuda:0",
                kernel=KernelLaunch(ran=False, error=ErrorText(type="OutOfMemoryError", message="CUDA out of memory.")),
            ),
        ),
        warnings=("nothing of interest",),
    )
    assert [error.error.code for error in seen_cuda_errors(Frameworks(torch=torch))] == [802, 2]


def test_the_same_card_in_nvml() -> None:
    nvidia = NvidiaFacts(
        devices=(
            NvidiaGpu(index=0, pci_address="00000000:01:00.0", pci_device_id="2b85"),
            NvidiaGpu(index=1, pci_address="00000000:02:00.0", pci_device_id="1b80"),
        )
    )
    on_linux = in_nvml(Gpu(address="0000:02:00.0", device_id="1b80"), nvidia)
    on_windows = in_nvml(Gpu(address=r"PCI\VEN_10DE&DEV_1B80&SUBSYS_85AA1043&REV_A1\4&1", device_id="1b80"), nvidia)
    assert on_linux is on_windows is (nvidia.devices or ())[1]
    assert in_nvml(Gpu(address="0000:03:00.0", device_id="1b80"), nvidia) is None
    without_address = NvidiaFacts(devices=(NvidiaGpu(index=0, pci_device_id="1b80"),))
    assert in_nvml(Gpu(address="0000:03:00.0", device_id="1b80"), without_address) is not None


def test_the_same_card_where_nvml_names_no_address() -> None:
    nvidia = NvidiaFacts(devices=(NvidiaGpu(index=0, pci_device_id="2684"),))
    assert in_nvml(Gpu(address="0000:00:07.0", device_id="2684"), nvidia) is not None
    assert in_nvml(Gpu(address="0000:00:08.0", device_id="2b85"), nvidia) is None


def test_words_for_values() -> None:
    assert gib(25769803776) == "24.0 GiB"
    assert gpu_name(Gpu(vendor_id="10de", device_id="2b85")) == "NVIDIA GPU 10de:2b85"
    assert gpu_name(Gpu(vendor_id="1002")) == "AMD GPU"
    assert first_line("\n  CUDA error: unknown error\nCUDA kernel errors might be ...") == "CUDA error: unknown error"
    assert len(first_line("x" * 1000)) == LINE
