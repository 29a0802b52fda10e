"""What is said about a fleet: who computes differently, what explains it, who stands alone, what changed."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from support.fleet_answers import CPUS, Made, answer, planted

from checks.fleet.collect import survey
from checks.fleet.row import row_of
from checks.fleet.sources import Source
from checks.fleet.store import Store, StoreError
from checks.fleet.survey import Survey
from wizard.report.content.many.fleet import explanation

Fleet = Callable[..., Survey]


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Writes the answers of these hosts, and surveys them."""

    def surveyed(hosts: dict[str, Made], store: Path | None = None) -> Survey:
        folder = tmp_path / "answers"
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for host, made in hosts.items():
            (folder / f"{host}.json").write_bytes(answer(made))
        with Store(store) as opened:
            return survey(folder, opened)

    return surveyed


def alike(count: int, made: Made = Made()) -> dict[str, Made]:  # noqa: B008 - frozen
    return {f"node{number}": made for number in range(count)}


def test_a_row_has_what_machines_are_told_by() -> None:
    row = row_of(Source("web1", "web1.json", answer()))
    assert row.problem == ""
    assert row.hardware["cpu"] == "AMD EPYC"
    assert row.software["torch"] == "2.13.0+cpu"
    assert row.parts["cpu"] == "AMD EPYC"
    assert len(row.bits) > 10
    assert row.state["package"]["numpy"]


def test_a_saved_case_is_as_good_as_an_answer(tmp_path: Path) -> None:
    import msgspec

    from checks.engine.portable.answer import case_of
    from checks.sharing.case import to_builtins

    data = msgspec.json.encode(to_builtins(case_of(answer())))
    case, direct = row_of(Source("a", "a.json", data)), row_of(Source("a", "a.json", answer()))
    assert (case.hardware, case.software, case.parts, case.bits) == (
        direct.hardware,
        direct.software,
        direct.parts,
        direct.bits,
    )


def test_all_alike(fleet: Fleet) -> None:
    found = fleet(alike(5))
    assert (found.hosts, found.computed, found.problem_count) == (5, 5, 0)
    assert [group.count for group in found.bits] == [5]
    assert not found.bits[0].questions
    assert (found.alone, found.drift, found.varying) == ((), (), ())
    assert [group.count for group in found.hardware] == [5]


def test_one_computes_differently_and_nothing_explains_it(fleet: Fleet) -> None:
    found = fleet({**alike(5), "odd": Made(odd=3)})
    first, second = found.bits
    assert (first.count, first.questions) == (5, ())
    assert (second.hosts, second.beside, second.peers) == (("odd",), 1, 5)
    assert second.same == second.count
    assert len(second.questions) == 6
    assert (second.explained_by, second.differences) == ((), ())


def test_of_a_mixed_group_only_those_of_the_same_environment_are_unexplained(fleet: Fleet) -> None:
    found = fleet({**alike(5), "odd": Made(odd=3), "odd2": Made(odd=3, torch="2.12.0+cpu")})
    _, second = found.bits
    assert (second.count, second.same, second.peers) == (2, 1, 5)
    assert "1 of its 2 machines" in explanation(second, "en")
    assert "2台のうち1台" in explanation(second, "ja")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_as_many_that_differ_as_not_are_no_agreement(fleet: Fleet, count: int) -> None:
    odd = {f"odd{number}": Made(odd=3) for number in range(count)}
    found = fleet({**alike(count), **odd})
    assert (found.varying, [group.count for group in found.bits]) == ((), [count, count])
    assert [bool(group.questions) for group in found.bits] == [False, True]
    assert found.bits[1].peers == count


def test_of_two_groups_with_more_machines_of_one_environment_in_each_one_is_held(fleet: Fleet) -> None:
    odd = (Made(odd=3), Made(odd=3, kernel="6.1.0-28-amd64"), Made(odd=3, memory="32000000"))
    named = {f"odd{number}": made for number, made in enumerate(odd)}
    found = fleet({**alike(2), "other": Made(cpu=CPUS[1]), **named})
    assert [group.count for group in found.bits] == [3, 3]
    assert [bool(group.questions) for group in found.bits] == [False, True]


def test_another_processor_explains_other_bits(fleet: Fleet) -> None:
    """The same is told of whoever computes differently among its like, and no more of the others than there is."""
    other = Made(cpu=CPUS[1], turned=1)
    found = fleet({**alike(5), "x1": other, "x2": other, "x3": other, "odd": Made(cpu=CPUS[1], turned=1, odd=2)})
    by_hosts = {group.hosts[0]: group for group in found.bits}
    assert by_hosts["x1"].peers == 0
    assert [one.part for one in by_hosts["x1"].differences] == ["cpu"]
    assert by_hosts["odd"].beside == by_hosts["x1"].number  # not the larger group of other machines
    assert (by_hosts["odd"].peers, len(by_hosts["odd"].questions)) == (3, 4)


def test_what_varies_among_its_like_groups_nothing(fleet: Fleet) -> None:
    found = fleet({f"node{number}": Made(odd=1, turned=number) for number in range(6)})
    assert len(found.varying) > 10
    assert found.bits == ()


def test_who_computed_less_belongs_where_it_contradicts_nothing(tmp_path: Path) -> None:
    whole, cut = answer(), answer(Made(memory="123"))
    lines = cut.replace(b'\\"portrait\\", \\"framework\\": \\"numpy\\"', b'\\"unknown\\", \\"framework\\": \\"numpy\\"')
    (tmp_path / "a.json").write_bytes(whole)
    (tmp_path / "b.json").write_bytes(whole)
    (tmp_path / "c.json").write_bytes(lines)
    with Store() as store:
        assert [group.count for group in survey(tmp_path, store).bits] == [3]


