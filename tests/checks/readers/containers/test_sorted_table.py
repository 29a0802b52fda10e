"""The sorted table that TensorFlow keeps a checkpoint's index in."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from checks.readers.containers import sorted_table
from checks.readers.containers.sorted_table import FOOTER, MAGIC, entries, first_entry, is_table
from checks.readers.containers.source import Damaged, of_bytes

MADE = Path(__file__).parents[3] / "recordings" / "models" / "tf-checkpoint" / "made"
INDEX = (MADE / "model.ckpt-7.index").read_bytes()


def test_keys_in_order() -> None:
    assert is_table(of_bytes(INDEX))
    found = list(entries(of_bytes(INDEX)))
    assert [key for key, _ in found] == [b"", b"conv/kernel", b"dense/kernel", b"half"]
    assert first_entry(of_bytes(INDEX)) == found[0]


@pytest.mark.parametrize(
    "data", [pytest.param(b"", id="empty"), pytest.param(MAGIC, id="magic-alone"), pytest.param(INDEX[:-1], id="cut")]
)
def test_no_table(data: bytes) -> None:
    assert not is_table(of_bytes(data))


@pytest.mark.parametrize(
    "footer",
    [
        pytest.param(b"\xff" * (FOOTER - 8), id="endless-numbers"),
        pytest.param(b"\0\0" + b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f" + b"\x10" + bytes(28), id="offset-far-out"),
        pytest.param(b"\0\0\0" + b"\xff\xff\xff\xff\x7f" + bytes(32), id="a-huge-block"),
        pytest.param(bytes(FOOTER - 8), id="a-block-of-nothing"),
    ],
)
def test_hostile_footers(footer: bytes) -> None:
    data = of_bytes(bytes(64) + footer + MAGIC)
    for read in (first_entry, lambda source: list(entries(source))):
        with contextlib.suppress(Damaged):
            read(data)


def test_a_compressed_block_is_refused() -> None:
    reasons = set()
    for place in range(len(INDEX) - FOOTER):  # one of these bytes tells how a block is compressed
        try:
            list(entries(of_bytes(INDEX[:place] + b"\1" + INDEX[place + 1 :])))
        except Damaged as damage:
            reasons.add(damage.reason)
    assert "table-compressed" in reasons


def test_entries_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorted_table, "MOST_ENTRIES", 2)
    with pytest.raises(Damaged, match="more than 2"):
        list(entries(of_bytes(INDEX)))


def test_keys_have_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key repeats a part of the one before it: long ones would be copied a million times."""
    monkeypatch.setattr(sorted_table, "MOST_KEY", 5)
    with pytest.raises(Damaged, match="key of"):
        list(entries(of_bytes(INDEX)))
