"""When ONNX Runtime, TensorFlow, JAX and TensorRT do not use a GPU that is here, and when that is nobody's fault."""

import pytest

from checks.causes.model.jax_falls_back_to_cpu import jax_falls_back_to_cpu
from checks.causes.model.ort_provider_unavailable import ort_provider_unavailable
from checks.causes.model.tf_cuda_version_mismatch import tf_cuda_version_mismatch
from checks.causes.model.tf_gpu_unsupported_on_windows import tf_gpu_unsupported_on_windows
from checks.causes.model.trt_gpu_unsupported import trt_gpu_unsupported
from checks.facts import (
    EnvironmentVariables,
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
    Measurements,
    ModelFacts,
    ModelFiles,
    ModelMeasured,
    ModelRun,
    NvidiaFacts,
    NvidiaGpu,
    OnnxRuntimeFacts,
    OsFacts,
    Package,
    ProviderStart,
    TensorFlowFacts,
    TensorRtFacts,
    TorchFacts,
)
from checks.facts.finding import Finding, NotHere, NotInTable, Severity, Unread
from checks.knowledge.phrases import in_language

LINUX = OsFacts(system="Linux", architecture="x86_64", libc="glibc")
WINDOWS = OsFacts(system="Windows", architecture="AMD64")
PYTHON = InterpreterFacts(path="/p", version="3.11.9", architecture="x86_64", packages=())
CPU_DEVICE = FrameworkDevice(device="CPU:0")


def machine(*capabilities: str | None, os: OsFacts = LINUX, driver: str = "570.86.10") -> MachineFacts:
    gpus = tuple(
        NvidiaGpu(index=index, name=f"GPU of {capability}", compute_capability=capability)
        for index, capability in enumerate(capabilities or ("8.9",))
    )
    return MachineFacts(os=os, nvidia=NvidiaFacts(nvml="ok", driver_version=driver, devices=gpus))


NO_GPU = MachineFacts(os=LINUX, gpus=Gpus())
NO_DRIVER = MachineFacts(
    os=LINUX,
    gpus=Gpus(devices=(Gpu(vendor_id="10de", product="GeForce RTX 4060", compute_capability="8.9"),)),
    nvidia=NvidiaFacts(nvml="NVML_ERROR_DRIVER_NOT_LOADED"),
)
HIDDEN = EnvironmentVariables(values={"CUDA_VISIBLE_DEVICES": "-1"})


# --- ort-provider-unavailable ----------------------------------------------------------------------------------------


def providers(
    where: MachineFacts,
    *starts: ProviderStart,
    frameworks: Frameworks | None = None,
    models: ModelFiles | None = None,
    measurements: Measurements | None = None,
) -> list[Finding]:
    runtime = OnnxRuntimeFacts(version="1.23.2", providers=starts)
    return list(ort_provider_unavailable(runtime, frameworks or Frameworks(), where, PYTHON, models, measurements))


def failed(name: str) -> ProviderStart:
    error = "\n[W:onnxruntime] trace\n[E:onnxruntime:Default] Failed to load library libonnxruntime_providers_cuda.so"
    return ProviderStart(name=name, started=False, fell_back=True, error=error)


CUDA = "CUDAExecutionProvider"
STARTED = ProviderStart(name=CUDA, started=True)
SEGFAULT = ErrorText(type="SIGSEGV", message="the process ended by itself")


def crashed_run(setting: str, reason: str = "crashed") -> ModelFiles:
    run = ModelRun(runtime="onnxruntime", setting=setting, loaded=True, ran=False, reason=reason, error=SEGFAULT)
    return ModelFiles(files=(ModelFacts(path="/m/net.onnx", name="net.onnx", runs=(run,)),))


def crashed_again(device: str, reason: str = "crashed") -> Measurements:
    made = ModelMeasured(
        framework="onnxruntime", path="/m/net.onnx", device=device, aspect="device", reason=reason, error=SEGFAULT
    )
    return Measurements(all=(made,))


