"""Entries of logs, from real threads (source beside each), and what they say of a GPU."""

import re

import pytest
from support import recorded_machines as recorded

from checks.facts import GpuEvent, LogEntry, XidEvent
from checks.knowledge.errors.gpu_log import GpuLogTexts
from checks.knowledge.errors.hardware_errors import xid
from checks.knowledge.phrases import phrases
from checks.machine import system_log


def driver(text, event_id=13):
    return LogEntry(source="nvlddmkm", text=f"\\Device\\Video3\n{text}", event_id=event_id)


def kernel(line):
    return LogEntry(source="kernel", text=line)


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        # https://github.com/MrNeRF/LichtFeld-Studio/issues/2080
        pytest.param(driver("Graphics SM Warp Exception on (GPC 0, TPC 0, SM 0): MMU NACK Errors"), 13, id="warp"),
        pytest.param(driver("Graphics SM Global Exception on (GPC 0, TPC 0, SM 0): Multiple Warp Errors"), 13, id="sm"),
        pytest.param(driver("Graphics Exception: ESR 0x505730=0xb010020 0x505734=0x4"), 13, id="esr"),
        pytest.param(driver("Graphics FECS Exception: Logging error 0x2"), 13, id="fecs"),
        pytest.param(driver("BAD_TSG encountered on runlist: 0 with error code: 5", 106), 51, id="runlist"),
        pytest.param(driver("CMDre 00000000 00000200 00000140 00000005 00000001", 14), 56, id="display"),
        pytest.param(driver("GPU recovery action changed from 0x0 (None) to 0x1 (PF FLR)", 14), 154, id="recovery"),
        pytest.param(
            driver("Row Remapper: New row (0x0000000018f31d80) marked for remapping, reset gpu to activate.", 14),
            63,
            id="row",
        ),
        pytest.param(
            driver("An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer", 14),
            48,
            id="dbe",
        ),
        pytest.param(kernel("[ 9.1] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus."), 79, id="linux"),
    ],
)
def test_an_xid_by_its_text(entry, code):
    (event,) = system_log.xids((entry,))
    assert event.code == code
    assert "\\Device" not in event.text
    assert system_log.events((entry,)) == ()


