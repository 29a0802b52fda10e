"""The PyTorch probe against versions and builds that cannot be installed here.

The stub has the names that the probe asks for, as they stand in the sources of the versions named in each test
(torch/cuda/__init__.py, torch/csrc/cuda/Module.cpp, torch/version.py.in, torch/backends); messages are verbatim.
"""

import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from checks.engine.catalogues.probes import PROBES, read_answer
from checks.engine.processes.runner import ProbeTask, run_probe
from checks.facts import TorchFacts
from checks.probes.ask import torch as torch_probe

# What every version has: tensors that compute with whole numbers, and settings by their oldest names.
COMMON = """
from types import SimpleNamespace as Names
import warnings

from . import version

__version__ = version.__version__
float32 = "torch.float32"


class Tensor:
    def __init__(self, rows, device="cpu"):
        self.rows = rows
        self.device = device

    def __mul__(self, by):
        return Tensor([[value * by for value in row] for row in self.rows], self.device)

    def __add__(self, more):
        return Tensor([[value + more for value in row] for row in self.rows], self.device)

    def sum(self):
        return Tensor([[float(sum(map(sum, self.rows)))]])

    def item(self):
        return self.rows[0][0]

    def tolist(self):
        return [[float(value) for value in row] for row in self.rows]


def tensor(rows, dtype=None, device="cpu"):
    if device in BROKEN:
        raise RuntimeError(BROKEN[device])
    return Tensor(rows, device)


def matmul(left, right):
    rows = [[sum(a * b for a, b in zip(row, column)) for column in zip(*right.rows)] for row in left.rows]
    if left.device in WRONG:
        rows[0][0] += 1
    return Tensor(rows, left.device)


def arange(count, dtype=None):
    raise RuntimeError("Numpy is not available")


BROKEN, WRONG = {}, ()
__config__ = Names(show=lambda: "PyTorch built with:\\n  - GCC 7.3\\n  - CPU capability usage: AVX2\\n")
are_deterministic_algorithms_enabled = lambda: False
compiled_with_cxx11_abi = lambda: False
get_num_threads = lambda: 8
_C = Names(_cuda_getArchFlags=lambda: ARCHITECTURES)
ARCHITECTURES = None
backends = Names(
    cudnn=Names(enabled=True, benchmark=False, deterministic=False, allow_tf32=True, version=lambda: None),
    cuda=Names(matmul=Names(allow_tf32=True)),
)
cuda = Names(is_available=lambda: False, device_count=lambda: 0, nccl=Names())
"""


def probed(folder: Path, version: str, code: str) -> TorchFacts:
    """The facts that the probe reads from the stub."""
    package = folder / "torch"
    package.mkdir()
    (package / "version.py").write_text(dedent(version))
    (package / "__init__.py").write_text(COMMON + dedent(code))
    (spec,) = [probe for probe in PROBES if probe.id == "torch"]
    task = ProbeTask(spec.id, spec.script, sys.executable, environment={"PYTHONPATH": str(folder)})
    answer = run_probe(task)
    assert answer.run.status == "ok", answer.run.stderr_tail
    assert [stage.error for stage in answer.run.stages if stage.error] == []
    fact = read_answer(spec, answer)
    assert isinstance(fact, TorchFacts)
    return fact


