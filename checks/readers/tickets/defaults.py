"""What a ticket leaves out because it goes without saying: assumed for the checks, and never shown as reported."""

from __future__ import annotations

import re

import msgspec

from checks.facts import Facts, MachineFacts, OsFacts

_CARDS = re.compile(r"geforce|gtx|\brtx|quadro|titan|tesla|radeon|\brx \d|arc", re.IGNORECASE)  # GH200 and GB10 are ARM


def with_default_architecture(facts: Facts) -> Facts:
    """The facts with the default architecture, where a text names its system and no architecture."""
    machine = facts.machine
    os = machine.os if machine else None
    if machine is None or os is None or os.architecture is not None or machine.jetson is not None:
        return facts
    whole = msgspec.structs.replace(os, architecture=_default_architecture(os, machine))
    return msgspec.structs.replace(facts, machine=msgspec.structs.replace(machine, os=whole))


def _default_architecture(os: OsFacts, machine: MachineFacts) -> str | None:
    """That of Windows, and of a Linux with a card in a slot; None for any other."""
    if os.system == "Windows":
        return "AMD64"
    gpus = machine.gpus.devices if machine.gpus else ()
    has_card = any(gpu.product and _CARDS.search(gpu.product) for gpu in gpus)
    return "x86_64" if os.system == "Linux" and has_card else None
