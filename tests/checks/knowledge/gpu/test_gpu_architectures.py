"""The table of architectures, and the functions that look into it."""

import pytest

from checks.knowledge.gpu.gpu_architectures import (
    GpuArchitectures,
    amd_target,
    amd_target_of_device,
    amd_wheel_targets,
    architecture_of_capability,
    architecture_of_die,
    intel_platform,
    nvml_architecture,
    toolkit_targets,
)


@pytest.mark.parametrize(
    ("die", "capability", "architecture"),
    [
        ("GB202", "12.0", "Blackwell"),
        ("AD103", "8.9", "Ada Lovelace"),
        ("GP104", "6.1", "Pascal"),
        ("TU117", "7.5", "Turing"),
        ("GB10B", "11.0", "Blackwell"),  # 10.1 was its name in CUDA 12.8 and 12.9 only
        ("GA10B", "8.7", "Ampere"),
    ],
)
def test_die(die, capability, architecture):
    row = architecture_of_die(die)
    assert (row.compute_capability, row.architecture) == (capability, architecture)


def test_unknown_die_is_unknown():
    assert architecture_of_die("GX999") is None


def test_every_die_has_one_row():
    dies = [die for row in GpuArchitectures.read().nvidia for die in row.dies]
    assert len(dies) == len(set(dies))


@pytest.mark.parametrize("spelling", ["12.0", "sm_120", "120"])
def test_capability_in_every_spelling(spelling):
    assert architecture_of_capability(spelling).sm == "sm_120"


@pytest.mark.parametrize(
    ("cuda", "sm", "built"),
    [("12.6.85", 120, False), ("12.8", 120, True), ("13.0", 61, False), ("12.9", 61, True), ("13.5", 107, True)],
)
def test_toolkit(cuda, sm, built):
    assert (sm in toolkit_targets(cuda)) is built


def test_toolkit_that_was_not_measured():
    assert toolkit_targets("10.2") is None


@pytest.mark.parametrize(
    ("device", "name", "gfx"),
    [
        ("73bf", "Navi 21", "gfx1030"),
        ("73a1", "Navi 21 GL-XL", "gfx1030"),
        ("1586", "Strix Halo", "gfx1151"),  # not Strix: the longest name counts
        ("150e", "Strix", "gfx1150"),
        ("74a1", "Aqua Vanjaram", "gfx942"),
        ("75a0", "Aqua Vanjaram", "gfx950"),
        ("67df", "Ellesmere", "gfx803"),
    ],
)
def test_amd_device(device, name, gfx):
    assert amd_target_of_device(device, name).gfx == gfx


def test_unknown_amd_device():
    assert amd_target_of_device("13c0", "Granite Ridge") is None


def test_amd_features_are_ignored():
    assert amd_target("gfx90a:sramecc+:xnack-").architecture == "GFX9 (CDNA 2)"


@pytest.mark.parametrize(
    ("torch", "rocm", "gfx", "there"),
    [
        ("2.4.1+rocm6.1", "6.1", "gfx1100", True),
        ("2.4.1+rocm6.1", "6.1", "gfx1201", False),
        ("2.9.1", "6.4", "gfx1201", True),
        ("2.9.1", "6.4", "gfx1151", False),
        ("2.10.0", "7.0", "gfx1151", True),
    ],
)
def test_amd_wheels(torch, rocm, gfx, there):
    assert (gfx in amd_wheel_targets(torch, rocm)) is there


def test_amd_wheel_that_was_not_read():
    assert amd_wheel_targets("2.6.0", "6.2.4") is None


def test_intel():
    assert intel_platform("e20b").torch_from == "2.7"
    assert intel_platform("a780").torch_xpu is False
    assert intel_platform("5912") is None  # Gen9


def test_no_intel_id_in_two_rows():
    ids = [each for row in GpuArchitectures.read().intel for each in row.device_ids]
    assert len(ids) == len(set(ids))


def test_nvml_number():
    assert nvml_architecture(10) == "Blackwell"
    assert nvml_architecture(4294967295) is None
