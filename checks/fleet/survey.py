"""What is said about a fleet, as plain data: the page, the PDF, the JSON and the CSV draw this."""

from __future__ import annotations

import msgspec


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that tells nothing, or less than it should; ``reason`` and ``detail`` as Row.problem and its detail."""

    host: str
    place: str
    reason: str
    detail: str = ""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Machines that are the same in all that is listed. ``hosts``: the first of them, by name."""

    count: int
    values: dict[str, str]
    hosts: tuple[str, ...]


class Lone(msgspec.Struct, frozen=True, kw_only=True):
    """A value that almost nobody has. ``area``: "hardware" or "software"; ``usual``: what ``share`` of all have."""

    area: str
    name: str
    value: str
    hosts: tuple[str, ...]
    usual: str
    share: float


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the environment that two groups do not share."""

    part: str
    here: str
    there: str


class BitGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Machines that compute the same bits, as far as they computed the same questions.

    ``number``: from 1 on, the largest first. ``beside``: the group that it is held against, 0 for none. ``questions``:
    what comes out differently there, of ``compared``. ``differences``: the parts that differ from the machine in that
    group which is most like one of these. ``explained_by``: those of them that can make such differences, the likeliest
    first; ``proven_by``: settings under which both agree. ``agreement``: what the two come to (side_by_side.Agreement).
    ``peers``: machines of that group in whose very same environment ``same`` machines of this one are: nothing recorded
    explains that.
    """

    number: int
    count: int
    hosts: tuple[str, ...]
    computed: int
    beside: int = 0
    compared: int = 0
    questions: tuple[str, ...] = ()
    here: str = ""
    there: str = ""
    differences: tuple[Difference, ...] = ()
    explained_by: tuple[str, ...] = ()
    proven_by: tuple[str, ...] = ()
    agreement: str = ""
    peers: int = 0
    same: int = 0


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """What is not as it was on a host.

    ``changes``: (kind, name, before, after), and ``more`` of them; ``bits``: questions that came out otherwise, of
    ``compared``.
    """

    host: str
    before: str
    after: str
    changes: tuple[tuple[str, str, str | None, str | None], ...] = ()
    more: int = 0
    bits: tuple[str, ...] = ()
    compared: int = 0


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """A fleet. ``answers``: that were read now; ``older``: of hosts of which a newer one is there.

    ``varying``: questions whose results vary between machines with the same environment, so that they group nothing.
    The lists are bounded; what is beyond is counted: ``problem_count``, ``drift_count``, ``group_count`` by area.
    """

    folder: str
    created: str
    answers: int
    hosts: int
    older: int
    newer: int
    computed: int
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0
    hardware: tuple[Group, ...] = ()
    software: tuple[Group, ...] = ()
    group_count: dict[str, int] = {}
    alone: tuple[Lone, ...] = ()
    bits: tuple[BitGroup, ...] = ()
    varying: tuple[str, ...] = ()
    drift: tuple[Drift, ...] = ()
    drift_count: int = 0
    gone: tuple[str, ...] = ()
    gone_count: int = 0
