# ruff: noqa: E501 - what programs printed stays as it is
"""What is told is not the whole machine: no check may conclude from what a text leaves out."""

from collections.abc import Iterator

import msgspec
import pytest

from checks.causes.registry import all_checks
from checks.facts import Facts, Gpu, Gpus, MachineFacts, NvidiaFacts, NvidiaGpu, OsFacts
from checks.facts.finding import Severity, Status
from checks.judgement.judge import judge_each
from checks.judgement.one_check import judge_one
from checks.readers.tickets.defaults import with_default_architecture
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in

SPARSE = {
    "gpu-name": "my card is an RTX 3090",
    "old-gpu-name": "GPU: GeForce GTX 780 Ti",
    "new-gpu-name": "GPU: NVIDIA GeForce RTX 5090",
    "two-gpu-names": "GPU 0: NVIDIA GeForce RTX 4090\nGPU 1: NVIDIA GeForce RTX 3090",
    "amd-gpu": "RX 7900 XTX",
    "intel-gpu": "Intel Arc A770",
    "torch": "torch 2.7.1",
    "torch-cuda": "PyTorch version: 2.7.1+cu128",
    "torch-cpu": "torch 2.7.1+cpu",
    "torch-rocm": "torch==2.5.1+rocm6.2",
    "torch-xpu": "torch==2.8.0+xpu",
    "tensorflow": "TensorFlow version: 2.16.1",
    "onnxruntime-gpu": "onnxruntime-gpu==1.18.0",
    "part-of-a-list": "numpy==1.26.4\nscipy==1.11.0\nrequests==2.31.0",
    "list-with-header": "Package    Version\n---------- -------\nnumpy      2.1.0\npip        24.0",
    "driver": "driver 470.256.02",
    "new-driver": "Nvidia driver version: 580.65.06",
    "windows": "Windows 11",
    "wsl": "I use WSL2 with Ubuntu 22.04",
    "wsl-platform": "Platform: Linux-5.15.90.1-microsoft-standard-WSL2-x86_64-with-glibc2.35",
    "docker": "**Baremetal or Container (if container which image + tag)**: nvcr.io/nvidia/pytorch:23.10-py3",
    "mac": "macOS 15.1.1, M2 Max",
    "mac-without-mps": "torch 2.5.1, macOS 14.5 (arm64)\ntorch.backends.mps.is_available(): False",
    "old-python": "Python version: 3.6.9",
    "new-python": "Python 3.14.0",
    "python-and-windows": "Python 3.12.1 (tags/v3.12.1, Dec  7 2023, 22:03:25) [MSC v.1937 64 bit (AMD64)] on win32",
    "cuda-not-available": "Is CUDA available: False",
    "visible-devices": "CUDA_VISIBLE_DEVICES=5 python train.py",
    "jax": "jax 0.4.30\njaxlib 0.4.30",
    "tensorrt": "TensorRT Version: 10.7.0",
    "jetson": "Jetson Orin Nano, JetPack 6.1",
    "nvcc": "Cuda compilation tools, release 11.5, V11.5.119",
    "available-providers": "Available providers: 'AzureExecutionProvider, CPUExecutionProvider'",
}


