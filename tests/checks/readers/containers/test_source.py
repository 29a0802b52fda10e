"""The bytes of a file, in bounds."""

import os
from pathlib import Path

import pytest

from checks.readers.containers import source as module
from checks.readers.containers.source import MIB, Damaged, of_bytes, opened

DATA = bytes(range(256)) * 1024


@pytest.mark.parametrize(("offset", "size"), [(0, 0), (0, 10), (100, 70_000), (262_143, 1), (262_144, 0)])
def test_exactly_what_was_asked_for(offset: int, size: int) -> None:
    assert of_bytes(DATA).read(offset, size) == DATA[offset : offset + size]


def test_reading_back_and_forth() -> None:
    source = of_bytes(DATA)
    assert [source.read(at, 3) for at in (5, 200_000, 4, 200_001)] == [
        DATA[at : at + 3] for at in (5, 200_000, 4, 200_001)
    ]


@pytest.mark.parametrize(("offset", "size"), [(0, 262_145), (262_144, 1), (-1, 4), (0, -1), (2**63, 1)])
def test_beyond_the_end(offset: int, size: int) -> None:
    with pytest.raises(Damaged, match="truncated"):
        of_bytes(DATA).read(offset, size)


def test_a_part_ends_where_it_ends() -> None:
    part = of_bytes(DATA).part(1000, 10)
    assert part.read(0, 10) == DATA[1000:1010]
    with pytest.raises(Damaged):
        part.read(0, 11)
    with pytest.raises(Damaged):
        of_bytes(DATA).part(262_140, 5)


def test_no_more_than_allowed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    huge = tmp_path / "sparse"
    with open(huge, "wb") as file:
        file.truncate(100 * MIB)
    with opened(huge) as source, pytest.raises(Damaged, match="too-large"):
        source.read(0, 65 * MIB)
    monkeypatch.setattr(module, "MOST_IN_ALL", 10 * MIB)
    with opened(huge) as source:
        read = [source.read(at * MIB, MIB) for at in range(10)]
        assert len(read) == 10
        with pytest.raises(Damaged, match="too-large"):
            source.read(0, MIB)


def test_as_a_stream() -> None:
    stream = of_bytes(DATA).part(10, 1000).stream()
    assert stream.read() == DATA[10:1010]
    stream.seek(-5, os.SEEK_END)
    assert stream.read(10) == DATA[1005:1010]
    stream.seek(2)
    assert (stream.read(2), stream.tell()) == (DATA[12:14], 4)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, reason in (
        (tmp_path / "pipe", "not-a-file"),
        (tmp_path / "gone", "unreadable"),
        (tmp_path, "unreadable"),
    ):
        with pytest.raises(Damaged) as raised, opened(path):
            pass
        assert raised.value.reason in (reason, "not-a-file")
