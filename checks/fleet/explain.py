"""What explains that a group of machines computes other bits: the difference to the machine that is most like it.

Two machines are held against each other as `naosu compare` does it. A group is held against the largest other one that
answered the same questions, and there against the machine whose environment differs least: where that is the very same,
nothing recorded explains the difference, and it says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from checks.analysis.numbers.side_by_side import Comparison, agreement, compare, side_of
from checks.engine.portable.answer import facts_of, file_of, is_answer
from checks.facts import OtherMachine
from checks.fleet.groups import GROUPS, Vectors
from checks.fleet.store import PARTS, Store
from checks.fleet.survey import BitGroup, Difference
from checks.sharing.case import CaseError, facts_in

_MOST_PROFILES = 200  # environments of a group that are held against each other
_LONGEST = 200  # characters of a value that is shown

Reader = Callable[[str], bytes | None]  # the place of an answer -> its bytes


def explained(store: Store, groups: Sequence[Vectors], read: Reader) -> tuple[BitGroup, ...]:
    """The groups with what explains them, as many as are listed. ``groups``: the largest first."""
    return tuple(_explained(store, groups, number, read) for number in range(min(len(groups), GROUPS)))


def _explained(store: Store, groups: Sequence[Vectors], number: int, read: Reader) -> BitGroup:
    group = groups[number]
    counted = {"number": number + 1, "count": group.count, "computed": len(group.values)}
    named: dict[str, Any] = {**counted, "hosts": tuple(group.hosts)}
    beside = _beside(store, groups, number)
    if beside is None:
        return BitGroup(**named)
    other = groups[beside]
    common = group.values.keys() & other.values.keys()
    questions = tuple(sorted(name for name in common if group.values[name] != other.values[name]))
    pair = _nearest(store, number + 1, beside + 1)
    if pair is None:
        return BitGroup(**named, beside=beside + 1, compared=len(common), questions=questions)
    mine, theirs, peers, same = pair
    here, there = _host(store, number + 1, mine), _host(store, beside + 1, theirs)
    found = _compared(read(here[1]), read(there[1]))
    differences = _differences(store.profile(PARTS, mine), store.profile(PARTS, theirs))
    return BitGroup(
        **named,
        beside=beside + 1,
        compared=len(common),
        questions=questions,
        here=here[0],
        there=there[0],
        differences=differences,
        peers=peers,
        same=same,
        **_causes(found),
    )


def _beside(store: Store, groups: Sequence[Vectors], number: int) -> int | None:
    """The place of the group that one is held against; None for one that others are held against.

    That is where most machines with the very same environment are, if they are more there, or as many and it is listed
    before; else the largest.
    """
    mine = _profiles(store, number + 1)
    query = """SELECT number, count(*) AS n FROM latest JOIN member USING (vector)
        WHERE list_contains(?, parts) GROUP BY 1 ORDER BY n DESC, 1"""
    alike = {int(place) - 1: int(count) for place, count in store.rows(query, [list(mine)])}
    own = alike.pop(number, 0)
    likely = [place for place, count in alike.items() if count > own or (count == own and place < number)]
    larger = [place for place in range(number) if place not in alike]
    # The same environment may be in both, and more machines with it there of each: one of the two is held then.
    rest = (place for place in range(number) if place in alike and _beside(store, groups, place) != number)
    asked = groups[number].values.keys()
    return next((place for place in (*likely, *larger, *rest) if asked & groups[place].values.keys()), None)


def _nearest(store: Store, group: int, other: int) -> tuple[str, str, int, int] | None:
    """(Environment of the group, of the other, machines of the other that are in one of the group, those of the group).

    The two environments are those with the fewest differences.
    """
    mine, theirs = _profiles(store, group), _profiles(store, other)
    contents = {key: store.profile(PARTS, key) for key in {*mine, *theirs}}
    pairs = [(_distance(contents[a], contents[b]), -theirs[b], a, b) for a in mine for b in theirs]
    if not pairs:
        return None
    _, _, first, second = min(pairs)
    shared = mine.keys() & theirs.keys()
    return first, second, sum(theirs[key] for key in shared), sum(mine[key] for key in shared)


def _profiles(store: Store, group: int) -> dict[str, int]:
    """The environments of a group, the commonest first, by how many machines have each."""
    query = f"""SELECT parts, count(*) AS n FROM latest JOIN member USING (vector) WHERE number = ? AND parts != ''
        GROUP BY 1 ORDER BY n DESC, 1 LIMIT {_MOST_PROFILES}"""
    return {str(key): int(count) for key, count in store.rows(query, [group])}


def _host(store: Store, group: int, parts: str) -> tuple[str, str]:
    """The first machine of a group with this environment: its name, and where its answer lies."""
    members = "latest JOIN member USING (vector) WHERE number = ? AND parts = ?"
    query = f"SELECT host, place FROM {members} ORDER BY 1 LIMIT 1"
    host, place = store.rows(query, [group, parts])[0]
    return str(host), str(place)


def _distance(first: Mapping[str, str], second: Mapping[str, str]) -> int:
    return sum(first.get(part) != second.get(part) for part in first.keys() | second.keys())


def _differences(first: Mapping[str, str], second: Mapping[str, str]) -> tuple[Difference, ...]:
    return tuple(
        Difference(part=part, here=first.get(part, "")[:_LONGEST], there=second.get(part, "")[:_LONGEST])
        for part in sorted(first.keys() | second.keys())
        if first.get(part) != second.get(part)
    )


def _compared(first: bytes | None, second: bytes | None) -> Comparison | None:
    sides = [_side(data) for data in (first, second)]
    return compare(sides[0], sides[1]) if sides[0] is not None and sides[1] is not None else None


def _side(data: bytes | None) -> OtherMachine | None:
    if data is None:
        return None
    try:
        return side_of(facts_of(file_of(data)) if is_answer(data) else facts_in(data).facts)
    except CaseError:
        return None


def _causes(found: Comparison | None) -> dict[str, Any]:
    """What the comparison of two machines comes to. A part explains only if it explains every difference."""
    if found is None or not found.apart:
        return {}
    every = [part for part in found.apart[0].explained_by if all(part in one.explained_by for one in found.apart)]
    proven = [setting for setting in found.apart[0].proven_by if all(setting in one.proven_by for one in found.apart)]
    return {
        "explained_by": tuple(every),
        "proven_by": tuple(proven),
        "agreement": agreement([found]).value,
    }
