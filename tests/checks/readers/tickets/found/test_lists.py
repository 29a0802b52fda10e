# ruff: noqa: E501 - what programs printed stays as it is
"""collect_env and its relatives, issue forms and start-up lines, as pasted in public threads."""

from typing import Any

import pytest

from checks.facts import Facts, Frameworks, MachineFacts
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import ReportedFacts, reported_in


def read(text: str) -> Facts:
    return reported_in(lines_of(text)).facts


def machine(text: str) -> MachineFacts:
    found = read(text).machine
    assert found is not None
    return found


def frameworks(text: str) -> Frameworks:
    found = read(text).frameworks
    assert found is not None
    return found


def capabilities(text: str) -> list[str | None]:
    gpus = machine(text).gpus
    return [gpu.compute_capability for gpu in gpus.devices] if gpus else []


def value(facts: Any, path: str) -> Any:
    for name in path.split("."):
        facts = getattr(facts, name)
    return facts


# vllm-project/vllm#9293
COLLECT_ENV = """\
Collecting environment information...
PyTorch version: 2.4.0+cu121
Is debug build: False
CUDA used to build PyTorch: 12.1
ROCM used to build PyTorch: N/A

OS: Ubuntu 22.04.2 LTS (x86_64)
GCC version: (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0
Clang version: 14.0.0-1ubuntu1.1
CMake version: version 3.30.2
Libc version: glibc-2.35

Python version: 3.12.3 | packaged by Anaconda, Inc. | (main, May  6 2024, 19:46:43) [GCC 11.2.0] (64-bit runtime)
Python platform: Linux-5.15.153.1-microsoft-standard-WSL2-x86_64-with-glibc2.35
Is CUDA available: True
CUDA runtime version: 12.4.131
CUDA_MODULE_LOADING set to: LAZY
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 4070 Laptop GPU
Nvidia driver version: 551.88
cuDNN version: Could not collect
HIP runtime version: N/A

CPU:
Architecture:                       x86_64
CPU op-mode(s):                     32-bit, 64-bit
Vendor ID:                          GenuineIntel
Model name:                         13th Gen Intel(R) Core(TM) i9-13950HX
CPU family:                         6
Flags:                              fpu vme de pse tsc msr pae mce cx8 sse sse2 avx avx2

Versions of relevant libraries:
[pip3] numpy==1.26.4
[pip3] torch==2.4.0
[conda] numpy                     1.26.4                   pypi_0    pypi
[conda] torch                     2.4.0                    pypi_0    pypi
"""

# vectorch-ai/ScaleLLM, vllm-project/vllm#10147: the list of GPUs below its heading
SEVERAL = """\
PyTorch version: 2.5.1+cu118
GPU models and configuration:
GPU 0: Tesla V100S-PCIE-32GB
GPU 1: Tesla V100S-PCIE-32GB
GPU 2: NVIDIA A10

Nvidia driver version: 550.54.14
"""

# vllm-project/vllm#21310: vLLM since 0.9
VLLM = """\
==============================
        System Info
==============================
OS                           : Red Hat Enterprise Linux release 8.3 (Ootpa) (x86_64)
GCC version                  : (GCC) 8.5.0 20210514 (Red Hat 8.5.0-3)
Libc version                 : glibc-2.28

==============================
       PyTorch Info
==============================
PyTorch version              : 2.5.1+cu124
Is debug build               : False
CUDA used to build PyTorch   : 12.4
ROCM used to build PyTorch   : N/A

==============================
      Python Environment
==============================
Python version               : 3.10.16 | packaged by conda-forge | (main, Dec  5 2024, 14:16:10) [GCC 13.3.0]
==============================
         vLLM Info
==============================
vLLM Version                 : 0.7.1
"""

# vllm-project/vllm#18285
WITHOUT_CUDA = """\
PyTorch version: 2.7.0
CUDA used to build PyTorch: None
ROCM used to build PyTorch: N/A
OS: macOS 15.4.1 (arm64)
Python platform: macOS-15.4.1-arm64-arm-64bit
Is CUDA available: False
CUDA runtime version: No CUDA
GPU models and configuration: No CUDA
Nvidia driver version: No CUDA
"""

# pytorch/pytorch#18119: the form of 2019
OLD_FORM = """\
 - PyTorch Version (e.g., 1.0): 1.0.1.post2
 - OS (e.g., Linux): Ubuntu 16.04
 - How you installed PyTorch (`conda`, `pip`, source): pip
 - Python version: 3.6
 - CUDA/cuDNN version: 9.0/7
 - GPU models and configuration: GTX 1080
"""

