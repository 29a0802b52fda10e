"""What the desk remembers of its tickets: one file of DuckDB, or memory where nothing is to be kept.

No text of a ticket is in it, and what is quoted or named was redacted before (checks/desk/judging.py). A ticket takes
some 700 bytes.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import duckdb
import numpy as np

from checks import __version__
from checks.desk.judging import Judged
from checks.desk.likeness import NEARLY_THE_SAME, share_in_common
from checks.readers.mails.numbering import number_of
from checks.sharing.database import database
from checks.sharing.files import privately
from checks.sharing.redact import redacted_texts

FORMAT = 2  # before, keys, sources, numbers and products stood there as they came
_MEMORY = "1GB"
_AT_ONCE = 500  # tickets that are written together
_TABLES = """
CREATE TABLE IF NOT EXISTS desk (format INTEGER);
CREATE TABLE IF NOT EXISTS ticket (
    id BIGINT, key VARCHAR, digest BIGINT, source VARCHAR, number VARCHAR, title VARCHAR, url VARCHAR,
    created TIMESTAMP, thread BIGINT, language VARCHAR, product VARCHAR, driver VARCHAR, cause VARCHAR, state VARCHAR,
    confidence DOUBLE, lines VARCHAR, problem VARCHAR, naosu VARCHAR, is_decided BOOLEAN, is_shown BOOLEAN,
    alike BIGINT, first BIGINT, marks BLOB
);
CREATE TABLE IF NOT EXISTS bucket (band BIGINT, ticket BIGINT);
"""
_MOST_IN_BUCKET = 8  # later ones meet the first of them


class _Met(NamedTuple):
    """What of a ticket those that come later are held against."""

    marks: bytes
    first: int
    thread: int
    cause: str
    alike: int


class StoreError(Exception):
    """A store that cannot be used. ``reason``: an id of resources/words/desk.toml ("store-...")."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class Store:
    """The tickets by number. ``first``: of a ticket the earliest one whose text is nearly the same, itself if none is.

    ``is_shown``: of the mails of one conversation one stands for all: the first, or a later one of the same sender
    where only that tells the cause.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Open it, or make it; without a path it is gone when it is closed.

        Raises:
            StoreError: "not-a-store", "newer", "in-use".
        """
        self._scratch = tempfile.TemporaryDirectory(prefix="naosu-desk-")
        settings = {"memory_limit": _MEMORY, "temp_directory": self._scratch.name}
        try:
            with privately():
                self.connection = database(str(path) if path is not None else ":memory:", settings)
                self.connection.execute(_TABLES)
            ((newest,),) = self.connection.execute("SELECT max(format) FROM desk").fetchall()
        except duckdb.IOException as error:
            self._scratch.cleanup()
            raise StoreError("in-use" if "lock" in str(error) else "not-a-store", str(error)) from error
        except duckdb.Error as error:
            self._scratch.cleanup()
            raise StoreError("not-a-store", str(error)) from error
        if newest is None:
            self.connection.execute("INSERT INTO desk VALUES (?)", [FORMAT])
        elif newest > FORMAT:
            self.close()
            raise StoreError("newer")
        elif newest < FORMAT:
            self._forget_names()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is still to be written."""
        self.connection.close()
        self._scratch.cleanup()

    def _forget_names(self) -> None:
        """Bring a store of an earlier format to this one: what it has as it came is redacted, and judged anew."""
        rows = self.connection.execute("SELECT id, key, source, number, product FROM ticket").fetchall()
        self.connection.begin()
        for number, key, *named in rows:
            mark = f"{number_of(key.encode('utf-8', 'replace')):016x}"
            changed = [mark, *redacted_texts(tuple(named)), number]
            self.connection.execute(
                "UPDATE ticket SET key = ?, source = ?, number = ?, product = ?, naosu = '' WHERE id = ?", changed
            )
        self.connection.execute("UPDATE desk SET format = ?", [FORMAT])
        self.connection.commit()

    def known(self, keys: Sequence[str]) -> dict[str, int]:
        """Of these the tickets that this version judged already, with the digest of what it judged."""
        query = "SELECT key, digest FROM ticket SEMI JOIN given USING (key) WHERE naosu = ?"
        return dict(self._with({"key": keys}, query, [__version__]))

    def add(self, judged: Iterable[Judged]) -> int:
        """Remember tickets, each in the place of an earlier one with the same key. How many they were."""
        count = 0
        batch: dict[str, Judged] = {}
        try:
            for one in judged:
                batch[one.key] = one
                if len(batch) >= _AT_ONCE:
                    done, batch = batch, {}
                    count += self._write(tuple(done.values()))
        finally:  # also where somebody ends it: what was judged stays
            count += self._write(tuple(batch.values()))
        return count

    def _write(self, batch: Sequence[Judged]) -> int:
        if not batch:
            return 0
        with privately():
            self._write_at_once(batch)
        return len(batch)

    def _write_at_once(self, batch: Sequence[Judged]) -> None:
        self.connection.begin()
        try:
            numbers = self._numbers([one.key for one in batch])
            self._replace(batch, numbers, self._met(batch, numbers))
            self._choose_shown({one.thread for one in batch})
            self.connection.commit()
        except BaseException:
            with contextlib.suppress(duckdb.Error):
                self.connection.rollback()
            raise

    def _numbers(self, keys: Sequence[str]) -> list[int]:
        """The number that each ticket has, or gets."""
        known = dict(self._with({"key": keys}, "SELECT key, id FROM ticket SEMI JOIN given USING (key)"))
        ((following,),) = self.connection.execute("SELECT coalesce(max(id), 0) + 1 FROM ticket").fetchall()
        new = iter(range(following, following + len(keys)))
        return [known[key] if key in known else next(new) for key in keys]

    def _met(self, batch: Sequence[Judged], numbers: Sequence[int]) -> list[_Met]:
        """Each with the earliest ticket that says nearly the same, of another conversation."""
        bands = [(band, number) for one, number in zip(batch, numbers, strict=True) for band in one.likeness.bands]
        met: dict[int, set[int]] = defaultdict(set)
        if bands:
            given = {"band": [band for band, _ in bands], "number": [number for _, number in bands]}
            for number, other in self._with(given, "SELECT given.number, ticket FROM given JOIN bucket USING (band)"):
                met[number].add(other)
        here: dict[int, list[int]] = defaultdict(list)  # of this batch, which the store does not have yet
        known = self._known({other for others in met.values() for other in others} - set(numbers))
        found = []
        for one, number in zip(batch, numbers, strict=True):
            others = {other for other in met[number] if other in known}
            others.update(other for band in one.likeness.bands for other in here[band])
            known[number] = _met(one, number, [known[other] for other in sorted(others - {number})])
            found.append(known[number])
            for band in one.likeness.bands:
                if len(here[band]) < _MOST_IN_BUCKET:
                    here[band].append(number)
        return found

    def _known(self, numbers: Iterable[int]) -> dict[int, _Met]:
        asked = list(numbers)
        if not asked:
            return {}
        columns = ", ".join(_Met._fields)
        rows = self._with({"id": asked}, f"SELECT id, {columns} FROM ticket SEMI JOIN given USING (id)")
        return {number: _Met(*row) for number, *row in rows}

    def _replace(self, batch: Sequence[Judged], numbers: Sequence[int], met: Sequence[_Met]) -> None:
        self._with({"id": numbers}, "DELETE FROM bucket WHERE ticket IN (SELECT id FROM given)")
        self._with({"id": numbers}, "DELETE FROM ticket WHERE id IN (SELECT id FROM given)")
        rows = [_row(one, number, of) for one, number, of in zip(batch, numbers, met, strict=True)]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        shown = ", ".join("CAST(created AS TIMESTAMP)" if name == "created" else name for name in columns)
        self._with(columns, f"INSERT INTO ticket ({', '.join(columns)}) SELECT {shown} FROM given")
        bands = [(band, number) for one, number in zip(batch, numbers, strict=True) for band in one.likeness.bands]
        if bands:
            given = {"band": [band for band, _ in bands], "ticket": [number for _, number in bands]}
            self._with(
                given,
                "INSERT INTO bucket SELECT given.band, given.ticket FROM given LEFT JOIN (SELECT band, count(*) AS "
                "many FROM bucket SEMI JOIN given USING (band) GROUP BY band) USING (band) WHERE coalesce(many, 0) < ?",
                [_MOST_IN_BUCKET],
            )

    def _choose_shown(self, threads: Iterable[int]) -> None:
        """Of several mails of one conversation the first that tells the cause, else the first."""
        self._with(
            {"thread": list(threads)},
            "UPDATE ticket SET is_shown = (place = 1) FROM (SELECT id AS mail, row_number() OVER (PARTITION BY thread "
            "ORDER BY is_decided DESC, created NULLS LAST, id) AS place FROM ticket SEMI JOIN given USING (thread)) "
            "WHERE id = mail AND is_shown != (place = 1)",
        )

    def _with(self, given: Mapping[str, Sequence[Any]], query: str, values: Sequence[Any] = ()) -> list[Any]:
        """Ask with a table of ours, whose name is "given"."""
        is_text = {name: any(isinstance(value, (str, bytes)) for value in column) for name, column in given.items()}
        arrays = {name: np.array(column, dtype=object if is_text[name] else None) for name, column in given.items()}
        self.connection.register("given", arrays)  # in the place of an earlier one
        return self.connection.execute(query, list(values)).fetchall()


def _met(one: Judged, number: int, others: Sequence[_Met]) -> _Met:
    """A ticket with the first of those that say nearly the same, if the likest of these others does.

    What says the same and has the same cause wants the same answer, whatever its mail program made of its lines.
    """
    others = [other for other in others if other.thread != one.thread]
    shares = share_in_common(one.likeness.marks, [other.marks for other in others])
    alike = one.alike or -number
    if not len(shares) or shares.max() < NEARLY_THE_SAME:
        return _Met(one.likeness.marks, number, one.thread, one.cause, alike)
    likest = others[int(shares.argmax())]
    alike = likest.alike if likest.cause == one.cause else alike
    return _Met(one.likeness.marks, likest.first, one.thread, one.cause, alike)


def _row(one: Judged, number: int, met: _Met) -> dict[str, Any]:
    return {
        "id": number,
        "key": one.key,
        "digest": one.digest,
        "source": one.source,
        "number": one.number,
        "title": one.title,
        "url": one.url,
        "created": one.created or None,
        "thread": one.thread,
        "language": one.language,
        "product": one.product,
        "driver": one.driver,
        "cause": one.cause,
        "state": one.state,
        "confidence": one.confidence,
        "lines": "\n".join(one.lines),
        "problem": one.problem,
        "naosu": one.naosu,
        "is_decided": one.is_decided,
        "is_shown": True,
        "alike": met.alike,
        "first": met.first,
        "marks": one.likeness.marks,
    }
