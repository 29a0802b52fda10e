"""Conditions on what a text tells: they hold, do not hold, or are not known."""

import pytest

from checks.facts import (
    EnvironmentVariables,
    Facts,
    FrameworkDevice,
    Frameworks,
    Gpu,
    Gpus,
    InterpreterFacts,
    JetsonFacts,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    Package,
    TorchFacts,
)
from checks.readers.tickets.conditions import BadCondition, holds, is_known

TORCH = TorchFacts(version="2.5.1+cu121", build="cuda", cuda_version="12.1", cuda_available=False)
PACKAGES = (Package(name="numpy", version="2.0.1"),)


def facts(**machine: object) -> Facts:
    return Facts(
        machine=MachineFacts(**machine),  # type: ignore[arg-type]
        frameworks=Frameworks(torch=TORCH),
        interpreters=(InterpreterFacts(path="python", version="3.11.7", packages=PACKAGES),),
        target="python",
    )


def with_gpu(capability: str, arch_list: tuple[str, ...]) -> Facts:
    return Facts(
        machine=MachineFacts(gpus=Gpus(devices=(Gpu(vendor_id="10de", compute_capability=capability),))),
        frameworks=Frameworks(torch=TorchFacts(arch_list=arch_list)),
    )


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("torch >= 2.5", True),
        ("torch > 2.5.1", False),
        ("torch < 2.10", True),
        ("cuda == 12.1", True),
        ("cuda >= 13", False),
        ("python >= 3.13", False),
        ("package:numpy >= 2", True),
        ("package:scipy >= 2", None),
        ("build == cuda", True),
        ("build != cpu", True),
        ("cuda_available == false", True),
        ("driver < 525", None),
        ("tensorflow > 2.10", None),
        ("system == windows", True),
        ("system == linux", False),
    ],
)
def test_conditions(condition: str, expected: bool | None) -> None:
    assert holds(condition, facts(os=OsFacts(system="Windows"))) is expected


def test_nothing_is_known_of_nothing() -> None:
    for condition in ("torch >= 2", "gpu == nvidia", "system != windows", "compute_capability >= 8.0", "driver < 1"):
        assert holds(condition, Facts()) is None


@pytest.mark.parametrize("kind", ["linux", "wsl", "container", "jetson"])
def test_a_system_has_several_names(kind: str) -> None:
    known = facts(os=OsFacts(system="Linux", wsl=2, container="docker"), jetson=JetsonFacts(model="Orin"))
    assert holds(f"system == {kind}", known)


def test_one_of_several_gpus_is_enough() -> None:
    devices = (Gpu(vendor_id="8086"), Gpu(vendor_id="10de", compute_capability="8.6"))
    known = facts(gpus=Gpus(devices=devices), nvidia=NvidiaFacts(driver_version="470.82"))
    assert holds("gpu == nvidia", known)
    assert holds("compute_capability >= 8.0", known)
    assert holds("driver < 525", known)


@pytest.mark.parametrize(
    ("capability", "arch_list", "relation"),
    [
        pytest.param("12.0", ("sm_80", "sm_90"), "newer-gpu", id="blackwell"),
        pytest.param("6.1", ("sm_75", "sm_80", "sm_90"), "older-gpu", id="pascal"),
        pytest.param("8.9", ("sm_80", "sm_86", "sm_90"), "served", id="ada-runs-code-of-ampere"),
        pytest.param("7.5", ("sm_75",), "served", id="equal"),
    ],
)
def test_gpu_and_build(capability: str, arch_list: tuple[str, ...], relation: str) -> None:
    assert holds(f"gpu_and_build == {relation}", with_gpu(capability, arch_list))


@pytest.mark.parametrize("wrong", ["torch", "torch => 2", "weather == fine", "torch:numpy > 1", "", "package: > 1"])
def test_what_is_no_condition(wrong: str) -> None:
    with pytest.raises(BadCondition):
        holds(wrong, Facts())


def test_what_is_known_can_be_asked_without_a_condition() -> None:
    table = NvidiaFacts(nvml="ok", devices=(NvidiaGpu(index=0, memory_used=0),))
    for name, told in (
        ("torch", facts()),
        ("package:numpy", facts()),
        ("nvidia_smi", facts(nvidia=table)),
        ("gpu_memory", facts(nvidia=table)),
        ("toolkit", Facts(environment=EnvironmentVariables(nvcc_version="12.4"))),
    ):
        assert is_known(name, told), name
        assert not is_known(name, Facts()), name
    with pytest.raises(BadCondition):
        is_known("weather", Facts())


@pytest.mark.parametrize(("capability", "arch"), [("8.6", "sm_" + "1" * 20_000), ("x", "sm_86")])
def test_what_is_no_architecture_tells_nothing_odd(capability: str, arch: str) -> None:
    """Found by a mutated case: 20,000 digits in the list of architectures."""
    device = FrameworkDevice(device="cuda:0", compute_capability=capability)
    torch = TorchFacts(version="2.5.1", arch_list=(arch,), devices=(device,))
    assert is_known("gpu_and_build", Facts(frameworks=Frameworks(torch=torch))) in (True, False)