# NVIDIA/TensorRT#574
TENSORRT = """\
**TensorRT Version**:  5.1.5.0
**GPU Type**: GTX1080Ti
**Nvidia Driver Version**: 445.75
**CUDA Version**: 10.0
**CUDNN Version**: 7.5.1 , also try 7.6.5
**Operating System + Version**: windows 10
**Python Version (if applicable)**: 3.7.4
**PyTorch Version (if applicable)**:
"""

# tensorflow/tensorflow#127346: headings with the answer below
HEADINGS = """\
### TensorFlow version

TensorFlow 2.20.0

### OS platform and distribution

Ubuntu 22.04.5 LTS, x86_64

### Python version

Python 3.11.14

### GPU model and memory

NVIDIA L4 24GB
"""

TRANSFORMERS = """\
- `transformers` version: 4.36.0
- Platform: Linux-5.15.0-86-generic-x86_64-with-glibc2.35
- Python version: 3.10.12
- Huggingface_hub version: 0.19.4
- Accelerate version: 0.25.0
- PyTorch version (GPU?): 2.1.0+cu121 (True)
- Tensorflow version (GPU?): not installed (NA)
- Using GPU in script?: yes
"""

# facebookresearch/detectron2's two columns
DETECTRON = """\
----------------------  ---------------------------------------------------------------
sys.platform            linux
Python                  3.8.5 (default, Sep  4 2020, 07:30:14) [GCC 7.3.0]
numpy                   1.19.2
PyTorch                 1.7.0 @/home/user/anaconda3/lib/python3.8/site-packages/torch
PyTorch debug build     False
GPU available           True
GPU 0                   GeForce RTX 2080 Ti (arch=7.5)
----------------------  ---------------------------------------------------------------
"""

# facebookresearch/xformers#982
XFORMERS = """\
WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:
    PyTorch 2.2.0+cu121 with CUDA 1201 (you have 2.2.0+cpu)
    Python  3.11.7 (you have 3.11.0)
"""

WANTED = [
    (COLLECT_ENV, "frameworks.torch.version", "2.4.0+cu121"),
    (COLLECT_ENV, "frameworks.torch.cuda_version", "12.1"),
    (COLLECT_ENV, "frameworks.torch.build", "cuda"),
    (COLLECT_ENV, "frameworks.torch.cuda_available", True),
    (COLLECT_ENV, "frameworks.torch.hip_version", None),
    (COLLECT_ENV, "machine.os.name", "Ubuntu 22.04.2"),
    (COLLECT_ENV, "machine.os.distribution", "ubuntu"),
    (COLLECT_ENV, "machine.os.libc_version", "2.35"),
    (COLLECT_ENV, "machine.os.wsl", 2),
    (COLLECT_ENV, "machine.os.kernel", "5.15.153.1-microsoft-standard-WSL2"),
    (COLLECT_ENV, "machine.os.architecture", "x86_64"),
    (COLLECT_ENV, "target_interpreter.version", "3.12.3"),
    (COLLECT_ENV, "environment.nvcc_version", "12.4.131"),
    (COLLECT_ENV, "machine.nvidia.driver_version", "551.88"),
    (COLLECT_ENV, "machine.cpu.name", "13th Gen Intel(R) Core(TM) i9-13950HX"),
    (VLLM, "machine.os.name", "Red Hat Enterprise Linux 8.3"),
    (VLLM, "frameworks.torch.version", "2.5.1+cu124"),
    (VLLM, "target_interpreter.version", "3.10.16"),
    (WITHOUT_CUDA, "frameworks.torch.cuda_version", ""),
    (WITHOUT_CUDA, "frameworks.torch.build", None),  # a Mac's build is neither for CUDA nor for the processor alone
    (WITHOUT_CUDA, "frameworks.torch.cuda_available", False),
    (WITHOUT_CUDA, "machine.os.system", "Darwin"),
    (WITHOUT_CUDA, "machine.apple.macos_version", "15.4.1"),
    (WITHOUT_CUDA, "machine.apple.is_apple_silicon", True),
    (WITHOUT_CUDA, "machine.nvidia", None),
    (WITHOUT_CUDA, "machine.gpus", None),
    (OLD_FORM, "frameworks.torch.version", "1.0.1.post2"),
    (OLD_FORM, "machine.os.version", "16.04"),
    (OLD_FORM, "target_interpreter.version", "3.6"),
    (TENSORRT, "frameworks.tensorrt.version", "5.1.5.0"),
    (TENSORRT, "frameworks.torch", None),
    (TENSORRT, "machine.os.name", "Windows 10"),
    (TENSORRT, "machine.nvidia.driver_version", "445.75"),
    (HEADINGS, "frameworks.tensorflow.version", "2.20.0"),
    (HEADINGS, "machine.os.version", "22.04.5"),
    (HEADINGS, "target_interpreter.version", "3.11.14"),
    (TRANSFORMERS, "frameworks.torch.version", "2.1.0+cu121"),
    (TRANSFORMERS, "frameworks.tensorflow", None),
    (TRANSFORMERS, "machine.os.kernel", "5.15.0-86-generic"),
    (DETECTRON, "frameworks.torch.version", "1.7.0"),
    (DETECTRON, "frameworks.torch.cuda_available", True),
    (DETECTRON, "target_interpreter.version", "3.8.5"),
    (XFORMERS, "frameworks.torch.version", "2.2.0+cpu"),
    (XFORMERS, "frameworks.torch.build", "cpu"),
    (XFORMERS, "target_interpreter.version", "3.11.0"),
]


