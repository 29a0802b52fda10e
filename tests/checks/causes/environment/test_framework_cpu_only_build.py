"""When framework-cpu-only-build speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.framework_cpu_only_build import framework_cpu_only_build
from checks.facts import (
    AmdFacts,
    AmdNode,
    Frameworks,
    Gpu,
    Gpus,
    InterpreterFacts,
    JetsonFacts,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OnnxRuntimeFacts,
    OsFacts,
    Package,
    Symptom,
    TensorFlowFacts,
    TorchFacts,
)
from checks.facts.finding import Finding, Severity, Unread

LINUX = OsFacts(system="Linux", architecture="x86_64", libc="glibc")
WINDOWS = OsFacts(system="Windows", architecture="AMD64")
MAC = OsFacts(system="Darwin", architecture="arm64")
CPU_TORCH = Frameworks(torch=TorchFacts(version="2.13.0+cpu", build="cpu", cuda_version=""))


def machine(os: OsFacts = LINUX, *, capability: str | None = "8.9", driver: str = "560.94") -> MachineFacts:
    gpu = NvidiaGpu(index=0, name="NVIDIA GeForce RTX 4060", compute_capability=capability)
    return MachineFacts(os=os, nvidia=NvidiaFacts(nvml="ok", driver_version=driver, devices=(gpu,)))


def python(*packages: Package, architecture: str = "x86_64", version: str = "3.11.9") -> InterpreterFacts:
    return InterpreterFacts(path="/venv/bin/python", version=version, architecture=architecture, packages=packages)


def findings(
    frameworks: Frameworks,
    where: MachineFacts,
    interpreter: InterpreterFacts | None = None,
    symptom: Symptom | None = None,
) -> list[Finding]:
    return list(framework_cpu_only_build(frameworks, where, interpreter or python(), symptom))


@pytest.mark.parametrize(
    ("symptom", "severity"),
    [
        pytest.param(None, Severity.BLOCKING, id="not-said"),
        pytest.param(Symptom(name="not-on-gpu"), Severity.BLOCKING, id="the-gpu-is-missed"),
        pytest.param(Symptom(name="results-differ"), Severity.WARNING, id="the-numbers-come-from-the-cpu-too"),
    ],
)
def test_how_bad_it_is_depends_on_what_the_user_misses(symptom: Symptom | None, severity: Severity) -> None:
    (finding,) = findings(CPU_TORCH, machine(), symptom=symptom)
    assert finding.severity is severity


def test_plain_install_on_windows() -> None:
    (finding,) = findings(CPU_TORCH, machine(WINDOWS), python(architecture="AMD64"))
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["framework"] == "torch 2.13.0+cpu"
    assert finding.values["torch_version"] == "2.13.0"
    assert (
        finding.values["torch_index"] == "https://download.pytorch.org/whl/cu126"
    )  # the driver is too old for CUDA 13


def test_the_version_alone_tells() -> None:
    # https://github.com/facebookresearch/xformers/issues/982: "(you have 2.2.0+cpu)"
    (finding,) = findings(Frameworks(torch=TorchFacts(version="2.2.0+cpu")), machine())
    assert finding.values["torch_packages"] == "torch==2.2.0 torchaudio==2.2.0 torchvision==0.17.0"


def test_without_a_working_driver_it_is_not_the_only_trouble() -> None:
    gpus = Gpus(devices=(Gpu(vendor_id="10de", product="GeForce RTX 4060", compute_capability="8.9"),))
    where = MachineFacts(os=LINUX, gpus=gpus, nvidia=NvidiaFacts(nvml="NVML_ERROR_DRIVER_NOT_LOADED"))
    (finding,) = findings(CPU_TORCH, where)
    assert finding.severity is Severity.WARNING
    assert finding.values["torch_variant"].startswith("cu")


def test_a_container_without_gpus_is_likely_meant_so() -> None:
    where = MachineFacts(
        os=OsFacts(system="Linux", architecture="x86_64", libc="glibc", container="docker"),
        gpus=Gpus(devices=(Gpu(vendor_id="10de", product="GeForce RTX 4060", compute_capability="8.9"),)),
        nvidia=NvidiaFacts(nvml="library-not-found"),
    )
    (finding,) = findings(CPU_TORCH, where)
    assert finding.severity is Severity.NOTE


def test_gpu_of_unknown_generation() -> None:
    (finding,) = findings(CPU_TORCH, machine(capability=None))
    assert finding.remedies == ("choose-torch-build",)


def test_jetson() -> None:
    where = MachineFacts(
        os=OsFacts(system="Linux", architecture="aarch64", libc="glibc"),
        jetson=JetsonFacts(model="NVIDIA Jetson Orin Nano", l4t_release="36.4.0", compute_capability="8.7"),
    )
    (finding,) = findings(Frameworks(torch=TorchFacts(version="2.8.0+cpu", build="cpu")), where)
    assert finding.remedies == ("install-torch-for-jetson",)


def test_amd_card() -> None:
    where = MachineFacts(os=LINUX, amd=AmdFacts(nodes=(AmdNode(gfx_target="gfx1100", name="Radeon RX 7900 XTX"),)))
    (finding,) = findings(CPU_TORCH, where)
    assert finding.severity is Severity.WARNING
    assert finding.values["torch_variant"] == "rocm7.2"
    assert finding.placeholders()["gpu"] == "Radeon RX 7900 XTX"


def test_onnxruntime() -> None:
    runtime = OnnxRuntimeFacts(version="1.23.2", providers_listed=("AzureExecutionProvider", "CPUExecutionProvider"))
    alone = Frameworks(onnxruntime=runtime)
    installed = python(Package(name="onnxruntime", version="1.23.2"))
    (finding,) = findings(alone, machine(driver="560.94"), installed)
    assert finding.severity is Severity.WARNING
    assert finding.values == {
        "ort_installed": "onnxruntime",
        "ort_package": "onnxruntime-gpu[cuda,cudnn]==1.26.0",
    }
    beside = Frameworks(
        onnxruntime=runtime, torch=TorchFacts(version="2.8.0", cuda_version="12.8", cuda_available=True)
    )
    (finding,) = findings(beside, machine(), installed)
    assert finding.severity is Severity.NOTE
    assert finding.values["ort_package"] == "onnxruntime-gpu==1.26.0"  # shares the CUDA of torch


def test_tensorflow() -> None:
    frameworks = Frameworks(tensorflow=TensorFlowFacts(version="2.20.0", is_cuda_build=False))
    (finding,) = findings(frameworks, machine())
    assert finding.values == {"tf_package": "tensorflow[and-cuda]==2.20.0"}
    (finding,) = findings(frameworks, machine(), python(Package(name="tensorflow-cpu", version="2.20.0")))
    assert finding.values == {"wrong_package": "tensorflow-cpu", "right_package": "tensorflow[and-cuda]==2.20.0"}
    arm = machine(OsFacts(system="Linux", architecture="aarch64", libc="glibc"))
    (finding,) = findings(frameworks, arm, python(architecture="aarch64"))
    assert finding.remedies[0] == "use-nvidia-tensorflow-container"


@pytest.mark.parametrize(
    ("frameworks", "where"),
    [
        pytest.param(CPU_TORCH, MachineFacts(os=LINUX, gpus=Gpus()), id="no-gpu-at-all"),
        pytest.param(CPU_TORCH, MachineFacts(os=MAC), id="mac-has-no-other-build"),
        pytest.param(CPU_TORCH, machine(capability="2.1"), id="gpu-that-no-build-serves"),
        pytest.param(
            Frameworks(torch=TorchFacts(version="2.13.0", build="cuda", cuda_version="13.0")),
            machine(),
            id="cuda-build",
        ),
        pytest.param(
            Frameworks(torch=TorchFacts(version="2.13.0", cuda_version="13.0")),
            MachineFacts(os=LINUX, gpus=Gpus()),
            id="default-linux-wheel-without-a-gpu",
        ),
        pytest.param(
            CPU_TORCH,
            MachineFacts(os=LINUX, amd=AmdFacts(nodes=(AmdNode(gfx_target="gfx1036", name="Raphael"),))),
            id="graphics-of-a-processor",
        ),
        pytest.param(
            Frameworks(tensorflow=TensorFlowFacts(version="2.16.1", is_cuda_build=False)),
            machine(WINDOWS),
            id="tensorflow-on-windows-is-another-cause",
        ),
        pytest.param(
            Frameworks(onnxruntime=OnnxRuntimeFacts(version="1.23.2", providers_listed=("DmlExecutionProvider",))),
            machine(WINDOWS),
            id="directml-uses-the-gpu",
        ),
    ],
)
def test_silent(frameworks: Frameworks, where: MachineFacts) -> None:
    assert findings(frameworks, where) == []


def test_several_flavours_are_another_cause() -> None:
    runtime = OnnxRuntimeFacts(version="1.23.2", providers_listed=("CPUExecutionProvider",))
    both = python(Package(name="onnxruntime", version="1.23.2"), Package(name="onnxruntime-gpu", version="1.23.2"))
    assert findings(Frameworks(onnxruntime=runtime), machine(), both) == []


def test_unread_build_is_not_called_healthy() -> None:
    with pytest.raises(Unread, match="cuda_version"):
        findings(Frameworks(torch=TorchFacts(version="2.13.0")), machine())
