"""When driver-library-mismatch speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.driver_library_mismatch import driver_library_mismatch
from checks.facts import LibraryFile, NvidiaFacts, OsFacts
from checks.facts.finding import Finding

LINUX = OsFacts(system="Linux", container="")


def library(version: str, path: str = "/usr/lib/x86_64-linux-gnu/libcuda.so.1") -> tuple[LibraryFile, ...]:
    return (LibraryFile(path=path, real_path=f"{path}.{version}", version=version),)


def findings(nvidia: NvidiaFacts, os: OsFacts | None = LINUX) -> list[Finding]:
    return list(driver_library_mismatch(nvidia, os, None))


@pytest.mark.parametrize(
    "nvidia",
    [
        pytest.param(  # lyulyul/shine-cluster#30: unattended upgrade from 460.56 to 460.73.01
            NvidiaFacts(
                nvml="NVML_ERROR_LIB_RM_VERSION_MISMATCH", kernel_module_version="460.56", libcuda=library("460.73.01")
            ),
            id="unattended-upgrade",
        ),
        pytest.param(  # stackhpc/ansible-slurm-appliance#287
            NvidiaFacts(nvml="NVML_ERROR_UNKNOWN", kernel_module_version="530.30.02", libcuda=library("535.54.03")),
            id="only-the-versions-tell",
        ),
        pytest.param(NvidiaFacts(nvml="NVML_ERROR_LIB_RM_VERSION_MISMATCH"), id="only-nvml-tells"),
    ],
)
def test_speaks(nvidia: NvidiaFacts) -> None:
    (finding,) = findings(nvidia)
    assert finding.remedies == ()  # as the cause's file orders them: restart first


def test_in_a_container_the_image_is_at_fault() -> None:
    nvidia = NvidiaFacts(nvml="NVML_ERROR_LIB_RM_VERSION_MISMATCH", kernel_module_version="550.54.15")
    (finding,) = findings(nvidia, OsFacts(system="Linux", container="docker"))
    assert finding.remedies[0] == "remove-driver-from-image"


@pytest.mark.parametrize(
    ("nvidia", "os"),
    [
        pytest.param(
            NvidiaFacts(nvml="ok", kernel_module_version="535.104.05", libcuda=library("535.104.05")), LINUX, id="same"
        ),
        pytest.param(
            NvidiaFacts(nvml="ok", kernel_module_version="", libcuda=library("535.104.05")), LINUX, id="no-module"
        ),
        pytest.param(NvidiaFacts(nvml="ok", kernel_module_version="535.104.05", libcuda=()), LINUX, id="no-library"),
        pytest.param(
            NvidiaFacts(
                kernel_module_version="535.104.05", libcuda=library("570.86.10", "/usr/local/cuda/compat/libcuda.so.1")
            ),
            LINUX,
            id="compat-package-differs-by-design",
        ),
        pytest.param(
            NvidiaFacts(
                kernel_module_version="540.4.0",
                libcuda=library("1.1", "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1"),
            ),
            LINUX,
            id="jetson-library-without-driver-version",
        ),
        pytest.param(
            NvidiaFacts(nvml="NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
            OsFacts(system="Linux", wsl=2),
            id="wsl-has-no-module",
        ),
    ],
)
def test_silent(nvidia: NvidiaFacts, os: OsFacts) -> None:
    assert findings(nvidia, os) == []
