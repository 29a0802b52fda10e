"""Events of Windows as people paste them, in real threads: as XML, as the Event Viewer shows them, in any language."""

import pytest

from checks.facts import Facts, GpuEvent, XidEvent
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in

# https://github.com/Open-Shell/Open-Shell-Menu/issues/2025, with the strings of LichtFeld-Studio#2080 instead.
ENGLISH = r"""
The description for Event ID 13 from source nvlddmkm cannot be found. Either the component that raises this event is not
installed on your local computer or the installation is corrupted.

The following information was included with the event:

\Device\Video3
Graphics SM Warp Exception on (GPC 0, TPC 0, SM 0): MMU NACK Errors

The message resource is present but the message was not found in the message table
"""
# The frame as Windows' Japanese shows it of another program (a question about NortonSecurity, event 36).
JAPANESE = r"""
ログの名前:         System
ソース:           nvlddmkm
イベント ID:       153
コンピューター:       DESKTOP-QO05OVK
説明:
ソース "nvlddmkm" からのイベント ID 153 の説明が見つかりません。このイベントを発生させるコンポーネントがローカル コンピューターにインストールされていないか、インストールが壊れています。

イベントには次の情報が含まれています:

\Device\Video3
Resetting TDR occurred on GPUID:100

メッセージ リソースは存在しますが、メッセージがメッセージ テーブルに見つかりませんでした。
"""  # noqa: E501
# A diary of 2024 that quotes two events.
QUOTED = r"""
> Log Name:      System
> Source:        nvlddmkm
> Event ID:      153
> The following information was included with the event:
>
> \Device\000000fb
> Reset TDR occurred on GPUID:100
"""
ONE_LINE = r"nvlddmkm 14: \Device\Video8 GPU recovery action changed from"
XML = r"""
- <Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event">
- <System>
  <Provider Name="nvlddmkm" />
  <EventID Qualifiers="49322">14</EventID>
  <TimeCreated SystemTime="2026-08-22T14:57:01.0000000Z" />
  </System>
- <EventData>
  <Data>\Device\Video3</Data>
  <Data>GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)</Data>
  </EventData>
  </Event>
"""


def facts(text: str) -> Facts:
    return reported_in(lines_of(text)).facts


def xids(text: str) -> list[int]:
    machine = facts(text).machine
    return [event.code for event in (machine.nvidia.xids if machine and machine.nvidia else None) or ()]


def events(text: str) -> list[tuple[str, str | None]]:
    machine = facts(text).machine
    log = machine.log.events if machine and machine.log else None
    return [(event.kind, event.pci_address) for event in log or ()]


def test_the_drivers_words_below_the_name_of_its_device() -> None:
    read = reported_in(lines_of(ENGLISH))
    nvidia = read.facts.machine.nvidia if read.facts.machine else None
    assert nvidia is not None
    text = "Graphics SM Warp Exception on (GPC 0, TPC 0, SM 0): MMU NACK Errors"
    assert nvidia.xids == (XidEvent(code=13, text=text),)
    assert read.places["machine.nvidia.xids"] == (7, 8)
    assert nvidia.origin == "Windows event log, lines 7-8"


@pytest.mark.parametrize("text", [JAPANESE, QUOTED], ids=["japanese", "quoted"])
def test_whatever_the_language_around_them(text: str) -> None:
    assert events(text) == [("reset", "0000:01:00.0")]
    assert xids(text) == []


def test_an_event_as_xml_with_its_time() -> None:
    machine = facts(XML).machine
    assert machine is not None
    assert machine.nvidia is not None
    (event,) = machine.nvidia.xids or ()
    assert (event.code, event.time) == (154, "2026-08-22T14:57:01.0000000Z")


def test_an_event_that_is_pasted_in_both_forms_counts_once() -> None:
    assert xids(ENGLISH + XML.replace("GPU recovery action changed from 0x0", "Graphics Exception: ESR 0x0")) == [13]


def test_the_sentence_of_event_4101() -> None:
    japanese = "ディスプレイ ドライバー nvlddmkm が応答を停止しましたが、正常に回復しました。"
    english = "Display driver nvlddmkm stopped responding and has successfully recovered."
    assert events(japanese) == events(english) == [("reset", None)]


def test_lines_of_other_drivers_in_the_kernel_log() -> None:
    line = "[ 7.2] amdgpu 0000:03:00.0: ring gfx_0.1.0 timeout, signaled seq=43404, emitted seq=43406"
    machine = facts(f"before\n{line}\nafter").machine
    assert machine is not None
    assert machine.log is not None
    event = GpuEvent(kind="reset", vendor="1002", pci_address="0000:03:00.0", text=line, seconds=7.2)
    assert machine.log.events == (event,)
    assert machine.log.origin == "kernel log, line 2"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "nvlddmkm.sys is the driver. \\Device\\Video3\n\n\n\nGraphics Exception: far below", id="far-below"
        ),
        pytest.param("\\Device\\Video3\nGraphics Exception: ESR", id="no-word-of-the-driver"),
        pytest.param(ENGLISH.replace("Graphics SM Warp Exception on", "Error occurred on GPUID: 100"), id="of-no-kind"),
        pytest.param("nvlddmkm\n" + "\\Device\\Video3\n" * 3000, id="nothing-but-devices"),
        pytest.param("nvlddmkm <Event " * 3000, id="never-closed"),
    ],
)
def test_silent(text: str) -> None:
    assert xids(text) == []
    assert events(text) == []
