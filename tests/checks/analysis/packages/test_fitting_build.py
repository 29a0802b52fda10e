"""The build that is recommended for a machine and an interpreter, as values for the remedies."""

import pytest

from checks.analysis.gpu.cuda import cuda_gpus, cuda_works, hides_all_gpus, names
from checks.analysis.packages.fitting_build import (
    onnxruntime_values,
    python_tag,
    torch_remedies,
    torch_values,
    wheel_platform,
)
from checks.facts import (
    AmdFacts,
    AmdNode,
    EnvironmentVariables,
    Gpu,
    Gpus,
    InterpreterFacts,
    JetsonFacts,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    Package,
)

LINUX = OsFacts(system="Linux", architecture="x86_64", libc="glibc")
PYTHON = InterpreterFacts(path="/p", version="3.12.3", architecture="x86_64")


def nvidia(*capabilities: str, driver: str | None = "580.95.05") -> MachineFacts:
    gpus = tuple(NvidiaGpu(index=i, name=f"GPU {c}", compute_capability=c) for i, c in enumerate(capabilities))
    return MachineFacts(os=LINUX, nvidia=NvidiaFacts(nvml="ok", driver_version=driver, devices=gpus))


@pytest.mark.parametrize(
    ("os", "architecture", "expected"),
    [
        (LINUX, "x86_64", "linux_x86_64"),
        (LINUX, None, "linux_x86_64"),
        (OsFacts(system="Linux", architecture="aarch64"), "aarch64", "linux_aarch64"),
        (OsFacts(system="Linux", architecture="x86_64", libc="musl"), "x86_64", None),
        (OsFacts(system="Windows", architecture="AMD64"), "AMD64", "windows"),
        (OsFacts(system="Windows", architecture="AMD64"), "x86", None),
        (OsFacts(system="Darwin", architecture="arm64"), "x86_64", "macos_x86_64"),
        (OsFacts(system="Darwin", architecture="arm64"), "universal2", "macos_arm64"),
        (OsFacts(), "x86_64", None),
    ],
)
def test_platform(os: OsFacts, architecture: str | None, expected: str | None) -> None:
    interpreter = InterpreterFacts(path="/p", architecture=architecture)
    assert wheel_platform(MachineFacts(os=os), interpreter) == expected


def test_python_tag() -> None:
    assert python_tag(PYTHON) == "3.12"
    assert python_tag(InterpreterFacts(path="/p", version="3.13.1", free_threaded=True)) == "3.13t"
    assert python_tag(InterpreterFacts(path="/p")) is None


def test_values_for_nvidia() -> None:
    interpreter = InterpreterFacts(
        path="/p", version="3.12.3", architecture="x86_64", packages=(Package(name="torchvision", version="0.20.1"),)
    )
    assert torch_values(nvidia("8.9"), interpreter, keep="2.13.0+cpu") == {
        "torch_version": "2.13.0",
        "torch_variant": "cu130",
        "torch_index": "https://download.pytorch.org/whl/cu130",
        "torch_device": "cuda",
        "torch_packages": "torch==2.13.0 torchvision==0.28.0",
        "torch_installed": "torch torchvision",
    }


def test_an_unknown_driver_is_taken_for_a_common_one() -> None:
    assert torch_values(nvidia("8.9", driver=None), PYTHON, keep="2.13.0")["torch_variant"] == "cu126"
    thor = InterpreterFacts(path="/p", architecture="aarch64")
    assert torch_values(nvidia("11.0", driver=None), thor)["torch_variant"] == "cu132"  # no CUDA 12 build knows it


def test_values_without_nvidia() -> None:
    amd = MachineFacts(os=LINUX, amd=AmdFacts(nodes=(AmdNode(gfx_target="gfx1100"),)))
    assert torch_values(amd, PYTHON)["torch_variant"] == "rocm7.2"
    assert torch_values(MachineFacts(os=LINUX), PYTHON)["torch_variant"] == "cpu"
    jetson = MachineFacts(os=OsFacts(system="Linux", architecture="aarch64"), jetson=JetsonFacts(model="Orin"))
    assert torch_values(jetson, InterpreterFacts(path="/p", version="3.10.12", architecture="aarch64")) == {}


def test_remedies_follow_the_values() -> None:
    assert torch_remedies({"torch_packages": "torch"}, "last") == ("install-fitting-torch-build",)
    assert torch_remedies({"python_fit": "3.12"}, "last") == ("make-environment-with-python",)
    assert torch_remedies({"served_gpu": "0"}, "last") == ("choose-served-gpu", "last")
    assert torch_remedies({}, "last") == ("last",)


def test_onnxruntime() -> None:
    assert onnxruntime_values(nvidia("8.9"), PYTHON)["ort_package"] == "onnxruntime-gpu[cuda,cudnn]==1.31.1"
    assert onnxruntime_values(nvidia("6.1"), PYTHON)["ort_package"] == "onnxruntime-gpu[cuda,cudnn]==1.26.0"
    assert onnxruntime_values(nvidia("8.9"), PYTHON, cuda_major=12)["ort_package"] == "onnxruntime-gpu==1.26.0"
    assert onnxruntime_values(nvidia("8.9", driver="470.256.02"), PYTHON) == {
        "ort_installed": "onnxruntime",
        "ort_package": "onnxruntime-gpu==1.18.1",
    }
    assert onnxruntime_values(nvidia("8.9", driver="440.33"), PYTHON) == {}
    on_jetson = MachineFacts(os=LINUX, jetson=JetsonFacts(model="Orin"))
    assert onnxruntime_values(on_jetson, PYTHON) == {}


def test_gpus_of_a_machine() -> None:
    on_bus = MachineFacts(
        gpus=Gpus(devices=(Gpu(vendor_id="10de", product="GeForce RTX 4090"), Gpu(vendor_id="1002", product="Navi 31")))
    )
    assert names(cuda_gpus(on_bus)) == "GeForce RTX 4090"
    assert cuda_works(on_bus) is None
    assert cuda_works(nvidia("8.9")) is True
    assert cuda_works(MachineFacts(nvidia=NvidiaFacts(nvml="NVML_ERROR_DRIVER_NOT_LOADED"))) is False
    assert cuda_gpus(None) == ()
    assert names(cuda_gpus(nvidia("8.0", "8.0"))) == "GPU 8.0"


@pytest.mark.parametrize(("value", "hidden"), [("", True), ("-1", True), ("0", False), ("0,1", False), (None, False)])
def test_hidden(value: str | None, hidden: bool) -> None:
    values = {} if value is None else {"CUDA_VISIBLE_DEVICES": value}
    assert hides_all_gpus(EnvironmentVariables(values=values)) is hidden
