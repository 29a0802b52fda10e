"""The commands that the machine probe runs: what is asked is tested beside how the answer is read."""

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from support import recorded_machines as recorded

from checks.probes.ask import machine as machine_probe


@pytest.fixture
def probe():
    return SimpleNamespace(**vars(machine_probe))


def test_powershell_is_called_without_profile_and_prompt(probe):
    assert probe.POWERSHELL[:5] == ["powershell.exe", "-NoLogo", "-NoProfile", "-NonInteractive", "-Command"]
    assert len(probe.POWERSHELL) == 6


def test_the_powershell_script_survives_the_command_line_of_windows(probe):
    script = probe.POWERSHELL[5]
    assert '"' not in script
    assert not script.endswith("\\")
    line = subprocess.list2cmdline(probe.POWERSHELL)
    assert line.endswith(f'-Command "{script}"')
    assert len(line) < 8191  # what cmd.exe takes; CreateProcess takes four times that


def test_the_brackets_and_quotes_of_the_powershell_script_match(probe):
    without_texts = re.sub(r"'(?:[^']|'')*'", "", probe.POWERSHELL[5])
    assert "'" not in without_texts
    waiting = []
    for character in without_texts:
        if character in "([{":
            waiting.append(character)
        if character in ")]}":
            assert waiting.pop() + character in ("()", "[]", "{}")
    assert waiting == []


def test_the_powershell_script_asks_for_what_is_read(probe):
    script = probe.POWERSHELL[5]
    recording = recorded.load("windows-two-gpus")
    answer = __import__("json").loads(recording["commands"]["powershell.exe"]["stdout"])
    for key in answer:
        assert re.search(rf"^  {key} = ", script, re.MULTILINE), key
    for part in ("video", "devices"):
        for name in answer[part][0]:
            assert re.search(rf"\b{name}\b", script), name
    assert "ConvertTo-Json -Depth 4" in script  # the default of 2 would cut CompatibleID


def test_macos_commands_are_absolute_and_ask_for_both_parts(probe):
    profiler = ["/usr/sbin/system_profiler", "-json", "SPDisplaysDataType", "SPHardwareDataType"]
    assert profiler == probe.SYSTEM_PROFILER
    assert probe.SYSCTL[0].startswith("/")
    assert probe.SW_VERS[0].startswith("/")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param([sys.executable, "-c", "print('out')"], {"code": 0, "stdout": "out"}, id="runs"),
        pytest.param([sys.executable, "-c", "raise SystemExit('no')"], {"code": 1, "stderr": "no"}, id="fails"),
        pytest.param(["/no/such/program"], {"error": "FileNotFoundError"}, id="is-not-there"),
    ],
)
def test_commands_for_real(probe, arguments, expected):
    done = probe.Source({}).run(arguments)
    assert {
        key: str(value).strip() if key != "code" else value for key, value in done.items() if value != ""
    } == expected


def test_a_command_that_hangs_is_ended(probe):
    done = probe.Source({}).run([sys.executable, "-c", "import time; time.sleep(60)"], 0.2)
    assert done == {"error": "TimeoutExpired"}


def test_commands_are_asked_in_english(probe, monkeypatch):
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    done = probe.Source({}).run([sys.executable, "-c", "import os; print(os.environ['LC_ALL'])"])
    assert done["stdout"].strip() == "C"


def test_the_log_is_read_from_the_journal_where_dmesg_is_refused(probe):
    commands = {
        "dmesg": {"code": 1, "stdout": "", "stderr": "dmesg: read kernel buffer failed: Operation not permitted"},
        "journalctl -k -b -q --no-pager -o short-monotonic -n 50000": {
            "code": 0,
            "stdout": "[ 4.1] host kernel: NVRM: Xid (PCI:0000:01:00): 48, pid=1\n[ 5.0] host kernel: usb 1-1: new\n",
            "stderr": "",
        },
    }
    log = probe.kernel_log({"recorded": {"answers": {"system": "Linux"}, "commands": commands}})["kernel_log"]
    assert log["origin"] == "journalctl"
    assert log["lines"] == ["[ 4.1] host kernel: NVRM: Xid (PCI:0000:01:00): 48, pid=1"]
    assert list(log["unread"]) == ["dmesg"]


def test_of_kern_log_only_the_last_boot_counts(probe, tmp_path):
    file = tmp_path / "var" / "log" / "kern.log"
    file.parent.mkdir(parents=True)
    file.write_text(
        "Nov 1 host kernel: Linux version 6.8\nNov 1 host kernel: NVRM: Xid (PCI:0000:01:00): 79, lost\n"
        "Nov 2 host kernel: Linux version 6.8\nNov 2 host kernel: nvidia: module loaded\n"
    )
    log = probe.kernel_log({"root": str(tmp_path), "recorded": {"answers": {"system": "Linux"}}})["kernel_log"]
    assert log["origin"] == "/var/log/kern.log"
    assert log["lines"] == ["Nov 2 host kernel: nvidia: module loaded"]


def test_of_a_log_of_all_programs_only_the_kernels_lines_count(probe, tmp_path):
    file = tmp_path / "var" / "log" / "messages"
    file.parent.mkdir(parents=True)
    file.write_text(
        "Nov 2 host kernel: Linux version 6.8\nNov 2 host python[77]: alice uses nvidia\n"
        "Nov 2 host kernel: amdgpu 0000:03:00.0: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2\n"
    )
    log = probe.kernel_log({"root": str(tmp_path), "recorded": {"answers": {"system": "Linux"}}})["kernel_log"]
    assert log["origin"] == "/var/log/messages"
    assert log["lines"] == [
        "Nov 2 host kernel: amdgpu 0000:03:00.0: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2"
    ]
    assert list(log["unread"]) == ["dmesg", "journalctl", "/var/log/kern.log", "/var/log/syslog"]


def test_only_words_about_modules_leave_the_kernels_command_line(probe, tmp_path):
    file = tmp_path / "proc" / "cmdline"
    file.parent.mkdir()
    file.write_text("root=UUID=1234 password=secret module_blacklist=nvidia,nouveau quiet")
    answer = probe.drivers({"root": str(tmp_path), "recorded": {"answers": {"system": "Linux", "release": "6"}}})
    assert answer["drivers"]["command_line"] == "module_blacklist=nvidia,nouveau"
