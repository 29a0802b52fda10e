"""When build-lacks-newer-gpu-arch and build-dropped-older-gpu-arch speak, and when they keep silent."""

import pytest

from checks.causes.environment.build_dropped_older_gpu_arch import build_dropped_older_gpu_arch
from checks.causes.environment.build_lacks_newer_gpu_arch import build_lacks_newer_gpu_arch
from checks.facts import (
    ErrorText,
    FrameworkDevice,
    Frameworks,
    Gpu,
    Gpus,
    InterpreterFacts,
    JaxFacts,
    JetsonFacts,
    KernelLaunch,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OnnxRuntimeFacts,
    OsFacts,
    Package,
    ProviderStart,
    TensorFlowFacts,
    TorchFacts,
)
from checks.facts.finding import Finding, Severity, Unread

CU121 = ("sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90")  # torch 2.5.1+cu121, Linux
CU128 = ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120")  # torch 2.7.0+cu128
CU130 = ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120")  # torch 2.11.0+cu130
LINUX = OsFacts(system="Linux", architecture="x86_64", libc="glibc")
PYTHON = InterpreterFacts(path="/venv/bin/python", version="3.12.3", architecture="x86_64")
RAN = KernelLaunch(ran=True, correct=True)
NO_IMAGE = KernelLaunch(
    ran=False,
    error=ErrorText(
        type="RuntimeError", message="CUDA error: no kernel image is available for execution on the device"
    ),
)


def machine(*gpus: tuple[str, str | None], driver: str = "580.95.05", os: OsFacts = LINUX) -> MachineFacts:
    devices = tuple(
        NvidiaGpu(index=index, name=name, compute_capability=capability)
        for index, (name, capability) in enumerate(gpus)
    )
    return MachineFacts(os=os, nvidia=NvidiaFacts(nvml="ok", driver_version=driver, devices=devices))


def torch(version: str, cuda: str, codes: tuple[str, ...] | None, *devices: FrameworkDevice) -> Frameworks:
    return Frameworks(torch=TorchFacts(version=version, cuda_version=cuda, arch_list=codes, devices=devices or None))


def newer(frameworks: Frameworks, where: MachineFacts, interpreter: InterpreterFacts | None = PYTHON) -> list[Finding]:
    return list(build_lacks_newer_gpu_arch(frameworks, where, interpreter))


def older(frameworks: Frameworks, where: MachineFacts, interpreter: InterpreterFacts | None = PYTHON) -> list[Finding]:
    return list(build_dropped_older_gpu_arch(frameworks, where, interpreter))


RTX_5090 = ("NVIDIA GeForce RTX 5090", "12.0")
GTX_1080 = ("NVIDIA GeForce GTX 1080", "6.1")
RTX_3090 = ("NVIDIA GeForce RTX 3090", "8.6")


def test_rtx_5090_with_a_cu121_wheel() -> None:
    # https://github.com/pytorch/pytorch/issues/145949: the list printed there, and "sm_120 is not compatible".
    (finding,) = newer(torch("2.5.1+cu121", "12.1", CU121), machine(RTX_5090))
    assert finding.cause == "build-lacks-newer-gpu-arch"
    assert finding.severity is Severity.BLOCKING
    assert finding.confidence > 0.9
    shown = finding.placeholders()
    assert shown["gpu"] == "NVIDIA GeForce RTX 5090"
    assert shown["compute_capability"] == "12.0"
    assert shown["torch_packages"] == "torch==2.15.0 torchaudio==2.11.0 torchvision==0.29.2"
    assert shown["torch_index"] == "https://download.pytorch.org/whl/cu132"
    assert older(torch("2.5.1+cu121", "12.1", CU121), machine(RTX_5090)) == []


def test_gtx_1080_with_a_cu130_wheel() -> None:
    frameworks = torch("2.11.0+cu130", "13.0", CU130)
    (finding,) = older(frameworks, machine(GTX_1080))
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["torch_packages"] == "torch==2.11.0 torchaudio==2.11.0 torchvision==0.26.0"
    assert finding.placeholders()["torch_variant"] == "cu126"
    assert newer(frameworks, machine(GTX_1080)) == []


def test_companions_are_installed_with_it() -> None:
    interpreter = InterpreterFacts(
        path="/venv/bin/python",
        version="3.11.9",
        architecture="x86_64",
        packages=(Package(name="torchvision", version="0.20.1+cu121"), Package(name="torchaudio", version="2.5.1")),
    )
    (finding,) = newer(torch("2.5.1+cu121", "12.1", CU121), machine(RTX_5090, driver="570.86.10"), interpreter)
    assert finding.values["torch_packages"] == "torch==2.11.0 torchaudio==2.11.0 torchvision==0.26.0"
    assert finding.values["torch_installed"] == "torch torchaudio torchvision"


