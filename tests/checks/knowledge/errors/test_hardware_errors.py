"""Xid codes, clock reasons, return codes."""

import pynvml

from checks.knowledge.errors.hardware_errors import (
    HardwareErrors,
    action,
    clock_reason,
    clock_reasons,
    nvml_return,
    recovery_action,
    xid,
)


def test_xid():
    assert xid(79).likely[0] == "pcie"
    assert xid(79).severity == "fatal"
    assert xid(1).unused
    assert xid(9999) is None


def test_every_action_of_every_xid_is_explained():
    codes = {code for row in HardwareErrors.read().xid for code in (row.immediate, row.followup) if code}
    assert {code for code in codes if action(code) is None} == set()


def test_clock_reasons_by_bit():
    assert clock_reasons(0) == ()
    assert clock_reasons(0x48) == ("HwSlowdown", "HwThermalSlowdown")
    assert clock_reasons(0x801) == ("GpuIdle", "0x800")
    assert clock_reason("HwThermalSlowdown").sign_of_trouble


def test_bits_are_those_of_the_binding():
    for row in HardwareErrors.read().clock_reason:
        known = [name for name, value in vars(pynvml).items() if "ClocksThrottleReason" in name and value == row.bit]
        assert known or row.name in ("BoardLimit", "Reliability"), row


def test_return_codes_are_those_of_the_binding():
    for row in HardwareErrors.read().nvml_return:
        assert getattr(pynvml, row.name) == row.value


def test_recovery():
    assert recovery_action(1).id == "reset"
    assert recovery_action(99) is None


def test_an_error_of_the_caller_is_no_machine_problem():
    assert nvml_return("NVML_ERROR_INVALID_ARGUMENT") is None
    assert nvml_return("NVML_ERROR_GPU_IS_LOST").value == 15
