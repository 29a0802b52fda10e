"""What the file of an interpreter shows: its architecture, and its version where nothing else does.

Sources: ELF gABI (e_machine), Microsoft PE format (Machine, .rsrc), Mach-O <mach/machine.h> and <mach-o/fat.h>;
CPython's PC/python_ver_rc.h for the version resource, Python/getversion.c for the version text.
"""

from __future__ import annotations

import mmap
import re
import struct
from pathlib import Path

from checks.interpreters.disk import is_file

_HEAD = 4096  # bytes: holds every header that is read here
_MOST_SEARCHED = 64 * 2**20  # bytes of one file in which a version text is looked for

# Spelled as platform.machine() spells it on the system that uses the format.
_ELF_MACHINES = {
    3: "x86", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64",
    258: "loongarch64",
}  # fmt: skip
_PE_MACHINES = {0x014C: "x86", 0x8664: "AMD64", 0xAA64: "ARM64", 0x01C4: "ARM"}
_MACH_MACHINES = {7: "x86", 0x01000007: "x86_64", 12: "arm", 0x0100000C: "arm64", 18: "ppc", 0x01000012: "ppc64"}

_MACH_THIN = {b"\xce\xfa\xed\xfe": "<", b"\xcf\xfa\xed\xfe": "<", b"\xfe\xed\xfa\xce": ">", b"\xfe\xed\xfa\xcf": ">"}
_MACH_FAT = {b"\xca\xfe\xba\xbe": 20, b"\xca\xfe\xba\xbf": 32}  # size of one architecture's entry
_MOST_FAT = 20  # a Java class file has the same magic; its next number is 45 or more

_FIXED_VERSION = struct.pack("<I", 0xFEEF04BD)  # signature of VS_FIXEDFILEINFO
_SCRIPT = b"#!"


def read_head(path: Path) -> bytes:
    """The first bytes of a file.

    Raises:
        OSError: it is missing, a folder, or may not be read.
    """
    with open(path, "rb", buffering=0) as file:
        return file.read(_HEAD)


def is_script(head: bytes) -> bool:
    """Whether the file is a script with a first line that names its interpreter."""
    return head.startswith(_SCRIPT)


def is_binary(head: bytes) -> bool:
    """Whether the file is a program of Linux, Windows or macOS."""
    return head[:4] == b"\x7fELF" or head[:4] in _MACH_THIN or _is_fat(head) or _pe_offset(head) is not None


def architecture(head: bytes) -> str | None:
    """The architecture in a program's header, "universal2" for Apple's both in one; None if unknown or unread."""
    if head[:4] == b"\x7fELF" and len(head) >= 20:
        order = ">" if head[5] == 2 else "<"
        (machine,) = struct.unpack_from(order + "H", head, 18)
        return "ppc64le" if machine == 21 and order == "<" else _ELF_MACHINES.get(machine)
    if head[:4] in _MACH_THIN and len(head) >= 8:
        (machine,) = struct.unpack_from(_MACH_THIN[head[:4]] + "I", head, 4)
        return _MACH_MACHINES.get(machine)
    if _is_fat(head):
        return _fat_architecture(head)
    offset = _pe_offset(head)
    if offset is not None:
        (machine,) = struct.unpack_from("<H", head, offset + 4)
        return _PE_MACHINES.get(machine)
    return None


def _is_fat(head: bytes) -> bool:
    return head[:4] in _MACH_FAT and len(head) >= 8 and 0 < int.from_bytes(head[4:8], "big") <= _MOST_FAT


def _fat_architecture(head: bytes) -> str | None:
    size, count = _MACH_FAT[head[:4]], int.from_bytes(head[4:8], "big")
    offsets = range(8, min(8 + size * count, len(head) - 3), size)
    names = {_MACH_MACHINES.get(int.from_bytes(head[at : at + 4], "big")) for at in offsets}
    if {"x86_64", "arm64"} <= names:
        return "universal2"
    return names.pop() if len(names) == 1 else None


