"""The fleet in one file of DuckDB, or in memory where nothing is kept: hosts as rows, what many share once.

A hundred thousand answers pass through it one after the other; what is asked of it later is counted where it lies.
"""

from __future__ import annotations

import hashlib
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import duckdb
import msgspec

from checks.facts.case import now
from checks.fleet.row import Row
from checks.sharing.database import database
from checks.sharing.files import privately

FORMAT = 1
MEMORY = "1GB"
HARDWARE, SOFTWARE, PARTS, STATE, VECTOR = "hardware", "software", "parts", "state", "vector"
AREAS = (HARDWARE, SOFTWARE, PARTS, STATE)
_AT_ONCE = 500  # rows that are written together
_TABLES = """
CREATE TABLE IF NOT EXISTS fleet (format INTEGER);
CREATE TABLE IF NOT EXISTS collection (number INTEGER, created VARCHAR, folder VARCHAR);
CREATE TABLE IF NOT EXISTS answer (
    id BIGINT, host VARCHAR, place VARCHAR, digest VARCHAR, created VARCHAR, naosu VARCHAR, newer BOOLEAN,
    problem VARCHAR, detail VARCHAR, hardware VARCHAR, software VARCHAR, parts VARCHAR, state VARCHAR, vector VARCHAR,
    collection INTEGER
);
CREATE TABLE IF NOT EXISTS profile (area VARCHAR, key VARCHAR, content BLOB);
CREATE TABLE IF NOT EXISTS bit (vector VARCHAR, question VARCHAR, value VARCHAR);
CREATE TABLE IF NOT EXISTS seen (host VARCHAR, collection INTEGER);
"""
# Of each host of this collection the newest answer that tells something, else the newest; and the one before that.
_VIEWS = """
CREATE OR REPLACE VIEW present AS
    SELECT DISTINCT host FROM seen WHERE collection = (SELECT max(number) FROM collection);
CREATE OR REPLACE VIEW latest AS SELECT * FROM answer SEMI JOIN present USING (host) QUALIFY row_number() OVER (
    PARTITION BY host ORDER BY (hardware = '') ASC, created DESC, collection DESC, id DESC) = 1;
CREATE OR REPLACE VIEW before AS SELECT * FROM answer SEMI JOIN present USING (host) WHERE hardware != ''
    QUALIFY row_number() OVER (PARTITION BY host ORDER BY created DESC, collection DESC, id DESC) = 2;
"""


