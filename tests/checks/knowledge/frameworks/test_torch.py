"""The table of PyTorch builds, and the build that is recommended for a machine."""

import pytest

from checks.facts.versions import minor, release
from checks.knowledge.frameworks.torch import (
    TorchTable,
    cuda_variant,
    gpu_code,
    index_of_build,
    newest_release,
    pythons_for,
    recommended_cpu_torch,
    recommended_rocm_torch,
    recommended_torch,
    recommended_xpu_torch,
    torch_release,
)
from checks.knowledge.gpu.cuda_binary import oldest, runs


@pytest.mark.parametrize(
    ("code", "gpu", "is_served"),
    [
        pytest.param("sm_86", "8.6", True, id="the-same"),
        pytest.param("sm_86", "8.9", True, id="higher-minor"),
        pytest.param("sm_89", "8.6", False, id="lower-minor"),
        pytest.param("sm_90", "12.0", False, id="another-major"),
        pytest.param("sm_120", "12.1", True, id="dgx-spark-runs-sm-120"),
        pytest.param("sm_90a", "9.0", True, id="a-is-exact"),
        pytest.param("sm_100a", "10.3", False, id="a-is-only-exact"),
        pytest.param("sm_100f", "10.3", True, id="f-is-the-family"),
        pytest.param("compute_90", "12.0", True, id="ptx-goes-forward"),
        pytest.param("compute_90a", "12.0", False, id="ptx-with-a-does-not"),
        pytest.param("compute_90", "8.9", False, id="ptx-does-not-go-back"),
        pytest.param("sm_80", "8.7", False, id="orin-runs-no-desktop-code"),
        pytest.param("sm_87", "8.7", True, id="orin-runs-its-own"),
        pytest.param("sm_101", "11.0", True, id="thor-under-its-former-number"),
        pytest.param("sm_70", "7.2", False, id="xavier"),
        pytest.param("gfx1100", "9.0", False, id="code-for-amd"),
    ],
)
def test_which_gpu_runs_which_code(code: str, gpu: str, is_served: bool) -> None:
    assert runs(code, gpu) is is_served


def test_oldest() -> None:
    assert oldest(["sm_75", "sm_120", "compute_120"]) == (7, 5)
    assert oldest([]) is None


@pytest.mark.parametrize(
    ("gpus", "driver", "python", "keep", "expected"),
    [
        pytest.param(["12.0"], "570.124.06", "3.11", None, ("2.11.0", "cu128"), id="blackwell-on-r570"),
        pytest.param(["12.0"], "580.65.06", "3.11", None, ("2.15.0", "cu132"), id="blackwell-on-r580"),
        pytest.param(["6.1"], "580.65.06", "3.12", None, ("2.14.1", "cu126"), id="pascal"),
        pytest.param(["6.1"], "560.35", "3.10", "2.9.0+cu130", ("2.9.0", "cu126"), id="the-release-stays"),
        pytest.param(["8.9"], "550.54", "3.12", "2.13.0+cpu", ("2.13.0", "cu126"), id="cpu-build-replaced"),
        pytest.param(["3.7"], "470.256.02", "3.10", None, ("2.5.1", "cu118"), id="kepler"),
        pytest.param(["6.1", "12.0"], "580.65.06", "3.12", None, None, id="no-build-holds-both"),
        pytest.param(["12.0"], "580.65.06", "3.8", None, None, id="blackwell-with-python-3.8"),
        pytest.param(["8.6"], "440.33", "3.9", None, None, id="driver-too-old-for-all-that-know-ampere"),
    ],
)
def test_recommended_on_linux(
    gpus: list[str], driver: str, python: str, keep: str | None, expected: tuple[str, str] | None
) -> None:
    found = recommended_torch(gpus, platform="linux_x86_64", python=python, driver=driver, keep=keep)
    assert (found and (found.version, found.variant)) == expected
    if found:
        assert found.index == f"https://download.pytorch.org/whl/{found.variant}"


def test_a_listed_ptx_is_no_reason_to_recommend() -> None:
    # The Windows wheels of CUDA 11.8 hold PTX for 3.7, which a driver would even compile for 12.0.
    assert recommended_torch(["12.0"], platform="windows", python="3.8", driver="576.02") is None


def test_recommended_on_arm() -> None:
    grace = recommended_torch(["12.1"], platform="linux_aarch64", python="3.12", driver="580.95")
    assert grace is not None
    assert grace.variant == "cu132"
    assert recommended_torch(["8.7"], platform="linux_aarch64", python="3.10") is None  # Orin: NVIDIA's own wheels


def test_other_vendors_and_none() -> None:
    amd = recommended_rocm_torch(["gfx1100"], python="3.12")
    assert amd is not None
    assert amd.index == "https://download.pytorch.org/whl/rocm7.2"
    assert recommended_rocm_torch(["gfx803"], python="3.12") is None
    intel = recommended_xpu_torch(platform="windows", python="3.12")
    assert intel is not None
    assert intel.variant == "xpu"
    assert recommended_xpu_torch(platform="macos_arm64", python="3.12") is None
    old_mac = recommended_cpu_torch(platform="macos_x86_64", python="3.11")
    assert old_mac is not None
    assert old_mac.version == "2.2.2"


def test_pythons() -> None:
    assert pythons_for("2.13.0", "linux_x86_64") == ("3.10", "3.11", "3.12", "3.13", "3.14")
    newest = newest_release("linux_x86_64", "3.8")
    assert newest is not None
    assert newest.version == "2.4.1"
    assert newest_release("linux_x86_64", "3.16") is None


def test_rows_fit_together() -> None:
    table = TorchTable.read()
    lines = {minor(row.version) for row in table.release}
    assert {row.torch for row in table.cuda_variant} <= lines
    for row in table.cuda_variant:
        assert row.variant == "cu" + row.cuda.replace(".", "")
        assert all(release(each.partition("+")[0]) for listed in row.sm.values() for each in listed)
    for each in table.release:
        default = each.default["linux_x86_64"]
        assert any(row.variant == default and row.torch == minor(each.version) for row in table.cuda_variant)


def test_builds_by_version() -> None:
    row = cuda_variant("2.5.1+cu121", "12.1")
    assert row is not None
    assert gpu_code(row, "linux_x86_64") == ("sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90")
    assert "sm_61" in (gpu_code(row, "windows") or ())
    assert gpu_code(row, "linux_aarch64") is None
    assert cuda_variant("2.5.0a0+872d972e41.nv24.08", "12.6") is None
    assert torch_release("99.0") is None


@pytest.mark.parametrize(
    ("version", "index"),
    [
        pytest.param("2.6.0+cu124", "cu124", id="cuda"),
        pytest.param("2.13.0+cpu", "cpu", id="cpu"),
        pytest.param("2.8.0+rocm6.4", "rocm6.4", id="rocm"),
        pytest.param("2.9.0+xpu", "xpu", id="xpu"),
        pytest.param("2.14.0.dev20260901+cu130", "nightly/cu130", id="nightly"),
        pytest.param("2.13.0", None, id="ordinary-registry"),
        pytest.param("2.5.0a0+872d972e41.nv24.08", None, id="built-by-nvidia"),
        pytest.param("2.6.0a0+git1234", None, id="built-from-source"),
    ],
)
def test_the_index_that_a_build_came_from(version: str, index: str | None) -> None:
    assert index_of_build(version) == (index and f"https://download.pytorch.org/whl/{index}")