def test_torch_1_8_with_cuda(tmp_path: Path) -> None:
    torch = probed(
        tmp_path,
        "__version__ = '1.8.0+cu111'\ndebug = False\ncuda = '11.1'\ngit_version = '37c1f4a'\nhip = None\n",
        """
        ARCHITECTURES = "sm_37 sm_50 sm_60 sm_70 sm_75 sm_80 sm_86"
        backends.cudnn.version = lambda: 8005
        properties = Names(name="GeForce GTX 1080 Ti", major=6, minor=1, total_memory=11721506816)
        cuda = Names(
            is_available=lambda: True,
            init=lambda: None,
            device_count=lambda: 1,
            get_device_properties=lambda index: properties,
            nccl=Names(version=lambda: 2708),
        )
        """,
    )
    assert (torch.build, torch.cuda_version, torch.hip_version) == ("cuda", "11.1", "")
    assert (torch.cudnn_version, torch.nccl_version) == ("8.0.5", "2.7.8")
    assert torch.arch_list == ("sm_37", "sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86")
    assert torch.cpu_capability == "AVX2"
    assert (torch.mps_built, torch.xpu_available) == (False, False)
    _, gpu = torch.devices or ()
    assert (gpu.device, gpu.name, gpu.compute_capability) == ("cuda:0", "GeForce GTX 1080 Ti", "6.1")
    assert gpu.unread == {"uuid": "not in this version", "pci_address": "not in this version"}
    assert gpu.kernel is not None
    assert (gpu.kernel.ran, gpu.kernel.correct) == (True, True)
    assert torch.numpy_bridge is not None
    assert torch.numpy_bridge.error is not None
    assert torch.numpy_bridge.error.message == "Numpy is not available"
    assert "torch.get_float32_matmul_precision" in torch.unread["settings"]


def test_torch_2_7_with_two_gpus_of_which_one_has_no_kernels_and_one_miscalculates(tmp_path: Path) -> None:
    message = "CUDA error: no kernel image is available for execution on the device"
    torch = probed(
        tmp_path,
        """
        from typing import Optional

        __version__ = '2.7.1+cu126'
        debug = False
        cuda: Optional[str] = '12.6'
        git_version = 'e2d141d'
        hip: Optional[str] = None
        xpu: Optional[str] = None
        """,
        f"""
        ARCHITECTURES = "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"
        BROKEN, WRONG = {{"cuda:0": {message!r}}}, ("cuda:1",)
        backends.cudnn.version = lambda: 90501
        backends.cpu = Names(get_cpu_capability=lambda: "AVX512")
        backends.mps = Names(is_built=lambda: False, is_available=lambda: False)
        xpu = Names(is_available=lambda: False, device_count=lambda: 0)
        properties = [
            Names(name="NVIDIA GeForce RTX 5090", major=12, minor=0, total_memory=33661911040, uuid="11111111-2222",
                  pci_domain_id=0, pci_bus_id=1, pci_device_id=0),
            Names(name="NVIDIA GeForce RTX 4090", major=8, minor=9, total_memory=25386352640, uuid="33333333-4444",
                  pci_domain_id=0, pci_bus_id=65, pci_device_id=0),
        ]

        def init():
            warnings.warn("NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current "
                          "PyTorch installation.")

        cuda = Names(
            is_available=lambda: True,
            init=init,
            device_count=lambda: 2,
            get_device_properties=properties.__getitem__,
            mem_get_info=lambda device: (24 << 30, 32 << 30),
            nccl=Names(version=lambda: (2, 26, 2)),
        )
        """,
    )
    assert (torch.cudnn_version, torch.nccl_version, torch.cpu_capability) == ("9.5.1", "2.26.2", "AVX512")
    assert any("sm_120 is not compatible" in warning for warning in torch.warnings or ())
    _, first, second = torch.devices or ()
    assert (first.pci_address, second.pci_address) == ("0000:01:00.0", "0000:41:00.0")
    assert first.kernel is not None
    assert first.kernel.error is not None
    assert (first.kernel.ran, first.kernel.error.message) == (False, message)
    assert first.memory_free is None
    assert second.kernel is not None
    assert (second.kernel.ran, second.kernel.correct) == (True, False)
    assert second.memory_free == 24 << 30


def test_a_driver_that_is_too_old(tmp_path: Path) -> None:
    message = "The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver"
    torch = probed(
        tmp_path,
        "__version__ = '2.6.0+cu124'\ncuda = '12.4'\nhip = None\nxpu = None\ngit_version = ''\ndebug = False\n",
        f"""
        def is_available():
            warnings.warn("CUDA initialization: " + {message!r})
            return False

        def init():
            raise RuntimeError({message!r})

        def cudnn():
            raise RuntimeError("cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) "
                               "but found runtime version (8, 9, 2).")

        backends.cudnn.version = cudnn
        nccl = Names(version=lambda: (2, 21, 5))
        cuda = Names(is_available=is_available, init=init, device_count=lambda: 0, nccl=nccl)
        """,
    )
    assert (torch.cuda_available, torch.cuda_device_count) == (False, 0)
    assert torch.cuda_error is not None
    assert torch.cuda_error.message == message
    assert torch.warnings == (f"UserWarning: CUDA initialization: {message}",)
    assert torch.cudnn_version is None
    assert "(8, 9, 2)" in torch.unread["cudnn_version"]
    assert [device.device for device in torch.devices or ()] == ["cpu"]