@pytest.mark.parametrize(
    ("entry", "kind", "address"),
    [
        pytest.param(
            driver("Restarting TDR occurred on GPUID:100", 153), "reset", "0000:01:00.0", id="tdr"
        ),  # dartraiden/NVIDIA-patcher#427
        pytest.param(driver("UCodeReset TDR occurred on GPUID:2b00", 153), "reset", "0000:2b:00.0", id="other-card"),
        pytest.param(driver("Reset TDR occurred on GPUID:6", 153), "reset", "0000:00:06.0", id="virtual"),
        pytest.param(LogEntry(source="Display", text="nvlddmkm", event_id=4101), "reset", None, id="4101"),
        pytest.param(LogEntry(source="Display", text="amdwddmg", event_id=4101), "reset", None, id="4101-amd"),
        pytest.param(
            LogEntry(
                source="Windows Error Reporting",
                text="EventName=LiveKernelEvent\nResponse=Not available\nCabId=0\nP1=141\nP2=ffffe207",
                event_id=1001,
            ),
            "reset",
            None,
            id="live-dump",
        ),
        pytest.param(
            LogEntry(source="Microsoft-Windows-WHEA-Logger", text="ErrorSource=1\nApicId=0\nMCABank=27", event_id=19),
            "machine-check",
            None,
            id="corrected-machine-check",
        ),
        pytest.param(
            kernel("[ 7.2] amdgpu 0000:03:00.0: ring gfx_0.1.0 timeout, signaled seq=43404, emitted seq=43406"),
            "reset",
            "0000:03:00.0",
            id="amdgpu-new",
        ),
        pytest.param(
            kernel("amdgpu 0000:c6:00.0: amdgpu: ring comp_1.0.1 timeout, signaled seq=44, emitted seq=46"),
            "reset",
            "0000:c6:00.0",
            id="amdgpu",
        ),
        pytest.param(  # https://bugs.freedesktop.org/show_bug.cgi?id=111763
            kernel(
                "Oct 30 02:49:30 pop-os kernel: [ 4869.231450] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring "
                "gfx_0.0.0 timeout, signaled seq=2626284, emitted seq=2626286"
            ),
            "reset",
            None,
            id="amdgpu-old",
        ),
        pytest.param(
            kernel("amdgpu 0000:08:00.0: {1}1 uncorrectable hardware errors detected in umc block"),
            "memory-uncorrected",
            "0000:08:00.0",
            id="ras",
        ),
        pytest.param(
            kernel("amdgpu 0000:08:00.0: {1}uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!"),
            "memory-uncorrected",
            "0000:08:00.0",
            id="ras-interrupt",
        ),
        pytest.param(
            kernel("[ 9.0] amdgpu 0000:0c:00.0: amdgpu: GPU reset(2) failed"),
            "reset-failed",
            "0000:0c:00.0",
            id="amdgpu-lost",
        ),
        pytest.param(
            kernel("[ 1831.944273] i915 0000:00:02.0: [drm] GPU HANG: ecode 12:1:8ed9fff2, in python3 [6414]"),
            "reset",
            "0000:00:02.0",
            id="i915",
        ),
        pytest.param(
            kernel("xe 0000:03:00.0: [drm] Tile0: GT0: Engine reset: engine_class=bcs, logical_mask: 0x1, guc_id=6"),
            "reset",
            "0000:03:00.0",
            id="xe",
        ),
        pytest.param(
            kernel("xe 0000:00:02.0: [drm] GT0: Timedout job: seqno=24496, lrc_seqno=24496, guc_id=0, flags=0x13"),
            "reset",
            "0000:00:02.0",
            id="xe-job",
        ),
        pytest.param(
            kernel("xe 0000:03:00.0: [drm] *ERROR* CRITICAL: Xe has declared device 0000:03:00.0 as wedged."),
            "reset-failed",
            "0000:03:00.0",
            id="xe-wedged",
        ),
        pytest.param(
            kernel("[ 5.0] mce: [Hardware Error]: Machine check events logged"), "machine-check", None, id="mce"
        ),
    ],
)
def test_another_event(entry, kind, address):
    (event,) = system_log.events((entry,))
    assert (event.kind, event.pci_address) == (kind, address)
    assert system_log.xids((entry,)) == ()


@pytest.mark.parametrize(
    "entry",
    [
        # A program that was merely ended leaves it, too.
        pytest.param(driver("Error occurred on GPUID: 100", 153), id="error-of-no-kind"),
        pytest.param(driver("Variable String too Large", 14), id="another-text"),
        pytest.param(LogEntry(source="Display", text="nvlddmkm", event_id=4107), id="another-event"),
        pytest.param(LogEntry(source="disk", text="Graphics Exception: ESR", event_id=13), id="of-a-disk"),
        pytest.param(
            LogEntry(source="Windows Error Reporting", text="EventName=LiveKernelEvent\nP1=1b8", event_id=1001),
            id="another-live-dump",
        ),
        pytest.param(
            LogEntry(source="Microsoft-Windows-WHEA-Logger", text="ErrorSource=4\nPortType=4", event_id=17),
            id="corrected-link",
        ),
        pytest.param(LogEntry(source="Microsoft-Windows-WHEA-Logger", text="Length=316", event_id=3), id="whea-note"),
        pytest.param(
            kernel("amdgpu 0000:c6:00.0: amdgpu: ring gfx_0.0.0 timeout, but soft recovered"), id="soft-recovered"
        ),
        pytest.param(
            kernel("amdgpu 0000:c3:00.0: amdgpu: no uncorrectable hardware errors detected in umc block"),
            id="no-errors",
        ),
        pytest.param(
            kernel("amdgpu 0000:c3:00.0: amdgpu: 0 uncorrectable hardware errors detected in umc block"),
            id="zero-errors",
        ),
        pytest.param(
            kernel("amdgpu 0000:c3:00.0: amdgpu: 3 correctable hardware errors detected in umc block"), id="corrected"
        ),
        # What tools get of a card that sleeps, and what becomes of it at each question.
        pytest.param(
            kernel("amdgpu 0000:0b:00.0: 1048560 uncorrectable hardware errors detected in umc block"), id="asleep"
        ),
        pytest.param(kernel("amdgpu 0000:03:00.0: GPU reset(1) succeeded!"), id="reset-succeeded"),
        pytest.param(
            kernel("i915 0000:00:02.0: [drm] GuC firmware i915/tgl_guc_70.1.1.bin version 70.1"), id="firmware"
        ),
    ],
)
def test_silent(entry):
    assert system_log.events((entry,)) == ()
    assert system_log.xids((entry,)) == ()