def test_the_table_answers_where_the_list_was_not_read() -> None:
    # get_arch_list() is empty when CUDA does not start, here because import failed.
    (finding,) = newer(torch("2.5.1+cu121", "12.1", ()), machine(RTX_5090))
    assert finding.evidence[3].origin.startswith("PyTorch releases")
    assert 0.8 < finding.confidence < 0.95


def test_no_list_at_all_but_a_cuda_that_cannot_know_the_gpu() -> None:
    # https://github.com/Comfy-Org/ComfyUI/issues/7126: CUDA 12.6 compiles for 9.0 at most.
    (finding,) = newer(torch("2.6.0+cu126", "12.6", None), machine(RTX_5090))
    assert finding.severity is Severity.BLOCKING
    (finding,) = older(torch("2.9.0", "13.0", None), machine(GTX_1080))
    assert finding.severity is Severity.BLOCKING


def test_gpu_from_the_bus() -> None:
    where = MachineFacts(
        os=LINUX,
        gpus=Gpus(devices=(Gpu(vendor_id="10de", product="GeForce RTX 5080", compute_capability="12.0"),)),
    )
    (finding,) = newer(torch("2.4.1+cu121", "12.1", None), where)
    assert finding.placeholders()["gpu"] == "GeForce RTX 5080"


def test_a_kernel_that_found_no_image_decides() -> None:
    device = FrameworkDevice(device="cuda:0", name="Orin", compute_capability="8.9", kernel=NO_IMAGE)
    (finding,) = newer(torch("2.6.0", "12.4", ("sm_80",), device), machine(("Orin", "8.9")))
    assert finding.severity is Severity.BLOCKING


def test_code_that_the_driver_would_compile_is_only_a_warning() -> None:
    (finding,) = newer(torch("2.4.1+cu118", "11.8", (*CU121, "compute_37")), machine(RTX_5090))
    assert finding.severity is Severity.WARNING
    assert finding.confidence < 0.7


def test_an_old_card_beside_a_good_one_is_only_a_warning() -> None:
    where = machine(RTX_5090, GTX_1080)
    (finding,) = older(torch("2.11.0+cu130", "13.0", CU130), where)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["gpu"] == "NVIDIA GeForce GTX 1080"
    assert "torch_packages" not in finding.values  # no build holds code for both


def test_the_served_card_can_be_chosen() -> None:
    listed = (
        FrameworkDevice(device="cuda:0", name="NVIDIA GeForce GTX 1080", compute_capability="6.1", kernel=NO_IMAGE),
        FrameworkDevice(device="cuda:1", name="NVIDIA GeForce RTX 5090", compute_capability="12.0", kernel=RAN),
    )
    (finding,) = older(torch("2.11.0+cu130", "13.0", CU130, *listed), machine(GTX_1080, RTX_5090))
    assert finding.values == {"served_gpu": "1"}


def test_tensorflow_of_nvidia_is_not_judged_by_the_table_of_wheels() -> None:
    nvidia = InterpreterFacts(
        path="/usr/bin/python", version="3.12.3", packages=(Package(name="tensorflow", version="2.17.0+nv25.2"),)
    )
    frameworks = Frameworks(tensorflow=TensorFlowFacts(version="2.17.0", is_cuda_build=True))
    assert newer(frameworks, machine(RTX_5090), nvidia) == []


def test_jetson_gets_its_own_remedy() -> None:
    where = MachineFacts(
        os=OsFacts(system="Linux", architecture="aarch64", libc="glibc"),
        jetson=JetsonFacts(model="NVIDIA Jetson AGX Orin", l4t_release="36.4.0", compute_capability="8.7"),
    )
    (finding,) = newer(torch("2.11.0+cu130", "13.0", ("sm_80", "sm_90", "sm_100", "sm_110", "sm_120")), where)
    assert finding.remedies == ("install-torch-for-jetson",)


def test_no_build_for_this_python_names_one_that_has() -> None:
    python = InterpreterFacts(path="/venv/bin/python", version="3.8.10", architecture="x86_64")
    (finding,) = newer(torch("2.4.1+cu121", "12.1", CU121), machine(RTX_5090), python)
    assert finding.values == {"python_fit": "3.14"}


