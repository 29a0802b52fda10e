"""When driver-too-old-for-gpu and driver-dropped-gpu speak, and when they keep silent: two sides of one table."""

import pytest

from checks.causes.driver.driver_dropped_gpu import driver_dropped_gpu
from checks.causes.driver.driver_too_old_for_gpu import driver_too_old_for_gpu
from checks.facts import Gpu, Gpus, LibraryFile, NvidiaFacts, NvidiaGpu, OsFacts
from checks.facts.finding import Finding, NotInTable, Severity, Unread
from checks.knowledge.gpu.cuda_driver import driver_branch, driver_number

LINUX = OsFacts(system="Linux")
ADDRESS = "0000:01:00.0"


def card(die: str, product: str = "some GPU") -> Gpu:
    return Gpu(address=ADDRESS, vendor_id="10de", device_id="2b85", product=product, die=die, driver="")


def too_old(gpu: Gpu, nvidia: NvidiaFacts, os: OsFacts = LINUX) -> list[Finding]:
    return list(driver_too_old_for_gpu(Gpus(devices=(gpu,)), nvidia, os, None))


def dropped(gpu: Gpu, nvidia: NvidiaFacts, os: OsFacts = LINUX) -> list[Finding]:
    return list(driver_dropped_gpu(Gpus(devices=(gpu,)), nvidia, os, None))


@pytest.mark.parametrize(
    ("die", "driver", "first"),
    [
        pytest.param("GB202", "565.57.01", "570", id="rtx-5090-just-below"),
        pytest.param("GB202", "32.0.15.6094", "570", id="rtx-5090-windows-560.94"),
        pytest.param("AD102", "515.105.01", "520", id="rtx-4090"),
        pytest.param("GA102", "450.80.02", "455", id="rtx-3090"),
        pytest.param("TU102", "396.54", "410", id="rtx-2080-ti"),
        pytest.param("GR100", "610.43.02", "615", id="rubin-states-its-branch"),
    ],
)
def test_too_old_speaks(die: str, driver: str, first: str) -> None:
    (finding,) = too_old(card(die), NvidiaFacts(driver_version=driver))
    assert finding.placeholders()["driver_min"] == first


@pytest.mark.parametrize(
    ("die", "driver"),
    [
        pytest.param("GB202", "570.86.16", id="rtx-5090-first-that-fits"),
        pytest.param("GB202", "572.16", id="rtx-5090-windows"),
        pytest.param("AD102", "525.60.13", id="rtx-4090-first-that-fits"),
        pytest.param("GP104", "470.256.02", id="old-card-old-driver"),
        pytest.param("GK110", "340.108", id="below-the-oldest-branch-of-the-table"),
    ],
)
def test_too_old_silent(die: str, driver: str) -> None:
    assert too_old(card(die), NvidiaFacts(driver_version=driver)) == []


@pytest.mark.parametrize(
    ("die", "nvidia", "remedy"),
    [
        pytest.param(
            "GP104", NvidiaFacts(driver_version="590.44.01"), "install-legacy-nvidia-driver", id="gtx-1080-on-590"
        ),
        pytest.param(
            "GM204", NvidiaFacts(driver_version="591.44"), "install-legacy-nvidia-driver", id="gtx-970-on-windows-591"
        ),
        pytest.param(
            "GK110", NvidiaFacts(driver_version="525.60.13"), "install-legacy-nvidia-driver", id="kepler-on-525"
        ),
        pytest.param(
            "GF114", NvidiaFacts(driver_version="470.256.02"), "install-legacy-nvidia-driver", id="fermi-on-470"
        ),
        pytest.param(
            "GP104",
            NvidiaFacts(driver_version="570.86.16", kernel_module_flavour="open"),
            "use-proprietary-kernel-module",
            id="open-module-before-turing",
        ),
        pytest.param(  # getsolus/packages#5575
            "GB202",
            NvidiaFacts(driver_version="570.144", kernel_module_flavour="proprietary"),
            "use-open-kernel-module",
            id="proprietary-module-on-blackwell",
        ),
        pytest.param(
            "GV100",
            NvidiaFacts(libcuda=(LibraryFile(path="/usr/lib/libcuda.so.1", version="595.58.03"),)),
            "install-legacy-nvidia-driver",
            id="module-not-loaded-but-libraries-tell",
        ),
    ],
)
def test_dropped_speaks(die: str, nvidia: NvidiaFacts, remedy: str) -> None:
    (finding,) = dropped(card(die), nvidia)
    assert finding.remedies == (remedy,)


@pytest.mark.parametrize(
    ("die", "nvidia"),
    [
        pytest.param("GP104", NvidiaFacts(driver_version="580.95.05"), id="gtx-1080-last-branch"),
        pytest.param("GP104", NvidiaFacts(driver_version="581.80"), id="gtx-1080-windows-581-is-branch-580"),
        pytest.param("GK110", NvidiaFacts(driver_version="475.14"), id="kepler-windows-475-is-branch-470"),
        pytest.param(
            "TU106", NvidiaFacts(driver_version="610.43.02", kernel_module_flavour="open"), id="turing-with-open-module"
        ),
        pytest.param(
            "GP104", NvidiaFacts(driver_version="570.86.16", kernel_module_flavour="proprietary"), id="proprietary"
        ),
        pytest.param(
            "GP104",
            NvidiaFacts(driver_version="590.44.01", devices=(NvidiaGpu(index=0, pci_address="00000000:01:00.0"),)),
            id="nvml-shows-it-all-the-same",
        ),
        pytest.param("GP104", NvidiaFacts(driver_version="", libcuda=()), id="no-driver"),
    ],
)
def test_dropped_silent(die: str, nvidia: NvidiaFacts) -> None:
    assert dropped(card(die), nvidia) == []


def test_beside_a_gpu_that_is_served_it_stops_nobody() -> None:
    """An old card that drives the screen through nouveau, beside one for computing."""
    served = NvidiaGpu(index=0, pci_address="0000:41:00.0")
    (finding,) = dropped(card("GK208"), NvidiaFacts(driver_version="580.95.05", devices=(served,)))
    assert finding.severity is Severity.WARNING
    (finding,) = too_old(card("GB202"), NvidiaFacts(driver_version="565.57.01", devices=(served,)))
    assert finding.severity is Severity.WARNING


def test_wsl_and_given_away_cards_are_left_out() -> None:
    given = Gpu(address=ADDRESS, vendor_id="10de", die="GP104", driver="vfio-pci")
    nvidia = NvidiaFacts(driver_version="590.44.01")
    assert dropped(given, nvidia) == dropped(card("GP104"), nvidia, OsFacts(wsl=2)) == []
    assert too_old(card("GB202"), NvidiaFacts(driver_version="560.35.03"), OsFacts(wsl=2)) == []


def test_unread_driver_and_unknown_die_stay_open() -> None:
    with pytest.raises(Unread):
        too_old(card("GB202"), NvidiaFacts())
    with pytest.raises(Unread):
        dropped(card("GP104"), NvidiaFacts())
    with pytest.raises(NotInTable):
        too_old(card(""), NvidiaFacts(driver_version="570.86.16"))


@pytest.mark.parametrize(
    ("version", "number", "branch"),
    [
        ("32.0.15.7283", "572.83", 570),
        ("31.0.15.5222", "552.22", 550),
        ("535.104.05", "535.104.05", 535),
        ("340.108", "340.108", None),
    ],
)
def test_numbers_and_branches(version: str, number: str, branch: int | None) -> None:
    assert driver_number(version) == number
    assert driver_branch(version) == branch
