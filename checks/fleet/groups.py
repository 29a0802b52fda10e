"""Which machines are alike, and who stands alone: by hardware, by software, and by the bits that they compute.

Machines compute the same where no question that both answered came out differently; who answered fewer belongs to the
largest group that it does not contradict. A question that comes out differently on machines with the very same
environment in more than two ways, without most of them agreeing, varies by itself and groups nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from checks.fleet.store import HARDWARE, SOFTWARE, Store
from checks.fleet.survey import Group, Lone

SHOWN = 12  # hosts of a group that are named
GROUPS = 40  # groups that are listed
_PEERS = 3  # machines with the same environment from which on a question can be seen to vary
_USUAL = 0.8  # part of a fleet that makes a value the usual one
_FEW = 0.02  # part of a fleet that is almost nobody; at least one machine
_FLEET = 4  # machines below which nobody stands alone
_TRIED = 500  # groups that a vector is held against

_ALIKE = """
SELECT {area}, count(*) AS n, list_slice(list_sort(list(host)), 1, {shown}) FROM latest
WHERE {area} != '' GROUP BY 1 ORDER BY n DESC, 3 LIMIT {groups}
"""
_VARYING = """
WITH counted AS (
    SELECT parts, question, value, count(*) AS n FROM latest JOIN bit USING (vector) GROUP BY ALL
), each AS (
    SELECT parts, question, sum(n) AS hosts, max(n) AS most, count(*) AS ways FROM counted GROUP BY ALL
)
SELECT DISTINCT question FROM each WHERE hosts >= {peers} AND 2 * most <= hosts AND ways > 2 ORDER BY 1
"""
_VECTORS = """
SELECT vector, count(*) AS n, list_slice(list_sort(list(host)), 1, {shown}) FROM latest
WHERE vector != '' GROUP BY 1 ORDER BY n DESC, 3
"""


def alike(store: Store, area: str) -> tuple[tuple[Group, ...], int]:
    """(The largest groups of machines that are the same in an area, how many groups there are)."""
    query = _ALIKE.format(area=area, shown=SHOWN, groups=GROUPS)
    found = tuple(
        Group(count=count, values=store.profile(area, key), hosts=tuple(hosts))
        for key, count, hosts in store.rows(query)
    )
    return found, store.count(f"SELECT count(DISTINCT {area}) FROM latest WHERE {area} != ''")


def alone(store: Store) -> tuple[Lone, ...]:
    """Values that almost no machine has, where nearly all others have one and the same."""
    found: list[Lone] = []
    for area in (HARDWARE, SOFTWARE):
        counted: dict[str, Counter[str]] = defaultdict(Counter)
        keys: dict[tuple[str, str], list[str]] = defaultdict(list)
        total = 0
        for key, count in store.rows(f"SELECT {area}, count(*) FROM latest WHERE {area} != '' GROUP BY 1"):
            total += count
            for name, value in store.profile(area, key).items():
                counted[name][value] += count
                keys[name, value].append(key)
        if total >= _FLEET:
            found += _alone_in(area, counted, keys, total, store)
    return tuple(found)


def _alone_in(
    area: str,
    counted: Mapping[str, Counter[str]],
    keys: Mapping[tuple[str, str], Sequence[str]],
    total: int,
    store: Store,
) -> Iterator[Lone]:
    for name, values in counted.items():
        usual, most = values.most_common(1)[0]
        if most < _USUAL * total:
            continue
        for value, count in values.items():
            if value != usual and count <= max(1, _FEW * total):
                query = f"SELECT host FROM latest WHERE list_contains(?, {area}) ORDER BY 1 LIMIT {SHOWN}"
                hosts = tuple(str(host) for (host,) in store.rows(query, [list(keys[name, value])]))
                yield Lone(area=area, name=name, value=value, hosts=hosts, usual=usual, share=most / total)


@dataclass
class Vectors:
    """Machines that agree in all bits: the vectors of fingerprints that do not contradict each other."""

    values: dict[str, str] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    count: int = 0

    def takes(self, values: Mapping[str, str]) -> bool:
        """Whether a vector answers something that is answered here, and nothing differently."""
        mine = self.values
        common = values.keys() & mine.keys()
        return bool(common) and all(values[question] == mine[question] for question in common)

    def add(self, key: str, values: Mapping[str, str], hosts: Sequence[str], count: int) -> None:
        """Take these machines in."""
        self.values.update({question: value for question, value in values.items() if question not in self.values})
        self.keys.append(key)
        self.hosts = sorted([*self.hosts, *hosts])[:SHOWN]
        self.count += count


def varying(store: Store) -> tuple[str, ...]:
    """The questions that group nothing."""
    return tuple(str(question) for (question,) in store.rows(_VARYING.format(peers=_PEERS)))


def by_bits(store: Store, left_out: Sequence[str]) -> list[Vectors]:
    """The groups by bits, the largest first. ``left_out``: questions that group nothing."""
    groups: list[Vectors] = []
    near: dict[tuple[str, str], list[Vectors]] = defaultdict(list)  # (question, value) -> groups with it
    for key, count, hosts in store.rows(_VECTORS.format(shown=SHOWN)):
        found = store.rows("SELECT question, value FROM bit WHERE vector = ?", [key])
        values = {str(question): str(value) for question, value in found if question not in left_out}
        if not values:
            continue
        tried = {id(group): group for pair in values.items() for group in near[pair][:_TRIED]}
        group = next((group for group in tried.values() if group.takes(values)), None)
        if group is None:
            group = Vectors()
            groups.append(group)
        new = [pair for pair in values.items() if pair[0] not in group.values]
        group.add(key, values, hosts, count)
        for pair in new:
            near[pair].append(group)
    groups.sort(key=lambda group: -group.count)
    store.assign(group.keys for group in groups)
    return groups