def test_every_row_says_one_thing_and_has_words():
    for row in GpuLogTexts.read().sign:
        re.compile(row.pattern)
        assert (row.xid is None) != (row.kind == ""), row.pattern
        if row.xid is not None:
            assert xid(row.xid) is not None
        else:
            assert row.likely
            assert f"fault-log-{row.kind}" in phrases()


def test_rows_of_one_kind_agree_about_what_it_means():
    rows = [row for row in GpuLogTexts.read().sign if row.kind]
    assert len({(row.kind, row.likely, row.grave) for row in rows}) == len({row.kind for row in rows})


def test_a_machine_with_windows(tmp_path):
    facts = recorded.machine(recorded.load("windows-two-gpus"), tmp_path)
    assert facts.nvidia.xids == (
        XidEvent(code=13, text="Graphics FECS Exception: Logging error 0x2", time="2026-06-16T14:01:07.0419487Z"),
    )
    assert [(event.kind, event.time) for event in facts.log.events] == [("reset", "2026-06-17T09:30:00.0000000Z")]
    assert facts.log.origin == "Windows event log"


def test_what_came_before_the_last_start_is_marked(tmp_path):
    recording = recorded.load("windows-two-gpus")
    recording["answers"]["started"] = "2026-06-17T00:00:00"
    (event,) = recorded.machine(recording, tmp_path).nvidia.xids
    assert event.before_start
    (later,) = system_log.xids((driver("GPU has fallen off the bus."),), "2026-06-17T00:00:00")
    assert not later.before_start  # its time is not known


def test_a_log_of_windows_that_was_refused_is_not_an_empty_one(tmp_path):
    facts = recorded.machine(recorded.load("windows-without-driver"), tmp_path)
    assert facts.nvidia.xids is None
    assert "FileNotFoundError" in facts.nvidia.unread["xids"]
    assert facts.log.events is None


def test_nor_is_one_of_two_logs_the_whole(tmp_path):
    """Xids stand in the log "System"; that of the applications was read."""
    recording = recorded.load("windows-two-gpus")
    (asked,) = [command for command in recording["commands"] if command.endswith(" qe System")]
    recording["commands"][asked] = {"code": 5, "stdout": "", "stderr": "Access is denied."}
    facts = recorded.machine(recording, tmp_path)
    assert facts.nvidia.xids is None
    assert facts.nvidia.unread["xids"] == "System: Access is denied."


def test_a_machine_with_linux(tmp_path):
    recording = recorded.load("amd-rx580")
    line = "[  812.5] amdgpu 0000:03:00.0: ring gfx timeout, signaled seq=1, emitted seq=2"
    recording["commands"]["dmesg"]["stdout"] += f"\n{line}"
    facts = recorded.machine(recording, tmp_path)
    assert facts.log.events == (
        GpuEvent(kind="reset", vendor="1002", pci_address="0000:03:00.0", text=line, seconds=812.5),
    )
