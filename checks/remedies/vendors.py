"""For whose GPUs a remedy is: nobody with an AMD card is told to install NVIDIA's driver."""

from __future__ import annotations

from checks.facts import Facts
from checks.facts.finding import CLUE, Finding
from checks.knowledge.catalogue import cause_of, remedy_of
from checks.knowledge.gpu.vendors import Vendors, vendors_in


def fitting_remedies(finding: Finding, facts: Facts) -> tuple[str, ...]:
    """The remedies of a finding that are for the GPUs it is about; where none of its own is, others of its cause."""
    usual = cause_of(finding.cause).remedies
    chosen = finding.remedies or usual
    known = _vendors(finding, facts)
    if not known:
        return chosen
    fitting = tuple(remedy for remedy in chosen if _is_for(remedy, known))
    return fitting or tuple(remedy for remedy in usual if _is_for(remedy, known))


def _is_for(remedy: str, known: frozenset[str]) -> bool:
    try:
        wanted = remedy_of(remedy).vendors
    except KeyError:  # logged where it is planned
        return True
    return not wanted or not known.isdisjoint(wanted)


def _vendors(finding: Finding, facts: Facts) -> frozenset[str]:
    """Whose GPUs it is about: its own lines say it, else the machine; empty where neither tells."""
    said = vendors_in("\n".join(shown.value for shown in finding.evidence if shown.name in (CLUE, "maker", "gpu")))
    return said or vendors_of(facts)


def vendors_of(facts: Facts) -> frozenset[str]:
    """Whose GPUs the machine has, as far as the bus, a driver or a text tells."""
    machine = facts.machine
    if machine is None:
        return frozenset()
    found = set()
    for row in Vendors.read().vendor:
        if row.id and machine.gpus is not None and machine.gpus.of(row.id):
            found.add(row.name)
    if (machine.nvidia is not None and machine.nvidia.devices) or machine.jetson is not None:
        found.add("nvidia")
    if machine.apple is not None and machine.apple.is_apple_silicon:
        found.add("apple")
    return frozenset(found)
