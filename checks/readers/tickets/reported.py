"""What a pasted text states about machine, interpreter and frameworks, as the same facts that a live machine gives."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from checks.facts import Facts
from checks.readers.tickets.assemble import Beginning, Contradiction, Statements, facts_of
from checks.readers.tickets.excerpt import excerpt
from checks.readers.tickets.found.differences import read_differences
from checks.readers.tickets.found.lists import read_lists
from checks.readers.tickets.found.local_programs import read_local_programs
from checks.readers.tickets.found.logs import (
    read_amd,
    read_kernel,
    read_runtimes,
    read_tensorflow,
    read_torch,
    read_variables,
)
from checks.readers.tickets.found.mentions import read_mentions
from checks.readers.tickets.found.nvidia_smi import read_nvidia_smi
from checks.readers.tickets.found.packages import read_packages
from checks.readers.tickets.found.system_log import read_system_log
from checks.readers.tickets.found.system_signs import read_system_signs
from checks.readers.tickets.found.systems import read_systems, read_wsl
from checks.readers.tickets.found.tracebacks import Raised, read_tracebacks
from checks.readers.tickets.lines import Line, lines_of
from checks.readers.tickets.text import Reader, Text

# What programs print about the machine goes before lists that people fill in, and those before loose words.
READERS: tuple[Reader, ...] = (
    read_nvidia_smi,
    read_kernel,
    read_system_log,
    read_torch,
    read_tensorflow,
    read_runtimes,
    read_local_programs,
    read_packages,
    read_lists,
    read_amd,
    read_variables,
    read_wsl,
    read_systems,
    read_mentions,
    read_system_signs,
    read_differences,
)

_MOST_TEXTS = 400  # more than one case may hold
_facts_by_digest: dict[bytes, Facts] = {}


class ReportedFacts(msgspec.Struct, frozen=True):
    """What a text states.

    ``places``: the numbers of the lines that a fact came from, by its dotted name ("machine.nvidia.driver_version").
    ``mentions``: versions that are named and belong to no fact for sure ("cuda": ("12.8",): toolkit, driver or build).
    """

    facts: Facts
    places: dict[str, tuple[int, ...]] = {}
    raised: tuple[Raised, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    mentions: dict[str, tuple[str, ...]] = {}


def reported_in(lines: Sequence[Line], texts: Sequence[Beginning] = (), answered: int = 0) -> ReportedFacts:
    """Read the facts of a text; of a very long one, of its beginning, its end and what stands around errors.

    ``texts``: where each begins, if it is put together from several; ``answered``: the number of the last line of those
    that correct the others, which stand first.
    """
    lines = excerpt(lines)
    text = Text(lines, answered)
    statements = Statements(texts)
    for reader in READERS:
        for statement in reader(text):
            statements.add(statement)
    facts = facts_of(statements)
    return ReportedFacts(
        facts=facts,
        places=statements.places,
        raised=read_tracebacks(lines),
        contradictions=tuple(statements.contradictions),
        mentions={name: tuple(dict.fromkeys(values)) for name, values in statements.mentions.items()},
    )


def facts_of_text(text: str) -> Facts:
    """The facts of a whole text. Judgement and report ask of the same ones many times: what was read is remembered."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()
    if digest not in _facts_by_digest:
        if len(_facts_by_digest) >= _MOST_TEXTS:
            _facts_by_digest.clear()
        _facts_by_digest[digest] = reported_in(lines_of(text)).facts
    return _facts_by_digest[digest]
