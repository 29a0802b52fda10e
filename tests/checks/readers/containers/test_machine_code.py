"""For which system and processor a library was built, by its first bytes."""

import struct
import sys
from pathlib import Path

import pytest
import torch

from checks.readers.containers.machine_code import HEAD, built_for


def pe(machine: int) -> bytes:
    return b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", machine)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\xb7\x00", "Linux aarch64"),
        (b"\x7fELF\x02\x02\x01" + bytes(9) + b"\x00\x03\x00\x16", "Linux s390x"),
        (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\xff\xff", "Linux machine 65535"),
        (b"\xcf\xfa\xed\xfe" + struct.pack("<I", 0x0100000C), "macOS arm64"),
        (pe(0x8664), "Windows AMD64"),
        (b"MZ" + bytes(62), ""),
        (b"MZ" + bytes(58) + b"\xff\xff\xff\xff", ""),
        (b"\x7fELF", ""),
        (b"", ""),
    ],
)
def test_heads(head: bytes, expected: str) -> None:
    assert built_for(head) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="the library is that of Linux")
def test_a_real_library() -> None:
    library = next((Path(torch.__file__).parent / "lib").glob("libc10.so*"))
    assert built_for(library.read_bytes()[:HEAD]).startswith("Linux ")