def test_who_stands_alone_and_in_what(fleet: Fleet) -> None:
    found = fleet({**alike(8), "other": Made(kernel="5.4.0-1-amd64")})
    (lone,) = [lone for lone in found.alone if lone.name == "kernel"]
    assert (lone.area, lone.value, lone.hosts, lone.usual) == (
        "software",
        "5.4.0-1-amd64",
        ("other",),
        "6.1.0-25-amd64",
    )
    assert fleet(alike(2) | {"other": Made(kernel="5.4.0-1-amd64")}).alone == ()  # of three nobody is usual


def test_two_answers_of_one_host(fleet: Fleet) -> None:
    old = Made(torch="2.12.0+cpu", created="2026-11-01T00:00:00+00:00")
    found = fleet({**alike(3), "node0-2026-11-01": old})
    assert (found.hosts, found.older, found.drift_count) == (3, 1, 1)
    (drift,) = found.drift
    assert (drift.host, drift.changes, drift.bits) == ("node0", (("package", "torch", "2.12.0+cpu", "2.13.0+cpu"),), ())


def test_bits_that_changed_while_nothing_else_did(fleet: Fleet) -> None:
    found = fleet({**alike(3), "node0-2026-11-01": Made(odd=2, created="2026-11-01T00:00:00+00:00")})
    (drift,) = found.drift
    assert (drift.changes, len(drift.bits)) == ((), 4)


def test_a_store_remembers_the_last_collection(fleet: Fleet, tmp_path: Path) -> None:
    store = tmp_path / "fleet.duckdb"
    assert fleet(alike(4), store).drift_count == 0
    again = fleet(alike(4), store)
    assert (again.hosts, again.older, again.drift_count) == (4, 0, 0)  # the same files count once
    later = Made(kernel="6.8.0-45-generic", created="2026-12-01T00:00:00+00:00")
    found = fleet({**alike(2), "node2": later}, store)
    assert [(drift.host, drift.changes) for drift in found.drift] == [
        ("node2", (("machine", "kernel", "6.1.0-25-amd64", "6.8.0-45-generic"),))
    ]
    assert found.gone == ("node3",)
    assert found.hosts == 3


@pytest.mark.skipif(os.name != "posix", reason="rights are other ones there")
def test_the_store_is_for_its_owner_alone(tmp_path: Path) -> None:
    with Store(tmp_path / "fleet.duckdb") as store:
        store.add([row_of(Source("a", "a.json", answer()))], "folder")
        store.assign([["a"]])
        assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}


def test_bad_input(fleet: Fleet, tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    fleet({})
    for name, data in {
        "cut": answer()[:-500],
        "other": b'{"some": "json"}',
        "types": b'{"naosu-probe": 1, "steps": [{"id": 5}]}',
        "newer": answer(Made(format=2)),
        "far-newer": b'{"naosu-probe": 2, "steps": {}}',
        "dead": answer(Made(dead=True)),
        "good": answer(),
    }.items():
        (folder / f"{name}.json").write_bytes(data)
    with Store() as store:
        found = survey(folder, store)
    assert {problem.host: problem.reason for problem in found.problems} == {
        "cut": "case-damaged",
        "other": "case-not-ours",
        "types": "case-unreadable",
        "far-newer": "case-too-new",
        "dead": "python-dead",
    }
    assert (found.hosts, found.newer, found.computed) == (7, 1, 2)


def test_a_planted_fleet(tmp_path: Path) -> None:
    with Store() as store:
        rows = (row_of(Source(host.partition("-")[0], host, data)) for host, data in planted(60))
        assert store.add(rows, "planted") == 61
        assert store.count("SELECT count(*) FROM latest") == 60


def test_what_is_no_store(tmp_path: Path) -> None:
    damaged = tmp_path / "a.duckdb"
    damaged.write_bytes(b"x" * 5000)
    with pytest.raises(StoreError, match="store-unusable"):
        Store(damaged)
    with pytest.raises(StoreError, match="store-unusable"):
        Store(tmp_path / "none" / "a.duckdb")


def test_why_a_host_has_no_answer_is_told(tmp_path: Path) -> None:
    """What the Ansible role leaves of a host without Python."""
    step = {"id": "python", "interpreter": "python3", "ended": "not-started", "detail": "no Python"}
    (tmp_path / "bare.json").write_text(json.dumps({"naosu-probe": 1, "complete": False, "steps": [step]}))
    with Store() as store:
        (problem,) = survey(tmp_path, store).problems
    assert (problem.host, problem.reason, problem.detail) == ("bare", "python-dead", "no Python")


@pytest.mark.parametrize(
    "data",
    [
        b'{"naosu-probe": 1}',
        b'{"naosu-probe": 1, "steps": [{"id": "machine", "answer": "{\\"facts\\": [1]}"}]}',
        b'{"python": "3.12"}\n',
    ],
)
def test_an_answer_that_says_nothing_is_named(data: bytes) -> None:
    assert row_of(Source("a", "a.json", data)).problem == "nothing-told"


def test_a_store_that_was_sent_reaches_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "private.csv").write_text("host\nx\n")
    with duckdb.connect(str(tmp_path / "sent.duckdb")) as made:
        made.execute("CREATE TABLE fleet AS SELECT 1 AS format")
        made.execute(f"CREATE VIEW seen AS SELECT host, 1 AS collection FROM read_csv('{tmp_path / 'private.csv'}')")
    with (
        pytest.raises(StoreError, match="file system operations are disabled"),
        Store(tmp_path / "sent.duckdb") as store,
    ):
        survey(tmp_path, store)