@pytest.mark.parametrize(
    ("models", "measurements"),
    [
        pytest.param(crashed_run(CUDA), None, id="when-it-was-tried"),
        pytest.param(None, crashed_again(CUDA), id="when-it-was-run-again"),
        pytest.param(crashed_run(CUDA), crashed_again(CUDA), id="both-times"),
    ],
)
def test_a_provider_that_ends_the_process_with_the_users_model(
    models: ModelFiles | None, measurements: Measurements | None
) -> None:
    (finding,) = providers(machine(), STARTED, models=models, measurements=measurements)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["clue"].startswith("SIGSEGV")
    assert in_language(finding.values["happened"], "en") == "the whole process ended while net.onnx ran on it"


@pytest.mark.parametrize(
    ("where", "models", "measurements"),
    [
        pytest.param(NO_GPU, crashed_run(CUDA), None, id="no-such-device"),
        pytest.param(
            machine(), crashed_run("CPUExecutionProvider"), crashed_again("XnnpackExecutionProvider"), id="other"
        ),
        pytest.param(machine(), crashed_run(CUDA, "timed-out"), crashed_again(CUDA, "no-memory"), id="no-crash"),
    ],
)
def test_a_provider_that_nobody_would_use_or_that_did_not_crash(
    where: MachineFacts, models: ModelFiles | None, measurements: Measurements | None
) -> None:
    assert providers(where, STARTED, models=models, measurements=measurements) == []


def test_cuda_provider_that_does_not_start() -> None:
    (finding,) = providers(machine(), failed("CUDAExecutionProvider"))
    assert in_language(finding.values["happened"], "en") == "a first operation could not be computed on it"
    assert finding.placeholders()["clue"].endswith("libonnxruntime_providers_cuda.so")
    assert finding.values["ort_package"] == "onnxruntime-gpu[cuda,cudnn]==1.26.0"


def test_tensorrt_provider_counts_where_tensorrt_is() -> None:
    name = "TensorrtExecutionProvider"
    assert providers(machine(), failed(name)) == []
    (finding,) = providers(machine(), failed(name), frameworks=Frameworks(tensorrt=TensorRtFacts(version="10.9.0")))
    assert finding.remedies == ("reinstall-onnxruntime-provider",)


@pytest.mark.parametrize(
    ("where", "start"),
    [
        pytest.param(machine(), ProviderStart(name="CUDAExecutionProvider", started=True), id="it-starts"),
        pytest.param(machine(), ProviderStart(name="AzureExecutionProvider"), id="not-tried"),
        pytest.param(NO_GPU, failed("CUDAExecutionProvider"), id="no-gpu"),
        pytest.param(NO_DRIVER, failed("CUDAExecutionProvider"), id="the-driver-is-at-fault"),
        pytest.param(machine(), failed("ROCMExecutionProvider"), id="no-amd-gpu"),
    ],
)
def test_provider_silent(where: MachineFacts, start: ProviderStart) -> None:
    assert providers(where, start) == []


def test_providers_unread() -> None:
    with pytest.raises(Unread, match="ort_providers"):
        list(ort_provider_unavailable(OnnxRuntimeFacts(version="1.23.2"), Frameworks(), machine(), PYTHON))


# --- tf-gpu-unsupported-on-windows -----------------------------------------------------------------------------------


def on_windows(version: str | None, where: MachineFacts | None = None, *devices: FrameworkDevice) -> list[Finding]:
    where = where or machine(os=WINDOWS)
    assert where.os is not None
    return list(tf_gpu_unsupported_on_windows(TensorFlowFacts(version=version, devices=devices), where.os, where))


def test_tensorflow_on_windows() -> None:
    (finding,) = on_windows("2.16.1")  # tensorflow/tensorflow#64536
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["last_with_gpu"] == "2.10.0"


