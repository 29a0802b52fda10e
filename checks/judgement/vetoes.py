"""A measured fact overrules what a text suggests: the causes that it rules out, and what is the cause instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from checks.causes.hardware.feature_needs_newer_gpu import refused_in_logs
from checks.causes.hardware.no_gpu_for_ai import finding_without_gpu
from checks.facts import Facts
from checks.facts.finding import Finding
from checks.knowledge.errors.vetoes import Veto, Vetoes


def vetoed(facts: Facts) -> Iterator[tuple[Veto, Finding]]:
    """Each veto that the facts of an examined machine speak, and the finding that proves it.

    A ticket alone has none: what it does not name may be there all the same.
    """
    if facts.reported:
        return
    for veto in Vetoes.read().veto:
        finding = _PROOFS[veto.fact](facts)
        if finding is not None:
            yield veto, finding


def _no_usable_gpu(facts: Facts) -> Finding | None:
    machine = facts.machine
    return finding_without_gpu(machine) if machine else None


def _no_gpu_on_bus(facts: Facts) -> Finding | None:
    gpus = facts.machine.gpus if facts.machine else None
    return None if gpus is None or gpus.devices else _no_usable_gpu(facts)


_PROOFS: Mapping[str, Callable[[Facts], Finding | None]] = {
    "no-usable-gpu": _no_usable_gpu,
    "no-gpu-on-bus": _no_gpu_on_bus,
    "gpu-lacks-feature": refused_in_logs,
}
