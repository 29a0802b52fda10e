"""What is asked of the system's log and how the answer is read; events as they stood in the logs of real machines."""

from collections.abc import Callable
from typing import Any

import pytest

from checks.probes.ask import system_log

# https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/471 and a blog of 2023 with the same form (GPUID 2b00).
RESET = (
    '<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event"> <System> <Provider Name="nvlddmkm" /> '
    '<EventID Qualifiers="0">0</EventID> <Version>0</Version> <Level>2</Level> <Task>0</Task> <Opcode>0</Opcode> '
    '<Keywords>0x80000000000000</Keywords> <TimeCreated SystemTime="2023-02-09T15:15:31.3464479Z" /> '
    '<EventRecordID>138086</EventRecordID> <Correlation /> <Execution ProcessID="4" ThreadID="4588" /> '
    "<Channel>System</Channel> <Computer>David-PC</Computer> <Security /> </System> <EventData> "
    "<Data>\\Device\\Video3</Data> <Data>Error occurred on GPUID: 2b00</Data> "
    "<Binary>00000000020030000000000000000000000000000000000000000000000000000000000000000000</Binary> "
    "</EventData> </Event>"
)
# As EvtRender gave it on a Windows 11 of 2026.
EXCEPTION = (
    "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='nvlddmkm'/>"
    "<EventID Qualifiers='49322'>13</EventID><Version>0</Version><Level>2</Level><Task>0</Task><Opcode>0</Opcode>"
    "<Keywords>0x80000000000000</Keywords><TimeCreated SystemTime='2026-06-16T14:01:07.0419487Z'/>"
    "<EventRecordID>31592</EventRecordID><Correlation/><Execution ProcessID='4' ThreadID='20388'/>"
    "<Channel>System</Channel><Computer>DESKTOP-QO05OVK</Computer><Security/></System><EventData>"
    "<Data>\\Device\\Video3</Data><Data>Graphics FECS Exception: Logging error 0x2</Data>"
    "<Binary>0000000002003000000000000D00AAC0000000000000000000000000000000000000000000000000</Binary></EventData></Event>"
)
# The form of a real event of the same kind, whose code was 1b8.
LIVE_DUMP = (
    "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>"
    "<Provider Name='Windows Error Reporting' Guid='{0ead09bd-2157-539a-8d6d-c87f95b64d70}'/><EventID>1001</EventID>"
    "<Level>4</Level><TimeCreated SystemTime='2026-07-08T04:42:03.2990784Z'/><Channel>Application</Channel>"
    "<Computer>HyteY70</Computer><Security UserID='S-1-5-18'/></System><EventData><Data Name='Bucket'></Data>"
    "<Data Name='BucketType'>0</Data><Data Name='EventName'>LiveKernelEvent</Data>"
    "<Data Name='Response'>Not available</Data><Data Name='CabId'>0</Data><Data Name='P1'>141</Data>"
    "<Data Name='P2'>ffffe207f479d010</Data></EventData></Event>"
)


def read(text: str) -> list[dict[str, Any]]:
    return [entry for _, entry in system_log.events(text)]


def test_the_strings_of_an_event_are_kept_and_no_name_of_a_computer() -> None:
    (entry,) = read(EXCEPTION)
    assert entry == {
        "source": "nvlddmkm",
        "text": "\\Device\\Video3\nGraphics FECS Exception: Logging error 0x2",
        "event_id": 13,
        "time": "2026-06-16T14:01:07.0419487Z",
    }


def test_strings_that_have_names_keep_them() -> None:
    (entry,) = read(LIVE_DUMP)
    assert "EventName=LiveKernelEvent\n" in entry["text"]
    assert "\nP1=141\n" in entry["text"]
    assert "HyteY70" not in str(entry)


def test_several_events_in_a_row_and_as_a_page_shows_them() -> None:
    shown = "- " + RESET.replace("> <System>", ">\n- <System>\n")
    assert [entry["event_id"] for entry in read(EXCEPTION + shown + LIVE_DUMP)] == [13, 0, 1001]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(EXCEPTION[:-20], id="cut"),
        pytest.param("<Event><System></Event>", id="damaged"),
        pytest.param("<Event>" * 50_000, id="never-closed"),
        pytest.param("<Event></Event>" * 50_000, id="nothing-in-them"),
        pytest.param("<Event >" + "<a>" * 100 + "</a>" * 100 + "</Event>", id="too-deep"),
        pytest.param(
            "<Event ><!DOCTYPE a [<!ENTITY b 'c'>]><System><Provider Name='nvlddmkm'/></System></Event>", id="entities"
        ),
        pytest.param(EXCEPTION.replace("Logging", "&b;"), id="entity-of-nobody"),
        pytest.param(EXCEPTION.replace("Logging", "L" * 70_000), id="too-long"),
        pytest.param(EXCEPTION.replace("nvlddmkm", ""), id="of-nobody"),
    ],
)
def test_what_is_no_event_is_passed_over(text: str) -> None:
    assert read(text) == []


def test_a_damaged_event_hides_no_other() -> None:
    assert [entry["event_id"] for entry in read("<Event ><System></Event>" + EXCEPTION)] == [13]


