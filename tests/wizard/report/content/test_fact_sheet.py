"""What the facts say of the system's log, in rows."""

import pytest

from checks.facts import Facts, GpuEvent, MachineFacts, NvidiaFacts, SystemLog, XidEvent
from wizard.report.content.blocks import FactRow
from wizard.report.content.fact_sheet import FactSection, fact_sections, size

ADDRESS = "0000:01:00.0"
LATER, EARLIER = "2026-06-17T09:30:00.0000000Z", "2026-06-16T14:01:07.0419487Z"


def of_log(machine: MachineFacts, language: str = "en") -> list[FactSection]:
    titles = ("System log: graphics cards and processor", "システムのログ: グラフィックカードとプロセッサー")
    return [
        fact_section for fact_section in fact_sections(Facts(machine=machine), language) if fact_section.title in titles
    ]


def test_what_the_log_tells_is_counted() -> None:
    xids = (XidEvent(code=13, time=LATER), XidEvent(code=13, time=EARLIER), XidEvent(code=79, pci_address=ADDRESS))
    log = SystemLog(events=(GpuEvent(kind="reset", pci_address=ADDRESS, time=LATER),))
    (section,) = of_log(MachineFacts(nvidia=NvidiaFacts(xids=xids), log=log))
    assert section.rows == (
        FactRow("Xid 13", "x2 / 2026-06-17T09:30:00"),
        FactRow("Xid 79", f"x1 / {ADDRESS}"),
        FactRow("it did not answer in time and was reset by the system", f"x1 / {ADDRESS} / 2026-06-17T09:30:00"),
    )
    (japanese,) = of_log(MachineFacts(log=log), "ja")
    assert japanese.rows[0].label == "時間内に応答せず、システムによりリセットされました"


def test_a_kind_of_a_newer_version_is_told_by_its_name() -> None:
    (section,) = of_log(MachineFacts(log=SystemLog(events=(GpuEvent(kind="melted"),))))
    assert section.rows == (FactRow("melted", "x1"),)


@pytest.mark.parametrize(
    "machine",
    [
        MachineFacts(),
        MachineFacts(nvidia=NvidiaFacts(xids=()), log=SystemLog(events=())),
        MachineFacts(log=SystemLog(unread={"events": "dmesg: not permitted"})),
    ],
)
def test_of_a_log_that_tells_nothing_there_is_nothing(machine: MachineFacts) -> None:
    assert of_log(machine) == []


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (66715234304, "62.1 GiB"),
        (256 << 20, "256 MiB"),
        (1 << 60, "1048576 TiB"),
    ],
)
def test_sizes_are_powers_of_1024(count: int, text: str) -> None:
    assert size(count, "en") == text
