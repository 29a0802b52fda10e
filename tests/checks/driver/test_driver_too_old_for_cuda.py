"""When driver-too-old-for-cuda speaks, and when it keeps silent."""

import pytest

from checks.driver.driver_too_old_for_cuda import driver_too_old_for_cuda
from checks.facts import Frameworks, NvidiaFacts, OsFacts, TorchFacts
from checks.finding import Finding, Inconclusive, NotInTable, Severity, Unread

LINUX = OsFacts(system="Linux")
WINDOWS = OsFacts(system="Windows")


def findings(driver: str | None, cuda: str | None, os: OsFacts | None = LINUX) -> list[Finding]:
    frameworks = Frameworks(torch=TorchFacts(version="2.6.0", cuda_version=cuda))
    return list(driver_too_old_for_cuda(NvidiaFacts(driver_version=driver), frameworks, os))


@pytest.mark.parametrize(
    ("driver", "cuda", "os"),
    [
        pytest.param("525.60.11", "12.1", LINUX, id="just-below"),
        pytest.param("470.256.02", "12.4", LINUX, id="driver-470-cuda-12"),
        pytest.param("526.98", "12.4", WINDOWS, id="windows-just-below"),
        pytest.param("570.211.01", "13.0", LINUX, id="cuda-13-on-r570"),
    ],
)
def test_speaks(driver: str, cuda: str, os: OsFacts) -> None:
    (finding,) = findings(driver, cuda, os)
    assert finding.cause == "driver-too-old-for-cuda"
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["driver_version"] == driver
    assert finding.placeholders()["framework"] == "torch 2.6.0"


@pytest.mark.parametrize(
    ("driver", "cuda", "os"),
    [
        pytest.param("525.60.13", "12.8", LINUX, id="first-that-fits"),
        pytest.param("580.65.06", "13.0", LINUX, id="cuda-13-on-r580"),
        pytest.param("470.256.02", "", LINUX, id="cpu-only-build"),
        pytest.param("470.256.02", "11.8", None, id="old-cuda-fits-old-driver"),
    ],
)
def test_silent(driver: str, cuda: str, os: OsFacts | None) -> None:
    assert findings(driver, cuda, os) == []


@pytest.mark.parametrize(
    ("driver", "cuda", "reason"),
    [
        pytest.param(None, "12.4", Unread, id="driver-unread-is-not-healthy"),
        pytest.param("580.65.06", "14.1", NotInTable, id="cuda-unknown-to-the-table"),
    ],
)
def test_open(driver: str | None, cuda: str, reason: type[Inconclusive]) -> None:
    with pytest.raises(reason):
        findings(driver, cuda)
