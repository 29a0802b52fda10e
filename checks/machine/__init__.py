"""From the raw answers of the machine probe and the NVML probe to typed facts about this machine."""

from __future__ import annotations

from checks.facts import MachineFacts
from checks.machine.linux import read as read_linux
from checks.machine.macos import read as read_macos
from checks.machine.nodes import Raw
from checks.machine.nvidia import NO_ANSWER, from_nvml_alone
from checks.machine.windows import read as read_windows


def read_machine(machine: Raw | None, nvml: Raw | None) -> MachineFacts:
    """Facts from the answers of checks/probes/ask/machine.py and ask/nvidia.py; None: that probe gave nothing.

    A part that its system does not have, or that was not read, is None. Nothing here touches the machine.
    """
    if machine is None:
        return MachineFacts(nvidia=from_nvml_alone(nvml), unread={"machine": NO_ANSWER})
    system = (machine.get("os") or {}).get("system")
    if system == "Windows":
        return read_windows(machine, nvml)
    if system == "Darwin":
        return read_macos(machine)
    return read_linux(machine, nvml)