@pytest.mark.parametrize("text", SPARSE.values(), ids=SPARSE.keys())
def test_one_fact_alone_proves_nothing(text: str) -> None:
    facts = reported_in(lines_of(text)).facts
    outcomes = list(judge_each(facts))
    assert [outcome for outcome in outcomes if outcome.status is Status.CRASHED] == []
    assert [finding for finding in _findings(facts) if finding.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("text", SPARSE.values(), ids=SPARSE.keys())
def test_it_is_the_facts_that_are_sparse(text: str) -> None:
    """Each text does tell something, or the test above would prove nothing."""
    assert reported_in(lines_of(text)).facts != Facts(reported=True)


PROVEN = {
    "build-lacks-newer-gpu-arch": "GPU: NVIDIA GeForce RTX 5090\ntorch 2.5.1+cu121\nUbuntu 22.04 x86_64\nPython 3.11.4",
    "build-dropped-older-gpu-arch": (
        "Found GPU0 Tesla P100-PCIE-16GB which is of cuda capability 6.0.\ntorch 2.9.0+cu128\nCUDA used to build PyTorch: 12.8\n"
        "The current PyTorch install supports CUDA capabilities sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120."
    ),
    "build-lacks-newer-gpu-arch-by-its-warning": (
        "NVIDIA GeForce RTX 5080 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\n"
        "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90."
    ),
    "driver-too-old-for-cuda": "PyTorch version: 2.1.0+cu121\nNvidia driver version: 470.199.02",
    "driver-too-old-for-gpu": "GPU: RTX 5080\nDriver: 550.120",
    "driver-dropped-gpu": "GeForce GTX 780, driver 535.129.03",
    "driver-not-loaded": (
        "01:00.0 VGA compatible controller: NVIDIA Corporation TU106 [GeForce RTX 2060 SUPER] (rev a1)\n"
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA "
        "driver is installed and running."
    ),
    "driver-library-mismatch": "Failed to initialize NVML: Driver/library version mismatch",
    "framework-cpu-only-build": "[pip3] torch==2.7.1+cpu\nGPU 0: NVIDIA GeForce RTX 4060",
    "framework-companion-mismatch": "torch==2.1.0\ntorchvision==0.15.2",
    "ort-package-conflict": "onnxruntime==1.18.0\nonnxruntime-gpu==1.18.0",
    "gpu-hardware-fault": "NVRM: Xid (PCI:0000:01:00): 79, pid=0, GPU has fallen off the bus.",
    "tf-gpu-unsupported-on-windows": "OS: Windows 11\nTensorFlow version: 2.16.1\nGPU: RTX 4070",
    "trt-gpu-unsupported": "**TensorRT Version**: 8.4.1.5\n**NVIDIA GPU**: RTX 5090",
    "rocm-gpu-unsupported": "torch==2.4.1+rocm6.0\nGPU: Radeon RX 5700 XT",
    "numpy-abi-mismatch": "OS: Ubuntu 22.04\nnumpy==2.0.1\ntorch==2.1.0+cu121",
}


@pytest.mark.parametrize(("cause", "text"), PROVEN.items(), ids=PROVEN.keys())
def test_what_the_text_proves_is_found(cause: str, text: str) -> None:
    found = {
        finding.cause
        for finding in _findings(reported_in(lines_of(text)).facts)
        if finding.severity is not Severity.NOTE
    }
    assert cause.removesuffix("-by-its-warning") in found


def test_cuda_that_answers_is_not_refused_by_its_driver() -> None:
    text = "PyTorch version: 2.1.0+cu121\nNvidia driver version: 470.199.02\nIs CUDA available: True"
    assert not {finding.cause for finding in _findings(reported_in(lines_of(text)).facts)} & {"driver-too-old-for-cuda"}


def test_a_check_from_whole_machines_says_why_it_was_left_out() -> None:
    outcome = judge_one(all_checks()["gpu-not-detected"], Facts(reported=True, machine=_without_gpu()))
    assert (outcome.status, outcome.reason) == (Status.SKIPPED, "only-told")


def test_the_same_facts_of_a_machine_are_judged() -> None:
    outcome = judge_one(all_checks()["cuda-build-without-nvidia-gpu"], Facts(machine=_without_gpu()))
    assert outcome.reason != "only-told"


def _without_gpu() -> MachineFacts:
    return MachineFacts(os=OsFacts(system="Linux"), gpus=Gpus(devices=()))


def _findings(facts: Facts) -> list:
    return [finding for outcome in judge_each(facts) for finding in outcome.findings]


def test_gpus_by_name_alone_are_not_mistaken_for_one_another() -> None:
    """Without an address on the bus two cards look alike to NVML's list: nothing is concluded from that."""
    facts = Facts(
        reported=True,
        machine=MachineFacts(
            gpus=Gpus(devices=(Gpu(vendor_id="10de", die="GA102"), Gpu(vendor_id="10de", die="AD102"))),
            nvidia=NvidiaFacts(devices=(NvidiaGpu(index=0, name="RTX 3090"), NvidiaGpu(index=1, name="RTX 4090"))),
        ),
    )
    assert [finding for finding in _findings(facts) if finding.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("text", SPARSE.values(), ids=SPARSE.keys())
def test_what_is_not_told_is_not_made_up(text: str) -> None:
    """An empty text, or the number 0, would say that it was looked for and is not there."""
    machine = reported_in(lines_of(text)).facts.machine
    empty = [path for path, value in _values(msgspec.to_builtins(machine), "machine") if value in ("", 0)]
    assert [path for path in empty if not path.endswith(".index")] == []


@pytest.mark.parametrize("text", ["Windows 11", "OS: Windows 11, GPU: RTX 3070", "Ubuntu 22.04, GPU: RTX 3070"])
def test_the_usual_architecture_is_supposed_but_not_told(text: str) -> None:
    facts = reported_in(lines_of(text)).facts
    assert facts.machine is not None
    assert facts.machine.os is not None
    assert facts.machine.os.architecture is None
    whole = with_default_architecture(facts).machine
    assert whole is not None
    assert whole.os is not None
    assert whole.os.architecture == ("AMD64" if "Windows" in text else "x86_64")


@pytest.mark.parametrize("text", ["Jetson Orin Nano, Ubuntu 22.04", "Ubuntu 22.04", "Linux-6.8-aarch64, RTX 3090", "?"])
def test_no_architecture_is_supposed_where_another_may_be_meant(text: str) -> None:
    facts = reported_in(lines_of(text)).facts
    assert with_default_architecture(facts) == facts


def _values(plain: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(plain, dict):
        for name, value in plain.items():
            yield from _values(value, f"{path}.{name}")
    elif isinstance(plain, (list, tuple)):
        for value in plain:
            yield from _values(value, path)
    elif not isinstance(plain, bool):
        yield path, plain
