"""Which system and processor a shared library was built for, by its first bytes.

ELF: the generic ABI's e_machine; PE: Microsoft's "PE Format"; Mach-O: cputype of mach/machine.h.
"""

from __future__ import annotations

import struct

_ELF = {
    3: "x86", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64", 21: "ppc64le", 22: "s390x", 258: "loongarch64",
}  # fmt: skip
_PE = {0x14C: "x86", 0x8664: "AMD64", 0xAA64: "ARM64"}
_MACH_O = {0x01000007: "x86_64", 0x0100000C: "arm64"}
HEAD = 1024  # bytes that are enough


def built_for(head: bytes) -> str:
    """Such as "Linux x86_64", "Windows AMD64", "macOS arm64"; "" for anything else."""
    if head[:4] == b"\x7fELF" and len(head) >= 20:
        machine = int.from_bytes(head[18:20], "big" if head[5] == 2 else "little")
        return f"Linux {_ELF.get(machine, f'machine {machine}')}"
    if head[:4] in (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe") and len(head) >= 8:
        machine = struct.unpack_from("<I", head, 4)[0]
        return f"macOS {_MACH_O.get(machine, f'machine {machine}')}"
    if head[:2] == b"MZ" and len(head) >= 64:
        start = struct.unpack_from("<I", head, 60)[0]
        if head[start : start + 4] == b"PE\0\0" and len(head) >= start + 6:
            machine = struct.unpack_from("<H", head, start + 4)[0]
            return f"Windows {_PE.get(machine, f'machine {machine}')}"
    return ""
