# ruff: noqa: E501 - what programs printed stays as it is
"""What frameworks, drivers and system tools log, as pasted in public threads."""

from typing import Any

import pytest

from checks.facts import Facts
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in


def read(text: str) -> Facts:
    return reported_in(lines_of(text)).facts


def value(facts: Any, path: str) -> Any:
    for name in path.split("."):
        facts = facts[int(name)] if name.isdigit() else getattr(facts, name) if facts is not None else None
    return facts


# tensorflow/tensorflow, gpu_device.cc of 2.x
TF_NEW = (
    "2023-05-02 10:11:12.123456: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1616] Created device "
    "/job:localhost/replica:0/task:0/device:GPU:0 with 22290 MB memory:  -> device: 0, name: NVIDIA GeForce RTX 3090, "
    "pci bus id: 0000:01:00.0, compute capability: 8.6\n"
    "2023-05-02 10:11:15.000000: I tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:424] Loaded cuDNN version 8600"
)
# and of 1.x
TF_OLD = (
    "2019-03-04 10:11:12.1: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1432] Found device 0 with properties: \n"
    "name: GeForce GTX 1080 major: 6 minor: 1 memoryClockRate(GHz): 1.7335\n"
    "pciBusID: 0000:01:00.0\n"
)
TF_DRIVER = (
    "tensorflow/stream_executor/cuda/cuda_diagnostics.cc:200] libcuda reported version is: 470.103.1\n"
    "tensorflow/stream_executor/cuda/cuda_diagnostics.cc:204] kernel reported version is: 470.103.1\n"
)
# orpatashnik/StyleCLIP#20
TF_MISSING = (
    "2021-07-10 16:39:37.237: W tensorflow/stream_executor/platform/default/dso_loader.cc:55] Could not load dynamic "
    "library 'libcudart.so.10.0'; dlerror: libcudart.so.10.0: cannot open shared object file: No such file or "
    "directory; LD_LIBRARY_PATH: /usr/local/nvidia/lib64:/usr/local/cuda/lib64"
)
# torch/cuda/__init__.py
TORCH_UNFIT = """\
UserWarning:
NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.
The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.
"""
# vllm-project/vllm#19185
TORCH_OLD = """\
    Found GPU1 Tesla V100-PCIE-16GB which is of cuda capability 7.0.
    PyTorch no longer supports this GPU because it is too old.
    The minimum cuda capability supported by this library is 7.5.
"""
# Comfy-Org/ComfyUI#788
COMFY = """\
Total VRAM 10240 MB, total RAM 16238 MB
pytorch version: 2.3.1+cu121
xformers version: 0.0.20
Set vram state to: NORMAL_VRAM
Device: cuda:0 NVIDIA GeForce RTX 3080 : cudaMallocAsync
"""
# ultralytics/ultralytics#21002
ULTRALYTICS = "Ultralytics 8.3.151  Python-3.10.11 torch-2.7.1+cu128 CUDA:0 (NVIDIA GeForce RTX 5090 D, 32607MiB)"
# DDTRobot/tita_rl_sim2sim2real#7
TRTEXEC = "&&&& FAILED TensorRT.trtexec [TensorRT v100700] [b23] # /usr/src/tensorrt/bin/trtexec --onnx=test.onnx"
# microsoft/onnxruntime#26996
ORT = (
    "Specified provider 'CUDAExecutionProvider' is not in available provider names. Available providers: "
    "'AzureExecutionProvider, CPUExecutionProvider'"
)
# microsoft/onnxruntime#15873
ORT_FAILED = (
    "2023-05-09 18:38:36.9 [E:onnxruntime:Default, provider_bridge_ort.cc:1131] Failed to load library "
    "libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: cannot open shared object file\n"
    "2023-05-09 18:38:36.929865635 [W:onnxruntime:Default, onnxruntime_pybind_state.cc:541 "
    "CreateExecutionProviderInstance] Failed to create CUDAExecutionProvider. Please reference the documentation"
)
NVCC = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 11.5, V11.5.119\n"
# ROCm/ROCm-OpenCL-Runtime#144, the end of the GPU's part as in other threads
ROCMINFO = """\
*******
Agent 1
*******
  Name:                    Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz
  Marketing Name:          Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz
  Device Type:             CPU
*******
Agent 2
*******
  Name:                    gfx1030
  Uuid:                    GPU-0000000000000000
  Marketing Name:          AMD Radeon RX 6900 XT
  Vendor Name:             AMD
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx1030
"""
# Arch Linux forum, ubuntuforums: lspci -nnk
LSPCI = """\
00:02.0 VGA compatible controller [0300]: Intel Corporation Raptor Lake-S GT1 [UHD Graphics 770] [8086:a780] (rev 04)
01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GB202 [GeForce RTX 5090] [10de:2b85] (rev a1)
"""
LSPCI_PLAIN = "01:00.0 VGA compatible controller: NVIDIA Corporation GA102 [GeForce RTX 3090] (rev a1)"
# NVIDIA/open-gpu-kernel-modules#1151
# a card that is newer than the list of names there
LSPCI_UNNAMED = "01:00.0 VGA compatible controller: NVIDIA Corporation Device 2684 (rev a1)"
# the kernel log of a card without a name
PCI_ID = "[ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0 (PCI ID: 10de:26b5)\n               NVRM: installed in this system has fallen off the bus"
# torch/utils/cpp_extension.py
OTHER_CUDA = """\
RuntimeError:
The detected CUDA version (10.1) mismatches the version that was used to compile
PyTorch (12.1). Please make sure to use the same CUDA versions.
"""
XID = """\
[74889.644132] NVRM: GPU at PCI:0000:02:00: GPU-00000000-0000-0000-0000-000000000000
[74889.644138] NVRM: Xid (PCI:0000:02:00): 79, pid=0, GPU has fallen off the bus.
"""
# stackhpc/ansible-slurm-appliance#287
MISMATCH = (
    "Jun 30 11:07:05 gpu-0 kernel: NVRM: API mismatch: the client has the version 535.54.03, but#012NVRM: this kernel "
    "module has the version 530.30.02.  Please#012NVRM: make sure that this kernel module"
)
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 844.00 MiB (GPU 0; 14.76 GiB total capacity)"

