"""The tables of companions, ONNX Runtime, TensorFlow, JAX and TensorRT."""

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from checks.knowledge.frameworks.jax import fitting_plugin
from checks.knowledge.frameworks.onnxruntime import OnnxRuntimeTable, flavour, gpu_release, newest_gpu_release
from checks.knowledge.frameworks.tensorflow import TensorFlowTable, fitting_tensorflow, tensorflow_release, unserved
from checks.knowledge.frameworks.tensorrt import TensorRtTable, fitting_tensorrt, serves, tensorrt_release
from checks.knowledge.frameworks.torch import TorchTable
from checks.knowledge.packages.torch_companions import TorchCompanions, companion_names, fits, fitting, wanted_torch


@pytest.mark.parametrize(
    ("package", "version", "wanted"),
    [
        ("torchvision", "0.21.0+cu124", "==2.6.0"),
        ("torchvision", "0.29.2", ">=2.14.0"),
        ("torchaudio", "2.0.2", "==2.0.1"),
        ("xformers", "0.0.28.post2", "==2.5.0"),
        ("torchvision", "0.99", None),
        ("torchvision", "no version", None),
    ],
)
def test_wanted_torch(package: str, version: str, wanted: str | None) -> None:
    assert wanted_torch(package, version) == wanted


def test_fitting() -> None:
    assert fitting("torchvision", "2.6.0+cu124") == "0.21.0"
    assert fitting("torchaudio", "2.13.0") == "2.11.0"
    assert fitting("torchvision", "2.15.0") == "0.29.2"
    assert fitting("torchvision", "1.7.0") is None
    assert fits("==2.6.0", "2.6.0a0+git1234") is True
    assert fits("==2.6.0", "none") is None


def test_companion_rows() -> None:
    assert companion_names() == {"torchvision", "torchaudio", "xformers"}
    released = [row.version for row in TorchTable.read().release]
    for row in TorchCompanions.read().fit:
        Version(row.version)
        assert any(SpecifierSet(row.torch).contains(each) for each in released), row


def test_every_torch_since_1_8_has_a_torchvision() -> None:
    assert [row.version for row in TorchTable.read().release if fitting("torchvision", row.version) is None] == []


def test_onnxruntime() -> None:
    assert gpu_release("1.23.1") == gpu_release("1.23.0")
    newest = newest_gpu_release(12, "3.12")
    assert newest is not None
    assert newest.version == "1.26.0"
    assert newest_gpu_release(11, "3.13") is None
    gpu = flavour("onnxruntime-gpu")
    assert gpu is not None
    assert gpu.gpu_vendor == "nvidia"
    assert flavour("onnxruntime-genai") is None
    assert newest_gpu_release(12, is_arm=True) is None
    assert all(row.python for row in OnnxRuntimeTable.read().gpu_release)


def test_tensorflow() -> None:
    row = tensorflow_release("2.16.2")
    assert row is not None
    assert row.cudnn == "8.9"
    assert not row.windows_gpu
    maxwell = fitting_tensorflow("5.2", "3.12")
    assert maxwell is not None
    assert maxwell.version == "2.16.1"
    assert fitting_tensorflow("12.0") is None
    assert fitting_tensorflow("8.6", "3.14") is None
    assert unserved("2.20.0", "12.0") is not None
    assert unserved("2.20.0", "8.9") is None
    last_on_windows = max((row.version for row in TensorFlowTable.read().release if row.windows_gpu), key=Version)
    assert last_on_windows == "2.10.0"


def test_jax() -> None:
    newest = fitting_plugin(("12.0",), "580.65")
    assert newest is not None
    assert newest.extra == "cuda13"
    older = fitting_plugin(("6.1", "12.0"), "580.65")
    assert older is not None
    assert older.extra == "cuda12"
    assert fitting_plugin(("3.7",), "580.65") is None
    assert fitting_plugin(("8.6",), "470.256") is None


def test_tensorrt() -> None:
    volta = tensorrt_release("10.5.0.18")
    assert volta is not None
    assert not serves(volta, "7.0")
    assert serves(volta, "7.5")
    assert not serves(volta, "12.0")
    spark = tensorrt_release("10.13.3.9")
    assert spark is not None
    assert spark.version == "10.13.3"
    assert serves(spark, "12.1")
    assert tensorrt_release("10.99") is None
    pascal = fitting_tensorrt("6.1")
    assert pascal is not None
    assert pascal.version == "9.3"
    assert all(Version(row.oldest) for row in TensorRtTable.read().release)