class StoreError(Exception):
    """A store that cannot be used. ``reason``: an id of resources/words/fleet.toml ("store-...")."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class Store:
    """The answers, and what they say by its key."""

    def __init__(self, path: Path | None = None) -> None:
        """Open it, or make it; without a path it is gone when it is closed.

        Raises:
            StoreError: "store-not-ours", "store-newer", "store-unusable".
        """
        self._temporary = tempfile.TemporaryDirectory(prefix="naosu-fleet-", ignore_cleanup_errors=True)
        file = path or Path(self._temporary.name) / "fleet.duckdb"
        settings: dict[str, str | int] = {
            "memory_limit": MEMORY,
            "temp_directory": self._temporary.name,
            "threads": 2,
        }
        try:
            with privately():
                self._store = database(str(file), settings)
                self._check()
                self._store.execute(_TABLES)
                self._store.execute(_VIEWS)
        except duckdb.Error as error:
            self._temporary.cleanup()
            raise StoreError("store-unusable", str(error).splitlines()[0]) from error
        known = self._all("SELECT area, key FROM profile UNION ALL SELECT DISTINCT 'vector', vector FROM bit")
        self._known = {(str(area), str(key)) for area, key in known}
        self._digests = set(self._all("SELECT host, digest FROM answer"))
        self._last = int(self._one("SELECT coalesce(max(id), 0) FROM answer"))
        self.collection = 1 + int(self._one("SELECT coalesce(max(number), 0) FROM collection"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()
        self._temporary.cleanup()

    def _check(self) -> None:
        names = {str(name) for (name,) in self._all("SELECT table_name FROM duckdb_tables()")}
        if names and "fleet" not in names:
            raise StoreError("store-not-ours")
        if names and int(self._one("SELECT coalesce(max(format), 0) FROM fleet")) > FORMAT:
            raise StoreError("store-newer")
        if not names:
            self._store.execute("CREATE TABLE fleet (format INTEGER); INSERT INTO fleet VALUES (1)")

    # --- what comes in

    def add(self, rows: Iterable[Row], folder: str) -> int:
        """Add a collection; an answer that is there already counts once. How many were new."""
        with privately():
            return self._add(rows, folder)

    def _add(self, rows: Iterable[Row], folder: str) -> int:
        self._store.execute("INSERT INTO collection VALUES (?, ?, ?)", [self.collection, now(), folder])
        waiting: list[Row] = []
        seen: list[str] = []
        added = 0
        for row in rows:
            seen.append(row.host)
            if not row.digest or (row.host, row.digest) not in self._digests:
                self._digests.add((row.host, row.digest))
                waiting.append(row)
                added += 1
            if len(seen) >= _AT_ONCE:
                self._write(waiting, seen)
                waiting, seen = [], []
        self._write(waiting, seen)
        return added

    def _write(self, rows: Sequence[Row], seen: Sequence[str]) -> None:
        profiles: list[tuple[str, str, bytes]] = []
        bits: list[tuple[str, str, str]] = []
        keys = [self._keys(row, profiles, bits) for row in rows]
        first, self._last = self._last + 1, self._last + len(rows)
        columns: list[Sequence[Any]] = [
            range(first, self._last + 1),
            *([getattr(row, name) for row in rows] for name in ("host", "place", "digest", "created", "naosu")),
            [row.newer for row in rows],
            [row.problem for row in rows],
            [row.detail for row in rows],
            *(zip(*keys, strict=True) if keys else ()),
            [self.collection] * len(rows),
        ]
        self._store.execute("BEGIN")
        self._insert("seen", [seen, [self.collection] * len(seen)])
        self._insert("answer", columns if rows else ())
        self._insert("profile", list(zip(*profiles, strict=True)))
        self._insert("bit", list(zip(*bits, strict=True)))
        self._store.execute("COMMIT")

    def _insert(self, table: str, columns: Sequence[Sequence[Any]]) -> None:
        if columns:
            values = ", ".join(f"unnest(${number})" for number in range(1, len(columns) + 1))
            self._store.execute(f"INSERT INTO {table} SELECT {values}", [list(column) for column in columns])

    def _keys(
        self, row: Row, profiles: list[tuple[str, str, bytes]], bits: list[tuple[str, str, str]]
    ) -> tuple[str, ...]:
        keys = []
        for area in AREAS:
            content = getattr(row, area)
            key = _key(content) if content else ""
            if key and (area, key) not in self._known:
                self._known.add((area, key))
                profiles.append((area, key, zlib.compress(msgspec.json.encode(content), 1)))
            keys.append(key)
        vector = _key(row.bits) if row.bits else ""
        if vector and (VECTOR, vector) not in self._known:
            self._known.add((VECTOR, vector))
            bits += [(vector, question, value) for question, value in row.bits.items()]
        return (*keys, vector)

    def assign(self, groups: Iterable[Sequence[str]]) -> None:
        """Note which vectors are of which group, from 1 on: the table member."""
        with privately():
            self._store.execute("CREATE OR REPLACE TABLE member (vector VARCHAR, number INTEGER)")
            for number, keys in enumerate(groups, start=1):
                self._insert("member", [keys, [number] * len(keys)])

    # --- what is asked

    def profile(self, area: str, key: str) -> dict[str, Any]:
        """What is behind a key; {} behind none."""
        found = self._all("SELECT content FROM profile WHERE area = ? AND key = ? LIMIT 1", [area, key])
        return msgspec.json.decode(zlib.decompress(bytes(found[0][0]))) if found else {}

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query of our own over latest, before, answer, bit and profile."""
        return self._all(query, values)

    def stream(self, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The same, some at a time."""
        cursor = self._store.cursor()
        cursor.execute(query, list(values))
        while some := cursor.fetchmany(2_000):
            yield from some

    def count(self, query: str) -> int:
        """One number."""
        return int(self._one(query))

    def _all(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._store.execute(query, list(values)).fetchall()

    def _one(self, query: str) -> Any:
        return self._all(query)[0][0]


def _key(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()[:20]