def test_windows_is_asked_with_a_filter_a_limit_and_without_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYSTEMROOT", r"D:\Windows")
    system, application = system_log.windows_commands(60)
    assert system[:3] == [r"D:\Windows\System32\wevtutil.exe", "qe", "System"]
    assert "Provider[@Name='nvlddmkm']" in system[3]
    assert "timediff(@SystemTime) <= 60000" in system[3]
    assert system[3].count("[") == system[3].count("]")
    assert application[3].count("(") == application[3].count(")")
    assert "Data='LiveKernelEvent'" in application[3]
    assert {"/f:xml", "/c:200", "/rd:true", "/uni:true"} <= set(system)
    assert not any('"' in word for word in (*system, *application))


def answering(answers: dict[str, str | None]) -> Callable[[list[str]], dict[str, Any]]:
    """Runs no command: answers by the log that is asked for; None is a refusal."""

    def run(arguments: list[str]) -> dict[str, Any]:
        text = answers.get(arguments[2] if len(arguments) > 2 and arguments[1] == "qe" else arguments[0])
        if text is None:
            return {"code": 5, "stdout": "", "stderr": "Access is denied."}
        return {"code": 0, "stdout": text, "stderr": ""}

    return run


def test_the_two_logs_of_windows_are_put_in_the_order_of_time() -> None:
    entries, why = system_log.windows_entries(60, answering({"System": EXCEPTION, "Application": LIVE_DUMP}))
    assert entries is not None
    assert [entry["event_id"] for entry in entries] == [13, 1001]
    assert why == ""


def test_a_log_without_such_events_is_read_and_one_that_is_refused_is_not() -> None:
    assert system_log.windows_entries(60, answering({"System": "", "Application": ""})) == ([], "")
    entries, why = system_log.windows_entries(60, answering({}))
    assert entries is None
    assert why == "System: Access is denied.; Application: Access is denied."


def test_the_output_of_wevtutil_is_utf_16_and_other_programs_write_utf_8() -> None:
    assert system_log.decoded(("\ufeff" + "<Event 日本").encode("utf-16-le")) == "<Event 日本"
    assert system_log.decoded("<Event".encode("utf-16-le")) == "<Event"
    assert system_log.decoded("日本".encode()) == "日本"
    assert system_log.decoded(b"") == ""


def test_of_a_line_only_what_is_kept_is_looked_at() -> None:
    """A line without end, as any program may write it into a file of the system, costs no time."""
    told = "[ 1.0] amdgpu 0000:03:00.0: error"
    assert system_log.kernel_lines(f"{'amdgpu' * 50_000} error\n{told}") == [told]


def test_while_something_runs_only_what_is_new_counts() -> None:
    log = {"dmesg": None, "journalctl": "[ 1.0] host kernel: NVRM: Xid (PCI:0000:01:00): 31, pid=1\n"}
    watch = system_log.Watch(answering(log), "linux")
    assert watch.entries(5.0) == []
    log["journalctl"] = (
        f"{log['journalctl']}[ 2.0] host kernel: NVRM: Xid (PCI:0000:01:00): 79, lost\n[ 2.1] usb: new\n"
    )
    assert watch.entries(5.0) == [
        {"source": "kernel", "text": "[ 2.0] host kernel: NVRM: Xid (PCI:0000:01:00): 79, lost"}
    ]


def test_a_log_that_another_command_tells_is_not_new() -> None:
    """The journal writes the same lines otherwise; dmesg may take too long on a machine under load."""
    log: dict[str, str | None] = {"dmesg": "[ 1.0] NVRM: Xid (PCI:0000:01:00): 79, lost\n"}
    watch = system_log.Watch(answering(log), "linux")
    log |= {"dmesg": None, "journalctl": "[ 1.000000] host kernel: NVRM: Xid (PCI:0000:01:00): 79, lost\n"}
    assert watch.entries(5.0) is None


def test_a_log_that_was_full_before_is_compared_at_once() -> None:
    """As where a card's bus corrects errors without end."""
    lines = [f"[{number}.0] nvidia 0000:01:00.0: AER: Corrected error received" for number in range(60_000)]
    log: dict[str, str | None] = {"dmesg": "\n".join(lines[:-1])}
    watch = system_log.Watch(answering(log), "linux")
    log["dmesg"] = "\n".join(lines)
    assert watch.entries(5.0) == [{"source": "kernel", "text": lines[-1]}]


def test_on_windows_the_same_for_its_events() -> None:
    answers: dict[str, str | None] = {"System": EXCEPTION, "Application": ""}
    watch = system_log.Watch(answering(answers), "win32")
    answers["System"] = RESET + EXCEPTION
    (entry,) = watch.entries(5.0) or ()
    assert entry["text"].endswith("GPUID: 2b00")


def test_of_two_logs_one_that_is_read_later_tells_nothing_new() -> None:
    answers: dict[str, str | None] = {"System": None, "Application": ""}
    watch = system_log.Watch(answering(answers), "win32")
    answers["System"] = EXCEPTION
    assert watch.entries(5.0) is None


@pytest.mark.parametrize("platform", ["linux", "win32", "darwin"])
def test_a_log_that_cannot_be_read_is_not_an_empty_one(platform: str) -> None:
    assert system_log.Watch(answering({}), platform).entries(5.0) is None
