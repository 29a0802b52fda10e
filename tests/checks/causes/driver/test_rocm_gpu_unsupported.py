"""When rocm-gpu-unsupported speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.rocm_gpu_unsupported import rocm_gpu_unsupported
from checks.facts import (
    AmdFacts,
    AmdNode,
    EnvironmentVariables,
    ErrorText,
    FrameworkDevice,
    Gpu,
    Gpus,
    KernelLaunch,
    TorchFacts,
)
from checks.facts.finding import NotHere, Severity, Unread

WHEEL = ("gfx900", "gfx906", "gfx908", "gfx90a:xnack-", "gfx942", "gfx1030", "gfx1100")


def rocm(arch_list: tuple[str, ...] | None = WHEEL, *, ran: bool = False) -> TorchFacts:
    devices = (FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=ran)),)
    return TorchFacts(version="2.9.0+rocm6.4", build="rocm", hip_version="6.4", arch_list=arch_list, devices=devices)


def nodes(*targets: str) -> AmdFacts:
    return AmdFacts(nodes=tuple(AmdNode(gfx_target=target) for target in targets))


@pytest.mark.parametrize(
    ("torch", "amd", "override", "wanted"),
    [
        pytest.param(rocm(), nodes("gfx1031"), None, "10.3.0", id="rx-6700-xt"),  # ROCm/rocALUTION#197
        pytest.param(rocm(), nodes("gfx1103"), None, None, id="780m-for-which-no-override-is-safe"),
        pytest.param(rocm(), nodes("gfx803"), None, None, id="polaris"),
        pytest.param(rocm(), nodes("gfx1031"), "11.0.1", "10.3.0", id="override-to-code-that-is-not-there"),
        pytest.param(rocm(None), nodes("gfx1010"), None, None, id="list-from-the-table"),
    ],
)
def test_speaks(torch: TorchFacts, amd: AmdFacts, override: str | None, wanted: str | None) -> None:
    environment = EnvironmentVariables(values={"HSA_OVERRIDE_GFX_VERSION": override} if override else {})
    (finding,) = rocm_gpu_unsupported(torch, amd, None, environment)
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders().get("hsa_override_wanted") == wanted


@pytest.mark.parametrize(
    ("torch", "amd", "gpus"),
    [
        pytest.param(rocm(), nodes("gfx1100"), None, id="served"),
        pytest.param(rocm(), nodes("gfx90a"), None, id="served-with-a-feature"),
        pytest.param(rocm(), nodes("gfx1100", "gfx1036"), None, id="integrated-beside-a-served-one"),
        pytest.param(rocm(ran=True), nodes("gfx1031"), None, id="it-computed"),
        pytest.param(rocm(), AmdFacts(nodes=()), None, id="no-amd-gpu"),
        pytest.param(
            rocm(), None, Gpus(devices=(Gpu(vendor_id="1002", gfx_target="gfx1100"),)), id="served-by-the-bus"
        ),
    ],
)
def test_silent(torch: TorchFacts, amd: AmdFacts | None, gpus: Gpus | None) -> None:
    assert list(rocm_gpu_unsupported(torch, amd, gpus, None)) == []


def test_silent_with_an_override_that_leads_to_code() -> None:
    environment = EnvironmentVariables(values={"HSA_OVERRIDE_GFX_VERSION": "10.3.0"})
    assert list(rocm_gpu_unsupported(rocm(), nodes("gfx1031"), None, environment)) == []


def test_nothing_to_check_in_another_build() -> None:
    with pytest.raises(NotHere, match="not-installed"):
        list(rocm_gpu_unsupported(TorchFacts(build="cuda"), nodes("gfx1031"), None, None))


def test_unread() -> None:
    with pytest.raises(Unread):  # an empty list, where ROCm does not start
        list(rocm_gpu_unsupported(TorchFacts(build="rocm", arch_list=()), nodes("gfx1100"), None, None))
    with pytest.raises(Unread):
        list(rocm_gpu_unsupported(TorchFacts(), nodes("gfx1031"), None, None))
    with pytest.raises(Unread):
        list(rocm_gpu_unsupported(TorchFacts(build="rocm"), nodes("gfx1031"), None, None))


def test_without_a_list_the_failed_kernel_tells() -> None:
    """pytorch/pytorch#147626: Radeon RX 7600 XT."""
    error = ErrorText(type="RuntimeError", message="HIP error: invalid device function")
    devices = (FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=False, error=error)),)
    torch = TorchFacts(version="2.6.0+rocm6.2.4", build="rocm", hip_version="", devices=devices)
    (finding,) = rocm_gpu_unsupported(torch, nodes("gfx1102"), None, None)
    assert finding.placeholders()["kernel_error"] == "HIP error: invalid device function"