@pytest.mark.parametrize(
    ("version", "where", "devices"),
    [
        pytest.param("2.10.1", None, [], id="the-last-with-a-gpu"),
        pytest.param("2.16.1", MachineFacts(os=WINDOWS), [], id="no-nvidia-gpu"),
        pytest.param("2.11.0", None, [CPU_DEVICE, FrameworkDevice(device="GPU:0")], id="a-plugin-brings-a-gpu"),
    ],
)
def test_windows_silent(version: str, where: MachineFacts | None, devices: list[FrameworkDevice]) -> None:
    assert on_windows(version, where, *devices) == []


def test_windows_only() -> None:
    with pytest.raises(NotHere):
        on_windows("2.16.1", machine())


def test_windows_open() -> None:
    with pytest.raises(NotInTable):
        on_windows("3.0.0")
    with pytest.raises(Unread):
        on_windows(None)


# --- tf-cuda-version-mismatch ----------------------------------------------------------------------------------------


def tensorflow(
    version: str = "2.18.0",
    *warnings: str,
    where: MachineFacts | None = None,
    packages: tuple[Package, ...] = (),
    devices: tuple[FrameworkDevice, ...] | None = (CPU_DEVICE,),
    environment: EnvironmentVariables | None = None,
    is_cuda_build: bool = True,
) -> list[Finding]:
    facts = TensorFlowFacts(
        version=version, is_cuda_build=is_cuda_build, devices=devices, warnings=warnings, cuda_version="12.5"
    )
    interpreter = InterpreterFacts(path="/p", version="3.11.9", packages=packages)
    return list(tf_cuda_version_mismatch(facts, where or machine(), interpreter, environment))


def test_tensorflow_names_what_it_misses() -> None:
    # orpatashnik/StyleCLIP#20
    text = (
        "Could not load dynamic library 'libcudart.so.10.0'; dlerror: libcudart.so.10.0: cannot open shared object "
        "file: No such file or directory; LD_LIBRARY_PATH: /usr/local/nvidia/lib64"
    )
    (finding,) = tensorflow("1.15.0", "Cannot dlopen some GPU libraries.", text)
    assert finding.confidence > 0.9
    assert "libcudart.so.10.0" in finding.placeholders()["clue"]


def test_packages_of_another_generation() -> None:
    (finding,) = tensorflow(packages=(Package(name="nvidia-cudnn-cu12", version="8.9.7.29"),))
    assert finding.placeholders()["cuda_packages"] == "nvidia-cudnn-cu12 8.9.7.29"
    assert finding.values == {"tf_package": "tensorflow[and-cuda]==2.18.0"}


def test_tensorflow_silent() -> None:
    assert tensorflow(devices=(CPU_DEVICE, FrameworkDevice(device="GPU:0"))) == []
    assert tensorflow(where=NO_GPU) == []
    assert tensorflow(where=NO_DRIVER) == []
    assert tensorflow(environment=HIDDEN) == []
    assert tensorflow(is_cuda_build=False) == []


def test_tensorflow_open() -> None:
    with pytest.raises(Unread, match="devices"):
        tensorflow(devices=None)


# --- jax-falls-back-to-cpu -------------------------------------------------------------------------------------------


def jax(
    *plugins: str,
    backend: str | None = "cpu",
    where: MachineFacts | None = None,
    warnings: tuple[str, ...] = (),
    environment: EnvironmentVariables | None = None,
    torch: TorchFacts | None = None,
) -> list[Finding]:
    facts = JaxFacts(
        version="0.8.0", jaxlib_version="0.8.0", plugins=plugins, default_backend=backend, warnings=warnings
    )
    return list(jax_falls_back_to_cpu(facts, where or machine(), environment, torch))


def test_no_plugin() -> None:
    (finding,) = jax()
    assert finding.severity is Severity.WARNING
    assert finding.values["jax_package"] == "jax[cuda12]"
    assert in_language(finding.values["jax_plugins"], "ja") == "なし"


def test_plugin_of_another_release() -> None:
    (finding,) = jax("jax-cuda12-plugin 0.7.0", "jax-cuda12-pjrt 0.7.0")
    assert finding.confidence > 0.9