def _pe_offset(head: bytes) -> int | None:
    if head[:2] != b"MZ" or len(head) < 64:
        return None
    (offset,) = struct.unpack_from("<I", head, 60)
    return offset if head[offset : offset + 4] == b"PE\0\0" and offset + 6 <= len(head) else None


def _mapped(path: Path) -> mmap.mmap:
    """A file's content without reading it whole. Raises OSError, and ValueError if it is empty."""
    if not is_file(path):  # opening a pipe may wait for ever
        raise OSError(f"{path} is no file")
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def windows_version(path: Path) -> str | None:
    """The version in the resources of python.exe or python3XY.dll: "3.11.7"; None where there is none.

    CPython's file version is major.minor.(micro * 1000 + level * 10 + serial).api, level 10 alpha, 11 beta,
    12 candidate, 15 final; whoever builds a launcher of another kind leaves the resource out or writes its own.
    """
    try:
        with _mapped(path) as data:
            start, end = _resources(data)
            at = data.find(_FIXED_VERSION, start, end)
            if at < 0 or at + 16 > len(data):
                return None
            high, low = struct.unpack_from("<II", data, at + 8)
    except (OSError, ValueError, struct.error):
        return None
    micro, kind = divmod(low >> 16, 1000)
    level, serial = divmod(kind, 10)
    suffix = {15: "", 12: f"rc{serial}", 11: f"b{serial}", 10: f"a{serial}"}.get(level)
    return None if suffix is None else f"{high >> 16}.{high & 0xFFFF}.{micro}{suffix}"


def _resources(data: mmap.mmap) -> tuple[int, int]:
    """The range of the .rsrc section; empty where there is none. Raises struct.error on a cut file."""
    offset = _pe_offset(data[:_HEAD])
    if offset is None:
        return 0, 0
    sections, optional = struct.unpack_from("<H12xH", data, offset + 6)
    for index in range(min(sections, 96)):  # 96: the loader's limit
        name, size, start = struct.unpack_from("<8s8xII", data, offset + 24 + optional + 40 * index)
        if name.rstrip(b"\0") == b".rsrc":
            return start, min(start + size, len(data))
    return 0, 0


def version_in_binary(path: Path, minor: str) -> str | None:
    """The full version in a program or library of CPython, if exactly one text of this ``minor`` ("3.11") stands there.

    The last resort: a distribution that ships neither headers nor version resources. Reads 64 MiB at most.
    """
    texts = re.compile(rb"\0(" + re.escape(minor.encode()) + rb"\.\d{1,3}(?:(?:a|b|rc)\d{1,2})?\+?)\0")
    try:
        with _mapped(path) as data:
            found = _occurrences(data, b"\0" + minor.encode() + b".", texts)
    except (OSError, ValueError):
        return None
    return found.pop().decode() if len(found) == 1 else None


def _occurrences(data: mmap.mmap, start: bytes, whole: re.Pattern[bytes]) -> set[bytes]:
    """All texts that match; find() first, because it is many times faster than a pattern."""
    found: set[bytes] = set()
    limit = min(len(data), _MOST_SEARCHED)
    at = data.find(start, 0, limit)
    while at >= 0:
        match = whole.match(data, at)
        if match is not None:
            found.add(match.group(1))
        at = data.find(start, at + 1, limit)
    return found


def embeds_python(path: Path) -> bool | None:
    """Whether a program names CPython's entry function, so that it can be an interpreter; None if unread."""
    try:
        with _mapped(path) as data:
            limit = min(len(data), _MOST_SEARCHED)
            return any(
                data.find(name, 0, limit) >= 0 for name in (b"Py_BytesMain", b"Py_Main", b"pypy_main", b"PYTHONHOME")
            )
    except ValueError:  # an empty file cannot be mapped
        return False
    except OSError:
        return None
