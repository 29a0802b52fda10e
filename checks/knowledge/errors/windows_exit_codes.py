"""What Windows calls the exit codes of processes that it ended itself."""

from checks.knowledge import Table


class WindowsExitCodes(Table):
    """Keys as in the documentation ("0xC0000005")."""

    names: dict[str, str]


def exit_code_name(code: int) -> str | None:
    """The name of an exit code, signed or unsigned ("STATUS_ACCESS_VIOLATION"); None for an ordinary one.

    A code with the error bits of an NTSTATUS that is not in the table comes in hexadecimal.
    """
    unsigned = code & 0xFFFFFFFF
    spelled = f"0x{unsigned:08X}"
    return WindowsExitCodes.read().names.get(spelled) or (spelled if unsigned >= 0xC0000000 else None)