WANTED = [
    (TF_NEW, "machine.nvidia.devices.0.compute_capability", "8.6"),
    (TF_NEW, "machine.nvidia.devices.0.name", "NVIDIA GeForce RTX 3090"),
    (TF_NEW, "machine.gpus.devices.0.address", "0000:01:00.0"),
    (TF_NEW, "frameworks.tensorflow.cudnn_version", "8.6.0"),
    (TF_OLD, "machine.nvidia.devices.0.compute_capability", "6.1"),
    (TF_DRIVER, "machine.nvidia.driver_version", "470.103.1"),
    (TF_MISSING, "environment.values", {"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64:/usr/local/cuda/lib64"}),
    (TF_MISSING, "frameworks.tensorflow.cuda_version", "10.0"),
    (TF_MISSING, "frameworks.tensorflow.is_cuda_build", True),
    (TF_MISSING, "frameworks.tensorflow.devices", None),
    (TF_MISSING + "\nSkipping registering GPU devices...", "frameworks.tensorflow.devices", ()),
    (ORT_FAILED, "frameworks.onnxruntime.providers.0.name", "CUDAExecutionProvider"),
    (ORT_FAILED, "frameworks.onnxruntime.providers.0.started", False),
    ("jax==0.4.30\njax-cuda12-plugin==0.4.30", "frameworks.jax.plugins", ("jax-cuda12-plugin 0.4.30",)),
    (TORCH_UNFIT, "machine.nvidia.devices.0.compute_capability", "12.0"),
    (TORCH_UNFIT, "machine.nvidia.devices.0.name", "NVIDIA GeForce RTX 5090"),
    (TORCH_UNFIT, "frameworks.torch.arch_list", ("sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90")),
    (TORCH_OLD, "machine.nvidia.devices.0.name", "Tesla V100-PCIE-16GB"),
    (TORCH_OLD, "machine.nvidia.devices.0.index", 1),
    (TORCH_OLD, "machine.gpus.devices.0.compute_capability", "7.0"),
    (COMFY, "machine.nvidia.devices.0.name", "NVIDIA GeForce RTX 3080"),
    (COMFY, "frameworks.torch.version", "2.3.1+cu121"),
    (ULTRALYTICS, "machine.nvidia.devices.0.memory_total", 32607 * 2**20),
    (ULTRALYTICS, "frameworks.torch.cuda_version", "12.8"),
    (TRTEXEC, "frameworks.tensorrt.version", "10.7.0"),
    (TRTEXEC.replace("v100700", "v8503"), "frameworks.tensorrt.version", "8.5.3"),
    (ORT, "frameworks.onnxruntime.providers_listed", ("AzureExecutionProvider", "CPUExecutionProvider")),
    (NVCC, "environment.nvcc_version", "11.5.119"),
    (ROCMINFO, "machine.gpus.devices.0.gfx_target", "gfx1030"),
    (ROCMINFO, "machine.gpus.devices.0.product", "AMD Radeon RX 6900 XT"),
    (LSPCI, "machine.gpus.devices.0.device_id", "a780"),
    (LSPCI, "machine.gpus.devices.1.device_id", "2b85"),
    (LSPCI, "machine.gpus.devices.1.die", "GB202"),
    (LSPCI, "machine.gpus.devices.1.address", "0000:01:00.0"),
    (LSPCI_PLAIN, "machine.gpus.devices.0.compute_capability", "8.6"),
    (LSPCI_UNNAMED, "machine.gpus.devices.0.die", "AD102"),
    (PCI_ID, "machine.gpus.devices.0.device_id", "26b5"),
    (OTHER_CUDA, "environment.nvcc_version", "10.1"),
    (OTHER_CUDA, "frameworks.torch.cuda_version", "12.1"),
    (OTHER_CUDA, "frameworks.torch.version", None),
    ("2.6.0+cpu None False", "frameworks.torch.build", "cpu"),
    ("2.6.0+cpu None False", "frameworks.torch.cuda_available", False),
    ("('2.1.0+cu121', '12.1', True)", "frameworks.torch.version", "2.1.0+cu121"),
    ("2.1.0+cu121 12.1 True", "frameworks.torch.cuda_version", "12.1"),
    ("epoch 2.1.0 12.1 True", "frameworks.torch.version", None),
    (XID, "machine.nvidia.xids.0.code", 79),
    (XID, "machine.nvidia.xids.0.pci_address", "0000:02:00.0"),
    (MISMATCH, "machine.nvidia.kernel_module_version", "530.30.02"),
    (MISMATCH, "machine.nvidia.driver_version", "535.54.03"),
    ("rocalution 5.7.1 RHEL, gfx1031", "machine.gpus.devices.0.gfx_target", "gfx1031"),
    ("export CUDA_VISIBLE_DEVICES=0,1", "environment.values", {"CUDA_VISIBLE_DEVICES": "0,1"}),
    ("CUDA_VISIBLE_DEVICES=5 python train.py", "environment.values", {"CUDA_VISIBLE_DEVICES": "5"}),
    ('os.environ["CUDA_VISIBLE_DEVICES"] = "-1"', "environment.values", {"CUDA_VISIBLE_DEVICES": "-1"}),
]


