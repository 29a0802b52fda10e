"""What Windows calls the exit codes of processes that it ended itself."""

from __future__ import annotations

import functools

from checks.knowledge import Table, load


class WindowsExitCodes(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/windows_exit_codes.toml; keys as in the documentation ("0xC0000005")."""

    names: dict[str, str]


@functools.cache
def windows_exit_codes() -> WindowsExitCodes:
    """The names of the NTSTATUS values that a process can end with."""
    return load("windows_exit_codes", WindowsExitCodes)


def exit_code_name(code: int) -> str | None:
    """The name of an exit code, signed or unsigned ("STATUS_ACCESS_VIOLATION"); None for an ordinary one.

    A code with the error bits of an NTSTATUS that the table does not know is told in hexadecimal.
    """
    unsigned = code & 0xFFFFFFFF
    spelled = f"0x{unsigned:08X}"
    return windows_exit_codes().names.get(spelled) or (spelled if unsigned >= 0xC0000000 else None)