@pytest.mark.parametrize(("text", "fact", "wanted"), WANTED)
def test_speaks(text: str, fact: str, wanted: object) -> None:
    assert value(read(text), fact) == wanted


def test_gpus() -> None:
    assert capabilities(COLLECT_ENV) == ["8.9"]
    assert capabilities(SEVERAL) == ["7.0", "7.0", "8.6"]
    assert capabilities(OLD_FORM) == ["6.1"]
    assert capabilities(TENSORRT) == ["6.1"]
    assert capabilities(HEADINGS) == ["8.9"]
    assert capabilities(DETECTRON) == ["7.5"]


def test_gpus_that_the_driver_listed_are_the_drivers_too() -> None:
    nvidia = machine(SEVERAL).nvidia
    assert nvidia is not None
    assert [gpu.index for gpu in nvidia.devices or ()] == [0, 1, 2]
    assert nvidia.nvml is None  # collect_env does not say that NVML answered


def test_gpus_of_a_form_are_not_the_drivers() -> None:
    nvidia = machine(TENSORRT).nvidia
    assert nvidia is not None
    assert nvidia.devices is None


def test_packages() -> None:
    interpreter = read(COLLECT_ENV).target_interpreter
    assert interpreter is not None
    assert [(package.name, package.version) for package in interpreter.packages or ()] == [
        ("numpy", "1.26.4"),
        ("torch", "2.4.0+cu121"),
    ]
    assert read(VLLM).target_interpreter.package("vllm").version == "0.7.1"  # type: ignore[union-attr]


def test_flags_of_the_processor() -> None:
    cpu = machine(COLLECT_ENV).cpu
    assert cpu is not None
    assert cpu.instruction_sets is not None
    assert cpu.instruction_sets[-2:] == ("avx", "avx2")


def test_places() -> None:
    found: ReportedFacts = reported_in(lines_of(COLLECT_ENV))
    assert found.places["frameworks.torch.version"] == (2,)
    assert found.places["machine.nvidia.driver_version"] == (19,)
    assert found.facts.frameworks is not None
    assert found.facts.frameworks.torch is not None
    assert found.facts.frameworks.torch.origin == "collect_env, lines 2-15"


def test_versions_that_belong_to_no_fact() -> None:
    found = reported_in(lines_of(OLD_FORM))
    assert found.mentions == {"cuda": ("9.0",), "cudnn": ("7",)}


@pytest.mark.parametrize(
    "text",
    ["Nvidia driver version: Could not collect", "GPU models and configuration: Could not collect", "OS: ", "TensorFlow version: not installed",
     "My system: it does not work", "Device: cpu", "GPU: RTX 50 series", "Python version (if applicable):"],
)  # fmt: skip
def test_silent(text: str) -> None:
    assert read(text) == Facts(reported=True)


def test_a_series_with_its_capability() -> None:
    assert capabilities("GPU: RTX 5000 series, compute capability 12.0") == ["12.0"]


def test_the_c_library_that_an_old_python_tells_is_not_the_systems() -> None:
    """pytorch/pytorch#64487 and others: 2.17 on Ubuntu 20.04 is what conda built that Python with (bpo-35389)."""
    text = "OS: Ubuntu 20.04.3 LTS (x86_64)\nLibc version: glibc-2.17\nPython version: 3.6.13 |Anaconda, Inc.|"
    assert value(read(text), "machine.os.libc_version") is None
    assert value(read(text.replace("3.6.13", "3.9.1")), "machine.os.libc_version") == "2.17"


def test_a_kernel_in_a_sentence_of_the_kernel_is_none() -> None:
    assert (
        value(read("Kernel: Linux version 3.10.0-1160.71.1.el7.x86_64"), "machine.os.kernel")
        == "3.10.0-1160.71.1.el7.x86_64"
    )
    assert value(read("kernel: NVRM: The driver could not be started"), "machine.os.kernel") is None


def test_tensorflow_of_a_git_tag() -> None:
    assert value(read("TensorFlow version: v1.2.0-5-g435cdfc 1.2.1"), "frameworks.tensorflow.version") == "1.2.1"