def test_a_library_is_too_old() -> None:
    # jax-ml/jax#18027
    text = "CUDA backend failed to initialize: Found cuBLAS version 120205, but JAX was built against version 120304"
    (finding,) = jax("jax-cuda12-plugin 0.8.0", warnings=(text,))
    assert finding.placeholders()["clue"] == text


def test_on_windows_it_is_only_a_note() -> None:
    (finding,) = jax(where=machine(os=WINDOWS))
    assert finding.severity is Severity.NOTE
    assert finding.remedies == ("use-jax-in-wsl",)


def test_a_jax_that_came_along_is_only_a_note() -> None:
    torch = TorchFacts(version="2.8.0+cu128", cuda_version="12.8", cuda_available=True)
    (finding,) = jax(torch=torch)
    assert finding.severity is Severity.NOTE
    (finding,) = jax("jax-cuda12-plugin 0.7.0", torch=torch)
    assert finding.severity is Severity.WARNING


def test_a_gpu_that_no_plugin_serves() -> None:
    (finding,) = jax(where=machine("3.5"))
    assert "jax_package" not in finding.values


def test_jax_silent() -> None:
    assert jax("jax-cuda12-plugin 0.8.0", backend="gpu") == []
    assert jax(where=NO_GPU) == []
    assert jax(where=NO_DRIVER) == []
    assert jax(environment=HIDDEN) == []
    assert jax(environment=EnvironmentVariables(values={"JAX_PLATFORMS": "cpu"})) == []


def test_jax_open() -> None:
    with pytest.raises(Unread, match="jax_backend"):
        jax(backend=None)


# --- trt-gpu-unsupported ---------------------------------------------------------------------------------------------


def tensorrt(version: str, where: MachineFacts, *, ran: bool | None = None, package: str = "tensorrt") -> list[Finding]:
    builder = None if ran is None else KernelLaunch(ran=ran)
    interpreter = InterpreterFacts(path="/p", packages=(Package(name=package, version=version),))
    return list(trt_gpu_unsupported(TensorRtFacts(version=version, builder=builder), where, interpreter))


def test_gpu_newer_than_tensorrt() -> None:
    (finding,) = tensorrt("10.7.0.23", machine("12.0"))  # DDTRobot/tita_rl_sim2sim2real#7
    assert finding.severity is Severity.BLOCKING
    assert finding.values == {"tensorrt_fit": "11.4"}


def test_gpu_that_tensorrt_dropped() -> None:
    (finding,) = tensorrt("10.9.0.34", machine("6.1", "8.6"))
    assert finding.severity is Severity.WARNING
    assert finding.values == {"tensorrt_fit": "9.3"}


@pytest.mark.parametrize(
    ("version", "where", "ran", "package"),
    [
        pytest.param("10.8.0.43", machine("12.0"), None, "tensorrt", id="first-with-blackwell"),
        pytest.param("10.9.0.34", machine("7.5"), None, "tensorrt", id="oldest-that-is-left"),
        pytest.param("8.6.1", machine("8.9"), None, "tensorrt", id="ada"),
        pytest.param("10.7.0", machine("12.0"), True, "tensorrt", id="the-builder-says-otherwise"),
        pytest.param("1.4.0", machine("12.0"), None, "tensorrt-rtx", id="another-product"),
        pytest.param("10.3.0", NO_GPU, None, "tensorrt", id="no-gpu"),
        pytest.param(
            "10.3.0",
            MachineFacts(os=LINUX, jetson=JetsonFacts(model="Orin", compute_capability="8.7")),
            None,
            "tensorrt",
            id="jetson",
        ),
    ],
)
def test_tensorrt_silent(version: str, where: MachineFacts, ran: bool | None, package: str) -> None:
    assert tensorrt(version, where, ran=ran, package=package) == []


def test_tensorrt_open() -> None:
    with pytest.raises(NotInTable):
        tensorrt("99.1", machine("8.6"))
    with pytest.raises(Unread, match="compute_capability"):
        tensorrt("10.9.0", machine(None, "8.6"))
