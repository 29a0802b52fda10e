"""When xpu-unavailable speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.xpu_unavailable import xpu_unavailable
from checks.facts import (
    Gpu,
    Gpus,
    IntelFacts,
    LibraryFile,
    TorchFacts,
)
from checks.facts.finding import NotHere, Unread

ARC = Gpus(devices=(Gpu(vendor_id="8086", device_id="56a0", product="Arc A770", driver="i915"),))


def xpu(*, available: bool | None) -> TorchFacts:
    return TorchFacts(version="2.9.0+xpu", build="xpu", xpu_available=available)


@pytest.mark.parametrize(
    ("gpus", "intel", "remedy"),
    [
        pytest.param(  # intel/intel-extension-for-pytorch#266: the loader alone
            ARC,
            IntelFacts(level_zero=(LibraryFile(path="/usr/lib/libze_loader.so.1"),)),
            "install-intel-gpu-runtime",
            id="loader-alone",
        ),
        pytest.param(Gpus(), IntelFacts(level_zero=()), "install-cpu-torch", id="no-intel-gpu"),
    ],
)
def test_speaks(gpus: Gpus, intel: IntelFacts, remedy: str) -> None:
    (finding,) = xpu_unavailable(xpu(available=False), gpus, intel)
    assert finding.remedies == (remedy,)


def test_silent_and_unread() -> None:
    assert list(xpu_unavailable(xpu(available=True), ARC, None)) == []
    with pytest.raises(NotHere, match="not-installed"):
        list(xpu_unavailable(TorchFacts(build="cpu"), ARC, None))
    with pytest.raises(Unread):
        list(xpu_unavailable(TorchFacts(), ARC, None))
    with pytest.raises(Unread):
        list(xpu_unavailable(xpu(available=None), ARC, None))
