"""What is kept of a stream: its beginning, its end, and what complains between them."""

from checks.engine.watch.streams import EDGE, Kept


def kept(*parts: bytes) -> Kept:
    stream = Kept()
    for part in parts:
        stream.take(part)
    return stream


def test_a_short_one_is_whole() -> None:
    assert kept(b"a\r\n", b"\x1b[31mb\x1b[0m\n", "ü\n".encode()).text() == "a\nb\nü\n"


def test_up_to_both_edges_it_is_whole() -> None:
    for size in (EDGE, EDGE + 1, 2 * EDGE - 1, 2 * EDGE):
        data = bytes(32 + number % 90 for number in range(size))
        stream = kept(*(data[place : place + 1000] for place in range(0, size, 1000)))
        assert stream.text() == data.decode()
        assert stream.count == size


def test_of_a_long_one_both_edges_and_the_complaints_are_kept() -> None:
    line = b"step of no interest\n"
    traceback = b'Traceback (most recent call last):\n  File "a.py", line 3\n    x()\nValueError: bad\n'
    parts = [b"BEGIN\n", line * 6000, b"UserWarn", b"ing: old\n", line * 100, traceback, line * 6000, b"END"]
    text = kept(*parts).text()
    assert text.startswith("BEGIN\n")
    assert text.endswith("END")
    assert "\n[...]\nUserWarning: old\n\n[...]\n" in text
    assert f"\n[...]\n{traceback.decode()}\n[...]\n" in text
    assert len(text) < 2 * EDGE + 1000


def test_of_very_many_complaints_the_first_and_the_last_are_kept() -> None:
    stream = kept(b"x\n" * EDGE)
    for number in range(20_000):
        stream.take(b"Error %d\n" % number)
    stream.take(b"x\n" * EDGE)
    text = stream.text()
    assert "Error 0\n" in text
    assert "Error 19999\n" in text
    assert "Error 9000\n" not in text
    assert len(text) < 100_000


def test_one_endless_line_is_bounded() -> None:
    stream = kept(*[b"error " * 10_000] * 100)
    assert len(stream.text()) < 100_000
