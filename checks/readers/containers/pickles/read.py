"""Pickles read without unpickling: which names would be imported and called, and what the values would look like.

An interpreter of the opcodes of protocols 0 to 5 that follows stack and memo as Python's own unpickler does, but builds
notes about objects in the place of objects: it imports, calls and allocates nothing that the stream asks for. Where
Python's unpickler would stop, it stops too, or goes on and sees more, never less. Time is linear in the file, memory
has a bound; what lies beyond the bound is counted, not kept.
"""

from __future__ import annotations

import re

from checks.readers.containers.pickles.machine import AfterBuild, Machine
from checks.readers.containers.pickles.opcodes import NEWEST_PROTOCOL, OPCODES
from checks.readers.containers.pickles.values import Pickle
from checks.readers.containers.source import Damaged, Source


def read_pickle(source: Source, start: int = 0, after_build: AfterBuild | None = None) -> Pickle:
    """Follow the stream that begins at ``start``. Never raises: ``problem`` names what is wrong with it."""
    machine = Machine(source, start, after_build)
    try:
        machine.run(OPCODES)
    except Damaged as problem:
        machine.result.problem = problem
    return machine.finished()


def begins_like_a_pickle(head: bytes) -> bool:
    """Whether the first bytes can be those of a pickle of protocol 2 or later, or of a plausible older one."""
    if len(head) >= 3 and head[0] == 0x80 and 2 <= head[1] <= NEWEST_PROTOCOL:
        return head[2:3] in _FIRST
    return _OLD_BEGINNING.match(head) is not None


# What a pickler writes first: a frame, an empty container, a mark, a name, a text, a number, None.
_FIRST = {bytes([code]) for code in b"\x95}])(c\x8c\x8bXKJMG\x8aNUT\x88\x89\x85BC\x8e\x8f\x91\x96"}
_OLD_BEGINNING = re.compile(
    rb"\((?:[dlt][p.a-zA-Z\n]|i[\w.]+\n[\w.]+\n|c[\w.]+\n[\w.]+\n|S['\"]|V|I-?\d+\n|K.|U.|X....|q.)"
    rb"|c[A-Za-z_][\w.]*\n[A-Za-z_][\w.]*\n|[\]}]q.|[\]}]\(|\x80[\x00\x01]",
    re.DOTALL,
)
