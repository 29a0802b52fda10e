"""When mps-unavailable speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.mps_unavailable import mps_unavailable
from checks.facts import (
    AppleFacts,
    InterpreterFacts,
    OsFacts,
    TorchFacts,
)
from checks.facts.finding import Unread


def mac(version: str = "15.1") -> AppleFacts:
    return AppleFacts(chip="Apple M2 Max", is_apple_silicon=True, macos_version=version)


ARM = InterpreterFacts(path="/opt/homebrew/bin/python3", architecture="arm64")
X86 = InterpreterFacts(path="/usr/local/bin/python3", architecture="x86_64")


def mps(version: str = "2.9.0", *, available: bool | None = False, built: bool = True) -> TorchFacts:
    return TorchFacts(version=version, mps_available=available, mps_built=built)


@pytest.mark.parametrize(
    ("apple", "interpreter", "torch", "os", "remedy"),
    [
        pytest.param(mac(), X86, mps("2.2.2"), None, "install-arm64-python", id="x86-python"),
        pytest.param(mac(), X86, None, None, "install-arm64-python", id="x86-python-without-torch"),
        pytest.param(
            mac("13.7.4"), ARM, mps("2.10.0"), None, "update-macos", id="macos-13-torch-2.10"
        ),  # pytorch#164943
        pytest.param(mac("12.7.6"), ARM, mps("2.5.1"), None, "update-macos", id="macos-12-torch-2.5"),  # pytorch#139425
        pytest.param(mac("12.2"), ARM, mps("1.13.1"), None, "update-macos", id="just-below-12.3"),
        pytest.param(mac(), ARM, mps(built=False), None, "reinstall-torch-for-macos", id="built-without-metal"),
        pytest.param(
            mac(), ARM, mps(), OsFacts(virtual_machine="apple"), "run-on-the-mac-itself", id="virtual-machine"
        ),
        pytest.param(mac(), ARM, mps(), None, "run-on-the-mac-itself", id="all-fits-and-yet-not"),
    ],
)
def test_speaks(
    apple: AppleFacts, interpreter: InterpreterFacts, torch: TorchFacts | None, os: OsFacts | None, remedy: str
) -> None:
    (finding,) = mps_unavailable(apple, interpreter, torch, os)
    assert finding.remedies[0] == remedy


@pytest.mark.parametrize(
    ("apple", "interpreter", "torch"),
    [
        pytest.param(mac(), ARM, mps(available=True), id="available"),
        pytest.param(mac(), ARM, None, id="no-torch"),
        pytest.param(AppleFacts(is_apple_silicon=False), X86, mps("2.2.2"), id="intel-mac"),
        pytest.param(AppleFacts(), X86, mps(), id="no-mac"),
    ],
)
def test_silent(apple: AppleFacts, interpreter: InterpreterFacts, torch: TorchFacts | None) -> None:
    assert list(mps_unavailable(apple, interpreter, torch, None)) == []


def test_unread() -> None:
    with pytest.raises(Unread):
        list(mps_unavailable(mac(), ARM, mps(available=None), None))