def test_rocm(tmp_path: Path) -> None:
    torch = probed(
        tmp_path,
        "__version__ = '2.5.1+rocm6.2'\ncuda = None\nhip = '6.2.41133-dd7f95766'\ngit_version = ''\ndebug = False\n",
        """
        ARCHITECTURES = "gfx900 gfx906 gfx908 gfx90a gfx1030 gfx1100 gfx942"
        properties = Names(name="AMD Radeon RX 7900 XTX", major=11, minor=0, total_memory=25753026560,
                           gcnArchName="gfx1100:sramecc-:xnack-")
        cuda = Names(
            is_available=lambda: True,
            init=lambda: None,
            device_count=lambda: 1,
            get_device_properties=lambda index: properties,
            mem_get_info=lambda device: (1, 2),
            nccl=Names(version=lambda: (2, 20, 5)),
        )
        """,
    )
    assert (torch.build, torch.cuda_version, torch.hip_version) == ("rocm", "", "6.2.41133-dd7f95766")
    assert torch.cudnn_version is None
    gpu = (torch.devices or ())[1]
    assert (gpu.gfx_target, gpu.compute_capability) == ("gfx1100", None)


def test_xpu(tmp_path: Path) -> None:
    torch = probed(
        tmp_path,
        "__version__ = '2.7.0+xpu'\ncuda = None\nhip = None\nxpu = '20250000'\ngit_version = ''\ndebug = False\n",
        """
        xpu = Names(
            is_available=lambda: True,
            device_count=lambda: 1,
            get_device_properties=lambda index: Names(name="Intel(R) Arc(TM) B580 Graphics", total_memory=12168933376),
        )
        """,
    )
    assert (torch.build, torch.xpu_version, torch.xpu_available, torch.cuda_available) == (
        "xpu",
        "20250000",
        True,
        False,
    )
    gpu = (torch.devices or ())[1]
    assert (gpu.device, gpu.name) == ("xpu:0", "Intel(R) Arc(TM) B580 Graphics")
    assert gpu.kernel is not None
    assert gpu.kernel.correct is True


@pytest.mark.parametrize(("available", "devices"), [(True, ["cpu", "mps"]), (False, ["cpu"])])
def test_apple(tmp_path: Path, available: bool, devices: list[str]) -> None:
    message = "The MPS backend is supported on MacOS 14.0+. Current OS version can be queried using `sw_vers`"
    torch = probed(
        tmp_path,
        "__version__ = '2.9.0'\ncuda = None\nhip = None\nxpu = None\ngit_version = ''\ndebug = False\n",
        f"""
        backends.mps = Names(is_built=lambda: True, is_available=lambda: {available})
        BROKEN = {{}} if {available} else {{"mps": {message!r}}}
        """,
    )
    assert (torch.build, torch.mps_built, torch.mps_available) == ("cpu", True, available)
    assert torch.mps_error == (None if available else message)
    assert [device.device for device in torch.devices or ()] == devices


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return torch_probe


@pytest.mark.parametrize(
    ("number", "version"),
    [(7605, "7.6.5"), (8005, "8.0.5"), (8902, "8.9.2"), (90100, "9.1.0"), (91002, "9.10.2"), (None, "")],
)
def test_cudnn_numbers(script: ModuleType, number: int | None, version: str) -> None:
    assert script.kit.cudnn_version(number) == version


@pytest.mark.parametrize(
    ("told", "version"),
    [(2708, "2.7.8"), (21003, "2.10.3"), ((2, 21, 5), "2.21.5"), ((2, 27, 3, "ngc"), "2.27.3.ngc")],
)
def test_nccl_versions(script: ModuleType, told: object, version: str) -> None:
    assert script._nccl_version(told) == version
