"""What the header of a program tells."""

import struct
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.built_machine import HEADS, write

from checks.interpreters import binary


@pytest.mark.parametrize("name", HEADS)
def test_architecture_of_real_headers(name: str) -> None:
    assert binary.is_binary(HEADS[name])
    assert binary.architecture(HEADS[name]) == name.split(maxsplit=1)[0]


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x7fELF", id="cut-elf"),
        pytest.param(b"MZ" + bytes(10), id="cut-dos"),
        pytest.param(b"MZ" + bytes(58) + struct.pack("<I", 2**31), id="pe-offset-beyond-the-file"),
        pytest.param(b"\xcf\xfa\xed\xfe", id="cut-mach-o"),
        pytest.param(bytes.fromhex("cafebabe00000034"), id="java-class"),
        pytest.param(bytes.fromhex("cafebabe00000002"), id="fat-without-entries"),
        pytest.param(b"#!/bin/sh\n", id="script"),
        pytest.param(b"\x7fELF\x02\x01" + bytes(12) + b"\xff\xff", id="unknown-machine"),
    ],
)
def test_what_cannot_be_told_is_none(head: bytes) -> None:
    assert binary.architecture(head) is None


def test_running_interpreter() -> None:
    import platform

    assert binary.architecture(binary.read_head(Path(sys.executable).resolve())) == platform.machine()


def executable_with_resource(version: tuple[int, int, int, int]) -> bytes:
    """A PE file of one section, .rsrc, that holds a VS_FIXEDFILEINFO (layout: Microsoft's PE format)."""
    head = b"MZ" + bytes(58) + struct.pack("<I", 64)
    coff = b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, 0, 0)
    section = struct.pack("<8sIIIIIIHHI", b".rsrc", 64, 0, 64, 128, 0, 0, 0, 0, 0)
    major, minor, build, revision = version
    fixed = struct.pack("<IIII", 0xFEEF04BD, 0x10000, major << 16 | minor, build << 16 | revision)
    return (head + coff + section).ljust(128, b"\0") + fixed.ljust(64, b"\0")


@pytest.mark.parametrize(
    ("resource", "version"),
    [
        # PC/python_ver_rc.h: the third number is micro * 1000 + level * 10 + serial; 3.11.7 carries 3.11.7150.1013
        pytest.param((3, 11, 7150, 1013), "3.11.7", id="final"),
        pytest.param((3, 13, 122, 1013), "3.13.0rc2", id="candidate"),
        pytest.param((3, 14, 104, 1013), "3.14.0a4", id="alpha"),
        pytest.param((1, 1, 0, 14), None, id="launcher-of-distlib"),
    ],
)
def test_version_resource(tmp_path: Path, resource: tuple[int, int, int, int], version: str | None) -> None:
    program = write(tmp_path / "python.exe", executable_with_resource(resource))
    assert binary.windows_version(program) == version


def test_version_resource_that_is_cut_or_missing(tmp_path: Path) -> None:
    whole = executable_with_resource((3, 11, 7150, 1013))
    for length in (0, 3, 66, 90, 130, 140):
        assert binary.windows_version(write(tmp_path / "cut.exe", whole[:length])) is None
    assert binary.windows_version(tmp_path / "missing.exe") is None
    assert binary.windows_version(tmp_path) is None


@pytest.mark.parametrize(
    ("text", "version"),
    [
        pytest.param(b"x\x003.11.2\0y", "3.11.2", id="one"),
        pytest.param(b"\x003.11.2\0 \x003.11.2\0", "3.11.2", id="the-same-twice"),
        pytest.param(b"\x003.11.0rc1+\0", "3.11.0rc1+", id="from-a-checkout"),
        pytest.param(b"\x003.11.2\0 \x003.11.9\0", None, id="two-that-differ"),
        pytest.param(b"\x003.11\0 3.11.4 /3.11.5\0", None, id="no-text-of-its-own"),
        pytest.param(b"\x003.12.1\0", None, id="another-minor"),
        pytest.param(b"", None, id="empty"),
    ],
)
def test_version_text(tmp_path: Path, text: bytes, version: str | None) -> None:
    assert binary.version_in_binary(write(tmp_path / "libpython", text), "3.11") == version


def test_the_running_interpreter_embeds_python_and_a_shell_does_not() -> None:
    library = Path(sysconfig.get_config_var("LIBDIR") or "") / (sysconfig.get_config_var("LDLIBRARY") or "")
    candidates = [path for path in (Path(sys.executable).resolve(), library) if path.is_file()]
    assert any(binary.embeds_python(path) for path in candidates)
    assert binary.embeds_python(Path("/bin/sh").resolve()) is False


@given(
    st.sampled_from([b"", b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"]),
    st.binary(max_size=200),
)
def test_any_bytes_are_read_without_an_exception(magic: bytes, rest: bytes) -> None:
    head = magic + rest
    assert binary.architecture(head) is None or binary.is_binary(head)
