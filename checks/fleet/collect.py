"""A folder of answers becomes what is said about the fleet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from checks.facts.case import now
from checks.fleet.drift import drifted, gone
from checks.fleet.explain import explained
from checks.fleet.groups import alike, alone, by_bits, varying
from checks.fleet.row import Row, row_of
from checks.fleet.sources import answers_in, read_again
from checks.fleet.store import HARDWARE, SOFTWARE, Store
from checks.fleet.survey import Problem, Survey

_PROBLEMS = 200  # that are listed
_TOLD = 100  # answers between two reports of how far it is


def survey(folder: Path, store: Store, on_read: Callable[[int], None] = lambda _: None) -> Survey:
    """Read the answers of a folder into a store, and say what there is. ``on_read``: called with how many were read."""
    read = 0

    def rows() -> Iterator[Row]:
        nonlocal read
        for source in answers_in(folder):
            yield row_of(source)
            read += 1
            if read % _TOLD == 0:
                on_read(read)

    store.add(rows(), str(folder))
    on_read(read)
    hardware, hardware_count = alike(store, HARDWARE)
    software, software_count = alike(store, SOFTWARE)
    left_out = varying(store)
    groups = by_bits(store, left_out)
    changed, changed_count = drifted(store)
    missing, missing_count = gone(store)
    troubled = "FROM answer WHERE problem != '' AND collection = (SELECT max(number) FROM collection)"
    listed = store.rows(f"SELECT host, place, problem, detail {troubled} ORDER BY 1, 2 LIMIT {_PROBLEMS}")
    return Survey(
        folder=str(folder),
        created=now(),
        answers=read,
        hosts=store.count("SELECT count(*) FROM latest"),
        older=store.count("SELECT count(*) FROM answer SEMI JOIN present USING (host)")
        - store.count("SELECT count(*) FROM latest"),
        newer=store.count("SELECT count(*) FROM latest WHERE newer"),
        computed=store.count("SELECT count(*) FROM latest WHERE vector != ''"),
        problems=tuple(Problem(host=row[0], place=row[1], reason=row[2], detail=row[3]) for row in listed),
        problem_count=store.count(f"SELECT count(*) {troubled}"),
        hardware=hardware,
        software=software,
        group_count={"hardware": hardware_count, "software": software_count, "bits": len(groups)},
        alone=alone(store),
        bits=explained(store, groups, lambda place: read_again(folder, place)),
        varying=left_out,
        drift=changed,
        drift_count=changed_count,
        gone=missing,
        gone_count=missing_count,
    )
