"""When driver-not-loaded speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.driver_not_loaded import driver_not_loaded
from checks.facts import (
    AmdFacts,
    FrameworkDevice,
    Frameworks,
    Gpu,
    Gpus,
    KernelLaunch,
    LibraryFile,
    NvidiaFacts,
    OsFacts,
    Symptom,
    TorchFacts,
)
from checks.facts.finding import Finding, Severity, Unread

LINUX = OsFacts(system="Linux", secure_boot=False)
NOUVEAU = Gpu(vendor_id="10de", device_id="1f06", product="GeForce RTX 2060 SUPER", die="TU106", driver="nouveau")
UNBOUND = Gpu(vendor_id="10de", device_id="1f06", product="GeForce RTX 2060 SUPER", die="TU106", driver="")
NOTHING = NvidiaFacts(
    nvml="library-not-found", kernel_module_version="", modules_loaded=("nouveau",), modules_installed=()
)


def findings(
    nvidia: NvidiaFacts,
    *cards: Gpu,
    os: OsFacts | None = LINUX,
    frameworks: Frameworks | None = None,
    symptom: Symptom | None = None,
) -> list[Finding]:
    return list(driver_not_loaded(Gpus(devices=cards), nvidia, None, os, frameworks, symptom))


@pytest.mark.parametrize(
    ("nvidia", "card", "os", "first_remedy"),
    [
        pytest.param(NOTHING, NOUVEAU, LINUX, "install-nvidia-driver", id="nouveau"),
        pytest.param(  # gridhead/nvidia-auto-installer-for-fedora-linux#75: Fedora 34, RTX 2060 SUPER, Secure Boot on
            NvidiaFacts(nvml="NVML_ERROR_DRIVER_NOT_LOADED", kernel_module_version="", modules_installed=("nvidia",)),
            NOUVEAU,
            OsFacts(system="Linux", secure_boot=True),
            "enrol-secure-boot-key",
            id="secure-boot",
        ),
        pytest.param(
            NvidiaFacts(
                kernel_module_version="",
                modules_installed=("nvidia",),
                blacklisted=("/etc/modprobe.d/vfio.conf",),
            ),
            UNBOUND,
            LINUX,
            "remove-nvidia-blacklist",
            id="blacklisted",
        ),
        pytest.param(
            NvidiaFacts(
                kernel_module_version="",
                modules_installed=(),
                libcuda=(LibraryFile(path="/usr/lib/libcuda.so.1", version="570.86.16"),),
            ),
            UNBOUND,
            LINUX,
            "rebuild-nvidia-kernel-module",
            id="kernel-update-without-module",
        ),
        pytest.param(
            NvidiaFacts(nvml="library-not-found"),
            Gpu(vendor_id="10de", device_id="1f06", driver="BasicDisplay", problem_code=0),
            OsFacts(system="Windows"),
            "install-nvidia-driver",
            id="windows-without-driver",
        ),
        pytest.param(
            NvidiaFacts(nvml="NVML_ERROR_UNKNOWN"),
            Gpu(vendor_id="10de", driver="nvlddmkm", problem_code=39),
            OsFacts(system="Windows"),
            "install-nvidia-driver",
            id="windows-code-39",
        ),
        pytest.param(
            NvidiaFacts(nvml="NVML_ERROR_DRIVER_NOT_LOADED"), UNBOUND, None, "install-nvidia-driver", id="nvml-says-so"
        ),
    ],
)
def test_speaks(nvidia: NvidiaFacts, card: Gpu, os: OsFacts | None, first_remedy: str) -> None:
    (finding,) = findings(nvidia, card, os=os)
    assert finding.severity is Severity.BLOCKING
    assert finding.remedies[0] == first_remedy


def test_a_gpu_that_was_given_away_is_only_a_warning() -> None:
    given = Gpu(vendor_id="10de", device_id="2204", driver="vfio-pci")
    (finding,) = findings(NOTHING, given)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["kernel_driver"] == "vfio-pci"


@pytest.mark.parametrize(
    ("nvidia", "cards", "os"),
    [
        pytest.param(NOTHING, (), LINUX, id="no-nvidia-gpu"),
        pytest.param(NOTHING, (Gpu(vendor_id="1002", driver="amdgpu"),), LINUX, id="amd-gpu"),
        pytest.param(NvidiaFacts(nvml="ok"), (UNBOUND,), LINUX, id="nvml-answers"),
        pytest.param(
            NvidiaFacts(nvml="library-not-found", kernel_module_version="550.54.15"),
            (UNBOUND,),
            LINUX,
            id="container-on-a-good-host",
        ),
        pytest.param(NvidiaFacts(modules_loaded=("nvidia", "nvidia_uvm")), (UNBOUND,), LINUX, id="module-loaded"),
        pytest.param(NOTHING, (UNBOUND,), OsFacts(system="Linux", wsl=2), id="wsl-has-no-module-by-design"),
        pytest.param(
            NvidiaFacts(nvml="NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
            (UNBOUND,),
            OsFacts(system="Windows"),
            id="windows-other-error",
        ),
        pytest.param(  # the module refuses to stay without a GPU that it serves: driver-dropped-gpu
            NvidiaFacts(
                kernel_module_version="",
                modules_installed=("nvidia",),
                libcuda=(LibraryFile(path="/usr/lib/libcuda.so.1", version="590.48.01"),),
            ),
            (Gpu(vendor_id="10de", die="GP104", driver=""),),
            LINUX,
            id="driver-that-dropped-the-gpu",
        ),
    ],
)
def test_silent(nvidia: NvidiaFacts, cards: tuple[Gpu, ...], os: OsFacts) -> None:
    assert findings(nvidia, *cards, os=os) == []


def test_silent_where_torch_computed() -> None:
    ran = (FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=True)),)
    assert findings(NOTHING, UNBOUND, frameworks=Frameworks(torch=TorchFacts(cuda_version="12.8", devices=ran))) == []


@pytest.mark.parametrize("os", [pytest.param(LINUX, id="linux"), pytest.param(OsFacts(system="Windows"), id="windows")])
def test_unread_is_not_called_healthy(os: OsFacts) -> None:
    with pytest.raises(Unread):
        findings(NvidiaFacts(), UNBOUND, os=os)


ROCM = Frameworks(torch=TorchFacts(build="rocm"))
RADEON = Gpu(vendor_id="1002", product="Radeon RX 7900 XTX", driver="")


def test_an_amd_gpu_without_its_driver() -> None:
    (finding,) = driver_not_loaded(Gpus(devices=(RADEON,)), None, AmdFacts(module_loaded=False), LINUX, ROCM, None)
    assert (finding.subject, finding.remedies) == ("amd", ("load-amdgpu-module",))


@pytest.mark.parametrize(
    ("amd", "frameworks"),
    [
        pytest.param(AmdFacts(module_loaded=True), ROCM, id="loaded"),
        pytest.param(AmdFacts(), ROCM, id="unread"),
        pytest.param(
            AmdFacts(module_loaded=False), Frameworks(torch=TorchFacts(build="cpu")), id="nothing-asks-for-it"
        ),
    ],
)
def test_silent_about_amd(amd: AmdFacts, frameworks: Frameworks) -> None:
    assert list(driver_not_loaded(Gpus(devices=(RADEON,)), None, amd, LINUX, frameworks, None)) == []


def test_nvidia_that_was_not_looked_at_stays_open() -> None:
    with pytest.raises(Unread):
        list(driver_not_loaded(Gpus(devices=(NOUVEAU,)), None, None, LINUX, None, None))


@pytest.mark.parametrize(
    ("torch", "symptom", "severity"),
    [
        pytest.param(TorchFacts(cuda_version="12.8"), "everything", Severity.BLOCKING, id="build-for-cuda"),
        pytest.param(TorchFacts(), "everything", Severity.BLOCKING, id="build-unread"),
        pytest.param(TorchFacts(cuda_version=""), "not-on-gpu", Severity.BLOCKING, id="who-misses-the-gpu"),
        pytest.param(TorchFacts(cuda_version=""), "results-change", Severity.WARNING, id="build-for-the-processor"),
        pytest.param(None, "everything", Severity.BLOCKING, id="nothing-installed-yet"),
    ],
)
def test_blocks_only_who_needs_the_gpu(torch: TorchFacts | None, symptom: str, severity: Severity) -> None:
    (finding,) = findings(NOTHING, NOUVEAU, frameworks=Frameworks(torch=torch), symptom=Symptom(name=symptom))
    assert finding.severity is severity
