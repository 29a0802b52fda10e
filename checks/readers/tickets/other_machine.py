"""Where a pasted text and the machine at hand disagree: the text comes from another machine, or from another day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from checks.facts import Facts
from checks.facts.finding import Finding
from checks.facts.versions import release
from checks.readers.tickets.lines import PASTED
from checks.readers.tickets.reported import facts_of_text

_NAMES = {"Darwin": "macOS"}  # as people call it


@dataclass(frozen=True)
class Disagreement:
    """One fact that text and machine state differently. ``fact`` has a label in words/fields.toml.

    ``here``: "" where this machine has none.

    ``is_other_machine``: it does not change on one machine (the system, the GPU), unlike a version.
    """

    fact: str
    reported: str
    here: str
    is_other_machine: bool


def disagreements(text: Facts, here: Facts) -> tuple[Disagreement, ...]:
    """What the text and the machine state differently. What one of them does not state is no disagreement."""
    return tuple(_disagreements(text, here))


def contradictions(facts: Facts) -> tuple[Disagreement, ...]:
    """Where the texts that were sent and the machine that was examined disagree; empty for a ticket alone."""
    texts = () if facts.reported else (log.text for log in facts.logs if log.text is not None)
    return tuple(
        dict.fromkeys(disagreement for text in texts for disagreement in disagreements(facts_of_text(text), facts))
    )


def facts_of_other_machines(facts: Facts) -> dict[str, Facts]:
    """The facts of the texts that come from other machines, by the name of the text; empty for a ticket alone."""
    texts = () if facts.reported else tuple(log for log in facts.logs if log.text is not None)
    read = {log.name or PASTED: facts_of_text(log.text or "") for log in texts}
    return {
        name: there
        for name, there in read.items()
        if any(disagreement.is_other_machine for disagreement in disagreements(there, facts))
    }


def machine_of(finding: Finding, facts: Facts, elsewhere: Mapping[str, Facts]) -> Facts:
    """The machine on which a finding is to be fixed: that of its text, if nothing but that text shows it.

    ``elsewhere``: as :func:`facts_of_other_machines` returns it. What a check saw is fixed on the machine it examined.
    """
    if not all(evidence.lines for evidence in finding.evidence):
        return facts
    return next((elsewhere[item.origin] for item in finding.evidence if item.origin in elsewhere), facts)


def _disagreements(text: Facts, here: Facts) -> Iterator[Disagreement]:
    systems = _system(text), _system(here)
    if all(systems) and systems[0] != systems[1]:
        text_system, here_system = (_NAMES.get(system, system) for system in systems)
        yield Disagreement("os", text_system, here_system, is_other_machine=True)
    first, second = _gpus(text), _gpus(here)
    if first and second and not any(one in other or other in one for one in first for other in second):
        yield Disagreement("gpu", _listed(first), _listed(second), is_other_machine=True)
    if first and not second and here.machine is not None and here.machine.gpus is not None:
        yield Disagreement("gpu", _listed(first), "", is_other_machine=False)  # or the card has gone from the bus
    elif not first and _has_driver(text) and _has_no_nvidia(here):  # a driver is named, and no card
        yield Disagreement("gpu", "NVIDIA", _listed(second), is_other_machine=False)
    for fact, version in (("driver_version", _driver), ("torch_version", _torch), ("python_version", _python)):
        if _differ(version(text), version(here)):
            yield Disagreement(fact, version(text), version(here), is_other_machine=False)


def _differ(text: str, here: str) -> bool:
    """Whether two versions differ as far as both are known: "3.11" and "3.11.7" do not."""
    first, second = release(text), release(here)
    shorter = min(len(first), len(second))
    return shorter > 0 and first[:shorter] != second[:shorter]


def _system(facts: Facts) -> str:
    """The system; a text that names a Mac's chip and no other GPU was written on macOS."""
    machine = facts.machine
    os = machine.os if machine else None
    if machine is None or (os is not None and os.system):
        return (os.system if os else None) or ""
    is_mac = machine.apple is not None and machine.apple.is_apple_silicon
    return "Darwin" if is_mac and machine.gpus is None and machine.nvidia is None else ""


def _has_driver(facts: Facts) -> bool:
    """Whether NVIDIA's driver is named: its version, or what its programs say."""
    nvidia = facts.machine.nvidia if facts.machine else None
    return nvidia is not None and bool(nvidia.driver_version or nvidia.nvml or nvidia.kernel_module_version)


def _has_no_nvidia(facts: Facts) -> bool:
    """Whether it was looked for on the bus, where such a card stands, and not found."""
    machine = facts.machine
    if machine is None or machine.gpus is None or machine.jetson is not None or (machine.os and machine.os.wsl):
        return False
    return not machine.gpus.nvidia and not (machine.nvidia and machine.nvidia.devices)


def _gpus(facts: Facts) -> dict[str, str]:
    """The GPUs by plain product name -> their names; a text seldom names the die."""
    listed = facts.machine.gpus.devices if facts.machine and facts.machine.gpus else ()
    return {_plain(gpu.product): gpu.product for gpu in listed if gpu.product}


def _plain(product: str) -> str:
    words = product.lower().replace("[", " ").replace("]", " ").split()
    return " ".join(word for word in words if word not in ("nvidia", "amd", "intel", "geforce", "radeon", "graphics"))


def _listed(names: dict[str, str]) -> str:
    return ", ".join(sorted(set(names.values())))


def _driver(facts: Facts) -> str:
    nvidia = facts.machine.nvidia if facts.machine else None
    return (nvidia.driver_version if nvidia else None) or ""


def _torch(facts: Facts) -> str:
    torch = facts.frameworks.torch if facts.frameworks else None
    return (torch.version if torch else None) or ""


def _python(facts: Facts) -> str:
    interpreter = facts.target_interpreter
    return (interpreter.version if interpreter else None) or ""