@pytest.mark.parametrize(
    ("frameworks", "gpus"),
    [
        pytest.param(torch("2.7.0+cu128", "12.8", CU128), [RTX_5090], id="first-blackwell-wheel"),
        pytest.param(torch("2.5.1+cu121", "12.1", CU121), [("NVIDIA L4", "8.9")], id="ada-runs-sm-86"),
        pytest.param(torch("2.5.1+cu121", "12.1", CU121), [GTX_1080], id="pascal-runs-sm-60"),
        pytest.param(torch("2.11.0+cu130", "13.0", CU130), [("NVIDIA GB10", "12.1")], id="spark-runs-sm-120"),
        pytest.param(torch("2.11.0+cu130", "13.0", CU130), [("Tesla T4", "7.5")], id="oldest-that-is-left"),
        pytest.param(torch("2.13.0+cpu", "", ()), [RTX_5090], id="cpu-build-is-another-cause"),
        pytest.param(torch("2.5.1+cu121", "12.1", CU121), [], id="no-nvidia-gpu"),
        pytest.param(Frameworks(), [RTX_5090], id="nothing-installed"),
        pytest.param(
            Frameworks(torch=TorchFacts(version="2.9.0+rocm6.4", cuda_version="", hip_version="6.4", arch_list=())),
            [RTX_5090],
            id="rocm-build",
        ),
        pytest.param(
            torch(
                "2.4.1+cu118",
                "11.8",
                (*CU121, "compute_37"),
                FrameworkDevice(device="cuda:0", compute_capability="12.0", kernel=RAN),
            ),
            [RTX_5090],
            id="a-right-result-beats-every-list",
        ),
        pytest.param(
            torch(
                "2.11.0+cu130",
                "13.0",
                CU130,
                FrameworkDevice(device="cuda:0", compute_capability="8.6", kernel=RAN),
            ),
            [RTX_3090, GTX_1080],
            id="a-card-that-is-hidden-from-torch",
        ),
        pytest.param(
            Frameworks(tensorflow=TensorFlowFacts(version="2.15.0", is_cuda_build=True)),
            [("NVIDIA A100", "8.0"), ("NVIDIA H100", "9.0")],
            id="tensorflow-serves-by-ptx-on-purpose",
        ),
        pytest.param(
            Frameworks(jax=JaxFacts(version="0.8.0", plugins=("jax-cuda12-plugin 0.8.0",))),
            [GTX_1080],
            id="jax-cuda-12",
        ),
        pytest.param(
            Frameworks(
                onnxruntime=OnnxRuntimeFacts(
                    version="1.26.0", cuda_version="12.8", providers_listed=("CUDAExecutionProvider",)
                )
            ),
            [GTX_1080],
            id="onnxruntime-cuda-12",
        ),
    ],
)
def test_silent(frameworks: Frameworks, gpus: list[tuple[str, str | None]]) -> None:
    assert newer(frameworks, machine(*gpus)) == []
    assert older(frameworks, machine(*gpus)) == []


def test_tensorflow_on_blackwell() -> None:
    frameworks = Frameworks(tensorflow=TensorFlowFacts(version="2.20.0", is_cuda_build=True))
    (finding,) = newer(frameworks, machine(RTX_5090))  # https://github.com/tensorflow/tensorflow/issues/99592
    assert finding.subject == "tensorflow 12.0"
    assert finding.remedies[0] == "use-nvidia-tensorflow-container"


def test_tensorflow_that_dropped_maxwell() -> None:
    frameworks = Frameworks(tensorflow=TensorFlowFacts(version="2.18.0", is_cuda_build=True))
    (finding,) = older(frameworks, machine(("GeForce GTX 970", "5.2")))
    assert finding.values == {"tf_package": "tensorflow[and-cuda]==2.16.1"}


def test_other_frameworks_that_dropped_pascal() -> None:
    jax = Frameworks(jax=JaxFacts(version="0.8.0", plugins=("jax-cuda13-plugin 0.8.0",)))
    (finding,) = older(jax, machine(GTX_1080))
    assert finding.values == {"jax_package": "jax[cuda12]"}

    runtime = OnnxRuntimeFacts(
        version="1.29.0",
        cuda_version="13.0",
        providers_listed=("CUDAExecutionProvider", "CPUExecutionProvider"),
        providers=(ProviderStart(name="CUDAExecutionProvider", started=False),),
    )
    (finding,) = older(Frameworks(onnxruntime=runtime), machine(GTX_1080))
    assert finding.values["ort_package"] == "onnxruntime-gpu==1.26.0"


@pytest.mark.parametrize(
    ("frameworks", "where", "field"),
    [
        pytest.param(
            torch("2.5.0a0+872d972e41.nv24.08", "12.6", None),
            machine(RTX_3090),
            "arch_list",
            id="list-of-a-vendor-build",
        ),
        pytest.param(
            torch("2.5.1+cu121", "12.1", CU121), machine(("NVIDIA GPU", None)), "compute_capability", id="gpu-unknown"
        ),
    ],
)
def test_open(frameworks: Frameworks, where: MachineFacts, field: str) -> None:
    for judge in (newer, older):
        with pytest.raises(Unread) as raised:
            judge(frameworks, where)
        assert raised.value.values["field"] == field


def test_a_conda_build_is_not_judged_by_the_table_of_wheels() -> None:
    conda = InterpreterFacts(
        path="/opt/conda/bin/python",
        version="3.12.3",
        architecture="x86_64",
        packages=(Package(name="torch", version="2.5.1", installer="conda"),),
    )
    with pytest.raises(Unread):
        newer(torch("2.5.1", "12.4", None), machine(RTX_3090), conda)