@pytest.mark.parametrize(("text", "fact", "wanted"), WANTED)
def test_speaks(text: str, fact: str, wanted: object) -> None:
    assert value(read(text), fact) == wanted


def test_tensorflow_says_what_it_missed() -> None:
    tensorflow = value(read(TF_MISSING), "frameworks.tensorflow")
    assert len(tensorflow.warnings) == 1
    assert "libcudart.so.10.0" in tensorflow.warnings[0]


def test_only_the_gpu_of_rocminfo() -> None:
    assert len(value(read(ROCMINFO), "machine.gpus.devices")) == 1


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("GPU targets gfx900;gfx906;gfx1030", "machine.gpus"),  # what something was built for
        ("gfx906 and gfx1030 are supported", "machine.gpus"),
        (OOM, "machine.gpus"),
        ("HF_TOKEN=hf_secret", "environment"),  # not on the list of what may be read
        ("LD_LIBRARY_PATH=$LD_LIBRARY_PATH:/usr/local/cuda/lib64", "environment"),
        ("The current device supports sm_90.", "frameworks"),
        (
            "01:00.1 Audio device [0403]: NVIDIA Corporation GB202 High Definition Audio Controller [10de:22e8]",
            "machine",
        ),
        ("CPU:0 (Intel Core i7, 8192MiB)", "machine.nvidia"),
        ("Xid is an error code", "machine"),
    ],
)
def test_silent(text: str, fact: str) -> None:
    assert value(read(text), fact) is None


def test_two_machines_are_not_put_together() -> None:
    """Comfy-Org/ComfyUI#788: the logs of two computers in one ticket."""
    other = COMFY.replace("RTX 3080", "GTX 1660 SUPER")
    found = reported_in(lines_of(COMFY + "\n" + other))
    assert [gpu.name for gpu in value(found.facts, "machine.nvidia.devices")] == ["NVIDIA GeForce RTX 3080"]
    assert [contradiction.other for contradiction in found.contradictions] == ["NVIDIA GeForce GTX 1660 SUPER"]


def test_the_bus_and_the_driver_speak_of_one_card() -> None:
    text = LSPCI_PLAIN + "\nGPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-5d5ba0d6-0000-0000-0000-000000000000)"
    (gpu,) = value(read(text), "machine.gpus.devices")
    assert (gpu.address, gpu.device_id is None) == ("0000:01:00.0", True)
    assert len(value(read(text), "machine.nvidia.devices")) == 1


def test_the_bus_and_the_drivers_table_speak_of_one_card() -> None:
    table = (
        "|   0  NVIDIA GeForce RTX 3090        Off | 00000000:01:00.0  On |                  N/A |\n"
        "| 30%   40C    P8    20W / 350W |    500MiB / 24576MiB |      0%      Default |"
    )
    text = f"{LSPCI_PLAIN}\nNVIDIA-SMI 535.54.03\n{table}"
    (gpu,) = value(read(text), "machine.gpus.devices")
    assert gpu.address == "0000:01:00.0"
    (device,) = value(read(text), "machine.nvidia.devices")
    assert device.pci_address == "00000000:01:00.0"
