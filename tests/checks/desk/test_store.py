"""The store: duplicates, conversations, a second run, and files that are none."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from checks.desk import store as ours
from checks.desk.judging import Judged
from checks.desk.likeness import likeness_of
from checks.desk.store import Store, StoreError
from checks.desk.tickets import Ticket
from checks.desk.views import Filter, Views

WORDS = "training stops after an hour on our cluster with an error about memory and nothing else is printed there"


def ticket(key: str, text: str = "", **fields: object) -> Judged:
    about = {"source": "s", "number": key, "digest": hash(text) & 0xFFFF, "thread": abs(hash(key)), **fields}
    return Judged(key=key, likeness=likeness_of(text), **about)  # type: ignore[arg-type]


@pytest.fixture
def store() -> Iterator[Store]:
    with Store() as opened:
        yield opened


def firsts(store: Store) -> dict[str, str]:
    """Of each ticket the one that it is the same as."""
    rows = Views(store.connection, "2026-11-23").rows(sort="oldest")
    return {row.number: row.duplicate_of for row in rows}


def test_nearly_the_same_texts_meet_within_and_across_runs(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ours, "_AT_ONCE", 3)
    others = [
        ticket(f"x{n}", f"another trouble number {chr(97 + n) * 5} with words {chr(98 + n) * 4} of its own")
        for n in range(4)
    ]
    assert store.add([ticket("a", WORDS), *others, ticket("b", f"hello {WORDS}")]) == 6
    store.add([ticket("c", f"{WORDS} thanks"), ticket("d", "")])
    assert firsts(store) == {"a": "", "b": "a", "c": "a", "d": "", **{f"x{n}": "" for n in range(4)}}


def test_a_ticket_that_is_read_again_keeps_its_place(store: Store) -> None:
    store.add([ticket("a", WORDS), ticket("b", WORDS)])
    assert store.known(["a", "b", "z"]) == {"a": ticket("a", WORDS).digest, "b": ticket("b", WORDS).digest}
    store.add([ticket("a", "now it says something else altogether, as its writer has changed it"), ticket("c", WORDS)])
    assert len(firsts(store)) == 3
    assert firsts(store)["c"] == "a"  # by b, whose text it is


def test_what_another_version_judged_is_judged_again(store: Store) -> None:
    store.add([ticket("a", naosu="0.0.1"), ticket("b")])
    assert list(store.known(["a", "b"])) == ["b"]


def test_of_a_conversation_one_mail_is_shown(store: Store) -> None:
    decided = {"cause": "gpu-out-of-memory", "confidence": 0.9}
    store.add([ticket("1", "no gpu", thread=7, created="2024-05-01T10:00:00")])
    store.add([ticket("2", "still no gpu", thread=7, created="2024-05-02T10:00:00")])
    assert list(firsts(store)) == ["1"]
    store.add([ticket("3", "the log", thread=7, created="2024-05-03T10:00:00", **decided)])
    assert list(firsts(store)) == ["3"]
    assert Views(store.connection, "2024-05-04").overview().mails == 2


def test_a_mail_that_quotes_its_own_conversation_is_no_duplicate(store: Store) -> None:
    store.add([ticket("1", WORDS, thread=7), ticket("2", WORDS, thread=7), ticket("3", WORDS, thread=8)])
    assert firsts(store) == {"1": "", "3": "1"}


def test_it_is_kept_in_a_file_that_its_owner_alone_reads(tmp_path: Path) -> None:
    path = tmp_path / "desk.store"
    with Store(path) as store:
        store.add([ticket("a", WORDS)])
        beside = list(tmp_path.iterdir())
        if os.name == "posix":
            assert {stat.S_IMODE(file.stat().st_mode) for file in beside} == {0o600}
    assert [file.name for file in tmp_path.iterdir()] == ["desk.store"]
    with Store(path) as store:
        store.add([ticket("b", f"hello {WORDS}")])
        assert firsts(store) == {"a": "", "b": "a"}


def test_what_was_judged_stays_where_somebody_ends_it(store: Store) -> None:
    def judged() -> Iterator[Judged]:
        yield ticket("a", WORDS)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.add(judged())
    assert list(firsts(store)) == ["a"]


def test_files_that_are_no_store(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n" * 1000)
    for wrong in (path, tmp_path / "missing" / "desk.store", tmp_path):
        with pytest.raises(StoreError) as refused:
            Store(wrong)
        assert refused.value.reason == "not-a-store"
    assert path.read_text() == "my notes\n" * 1000
    newer = tmp_path / "newer"
    with Store(newer) as store:
        store.connection.execute("UPDATE desk SET format = 99")
    with pytest.raises(StoreError) as refused:
        Store(newer)
    assert refused.value.reason == "newer"


def test_a_store_in_use_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "desk.store"
    with Store(path):
        lines = f"import duckdb\ntry: duckdb.connect({str(path)!r})\nexcept duckdb.IOException as e: print(e)"
        said = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True).stdout
    assert "lock" in said  # by which the other run would know


def test_the_views(store: Store) -> None:
    memory = {"cause": "gpu-out-of-memory", "confidence": 0.9, "alike": 5, "lines": ("CUDA out of memory",)}
    mixed = {
        "cause": "driver-library-mismatch",
        "confidence": 0.99,
        "alike": 6,
        "driver": "550.54.14",
        "product": "torch",
    }
    hint = {"cause": "driver-too-old-for-cuda", "confidence": 0.3, "alike": 9}
    store.add(
        [
            ticket("1", created="2026-11-01T10:00:00", language="ja", **memory),
            ticket("2", created="2026-11-20T10:00:00", language="en", **memory),
            ticket("3", created="2026-11-21T10:00:00", **mixed),
            ticket("4", created="2026-11-22T10:00:00", **hint),
            ticket("5", **hint),
            ticket("6", WORDS, created="2026-11-23T09:00:00"),
        ]
    )
    views = Views(store.connection, "2026-11-23")
    overview = views.overview()
    assert (overview.count, overview.decided, overview.new, overview.undated) == (6, 3, 4, 1)
    assert [(group.count, group.cause) for group in views.needs_a_human()] == [(2, hint["cause"]), (1, "unknown")]
    (group,) = views.groups()
    assert (group.count, group.languages, group.first, group.last) == (2, ("en", "ja"), "2026-11-01", "2026-11-20")
    assert views.shared_lines(5) == ("CUDA out of memory",)
    assert {group.cause for group in views.new_groups()} == {mixed["cause"], hint["cause"], "unknown"}
    assert views.per("driver") == [("550", 1, 1)]
    assert views.per("product") == [("torch", 1, 1)]
    counts = views.over_time()
    assert not counts.is_monthly
    assert sum(map(sum, counts.rows)) == 5
    assert [row.number for row in views.rows(Filter(driver="550"))] == ["3"]
    assert [row.number for row in views.rows(Filter(state="undecided"), "newest")] == ["6", "4", "5"]
    assert [row.number for row in views.rows(Filter(words="OUT OF"), "oldest")] == ["1", "2"]
    assert [row.age for row in views.rows(sort="oldest")][:2] == [22, 3]
    assert views.placed(["1", "6"])["1"].alike == 2


def test_a_store_of_before_keeps_no_names(tmp_path: Path) -> None:
    path = tmp_path / "older"
    named = {"source": "kim.lee@example.org.csv", "number": "kim.lee@example.org", "product": "kim.lee@example.org"}
    with Store(path) as store:
        store.add([Judged(key="https://kim.lee@example.org/1", digest=1, **named)])
        store.connection.execute("UPDATE desk SET format = 1")
    with Store(path) as store:
        assert "kim.lee" not in repr(store.connection.execute("SELECT * FROM ticket").fetchall())
        assert store.known([Ticket(key="https://kim.lee@example.org/1", source="").mark]) == {}  # to be judged anew


def test_a_file_that_was_sent_reaches_nothing_else(tmp_path: Path) -> None:
    """A view of the name of our table read a file of the user as soon as the store was opened."""
    (tmp_path / "private.csv").write_text("format\n1\n")
    sent = str(tmp_path / "sent.duckdb")
    with duckdb.connect(sent) as made:
        made.execute(f"CREATE VIEW desk AS SELECT format FROM read_csv('{tmp_path / 'private.csv'}')")
    with pytest.raises(StoreError, match="file system operations are disabled"):
        Store(Path(sent))
    with Store(tmp_path / "ours.duckdb") as store, pytest.raises(duckdb.Error):
        store.connection.execute("SET enable_external_access = true")
